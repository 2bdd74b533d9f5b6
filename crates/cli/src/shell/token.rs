//! The words of a statement, as far as a shell needs them: to find its end, to colour it, to
//! complete it, to find its table. The database decides what a statement means.
//!
//! Every text has tokens, those that the database reads: a quote or comment that is not closed
//! reaches to the end, an unknown character is a symbol. White space lies between tokens.

use hashrange::{TokenKind, statement_tokens};

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A keyword, a function or a plain name.
    Word,
    /// A name in double quotes or backquotes.
    Name,
    /// Text in single quotes.
    Text,
    /// A number.
    Number,
    /// An operator, a bracket or something unknown.
    Symbol,
    /// `-- ...` or `/* ... */`.
    Comment,
}

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// Kind of the token.
    pub kind: Kind,
    /// The text as it is written, with its quotes.
    pub text: &'a str,
    /// Bytes before it.
    pub offset: usize,
    /// False if the quote or comment that it begins does not end.
    pub is_closed: bool,
}

impl Token<'_> {
    /// Returns true for a keyword, in capitals or not.
    pub fn is(&self, keyword: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Returns true for an operator or a bracket.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text == symbol
    }

    /// Returns true for operators that compare.
    pub fn compares(&self) -> bool {
        self.kind == Kind::Symbol && ["=", "<", ">", "<=", ">=", "<>", "!="].contains(&self.text)
    }

    /// Returns the name that a word or a quoted name stands for.
    pub fn name(&self) -> Option<String> {
        match self.kind {
            Kind::Word => Some(self.text.to_owned()),
            Kind::Name if self.is_closed => Some(self.unquoted()),
            _ => None,
        }
    }

    /// Returns the text between the quotes; two quotes stand for one.
    pub fn unquoted(&self) -> String {
        let Some(quote) = self.text.chars().next() else { return String::new() };
        let end = self.text.len() - usize::from(self.is_closed);
        let inner = self.text.get(1..end).unwrap_or_default();
        inner.replace(&format!("{quote}{quote}"), &quote.to_string())
    }

    /// Returns the offset behind it.
    pub fn end(&self) -> usize {
        self.offset + self.text.len()
    }
}

/// Returns the tokens of a text.
pub fn tokens(whole: &str) -> impl Iterator<Item = Token<'_>> {
    statement_tokens(whole).map(move |token| {
        let text = token.text(whole);
        let kind = match (token.kind, text.as_bytes()) {
            (TokenKind::Word, _) => Kind::Word,
            (TokenKind::Number, _) => Kind::Number,
            (TokenKind::Comment, _) | (TokenKind::Unended, [b'/', ..]) => Kind::Comment,
            (TokenKind::String, _) | (TokenKind::Unended, [b'\'', ..]) => Kind::Text,
            (TokenKind::Quoted | TokenKind::Backquoted | TokenKind::Unended, _) => Kind::Name,
            _ => Kind::Symbol,
        };
        let is_closed = token.kind != TokenKind::Unended;
        Token { kind, text, offset: token.start, is_closed }
    })
}

/// Returns the tokens that mean something: all but comments.
pub fn meaningful(text: &str) -> Vec<Token<'_>> {
    tokens(text).filter(|token| token.kind != Kind::Comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_tokens() {
        let cases = [
            ("", ""),
            ("SELECT a_1", "Word SELECT|Word a_1"),
            ("'it''s' \"a\"\"b\" `c`", "Text 'it''s'|Name \"a\"\"b\"|Name `c`"),
            (
                "a<=1.5e-3,<<?>>",
                "Word a|Symbol <=|Number 1.5e-3|Symbol ,|Symbol <<|Symbol ?|Symbol >>",
            ),
            ("1-2", "Number 1|Symbol -|Number 2"),
            ("a -- b; 'c\nd /* e; */ f", "Word a|Comment -- b; 'c|Word d|Comment /* e; */|Word f"),
            ("a=é", "Word a|Symbol =|Symbol é"),
            ("€'open; ", "Symbol €|Text 'open; !"),
            ("\"open", "Name \"open!"),
            ("/*/ open", "Comment /*/ open!"),
        ];
        for (text, expected) in cases {
            let found = tokens(text).map(|token| {
                let open = if token.is_closed { "" } else { "!" };
                format!("{:?} {}{open}", token.kind, token.text)
            });
            assert_eq!(found.collect::<Vec<_>>().join("|"), expected, "{text}");
        }
    }

    #[test]
    fn quotes_are_taken_off_and_doubled_ones_stand_for_one() {
        for (text, expected) in
            [("'it''s'", "it's"), ("\"a\"\"b\"", "a\"b"), ("'op", "op"), ("'", "")]
        {
            let token = tokens(text).next().map(|token| token.unquoted());
            assert_eq!(token.as_deref(), Some(expected), "{text}");
        }
    }
}
