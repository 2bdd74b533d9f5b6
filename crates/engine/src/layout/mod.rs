//! Keys and values of the store for tables, indexes and items. `docs/format.md` documents the
//! bytes.
//!
//! | key | value |
//! |---|---|
//! | `01 01` table id | table record (JSON) |
//! | `01 02` | the next table id, u32 LE |
//! | `01 03` table id, index id | empty: a purge that is due; index 0 means the whole table |
//! | `01 04` table name | table id, u32 LE |
//! | `01 05` table id, index id | progress of a backfill of an older release |
//! | `01 06`, `20` ... | streams and the change log, see `change.rs` |
//! | `01 07`, `21` ... | the expiry index, see `expiry.rs` |
//! | `01 08` | number of the last change of definitions, u64 LE (shared stores) |
//! | `01 09` table id, index id | progress of filling an index, see `crate::filling` |
//! | `01 0a` server id | a server that shares the store, see `jobs/servers.rs` |
//! | `01 0b` | this database is a copy, finished or not, see `crate::copying` |
//! | `01 0c` | a copy of this database while it is served, or its move; see `crate::core::noting` |
//! | `01 0d` table id | progress of rewriting the items of a table, see `crate::jobs` |
//! | `01 0e`, `22`, `23`, `24` ... | the history of tables, see `history.rs` |
//! | `02` table id, index id, `00` / `01` | counter: entries / bytes |
//! | `03` table id, hash, partition key | bytes of an item collection, i64 LE (tables with local indexes) |
//! | `04 00` operation, token | a client request token in use, see [`token`] |
//! | `04 01` time (u64 BE), operation, token | empty: the token was used at that time |
//! | `05` generation (u64 BE), key | empty: the key was written while the database was being copied |
//! | `25` table id, rewriting, item key | value of a derived attribute before and after a rewriting, see `undo.rs` |
//! | `10` table id, index id, hash, partition key, sort key [, base primary key] | item |

#![deny(clippy::indexing_slicing)]

mod change;
mod component;
mod expiry;
mod history;
mod parts;
mod range;
pub(crate) mod token;
mod undo;

pub(crate) use change::{
    change, changes, parse_change, parse_record, shard_prefix, stamp_of_change, stream, streams,
    streams_of,
};
pub(crate) use component::KeyFault;
pub(crate) use expiry::{
    every_expiry, expiries, expiries_between, expiry, expiry_progress, parse_expiry,
    parse_expiry_second, parse_expiry_table,
};
pub(crate) use history::{
    Stamp, changed, decode_moment, encode_moment, every_history, histories, history_progress,
    item_of_versions, items_of, moment, moments, parse_changed, parse_history_table, parse_moment,
    parse_version, split_stamp, version, version_after, versions_of, versions_prefix,
};
pub(crate) use parts::{
    hash_of_part, key_parts, number_bytes, partition_bytes, partition_in_table, payloads,
};
pub(crate) use range::SortBounds;
pub(crate) use undo::{item_of_undo, undo, undos, undos_of};

use crate::schema::{Index, IndexId, IndexKind, KeySchema, Table, TableId};
use hashrange_model::{Item, Value};
use hashrange_storage::{Key, KeyRange};

const SPACE_META: u8 = 0x01;
const SPACE_COUNTER: u8 = 0x02;
const SPACE_COLLECTION: u8 = 0x03;
const SPACE_TOKEN: u8 = 0x04;
const SPACE_NOTE: u8 = 0x05;
const SPACE_ITEM: u8 = 0x10;
const SPACE_CHANGE: u8 = 0x20;
const SPACE_EXPIRY: u8 = 0x21;
const SPACE_UNDO: u8 = 0x25;
const META_TABLE: u8 = 0x01;
const META_NEXT_TABLE: u8 = 0x02;
const META_PURGE: u8 = 0x03;
const META_NAME: u8 = 0x04;
const META_BACKFILL: u8 = 0x05;
const META_STREAM: u8 = 0x06;
const META_EXPIRY: u8 = 0x07;
const META_CHANGES: u8 = 0x08;
const META_FILLING: u8 = 0x09;
const META_SERVER: u8 = 0x0a;
const META_COPY_MARK: u8 = 0x0b;
const META_COPY_STATE: u8 = 0x0c;
const META_REWRITING: u8 = 0x0d;
const META_CHANGED: u8 = 0x0f;

