//! The words of a statement, as far as a shell needs them: to find its end, to colour it, to
//! complete it, to find its table. The database decides what a statement means.
//!
//! Every text has tokens: a quote or comment that is not closed reaches to the end, an unknown
//! character is a symbol. White space lies between tokens.

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

const SYMBOLS: [&str; 7] = ["<=", ">=", "<>", "!=", "<<", ">>", "||"];

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
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = &text[offset..];
        offset += rest.len() - rest.trim_start().len();
        let token = first(text, offset)?;
        offset = token.end();
        Some(token)
    })
}

/// Returns the tokens that mean something: all but comments.
pub fn meaningful(text: &str) -> Vec<Token<'_>> {
    tokens(text).filter(|token| token.kind != Kind::Comment).collect()
}

fn first(text: &str, offset: usize) -> Option<Token<'_>> {
    let rest = &text[offset..];
    let character = rest.chars().next()?;
    let (kind, length, is_closed) = match character {
        '\'' => quoted(rest, '\'', Kind::Text),
        '"' | '`' => quoted(rest, character, Kind::Name),
        '-' if rest.starts_with("--") => (Kind::Comment, until(rest, "\n", 0).0, true),
        '/' if rest.starts_with("/*") => {
            let (length, is_closed) = until(rest, "*/", 2);
            (Kind::Comment, length, is_closed)
        }
        '0'..='9' => (Kind::Number, number(rest), true),
        _ if is_word(character) => (Kind::Word, run(rest, is_word), true),
        _ => {
            let double = SYMBOLS.iter().any(|symbol| rest.starts_with(symbol));
            (Kind::Symbol, if double { 2 } else { character.len_utf8() }, true)
        }
    };
    Some(Token { kind, text: &rest[..length], offset, is_closed })
}

/// Returns the length of a quoted text or name; two quotes inside stand for one.
fn quoted(rest: &str, quote: char, kind: Kind) -> (Kind, usize, bool) {
    let mut length = 1;
    loop {
        let Some(next) = rest[length..].find(quote) else { return (kind, rest.len(), false) };
        length += next + 1;
        if !rest[length..].starts_with(quote) {
            return (kind, length, true);
        }
        length += 1;
    }
}

/// Returns the length up to and with `end`, which is searched from `from` on; a line's end is not
/// part of it.
fn until(rest: &str, end: &str, from: usize) -> (usize, bool) {
    match rest[from..].find(end) {
        Some(found) if end == "\n" => (from + found, true),
        Some(found) => (from + found + end.len(), true),
        None => (rest.len(), false),
    }
}

fn run(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|character| !belongs(character)).unwrap_or(rest.len())
}

fn number(rest: &str) -> usize {
    let mut before = '0';
    let behind = rest.find(|character| {
        let is_sign = matches!(character, '+' | '-') && matches!(before, 'e' | 'E');
        before = character;
        !(is_sign || character == '.' || is_word(character))
    });
    behind.unwrap_or(rest.len())
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
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
            ("größe=é", "Word größe|Symbol =|Word é"),
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
