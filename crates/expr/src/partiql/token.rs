//! Cuts the text of a statement into tokens, one at a time and without copying.
//!
//! Blanks and comments (`-- to the end of the line`, `/* block */`) separate tokens. Blanks, line
//! ends and numbers are those of PartiQL's grammar. Text that begins no token, or a token without
//! end, is a token that no grammar accepts; so this stage cannot fail.

use crate::token::Comparator;
use std::borrow::Cow;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "most are named as their characters are")]
pub enum Kind {
    /// The end of the text.
    End,
    /// A keyword, a function or a plain identifier.
    Word,
    /// `"identifier"`
    Quoted,
    /// `'string'`
    String,
    /// A number without sign.
    Number,
    /// `?`
    Parameter,
    Compare(Comparator),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenBag,
    CloseBag,
    Comma,
    Dot,
    Colon,
    Star,
    Plus,
    Minus,
    Semicolon,
    /// An operator of PartiQL that DynamoDB does not have: `||`, `/`, `%`.
    /// Source: Amazon DynamoDB developer guide, "PartiQL operators": any that is not listed.
    UnknownOperator,
    /// `-- ...` or `/* ... */`
    Comment,
    /// A literal of Ion in backquotes, which DynamoDB does not have.
    Backquoted,
    /// A quote or block comment that does not end.
    Unended,
    /// A character that begins no token, or a number without the digits of its exponent.
    Bad,
}

impl Kind {
    /// Returns true for a token that no grammar accepts.
    pub(crate) fn is_bad(self) -> bool {
        matches!(self, Self::Bad | Self::Backquoted | Self::Unended)
    }
}

/// A token and its position in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Kind of the token.
    pub kind: Kind,
    /// Position of its first byte.
    pub start: usize,
    /// Position behind its last byte.
    pub end: usize,
}

/// Returns the tokens of a text, comments among them.
pub fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let token = Token::read_any(text, end);
        end = token.end;
        (token.kind != Kind::End).then_some(token)
    })
}

impl Token {
    /// Reads the token that begins at or after `from`, behind comments.
    pub(crate) fn read(text: &str, from: usize) -> Self {
        let mut token = Self::read_any(text, from);
        while token.kind == Kind::Comment {
            token = Self::read_any(text, token.end);
        }
        token
    }

    /// Reads the token or comment that begins at or after `from`.
    fn read_any(text: &str, from: usize) -> Self {
        let bytes = text.as_bytes();
        let start = from + bytes[from..].iter().take_while(|byte| is_blank(**byte)).count();
        let rest = &bytes[start..];
        let (kind, length) = match rest {
            [] => (Kind::End, 0),
            [b'-', b'-', rest @ ..] => {
                let is_inside = |byte: &&u8| !matches!(byte, b'\r' | b'\n');
                (Kind::Comment, 2 + rest.iter().take_while(is_inside).count())
            }
            [b'/', b'*', inside @ ..] => match inside.windows(2).position(|pair| pair == b"*/") {
                Some(length) => (Kind::Comment, 4 + length),
                None => (Kind::Unended, rest.len()),
            },
            [b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$', ..] => (Kind::Word, word_length(rest)),
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => number(rest),
            [b'\'', ..] => quoted(Kind::String, rest),
            [b'"', ..] => quoted(Kind::Quoted, rest),
            [b'`', ..] => quoted(Kind::Backquoted, rest),
            [b'<', b'<', ..] => (Kind::OpenBag, 2),
            [b'>', b'>', ..] => (Kind::CloseBag, 2),
            [b'<', b'>', ..] | [b'!', b'=', ..] => (Kind::Compare(Comparator::NotEqual), 2),
            [b'<', b'=', ..] => (Kind::Compare(Comparator::LessOrEqual), 2),
            [b'>', b'=', ..] => (Kind::Compare(Comparator::GreaterOrEqual), 2),
            [b'<', ..] => (Kind::Compare(Comparator::Less), 1),
            [b'>', ..] => (Kind::Compare(Comparator::Greater), 1),
            [b'=', ..] => (Kind::Compare(Comparator::Equal), 1),
            [b'|', b'|', ..] => (Kind::UnknownOperator, 2),
            [byte, ..] => {
                (punctuation(*byte), text[start..].chars().next().map_or(1, char::len_utf8))
            }
        };
        Self { kind, start, end: start + length }
    }

    /// Returns whether this token of `text` is a word, in upper or lower case.
    pub(crate) fn is_word(self, text: &str, word: &str) -> bool {
        self.kind == Kind::Word && self.text(text).eq_ignore_ascii_case(word)
    }

    /// Returns the token's text, which is a part of `whole`.
    pub fn text(self, whole: &str) -> &str {
        &whole[self.start..self.end]
    }

    /// Returns the content of a string or quoted identifier, with single quotes for doubled ones.
    pub(crate) fn content(self, whole: &str) -> Cow<'_, str> {
        let quote = &whole[self.start..=self.start];
        let inner = &whole[self.start + 1..self.end - 1];
        if inner.contains(quote) {
            Cow::Owned(inner.replace(&quote.repeat(2), quote))
        } else {
            Cow::Borrowed(inner)
        }
    }
}

