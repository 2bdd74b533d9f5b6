//! Fills the expiry index of a table when time to live is enabled, and removes it when it is
//! disabled, while writes go on.
//!
//! From the moment of enabling every write keeps the index up to date, so filling only has to put,
//! for each item it finds, the entry of the item's newest image under the item's lock; doing that
//! twice is harmless, so the recorded progress may lag behind. When it is being disabled no write
//! touches the index any more, so it is removed as a range.

use super::backfill::{next_keys, readable_items};
use super::lanes::Pace;
use super::{Interruption, purge};
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
    let Some(table) = changing(core, id) else { return Ok(()) };
    match table.record.time_to_live.as_ref().map(|record| record.state) {
        Some(TimeToLiveState::Enabling) => fill(core, id, pace).await?,
        Some(TimeToLiveState::Disabling) => {
            purge::remove_range(core, layout::expiries(id), &progress(id), pace).await?;
        }
        Some(TimeToLiveState::Enabled) | None => return Ok(()),
    }
    finish(core, id).await
}

fn progress(table: TableId) -> Key {
    layout::expiry_progress(table)
}

/// Returns the table while its time to live is being enabled or disabled.
fn changing<S: Store>(core: &Core<S>, id: TableId) -> Option<Arc<Table>> {
    core.catalog.all().into_iter().find(|known| {
        let record = known.record.time_to_live.as_ref();
        known.id() == id && record.is_some_and(|record| record.state != TimeToLiveState::Enabled)
    })
}

/// Walks the table from where the last run came to.
async fn fill<S: Store>(core: &Core<S>, id: TableId, pace: &Pace) -> Result<(), Interruption> {
    let mut range = layout::keyspace(id, IndexId::BASE);
    if let Some(done) = core.store.get(&progress(id)).await? {
        range.start = [&done[..], &[0]].concat();
    }
    loop {
        pace.step().await?;
        let Some(table) = changing(core, id) else { return Ok(()) };
        let keys = next_keys(core, &range).await?.keys;
        let Some(last) = keys.last().cloned() else { return Ok(()) };
        let done = Bytes::copy_from_slice(&last);
        let is_done = core.commit_under(
            &table,
            || keys.clone(),
            |current, batch| {
                for item in &readable_items(&keys, current)? {
                    put_entry(&table, item, batch);
                }
                batch.put(progress(id), done.clone());
                Ok(())
            },
        );
        match is_done.await? {
            Some(done) => {
                done.map_err(Interruption::Unreadable)?;
                range.start = [&last[..], &[0]].concat();
            }
            None => core.refresh().await.map_err(Interruption::Definition)?,
        }
    }
}

fn put_entry(table: &Table, item: &Item, batch: &mut Batch) {
    let key = layout::item_key(table, item);
    if let (Ok(key), Some(expiry)) = (key, &table.expiry) {
        expiry.put(table.id(), &key, item, batch);
    }
}

/// Records that the index is complete, or gone.
async fn finish<S: Store>(core: &Core<S>, id: TableId) -> Result<(), Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some(table) = changing(core, id) else { return Ok(()) };
    let mut record = table.record.clone();
    record.time_to_live = record
        .time_to_live
        .filter(|record| record.state == TimeToLiveState::Enabling)
        .map(|record| TimeToLive { state: TimeToLiveState::Enabled, ..record });
    let delete = |batch: &mut Batch| batch.delete(progress(id));
    let replaced = core.replace_table(&table, record, vec![progress(id)], delete);
    replaced.await.map_err(Interruption::Definition)?;
    Ok(())
}
