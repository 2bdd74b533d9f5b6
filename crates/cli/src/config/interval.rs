//! Lengths of time as people write them: `500ms`, `1s`, `5m`; never zero.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time between two runs of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Interval(pub Duration);

/// A text is no length of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInterval(String);

impl fmt::Display for BadInterval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is no interval; write for example 500ms, 1s or 5m", self.0)
    }
}

impl std::error::Error for BadInterval {}

impl TryFrom<String> for Interval {
    type Error = BadInterval;

    fn try_from(text: String) -> Result<Self, BadInterval> {
        text.parse()
    }
}

impl FromStr for Interval {
    type Err = BadInterval;

    fn from_str(text: &str) -> Result<Self, BadInterval> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let unit_ms = match unit {
            "ms" => Some(1),
            "s" => Some(1000),
            "m" => Some(60 * 1000),
            "h" => Some(60 * 60 * 1000),
            _ => None,
        };
        let ms = number.parse().ok().zip(unit_ms).and_then(|(n, ms): (u64, _)| n.checked_mul(ms));
        let interval = ms.filter(|&ms| ms > 0).map(Duration::from_millis);
        interval.map(Self).ok_or_else(|| BadInterval(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_units_and_are_not_zero() {
        let cases = [
            ("500ms", Some(500)),
            ("1s", Some(1000)),
            ("5m", Some(300_000)),
            ("2h", Some(7_200_000)),
            ("0s", None),
            ("1", None),
            ("s", None),
            ("", None),
            ("-1s", None),
            ("1.5s", None),
            ("99999999999999999999s", None),
            ("18446744073709551615h", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|ms| Interval(Duration::from_millis(ms)));
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
    }
}
