//! Tables that are being created, updated or deleted: states that the service goes through and that
//! here only the clock ends.
//!
//! The change itself is done at once and durable; what is remembered here is how long it is to look
//! unfinished, and what it shows meanwhile: the answer to the request that asked for it. How long
//! that is, [`super::pace`] knows; what is refused meanwhile, `Asked::is_refused` of the model. A
//! restart ends every state.

use super::Limiter;
use super::pace::Pace;
use super::tag_change::TagChange;
use crate::schema::{Table, TableId, Tags};
use hashrange_model::error::UnderWay;
use hashrange_wire::TableDescription;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long after its creation a table has no continuous backups yet.
pub(super) const BACKUPS_DELAY_MS: u64 = 3000;

/// How far a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Creating,
    Updating,
    Active,
}

/// The changes that are to look unfinished.
#[derive(Debug)]
pub(crate) struct TableChanges {
    pub(super) pace: Pace,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// When the creations of tables end.
    pub(crate) creations: HashMap<TableId, u64>,
    pub(crate) updates: HashMap<TableId, Vec<Change>>,
    /// Kinds of change that a table has gone through.
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
    /// When a new index has its resources.
    allocated_ms: u64,
    /// The answer to the request, which shows what the change has not reached yet.
    pub(crate) shown: Arc<TableDescription>,
}

impl Change {
    /// Returns what is under way, unless it has ended.
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

/// Returns whether a table is UPDATING meanwhile; other changes leave it ACTIVE.
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

/// Returns what tells changes of one kind apart that are not repetitions of each other.
fn direction(what: &UnderWay) -> bool {
    matches!(what, UnderWay::BillingMode { to_on_demand: true })
}

impl TableChanges {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, pending: Mutex::default() }
    }

    /// Returns how long Contributor Insights is being enabled or disabled.
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
        // An index that is deleted while it is created is only deleted from now on.
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

    /// Adds the deletion of a table, as it is described meanwhile.
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
    /// Returns whether a table is not yet in use.
    pub(crate) fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        self.rules.changes.is_creating(table, now_ms)
    }
}
