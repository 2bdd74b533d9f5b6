//! Client request tokens: the tokens in use, by token and by time of use.
//!
//! | key | value |
//! |---|---|
//! | `04 00` operation, token | form version 1, time of use u64 LE, fingerprint u128 LE |
//! | `04 01` time of use u64 BE, operation, token | empty |
//!
//! Invariant: the two keys of a token are written and removed together, by commits that declare the
//! first; so the order of time holds every token once and nothing else.

use super::SPACE_TOKEN;
use bytes::Bytes;
use hashrange_storage::{Batch, Key, KeyRange};

const BY_TOKEN: u8 = 0;
const BY_TIME: u8 = 1;
const FORM: u8 = 1;

/// Operations with token namespaces of their own; the number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenScope {
    /// TransactWriteItems
    TransactWriteItems = 1,
    /// ExecuteTransaction
    ExecuteTransaction = 2,
}

/// Stored value of a token in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenRecord {
    /// Time at which its request was done, epoch milliseconds.
    pub(crate) used_at_ms: u64,
    /// Fingerprint of the request.
    pub(crate) fingerprint: u128,
}

impl TokenRecord {
    /// Decodes a stored value; `None` if it is damaged.
    pub(crate) fn decode(stored: &[u8]) -> Option<Self> {
        let (&FORM, rest) = stored.split_first()? else { return None };
        let (used_at_ms, rest) = rest.split_first_chunk()?;
        let fingerprint = rest.try_into().ok()?;
        Some(Self {
            used_at_ms: u64::from_le_bytes(*used_at_ms),
            fingerprint: u128::from_le_bytes(fingerprint),
        })
    }

    /// Returns the stored form.
    pub(crate) fn encode(self) -> Bytes {
        let time = self.used_at_ms.to_le_bytes();
        Bytes::from([&[FORM][..], &time, &self.fingerprint.to_le_bytes()].concat())
    }
}

/// Returns the key of a token.
pub(crate) fn token(scope: TokenScope, token: &str) -> Key {
    [&[SPACE_TOKEN, BY_TOKEN, scope as u8][..], token.as_bytes()].concat()
}

/// Returns the range of all tokens.
pub(crate) fn tokens() -> KeyRange {
    KeyRange::prefix(&[SPACE_TOKEN, BY_TOKEN])
}

/// Returns the range of all tokens in the order of time.
pub(crate) fn tokens_by_time() -> KeyRange {
    KeyRange::prefix(&[SPACE_TOKEN, BY_TIME])
}

/// Returns the range of the tokens that were used from a time up to before another, oldest first.
pub(crate) fn tokens_used_between(start_ms: u64, end_ms: u64) -> KeyRange {
    KeyRange { start: time_key(start_ms), end: Some(time_key(end_ms)) }
}

/// Returns the key, in the order of time, of a token that was used at a time.
pub(crate) fn token_time(time_ms: u64, token_key: &[u8]) -> Key {
    let mut key = time_key(time_ms);
    key.extend_from_slice(token_key.get(2..).expect("a token key begins with its space"));
    key
}

/// Returns the time of use and the token's own key from a key in the order of time.
pub(crate) fn parse_token_time(key: &[u8]) -> Option<(u64, Key)> {
    let (time, token) = key.get(2..)?.split_first_chunk()?;
    Some((u64::from_be_bytes(*time), [&[SPACE_TOKEN, BY_TOKEN][..], token].concat()))
}

/// Puts a token, and removes the time of its earlier use.
pub(crate) fn put_token(
    token_key: &Key,
    old: Option<TokenRecord>,
    new: TokenRecord,
    batch: &mut Batch,
) {
    if let Some(old) = old {
        batch.delete(token_time(old.used_at_ms, token_key));
    }
    batch.put(token_key.clone(), new.encode());
    batch.put(token_time(new.used_at_ms, token_key), Bytes::new());
}

fn time_key(time_ms: u64) -> Key {
    [&[SPACE_TOKEN, BY_TIME][..], &time_ms.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_records_read_back() {
        let key = token(TokenScope::TransactWriteItems, "t\u{e9}");
        let timed = token_time(7, &key);
        assert_eq!(parse_token_time(&timed), Some((7, key)));
        let is_before = |time_ms| {
            let range = tokens_used_between(0, time_ms);
            range.start <= timed && range.end.is_some_and(|end| timed < end)
        };
        assert!(is_before(8) && !is_before(7));
        assert!(
            tokens_used_between(7, 9).start <= timed && tokens_used_between(8, 9).start > timed
        );
        let record = TokenRecord { used_at_ms: 7, fingerprint: 1 << 100 };
        assert_eq!(TokenRecord::decode(&record.encode()), Some(record));
        assert_eq!(TokenRecord::decode(&record.encode()[1..]), None);
        assert_eq!(TokenRecord::decode(&[]), None);
    }
}
