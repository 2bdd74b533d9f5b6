//! Removes expired items, a bounded number in each commit.
//!
//! What is due is read from the expiry index; whether an item really is, is decided under its lock
//! on its newest image, so an item that is rewritten at the last moment stays. The removal is a
//! write like any other: indexes, counters and the change log follow.

use super::purge::first_keys;
use super::{Interruption, go_on};
use crate::engine::Core;
use crate::expiry::Due;
use crate::layout;
use crate::schema::Table;
use crate::write::{Action, Write};
use hashrange_model::{ApiResult, Item};
use hashrange_storage::{Key, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const ITEMS_PER_COMMIT: usize = 100;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    stopping: &AtomicBool,
) -> Result<(), Interruption> {
    let due = Due::at((core.environment.now_ms)());
    for table in core.catalog.all() {
        if table.expiry.is_some() {
            let name = table.record.name.clone();
            let expired = expire(core, table, due, stopping).await?;
            core.complaints.note("removal of expired items", &name, expired);
        }
    }
    Ok(())
}

/// Removes the expired items of a table, until a write is refused.
async fn expire<S: Store>(
    core: &Core<S>,
    mut table: Arc<Table>,
    due: Due,
    stopping: &AtomicBool,
) -> Result<ApiResult<()>, Interruption> {
    let id = table.id();
    let mut range = layout::expiries_between(id, due.start, due.end);
    loop {
        go_on(stopping)?;
        let entries = first_keys(&core.store.view(), &range, ITEMS_PER_COMMIT).await?;
        let Some(last) = entries.last() else { return Ok(Ok(())) };
        let mut writes = writes(&table, &entries, due);
        match core.write(&mut writes).await {
            Ok(Some(_)) => range.start = [&last[..], &[0]].concat(),
            // The definition has changed.
            Ok(None) => match core.catalog.get(&table.record.name) {
                Some(current) if current.id() == id && current.expiry.is_some() => table = current,
                Some(_) | None => return Ok(Ok(())),
            },
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Returns the write for each entry. An item has one entry, so the keys are distinct.
fn writes<'t>(table: &'t Table, entries: &[Key], due: Due) -> Vec<(&'t Table, Write<'static>)> {
    let keys = entries.iter().filter_map(|entry| layout::parse_expiry(table, entry));
    let write = |key| Write {
        key,
        key_attributes: Item::empty(),
        condition: None,
        action: Action::Expire(due),
        returns_item_on_failure: false,
    };
    keys.map(|key| (table, write(key))).collect()
}