fn punctuation(byte: u8) -> Kind {
    match byte {
        b'?' => Kind::Parameter,
        b'(' => Kind::Open,
        b')' => Kind::Close,
        b'[' => Kind::OpenBracket,
        b']' => Kind::CloseBracket,
        b'{' => Kind::OpenBrace,
        b'}' => Kind::CloseBrace,
        b',' => Kind::Comma,
        b'.' => Kind::Dot,
        b':' => Kind::Colon,
        b'*' => Kind::Star,
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        b';' => Kind::Semicolon,
        b'/' | b'%' => Kind::UnknownOperator,
        _ => Kind::Bad,
    }
}

const VERTICAL_TAB: u8 = 0x0B;
const FORM_FEED: u8 = 0x0C;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | VERTICAL_TAB | FORM_FEED)
}

fn word_length(bytes: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    bytes.iter().take_while(is_part).count()
}

/// Returns `digits[.digits][e[sign]digits]`; an `e` without an exponent makes it no number.
fn number(bytes: &[u8]) -> (Kind, usize) {
    let digits = |from: usize| bytes[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if !matches!(bytes.get(end), Some(b'e' | b'E')) {
        return (Kind::Number, end);
    }
    let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
    end += 1 + sign;
    match digits(end) {
        0 => (Kind::Bad, end),
        exponent => (Kind::Number, end + exponent),
    }
}

/// Returns a quoted token; a doubled quote stands for one.
fn quoted(kind: Kind, bytes: &[u8]) -> (Kind, usize) {
    let quote = bytes[0];
    let mut at = 1;
    loop {
        match &bytes[at..] {
            [] => return (Kind::Unended, at),
            [one, two, ..] if *one == quote && *two == quote => at += 2,
            [one, ..] if *one == quote => return (kind, at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_as_the_grammar_says() {
        for (text, tokens) in [
            ("SELECT*FROM \"a b\".x", &["SELECT", "*", "FROM", "\"a b\"", ".", "x"][..]),
            ("a<>?--c\n!=b", &["a", "<>", "?", "!=", "b"]),
            ("<<1,.5e-3>>/* ' */'it''s'", &["<<", "1", ",", ".5e-3", ">>", "'it''s'"]),
            ("1.2.3 7e+1 8a", &["1.2", ".3", "7e+1", "8", "a"]),
            ("1e 2e+ 3ex", &["1e", "2e+", "3e", "x"]),
            ("a--b\rc\u{b}d\u{c}e", &["a", "c", "d", "e"]),
            ("'open", &["'open"]),
            ("a /* open", &["a", "/* open"]),
            ("`a``b` `", &["`a``b`", "`"]),
            ("é#", &["é", "#"]),
            ("a||b|/%", &["a", "||", "b", "|", "/", "%"]),
            ("-1", &["-", "1"]),
            ("", &[]),
        ] {
            let mut found = Vec::new();
            let mut token = Token::read(text, 0);
            while token.kind != Kind::End {
                found.push(token.text(text));
                token = Token::read(text, token.end);
            }
            assert_eq!(found, tokens, "{text}");
        }
    }

    #[test]
    fn comments_are_tokens_where_all_are_wanted() {
        let text = "a -- b\n/* c */ 'open";
        let found: Vec<_> = tokens(text).map(|token| (token.kind, token.text(text))).collect();
        assert_eq!(
            found,
            [
                (Kind::Word, "a"),
                (Kind::Comment, "-- b"),
                (Kind::Comment, "/* c */"),
                (Kind::Unended, "'open"),
            ]
        );
    }

    #[test]
    fn doubled_quotes_are_one() {
        for (text, content) in
            [("'it''s'", "it's"), ("\"a\"\"b\"", "a\"b"), ("''", ""), ("''''", "'")]
        {
            assert_eq!(Token::read(text, 0).content(text), content, "{text}");
        }
    }
}
