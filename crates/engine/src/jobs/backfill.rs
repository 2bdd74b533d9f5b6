//! Adds the items that existed before an index to it, while writes go on.
//!
//! From its creation every write maintains the index, so the backfill only has to write, for each
//! item it finds, the entry of the item's newest image under the item's lock; doing that twice is
//! harmless, so the recorded progress may lag behind. Entries are not counted meanwhile. When the
//! walk is complete, writes are held for one sync: from that cut on they count, and the entries
//! in the view taken at the cut are counted once. A restart before the end counts anew.

use super::Interruption;
use super::lanes::Pace;
use crate::core::Core;
use crate::index;
use crate::layout::{self, Counter};
use crate::schema::{IndexId, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Direction, Key, KeyRange, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ITEMS_PER_COMMIT: usize = 128;
const BYTES_PER_COMMIT: usize = 1024 * 1024;
const ENTRIES_PER_STEP: usize = 10_000;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
    pace: &Pace,
) -> Result<(), Interruption> {
    if !add_items(core, table, index, pace).await? {
        return Ok(());
    }
    let Some(view) = cut(core, table, index).await? else { return Ok(()) };
    let Some(known) = creating(core, table, index) else { return Ok(()) };
    let (entries, bytes) = count_entries(&view, &known, index, pace).await?;
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
    pace: &Pace,
) -> Result<bool, Interruption> {
    let progress_key = layout::backfill(id, index);
    let mut range = layout::keyspace(id, IndexId::BASE);
    if let Some(done) = core.store.get(&progress_key).await? {
        range.start = [&done[..], &[0]].concat();
    }
    loop {
        pace.step().await?;
        let Some(table) = creating(core, id, index) else { return Ok(false) };
        let keys = next_keys(core, &range).await?;
        let Some(last) = keys.last().cloned() else { return Ok(true) };
        let progress = Bytes::copy_from_slice(&last);
        let known = table.indexes.iter().find(|known| known.id == index);
        let known = known.expect("the index was found in this table");
        let is_done = core.commit(
            || keys.clone(),
            |current, batch| {
                if !table.admits_writes() {
                    return Ok(false);
                }
                let items = readable_items(&keys, current).inspect_err(|_| batch.clear())?;
                for entry in items.iter().filter_map(|item| index::entry(&table, known, item)) {
                    batch.put(entry.key, entry.item.as_bytes().clone());
                }
                batch.put(progress_key.clone(), progress.clone());
                Ok(true)
            },
        );
        if is_done.await?.map_err(Interruption::Unreadable)? {
            range.start = [&last[..], &[0]].concat();
        }
    }
}

/// Reads the items that are stored at keys; one that is unreadable, which an index would lack, fails
/// with its key.
pub(super) fn readable_items(keys: &[Key], current: &[Option<Bytes>]) -> Result<Vec<Item>, Key> {
    let stored = keys.iter().zip(current).filter_map(|(key, stored)| Some((key, stored.clone()?)));
    stored.map(|(key, stored)| Item::from_stored(stored).map_err(|_| key.clone())).collect()
}

/// Returns the first item keys of a range, as many as fit a commit.
pub(super) async fn next_keys<S: Store>(
    core: &Core<S>,
    range: &KeyRange,
) -> Result<Vec<Key>, Interruption> {
    let mut keys = Vec::new();
    let mut bytes = 0;
    let wanted = Wanted { entries: ITEMS_PER_COMMIT, bytes: BYTES_PER_COMMIT };
    core.store
        .view()
        .await?
        .visit(range.clone(), Direction::Forward, wanted, |key, value| {
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
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some(table) = creating(core, table, index) else { return Ok(None) };
    let _paused = table.pause_writes();
    cut_while_paused(core, &table, index).await.map(Some)
}

async fn cut_while_paused<S: Store>(
    core: &Core<S>,
    table: &Table,
    index: IndexId,
) -> Result<S::View, Interruption> {
    core.store.sync().await?;
    let counters = [Counter::Entries, Counter::Bytes]
        .map(|counter| layout::counter(table.id(), index, counter));
    let guard = || vec![layout::table_record(table.id())];
    core.commit(guard, |_, batch| {
        for key in &counters {
            batch.remove_counter(key.clone());
        }
    })
    .await?;
    let index = table.indexes.iter().find(|known| known.id == index);
    index.expect("the index was found in this table").counted.store(true, Ordering::Release);
    Ok(core.store.view().await?)
}

/// Counts the entries of an index in the view of the cut, a bounded number in each step.
async fn count_entries<V: View>(
    view: &V,
    table: &Table,
    index: IndexId,
    pace: &Pace,
) -> Result<(i64, i64), Interruption> {
    let (mut entries, mut bytes) = (0, 0);
    let mut range = layout::keyspace(table.id(), index);
    let known = table.indexes.iter().find(|known| known.id == index);
    let known = known.expect("the index was found in this table");
    loop {
        pace.step().await?;
        let (mut last, mut left, mut unreadable) = (None, ENTRIES_PER_STEP, None);
        let wanted = Wanted::entries(ENTRIES_PER_STEP);
        view.visit(range.clone(), Direction::Forward, wanted, |key, value| {
            match Item::from_stored(value) {
                Ok(entry) if index::lies_at(table, known, key, &entry) => {
                    bytes += index::counted(&entry);
                }
                Ok(_) | Err(_) => unreadable = Some(key.to_vec()),
            }
            entries += 1;
            left -= 1;
            last = Some([key, &[0]].concat());
            let goes_on = unreadable.is_none() && left > 0;
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .await?;
        if let Some(key) = unreadable {
            return Err(Interruption::Unreadable(key));
        }
        let Some(next) = last.filter(|_| left == 0) else { return Ok((entries, bytes)) };
        range.start = next;
    }
}

async fn activate<S: Store>(
    core: &Core<S>,
    id: TableId,
    index: IndexId,
    entries: i64,
    bytes: i64,
) -> Result<(), Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some(table) = creating(core, id, index) else { return Ok(()) };
    let mut record = table.record.clone();
    for known in record.indexes.iter_mut().filter(|known| known.id == index) {
        known.state = IndexState::Active;
    }
    let progress = layout::backfill(id, index);
    core.replace_table(&table, record, vec![progress.clone()], |batch| {
        batch.delete(progress.clone());
        index::count(&table, index, entries, bytes, batch);
    })
    .map_err(Interruption::Definition)?;
    Ok(())
}
