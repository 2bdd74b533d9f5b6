//! Stored items of samples: one item a line, in DynamoDB's JSON.

use hashrange::{DecodedItem, Item, decode};
use std::fmt;

/// The items of a sample, one after another.
pub type Items = Box<dyn Iterator<Item = Result<Item, BrokenData>> + Send>;

/// The data inside the program cannot be read: the build is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenData {
    /// The faulty line, or the fault of the file.
    pub line: String,
}

impl fmt::Display for BrokenData {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "broken sample data: {:?}", self.line)
    }
}

impl std::error::Error for BrokenData {}

/// Returns the items of a text with one item a line.
pub(crate) fn of_lines(text: &'static str) -> Items {
    Box::new(text.lines().map(of_line))
}

fn of_line(line: &str) -> Result<Item, BrokenData> {
    let broken = || BrokenData { line: line.to_owned() };
    let decoded = decode::<DecodedItem>(line.as_bytes()).map_err(|_| broken())?;
    decoded.value.into_result().map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_item_or_an_error() {
        let cases = [
            (r#"{"a":{"S":"b"}}"#, true),
            (r#"{"a":{"S":"b"}"#, false),
            (r#"{"a":{"X":"b"}}"#, false),
            (r#"{"a":{"N":"one"}}"#, false),
            ("", false),
        ];
        for (line, is_item) in cases {
            assert_eq!(of_line(line).is_ok(), is_item, "{line}");
        }
    }
}