/// Bytes of a counter's key.
const COUNTER_BYTES: usize = 8;

/// Bytes before the hash in an item key.
const ITEM_PREFIX_BYTES: usize = 7;
const HASH_BYTES: usize = 4;

/// Returns the key of a table's record.
pub(crate) fn table_record(table: TableId) -> Key {
    [&[SPACE_META, META_TABLE][..], &table.0.to_be_bytes()].concat()
}

/// Returns the table id in the key of a table record.
pub(crate) fn parse_table_record(key: &[u8]) -> Option<TableId> {
    let id = key.strip_prefix(&[SPACE_META, META_TABLE])?.try_into().ok()?;
    Some(TableId(u32::from_be_bytes(id)))
}

/// Returns the range of all table records.
pub(crate) fn table_records() -> KeyRange {
    KeyRange::prefix(&[SPACE_META, META_TABLE])
}

/// Returns the key of the next table id.
pub(crate) fn next_table_id() -> Key {
    vec![SPACE_META, META_NEXT_TABLE]
}

/// Returns the key of the number of the last change of definitions.
pub(crate) fn definitions_number() -> Key {
    vec![SPACE_META, META_CHANGES]
}

/// Returns the key that all commits on a shared store read and changes of definitions write. The
/// caller passes it to such a store.
pub fn fence() -> Key {
    definitions_number()
}

/// Returns the key of the list of the tables that the last changes have changed.
pub(crate) fn changed_tables() -> Key {
    vec![SPACE_META, META_CHANGED]
}

/// Returns the key that reserves a table name.
pub(crate) fn table_name(name: &str) -> Key {
    [&[SPACE_META, META_NAME][..], name.as_bytes()].concat()
}

/// Returns the key of a purge that is due.
pub(crate) fn purge(table: TableId, index: IndexId) -> Key {
    [&[SPACE_META, META_PURGE][..], &table.0.to_be_bytes(), &index.0.to_be_bytes()].concat()
}

/// Returns the range of all purges that are due.
pub(crate) fn purges() -> KeyRange {
    KeyRange::prefix(&[SPACE_META, META_PURGE])
}

/// Returns table and index of a purge key.
pub(crate) fn parse_purge(key: &[u8]) -> Option<(TableId, IndexId)> {
    let (table, index) = key.get(2..)?.split_first_chunk::<4>()?;
    let index = index.try_into().ok()?;
    Some((TableId(u32::from_be_bytes(*table)), IndexId(u16::from_be_bytes(index))))
}

/// Returns the key of a backfill's progress as older releases stored it.
pub(crate) fn backfill(table: TableId, index: IndexId) -> Key {
    [&[SPACE_META, META_BACKFILL][..], &table.0.to_be_bytes(), &index.0.to_be_bytes()].concat()
}

/// Returns the key of the progress of filling an index.
pub(crate) fn filling(table: TableId, index: IndexId) -> Key {
    [&[SPACE_META, META_FILLING][..], &table.0.to_be_bytes(), &index.0.to_be_bytes()].concat()
}

/// Returns the key of the progress of rewriting a table's items by its key templates.
pub(crate) fn rewriting(table: TableId) -> Key {
    [&[SPACE_META, META_REWRITING][..], &table.0.to_be_bytes()].concat()
}

/// Returns the key of a server's row.
pub(crate) fn server(id: u128) -> Key {
    [&[SPACE_META, META_SERVER][..], &id.to_be_bytes()].concat()
}

/// Returns the range of the rows of all servers.
pub(crate) fn servers() -> KeyRange {
    KeyRange::prefix(&[SPACE_META, META_SERVER])
}

/// Returns the server of a row's key.
pub(crate) fn parse_server(key: &[u8]) -> Option<u128> {
    Some(u128::from_be_bytes(key.get(2..)?.try_into().ok()?))
}

