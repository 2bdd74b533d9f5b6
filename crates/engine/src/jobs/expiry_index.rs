//! Fills the expiry index of a table when time to live is enabled, and removes it when it is
//! disabled, while writes go on.
//!
//! From the moment of enabling every write keeps the index up to date, so the job only has to put,
//! for each item that it finds, the entry of the item's newest image under the item's lock; doing
//! that twice is harmless, so the recorded progress may lag behind. While time to live is being
//! disabled no write touches the index any more, so the job removes it as a range. Two servers may
//! do the same for a while, and one of them after time to live has changed again: each commit is
//! made under the definition for which it was planned.

use super::Interruption;
use super::backfill::{next_keys, readable_items};
use super::lanes::Pace;
use super::purge::{KEYS_PER_COMMIT, first_keys};
use crate::core::Core;
use crate::layout;
use crate::schema::{IndexId, Table, TableId, TimeToLive, TimeToLiveState};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Batch, Key, Store};
use std::sync::Arc;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    id: TableId,
    pace: &Pace,
) -> Result<(), Interruption> {
    while let Some((table, state)) = changing(core, id) {
        let is_done = if state == TimeToLiveState::Enabling {
            fill(core, &table, pace).await?
        } else {
            remove(core, &table, pace).await?
        };
        if is_done && finish(core, id, state).await? {
            break;
        }
    }
    Ok(())
}

fn progress(table: TableId) -> Key {
    layout::expiry_progress(table)
}

/// Returns the table while its time to live is being enabled or disabled.
fn changing<S: Store>(core: &Core<S>, id: TableId) -> Option<(Arc<Table>, TimeToLiveState)> {
    let table = core.catalog.all().into_iter().find(|known| known.id() == id)?;
    let state = table.record.time_to_live.as_ref()?.state;
    (state != TimeToLiveState::Enabled).then_some((table, state))
}

/// Walks the table from where the last run ended. Returns false if the table's definition has
/// changed: another server may have finished this job, and time to live may have another attribute
/// by now.
async fn fill<S: Store>(core: &Core<S>, table: &Table, pace: &Pace) -> Result<bool, Interruption> {
    let progress = progress(table.id());
    let mut range = layout::keyspace(table.id(), IndexId::BASE);
    if let Some(done) = core.store.get(&progress).await? {
        pace.tally().goes_on();
        range.start = [&done[..], &[0]].concat();
    }
    loop {
        pace.step().await?;
        let keys = next_keys(core, &range).await?.keys;
        let Some(last) = keys.last().cloned() else { return Ok(true) };
        let done = Bytes::copy_from_slice(&last);
        let is_done = core.commit_under(
            table,
            || keys.clone(),
            |current, batch| {
                for item in &readable_items(&keys, current)? {
                    put_entry(table, item, batch);
                }
                batch.put(progress.clone(), done.clone());
                Ok(())
            },
        );
        let Some(done) = is_done.await? else { return changed(core).await };
        done.map_err(Interruption::Unreadable)?;
        pace.tally().add(keys.len());
        range.start = [&last[..], &[0]].concat();
    }
}

/// Removes the index as a range. Returns false if the table's definition has changed.
async fn remove<S: Store>(
    core: &Core<S>,
    table: &Table,
    pace: &Pace,
) -> Result<bool, Interruption> {
    let mut range = layout::expiries(table.id());
    loop {
        pace.step().await?;
        let keys = first_keys(&core.store.view().await?, &range, KEYS_PER_COMMIT).await?;
        let Some(last) = keys.last() else { return Ok(true) };
        range.start.clone_from(last);
        let is_removed = core.commit_under(
            table,
            || vec![progress(table.id())],
            |_, batch| keys.iter().for_each(|key| batch.delete(key.clone())),
        );
        if is_removed.await?.is_none() {
            return changed(core).await;
        }
    }
}

/// Reads the definitions again after a change, and waits for the writes that follow earlier ones.
async fn changed<S: Store>(core: &Core<S>) -> Result<bool, Interruption> {
    core.refresh().await.map_err(Interruption::Definition)?;
    core.store.sync().await?;
    Ok(false)
}

fn put_entry(table: &Table, item: &Item, batch: &mut Batch) {
    let key = layout::item_key(table, item);
    if let (Ok(key), Some(expiry)) = (key, &table.expiry) {
        expiry.put(table.id(), &key, item, batch);
    }
}

/// Records that the index is complete, or gone. Returns false if the state of time to live has
/// changed since the work began.
async fn finish<S: Store>(
    core: &Core<S>,
    id: TableId,
    state: TimeToLiveState,
) -> Result<bool, Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some((table, now)) = changing(core, id) else { return Ok(true) };
    if now != state {
        return Ok(false);
    }
    let mut record = table.record.clone();
    record.time_to_live = record
        .time_to_live
        .filter(|record| record.state == TimeToLiveState::Enabling)
        .map(|record| TimeToLive { state: TimeToLiveState::Enabled, ..record });
    let delete = |batch: &mut Batch| batch.delete(progress(id));
    let replaced = core.replace_table(&table, record, vec![progress(id)], delete);
    replaced.await.map_err(Interruption::Definition)?;
    Ok(true)
}
