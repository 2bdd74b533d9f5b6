//! The character that separates the cells of a row.

use std::fmt;
use std::str::FromStr;

/// The character that separates the cells of a row; a comma by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(u8);

/// The delimiters, each with the word for it. Source: `CsvOptions` of `ImportTable` in DynamoDB's reference.
const KNOWN: [(u8, &str); 6] = [
    (b',', "comma"),
    (b';', "semicolon"),
    (b'\t', "tab"),
    (b'|', "pipe"),
    (b':', "colon"),
    (b' ', "space"),
];

/// A text is no delimiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadDelimiter(String);

impl fmt::Display for BadDelimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is none of , ; | : tab space", self.0)
    }
}

impl std::error::Error for BadDelimiter {}

impl Default for Delimiter {
    fn default() -> Self {
        Self(b',')
    }
}

impl FromStr for Delimiter {
    type Err = BadDelimiter;

    fn from_str(text: &str) -> Result<Self, BadDelimiter> {
        let is = |(byte, word): &(u8, &str)| {
            text.as_bytes() == [*byte] || text == *word || (*byte == b'\t' && text == "\\t")
        };
        let known = KNOWN.iter().find(|known| is(known));
        known.map(|(byte, _)| Self(*byte)).ok_or_else(|| BadDelimiter(text.to_owned()))
    }
}

impl fmt::Display for Delimiter {
    /// Writes the delimiter as a shell takes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => formatter.write_str("tab"),
            b' ' => formatter.write_str("space"),
            byte => write!(formatter, "'{}'", char::from(byte)),
        }
    }
}

impl Delimiter {
    /// Returns all delimiters.
    pub fn all() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|(byte, _)| Self(*byte))
    }

    /// Returns its byte.
    pub fn byte(self) -> u8 {
        self.0
    }

    /// Returns it as a character.
    pub fn character(self) -> char {
        char::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_a_character_or_its_name() {
        for (text, byte) in [
            (",", b','),
            (";", b';'),
            ("\t", b'\t'),
            ("tab", b'\t'),
            ("\\t", b'\t'),
            ("space", b' '),
        ] {
            assert_eq!(text.parse().map(Delimiter::byte), Ok(byte), "{text}");
        }
        for text in ["", "x", ",,", "Tab"] {
            assert_eq!(text.parse::<Delimiter>(), Err(BadDelimiter(text.to_owned())));
        }
        let shown: Vec<_> = Delimiter::all().map(|one| one.to_string()).collect();
        assert_eq!(shown, ["','", "';'", "tab", "'|'", "':'", "space"]);
    }
}