/// Returns the key of the mark that makes a database a copy, finished or not.
pub(crate) fn copy_mark() -> Key {
    vec![SPACE_META, META_COPY_MARK]
}

/// Returns the key of the state of a copy of this database, which is served meanwhile or was moved.
pub(crate) fn copy_state() -> Key {
    vec![SPACE_META, META_COPY_STATE]
}

/// Returns the key of the note that a key was written in a generation of a copy.
pub(crate) fn note(generation: u64, key: &[u8]) -> Key {
    [&[SPACE_NOTE][..], &generation.to_be_bytes(), key].concat()
}

/// Returns generation and key of a note.
pub(crate) fn parse_note(note: &[u8]) -> Option<(u64, &[u8])> {
    let (generation, key) = note.get(1..)?.split_first_chunk::<8>()?;
    Some((u64::from_be_bytes(*generation), key))
}

/// Returns the range of all notes of a generation.
pub(crate) fn notes_of(generation: u64) -> KeyRange {
    KeyRange::prefix(&note(generation, &[]))
}

/// Returns the range of all notes up to a generation.
pub(crate) fn notes_until(generation: u64) -> KeyRange {
    KeyRange { start: notes().start, end: notes_of(generation).end }
}

/// Returns the range of all notes.
pub(crate) fn notes() -> KeyRange {
    KeyRange::prefix(&[SPACE_NOTE])
}

/// Returns whether a copy copies the value of a key as it is; see [`plain_ranges`].
pub(crate) fn is_plain(key: &[u8]) -> bool {
    match key {
        []
        | [SPACE_META, META_CHANGES | META_COPY_MARK | META_COPY_STATE | META_CHANGED]
        | [SPACE_META, META_SERVER, ..] => false,
        [space, ..] => ![SPACE_COUNTER, SPACE_NOTE].contains(space),
    }
}

/// Returns the range of all counters.
pub(crate) fn counters() -> KeyRange {
    KeyRange::prefix(&[SPACE_COUNTER])
}

/// Returns the key of the counter of which a visit shows a part.
pub(crate) fn counter_of(shown: &[u8]) -> Option<Key> {
    shown.get(..COUNTER_BYTES).map(<[u8]>::to_vec)
}

/// Returns the ranges of all keys whose values a copy copies as they are, in order: all but
/// counters, notes and the keys of the servers on a store.
pub(crate) fn plain_ranges() -> Vec<KeyRange> {
    let only = |key: Key| KeyRange { end: Some([&key[..], &[0]].concat()), start: key };
    let left_out = [
        only(definitions_number()),
        servers(),
        only(copy_mark()),
        only(copy_state()),
        only(changed_tables()),
        counters(),
        notes(),
    ];
    let mut ranges = Vec::with_capacity(left_out.len() + 1);
    let mut start = Key::new();
    for KeyRange { start: end, end: next } in left_out {
        ranges.push(KeyRange { start, end: Some(end) });
        start = next.expect("a space has a next one");
    }
    ranges.push(KeyRange { start, end: None });
    ranges.retain(|range| !range.is_empty());
    ranges
}

/// Counters of a table and of each of its indexes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counter {
    /// Number of items or entries.
    Entries,
    /// Sum of their sizes.
    Bytes,
}

/// Returns the key of a counter.
pub(crate) fn counter(table: TableId, index: IndexId, counter: Counter) -> Key {
    let mut key = Key::with_capacity(8);
    key.push(SPACE_COUNTER);
    key.extend_from_slice(&table.0.to_be_bytes());
    key.extend_from_slice(&index.0.to_be_bytes());
    key.push(match counter {
        Counter::Entries => 0,
        Counter::Bytes => 1,
    });
    key
}

/// Returns the keys of every counter and item collection of a table.
pub(crate) fn table_sums(table: TableId) -> [KeyRange; 2] {
    [SPACE_COUNTER, SPACE_COLLECTION]
        .map(|space| KeyRange::prefix(&[&[space][..], &table.0.to_be_bytes()].concat()))
}

/// Returns the range of the sizes of all item collections of a table.
pub(crate) fn collections(table: TableId) -> KeyRange {
    KeyRange::prefix(&[&[SPACE_COLLECTION][..], &table.0.to_be_bytes()].concat())
}

