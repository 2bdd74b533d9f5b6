//! Rows with the former values of attributes that a rewriting by a key template has changed:
//! `25` table id, number of the rewriting, item key.

use super::SPACE_UNDO;
use crate::schema::TableId;
use hashrange_storage::{Key, KeyRange};

/// Bytes before the item key.
const PREFIX_BYTES: usize = 9;

/// Returns the key of an item's row.
pub(crate) fn undo(table: TableId, rewriting: u32, item: &[u8]) -> Key {
    [&prefix(table, rewriting)[..], item].concat()
}

/// Returns the range of the rows of a rewriting.
pub(crate) fn undos(table: TableId, rewriting: u32) -> KeyRange {
    KeyRange::prefix(&prefix(table, rewriting))
}

/// Returns the range of the rows of a table.
pub(crate) fn undos_of(table: TableId) -> KeyRange {
    KeyRange::prefix(&[&[SPACE_UNDO][..], &table.0.to_be_bytes()].concat())
}

/// Returns the item key in the key of a row.
pub(crate) fn item_of_undo(key: &[u8]) -> Option<&[u8]> {
    key.get(PREFIX_BYTES..)
}

fn prefix(table: TableId, rewriting: u32) -> Key {
    [&[SPACE_UNDO][..], &table.0.to_be_bytes(), &rewriting.to_be_bytes()].concat()
}
