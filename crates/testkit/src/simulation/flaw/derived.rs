//! Faults of attributes that key templates derive. A fault changes everything that a commit leaves
//! of an item - the item, index entries, counters, the record in the change log - so that
//! everything fits the item but its templates. The bytes are in docs/format.md.

use super::super::things::{HOW, RANK};
use super::{CHANGE_LOG, put_in, with};
use hashrange_model::{Item, ValueRef};
use hashrange_storage::{Batch, Bytes, Image, Key};
use hashrange_wire::Operation;

/// First byte of the keys of items and index entries.
const ITEMS: u8 = 0x10;
/// First byte of the keys of counters.
const COUNTERS: u8 = 0x02;
/// Bytes of the space, the table and the index.
const PREFIX_BYTES: usize = 7;

/// The attributes that templates derive in the simulation.
const DERIVED: [&str; 2] = [RANK, "label"];

/// A write that has changed the derived attribute of an item.
struct Change<'a> {
    key: &'a Bytes,
    old: Item,
    new: Item,
}

fn is_base(key: &[u8]) -> bool {
    key.get(5..PREFIX_BYTES) == Some(&[0, 0])
}

/// Returns the items that a commit has changed and that were there before.
fn changes<'a>(before: &'a Image, after: &'a Image) -> impl Iterator<Item = Change<'a>> {
    let items = put_in(ITEMS, before, after).filter(|(key, _)| is_base(key));
    items.filter_map(|(key, new)| {
        let item = |stored: Bytes| Item::from_stored(stored).ok();
        Some(Change { key, old: item(before.get(key)?)?, new: item(new.clone())? })
    })
}

fn text<'i>(item: &'i Item, attribute: &str) -> Option<&'i str> {
    item.get(attribute)
        .and_then(|value| if let ValueRef::S(text) = value { Some(text) } else { None })
}

/// Returns `after`; an item that an operation has written keeps its old rank, though a new one is
/// derived.
pub(super) fn kept_key(before: &Image, after: &Image, operation: Operation) -> Image {
    with_old_rank(before, after, operation, |new| text(new, RANK).is_some())
}

/// Returns `after`; an item that an operation has written keeps its old rank, though none is
/// derived.
pub(super) fn left_key(before: &Image, after: &Image, operation: Operation) -> Image {
    with_old_rank(before, after, operation, |new| text(new, RANK).is_none())
}

fn with_old_rank(
    before: &Image,
    after: &Image,
    operation: Operation,
    is_wanted: impl Fn(&Item) -> bool,
) -> Image {
    let how = format!("{operation:?}");
    let is_changed = |Change { old, new, .. }: &Change<'_>| {
        let has_lost_it = text(old, RANK).is_some() && text(old, RANK) != text(new, RANK);
        has_lost_it && text(new, HOW) == Some(&how) && is_wanted(new)
    };
    let Some(change) = changes(before, after).find(is_changed) else { return after.clone() };
    let Some(rank) = text(&change.old, RANK) else { return after.clone() };
    let stale = change.new.with_changes([(RANK, Some(ValueRef::S(rank)))]);
    let mut batch = Batch::new();
    batch.put(change.key.to_vec(), stale.as_bytes().clone());
    count(change.key, 0, growth(&change.new, &stale), &mut batch);
    keep_entry(before, after, &change, &stale, &mut batch);
    for (key, value) in put_in(CHANGE_LOG, before, after) {
        let record = replaced(value, &with_length(&change.new), &with_length(&stale));
        batch.put(key.to_vec(), Bytes::from(record));
    }
    with(after, batch)
}

/// Puts the index entry of the old rank in the place of the one that the commit has put.
fn keep_entry(before: &Image, after: &Image, change: &Change<'_>, stale: &Item, batch: &mut Batch) {
    let entry_of = |image: &Image, item: &Item| -> Option<Key> {
        let rank = text(item, RANK)?.as_bytes();
        let has_rank = |key: &[u8]| key.windows(rank.len()).any(|part| part == rank);
        let mut entries = image.entries().filter(|(key, value)| {
            key.starts_with(&change.key[..5]) && !is_base(key) && *value == item.as_bytes()
        });
        entries.find(|(key, _)| has_rank(key)).map(|(key, _)| key.to_vec())
    };
    let Some(kept) = entry_of(before, &change.old) else { return };
    match entry_of(after, &change.new) {
        Some(new) => {
            batch.delete(new);
            count(&kept, 0, growth(&change.new, stale), batch);
        }
        None => count(&kept, 1, size(stale), batch),
    }
    batch.put(kept, stale.as_bytes().clone());
}

/// Adds to the counters of a key's table or index.
fn count(key: &[u8], entries: i64, bytes: i64, batch: &mut Batch) {
    let counter = |nth: u8| [&[COUNTERS], &key[1..PREFIX_BYTES], &[nth]].concat();
    batch.add(counter(0), entries);
    batch.add(counter(1), bytes);
}

fn size(item: &Item) -> i64 {
    i64::try_from(item.size()).expect("an item is small")
}

fn growth(from: &Item, to: &Item) -> i64 {
    size(to) - size(from)
}

/// Returns an item as a record of the change log has it.
fn with_length(item: &Item) -> Vec<u8> {
    let bytes = item.as_bytes();
    let length = u32::try_from(bytes.len()).expect("an item is small");
    [&length.to_le_bytes()[..], bytes].concat()
}

fn replaced(value: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    match value.windows(from.len()).position(|part| part == from) {
        Some(at) => [&value[..at], to, &value[at + from.len()..]].concat(),
        None => value.to_vec(),
    }
}

/// Returns `before` if the commit has changed nothing of items but derived attributes, as the walk
/// that rewrites them does; else `after`.
pub(super) fn skipped_item(before: &Image, after: &Image) -> Image {
    let without = |item: &Item| item.retain(|name| !DERIVED.contains(&name));
    let mut changes = changes(before, after).peekable();
    let has_changed = changes.peek().is_some();
    let is_rewriting = changes.all(|change| without(&change.old) == without(&change.new));
    if has_changed && is_rewriting { before.clone() } else { after.clone() }
}
