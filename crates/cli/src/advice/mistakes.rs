//! Statements that the database cannot parse: the word that the user meant, and its place.

use crate::shell::statement::{Outline, Verb};
use crate::shell::token::{Kind, Token, meaningful};
use hashrange::is_reserved_in_statements;
use hashrange::nearest::nearest;

/// Most characters of the line that are shown before the caret, and after it.
const SHOWN: usize = 60;

/// Words of other databases that statements here do not have.
const FOREIGN: [(&str, &str); 12] = [
    (
        "LIMIT",
        "statements have no LIMIT; `hashrange sql --limit 3` reads 3 items at a time, as do `query` and \
         `scan`",
    ),
    ("TOP", "statements have no TOP; `hashrange sql --limit 3` reads 3 items at a time"),
    ("FETCH", "statements have no FETCH; `hashrange sql --limit 3` reads 3 items at a time"),
    ("AS", "statements have no AS: an attribute keeps its name"),
    ("OFFSET", "statements have no OFFSET: a read goes on where the one before ended"),
    ("GROUP", "statements have no GROUP BY"),
    ("HAVING", "statements have no HAVING"),
    ("JOIN", "statements have no JOIN: each reads one table"),
    ("UNION", "statements have no UNION"),
    ("DISTINCT", "statements have no DISTINCT"),
    (
        "LIKE",
        "statements have no LIKE; begins_with(a, 'x') and contains(a, 'x') compare parts of texts",
    ),
    ("VALUES", "statements insert one item: INSERT INTO \"table\" VALUE {'attribute': 'value'}"),
];

/// Functions of other databases.
const AGGREGATES: [&str; 5] = ["COUNT", "SUM", "AVG", "MIN", "MAX"];

/// Returns the probable mistake in a refused statement, with a caret under the word.
pub fn mistaken(statement: &str) -> Option<String> {
    let all = meaningful(statement);
    let is_explained = all.first().is_some_and(|first| first.is("EXPLAIN"));
    let begin = all.get(1).filter(|_| is_explained).map_or(0, |second| second.offset);
    let (token, hint) = find(&statement[begin..])?;
    Some(format!("{hint}{}", caret(statement, begin + token.offset)))
}

fn find(statement: &str) -> Option<(Token<'_>, String)> {
    let tokens = meaningful(statement);
    let outline = Outline::of(statement);
    let first = *tokens.first()?;
    if outline.verb == Verb::Other {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "EXPLAIN", "CREATE", "ALTER", "DROP"];
        return misspelt(first, &verbs);
    }
    let known = foreign(&tokens).or_else(|| keyword(&tokens, &outline));
    known.or_else(|| behind_operand(&tokens)).or_else(|| incomplete(&tokens))
}

/// Words that join parts of a statement.
const JOINING: [&str; 17] = [
    "WHERE",
    "AND",
    "OR",
    "ORDER",
    "BY",
    "BETWEEN",
    "IN",
    "IS",
    "NOT",
    "SET",
    "REMOVE",
    "RETURNING",
    "FROM",
    "VALUE",
    "LIMIT",
    "ASC",
    "DESC",
];
/// Other words of the language, after which a word is no mistake.
const OTHERS: [&str; 13] = [
    "SELECT", "INSERT", "INTO", "UPDATE", "DELETE", "EXPLAIN", "ANALYZE", "EXISTS", "ALL",
    "MODIFIED", "OLD", "NEW", "MISSING",
];

/// Returns a word after a name or a value, where only a keyword can stand, that is nearly one.
fn behind_operand<'a>(tokens: &[Token<'a>]) -> Option<(Token<'a>, String)> {
    let is_keyword =
        |token: &Token<'_>| JOINING.iter().chain(&OTHERS).any(|keyword| token.is(keyword));
    let is_operand = |token: &Token<'_>| match token.kind {
        Kind::Word => !is_keyword(token),
        Kind::Name | Kind::Text | Kind::Number => true,
        Kind::Symbol => [")", "]", "}", ">>", "?", "*"].contains(&token.text),
        Kind::Comment => false,
    };
    // Too many words are one letter away from a word of two letters.
    let is_strange = |token: &Token<'_>| !is_keyword(token) && token.text.len() > 2;
    let mut pairs = tokens.windows(2).filter(|pair| is_operand(&pair[0]) && is_strange(&pair[1]));
    pairs.find_map(|pair| {
        let meant = meant(pair[1], &JOINING)?;
        let foreign = FOREIGN.iter().find(|(word, _)| *word == meant);
        let hint = foreign.map(|(_, hint)| (*hint).to_owned());
        Some((pair[1], hint.unwrap_or_else(|| did_you_mean(meant, pair[1]))))
    })
}

