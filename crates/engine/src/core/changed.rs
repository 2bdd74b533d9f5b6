//! The list of the tables that the last changes of definitions have changed. Servers that share a
//! store use it to read only these tables again.
//!
//! The list is stored beside the number of changes and written by the same commits. A commit that
//! raises the number without writing the list, such as that of an older program or of a copy,
//! leaves the list behind the number: then it is of no use, and the next change starts a new list.
//!
//! Stored form, all numbers little-endian: `since` u64, `newest` u64, and for each table that a
//! change has changed the number of the change u64 and the table's u32, in the order of changes.

use crate::layout;
use crate::schema::TableId;
use bytes::Bytes;
use std::collections::BTreeSet;

/// Maximum of entries in the list.
const ENTRIES_MAX: usize = 256;

/// Size of `since` and `newest` together, bytes.
const HEAD_BYTES: usize = 16;
const ENTRY_BYTES: usize = 12;

/// Tables that the last changes have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    /// Number of the change after which the list begins.
    since: u64,
    /// Number of the last change in the list.
    newest: u64,
    entries: Vec<(u64, TableId)>,
}

impl Changed {
    /// Returns the list as of a change: an empty one if the stored list is of another change, or
    /// unreadable.
    pub(super) fn as_of(number: u64, stored: Option<&[u8]>) -> Self {
        let read = stored.and_then(Self::decode).filter(|changed| changed.newest == number);
        read.unwrap_or(Self { since: number, newest: number, entries: Vec::new() })
    }

    /// Adds the next change, which writes the given keys.
    pub(super) fn add<'k>(&mut self, keys: impl Iterator<Item = &'k [u8]>) {
        self.newest += 1;
        let tables: BTreeSet<TableId> = keys.filter_map(layout::parse_table_record).collect();
        self.entries.extend(tables.into_iter().map(|table| (self.newest, table)));
        let surplus = self.entries.len().saturating_sub(ENTRIES_MAX);
        if let Some((last, _)) = self.entries.drain(..surplus).next_back() {
            self.since = last;
        }
    }

    /// Returns the tables that have changed after a change, or `None` if the list does not reach
    /// back so far.
    pub(super) fn after(&self, number: u64) -> Option<BTreeSet<TableId>> {
        let after = self.entries.iter().filter(|(change, _)| *change > number);
        (self.since <= number && number <= self.newest)
            .then(|| after.map(|(_, table)| *table).collect())
    }

    pub(super) fn encode(&self) -> Bytes {
        let mut stored = Vec::with_capacity(HEAD_BYTES + self.entries.len() * ENTRY_BYTES);
        stored.extend(self.since.to_le_bytes());
        stored.extend(self.newest.to_le_bytes());
        for (change, table) in &self.entries {
            stored.extend(change.to_le_bytes());
            stored.extend(table.0.to_le_bytes());
        }
        Bytes::from(stored)
    }

    fn decode(stored: &[u8]) -> Option<Self> {
        let (since, rest) = stored.split_first_chunk()?;
        let (newest, rest) = rest.split_first_chunk()?;
        let entries = rest.chunks(ENTRY_BYTES).map(|entry| {
            let (change, table) = entry.split_first_chunk()?;
            let table = u32::from_le_bytes(table.try_into().ok()?);
            Some((u64::from_le_bytes(*change), TableId(table)))
        });
        Some(Self {
            since: u64::from_le_bytes(*since),
            newest: u64::from_le_bytes(*newest),
            entries: entries.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables<const N: usize>(ids: [u32; N]) -> BTreeSet<TableId> {
        ids.map(TableId).into()
    }

    fn add(changed: &mut Changed, table: u32) {
        let keys = [layout::table_record(TableId(table)), layout::table_name("a")];
        changed.add(keys.iter().map(|key| &key[..]));
    }

    #[test]
    fn it_tells_what_has_changed_after_a_change() {
        let mut changed = Changed::as_of(7, None);
        for table in [1, 2, 1] {
            add(&mut changed, table);
        }
        changed.add([&b"another key"[..]].into_iter());
        let stored = changed.encode();
        let read = Changed::as_of(11, Some(&stored));
        assert_eq!(read, changed);
        for (number, after) in [
            (6, None),
            (7, Some(tables([1, 2]))),
            (8, Some(tables([1, 2]))),
            (9, Some(tables([1]))),
            (10, Some(tables([]))),
            (11, Some(tables([]))),
            (12, None),
        ] {
            assert_eq!(read.after(number), after, "{number}");
        }
    }

    #[test]
    fn a_list_that_is_not_of_the_last_change_tells_nothing() {
        let mut changed = Changed::as_of(7, None);
        add(&mut changed, 1);
        let stored = changed.encode();
        for other in [0, 7, 9] {
            let begun = Changed::as_of(other, Some(&stored));
            assert_eq!((begun.after(7), begun.entries), ((other == 7).then(|| tables([])), vec![]));
        }
        for length in (0..stored.len()).filter(|length| *length != HEAD_BYTES) {
            let cut = Changed::as_of(8, Some(&stored[..length]));
            assert_eq!(cut.after(7), None, "{length} bytes");
        }
    }

    #[test]
    fn a_long_list_forgets_its_first_changes() {
        let mut changed = Changed::as_of(0, None);
        let all = u32::try_from(ENTRIES_MAX).unwrap();
        for table in 1..=all + 3 {
            add(&mut changed, table);
        }
        assert_eq!(changed.entries.len(), ENTRIES_MAX);
        assert_eq!(changed.after(2), None);
        assert_eq!(changed.after(3).map(|tables| tables.len()), Some(ENTRIES_MAX));
        let newest = Changed::as_of((all + 3).into(), Some(&changed.encode()));
        assert_eq!(newest.after(u64::from(all) + 2), Some(tables([all + 3])));
    }
}
