//! Verifies the histories: every version is readable, lies at its item's key and is found by its
//! moment, the mark of each item is the stamp of its last version, and no other table has a
//! history.

use super::owners::Owners;
use super::{Report, next_items};
use crate::history::{Version, entries};
use crate::layout::{self, Stamp};
use crate::schema::{HistoryState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Error, Key, KeyRange, View};
use std::collections::BTreeSet;

/// Verifies the history of a table, if it keeps one.
pub(super) async fn verify_history<V: View>(
    view: &V,
    table: &Table,
    report: &mut Report,
) -> Result<(), Error> {
    let record = table.record.history.as_ref();
    if record.is_none_or(|record| record.state == HistoryState::Ending) {
        return Ok(());
    }
    let [versions, moments, marks] = layout::histories(table.id());
    let mut last: Option<(Key, Stamp)> = None;
    let mut range = versions;
    while let Some(step) = next_step(view, &mut range).await? {
        for (key, stored) in &step {
            let found = verify_version(view, table, key, stored, report).await?;
            let is_next = found.as_ref().map(|(item, _)| item) != last.as_ref().map(|(it, _)| it);
            if is_next {
                verify_mark(view, table, last.as_ref(), report).await?;
            }
            last = found.or(last);
        }
    }
    verify_mark(view, table, last.as_ref(), report).await?;
    let mut range = moments;
    while let Some(step) = next_step(view, &mut range).await? {
        for (key, _) in step {
            let is_found = match layout::parse_moment(&key) {
                Some((item, at_ms)) => {
                    let versions = layout::versions_prefix(&item);
                    entries::has_entry_of(view, &versions, None, at_ms).await?
                }
                None => false,
            };
            if !is_found {
                report.add(Some(table), "a moment of a history is of no version", &key);
            }
        }
    }
    let mut range = marks;
    while let Some(step) = next_step(view, &mut range).await? {
        for (key, stored) in step {
            let stamp = layout::parse_changed(&key).zip(Stamp::decode(&stored));
            let version = stamp.map(|(item, stamp)| layout::version(&item, stamp));
            let is_found = match &version {
                Some(version) => view.get(version).await?.is_some(),
                None => false,
            };
            if !is_found {
                report.add(Some(table), "an item's last change is of no version", &key);
            }
        }
    }
    Ok(())
}

/// Returns the next entries of a range and leaves the rest in it; `None` at the end.
async fn next_step<V: View>(
    view: &V,
    range: &mut KeyRange,
) -> Result<Option<Vec<(Key, Bytes)>>, Error> {
    let step = next_items(view, range).await?;
    let Some((end, _)) = step.last() else { return Ok(None) };
    range.start = [&end[..], &[0]].concat();
    Ok(Some(step))
}

/// Verifies a version; returns its item's key and its stamp.
async fn verify_version<V: View>(
    view: &V,
    table: &Table,
    key: &Key,
    stored: &Bytes,
    report: &mut Report,
) -> Result<Option<(Key, Stamp)>, Error> {
    let parsed = layout::parse_version(key);
    let (Some((item_key, stamp)), Some(version)) = (parsed, Version::decode(stored)) else {
        report.add(Some(table), "a version of a history has an unknown form", key);
        return Ok(None);
    };
    if let Some(image) = version.image {
        let lies_at = Item::from_stored(image)
            .ok()
            .and_then(|item| layout::item_key(table, &item).ok().map(|key| key.bytes));
        if lies_at.as_ref() != Some(&item_key) {
            report.add(Some(table), "a version of a history does not lie at its item's key", key);
        }
    }
    if view.get(&layout::moment(&item_key, stamp.at_ms)).await?.is_none() {
        report.add(Some(table), "a version of a history is not found by its moment", key);
    }
    Ok(Some((item_key, stamp)))
}

/// Verifies that the mark of an item is the stamp of its last version.
async fn verify_mark<V: View>(
    view: &V,
    table: &Table,
    last: Option<&(Key, Stamp)>,
    report: &mut Report,
) -> Result<(), Error> {
    let Some((item_key, stamp)) = last else { return Ok(()) };
    let key = layout::changed(item_key);
    let stored = view.get(&key).await?;
    if stored.as_deref().and_then(Stamp::decode) != Some(*stamp) {
        report.add(Some(table), "an item's last change is not that of its history", &key);
    }
    Ok(())
}

/// Reports histories of tables that keep none.
pub(super) async fn verify_owners<V: View>(
    view: &V,
    tables: &[Table],
    purged: &BTreeSet<TableId>,
    report: &mut Report,
) -> Result<(), Error> {
    let has_history = |table: &&Table| table.record.history.is_some();
    let owners = Owners {
        known: tables.iter().filter(has_history).map(Table::id).collect(),
        purged,
        of: layout::parse_history_table,
        without_table: "an entry of a history has no table",
        of_others: "a history of a table that has none",
    };
    for (nth, range) in layout::every_history().into_iter().enumerate() {
        let after = |table| layout::histories(table).into_iter().nth(nth)?.end;
        owners.verify(view, range, after, report).await?;
    }
    Ok(())
}
