//! Keys of the expiry index.
//!
//! | key | value |
//! |---|---|
//! | `01 07` table id | progress of filling a new expiry index: the last item key |
//! | `21` table id, second (u64), item key without its first 7 bytes | empty |
//!
//! The table stands before the second, so that a range holds all entries of a table.

use super::{HASH_BYTES, ItemKey, META_EXPIRY, SPACE_EXPIRY, SPACE_META, item_prefix};
use crate::schema::{IndexId, Table, TableId};
use hashrange_storage::{Key, KeyRange};

const SECOND_OFFSET: usize = 5;
const ITEM_OFFSET: usize = 13;

/// Returns the key of the progress of filling a table's expiry index.
pub(crate) fn expiry_progress(table: TableId) -> Key {
    [&[SPACE_META, META_EXPIRY][..], &table.0.to_be_bytes()].concat()
}

/// Returns the key of the entry of an item that expires at an epoch second.
pub(crate) fn expiry(table: TableId, second: u64, item: &ItemKey) -> Key {
    let mut key = from_second(table, second);
    key.extend_from_slice(item.after_prefix());
    key
}

/// Returns the range of the entries of a table.
pub(crate) fn expiries(table: TableId) -> KeyRange {
    KeyRange::prefix(&[&[SPACE_EXPIRY][..], &table.0.to_be_bytes()].concat())
}

/// Returns the range of the entries of all tables.
pub(crate) fn every_expiry() -> KeyRange {
    KeyRange::prefix(&[SPACE_EXPIRY])
}

/// Returns the range of the entries of a table from one second up to before another.
pub(crate) fn expiries_between(table: TableId, start: u64, end: u64) -> KeyRange {
    KeyRange { start: from_second(table, start), end: Some(from_second(table, end)) }
}

fn from_second(table: TableId, second: u64) -> Key {
    [&[SPACE_EXPIRY][..], &table.0.to_be_bytes(), &second.to_be_bytes()].concat()
}

/// Returns the table of an entry's key.
pub(crate) fn parse_expiry_table(key: &[u8]) -> Option<TableId> {
    let id = key.get(1..SECOND_OFFSET)?.try_into().ok()?;
    Some(TableId(u32::from_be_bytes(id)))
}

/// Returns the second of an entry's key.
pub(crate) fn parse_expiry_second(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(SECOND_OFFSET..ITEM_OFFSET)?.try_into().ok()?))
}

/// Returns the key of the item to which an entry of `table` belongs.
pub(crate) fn parse_expiry(table: &Table, key: &[u8]) -> Option<ItemKey> {
    let item = key.get(ITEM_OFFSET..)?;
    let mut partition_length = HASH_BYTES;
    for _ in &table.key.partition {
        let length = item.get(partition_length..partition_length + 2)?.try_into().ok()?;
        partition_length += 2 + usize::from(u16::from_be_bytes(length));
    }
    if item.len() < partition_length {
        return None;
    }
    let bytes = [&item_prefix(table.id(), IndexId::BASE)[..], item].concat();
    Some(ItemKey { bytes, partition_length })
}