/// Returns the key of an item collection's size, from an item key of the base table.
pub(crate) fn collection(item_key: &[u8], partition_length: usize) -> Key {
    let mut key = Key::with_capacity(5 + partition_length);
    key.push(SPACE_COLLECTION);
    key.extend_from_slice(item_key.get(1..5).expect("an item key names its table"));
    let partition = item_key.get(ITEM_PREFIX_BYTES..ITEM_PREFIX_BYTES + partition_length);
    key.extend_from_slice(partition.expect("an item key has a partition"));
    key
}

/// Returns the end of the range of all keys that begin with the same seven bytes as a key: for an
/// item's key that is its keyspace, for another key a part of its space.
pub(crate) fn end_of_keyspace(key: &[u8]) -> Option<Key> {
    KeyRange::prefix(key.get(..ITEM_PREFIX_BYTES)?).end
}

/// Returns the range of all items of a table, or all entries of an index.
pub(crate) fn keyspace(table: TableId, index: IndexId) -> KeyRange {
    KeyRange::prefix(&item_prefix(table, index))
}

/// Returns the range of all items of a table and all entries of its indexes.
pub(crate) fn all_keyspaces(table: TableId) -> KeyRange {
    KeyRange::prefix(&[&[SPACE_ITEM][..], &table.0.to_be_bytes()].concat())
}

/// Returns the range of all items and entries of all tables.
pub(crate) fn every_keyspace() -> KeyRange {
    KeyRange::prefix(&[SPACE_ITEM])
}

/// Returns the range of one key.
pub(crate) fn single(key: &[u8]) -> KeyRange {
    KeyRange { start: key.to_vec(), end: Some([key, &[0]].concat()) }
}

/// Returns table and index of a key, if it is an item's or an index entry's.
pub(crate) fn parse_item_keyspace(key: &[u8]) -> Option<(TableId, IndexId)> {
    key.first().filter(|space| **space == SPACE_ITEM).and_then(|_| parse_keyspace(key))
}

/// Returns table and index of an item key.
pub(crate) fn parse_keyspace(key: &[u8]) -> Option<(TableId, IndexId)> {
    let (table, rest) = key.get(1..)?.split_first_chunk::<4>()?;
    let (index, _) = rest.split_first_chunk::<2>()?;
    Some((TableId(u32::from_be_bytes(*table)), IndexId(u16::from_be_bytes(*index))))
}

/// Returns the range of one of `total` equal parts of the hash space.
pub(crate) fn segment(table: TableId, index: IndexId, nth: u32, total: u32) -> KeyRange {
    let boundary = |nth: u32| (u64::from(nth) << 32).div_ceil(u64::from(total));
    let prefix = item_prefix(table, index);
    let whole = KeyRange::prefix(&prefix);
    let at = |hash: u64| {
        u32::try_from(hash).ok().map(|hash| [&prefix[..], &hash.to_be_bytes()].concat())
    };
    KeyRange {
        start: at(boundary(nth)).expect("a segment begins inside the hash space"),
        end: at(boundary(nth + 1)).or(whole.end),
    }
}

/// Returns the first key that may have a hash, in the keyspace that begins with `keyspace`.
pub(crate) fn at_hash(keyspace: &[u8], hash: u32) -> Key {
    let prefix = keyspace.get(..ITEM_PREFIX_BYTES).unwrap_or(keyspace);
    [prefix, &hash.to_be_bytes()].concat()
}

#[expect(clippy::many_single_char_names, reason = "the bytes of two numbers in their order")]
fn item_prefix(table: TableId, index: IndexId) -> [u8; ITEM_PREFIX_BYTES] {
    let [a, b, c, d] = table.0.to_be_bytes();
    let [e, f] = index.0.to_be_bytes();
    [SPACE_ITEM, a, b, c, d, e, f]
}

/// The byte key of an item of the base table, with the length of its part up to the sort key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemKey {
    pub(crate) bytes: Key,
    /// Bytes of hash and partition key.
    pub(crate) partition_length: usize,
}

