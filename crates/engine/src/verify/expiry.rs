//! Verifies the expiry indexes: the entries of each are exactly those that the items of its table
//! require, and no other table has entries.

use super::owners::Owners;
use super::{Report, next_items};
use crate::layout::{self, ItemKey};
use crate::schema::{Table, TableId, TimeToLiveState};
use hashrange_model::Item;
use hashrange_storage::{Error, View};
use std::collections::BTreeSet;

/// Verifies that an item has its entry, if the index is complete.
pub(super) async fn verify_entry<V: View>(
    view: &V,
    table: &Table,
    key: &ItemKey,
    item: &Item,
    report: &mut Report,
) -> Result<(), Error> {
    let expiry = table.expiry.as_ref().filter(|_| is_complete(table));
    let Some(entry) = expiry.and_then(|expiry| expiry.entry(table.id(), key, item)) else {
        return Ok(());
    };
    if view.get(&entry).await?.is_none() {
        report.add(Some(table), "an entry of the expiry index is missing", &entry);
    }
    Ok(())
}

/// Verifies that each entry of a table's index belongs to an item.
pub(super) async fn verify_entries<V: View>(
    view: &V,
    table: &Table,
    report: &mut Report,
) -> Result<(), Error> {
    let Some(expiry) = &table.expiry else { return Ok(()) };
    let mut range = layout::expiries(table.id());
    loop {
        let step = next_items(view, &range).await?;
        let Some((last, _)) = step.last() else { return Ok(()) };
        range.start = [&last[..], &[0]].concat();
        for (entry, _) in &step {
            let key = layout::parse_expiry(table, entry);
            let stored = match &key {
                Some(key) => view.get(&key.bytes).await?,
                None => None,
            };
            let item = stored.and_then(|stored| Item::from_stored(stored).ok());
            let expected =
                key.zip(item).and_then(|(key, item)| expiry.entry(table.id(), &key, &item));
            if expected.as_ref() != Some(entry) {
                report.add(Some(table), "an entry of the expiry index is of no item", entry);
            }
        }
    }
}

/// Reports entries of tables without an expiry index, unless they are being removed.
pub(super) async fn verify_owners<V: View>(
    view: &V,
    tables: &[Table],
    purged: &BTreeSet<TableId>,
    report: &mut Report,
) -> Result<(), Error> {
    let has_index = |table: &&Table| table.record.time_to_live.is_some();
    let owners = Owners {
        known: tables.iter().filter(has_index).map(Table::id).collect(),
        purged,
        of: layout::parse_expiry_table,
        without_table: "an entry of an expiry index has no table",
        of_others: "an expiry index of a table that has none",
    };
    owners.verify(view, layout::every_expiry(), |table| layout::expiries(table).end, report).await
}

fn is_complete(table: &Table) -> bool {
    let record = table.record.time_to_live.as_ref();
    record.is_some_and(|record| record.state == TimeToLiveState::Enabled)
}
