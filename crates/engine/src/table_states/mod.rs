//! States of tables under a profile: shows requests the tables that are being created, updated or
//! deleted, and refuses changes meanwhile. Under the default profile only the filling of an index
//! is ever under way.
//!
//! | file | idea |
//! |---|---|
//! | `mod.rs` | states for the operations that define tables |
//! | `readiness.rs` | states for those on tags, time to live, backups and policies |
//! | `quotas.rs` | limits on tables and units of an account, and on the rate of changes |
//!
//! Left to others: the memory of changes, and their durations ([`crate::throughput`]).

mod quotas;
mod readiness;

use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::schema::{IndexState, Table};
use crate::throughput::{Status, TableChanges, is_updating};
use hashrange_model::error::{Asked, Busy, UnderWay};
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{GlobalSecondaryIndexDescription, IndexStatus, TableDescription, TableStatus};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Returns the state of a table.
    pub(crate) fn status(&self, table: &Table) -> Status {
        match self.changes() {
            None => Status::Active,
            Some((changes, now_ms)) => changes.status(table, now_ms),
        }
    }

    /// Returns the table that a request wants to change, unless it is being created or deleted.
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

    /// Refuses a request for a table while a change is under way that forbids it.
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

    /// Returns the changes under way: those that look unfinished, and the real filling of indexes.
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

    /// Refuses to read an index that looks as if it were being filled.
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

    /// Shows the changes under way in a table's description.
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

    /// Records that a table has been created.
    pub(crate) fn remember_creation(&self, table: &Table) {
        if let Some((changes, now_ms)) = self.changes() {
            changes.add_creation(table, now_ms);
        }
    }

    /// Records the changes of a table, and its description while they look unfinished.
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

    /// Records that a table has been deleted, and its description while it looks unfinished.
    pub(crate) fn remember_deletion(&self, table: &Table, description: &TableDescription) {
        if let Some((changes, now_ms)) = self.changes() {
            changes.add_deletion(table, description, now_ms);
        }
        if let Some(limiter) = self.limiter() {
            limiter.forget_table(table.id());
        }
        self.core().heat.forget_table(table);
    }

    fn changes(&self) -> Option<(&TableChanges, u64)> {
        Some((self.limiter()?.changes(), (self.environment().now_ms)()))
    }
}

/// Shows a change under way in a description: replaces its members by those of `shown`.
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
