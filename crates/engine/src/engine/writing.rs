//! The write pipe: every write of clients runs through it, its stations in this order.
//!
//! 1. Gate: the request, planned against the tables of now, is announced (`usage.rs`).
//! 2. Admission: the limiter of a profile is asked; it counts each write when it is decided ([`Admit`]).
//! 3. View: the state before the write is kept where a profile lets later reads miss it.
//! 4. Run: [`crate::write`] or [`crate::transaction`] decides and commits.
//! 5. Event: usage and heat are told.

use super::Engine;
use crate::capacity::write_units;
use crate::intent::Intent;
use crate::layout;
use crate::read::pace::{Pace, scan_work};
use crate::schema::Table;
use crate::stations::{Station, pass};
use crate::throughput::Admission;
use crate::transaction::{self, Completed, Outcome, Token, TransactionAction};
use crate::usage::{
    Announced, Seen, announce, announce_all, note_failed_write, note_read, note_write,
};
use crate::write::{Action, Admit, Attempt, Write, Written, until_decided};
use hashrange_expr::Condition;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Store;
use std::convert::identity;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Runs a write of one table. `plan` checks the request against the table's current
    /// definition; it runs again if the definition changes meanwhile.
    pub(crate) async fn write<'p>(
        &self,
        table_name: &str,
        intent: &Intent<'_>,
        plan: impl Fn(&Table) -> ApiResult<Write<'p>> + Send + Sync,
    ) -> ApiResult<(Arc<Table>, Written)> {
        until_decided(|| async {
            let table = self.table(table_name)?;
            let writes = [(&*table, plan(&table)?)];
            let written = self.commit(&writes, announce(intent)?).await?;
            Ok(written.map(|mut written| (table, written.pop().expect("one write was decided"))))
        })
        .await
    }

    /// Decides and commits writes as one batch; `None` if a definition has changed and the writes
    /// must be planned again. The keys must be distinct.
    pub(crate) async fn commit(
        &self,
        writes: &[(&Table, Write<'_>)],
        _announced: Announced,
    ) -> ApiResult<Option<Vec<Written>>> {
        give_way_to_others(writes.iter().map(|(table, write)| (*table, write))).await;
        let mut admission = self.begin_write(identity).await?;
        let written = self.core().write(writes, of_write(&mut admission)).await;
        self.note_written(writes, &written);
        written
    }

    /// Decides and commits writes like [`commit`](Self::commit), but each by itself: those that
    /// fail leave the others alone.
    pub(crate) async fn commit_apart(
        &self,
        writes: &[(&Table, Write<'_>)],
        _announced: Announced,
    ) -> ApiResult<Option<Vec<Attempt>>> {
        give_way_to_others(writes.iter().map(|(table, write)| (*table, write))).await;
        let mut admission = self.begin_write(Admission::of_batch).await?;
        let attempts = self.core().write_apart(writes, of_write(&mut admission)).await?;
        pass(Station::Event);
        for ((table, write), attempt) in writes.iter().zip(attempts.iter().flatten()) {
            match &attempt.result {
                Ok(written) => self.note_write(table, write, written),
                Err(error) => self.note_failure(table, write, error),
            }
        }
        Ok(attempts)
    }

    /// Runs all actions or none. The token, if there is one, makes it happen once.
    pub(crate) async fn transact(
        &self,
        actions: &[TransactionAction],
        token: Option<&Token>,
    ) -> ApiResult<Completed> {
        transaction::check_payload(actions)?;
        let completed = until_decided(|| async {
            let tables = actions
                .iter()
                .map(|action| self.table(&action.table_name))
                .collect::<ApiResult<Vec<_>>>()?;
            let plans = transaction::plan(actions, &tables)?;
            let _announced = announce_all(|| actions.iter().map(TransactionAction::intent))?;
            let planned = tables.iter().zip(&plans);
            give_way_to_others(
                planned.filter_map(|(table, plan)| Some((&**table, plan.as_ref().ok()?))),
            )
            .await;
            let mut admission = self.begin_write(Admission::of_transaction).await?;
            if token.is_some() && admission.as_mut().is_some_and(Admission::is_in_progress) {
                return Err(Reason::TransactionInProgress.into());
            }
            let decided = self.core().transact(&tables, plans, token, of_write(&mut admission));
            Ok(decided.await?.map(|outcome| Completed { tables, outcome }))
        })
        .await?;
        pass(Station::Event);
        note_completed(&completed);
        self.tell_completed(actions, &completed);
        Ok(completed)
    }

    /// Notes the usage of writes that were decided together.
    fn note_written(
        &self,
        writes: &[(&Table, Write<'_>)],
        written: &ApiResult<Option<Vec<Written>>>,
    ) {
        pass(Station::Event);
        match (written, writes) {
            (Ok(Some(written)), _) => {
                for ((table, write), written) in writes.iter().zip(written) {
                    self.note_write(table, write, written);
                }
            }
            (Err(error), [(table, write)]) => self.note_failure(table, write, error),
            (Ok(None) | Err(_), _) => {}
        }
    }

    /// Notes a write that was done.
    fn note_write(&self, table: &Table, write: &Write<'_>, written: &Written) {
        note_write(table, &written.units);
        let heat = &self.core().heat;
        if heat.watches(table) {
            heat.wrote(table, &write.key.bytes, written.units.as_heat(), written.images());
        }
    }

    /// Notes the usage of a failed write: only a condition that does not hold is charged.
    fn note_failure(&self, table: &Table, write: &Write<'_>, error: &ApiError) {
        let Some(bytes) = error.met_bytes() else { return };
        note_failed_write(table, bytes);
        let heat = &self.core().heat;
        if heat.watches(table) {
            heat.failed_write(table, &write.key.bytes, write_units(bytes), bytes);
        }
    }

    /// Tells heat the units of a transaction, by key.
    fn tell_completed(&self, actions: &[TransactionAction], completed: &Completed) {
        let heat = &self.core().heat;
        if !completed.tables.iter().any(|table| heat.watches(table)) {
            return;
        }
        let (_, units) = completed.outcome.units();
        for (nth, (table, units)) in completed.tables.iter().zip(&units).enumerate() {
            let images = match &completed.outcome {
                Outcome::Written(written) => written.get(nth).map(Written::images),
                Outcome::Replayed(_) => None,
            };
            let images = images.unwrap_or_default();
            // A put's key may be derived.
            let image = images.1.or(images.0);
            let item = image.or(actions.get(nth).map(TransactionAction::key_attributes));
            let key = item.and_then(|item| layout::item_key(table, item).ok());
            let Some(key) = key.filter(|_| heat.watches(table)) else { continue };
            match &completed.outcome {
                Outcome::Written(_) => {
                    heat.wrote(table, &key.bytes, units.as_heat(), images);
                }
                Outcome::Replayed(sizes) => {
                    heat.read_item(table, &key.bytes, units.as_heat(), sizes.get(nth).copied());
                }
            }
        }
    }

    /// Returns the admission of a write of a kind, and keeps the state before the write if later reads may miss it.
    async fn begin_write<'e>(
        &'e self,
        kind: impl FnOnce(Admission<'e>) -> Admission<'e>,
    ) -> ApiResult<Option<Admission<'e>>> {
        pass(Station::Admission);
        let admission = self.admission().map(kind);
        pass(Station::View);
        if let Some((limiter, admission)) = self.limiter().zip(admission.as_ref())
            && limiter.is_view_due(admission)
        {
            limiter.remember_view(admission, self.core().view().await?);
        }
        pass(Station::Run);
        Ok(admission)
    }
}

/// Yields to other requests if writes take long to decide: conditions of requests and of key templates read through
/// the item. Work is counted before, because nothing else happens between a decision and its commit.
async fn give_way_to_others<'w>(writes: impl Iterator<Item = (&'w Table, &'w Write<'w>)>) {
    /// Assumed size of a stored item, which is not known yet: a write with few tests of it is quick.
    const STORED_BYTES: usize = ITEM_SIZE_MAX_BYTES / 4;
    let of_write = |(table, write): (&Table, &Write<'_>)| {
        let written = match &write.action {
            Action::Put(item) => item.size(),
            _ => STORED_BYTES,
        };
        let condition = write.condition.map_or(0, Condition::scans);
        scan_work(table.derived_scans(), written) + scan_work(condition, STORED_BYTES)
    };
    let work = writes.map(of_write).fold(0, usize::saturating_add);
    Pace::new().spend(work).await;
}

/// Notes the usage of a transaction done now or before.
fn note_completed(Completed { tables, outcome }: &Completed) {
    let (_, units) = outcome.units();
    let used = tables.iter().zip(&units);
    match outcome {
        Outcome::Written(_) => used.for_each(|(table, units)| note_write(table, units)),
        Outcome::Replayed(sizes) => {
            for ((table, units), size) in used.zip(sizes) {
                note_read(table, None, units, Seen::item(Some(*size)));
            }
        }
    }
}

/// Returns an admission as a trait object.
fn of_write<'a>(admission: &'a mut Option<Admission<'_>>) -> Option<&'a mut dyn Admit> {
    match admission {
        Some(admission) => Some(admission),
        None => None,
    }
}
