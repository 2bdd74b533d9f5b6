//! Verifies the histories: every version is readable, lies at its item's key and is found by its moment,
//! the mark of each item is the moment of its last version, and no other table has a history.

use super::owners::Owners;
use super::{Report, next_items};
use crate::history::Version;
use crate::layout;
use crate::schema::{HistoryState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Error, Key, View};
use std::collections::BTreeSet;

/// Verifies what there is of a table's history.
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
    let mut last: Option<(Key, u64)> = None;
    let mut range = versions;
    loop {
        let step = next_items(view, &range).await?;
        let Some((end, _)) = step.last() else { break };
        range.start = [&end[..], &[0]].concat();
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
    verify_found(view, table, moments, report, |key, _| layout::parse_moment(key)).await?;
    verify_found(view, table, marks, report, |key, stored| {
        Some((layout::parse_changed(key)?, layout::decode_moment(stored)?))
    })
    .await
}

/// Verifies a version; returns its item's key and its moment.
async fn verify_version<V: View>(
    view: &V,
    table: &Table,
    key: &Key,
    stored: &Bytes,
    report: &mut Report,
) -> Result<Option<(Key, u64)>, Error> {
    let parsed = layout::parse_version(key);
    let (Some((item_key, at_ms)), Some(version)) = (parsed, Version::decode(stored)) else {
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
    if view.get(&layout::moment(&item_key, at_ms)).await?.is_none() {
        report.add(Some(table), "a version of a history is not found by its moment", key);
    }
    Ok(Some((item_key, at_ms)))
}

/// Verifies that the mark of an item is the moment of its last version.
async fn verify_mark<V: View>(
    view: &V,
    table: &Table,
    last: Option<&(Key, u64)>,
    report: &mut Report,
) -> Result<(), Error> {
    let Some((item_key, at_ms)) = last else { return Ok(()) };
    let key = layout::changed(item_key);
    let stored = view.get(&key).await?;
    if stored.as_deref().and_then(layout::decode_moment) != Some(*at_ms) {
        report.add(Some(table), "an item's last change is not that of its history", &key);
    }
    Ok(())
}

/// Verifies that each entry of a range is of a version that there is.
async fn verify_found<V: View>(
    view: &V,
    table: &Table,
    mut range: hashrange_storage::KeyRange,
    report: &mut Report,
    parse: impl Fn(&[u8], &[u8]) -> Option<(Key, u64)>,
) -> Result<(), Error> {
    loop {
        let step = next_items(view, &range).await?;
        let Some((end, _)) = step.last() else { return Ok(()) };
        range.start = [&end[..], &[0]].concat();
        for (key, stored) in &step {
            let version = parse(key, stored).map(|(item, at_ms)| layout::version(&item, at_ms));
            let is_found = match &version {
                Some(version) => view.get(version).await?.is_some(),
                None => false,
            };
            if !is_found {
                report.add(Some(table), "a moment of a history is of no version", key);
            }
        }
    }
}

/// Looks for histories of tables that have none.
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
