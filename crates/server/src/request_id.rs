//! Request ids: 52 characters of `[0-9A-V]`, unique in a process and, by chance of 2^-125, across
//! processes.
//!
//! The first half is a permutation of a counter, the second half names the process; neither is
//! secret. No system call and no lock per id.

use hyper::header::HeaderValue;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Characters of an id. Source: ids that DynamoDB returns.
pub const LENGTH: usize = 52;
const HALF: usize = LENGTH / 2;
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Source of ids.
#[derive(Debug)]
pub struct RequestIds {
    counter: AtomicU64,
    seed: u64,
    process: [u8; HALF],
}

impl RequestIds {
    /// Returns a source of ids with a random start.
    #[expect(
        clippy::disallowed_methods,
        reason = "ids only have to differ between processes: the random keys of std's hasher do, \
                  without a dependency for randomness"
    )]
    pub fn new() -> Self {
        let random = || RandomState::new().hash_one(0_u8);
        let mut process = [0; HALF];
        write_half(&mut process, random(), random());
        Self { counter: AtomicU64::new(0), seed: random(), process }
    }

    /// Returns the next id.
    pub fn next(&self) -> RequestId {
        let nth = self.counter.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; LENGTH];
        let (own, process) = id.split_at_mut(HALF);
        let mixed = mix(self.seed.wrapping_add(nth.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        write_half(own, mixed, mix(mixed ^ self.seed));
        process.copy_from_slice(&self.process);
        RequestId(id)
    }
}

/// One id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId([u8; LENGTH]);

impl RequestId {
    /// Returns the id as the value of a header.
    pub fn header_value(self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).expect("capital letters and digits are a header value")
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("capital letters and digits are text")
    }
}

/// Writes 26 characters from 128 bits.
fn write_half(out: &mut [u8], high: u64, low: u64) {
    let mut bits = (u128::from(high) << 64) | u128::from(low);
    for character in out {
        *character = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
}

/// Scrambles a number, one to one (the finaliser of SplitMix64).
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_52_capitals_and_digits_and_differ() {
        let ids = RequestIds::new();
        let mut seen = BTreeSet::new();
        for _ in 0..10_000 {
            let id = ids.next();
            assert!(id.as_str().bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()));
            assert_eq!(id.as_str().len(), 52);
            assert!(seen.insert(id.as_str().to_owned()));
        }
    }

    #[test]
    fn two_sources_do_not_meet() {
        let (one, two) = (RequestIds::new(), RequestIds::new());
        assert_ne!(one.next().as_str()[HALF..], two.next().as_str()[HALF..]);
    }
}
