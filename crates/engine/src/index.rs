//! Index maintenance: the changes that a write makes in every index of its table, local and global
//! alike.
//!
//! An entry is a pure function of the item, so the change is the difference between the entries of
//! the old and of the new image; nothing is read.

use crate::capacity::{Units, write_units};
use crate::fault;
use crate::filling::Fillings;
use crate::layout::{self, Counter};
use crate::schema::{
    Index, IndexId, IndexKind, IndexProjection, IndexState, Table, TableId, TableRecord,
};
use hashrange_expr::Update;
use hashrange_model::error::IndexedKeyFault;
use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
use hashrange_model::{ApiResult, AttributeType, Item, Reason, ValueRef};
use hashrange_storage::{Batch, Error, Key, View};

/// The entry of an item in an index.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) item: Item,
}

/// Returns the entry of `item` in `index`, or `None` if the index does not hold the item.
pub(crate) fn entry(table: &Table, index: &Index, item: &Item) -> Option<Entry> {
    let key = layout::entry_key(table, index, item)?;
    let entry = Entry { key, item: index.project(item) };
    // An entry that is read back is found by its key only if it holds the key attributes. A whole
    // item does.
    let is_whole = index.projection == IndexProjection::All;
    assert!(is_whole || lies_at(table, index, &entry.key, &entry.item), "an entry holds its key");
    Some(entry)
}

/// Returns whether an entry of an index belongs at a key.
pub(crate) fn lies_at(table: &Table, index: &Index, key: &[u8], entry: &Item) -> bool {
    layout::entry_key(table, index, entry).is_some_and(|expected| expected == key)
}

/// Updates every index from the old to the new image of an item: fills the batch, adds the units of
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

/// Returns number and bytes of the items of each of some tables, in their order, by one read.
pub(crate) async fn counts_of<V: View>(
    view: &V,
    tables: impl Iterator<Item = TableId>,
) -> Result<Vec<(u64, u64)>, Error> {
    let key = |table| {
        [Counter::Entries, Counter::Bytes]
            .map(|counter| layout::counter(table, IndexId::BASE, counter))
    };
    let keys: Vec<Key> = tables.flat_map(key).collect();
    let sums = view.sums(&keys).await?;
    let unsigned = |sum: i64| u64::try_from(sum).unwrap_or(0);
    Ok(sums.chunks_exact(2).map(|sums| (unsigned(sums[0]), unsigned(sums[1]))).collect())
}

/// Returns the size of an item as the counters add it up.
pub(crate) fn counted(item: &Item) -> i64 {
    i64::try_from(item.size()).expect("an item is at most 400 KB")
}

fn size(entry: Option<&Entry>) -> i64 {
    entry.map_or(0, |entry| counted(&entry.item))
}

/// Returns the units of the change of an entry. Source: index write cost, captures of 2026.
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

/// Checks the index key attributes of an item that is put: type, emptiness, length.
pub(crate) fn check_keys(table: &Table, item: &Item) -> Result<(), Reason> {
    match unfit(table, item) {
        Some(Unfit { index, attribute, fault }) => {
            Err(Reason::IndexKey { index, attribute, fault })
        }
        None => Ok(()),
    }
}

/// Checks the index key attributes of an updated item, also those that were there before: an index
/// that was added later may not fit them. Sources: developer guide, "Detecting and correcting index
/// key violations in DynamoDB"; of a value that the update computes, captured before 2020.
pub(crate) fn check_updated(table: &Table, update: &Update, item: &Item) -> Result<(), Reason> {
    let Some(Unfit { index, attribute, fault }) = unfit(table, item) else { return Ok(()) };
    let is_target = update.targets().any(|target| target.name == attribute);
    let is_of_type = matches!(fault, IndexedKeyFault::Type { .. });
    Err(if is_target && is_of_type && !update.sets_given_value(&attribute) {
        Reason::UpdatedIndexKeyType
    } else if is_target {
        Reason::UpdatedIndexKey { index, attribute, fault }
    } else {
        Reason::IndexKey { index, attribute, fault }
    })
}

/// An index key attribute of an item that its index cannot hold.
struct Unfit {
    index: String,
    attribute: String,
    fault: IndexedKeyFault,
}

/// Returns the first unfit attribute of an item.
fn unfit(table: &Table, item: &Item) -> Option<Unfit> {
    for index in &table.indexes {
        for (attribute, is_sort) in index
            .key
            .partition
            .iter()
            .map(|attribute| (attribute, false))
            .chain(index.key.sort.iter().map(|attribute| (attribute, true)))
        {
            let Some(value) = item.get(&attribute.name) else { continue };
            let expected = attribute.key_type.attribute_type();
            if let Some(fault) = key_fault(expected, is_sort, &value) {
                let (index, attribute) = (index.name.clone(), attribute.name.clone());
                return Some(Unfit { index, attribute, fault });
            }
        }
    }
    None
}

fn key_fault(
    expected: AttributeType,
    is_sort: bool,
    value: &ValueRef<'_>,
) -> Option<IndexedKeyFault> {
    let actual = value.attribute_type();
    if actual != expected {
        return Some(IndexedKeyFault::Type { expected, actual });
    }
    let length = value.size();
    if length == 0 {
        return Some(IndexedKeyFault::Empty(actual));
    }
    let max_bytes = if is_sort { SORT_KEY_MAX_BYTES } else { PARTITION_KEY_MAX_BYTES };
    (length > max_bytes).then_some(IndexedKeyFault::TooLong { size_bytes: length, max_bytes })
}
