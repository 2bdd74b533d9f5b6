//! Tables that are being created, updated or deleted: states as on the service, which only the
//! clock ends here.
//!
//! The change itself is done and durable at once; this memory holds the time until which it looks
//! unfinished, and the description shown meanwhile, which is that of the response to the request.
//! [`super::pace`] has the durations; `Asked::is_refused` of the model decides which requests are
//! refused meanwhile. A restart ends every state.

use super::Limiter;
use super::pace::Pace;
use super::tag_change::TagChange;
use crate::schema::{Table, TableId, Tags};
use hashrange_model::error::UnderWay;
use hashrange_wire::TableDescription;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Time after its creation at which a table gets continuous backups, milliseconds.
pub(super) const BACKUPS_DELAY_MS: u64 = 3000;

/// State of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Creating,
    Updating,
    Active,
}

/// Changes that look unfinished.
#[derive(Debug)]
pub(crate) struct TableChanges {
    pub(super) pace: Pace,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Ends of the creations of tables, epoch milliseconds.
    pub(crate) creations: HashMap<TableId, u64>,
    pub(crate) updates: HashMap<TableId, Vec<Change>>,
    /// Kinds of change that were made to a table before.
    done: HashSet<(TableId, Discriminant<UnderWay>, bool)>,
    /// Deletions by the tables' names.
    pub(crate) deletions: BTreeMap<String, Deletion>,
    /// Changes of tags, oldest first.
    pub(crate) tags: HashMap<TableId, Vec<TagChange>>,
}

/// A table that looks as if it were being deleted.
#[derive(Debug)]
pub(crate) struct Deletion {
    pub(crate) at_ms: u64,
    pub(crate) until_ms: u64,
    pub(crate) description: TableDescription,
    pub(crate) tags: Tags,
}

/// A change of a table that looks unfinished.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    what: UnderWay,
    until_ms: u64,
    /// Time at which a new index gets its resources, epoch milliseconds.
    allocated_ms: u64,
    /// Description in the response to the request, which shows the values before the change.
    pub(crate) shown: Arc<TableDescription>,
}

impl Change {
    /// Returns the change under way; `None` if it has ended.
    pub(crate) fn at(&self, now_ms: u64) -> Option<UnderWay> {
        if now_ms >= self.until_ms {
            return None;
        }
        Some(match &self.what {
            UnderWay::IndexAllocation(index) if now_ms >= self.allocated_ms => {
                UnderWay::IndexBackfill(index.clone())
            }
            what => what.clone(),
        })
    }
}

/// Returns whether a change makes its table UPDATING; other changes leave it ACTIVE.
pub(crate) fn is_updating(what: &UnderWay) -> bool {
    match what {
        UnderWay::Units
        | UnderWay::BillingMode { .. }
        | UnderWay::Stream { .. }
        | UnderWay::Class(_)
        | UnderWay::IndexAllocation(_)
        | UnderWay::IndexDeletion(_) => true,
        UnderWay::Encryption
        | UnderWay::Warm
        | UnderWay::IndexBackfill(_)
        | UnderWay::IndexUpdate(_)
        | UnderWay::IndexWarm(_) => false,
    }
}

/// Returns the direction of a change: changes of one kind in different directions are not
/// repetitions.
fn direction(what: &UnderWay) -> bool {
    matches!(what, UnderWay::BillingMode { to_on_demand: true })
}

impl TableChanges {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, pending: Mutex::default() }
    }

    /// Returns how long a change of Contributor Insights looks unfinished, milliseconds.
    pub(crate) fn insights_ms(&self) -> u64 {
        self.pace.insights_ms()
    }

    pub(crate) fn forget_old(&self, now_ms: u64) {
        let mut pending = self.lock();
        let is_new = |until_ms: u64| now_ms < until_ms.saturating_add(BACKUPS_DELAY_MS);
        pending.creations.retain(|_, until_ms| is_new(*until_ms));
        pending.updates.retain(|_, changes| {
            changes.retain(|change| now_ms < change.until_ms);
            !changes.is_empty()
        });
        pending.deletions.retain(|_, deletion| now_ms < deletion.until_ms);
        pending.tags.retain(|_, changes| {
            changes.retain(|change| change.is_recent(now_ms));
            !changes.is_empty()
        });
    }

    pub(crate) fn forget_table(&self, table: TableId) {
        let mut pending = self.lock();
        pending.creations.remove(&table);
        pending.updates.remove(&table);
        pending.tags.remove(&table);
        pending.done.retain(|(known, ..)| *known != table);
    }

    pub(crate) fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        let longest_ms = self.pace.longest_creation_ms();
        if now_ms >= table.record.created_at_ms.saturating_add(longest_ms) {
            return false;
        }
        self.lock().creations.get(&table.id()).is_some_and(|until_ms| now_ms < *until_ms)
    }

    pub(crate) fn under_way(&self, table: TableId, now_ms: u64) -> Vec<UnderWay> {
        let pending = self.lock();
        let changes = pending.updates.get(&table).into_iter().flatten();
        changes.filter_map(|change| change.at(now_ms)).collect()
    }

    pub(crate) fn status(&self, table: &Table, now_ms: u64) -> Status {
        if self.is_creating(table, now_ms) {
            return Status::Creating;
        }
        let is_updating = self.under_way(table.id(), now_ms).iter().any(is_updating);
        if is_updating { Status::Updating } else { Status::Active }
    }

    pub(crate) fn deletion(&self, name: &str, now_ms: u64) -> Option<TableDescription> {
        let pending = self.lock();
        let deletion = pending.deletions.get(name)?;
        (now_ms < deletion.until_ms).then(|| deletion.description.clone())
    }

    pub(crate) fn remember(
        &self,
        table: TableId,
        what: UnderWay,
        now_ms: u64,
        shown: &Arc<TableDescription>,
    ) {
        let mut pending = self.lock();
        let is_repeated = !pending.done.insert((table, discriminant(&what), direction(&what)));
        let until_ms = now_ms.saturating_add(self.pace.change_ms(&what, is_repeated));
        let allocated_ms = now_ms.saturating_add(self.pace.index_allocation_ms());
        let changes = pending.updates.entry(table).or_default();
        // The deletion of an index ends its creation.
        if let UnderWay::IndexDeletion(index) = &what {
            changes.retain(|known| known.what != UnderWay::IndexAllocation(index.clone()));
        }
        changes.push(Change { what, until_ms, allocated_ms, shown: Arc::clone(shown) });
    }

    /// Adds the creation of a table.
    pub(crate) fn add_creation(&self, table: &Table, now_ms: u64) {
        let until_ms = now_ms.saturating_add(self.pace.creation_ms(&table.record));
        self.lock().creations.insert(table.id(), until_ms);
    }

    /// Adds the deletion of a table, with its description while it looks unfinished.
    pub(crate) fn add_deletion(&self, table: &Table, description: &TableDescription, now_ms: u64) {
        self.forget_old(now_ms);
        self.forget_table(table.id());
        let deletion = Deletion {
            at_ms: now_ms,
            until_ms: now_ms.saturating_add(self.pace.deletion_ms()),
            description: description.clone(),
            tags: table.record.tags.clone(),
        };
        self.lock().deletions.insert(table.record.name.clone(), deletion);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Clone> Limiter<V> {
    /// Returns whether a table looks as if it were being created.
    pub(crate) fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        self.rules.changes.is_creating(table, now_ms)
    }
}