/// Returns the place of `==`, of ORDER without BY, or of `*` without FROM, with a hint.
fn incomplete<'a>(tokens: &[Token<'a>]) -> Option<(Token<'a>, String)> {
    tokens.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        if first.is_symbol("=") && second.is_symbol("=") {
            return Some((*first, "one = compares".to_owned()));
        }
        if first.is("ORDER") && second.kind == Kind::Word && !second.is("BY") {
            return Some((*second, "BY is missing behind ORDER".to_owned()));
        }
        (first.is_symbol("*")
            && matches!(second.kind, Kind::Word | Kind::Name)
            && !second.is("FROM"))
        .then(|| (*second, "FROM is missing before the table".to_owned()))
    })
}

fn foreign<'a>(tokens: &[Token<'a>]) -> Option<(Token<'a>, String)> {
    for (nth, token) in tokens.iter().enumerate() {
        let is_called = tokens.get(nth + 1).is_some_and(|next| next.is_symbol("("));
        if is_called && AGGREGATES.iter().any(|name| token.is(name)) {
            let hint = "statements do not count or sum; `hashrange query` and `hashrange scan` count \
                        with --count";
            return Some((*token, hint.to_owned()));
        }
        // The first word is the verb, and after a comma stands a name.
        let is_name = nth.checked_sub(1).is_none_or(|before| tokens[before].is_symbol(","));
        if is_name || tokens.get(nth + 1).is_some_and(Token::compares) {
            continue;
        }
        if let Some((_, hint)) = FOREIGN.iter().find(|(word, _)| token.is(word)) {
            return Some((*token, (*hint).to_owned()));
        }
    }
    None
}

/// Words that stand in the places of names and are none: they join conditions, or are values.
const NO_NAMES: [&str; 16] = [
    "ALL", "AND", "BETWEEN", "DISTINCT", "EXISTS", "FALSE", "FROM", "IN", "IS", "MISSING", "NOT",
    "NULL", "OR", "SELECT", "TRUE", "WHERE",
];
/// Words that a name follows.
const BEFORE_NAMES: [&str; 7] = ["SELECT", "SET", "REMOVE", "BY", "FROM", "INTO", "UPDATE"];
/// Words that follow a name.
const BEHIND_NAMES: [&str; 3] = ["BETWEEN", "IN", "IS"];

/// Returns a hint at the first name in an unreadable statement that is a reserved word without
/// quotes, with a caret under it.
pub fn reserved(statement: &str) -> Option<String> {
    let tokens = meaningful(statement);
    let is_name = |nth: usize| {
        let token = tokens[nth];
        let before = nth.checked_sub(1).and_then(|nth| tokens.get(nth));
        let behind = tokens.get(nth + 1);
        let is_called = behind.is_some_and(|it| it.is_symbol("("));
        let begins = before.is_some_and(|it| {
            it.is_symbol(".") || it.is_symbol(",") || BEFORE_NAMES.iter().any(|word| it.is(word))
        });
        let ends = behind.is_some_and(|it| {
            it.compares() || it.is_symbol(".") || BEHIND_NAMES.iter().any(|word| it.is(word))
        });
        let is_word = token.kind == Kind::Word && !NO_NAMES.iter().any(|word| token.is(word));
        is_word && !is_called && (begins || ends) && is_reserved_in_statements(token.text)
    };
    let token = tokens[(0..tokens.len()).find(|nth| is_name(*nth))?];
    let word = token.text;
    let hint =
        format!("{word} is a reserved word; if it is a name, write \"{word}\" in double quotes");
    Some(format!("{hint}{}", caret(statement, token.offset)))
}

