//! Fills a new index with the items that were there before it, while writes go on.
//!
//! The job works range by range, as [`crate::filling`] says: it claims, lists, fills and counts.
//! The progress is stored in the commit that counts the entries, so a job that continues after a
//! failure, a restart or the end of a server begins where the last commit ended; two jobs that fill
//! the same index take ranges from each other and do no harm.

use super::Interruption;
use super::lanes::Pace;
use super::seen::Tally;
use crate::core::Core;
use crate::filling::{Claim, Filled};
use crate::index;
use crate::layout::{self, Counter};
use crate::schema::{Index, IndexId, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Batch, Direction, Key, KeyRange, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;

const ITEMS_PER_COMMIT: usize = 256;
const BYTES_PER_COMMIT: usize = 1024 * 1024;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    table: TableId,
    index: IndexId,
    pace: &Pace,
) -> Result<(), Interruption> {
    loop {
        pace.step().await?;
        let Some(table) = creating(core, table, index) else { return Ok(()) };
        if fill_some(core, &table, index, pace.tally()).await? {
            break;
        }
    }
    activate(core, table, index).await
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

/// Fills the next range, unless another job was faster. Returns whether the index is complete.
async fn fill_some<S: Store>(
    core: &Core<S>,
    table: &Table,
    index: IndexId,
    tally: &Tally,
) -> Result<bool, Interruption> {
    let progress = layout::filling(table.id(), index);
    let stored = core.store.get(&progress).await?;
    let filled = Filled::decode(stored.as_deref());
    let filled = filled.map_err(|_| Interruption::Unreadable(progress.clone()))?;
    let Some(to) = filled.to else { return Ok(true) };
    let mut range = layout::keyspace(table.id(), IndexId::BASE);
    if !to.is_empty() {
        tally.goes_on();
        range.start = [to, &[0]].concat();
    }
    let found = next_keys(core, &range).await?;
    let token = (core.environment.random)();
    let claim = Some(Claim { token, end: found.end().map(Vec::as_slice) });
    let claimed = Filled { claim, ..filled }.encode();
    if let Some(end) = found.end() {
        range.end = Some([&end[..], &[0]].concat());
    }
    // Writes of this server that meet the claim wait until it is dropped.
    let _claiming = core.claiming.write().await;
    if !claim_range(core, table, index, stored.as_ref(), &claimed).await? {
        core.refresh().await.map_err(Interruption::Definition)?;
        return Ok(false);
    }
    let is_filled = fill(core, table, index, &range, found.end(), &claimed).await;
    match is_filled {
        Ok(true) => tally.add(found.keys.len()),
        Ok(false) => core.refresh().await.map_err(Interruption::Definition)?,
        // If this fails too, a write that meets the claim breaks it.
        Err(_) => core.end_claim(&progress, &claimed).await.unwrap_or_default(),
    }
    is_filled.map(|_| false)
}

/// Claims a range, if the progress of the index is still the one that was `seen`.
async fn claim_range<S: Store>(
    core: &Core<S>,
    table: &Table,
    index: IndexId,
    seen: Option<&Bytes>,
    claimed: &Bytes,
) -> Result<bool, Interruption> {
    let progress = layout::filling(table.id(), index);
    let is_claimed = core.commit_under(
        table,
        || vec![progress.clone()],
        |current, batch| {
            if current[0].as_ref() != seen {
                return false;
            }
            if seen.is_none() {
                // Nothing is counted before the first claim, but an older release may have left
                // counts.
                for counter in [Counter::Entries, Counter::Bytes] {
                    batch.remove_counter(layout::counter(table.id(), index, counter));
                }
            }
            batch.put(progress.clone(), claimed.clone());
            true
        },
    );
    Ok(is_claimed.await? == Some(true))
}

/// Fills and counts a claimed range, up to the key `end` or to the end of the table. Returns false
/// if the claim was lost.
async fn fill<S: Store>(
    core: &Core<S>,
    table: &Table,
    index: IndexId,
    range: &KeyRange,
    end: Option<&Key>,
    claimed: &Bytes,
) -> Result<bool, Interruption> {
    // No write adds to the range any more. Before the claim writes may have added more than one
    // commit takes.
    let found = next_keys(core, range).await?;
    let to = found.end().or(end).map(Vec::as_slice);
    let filled = Filled { to, claim: None }.encode();
    let progress = layout::filling(table.id(), index);
    let known = table.indexes.iter().find(|known| known.id == index);
    let known = known.expect("the index was found in this table");
    let is_filled = core.commit_under(
        table,
        || found.keys.iter().chain([&progress]).cloned().collect(),
        |current, batch| {
            let (progress_now, current) = current.split_last().expect("the progress is declared");
            if progress_now.as_ref() != Some(claimed) {
                return Ok(false);
            }
            let items = readable_items(&found.keys, current)?;
            put_entries(table, known, &items, batch);
            batch.put(progress.clone(), filled.clone());
            Ok(true)
        },
    );
    is_filled.await?.unwrap_or(Ok(false)).map_err(Interruption::Unreadable)
}

/// Puts the entries of some items and counts them.
fn put_entries(table: &Table, index: &Index, items: &[Item], batch: &mut Batch) {
    let (mut entries, mut bytes) = (0, 0);
    for entry in items.iter().filter_map(|item| index::entry(table, index, item)) {
        entries += 1;
        bytes += index::counted(&entry.item);
        batch.put(entry.key, entry.item.as_bytes().clone());
    }
    index::count(table, index.id, entries, bytes, batch);
}

/// Decodes the items that are stored at keys; fails with the key of an unreadable one, which an
/// index would lack.
pub(super) fn readable_items(keys: &[Key], current: &[Option<Bytes>]) -> Result<Vec<Item>, Key> {
    let stored = keys.iter().zip(current).filter_map(|(key, stored)| Some((key, stored.clone()?)));
    stored.map(|(key, stored)| Item::from_stored(stored).map_err(|_| key.clone())).collect()
}

/// The first item keys of a range.
#[derive(Debug)]
pub(super) struct KeysPage {
    pub(super) keys: Vec<Key>,
    /// True if these are all keys of the range.
    is_all: bool,
}

impl KeysPage {
    /// Returns the last key, or `None` if the range holds no further keys.
    fn end(&self) -> Option<&Key> {
        self.keys.last().filter(|_| !self.is_all)
    }
}

/// Returns the first item keys of a range, as many as fit a commit.
pub(super) async fn next_keys<S: Store>(
    core: &Core<S>,
    range: &KeyRange,
) -> Result<KeysPage, Interruption> {
    let mut found = KeysPage { keys: Vec::new(), is_all: true };
    let mut bytes = 0;
    let wanted = Wanted { entries: ITEMS_PER_COMMIT, bytes: BYTES_PER_COMMIT };
    core.store
        .view()
        .await?
        .visit(range.clone(), Direction::Forward, wanted, |key, value| {
            found.keys.push(key.to_vec());
            bytes += value.len();
            found.is_all = found.keys.len() < ITEMS_PER_COMMIT && bytes < BYTES_PER_COMMIT;
            if found.is_all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .await?;
    Ok(found)
}

/// Records that the index is complete.
async fn activate<S: Store>(
    core: &Core<S>,
    id: TableId,
    index: IndexId,
) -> Result<(), Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some(table) = creating(core, id, index) else { return Ok(()) };
    let mut record = table.record.clone();
    for known in record.indexes.iter_mut().filter(|known| known.id == index) {
        known.state = IndexState::Active;
    }
    let replaced = core.replace_table(&table, record, Vec::new(), |_| {});
    replaced.await.map_err(Interruption::Definition)?;
    // Only now: a write that follows the old definition counts by the stored progress.
    core.store.sync().await?;
    let progress = [layout::filling(id, index), layout::backfill(id, index)];
    core.commit(
        || progress.to_vec(),
        |_, batch| progress.iter().for_each(|key| batch.delete(key.clone())),
    )
    .await?;
    Ok(())
}
