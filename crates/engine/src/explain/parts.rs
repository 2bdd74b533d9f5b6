//! Explanations of batches and transactions: each part as the read or write of its item, and the sums of all parts.
//!
//! All reads share one view. Writes are rehearsed on one view, or with ANALYZE run as their operation runs them. A
//! batch of reads with ANALYZE runs after its items were sampled, and its units are those of its answer.

use super::explanation::{
    Bounds, Estimate, Explanation, FailedStep, Mode, Sample, Step, TableUnits, Time, Together,
    UnitsOn, WriteStep,
};
use super::plan::{Asked, ReadPlan};
use super::read::told;
use super::write::units_of_refused;
use crate::capacity::{Units, read_units};
use crate::engine::Engine;
use crate::fault;
use crate::heat::is_heat;
use crate::intent::pattern_of;
use crate::schema::Table;
use crate::transaction::{self, Outcome, Token, TransactionAction};
use crate::write::{Attempt, Write};
use hashrange_cost::Pattern;
use hashrange_expr::Filter;
use hashrange_model::bounds;
use hashrange_model::error::cancellation_code;
use hashrange_model::{ApiError, ApiResult, ErrorKind, Item, Reason};
use hashrange_storage::{Key, Store, View};
use hashrange_wire::ConsumedCapacity;
use std::sync::Arc;

/// Grouping of the parts of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// Each by itself.
    Batch,
    /// All or none.
    Transaction,
}

impl Grouping {
    /// Returns the factor for the units of a table.
    fn times(self) -> f64 {
        match self {
            Self::Batch => 1.0,
            Self::Transaction => 2.0,
        }
    }
}

/// The steps of a batch or transaction, and their sums.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) steps: Vec<Step>,
    pub(crate) together: Together,
}

impl FailedStep {
    /// Returns the step of a part that an error refuses.
    pub(crate) fn of(table: Option<&str>, error: &ApiError) -> Self {
        Self { table: table.map(str::to_owned), refused: bounds::told(error) }
    }
}

impl Parts {
    /// Adds up the steps.
    pub(crate) fn of(grouping: Grouping, steps: Vec<Step>) -> Self {
        let is_transaction = grouping == Grouping::Transaction;
        let mut together = Together { is_transaction, ..Together::default() };
        for step in &steps {
            match step {
                Step::Read(read) if read.refused.is_some() => together.unprocessed += 1,
                Step::Read(read) => {
                    together.items += read.sample.items;
                    together.bytes += read.sample.bytes;
                    let units = UnitsOn { index: None, units: read.estimate.units.at_least };
                    together.add_units(&read.table, &units);
                }
                Step::Write(write) => {
                    let bytes = write.bytes_before.max(write.bytes_after);
                    together.items += usize::from(bytes.is_some());
                    together.bytes += bytes.unwrap_or(0);
                    write.units.iter().for_each(|units| together.add_units(&write.table, units));
                }
                Step::Failed(_) => {}
            }
        }
        Self { steps, together }
    }

    /// Refuses all parts, and drops the units of indexes.
    pub(crate) fn refuse(&mut self, why: &ApiError) {
        self.together.refused = Some(bounds::told(why));
        self.together.units.retain(|units| units.on.index.is_none());
    }

    /// Returns the explanation.
    pub(crate) fn explanation(self, asked: Asked<'_>, planned_ms: u64, now_ms: u64) -> Explanation {
        let time = Time {
            plan_ms: planned_ms.saturating_sub(asked.began_ms),
            run_ms: now_ms.saturating_sub(planned_ms),
        };
        let analyzed = asked.mode == Mode::Analyze;
        Explanation {
            operation: asked.operation,
            pattern: Pattern::default(),
            analyzed,
            steps: self.steps,
            together: Some(self.together),
            price: None,
            advice: Vec::new(),
            time: analyzed.then_some(time),
        }
    }
}

impl Together {
    fn add_units(&mut self, table: &str, added: &UnitsOn) {
        let is_same =
            |known: &&mut TableUnits| known.table == table && known.on.index == added.index;
        match self.units.iter_mut().find(is_same) {
            Some(known) => known.on.units += added.units,
            None => self.units.push(TableUnits { table: table.to_owned(), on: added.clone() }),
        }
    }
}

