//! Cuts the text of an expression into tokens, one at a time and without copying.
//!
//! Whitespace separates tokens and is dropped. Any character that begins no token is a token of
//! its own, [`TokenKind::Unknown`], which no grammar accepts; so this stage cannot fail.

/// The comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    /// Returns the operator as the messages print it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    End,
    /// A name, a keyword or a function.
    Word,
    /// `#name`
    Alias,
    /// `:value`
    Placeholder,
    Digits,
    Compare(Comparator),
    Open,
    Close,
    OpenIndex,
    CloseIndex,
    Comma,
    Dot,
    Plus,
    Minus,
    Unknown,
}

/// A token and its position in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// Reads the token that begins at or after `from`.
    pub(crate) fn read(text: &str, from: usize) -> Self {
        let bytes = text.as_bytes();
        let blank = bytes[from..].iter().take_while(|byte| is_blank(**byte)).count();
        let start = from + blank;
        let Some(first) = bytes.get(start) else {
            return Self { kind: TokenKind::End, start, end: start };
        };
        let rest = &bytes[start + 1..];
        let (kind, length) = match first {
            // Source: captured, and the developer guide, "Expression attribute names": a name
            // begins with a letter.
            b'a'..=b'z' | b'A'..=b'Z' => (TokenKind::Word, 1 + word_length(rest)),
            b'#' => placeholder(TokenKind::Alias, rest),
            b':' => placeholder(TokenKind::Placeholder, rest),
            // A number ends after a leading zero. Source: an answer of the service, quoted in a
            // public
            b'0' => (TokenKind::Digits, 1),
            b'1'..=b'9' => {
                let more = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                (TokenKind::Digits, 1 + more)
            }
            b'<' | b'>' | b'=' => comparator(*first, rest.first().copied()),
            b'(' => (TokenKind::Open, 1),
            b')' => (TokenKind::Close, 1),
            b'[' => (TokenKind::OpenIndex, 1),
            b']' => (TokenKind::CloseIndex, 1),
            b',' => (TokenKind::Comma, 1),
            b'.' => (TokenKind::Dot, 1),
            b'+' => (TokenKind::Plus, 1),
            b'-' => (TokenKind::Minus, 1),
            _ => (TokenKind::Unknown, text[start..].chars().next().map_or(1, char::len_utf8)),
        };
        Self { kind, start, end: start + length }
    }

    /// Reads the token of a pattern that begins at or after `from`: `?` and `'type'` are values, a name in
    /// backquotes an alias, and a name may begin with an underscore.
    pub(crate) fn read_of_pattern(text: &str, from: usize) -> Self {
        let token = Self::read(text, from);
        let rest = &text[token.start..];
        let (kind, length) = match rest.as_bytes() {
            [b'?', ..] => (TokenKind::Placeholder, 1),
            [b'_', more @ ..] => (TokenKind::Word, 1 + word_length(more)),
            [b'`', ..] => (TokenKind::Alias, enclosed_length(rest, '`')),
            [b'\'', ..] => (TokenKind::Placeholder, enclosed_length(rest, '\'')),
            _ => return token,
        };
        Self { kind, start: token.start, end: token.start + length }
    }

    /// Returns the token's text.
    pub(crate) fn text(self, whole: &str) -> &str {
        &whole[self.start..self.end]
    }
}

/// Returns the length of a quoted text, up to its closing quote; a doubled quote stands for itself.
fn enclosed_length(text: &str, quote: char) -> usize {
    let mut rest = 1;
    while let Some(at) = text[rest..].find(quote) {
        rest += at + 1;
        if !text[rest..].starts_with(quote) {
            return rest;
        }
        rest += 1;
    }
    text.len()
}

/// Returns whether a byte separates tokens. Source: Amazon DynamoDB developer guide, expressions:
/// space, tab, CR and LF do.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

fn placeholder(kind: TokenKind, rest: &[u8]) -> (TokenKind, usize) {
    match word_length(rest) {
        0 => (TokenKind::Unknown, 1),
        length => (kind, 1 + length),
    }
}

fn comparator(first: u8, second: Option<u8>) -> (TokenKind, usize) {
    let (comparator, length) = match (first, second) {
        (b'<', Some(b'>')) => (Comparator::NotEqual, 2),
        (b'<', Some(b'=')) => (Comparator::LessOrEqual, 2),
        (b'>', Some(b'=')) => (Comparator::GreaterOrEqual, 2),
        (b'<', _) => (Comparator::Less, 1),
        (b'>', _) => (Comparator::Greater, 1),
        _ => (Comparator::Equal, 1),
    };
    (TokenKind::Compare(comparator), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_as_the_grammar_says() {
        for (text, tokens) in [
            ("a=:v", &["a", "=", ":v"][..]),
            (" a\t<>\r\n#b_1 ", &["a", "<>", "#b_1"]),
            ("a<=b>=c<d>e", &["a", "<=", "b", ">=", "c", "<", "d", ">", "e"]),
            ("l[10].x", &["l", "[", "10", "]", ".", "x"]),
            ("# :", &["#", ":"]),
            ("1a!é", &["1", "a", "!", "é"]),
            ("#a-03-30 100 00", &["#a", "-", "0", "3", "-", "30", "100", "0", "0"]),
            ("_a1 a_1 #_a :_1", &["_", "a1", "a_1", "#_a", ":_1"]),
            ("", &[]),
        ] {
            let mut found = Vec::new();
            let mut token = Token::read(text, 0);
            while token.kind != TokenKind::End {
                found.push(token.text(text));
                token = Token::read(text, token.end);
            }
            assert_eq!(found, tokens, "{text}");
        }
    }
}