/// Returns a word that stands where a keyword has to, and is nearly one.
fn keyword<'a>(tokens: &[Token<'a>], outline: &Outline<'a>) -> Option<(Token<'a>, String)> {
    let (introduces, follows): (&str, &[&str]) = match outline.verb {
        Verb::Select => ("FROM", &["WHERE", "ORDER"]),
        Verb::Delete => ("FROM", &["WHERE", "RETURNING"]),
        Verb::Insert => ("INTO", &["VALUE"]),
        Verb::Update => ("", &["SET", "REMOVE", "WHERE"]),
        Verb::Define | Verb::Explain | Verb::Other => return None,
    };
    if !introduces.is_empty() && !tokens.iter().any(|token| token.is(introduces)) {
        let words = tokens.iter().skip(1).filter(|token| token.kind == Kind::Word);
        return words.copied().find_map(|token| misspelt(token, &[introduces]));
    }
    let behind = outline.rest.first().and_then(|token| misspelt(*token, follows));
    let by = outline.rest.windows(2).find(|pair| pair[1].is("BY"));
    behind.or_else(|| by.and_then(|pair| misspelt(pair[0], &["ORDER"])))
}

/// Returns the word with a hint, if it is nearly one of the keywords.
fn misspelt<'a>(token: Token<'a>, keywords: &[&str]) -> Option<(Token<'a>, String)> {
    Some((token, did_you_mean(meant(token, keywords)?, token)))
}

