//! Keys of the change log.
//!
//! | key | value |
//! |---|---|
//! | `01 06` table name, `00`, label | a stream (JSON) |
//! | `20` table id, stream id (u32), shard number (u32), commit stamp (u64) | a record of the log |
//!
//! A stream's key consists of two parts of its ARN, so the stream is found even when its table is
//! gone.

use super::{META_STREAM, SPACE_CHANGE, SPACE_META};
use crate::schema::{StreamId, TableId};
use hashrange_storage::{Key, KeyRange};

const SHARD_PREFIX_BYTES: usize = 13;

/// Returns the key of a stream.
pub(crate) fn stream(table_name: &str, label: &str) -> Key {
    [&[SPACE_META, META_STREAM][..], table_name.as_bytes(), &[0], label.as_bytes()].concat()
}

/// Returns the range of all streams, ordered by table name.
pub(crate) fn streams() -> KeyRange {
    KeyRange::prefix(&[SPACE_META, META_STREAM])
}

/// Returns the range of the streams of all tables that have or had a name.
pub(crate) fn streams_of(table_name: &str) -> KeyRange {
    KeyRange::prefix(&stream(table_name, ""))
}

/// Returns the common key prefix of a shard's records; the commit stamp follows.
pub(crate) fn shard_prefix(table: TableId, stream: StreamId, shard: u32) -> Key {
    let mut key = Key::with_capacity(SHARD_PREFIX_BYTES);
    key.push(SPACE_CHANGE);
    for number in [table.0, stream.0, shard] {
        key.extend_from_slice(&number.to_be_bytes());
    }
    key
}

/// Returns the key of the record with a commit stamp.
pub(crate) fn change(table: TableId, stream: StreamId, shard: u32, stamp: u64) -> Key {
    [&shard_prefix(table, stream, shard)[..], &stamp.to_be_bytes()].concat()
}

/// Returns the range of all records of all streams.
pub(crate) fn changes() -> KeyRange {
    KeyRange::prefix(&[SPACE_CHANGE])
}

/// Returns the commit stamp of a record's key.
pub(crate) fn stamp_of_change(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(SHARD_PREFIX_BYTES..)?.try_into().ok()?))
}

/// Returns the prefix of a record's key, and its commit stamp.
pub(crate) fn parse_record(key: &[u8]) -> Option<(&[u8], u64)> {
    key.first().filter(|space| **space == SPACE_CHANGE)?;
    let (prefix, stamp) = key.split_at_checked(SHARD_PREFIX_BYTES)?;
    Some((prefix, u64::from_be_bytes(stamp.try_into().ok()?)))
}

/// Returns table, stream and shard of a record's key.
pub(crate) fn parse_change(key: &[u8]) -> Option<(TableId, StreamId, u32)> {
    let numbers = key.get(1..SHARD_PREFIX_BYTES)?;
    let number =
        |nth: usize| Some(u32::from_be_bytes(numbers.get(nth * 4..nth * 4 + 4)?.try_into().ok()?));
    Some((TableId(number(0)?), StreamId(number(1)?), number(2)?))
}