impl<S: Store> Engine<S> {
    /// Gets the items of reads, all in one view, and returns the step of each.
    pub(crate) async fn item_read_steps(
        &self,
        reads: Vec<Result<ReadPlan<'_>, FailedStep>>,
        grouping: Grouping,
    ) -> ApiResult<Vec<Step>> {
        let planned = || reads.iter().flatten();
        let keys: Vec<Key> = planned()
            .flat_map(|read| read.ranges.iter().map(|range| range.start.clone()))
            .collect();
        let view = self.core().view().await?;
        let tables = || planned().map(|read| read.page.table);
        let stored = view.get_many(&keys).await;
        let mut stored = stored.map_err(|error| fault::of_tables(tables(), error))?;
        for (table, (key, value)) in tables().zip(keys.iter().zip(&mut stored)) {
            if table.past.is_some() || is_heat(table) {
                *value = Box::pin(self.item_apart(table, key)).await?;
            }
        }
        let mut stored = stored.into_iter();
        let step = |read: Result<ReadPlan<'_>, FailedStep>| match read {
            Err(failed) => Ok(Step::Failed(Box::new(failed))),
            Ok(read) => {
                let item = stored.next().flatten().map(Item::from_stored).transpose();
                let item = item.map_err(fault::of_form)?;
                Ok(item_read_step(&read, item.as_ref(), grouping))
            }
        };
        reads.into_iter().map(step).collect()
    }

    /// Replaces the units by those that the answer to reads reports.
    pub(crate) fn add_consumed(
        &self,
        parts: &mut Parts,
        consumed: Option<Vec<ConsumedCapacity>>,
    ) -> ApiResult<()> {
        parts.together.units.clear();
        for consumed in consumed.into_iter().flatten() {
            let table = self.readable_table(consumed.table_name.as_deref().unwrap_or_default())?;
            let units = UnitsOn { index: None, units: consumed.capacity_units.unwrap_or(0.0) };
            parts.together.add_units(&table.record.name, &units);
        }
        Ok(())
    }

    /// Explains the actions of a transaction. `worded` words its error as the operation does.
    pub(crate) async fn explain_actions(
        &self,
        actions: &[TransactionAction],
        token: Option<&Token>,
        worded: impl Fn(ApiError) -> ApiError + Send + Sync,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        transaction::check_payload(actions)?;
        let tables = actions
            .iter()
            .map(|action| self.table(&action.table_name))
            .collect::<ApiResult<Vec<_>>>()?;
        let plans = transaction::plan(actions, &tables)?;
        let planned_ms = self.now_ms();
        let pattern = pattern_of(actions.iter().map(TransactionAction::intent));
        let parts = match asked.mode {
            Mode::Plan => self.rehearsed(actions, &tables, plans, worded).await?,
            Mode::Analyze => {
                let steps = action_steps(actions, &tables, &plans)?;
                drop(plans);
                let (completed, round_trips) = self.counting(self.transact(actions, token)).await;
                let completed = completed.map_err(worded)?;
                let mut parts = completed_parts(steps, &completed.tables, completed.outcome);
                parts.together.round_trips = round_trips;
                parts
            }
        };
        Ok(Explanation { pattern, ..parts.explanation(asked, planned_ms, self.now_ms()) })
    }

    /// Decides the actions of a transaction and commits none.
    async fn rehearsed(
        &self,
        actions: &[TransactionAction],
        tables: &[Arc<Table>],
        plans: transaction::Plans<'_>,
        worded: impl Fn(ApiError) -> ApiError,
    ) -> ApiResult<Parts> {
        let mut steps = action_steps(actions, tables, &plans)?;
        let (faults, writes) = transaction::parted(tables, plans);
        let attempts = self.core().rehearse(&writes).await?;
        let refused = transaction::refusal(&faults, &writes, &attempts).map(&worded);
        // Each action gets its reason, also where the answer would name the first one only.
        let mut failed = attempts.iter().map(|attempt| attempt.result.as_ref().err().cloned());
        let reasons = faults.iter().map(|fault| match fault {
            Some(fault) => Some(fault.clone()),
            None => failed.next().flatten(),
        });
        let told = worded(Reason::TransactionCanceled(reasons.collect()).into());
        let reasons = told.cancellation_reasons().unwrap_or_default();
        let mut attempts = attempts.into_iter();
        for ((step, table), reason) in steps.iter_mut().zip(tables).zip(reasons) {
            let Step::Write(write) = step else { continue };
            let attempt = attempts.next().ok_or(Reason::Internal)?;
            match (attempt.result, reason) {
                (Ok(written), _) => {
                    write.add_written(table, &written, Grouping::Transaction.times());
                }
                (Err(why), _) if why.kind() == ErrorKind::InternalServerError => return Err(why),
                (Err(why), reason) => {
                    let mut units = units_of_refused(&why, attempt.stored_bytes);
                    units.table *= Grouping::Transaction.times();
                    let told = reason.as_ref().map_or_else(|| bounds::told(&why), reason_text);
                    write.add_refused(table, told, &units, attempt.stored_bytes);
                }
            }
        }
        let mut parts = Parts::of(Grouping::Transaction, steps);
        if let Some(why) = refused {
            parts.refuse(&why);
        }
        Ok(parts)
    }
}

