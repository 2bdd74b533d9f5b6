//! Explanation of a write: decided on the present item and not committed, or with ANALYZE committed.

use super::explanation::{EntryChange, Explanation, Mode, Step, Time, WriteAction, WriteStep};
use super::keys::{hex, key_item_text};
use super::plan::Asked;
use super::read::units_by_target;
use crate::capacity::{Units, write_units};
use crate::engine::Engine;
use crate::index;
use crate::intent::Intent;
use crate::schema::{Index, Table};
use crate::write::{Action, Attempt, Write, Written};
use hashrange_model::bounds::told;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Store, counting_commits};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<S: Store> Engine<S> {
    /// Explains a write of one table that `plan` checks against its definition. `key` is the item's key, or the item;
    /// `worded` words a refusal as the operation does.
    pub(crate) async fn explain_write<'p>(
        &self,
        (table_name, key): (&str, &Item),
        intent: &Intent<'_>,
        plan: impl Fn(&Table) -> ApiResult<Write<'p>> + Send + Sync,
        worded: fn(ApiError) -> ApiError,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let table = self.table(table_name)?;
        let write = plan(&table)?;
        let planned_ms = self.now_ms();
        let mut step = WriteStep::of(&table, &write, key)?;
        match asked.mode {
            Mode::Plan => {
                let mut attempts = self.core().rehearse(&[(&*table, write)]).await?;
                let Attempt { result, stored_bytes } = attempts.pop().ok_or(Reason::Internal)?;
                match result {
                    Ok(written) => step.add_written(&table, &written, 1.0),
                    Err(why) => {
                        let units = units_of_refused(&why, stored_bytes);
                        let refused = told(&worded(why));
                        step.add_refused(&table, refused, &units, stored_bytes);
                    }
                }
            }
            Mode::Analyze => {
                let (written, round_trips) =
                    self.counting(self.write(table_name, intent, plan)).await;
                let (table, written) = written?;
                step.add_written(&table, &written, 1.0);
                step.round_trips = round_trips;
            }
        }
        let analyzed = asked.mode == Mode::Analyze;
        let time = Time {
            plan_ms: planned_ms.saturating_sub(asked.began_ms),
            run_ms: self.now_ms().saturating_sub(planned_ms),
        };
        Ok(Explanation {
            operation: asked.operation,
            pattern: intent.pattern(),
            analyzed,
            steps: vec![Step::Write(Box::new(step))],
            together: None,
            price: None,
            advice: Vec::new(),
            time: analyzed.then_some(time),
        })
    }
}

impl<S: Store> Engine<S> {
    /// Runs a call, and returns its output and the number of requests that its commits sent to a remote database;
    /// `None` if none is remote.
    pub(crate) async fn counting<F: Future>(&self, call: F) -> (F::Output, Option<u64>) {
        if !self.store().is_shared() {
            return (call.await, None);
        }
        let requests = Arc::default();
        let output = counting_commits(&requests, call).await;
        (output, Some(requests.load(Ordering::Relaxed)))
    }
}

/// Returns the units of a refused write: only a failed condition is charged.
pub(crate) fn units_of_refused(why: &ApiError, stored_bytes: usize) -> Units {
    let is_condition = matches!(why.reason(), Reason::ConditionalCheckFailed);
    Units::of_table(if is_condition { write_units(stored_bytes) } else { 0.0 })
}

impl WriteStep {
    /// Returns the step of a write that has not been decided. `key` is the item's key, or the item.
    pub(crate) fn of(table: &Table, write: &Write<'_>, key: &Item) -> ApiResult<Self> {
        let (action, update) = match &write.action {
            Action::Put(_) | Action::PutUnsettled(_) => (WriteAction::Put, None),
            Action::Update(update) => (WriteAction::Update, Some(told(update))),
            Action::Delete => (WriteAction::Delete, None),
            Action::Check => (WriteAction::Check, None),
            Action::Expire(_) | Action::Derive | Action::Restore(_) => {
                return Err(Reason::Internal.into());
            }
        };
        // A key template may derive the key of a put: the item that is written has it.
        let keyed = match &write.action {
            Action::Put(item) | Action::PutUnsettled(item) => item,
            _ => key,
        };
        Ok(Self {
            table: table.record.name.clone(),
            action,
            key: key_item_text(&keyed.retain(|name| table.key.contains(name))),
            byte_key: hex(&write.key.bytes),
            condition: write.condition.map(|condition| told(condition)),
            update,
            refused: None,
            round_trips: None,
            bytes_before: None,
            bytes_after: None,
            indexes: Vec::new(),
            units: Vec::new(),
        })
    }

    /// Adds a decided write. The table's units count `times`.
    pub(crate) fn add_written(&mut self, table: &Table, written: &Written, times: f64) {
        self.bytes_before = written.old.as_ref().map(Item::size);
        self.bytes_after = written.new.as_ref().map(Item::size);
        self.indexes =
            table.indexes.iter().filter_map(|index| entry_change(table, index, written)).collect();
        let of_table = times * written.units.table;
        self.units = units_by_target(&Units { table: of_table, ..written.units.clone() }, table);
    }

    /// Adds a refusal.
    pub(crate) fn add_refused(
        &mut self,
        table: &Table,
        refused: String,
        units: &Units,
        stored_bytes: usize,
    ) {
        self.bytes_before = Some(stored_bytes).filter(|bytes| *bytes > 0);
        self.bytes_after = self.bytes_before;
        self.refused = Some(refused);
        self.units = units_by_target(units, table);
    }
}

fn entry_change(table: &Table, index: &Index, written: &Written) -> Option<EntryChange> {
    let entry = |item: &Option<Item>| index::entry(table, index, item.as_ref()?);
    let (old, new) = (entry(&written.old), entry(&written.new));
    if old == new {
        return None;
    }
    let key =
        |entry: index::Entry| key_item_text(&entry.item.retain(|name| index.key.contains(name)));
    Some(EntryChange { index: index.name.clone(), removed: old.map(key), written: new.map(key) })
}
