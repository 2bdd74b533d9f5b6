//! Removes the entries of a deleted table or index, a bounded number in each commit.

use super::Interruption;
use super::lanes::Pace;
use crate::core::Core;
use crate::layout;
use crate::schema::{IndexId, TableId};
use hashrange_storage::{Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::ops::ControlFlow;

/// Most keys that one commit deletes.
pub(crate) const KEYS_PER_COMMIT: usize = 1000;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
    pace: &Pace,
) -> Result<(), Interruption> {
    let purge_key = layout::purge(table, index);
    let mut ranges = Vec::new();
    if index == IndexId::BASE {
        ranges.push(layout::all_keyspaces(table));
        ranges.extend(layout::table_sums(table));
        ranges.push(layout::expiries(table));
        ranges.extend(layout::histories(table));
        ranges.push(layout::undos_of(table));
    } else {
        ranges.push(layout::keyspace(table, index));
    }
    for range in ranges {
        empty_range(core, range, &purge_key, pace).await?;
    }
    if index != IndexId::BASE {
        forget_index(core, table, index).await?;
    }
    let mut keys = vec![
        purge_key.clone(),
        layout::filling(table, index),
        layout::backfill(table, index),
        layout::expiry_progress(table),
    ];
    if index == IndexId::BASE {
        keys.push(layout::rewriting(table));
        keys.push(layout::history_progress(table));
    }
    core.commit(
        || vec![purge_key.clone()],
        |_, batch| keys.iter().for_each(|key| batch.delete(key.clone())),
    )
    .await?;
    Ok(())
}

/// Removes everything in a range that is no longer read or written: the store drops whole files at
/// once, the rest is deleted key by key under the lock of `purge_key`.
pub(super) async fn empty_range<S: Store>(
    core: &Core<S>,
    range: KeyRange,
    purge_key: &Key,
    pace: &Pace,
) -> Result<(), Interruption> {
    let reclaiming = core.reclaiming.lock().await;
    if !core.noting.is_on() {
        core.store.reclaim(range.clone()).await?;
    }
    drop(reclaiming);
    remove_range(core, range, purge_key, pace).await
}

/// Deletes every key in a range under the lock of `purge_key`.
async fn remove_range<S: Store>(
    core: &Core<S>,
    mut range: KeyRange,
    purge_key: &Key,
    pace: &Pace,
) -> Result<(), Interruption> {
    loop {
        let keys = first_keys(&core.store.view().await?, &range, KEYS_PER_COMMIT).await?;
        // An empty range takes no turn of its own.
        let Some(last) = keys.last() else { return Ok(()) };
        pace.step().await?;
        range.start.clone_from(last);
        core.commit(
            || vec![purge_key.clone()],
            |_, batch| keys.iter().for_each(|key| batch.delete(key.clone())),
        )
        .await?;
        pace.tally().add(keys.len());
    }
}

/// Returns the first keys of a range, at most `limit`.
pub(crate) async fn first_keys<V: View>(
    view: &V,
    range: &KeyRange,
    limit: usize,
) -> Result<Vec<Key>, Error> {
    let mut keys: Vec<Key> = Vec::new();
    view.visit(range.clone(), Direction::Forward, Wanted::entries(limit), |key, _| {
        keys.push(key.to_vec());
        if keys.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .await?;
    Ok(keys)
}

/// Removes a purged index from its table's record, and its counters.
async fn forget_index<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
) -> Result<(), Interruption> {
    use crate::layout::Counter;
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let counters =
        [Counter::Entries, Counter::Bytes].map(|counter| layout::counter(table, index, counter));
    core.commit(
        || vec![layout::table_record(table)],
        |_, batch| counters.iter().for_each(|key| batch.remove_counter(key.clone())),
    )
    .await?;
    let Some(table) = core.catalog.all().into_iter().find(|known| known.id() == table) else {
        return Ok(());
    };
    let changed = core.change_table(&table, |record| {
        record.indexes.retain(|known| known.id != index);
        Ok(())
    });
    changed.await.map_err(Interruption::Definition)?;
    Ok(())
}