impl ItemKey {
    /// Returns the key of the size of the item collection to which this key belongs.
    pub(crate) fn collection_size_key(&self) -> Key {
        collection(&self.bytes, self.partition_length)
    }

    /// Returns the hash, the partition key and the sort key.
    fn after_prefix(&self) -> &[u8] {
        self.bytes.get(ITEM_PREFIX_BYTES..).expect("an item key begins with its prefix")
    }

    /// Returns the hash of the partition key.
    pub(crate) fn hash(&self) -> u32 {
        hash_of(&self.bytes)
    }
}

/// Returns the sort key at the end of an item's key; empty if the table has none.
pub(crate) fn sort_of_item(key: &ItemKey) -> &[u8] {
    key.bytes.get(ITEM_PREFIX_BYTES + key.partition_length..).unwrap_or_default()
}

/// Returns the hash of the partition key in a key of the table or of an index.
pub(crate) fn hash_of(key: &[u8]) -> u32 {
    let hash = key.get(ITEM_PREFIX_BYTES..).and_then(<[u8]>::first_chunk);
    u32::from_be_bytes(*hash.expect("a key has a hash"))
}

/// Returns the hash of the partition key of a range within one partition.
pub(crate) fn hash_of_range(range: &KeyRange) -> Option<u32> {
    const PREFIX_BYTES: usize = ITEM_PREFIX_BYTES + HASH_BYTES;
    let (start, end) = (range.start.get(..PREFIX_BYTES)?, range.end.as_ref()?.get(..PREFIX_BYTES)?);
    (start == end).then(|| hash_of(start))
}

/// Returns the first and the last hash that keys of a range of items or entries can have.
pub(crate) fn hashes_of_range(range: &KeyRange) -> (u32, u32) {
    let hash = |key: &[u8]| Some(u32::from_be_bytes(*key.get(ITEM_PREFIX_BYTES..)?.first_chunk()?));
    let first = hash(&range.start).unwrap_or(0);
    let last = range.end.as_deref().and_then(|end| {
        let is_inside = end.len() > ITEM_PREFIX_BYTES + HASH_BYTES;
        Some(if is_inside { hash(end)? } else { hash(end)?.saturating_sub(1) })
    });
    (first, last.unwrap_or(u32::MAX))
}

/// Returns the byte key of the item with the given key attributes in the base table.
pub(crate) fn item_key(table: &Table, item: &Item) -> Result<ItemKey, KeyFault> {
    let mut bytes = partition_prefix(table.id(), IndexId::BASE, &table.key, item)?;
    let partition_length = bytes.len() - ITEM_PREFIX_BYTES;
    if let Some(attribute) = table.key.sort.first() {
        component::append_last(&mut bytes, attribute, item)?;
    }
    Ok(ItemKey { bytes, partition_length })
}

/// Returns the byte key of an item's entry in an index, or `None` if the item is not in the index
/// because it lacks one of the key attributes or has it in another type.
pub(crate) fn entry_key(table: &Table, index: &Index, item: &Item) -> Option<Key> {
    let mut bytes = partition_prefix(table.id(), index.id, &index.key, item).ok()?;
    for attribute in &index.key.sort {
        component::append_terminated(&mut bytes, attribute, item).ok()?;
    }
    if index.kind == IndexKind::Global {
        for attribute in &table.key.partition {
            component::append_counted(&mut bytes, attribute, item).ok()?;
        }
    }
    if let Some(attribute) = table.key.sort.first() {
        component::append_last(&mut bytes, attribute, item).ok()?;
    }
    Some(bytes)
}

/// Returns the common prefix of all keys with the partition key of `item`.
pub(crate) fn partition_prefix(
    table: TableId,
    index: IndexId,
    schema: &KeySchema,
    item: &Item,
) -> Result<Key, KeyFault> {
    let mut bytes = Key::with_capacity(64);
    bytes.extend_from_slice(&item_prefix(table, index));
    bytes.extend_from_slice(&[0; 4]);
    for attribute in &schema.partition {
        component::append_counted(&mut bytes, attribute, item)?;
    }
    fill_hash(&mut bytes);
    Ok(bytes)
}

