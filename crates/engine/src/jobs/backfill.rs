//! Adds the items that existed before an index to it, while writes go on.
//!
//! From its creation every write maintains the index, so the backfill only has to write, for each
//! item it finds, the entry of the item's newest image under the item's lock; doing that twice is
//! harmless, so the recorded progress may lag behind. Entries are not counted meanwhile. When the
//! walk is complete, writes are held for one sync: from that cut on they count, and the entries
//! in the view taken at the cut are counted once. A restart before the end counts anew.

use super::{Interruption, go_on};
use crate::engine::Core;
use crate::index;
use crate::layout::{self, Counter};
use crate::schema::{IndexId, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Direction, Key, KeyRange, Store, View};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const ITEMS_PER_COMMIT: usize = 128;
const BYTES_PER_COMMIT: usize = 1024 * 1024;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
    stopping: &AtomicBool,
) -> Result<(), Interruption> {
    if !add_items(core, table, index, stopping).await? {
        return Ok(());
    }
    let Some(view) = cut(core, table, index).await? else { return Ok(()) };
    let (entries, bytes) = count_entries(&view, table, index, stopping).await?;
    activate(core, table, index, entries, bytes).await
}

/// Returns the table while the index is still being created.
fn creating<S: Store>(core: &Core<S>, table: TableId, index: IndexId) -> Option<Arc<Table>> {
    core.catalog.all().into_iter().find(|known| {
        known.id() == table
            && known
                .indexes
                .iter()
                .any(|known| known.id == index && known.state == IndexState::Creating)
    })
}

/// Walks the table from where the last run came to. Returns false if the index is gone.
async fn add_items<S: Store>(
    core: &Core<S>,
    id: TableId,
    index: IndexId,
    stopping: &AtomicBool,
) -> Result<bool, Interruption> {
    let progress_key = layout::backfill(id, index);
    let mut range = layout::keyspace(id, IndexId::BASE);
    if let Some(done) = core.store.view().get(&progress_key).await? {
        range.start = [&done[..], &[0]].concat();
    }
    loop {
        go_on(stopping)?;
        let Some(table) = creating(core, id, index) else { return Ok(false) };
        let keys = next_keys(core, &range).await?;
        let Some(last) = keys.last().cloned() else { return Ok(true) };
        let progress = Bytes::copy_from_slice(&last);
        core.store
            .commit(keys, |current, batch| {
                if !table.admits_writes() {
                    return;
                }
                let known = table.indexes.iter().find(|known| known.id == index);
                let known = known.expect("the index was found in this table");
                for item in current.iter().flatten().cloned().map(Item::from_stored) {
                    let entry = item.ok().and_then(|item| index::entry(&table, known, &item));
                    if let Some(entry) = entry {
                        batch.put(entry.key, entry.item.as_bytes().clone());
                    }
                }
                batch.put(progress_key.clone(), progress.clone());
            })
            .await?;
        if table.admits_writes() {
            range.start = [&last[..], &[0]].concat();
        }
    }
}

/// Returns the first item keys of a range, as many as fit a commit.
pub(super) async fn next_keys<S: Store>(
    core: &Core<S>,
    range: &KeyRange,
) -> Result<Vec<Key>, Interruption> {
    let mut keys = Vec::new();
    let mut bytes = 0;
    core.store
        .view()
        .visit(range.clone(), Direction::Forward, |key, value| {
            keys.push(key.to_vec());
            bytes += value.len();
            if keys.len() < ITEMS_PER_COMMIT && bytes < BYTES_PER_COMMIT {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .await?;
    Ok(keys)
}

/// Makes writes count the entries from one point on and returns the view of that point.
async fn cut<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
) -> Result<Option<S::View>, Interruption> {
    let _definitions = core.definitions.lock().await;
    let Some(table) = creating(core, table, index) else { return Ok(None) };
    table.pause_writes(true);
    let view = cut_while_paused(core, &table, index).await;
    table.pause_writes(false);
    view.map(Some)
}

async fn cut_while_paused<S: Store>(
    core: &Core<S>,
    table: &Table,
    index: IndexId,
) -> Result<S::View, Interruption> {
    core.store.sync().await?;
    let counters = [Counter::Entries, Counter::Bytes]
        .map(|counter| layout::counter(table.id(), index, counter));
    core.store
        .commit(vec![layout::table_record(table.id())], |_, batch| {
            counters.iter().for_each(|key| batch.delete(key.clone()));
        })
        .await?;
    let index = table.indexes.iter().find(|known| known.id == index);
    index.expect("the index was found in this table").counted.store(true, Ordering::Release);
    Ok(core.store.view())
}

async fn count_entries<V: View>(
    view: &V,
    table: TableId,
    index: IndexId,
    stopping: &AtomicBool,
) -> Result<(i64, i64), Interruption> {
    let (mut entries, mut bytes) = (0, 0);
    view.visit(layout::keyspace(table, index), Direction::Forward, |_, value| {
        entries += 1;
        bytes += Item::from_stored(value.clone()).map_or(0, |item| item.size() as i64);
        if stopping.load(Ordering::Acquire) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .await?;
    go_on(stopping)?;
    Ok((entries, bytes))
}

async fn activate<S: Store>(
    core: &Core<S>,
    id: TableId,
    index: IndexId,
    entries: i64,
    bytes: i64,
) -> Result<(), Interruption> {
    let _definitions = core.definitions.lock().await;
    let Some(table) = creating(core, id, index) else { return Ok(()) };
    let mut record = table.record.clone();
    for known in record.indexes.iter_mut().filter(|known| known.id == index) {
        known.state = IndexState::Active;
    }
    let (key, value) = (layout::table_record(id), crate::engine::encode_record(&record));
    core.store
        .commit(vec![key.clone()], |_, batch| {
            batch.put(key.clone(), value.clone());
            batch.delete(layout::backfill(id, index));
            index::count(&table, index, entries, bytes, batch);
        })
        .await?;
    core.catalog.put(table.successor(record));
    core.store.sync().await?;
    Ok(())
}
