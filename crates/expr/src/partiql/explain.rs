//! `EXPLAIN` and `EXPLAIN ANALYZE` before a statement. The service has neither.

use super::token::Token;

/// EXPLAIN prefix of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain {
    /// True for ANALYZE: the statement runs.
    pub analyze: bool,
    /// Start of the statement, in bytes.
    pub statement_at: usize,
}

/// Returns the EXPLAIN prefix of a statement; `None` if it has none.
pub fn explain(text: &str) -> Option<Explain> {
    let is_near = |letter: char| !letter.is_ascii_alphabetic() || letter.eq_ignore_ascii_case(&'e');
    if !text.starts_with(is_near) {
        return None;
    }
    let first = Token::read(text, 0);
    if !first.is_word(text, "explain") {
        return None;
    }
    let second = Token::read(text, first.end);
    let analyze = second.is_word(text, "analyze");
    let statement = if analyze { Token::read(text, second.end) } else { second };
    Some(Explain { analyze, statement_at: statement.start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_explained_if_it_says_so() {
        let cases = [
            ("EXPLAIN SELECT 1", Some((false, "SELECT 1"))),
            (" explain\tAnalyze -- why\n SELECT 1", Some((true, "SELECT 1"))),
            ("-- first\nEXPLAIN SELECT 1", Some((false, "SELECT 1"))),
            ("EXPLAIN", Some((false, ""))),
            ("EXPLAIN ANALYZE", Some((true, ""))),
            ("EXPLAIN \u{e9}", Some((false, "\u{e9}"))),
            ("EXPLAINED SELECT 1", None),
            ("\"EXPLAIN\" SELECT 1", None),
            ("EXISTS(SELECT 1)", None),
            ("SELECT 1", None),
            ("/* EXPLAIN", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = explain(text).map(|it| (it.analyze, &text[it.statement_at..]));
            assert_eq!(found, expected, "{text}");
        }
    }
}
