//! Tables that are being created, updated or deleted: states that the service goes through and that
//! here only the clock ends.
//!
//! The change itself is done at once and durable; what is remembered here is only how long it is to
//! look unfinished. A restart ends every state but CREATING, which the table's age decides.

use super::Governor;
use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::schema::{Table, TableId};
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::TableDescription;
use std::collections::{BTreeMap, HashMap};
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
    delay_ms: u64,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    /// When the updates of tables end.
    updates: HashMap<TableId, u64>,
    /// When deletions end, by the tables' names, with their descriptions.
    deletions: BTreeMap<String, (u64, TableDescription)>,
}

impl TableChanges {
    pub(super) fn new(delay_ms: u64) -> Self {
        Self { delay_ms, pending: Mutex::default() }
    }

    pub(super) fn forget_old(&self, now_ms: u64) {
        let mut pending = self.lock();
        pending.updates.retain(|_, until_ms| now_ms < *until_ms);
        pending.deletions.retain(|_, (until_ms, _)| now_ms < *until_ms);
    }

    fn is_creating(&self, table: &Table, now_ms: u64) -> bool {
        now_ms < table.record.created_at_ms.saturating_add(self.delay_ms)
    }

    fn status(&self, table: &Table, now_ms: u64) -> Status {
        if self.is_creating(table, now_ms) {
            return Status::Creating;
        }
        match self.lock().updates.get(&table.id()) {
            Some(until_ms) if now_ms < *until_ms => Status::Updating,
            _ => Status::Active,
        }
    }

    fn deletion(&self, name: &str, now_ms: u64) -> Option<TableDescription> {
        let pending = self.lock();
        let (until_ms, description) = pending.deletions.get(name)?;
        (now_ms < *until_ms).then(|| description.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
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

    /// Returns the table that a change names, unless another change is under way.
    pub(crate) fn changeable_table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        if self.deleted_table(name_or_arn).is_some() {
            return Err(Reason::TableBeingDeleted(table_name_of(name_or_arn).to_owned()).into());
        }
        let table = self.named_table(name_or_arn)?;
        let name = || table.record.name.clone();
        match self.status(&table) {
            Status::Active => {
                self.check_table_changes()?;
                Ok(table)
            }
            Status::Creating => Err(Reason::TableBeingCreated(name()).into()),
            Status::Updating => Err(Reason::TableNotActive { table: name() }.into()),
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

    /// Remembers that a table has been updated.
    pub(crate) fn remember_update(&self, table: &Table) {
        if let Some((changes, now_ms)) = self.changes() {
            let until_ms = now_ms.saturating_add(changes.delay_ms);
            changes.lock().updates.insert(table.id(), until_ms);
        }
    }

    /// Remembers that a table has been deleted, as it is described meanwhile.
    pub(crate) fn remember_deletion(&self, table: &Table, description: &TableDescription) {
        if let Some((changes, now_ms)) = self.changes() {
            changes.forget_old(now_ms);
            let until_ms = now_ms.saturating_add(changes.delay_ms);
            let deletion = (until_ms, description.clone());
            changes.lock().deletions.insert(table.record.name.clone(), deletion);
        }
        if let Some(governor) = &self.core().governor {
            governor.forget_table(table.id());
        }
    }

    fn changes(&self) -> Option<(&TableChanges, u64)> {
        let governor = self.core().governor.as_deref()?;
        Some((&governor.rules.changes, (self.environment().now_ms)()))
    }
}
