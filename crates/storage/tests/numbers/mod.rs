//! Numbers as text in a store, which tests add to: what was done twice or never shows.

#![allow(dead_code, clippy::allow_attributes, reason = "each test program uses a part of it")]

use hashrange_storage::{Bytes, Error, PostgresStore, Store, block_on};

/// Returns a stored number; 0 where there is none.
pub fn number(value: Option<&Bytes>) -> u64 {
    value.map_or(0, |value| std::str::from_utf8(value).unwrap().parse().unwrap())
}

/// Returns what is stored for a number.
pub fn text(number: u64) -> Bytes {
    Bytes::from(number.to_string())
}

/// Adds one to the number at `key`, and returns what it was.
pub fn increment(store: &PostgresStore, key: &str) -> Result<u64, Error> {
    block_on(store.commit(vec![key.into()], |values, batch| {
        let before = number(values[0].as_ref());
        batch.put(key.into(), text(before + 1));
        before
    }))
}
