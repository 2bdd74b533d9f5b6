//! Sources of a part's value: an attribute or a path into one, a value that is generated when the
//! key is first made, and the number of a shard.

use super::encoder::Encoder;
use crate::path::DocumentPath;
use hashrange_model::ValueRef;
use xxhash_rust::xxh3::xxh3_64;

/// Digits of Crockford's base 32. Source: the specification of ULID.
const BASE32: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID_CHARS: usize = 26;
const UUID_CHARS: usize = 36;

/// Source of a part's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// An attribute, or a part of one.
    Path(DocumentPath),
    /// A value that is made with the key, and kept.
    Generated(Generator),
    /// The shard that the value at the path hashes to.
    Shard(DocumentPath),
}

/// Generator of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generator {
    Ulid,
    Uuid7,
    /// The time of the request.
    Now,
}

/// Values that one write may generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// Time of the request, milliseconds since 1970.
    pub now_ms: u64,
    /// Random bits.
    pub random: u128,
}

/// Values for the parts of a key that are generated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generated {
    /// New values; none if only values that are kept count.
    pub draw: Option<Draw>,
    /// Values of an earlier key, each with the name of its part.
    pub kept: Vec<(String, String)>,
}

impl Source {
    /// Returns the attribute of an item that the source reads.
    pub(super) fn attribute(&self) -> Option<&str> {
        match self {
            Self::Path(path) | Self::Shard(path) => Some(&path.attribute),
            Self::Generated(_) => None,
        }
    }

    pub(super) fn generator(&self) -> Option<Generator> {
        match self {
            Self::Generated(generator) => Some(*generator),
            Self::Path(_) | Self::Shard(_) => None,
        }
    }
}

impl Generator {
    /// Returns the characters of an id; none for a time, whose encoder knows them.
    pub(super) fn id_chars(self) -> Option<usize> {
        match self {
            Self::Ulid => Some(ULID_CHARS),
            Self::Uuid7 => Some(UUID_CHARS),
            Self::Now => None,
        }
    }

    /// Returns whether a text of the right length is an id.
    pub(super) fn is_id(self, text: &str) -> bool {
        match self {
            Self::Ulid => text.bytes().all(|byte| BASE32.contains(&byte)),
            Self::Uuid7 => text.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            }),
            Self::Now => false,
        }
    }

    /// Returns a new value; a time is encoded by `encoder`.
    pub(super) fn drawn(self, draw: Draw, encoder: &Encoder) -> String {
        match self {
            Self::Ulid => ulid(draw),
            Self::Uuid7 => uuid7(draw),
            Self::Now => encoder.time(draw.now_ms),
        }
    }
}

impl Draw {
    /// Returns the time, of 48 bits, which last until the year 10889.
    fn time_bits(self) -> u128 {
        u128::from(self.now_ms) & ((1 << 48) - 1)
    }
}

/// Returns a ULID: 48 bits of time and 80 random ones. Source: the specification of ULID.
fn ulid(draw: Draw) -> String {
    let bits = draw.time_bits() << 80 | (draw.random & ((1 << 80) - 1));
    let digit = |nth: usize| {
        let digit = (bits >> (5 * (ULID_CHARS - 1 - nth))) & 31;
        char::from(BASE32[usize::try_from(digit).expect("five bits")])
    };
    (0..ULID_CHARS).map(digit).collect()
}

/// Returns a UUID of version 7: 48 bits of time and 74 random ones. Source: RFC 9562, section 5.7.
fn uuid7(draw: Draw) -> String {
    let random = draw.random;
    let version = 0x7 << 76 | ((random >> 64) & 0xFFF) << 64;
    let variant = 0x2 << 62 | (random & ((1 << 62) - 1));
    let hex = format!("{:032x}", draw.time_bits() << 80 | version | variant);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Returns the shard of a text, number or binary value.
///
/// Stored keys depend on it: the 64 bits of XXH3 of the text, of the number in digits, or of the
/// bytes, divided by the number of shards; the rest is the shard.
pub(super) fn shard_of(value: ValueRef<'_>, shards: u32) -> Option<u32> {
    let hash = match value {
        ValueRef::S(text) => xxh3_64(text.as_bytes()),
        ValueRef::N(number) => xxh3_64(number.to_number().to_string().as_bytes()),
        ValueRef::B(bytes) => xxh3_64(bytes),
        _ => return None,
    };
    u32::try_from(hash % u64::from(shards)).ok()
}

/// Returns the digits of every shard's number.
pub(super) fn shard_digits(shards: u32) -> usize {
    (shards - 1).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_time_first() {
        let draw = Draw { now_ms: 1_469_918_176_385, random: u128::MAX };
        // Source: the example in the specification of ULID has this time.
        assert_eq!(ulid(draw), "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
        assert_eq!(uuid7(draw), "01563df3-6481-7fff-bfff-ffffffffffff");
        let zero = Draw { now_ms: 0, random: 0 };
        assert_eq!(ulid(zero), "0".repeat(26));
        assert_eq!(uuid7(zero), "00000000-0000-7000-8000-000000000000");
        assert!(Generator::Ulid.is_id(&ulid(draw)) && Generator::Uuid7.is_id(&uuid7(draw)));
    }

    #[test]
    fn shards_are_those_of_stored_keys() {
        let shards = ["a", "b", "c", "order-1"].map(|text| shard_of(ValueRef::S(text), 8));
        assert_eq!(shards, [Some(7), Some(7), Some(3), Some(6)]);
        assert_eq!(shard_of(ValueRef::B(b"a"), 8), shards[0]);
        assert_eq!(shard_of(ValueRef::Bool(true), 8), None);
        assert_eq!([1, 2, 10, 11].map(shard_digits), [1, 1, 1, 2]);
    }
}