/// Returns a reason of a cancelled transaction as code and message.
fn reason_text(error: &ApiError) -> String {
    let code = cancellation_code(Some(error));
    match error.message() {
        Some(message) => bounds::told(&format_args!("{code}: {message}")),
        None => code.to_owned(),
    }
}

fn action_steps(
    actions: &[TransactionAction],
    tables: &[Arc<Table>],
    plans: &[Result<Write<'_>, ApiError>],
) -> ApiResult<Vec<Step>> {
    let planned = actions.iter().zip(tables).zip(plans);
    let step = |((action, table), plan): ((&TransactionAction, &Arc<Table>), &Result<_, _>)| {
        Ok(match plan {
            Ok(write) => {
                Step::Write(Box::new(WriteStep::of(table, write, action.key_attributes())?))
            }
            Err(error) => {
                let table = Some(table.record.name.clone());
                Step::Failed(Box::new(FailedStep { table, refused: reason_text(error) }))
            }
        })
    };
    planned.map(step).collect()
}

/// Returns the parts of a transaction that was done, now or before.
fn completed_parts(mut steps: Vec<Step>, tables: &[Arc<Table>], outcome: Outcome) -> Parts {
    let times = Grouping::Transaction.times();
    let already_done = matches!(outcome, Outcome::Replayed(_));
    let mut reread = Vec::new();
    let writes = steps.iter_mut().filter_map(|step| match step {
        Step::Write(write) => Some(write),
        Step::Read(_) | Step::Failed(_) => None,
    });
    match outcome {
        Outcome::Written(written) => {
            for ((step, table), written) in writes.zip(tables).zip(&written) {
                step.add_written(table, written, times);
            }
        }
        Outcome::Replayed(sizes) => {
            // A request that was done before costs the read of its items.
            for ((step, table), size) in writes.zip(tables).zip(sizes) {
                step.bytes_before = Some(size).filter(|size| *size > 0);
                step.bytes_after = step.bytes_before;
                reread.push((size, table));
            }
        }
    }
    let mut parts = Parts::of(Grouping::Transaction, steps);
    parts.together.already_done = already_done;
    for (size, table) in &reread {
        let units = times * read_units(*size, true);
        parts.together.add_units(&table.record.name, &UnitsOn { index: None, units });
    }
    parts
}

fn item_read_step(read: &ReadPlan<'_>, item: Option<&Item>, grouping: Grouping) -> Step {
    let filter = read.filter.as_ref().map(Filter::from);
    let matches = |item: &&Item| filter.as_ref().is_none_or(|filter| filter.matches(item));
    let (items, bytes) = (usize::from(item.is_some()), item.map_or(0, Item::size));
    let matching = usize::from(item.as_ref().is_some_and(matches));
    let sample = Sample { items, bytes, matching, is_all: true };
    let units = grouping.times() * read_units(bytes, read.page.consistent);
    let estimate = Estimate {
        items: exactly(items as u64),
        bytes: exactly(bytes as u64),
        pages: exactly(1),
        units: exactly(units),
    };
    Step::Read(Box::new(told(read, None, sample, estimate)))
}

fn exactly<T: Copy>(value: T) -> Bounds<T> {
    Bounds { at_least: value, at_most: Some(value) }
}

impl WriteStep {
    /// Adds the outcome of a write of a batch. `units` are those of a refused one.
    pub(crate) fn add_attempt(
        &mut self,
        table: &Table,
        attempt: Attempt,
        units: &Units,
        worded: impl Fn(ApiError) -> ApiError,
    ) {
        match attempt.result {
            Ok(written) => self.add_written(table, &written, Grouping::Batch.times()),
            Err(why) => {
                self.add_refused(table, bounds::told(&worded(why)), units, attempt.stored_bytes);
            }
        }
    }
}
