//! Removes expired items, a bounded number in each commit.
//!
//! The sweep reads items that are due from the expiry index, from where the last sweep ended
//! ([`crate::swept`]); the commit decides under the item's lock on its newest image whether the
//! item is due, so an item that is rewritten at the last moment stays. The removal is a write like
//! any other: indexes, counters and the change log follow. Tables take turns, one commit each.

use super::purge::first_keys;
use super::{Background, Interruption, go_on};
use crate::expiry::Due;
use crate::layout;
use crate::schema::Table;
use crate::swept::{Sweep, Swept};
use crate::write::{Action, Write, Written};
use hashrange_model::Item;
use hashrange_storage::{Key, KeyRange, Store};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const ITEMS_PER_COMMIT: usize = 100;
/// Commits for each table before the other parts of a sweep run.
const TURNS: usize = 50;

/// A table whose expired items are being removed.
struct Expiring<'s> {
    table: Arc<Table>,
    sweep: Sweep<'s>,
    range: KeyRange,
}

/// Removes expired items of all tables. Returns whether more are left.
pub(super) async fn run<S: Store>(
    background: &Background<S>,
    stopping: &AtomicBool,
) -> Result<bool, Interruption> {
    let core = &*background.core;
    let due = Due::at((core.environment.now_ms)());
    let mut marks: Vec<(Arc<Table>, Arc<Swept>)> = Vec::new();
    let tables = core.catalog.all().into_iter();
    for table in tables.filter(|table| background.may_expire(table.id())) {
        let mark = table.expiry.as_ref().map(|expiry| Arc::clone(&expiry.swept));
        marks.extend(mark.map(|mark| (table, mark)));
    }
    let mut under_way = Vec::with_capacity(marks.len());
    for (table, swept) in &marks {
        let sweep = swept.begin(&core.store, due.end).await?;
        let start = due.start.max(sweep.start);
        let range = layout::expiries_between(table.id(), start, due.end);
        under_way.push(Expiring { table: Arc::clone(table), sweep, range });
    }
    for _ in 0..TURNS {
        let mut left = Vec::with_capacity(under_way.len());
        for mut expiring in under_way {
            go_on(stopping)?;
            let name = expiring.table.record.name.clone();
            let step = background.caught(expire_some(background, &mut expiring, due)).await;
            let ended = step.unwrap_or_else(|panicked| Err(Interruption::Panicked(panicked)));
            match ended {
                Ok(true) => left.push(expiring),
                Ok(false) => background.failures.note(
                    "removal of expired items",
                    &name,
                    Ok::<(), Interruption>(()),
                ),
                Err(error) => {
                    background.failures.note("removal of expired items", &name, Err(error));
                }
            }
        }
        if left.is_empty() {
            return Ok(false);
        }
        under_way = left;
    }
    Ok(true)
}

/// Removes some expired items of a table. Returns whether more may be left; a refused write ends
/// the removal.
async fn expire_some<S: Store>(
    background: &Background<S>,
    expiring: &mut Expiring<'_>,
    due: Due,
) -> Result<bool, Interruption> {
    let core = &*background.core;
    let Expiring { table, sweep, range } = expiring;
    let entries = first_keys(&core.store.view().await?, range, ITEMS_PER_COMMIT).await?;
    let Some(last) = entries.last() else {
        sweep.is_done();
        return Ok(false);
    };
    let writes = writes(table, &entries, due);
    let written = core.write(&writes, None).await;
    drop(writes);
    match written.map_err(Interruption::Definition)? {
        Some(written) => {
            let is_removed = |one: &&Written| one.old.is_some() && one.new.is_none();
            let removed = written.iter().filter(is_removed).count();
            background.expired.add(&table.record.name, removed, (core.environment.now_ms)());
            range.start = [&last[..], &[0]].concat();
            if let Some(second) = layout::parse_expiry_second(last) {
                sweep.is_at(second);
            }
            Ok(true)
        }
        // The definition has changed.
        None => match core.catalog.get(&table.record.name) {
            Some(current) if current.id() == table.id() && current.expiry.is_some() => {
                *table = current;
                Ok(true)
            }
            Some(_) | None => Ok(false),
        },
    }
}

/// Returns the write for each item of these entries, once. An item has one entry, but a view of a
/// store that servers share may be of several moments, and show both an item's former and its
/// present entry.
fn writes<'t>(table: &'t Table, entries: &[Key], due: Due) -> Vec<(&'t Table, Write<'static>)> {
    let mut seen = BTreeSet::new();
    let keys = entries.iter().filter_map(|entry| layout::parse_expiry(table, entry));
    let keys = keys.filter(|key| seen.insert(key.bytes.clone()));
    let write = |key| Write {
        key,
        key_attributes: Item::empty(),
        condition: None,
        action: Action::Expire(due),
        returns_item_on_failure: false,
        keeps_versions: true,
    };
    keys.map(|key| (table, write(key))).collect()
}
