//! Shard iterators, which clients hold: a position in a shard, so that the server keeps no state
//! for them.
//!
//! The text is `ARN|1|HEX`, where HEX is shard number (u32), commit stamp (u64), time of issue
//! (u64, epoch milliseconds), all big-endian, and a checksum (u64) of these with the stream's
//! secret, which detects a damaged iterator.

use super::stream::Stream;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

const VERSION: &str = "1";
const PAYLOAD_BYTES: usize = 20;

/// A position in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardIterator {
    pub(crate) shard: u32,
    /// Commit stamp of the first record to read.
    pub(crate) from: u64,
    pub(crate) issued_at_ms: u64,
}

impl ShardIterator {
    /// Returns the text for a client.
    pub(crate) fn encode(&self, arn: &str, stream: &Stream) -> String {
        let payload = self.payload();
        let mut text = format!("{arn}|{VERSION}|");
        for byte in payload.iter().chain(&checksum(&payload, stream).to_be_bytes()) {
            write!(text, "{byte:02x}").expect("text can be written to a string");
        }
        text
    }

    /// Returns the ARN and the rest of an iterator's text.
    pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
        let (arn, rest) = text.split_once('|')?;
        Some((arn, rest.strip_prefix(VERSION)?.strip_prefix('|')?))
    }

    /// Returns the position that the rest of an iterator's text names, or `None` if the checksum is
    /// wrong.
    pub(crate) fn decode(rest: &str, stream: &Stream) -> Option<Self> {
        let bytes = from_hex(rest)?;
        let (payload, check) = bytes.split_at_checked(PAYLOAD_BYTES)?;
        if check != checksum(payload, stream).to_be_bytes() {
            return None;
        }
        let (shard, times) = payload.split_first_chunk()?;
        let (from, issued_at_ms) = times.split_first_chunk()?;
        Some(Self {
            shard: u32::from_be_bytes(*shard),
            from: u64::from_be_bytes(*from),
            issued_at_ms: u64::from_be_bytes(issued_at_ms.try_into().ok()?),
        })
    }

    fn payload(&self) -> Vec<u8> {
        [&self.shard.to_be_bytes()[..], &self.from.to_be_bytes(), &self.issued_at_ms.to_be_bytes()]
            .concat()
    }
}

fn checksum(payload: &[u8], stream: &Stream) -> u64 {
    xxh3_64(&[stream.secret.as_bytes(), payload].concat())
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let is_hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    if !digits.len().is_multiple_of(2) || !digits.iter().all(is_hex) {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{KeyNames, StreamId, StreamView, TableId};

    fn stream(secret: &str) -> Stream {
        Stream {
            version: Stream::VERSION,
            table: TableId(1),
            id: StreamId(1),
            table_name: "music".to_owned(),
            label: "label".to_owned(),
            view: StreamView::KeysOnly,
            key: KeyNames { partition: vec!["pk".to_owned()], sort: Vec::new() },
            created_at_ms: 0,
            enabled: true,
            secret: secret.to_owned(),
            shards: Vec::new(),
        }
    }

    #[test]
    fn iterators_round_trip_and_any_damage_is_known() {
        let iterator = ShardIterator { shard: 3, from: 1 << 40, issued_at_ms: 1_767_225_600_000 };
        let text = iterator.encode("arn", &stream("secret"));
        let (arn, rest) = ShardIterator::split(&text).unwrap();
        assert_eq!(arn, "arn");
        assert_eq!(ShardIterator::decode(rest, &stream("secret")), Some(iterator));
        assert_eq!(ShardIterator::decode(rest, &stream("other")), None);
        for nth in 0..rest.len() {
            for other in ["0", "f", "x", "", "é"] {
                let damaged = format!("{}{other}{}", &rest[..nth], &rest[nth + 1..]);
                if damaged != rest {
                    assert_eq!(ShardIterator::decode(&damaged, &stream("secret")), None);
                }
            }
        }
    }

    #[test]
    fn text_of_another_form_is_no_iterator() {
        for text in ["", "|", "arn", "arn|", "arn|1", "arn|2|00", "arn|12|00"] {
            assert_eq!(ShardIterator::split(text), None, "{text}");
        }
    }
}
