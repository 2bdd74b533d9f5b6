//! Entries that an index of a table of the past would have. They are not stored: this reads the items or versions of the
//! table, or of the partition where the index is local, derives the entries, and keeps those that a page can have. So a
//! page costs a walk over the table's past, whatever it returns.
//!
//! The entry of a version has the key of the index's entry, followed by the stamp of its end, as in the table
//! (`layout/history.rs`). A deletion has none.

use super::PagePlan;
use super::key_range::contains;
use super::versions::{items_of_ranges, stored};
use crate::fault;
use crate::history::place::changes;
use crate::history::versions::is_deletion;
use crate::layout;
use crate::schema::{Index, IndexId, IndexKind, Past, Table};
use hashrange_model::error::HistoryFault;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Bytes, Direction, Key, KeyRange, View, Wanted};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Most items or versions that are read for a page, and most bytes of them.
const WALK_MAX_ITEMS: usize = 1_000_000;
const WALK_MAX_BYTES: usize = 1024 * 1024 * 1024;
/// Entries that may be kept beside those that a page can have.
const SPARE_ENTRIES: usize = 256;

/// An entry of an index.
#[derive(Debug)]
pub(super) struct PastEntry {
    /// Number of the range that has it.
    pub(super) nth: usize,
    pub(super) key: Key,
    pub(super) item: Item,
}

/// Returns the first entries of ranges in the order of the page, at least as many as it can have.
pub(super) async fn entries<V: View>(
    view: &V,
    plan: &PagePlan<'_>,
    index: &Index,
    ranges: &[KeyRange],
) -> ApiResult<Vec<PastEntry>> {
    let mut walk =
        EntryWalk { plan, index, ranges, best: Vec::new(), bytes: 0, items_read: 0, bytes_read: 0 };
    let mut refused = None;
    for items in walked(plan.table, index, ranges) {
        let range = stored(plan.table, items);
        view.visit(range, Direction::Forward, Wanted::ALL, |_, stored| match walk.step(stored) {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                refused = Some(fault);
                ControlFlow::Break(())
            }
        })
        .await
        .map_err(|error| fault::of_tables([plan.table], error))?;
        if let Some(fault) = refused {
            return Err(fault);
        }
    }
    walk.prune();
    Ok(walk.best)
}

/// Returns the ranges of the table's items that can have entries in ranges of an index.
fn walked(table: &Table, index: &Index, ranges: &[KeyRange]) -> Vec<KeyRange> {
    let of_partition = |range| layout::partition_in_table(range, &index.key);
    let ranges = items_of_ranges(table, ranges);
    let partitions: Option<Vec<_>> = match index.kind {
        IndexKind::Local => ranges.iter().map(of_partition).collect(),
        IndexKind::Global => None,
    };
    let mut walked =
        partitions.unwrap_or_else(|| vec![layout::keyspace(table.id(), IndexId::BASE)]);
    walked.sort_by(|one, two| one.start.cmp(&two.start));
    walked.dedup();
    walked
}

/// A walk over the items of a table.
struct EntryWalk<'w, 't> {
    plan: &'w PagePlan<'t>,
    index: &'w Index,
    ranges: &'w [KeyRange],
    /// Entries found, without some of those that come after enough others for a page.
    best: Vec<PastEntry>,
    /// Bytes of them.
    bytes: usize,
    items_read: usize,
    bytes_read: usize,
}

impl EntryWalk<'_, '_> {
    fn step(&mut self, stored: Bytes) -> ApiResult<()> {
        self.items_read += 1;
        self.bytes_read += stored.len();
        if self.items_read > WALK_MAX_ITEMS || self.bytes_read > WALK_MAX_BYTES {
            let table = self.plan.table.record.name.clone();
            return Err(Reason::History(HistoryFault::TooMuchForAnIndex { table }).into());
        }
        let item = Item::from_stored(stored).map_err(fault::of_form)?;
        let Some(key) = self.key(&item) else { return Ok(()) };
        let Some(nth) = self.ranges.iter().position(|range| contains(range, &key)) else {
            return Ok(());
        };
        self.bytes += item.size();
        self.best.push(PastEntry { nth, key, item });
        let enough = self.plan.limit.saturating_mul(2).saturating_add(SPARE_ENTRIES);
        if self.best.len() > enough || self.bytes > 4 * PAGE_SIZE_MAX_BYTES {
            self.prune();
        }
        Ok(())
    }

    /// Returns the key of an item's entry, if it has one.
    fn key(&self, item: &Item) -> Option<Key> {
        let key = layout::entry_key(self.plan.table, self.index, item)?;
        if self.plan.table.past != Some(Past::Versions) {
            return Some(key);
        }
        let (_, until) = changes(item).filter(|_| !is_deletion(item))?;
        Some(layout::version_after(&layout::versions_prefix(&key), until))
    }

    /// Drops the entries after those that a page can have.
    fn prune(&mut self) {
        let direction = self.plan.direction;
        self.best.sort_unstable_by(|one, two| order(direction, one, two));
        let (mut kept, mut bytes) = (0, 0);
        for entry in self.best.iter().take(self.plan.limit) {
            if bytes >= PAGE_SIZE_MAX_BYTES {
                break;
            }
            kept += 1;
            bytes += entry.item.size();
        }
        self.best.truncate(kept);
        self.bytes = bytes;
    }
}

fn order(direction: Direction, one: &PastEntry, two: &PastEntry) -> Ordering {
    let keys = match direction {
        Direction::Forward => one.key.cmp(&two.key),
        Direction::Backward => two.key.cmp(&one.key),
    };
    one.nth.cmp(&two.nth).then(keys)
}