/// Returns the keyword that a word nearly is.
fn meant<'k>(token: Token<'_>, keywords: &[&'k str]) -> Option<&'k str> {
    if token.kind != Kind::Word || keywords.iter().any(|keyword| token.is(keyword)) {
        return None;
    }
    nearest(token.text, keywords.iter().copied())
}

fn did_you_mean(keyword: &str, token: Token<'_>) -> String {
    format!("did you mean {keyword} where {} stands?", token.text)
}

/// Returns the line of a statement that has a byte, and a caret under it, each after a line's end.
fn caret(statement: &str, offset: usize) -> String {
    let (before, behind) = statement.split_at(offset);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let behind = behind.lines().next().unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(SHOWN);
    // A tab becomes as wide as the blank under it.
    let shown = |text: &str| text.replace(|it: char| it.is_control(), " ");
    let before = shown(&before.chars().skip(skipped).collect::<String>());
    let behind = shown(&behind.chars().take(SHOWN).collect::<String>());
    let blanks = " ".repeat(before.chars().count());
    format!("\n    {before}{behind}\n    {blanks}^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_not_meant_has_a_hint_and_a_caret() {
        let cases = [
            ("SELECT * FROM t LIMIT 3", "LIMIT 3", "statements have no LIMIT"),
            ("SELECT count(*) FROM t", "count(*) FROM t", "--count"),
            ("SELECT * FORM t", "FORM t", "did you mean FROM where FORM stands?"),
            ("selct * from t", "selct * from t", "did you mean SELECT"),
            ("SELECT * FROM t\nWHER a = 1", "WHER a = 1", "did you mean WHERE"),
            ("SELECT * FROM t.i ORDR BY a", "ORDR BY a", "did you mean ORDER"),
            ("SELECT * FROM t WHERE a = 1 ODER BY b", "ODER BY b", "did you mean ORDER"),
            ("EXPLAIN SELECT * FORM t", "FORM t", "did you mean FROM"),
            ("UPDATE t SETT a = 1 WHERE b = 2", "SETT a = 1 WHERE b = 2", "did you mean SET"),
            ("INSERT ITNO t VALUE {}", "ITNO t VALUE {}", "did you mean INTO"),
            ("INSERT INTO t VALUES (1)", "VALUES (1)", "VALUE {"),
            ("DELETE FORM t WHERE a = 1", "FORM t WHERE a = 1", "did you mean FROM"),
            ("SELECT DISTINCT a FROM t", "DISTINCT a FROM t", "no DISTINCT"),
            ("SELECT * FROM t WHERE a LIKE 'x'", "LIKE 'x'", "begins_with"),
            ("SELECT TOP 3 * FROM t", "TOP 3 * FROM t", "no TOP"),
            ("SELECT a AS b FROM t", "AS b FROM t", "no AS"),
            ("SELECT * FROM t FETCH FIRST 3 ROWS ONLY", "FETCH FIRST 3 ROWS ONLY", "no FETCH"),
            ("UPDATE t SET x = 1 WHER a = 'a'", "WHER a = 'a'", "did you mean WHERE"),
            ("UPDATE t STE x = 1 WHERE a = 'a'", "STE x = 1 WHERE a = 'a'", "did you mean SET"),
            ("SELECT * FROM t WHERE a = 'a' ADN b = 'b'", "ADN b = 'b'", "did you mean AND"),
            ("SELECT * FROM t WHERE a = 'a' ORDER b", "b", "BY is missing"),
            ("SELECT * FROM t WHERE a = 'a' LIMT 3", "LIMT 3", "no LIMIT"),
            ("SELECT * FROM t WHERE a == 'a'", "== 'a'", "one = compares"),
            ("SELECT * t", "t", "FROM is missing"),
        ];
        for (statement, from, hint) in cases {
            let found = mistaken(statement).unwrap_or_default();
            assert!(found.contains(hint), "{statement}: {found}");
            let lines: Vec<&str> = found.lines().collect();
            let [.., line, mark] = lines[..] else { panic!("{statement}: {found}") };
            let column = mark.find('^').expect("a caret");
            assert_eq!(&line[column..], from, "{statement}");
        }
    }

    #[test]
    fn a_reserved_word_in_the_place_of_a_name_is_to_be_quoted() {
        let cases = [
            ("SELECT payload.size FROM t WHERE pk = 'a'", Some("size")),
            ("SELECT * FROM t WHERE date = 'a'", Some("date")),
            ("SELECT * FROM t WHERE NOT user IN ['a']", Some("user")),
            ("SELECT a, user FROM t", Some("user")),
            ("SELECT a, name FROM t", None),
            ("UPDATE t SET a = 1, level = 2 WHERE pk = 'a'", Some("level")),
            ("UPDATE t REMOVE key WHERE pk = 'a'", Some("key")),
            ("SELECT * FROM order WHERE a = 1", Some("order")),
            ("SELECT * FROM t WHERE a = 1 ORDER BY Zone DESC", Some("Zone")),
            ("SELECT * FROM t WHERE \"date\" = 'a' AND NOT b IS MISSING", None),
            ("SELECT * FROM t WHERE size(a) > 3 AND b = true", None),
            ("INSERT INTO t VALUE {'date': 1}", None),
            ("DELETE FROM t WHERE pk IN ['a'] RETURNING ALL OLD *", None),
            ("SELECT DISTINCT a FROM t", None),
            ("", None),
        ];
        for (statement, word) in cases {
            let expected = word.map(|word| format!("write \"{word}\" in double quotes"));
            let found = reserved(statement);
            assert_eq!(found.is_some(), expected.is_some(), "{statement}: {found:?}");
            let (found, expected) = (found.unwrap_or_default(), expected.unwrap_or_default());
            assert!(found.contains(&expected), "{statement}: {found}");
        }
    }

    #[test]
    fn names_and_whole_statements_have_none() {
        let statements = [
            "SELECT * FROM t WHERE a = 1 ORDER BY b DESC",
            "SELECT form, limit FROM t WHERE limit = 3",
            "SELECT count FROM t",
            "UPDATE t REMOVE a WHERE b = 1",
            "INSERT INTO t VALUE {'LIMIT': 'count(*)'}",
            "DELETE FROM t WHERE a = 1 RETURNING ALL OLD *",
            "EXPLAIN",
            "",
            "exists(select",
            "ÄÖ",
        ];
        for statement in statements {
            assert_eq!(mistaken(statement), None, "{statement}");
        }
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let line = format!("{}\t{}", "é".repeat(200), "x".repeat(200));
        let shown = caret(&line, 401);
        let [_, line, mark] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
        assert_eq!(line.trim_start(), format!("{} {}", "é".repeat(59), "x".repeat(60)));
        assert_eq!(mark.chars().count(), 4 + 60 + 1);
    }
}