/// Returns the common prefix of all keys with the given partition key values, in schema order.
pub(crate) fn partition_prefix_of_values(table: TableId, index: IndexId, values: &[Value]) -> Key {
    let mut bytes = Key::with_capacity(64);
    bytes.extend_from_slice(&item_prefix(table, index));
    bytes.extend_from_slice(&[0; 4]);
    for value in values {
        component::append_counted_value(&mut bytes, value);
    }
    fill_hash(&mut bytes);
    bytes
}

/// Fills in the hash before a partition key: the upper half of its XXH3.
fn fill_hash(bytes: &mut Key) {
    let (place, partition) = bytes
        .get_mut(ITEM_PREFIX_BYTES..)
        .and_then(<[u8]>::split_first_chunk_mut::<HASH_BYTES>)
        .expect("the prefix and room for the hash were written");
    let hash = xxhash_rust::xxh3::xxh3_64(partition);
    let hash = u32::try_from(hash >> 32).expect("the upper half of 64 bits");
    *place = hash.to_be_bytes();
}

/// Checks key attributes of an item or key as [`item_key`] and [`entry_key`] do.
pub(crate) fn check_key(schema: &KeySchema, item: &Item) -> Result<(), KeyFault> {
    schema
        .partition
        .iter()
        .map(|attribute| component::check(attribute, item, component::Role::Partition))
        .chain(
            schema
                .sort
                .iter()
                .map(|attribute| component::check(attribute, item, component::Role::Sort)),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_plain_but_counters_and_what_is_the_servers() {
        let ranges = plain_ranges();
        let is_within = |key: &[u8]| {
            let within = |range: &&KeyRange| {
                key >= &range.start[..] && range.end.as_deref().is_none_or(|end| key < end)
            };
            ranges.iter().filter(within).count() == 1
        };
        let table = TableId(7);
        let plain = [
            table_record(table),
            next_table_id(),
            purge(table, IndexId(1)),
            table_name("a"),
            backfill(table, IndexId(1)),
            stream("a", "b"),
            expiry_progress(table),
            rewriting(table),
            filling(table, IndexId(1)),
            vec![SPACE_COLLECTION],
            vec![SPACE_TOKEN],
            vec![SPACE_ITEM],
            vec![SPACE_CHANGE],
            vec![SPACE_EXPIRY],
            undo(table, 1, &[SPACE_ITEM]),
            [&definitions_number()[..], &[0]].concat(),
            vec![SPACE_META, 0x0d],
            vec![0xff; 9],
        ];
        for key in plain {
            assert!(is_within(&key) && is_plain(&key), "{key:02x?}");
        }
        let counter = counter(table, IndexId::BASE, Counter::Bytes);
        assert_eq!(counter_of(&[&counter[..], &[0; 8]].concat()), Some(counter.clone()));
        let left_out = [
            definitions_number(),
            copy_mark(),
            copy_state(),
            changed_tables(),
            server(0),
            server(u128::MAX),
            counter,
            note(0, &[]),
            note(u64::MAX, &[0xff]),
        ];
        for key in left_out {
            assert!(!is_within(&key) && !is_plain(&key), "{key:02x?}");
        }
        assert!(ranges.is_sorted_by(|one, other| one.end.as_ref() <= Some(&other.start)));
    }

    /// So every hash is in exactly one segment.
    #[test]
    fn segments_are_adjacent_and_cover_a_keyspace() {
        let (table, index) = (TableId(1), IndexId(2));
        let whole = KeyRange::prefix(&item_prefix(table, index));
        for total in [1, 2, 3, 7, 1000, 1_000_000] {
            let part = |nth| segment(table, index, nth, total);
            assert_eq!(part(0).start, [&whole.start[..], &[0; 4]].concat());
            assert_eq!(part(total - 1).end, whole.end);
            for nth in [1, total / 3, total / 2, total - 1] {
                if nth == 0 || nth == total {
                    continue;
                }
                assert_eq!(part(nth - 1).end, Some(part(nth).start), "{nth} of {total}");
                assert!(part(nth - 1).start < part(nth).start);
            }
        }
    }
}
