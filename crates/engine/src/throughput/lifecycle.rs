//! Tables that are being created, updated or deleted: states that the service goes through and that
//! here only the clock ends.
//!
//! The change itself is done at once and durable; what is remembered here is how long it is to look
//! unfinished, and what it shows meanwhile: the answer to the request that asked for it. How long
//! that is, [`super::pace`] knows; what is refused meanwhile, [`Asked::is_refused`]. A restart ends
//! every state.

use super::Governor;
use super::pace::Pace;
use super::readiness::{BACKUPS_DELAY_MS, TagChange};
use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::schema::{IndexState, Table, TableId, Tags};
use hashrange_model::error::{Asked, Busy, UnderWay};
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{GlobalSecondaryIndexDescription, IndexStatus, TableDescription, TableStatus};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Creating,
    Updating,
    Active,
}

/// The changes that are to look unfinished.
#[derive(Debug)]
pub(super) struct TableChanges {
    pub(super) pace: Pace,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
pub(super) struct Pending {
    /// When the creations of tables end.
    pub(super) creations: HashMap<TableId, u64>,
    updates: HashMap<TableId, Vec<Change>>,
    /// Kinds of change that a table has gone through.
    done: HashSet<(TableId, Discriminant<UnderWay>, bool)>,
    /// Deletions by the tables' names.
    pub(super) deletions: BTreeMap<String, Deletion>,
    /// Changes of tags, oldest first.
    pub(super) tags: HashMap<TableId, Vec<TagChange>>,
}

/// A table that looks as if it were being deleted.
#[derive(Debug)]
pub(super) struct Deletion {
    pub(super) at_ms: u64,
    pub(super) until_ms: u64,
    description: TableDescription,
    pub(super) tags: Tags,
}

/// A change of a table that looks unfinished.
#[derive(Debug, Clone)]
struct Change {
    what: UnderWay,
    until_ms: u64,
    /// When a new index has its resources.
    allocated_ms: u64,
    /// The answer to the request, which shows what the change has not reached yet.
    shown: Arc<TableDescription>,
}

impl Change {
    /// Returns what is under way, unless it has ended.
    fn at(&self, now_ms: u64) -> Option<UnderWay> {
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
fn is_updating(what: &UnderWay) -> bool {
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

    pub(super) fn forget_old(&self, now_ms: u64) {
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

    fn forget_table(&self, table: TableId) {
        let mut pending = self.lock();
        pending.creations.remove(&table);
        pending.updates.remove(&table);
        pending.tags.remove(&table);
        pending.done.retain(|(known, ..)| *known != table);
    }

    fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        let longest_ms = self.pace.longest_creation_ms();
        if now_ms >= table.record.created_at_ms.saturating_add(longest_ms) {
            return false;
        }
        self.lock().creations.get(&table.id()).is_some_and(|until_ms| now_ms < *until_ms)
    }

    fn under_way(&self, table: TableId, now_ms: u64) -> Vec<UnderWay> {
        let pending = self.lock();
        let changes = pending.updates.get(&table).into_iter().flatten();
        changes.filter_map(|change| change.at(now_ms)).collect()
    }

    fn status(&self, table: &Table, now_ms: u64) -> Status {
        if self.is_creating(table, now_ms) {
            return Status::Creating;
        }
        let is_updating = self.under_way(table.id(), now_ms).iter().any(is_updating);
        if is_updating { Status::Updating } else { Status::Active }
    }

    fn deletion(&self, name: &str, now_ms: u64) -> Option<TableDescription> {
        let pending = self.lock();
        let deletion = pending.deletions.get(name)?;
        (now_ms < deletion.until_ms).then(|| deletion.description.clone())
    }

    fn remember(&self, table: TableId, what: UnderWay, now_ms: u64, shown: &Arc<TableDescription>) {
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

    pub(super) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Clone> Governor<V> {
    /// Returns whether a table is not yet in use.
    pub(crate) fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        self.rules.changes.is_creating(table, now_ms)
    }
}

impl<S: Store> Engine<S> {
    /// Returns how far a table is.
    pub(crate) fn status(&self, table: &Table) -> Status {
        match self.changes() {
            None => Status::Active,
            Some((changes, now_ms)) => changes.status(table, now_ms),
        }
    }

    /// Returns the table that a change names, unless it is being created or deleted.
    pub(crate) fn changeable_table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        if self.deleted_table(name_or_arn).is_some() {
            return Err(Reason::TableBeingDeleted(table_name_of(name_or_arn).to_owned()).into());
        }
        let table = self.named_table(name_or_arn)?;
        if self.status(&table) == Status::Creating {
            return Err(Reason::TableBeingCreated(table.record.name.clone()).into());
        }
        self.check_table_changes()?;
        Ok(table)
    }

    /// Refuses what is asked of a table while something else is under way that forbids it.
    pub(crate) fn check_admitted(&self, table: &Table, asked: &[Asked]) -> Result<(), Reason> {
        let under_way = self.under_way(table);
        for asked in asked {
            if let Some(busy) = under_way.iter().find(|change| asked.is_refused(change)) {
                return Err(Reason::TableBusy(Box::new(Busy {
                    table: table.record.name.clone(),
                    asked: asked.clone(),
                    under_way: busy.clone(),
                })));
            }
            if under_way.iter().any(|change| asked.is_one_index_too_many(change)) {
                return Err(Reason::OneIndexAtATime);
            }
        }
        Ok(())
    }

    /// Returns what is under way: what is to look so, and indexes that are really being filled.
    fn under_way(&self, table: &Table) -> Vec<UnderWay> {
        let mut under_way = match self.changes() {
            None => Vec::new(),
            Some((changes, now_ms)) => changes.under_way(table.id(), now_ms),
        };
        let filled = table.indexes.iter().filter(|index| index.state == IndexState::Creating);
        for index in filled.map(|index| &index.name) {
            let is_known = under_way.iter().any(|change| change.is_creation_of(index));
            if !is_known {
                under_way.push(UnderWay::IndexBackfill(index.clone()));
            }
        }
        under_way
    }

    /// Refuses to read an index that is to look as if it were being filled.
    pub(crate) fn check_index_filled(
        &self,
        table: &Table,
        index: Option<&str>,
    ) -> Result<(), Reason> {
        let (Some((changes, now_ms)), Some(index)) = (self.changes(), index) else {
            return Ok(());
        };
        let under_way = changes.under_way(table.id(), now_ms);
        if under_way.iter().any(|change| change.is_creation_of(index)) {
            return Err(Reason::IndexBackfilling(index.to_owned()));
        }
        Ok(())
    }

    /// Shows in a table's description what is under way.
    pub(crate) fn show_under_way(&self, table: &Table, description: &mut TableDescription) {
        let Some((changes, now_ms)) = self.changes() else { return };
        let pending = changes.lock();
        for change in pending.updates.get(&table.id()).into_iter().flatten() {
            if let Some(what) = change.at(now_ms) {
                show(&what, &change.shown, description);
            }
        }
    }

    /// Returns the description of a table that is being deleted.
    pub(crate) fn deleted_table(&self, name_or_arn: &str) -> Option<TableDescription> {
        let (changes, now_ms) = self.changes()?;
        changes.deletion(table_name_of(name_or_arn), now_ms)
    }

    /// Returns the names of the tables that are being deleted.
    pub(crate) fn deleted_table_names(&self) -> Vec<String> {
        let Some((changes, now_ms)) = self.changes() else { return Vec::new() };
        changes.forget_old(now_ms);
        changes.lock().deletions.keys().cloned().collect()
    }

    /// Remembers that a table has been created.
    pub(crate) fn remember_creation(&self, table: &Table) {
        if let Some((changes, now_ms)) = self.changes() {
            let until_ms = now_ms.saturating_add(changes.pace.creation_ms(&table.record));
            changes.lock().creations.insert(table.id(), until_ms);
        }
    }

    /// Remembers how a table has been changed, and how it is described meanwhile.
    pub(crate) fn remember_changes(
        &self,
        table: &Table,
        what: Vec<UnderWay>,
        description: &TableDescription,
    ) {
        let Some((changes, now_ms)) = self.changes() else { return };
        let shown = Arc::new(description.clone());
        for what in what {
            changes.remember(table.id(), what, now_ms, &shown);
        }
    }

    /// Remembers that a table has been deleted, as it is described meanwhile.
    pub(crate) fn remember_deletion(&self, table: &Table, description: &TableDescription) {
        if let Some((changes, now_ms)) = self.changes() {
            changes.forget_old(now_ms);
            changes.forget_table(table.id());
            let deletion = Deletion {
                at_ms: now_ms,
                until_ms: now_ms.saturating_add(changes.pace.deletion_ms()),
                description: description.clone(),
                tags: table.record.tags.clone(),
            };
            changes.lock().deletions.insert(table.record.name.clone(), deletion);
        }
        if let Some(governor) = &self.core().governor {
            governor.forget_table(table.id());
        }
    }

    pub(super) fn changes(&self) -> Option<(&TableChanges, u64)> {
        let governor = self.core().governor.as_deref()?;
        Some((&governor.rules.changes, (self.environment().now_ms)()))
    }
}

/// Puts what a change has not reached yet into a description.
fn show(what: &UnderWay, shown: &TableDescription, description: &mut TableDescription) {
    match what {
        UnderWay::Units => {
            description.provisioned_throughput.clone_from(&shown.provisioned_throughput);
        }
        UnderWay::BillingMode { to_on_demand } => {
            if let Some(summary) =
                description.billing_mode_summary.as_mut().filter(|_| *to_on_demand)
            {
                summary.last_update_to_pay_per_request_date_time = None;
            }
        }
        UnderWay::Stream { .. } => {}
        UnderWay::Class(_) => {
            description.table_class_summary.clone_from(&shown.table_class_summary);
        }
        UnderWay::Encryption => description.sse_description.clone_from(&shown.sse_description),
        UnderWay::Warm => description.warm_throughput.clone_from(&shown.warm_throughput),
        UnderWay::IndexAllocation(name) => show_creation(index(description, name), false),
        UnderWay::IndexBackfill(name) => show_creation(index(description, name), true),
        UnderWay::IndexDeletion(name) => {
            let mut described = shown.global_secondary_indexes.iter().flatten();
            let deleted = described.find(|index| index.index_name.as_ref() == Some(name)).cloned();
            if index(description, name).is_none() {
                description.global_secondary_indexes.get_or_insert_default().extend(deleted);
            }
        }
        UnderWay::IndexUpdate(name) | UnderWay::IndexWarm(name) => {
            let mut described = shown.global_secondary_indexes.iter().flatten();
            let was = described.find(|index| index.index_name.as_ref() == Some(name));
            if let (Some(index), Some(was)) = (index(description, name), was) {
                index.index_status = was.index_status;
                index.provisioned_throughput.clone_from(&was.provisioned_throughput);
                index.warm_throughput.clone_from(&was.warm_throughput);
            }
        }
    }
    if is_updating(what) {
        description.table_status = Some(TableStatus::Updating);
    }
}

fn index<'d>(
    description: &'d mut TableDescription,
    name: &str,
) -> Option<&'d mut GlobalSecondaryIndexDescription> {
    let mut described = description.global_secondary_indexes.iter_mut().flatten();
    described.find(|index| index.index_name.as_deref() == Some(name))
}

fn show_creation(index: Option<&mut GlobalSecondaryIndexDescription>, is_backfilling: bool) {
    let Some(index) = index else { return };
    index.index_status = Some(IndexStatus::Creating);
    index.backfilling = Some(is_backfilling);
    index.item_count = Some(0);
    index.index_size_bytes = Some(0);
    if let Some(warm) = &mut index.warm_throughput {
        warm.status = Some(IndexStatus::Creating);
    }
}
