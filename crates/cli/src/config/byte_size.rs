//! Numbers of bytes as people write them: `512MiB`, `2GB`, `1048576`.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "TextOrNumber")]
pub struct ByteSize(pub u64);

/// A size is text with a unit or a plain number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a number of bytes or a text such as \"512MiB\"")]
enum TextOrNumber {
    Number(u64),
    Text(String),
}

impl TryFrom<TextOrNumber> for ByteSize {
    type Error = BadSize;

    fn try_from(given: TextOrNumber) -> Result<Self, BadSize> {
        match given {
            TextOrNumber::Number(bytes) => Ok(Self(bytes)),
            TextOrNumber::Text(text) => text.parse(),
        }
    }
}

/// A text is no number of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSize(String);

impl fmt::Display for BadSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is no size; write for example 512MiB, 2GB or 1048576", self.0)
    }
}

impl std::error::Error for BadSize {}

impl FromStr for ByteSize {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let bad = || BadSize(text.to_owned());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let factor: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "kb" => 1000,
            "mb" => 1000 * 1000,
            "gb" => 1000 * 1000 * 1000,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            _ => return Err(bad()),
        };
        let number: u64 = number.parse().map_err(|_| bad())?;
        number.checked_mul(factor).map(Self).ok_or_else(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let cases = [
            ("0", Some(0)),
            ("1048576", Some(1_048_576)),
            ("64MiB", Some(64 << 20)),
            ("64 mib", Some(64 << 20)),
            ("2GB", Some(2_000_000_000)),
            ("3k", Some(3072)),
            ("99999999999999999999", None),
            ("18446744073709551615GiB", None),
            ("", None),
            ("MiB", None),
            ("1.5GiB", None),
            ("-1", None),
            ("1TiBx", None),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<ByteSize>().ok().map(|size| size.0), expected, "{text}");
        }
    }
}
