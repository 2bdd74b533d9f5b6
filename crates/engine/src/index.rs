//! Index maintenance: what a write changes in every index of its table, local and global alike.
//!
//! An entry is a pure function of the item, so the change is the difference between the entries of
//! the old and of the new image; nothing is read.

use crate::capacity::{Units, write_units};
use crate::fault;
use crate::filling::Fillings;
use crate::layout::{self, Counter};
use crate::schema::{Index, IndexId, IndexKind, IndexProjection, IndexState, Table, TableRecord};
use hashrange_model::error::IndexedKeyFault;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Batch, Key, View};

/// The entry of an item in an index.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) item: Item,
}

/// Returns the entry of `item` in `index`, or `None` if it is not in it.
pub(crate) fn entry(table: &Table, index: &Index, item: &Item) -> Option<Entry> {
    let key = layout::entry_key(table, index, item)?;
    let entry = Entry { key, item: index.project(item) };
    // What is read back is found by its key only if it holds its key. All of the item does.
    let is_whole = index.projection == IndexProjection::All;
    assert!(is_whole || lies_at(table, index, &entry.key, &entry.item), "an entry holds its key");
    Some(entry)
}

/// Returns whether an entry of an index is the one that belongs at a key.
pub(crate) fn lies_at(table: &Table, index: &Index, key: &[u8], entry: &Item) -> bool {
    layout::entry_key(table, index, entry).is_some_and(|expected| expected == key)
}

/// Brings every index from the old to the new image of an item: fills the batch, adds the units of
/// the entries that change, and returns by how many bytes the entries of local indexes grow.
pub(crate) fn maintain(
    table: &Table,
    item_key: &[u8],
    (old, new): (Option<&Item>, Option<&Item>),
    fillings: &Fillings<'_>,
    batch: &mut Batch,
    units: &mut Units,
) -> i64 {
    let mut local_growth = 0;
    for (nth, index) in table.indexes.iter().enumerate() {
        let old = old.and_then(|item| entry(table, index, item));
        let new = new.and_then(|item| entry(table, index, item));
        if old == new {
            continue;
        }
        units.add_index(nth, change_units(old.as_ref(), new.as_ref()));
        let growth = size(new.as_ref()) - size(old.as_ref());
        if index.kind == IndexKind::Local {
            local_growth += growth;
        }
        if fillings.counts(table, index, item_key) {
            let entries = i64::from(new.is_some()) - i64::from(old.is_some());
            count(table, index.id, entries, growth, batch);
        }
        write(old, new, batch);
    }
    local_growth
}

/// Adds to the counters of a table or index.
pub(crate) fn count(table: &Table, index: IndexId, entries: i64, bytes: i64, batch: &mut Batch) {
    for (counter, delta) in [(Counter::Entries, entries), (Counter::Bytes, bytes)] {
        if delta != 0 {
            batch.add(layout::counter(table.id(), index, counter), delta);
        }
    }
}

/// Returns number and bytes of the entries of a table or index. A new index is not counted before
/// it is complete.
pub(crate) async fn counts<V: View>(
    view: &V,
    record: &TableRecord,
    index: IndexId,
) -> ApiResult<(i64, i64)> {
    let is_creating =
        record.indexes.iter().any(|known| known.id == index && known.state == IndexState::Creating);
    if is_creating {
        return Ok((0, 0));
    }
    let keys = [Counter::Entries, Counter::Bytes]
        .map(|counter| layout::counter(record.id, index, counter));
    let sums = view.sums(&keys).await.map_err(fault::of_store)?;
    assert!(sums.iter().all(|sum| *sum >= 0), "a table or index has a negative count");
    Ok((sums[0], sums[1]))
}

/// Returns the size of an item as counters add it up.
pub(crate) fn counted(item: &Item) -> i64 {
    i64::try_from(item.size()).expect("an item is at most 400 KB")
}

fn size(entry: Option<&Entry>) -> i64 {
    entry.map_or(0, |entry| counted(&entry.item))
}

/// Units by the change of the entry. Source: index write cost, captures of 2026.
fn change_units(old: Option<&Entry>, new: Option<&Entry>) -> f64 {
    let units = |entry: &Entry| write_units(entry.item.size());
    match (old, new) {
        (Some(old), Some(new)) if old.key == new.key => units(old).max(units(new)),
        (old, new) => old.map_or(0.0, units) + new.map_or(0.0, units),
    }
}

fn write(old: Option<Entry>, new: Option<Entry>, batch: &mut Batch) {
    if let Some(old) = old
        && new.as_ref().is_none_or(|new| new.key != old.key)
    {
        batch.delete(old.key);
    }
    if let Some(new) = new {
        batch.put(new.key, new.item.as_bytes().clone());
    }
}

/// Checks the index key attributes of a new image: type, emptiness, length. An update only
/// answers for the attributes it changes.
pub(crate) fn check_keys(table: &Table, old: Option<&Item>, new: &Item) -> Result<(), Reason> {
    let is_update = old.is_some();
    for index in &table.indexes {
        for (attribute, is_sort) in index
            .key
            .partition
            .iter()
            .map(|attribute| (attribute, false))
            .chain(index.key.sort.iter().map(|attribute| (attribute, true)))
        {
            let Some(value) = new.get(&attribute.name) else { continue };
            if old.is_some_and(|old| old.get(&attribute.name) == Some(value)) {
                continue;
            }
            let Some(fault) = key_fault(attribute.key_type.attribute_type(), is_sort, &value)
            else {
                continue;
            };
            let (index, attribute) = (index.name.clone(), attribute.name.clone());
            return Err(if is_update {
                Reason::UpdatedIndexKey { index, attribute, fault }
            } else {
                Reason::IndexKey { index, attribute, fault }
            });
        }
    }
    Ok(())
}

fn key_fault(
    expected: hashrange_model::AttributeType,
    is_sort: bool,
    value: &hashrange_model::ValueRef<'_>,
) -> Option<IndexedKeyFault> {
    use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
    let actual = value.attribute_type();
    if actual != expected {
        return Some(IndexedKeyFault::Type { expected, actual });
    }
    let length = value.size();
    if length == 0 {
        return Some(IndexedKeyFault::Empty(actual));
    }
    match is_sort {
        true if length > SORT_KEY_MAX_BYTES => Some(IndexedKeyFault::SortKeyTooLong),
        false if length > PARTITION_KEY_MAX_BYTES => Some(IndexedKeyFault::PartitionKeyTooLong),
        _ => None,
    }
}
