//! Place of a reader in a stream, as a value and as a text that can be stored.
//!
//! The text is the stream's ARN and, after a space each, `SHARD=PLACE`: `after:NUMBER` of a record,
//! `since:MS` (epoch milliseconds) for a shard begun there of which nothing was read, or `end`.

use crate::Error;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Place of a reader in a stream. Prints as a text from which it is parsed; an empty position,
/// before the first record, is the empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamPosition {
    stream_arn: Option<String>,
    shards: BTreeMap<String, Place>,
}

/// Place of a reader in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// After the record with this sequence number.
    After(String),
    /// Before the first record of this time, in epoch milliseconds, to the second.
    Since(u64),
    /// After its last record.
    End,
}

impl StreamPosition {
    /// Returns the stream's ARN, if anything was read.
    pub fn stream_arn(&self) -> Option<&str> {
        self.stream_arn.as_deref()
    }

    pub(super) fn set(&mut self, shard: String, place: Place) {
        self.shards.insert(shard, place);
    }

    /// Sets the stream that this position is of.
    pub(super) fn set_stream(&mut self, arn: &str) {
        if self.stream_arn.as_deref() != Some(arn) {
            self.stream_arn = Some(arn.to_owned());
        }
    }

    /// Forgets the shards that `is_known` does not know.
    pub(super) fn retain(&mut self, is_known: impl Fn(&str) -> bool) {
        self.shards.retain(|shard, _| is_known(shard));
    }

    pub(super) fn into_places(self) -> BTreeMap<String, Place> {
        self.shards
    }
}

impl fmt::Display for StreamPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.stream_arn.as_deref().unwrap_or_default())?;
        for (shard, place) in &self.shards {
            write!(formatter, " {shard}={place}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(number) => write!(formatter, "after:{number}"),
            Self::Since(ms) => write!(formatter, "since:{ms}"),
            Self::End => formatter.write_str("end"),
        }
    }
}

impl FromStr for StreamPosition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let mut words = text.split(' ');
        let stream_arn = words.next().filter(|arn| arn.starts_with("arn:")).map(str::to_owned);
        let shards: Option<BTreeMap<_, _>> = words.map(shard_place).collect();
        match (stream_arn, shards) {
            (Some(arn), Some(shards)) => Ok(Self { stream_arn: Some(arn), shards }),
            _ => Err(Error::Position(text.to_owned())),
        }
    }
}

fn shard_place(word: &str) -> Option<(String, Place)> {
    let (shard, place) = word.split_once('=')?;
    let place = match place.split_once(':') {
        None if place == "end" => Place::End,
        Some(("after", number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
            Place::After(number.to_owned())
        }
        Some(("since", ms)) => Place::Since(ms.parse().ok()?),
        _ => return None,
    };
    (!shard.is_empty()).then(|| (shard.to_owned(), place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_back_from_their_text() {
        for text in ["", "arn:x", "arn:x a=after:100 b=end c=since:1700000000000"] {
            assert_eq!(text.parse::<StreamPosition>().unwrap().to_string(), text);
        }
        for text in [
            "x",
            " ",
            "arn:x ",
            "arn:x a",
            "arn:x =end",
            "arn:x a=b",
            "arn:x a=after:b",
            "arn:x a=since:-1",
        ] {
            let error = text.parse::<StreamPosition>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is no position in a stream"));
        }
    }
}
