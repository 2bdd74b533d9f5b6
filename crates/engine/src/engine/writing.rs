//! Writes of the engine: planned against the tables of now, let in by the limiter, if there is one,
//! and decided by [`crate::write`] and [`crate::transaction`].

use super::Engine;
use crate::schema::Table;
use crate::throughput::Admission;
use crate::transaction::{self, Completed, Outcome, Token, TransactionAction};
use crate::usage::{Seen, ask_gate, note_failed_write, note_read, note_write};
use crate::write::{Admit, Attempt, Write, Written, until_decided};
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::Store;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Runs a write of one table. `plan` checks the request against the table's current
    /// definition; it runs again if the definition changes meanwhile.
    pub(crate) async fn write<'p>(
        &self,
        table_name: &str,
        plan: impl Fn(&Table) -> ApiResult<Write<'p>> + Send + Sync,
    ) -> ApiResult<(Arc<Table>, Written)> {
        until_decided(|| async {
            let table = self.table(table_name)?;
            let writes = [(&*table, plan(&table)?)];
            let written = self.commit(&writes).await?;
            Ok(written.map(|mut written| (table, written.pop().expect("one write was decided"))))
        })
        .await
    }

    /// Decides and commits writes as one batch; `None` if a definition has changed and the writes
    /// must be planned again. The keys must be distinct.
    pub(crate) async fn commit(
        &self,
        writes: &[(&Table, Write<'_>)],
    ) -> ApiResult<Option<Vec<Written>>> {
        ask_gate_of(writes)?;
        let mut admission = self.admission();
        self.remember_view(admission.as_ref()).await?;
        let written = self.core().write(writes, of_write(&mut admission)).await;
        note_written(writes, &written);
        written
    }

    /// Decides and commits writes like [`commit`](Self::commit), but each by itself: those that
    /// fail leave the others alone.
    pub(crate) async fn commit_apart(
        &self,
        writes: &[(&Table, Write<'_>)],
    ) -> ApiResult<Option<Vec<Attempt>>> {
        ask_gate_of(writes)?;
        let mut admission = self.admission().map(Admission::of_batch);
        self.remember_view(admission.as_ref()).await?;
        let attempts = self.core().write_apart(writes, of_write(&mut admission)).await?;
        for ((table, _), attempt) in writes.iter().zip(attempts.iter().flatten()) {
            match &attempt.result {
                Ok(written) => note_write(table, &written.units),
                Err(error) => note_failure(table, error),
            }
        }
        Ok(attempts)
    }

    /// Does all actions or none. The token, if there is one, makes it happen once.
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
            tables.iter().try_for_each(|table| ask_gate(table, None))?;
            let mut admission = self.admission().map(Admission::of_transaction);
            if token.is_some() && admission.as_mut().is_some_and(Admission::is_in_progress) {
                return Err(Reason::TransactionInProgress.into());
            }
            self.remember_view(admission.as_ref()).await?;
            let decided = self.core().transact(&tables, plans, token, of_write(&mut admission));
            Ok(decided.await?.map(|outcome| Completed { tables, outcome }))
        })
        .await?;
        note_completed(&completed);
        Ok(completed)
    }

    /// Keeps what is before a write, so that later reads may miss it.
    async fn remember_view(&self, admission: Option<&Admission<'_>>) -> ApiResult<()> {
        if let Some((limiter, admission)) = self.limiter().zip(admission)
            && limiter.is_view_due(admission)
        {
            limiter.remember_view(admission, self.core().view().await?);
        }
        Ok(())
    }
}

fn ask_gate_of(writes: &[(&Table, Write<'_>)]) -> ApiResult<()> {
    writes.iter().try_for_each(|(table, _)| ask_gate(table, None))
}

/// Notes what writes used that were to be done together.
fn note_written(writes: &[(&Table, Write<'_>)], written: &ApiResult<Option<Vec<Written>>>) {
    match (written, writes) {
        (Ok(Some(written)), _) => {
            for ((table, _), written) in writes.iter().zip(written) {
                note_write(table, &written.units);
            }
        }
        (Err(error), [(table, _)]) => note_failure(table, error),
        (Ok(None) | Err(_), _) => {}
    }
}

/// Notes what a transaction used that was done, now or before.
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

/// Notes what a write used that failed: only a condition that does not hold is charged.
fn note_failure(table: &Table, error: &ApiError) {
    if let Some(bytes) = error.met_bytes() {
        note_failed_write(table, bytes);
    }
}

/// Returns an admission as writes ask it.
fn of_write<'a>(admission: &'a mut Option<Admission<'_>>) -> Option<&'a mut dyn Admit> {
    match admission {
        Some(admission) => Some(admission),
        None => None,
    }
}
