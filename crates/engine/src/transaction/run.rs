//! Runs the actions of a transaction as one commit: all or none.

use super::TransactionAction;
use super::token::{Presented, Token, TokenState};
use crate::capacity::{Charge, Units, read_units};
use crate::core::Core;
use crate::fault;
use crate::schema::Table;
use crate::write::{self, Admit, Attempt, Circumstances, Write, Written};
use bytes::Bytes;
use hashrange_model::error::Layer;
use hashrange_model::limits::TRANSACTION_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, ErrorKind, Item, Reason};
use hashrange_storage::{Batch, Key, Store};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A transaction that was done, by this request or an earlier one.
#[derive(Debug)]
pub(crate) struct Completed {
    /// Table of each action.
    pub(crate) tables: Vec<Arc<Table>>,
    pub(crate) outcome: Outcome,
}

/// Outcome of a transaction, for each action.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The write of each action.
    Written(Vec<Written>),
    /// No write, since the same request was done before; the present size of each action's item.
    Replayed(Vec<usize>),
}

impl Outcome {
    /// Returns the kind of charge, and the units for each action.
    pub(crate) fn units(&self) -> (Charge, Vec<Units>) {
        match self {
            Self::Written(written) => {
                let twice =
                    |it: &Written| Units { table: 2.0 * it.units.table, ..it.units.clone() };
                (Charge::Write, written.iter().map(twice).collect())
            }
            // Source: DynamoDB API reference, TransactWriteItems: a request that was done before
            // consumes read units.
            Self::Replayed(sizes) => {
                let twice = |size: &usize| Units::of_table(2.0 * read_units(*size, true));
                (Charge::Read, sizes.iter().map(twice).collect())
            }
        }
    }
}

/// Write of each action, or its fault.
pub(crate) type Plans<'p> = Vec<Result<Write<'p>, ApiError>>;

/// Maximum of bytes that a transaction writes in all: an index or stream counts as a copy, a
/// history as a copy of the old image. The service has no such limit; a small request can put forty
/// megabytes of items into each of twenty-five indexes, more than memory should have to hold at
/// once.
const WRITTEN_MAX_BYTES: usize = 128 * 1024 * 1024;

impl<S: Store> Core<S> {
    /// Decides and commits the planned writes of a transaction; `None` if a definition has changed.
    pub(crate) async fn transact(
        &self,
        tables: &[Arc<Table>],
        plans: Plans<'_>,
        token: Option<&Token>,
        admission: Option<&mut dyn Admit>,
    ) -> ApiResult<Option<Outcome>> {
        let (faults, writes) = parted(tables, plans);
        let token_key = token.map(|token| &token.key);
        let decided = self.decide_and_commit(
            &writes,
            token_key,
            admission,
            |all, known, batch, admission| {
                let (current, tokens) = all.split_at(all.len() - usize::from(token.is_some()));
                let stored = tokens.first().and_then(Option::as_ref);
                let swept = &self.tokens_swept;
                let token = token.map(|token| Presented { token, stored, swept });
                decide(&writes, &faults, current, token, known, batch, admission)
            },
        );
        decided.await.map_err(|error| canceled_if_contended(error, &faults))
    }
}

/// Fault of each action that has one, and the writes of the others.
type Parted<'p> = (Vec<Option<ApiError>>, Vec<(&'p Table, Write<'p>)>);

/// Splits plans into faults and writes.
pub(crate) fn parted<'p>(tables: &'p [Arc<Table>], plans: Plans<'p>) -> Parted<'p> {
    let mut faults = Vec::with_capacity(plans.len());
    let mut writes = Vec::with_capacity(plans.len());
    for (table, plan) in tables.iter().zip(plans) {
        faults.push(plan.map(|write| writes.push((&**table, write))).err());
    }
    (faults, writes)
}

/// Returns the error of a transaction whose writes were decided one by one; `None` if it would
/// succeed.
pub(crate) fn refusal(
    faults: &[Option<ApiError>],
    writes: &[(&Table, Write<'_>)],
    attempts: &[Attempt],
) -> Option<ApiError> {
    if let Some(fault) = canceled_by_first(faults) {
        return Some(fault);
    }
    let failed = |attempt: &Attempt| {
        attempt.result.as_ref().err().map(|failed| failed.clone().in_layer(Layer::Older))
    };
    let errors: Vec<_> = attempts.iter().map(failed).collect();
    let mut room = Room(WRITTEN_MAX_BYTES);
    let mut done = attempts
        .iter()
        .zip(writes)
        .filter_map(|(attempt, (table, _))| Some((table, attempt.result.as_ref().ok()?)));
    if let Err(reason) = done.try_for_each(|(table, written)| room.take(table, written)) {
        return Some(reason.into());
    }
    let is_done = errors.iter().all(Option::is_none);
    (!is_done).then(|| Reason::TransactionCanceled(errors).into())
}

/// Returns the error of a transaction with actions that their tables refuse. Source: captured: the
/// error names the first such action, and no action is decided.
fn canceled_by_first(faults: &[Option<ApiError>]) -> Option<ApiError> {
    let first = faults.iter().position(Option::is_some)?;
    let named =
        |(nth, fault): (usize, &Option<ApiError>)| fault.as_ref().filter(|_| nth == first).cloned();
    Some(Reason::TransactionCanceled(faults.iter().enumerate().map(named).collect()).into())
}

/// Refuses actions whose payload in the request is too large.
pub(crate) fn check_payload(actions: &[TransactionAction]) -> Result<(), Reason> {
    let payload = actions.iter().map(|action| action.payload_bytes).sum::<usize>();
    if payload > TRANSACTION_SIZE_MAX_BYTES {
        return Err(Reason::TransactionPayloadTooLarge(payload));
    }
    Ok(())
}

/// Cancels a transaction that lost all attempts to others: every action without a fault of its own
/// gets a conflict.
fn canceled_if_contended(error: ApiError, faults: &[Option<ApiError>]) -> ApiError {
    if !matches!(error.reason(), Reason::TransactionConflict) {
        return error;
    }
    let conflict = || ApiError::new(Reason::TransactionConflict).in_layer(Layer::Older);
    let errors = faults.iter().map(|fault| Some(fault.clone().unwrap_or_else(conflict)));
    Reason::TransactionCanceled(errors.collect()).into()
}

/// Plans each action. A fault of a key belongs to the action, unless the service finds it before it
/// begins the transaction.
pub(crate) fn plan<'p>(
    actions: &'p [TransactionAction],
    tables: &[Arc<Table>],
) -> ApiResult<Plans<'p>> {
    let mut plans = Plans::with_capacity(actions.len());
    for (action, table) in actions.iter().zip(tables) {
        let plan = action.plan(table);
        if let Err(reason @ Reason::EmptyKeyValue { .. }) = plan {
            return Err(reason.into());
        }
        plans.push(plan.map_err(|reason| ApiError::new(reason).in_layer(Layer::Older)));
    }
    check_distinct(plans.iter().flatten().map(|write| &write.key.bytes))?;
    Ok(plans)
}

/// Refuses several operations on one item.
pub(crate) fn check_distinct<'k>(keys: impl Iterator<Item = &'k Key>) -> Result<(), Reason> {
    let mut known = BTreeSet::new();
    let mut keys = keys;
    if keys.all(|key| known.insert(key)) { Ok(()) } else { Err(Reason::TransactionSameItem) }
}

fn decide(
    writes: &[(&Table, Write<'_>)],
    faults: &[Option<ApiError>],
    current: &[Option<Bytes>],
    token: Option<Presented<'_>>,
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    admission: Option<&mut dyn Admit>,
) -> ApiResult<Outcome> {
    let now_ms = (circumstances.clock)();
    let known = token.map(|at| at.token.look(at.stored, now_ms)).transpose()?;
    if known == Some(TokenState::Done) {
        return sizes(faults, current).map(Outcome::Replayed);
    }
    if let Some(canceled) = canceled_by_first(faults) {
        return Err(canceled);
    }
    let mut written = Vec::with_capacity(writes.len());
    let mut errors = Vec::with_capacity(writes.len());
    let mut room = Room(WRITTEN_MAX_BYTES);
    let decided = write::decide_each(writes, current, circumstances, batch, admission);
    for (result, (table, _)) in decided.zip(writes) {
        match result {
            Ok(done) => {
                room.take(table, &done)?;
                written.push(done);
                errors.push(None);
            }
            Err(failed) if failed.kind() == ErrorKind::InternalServerError => return Err(failed),
            Err(failed) => errors.push(Some(failed.in_layer(Layer::Older))),
        }
    }
    if errors.iter().any(Option::is_some) {
        return Err(Reason::TransactionCanceled(errors).into());
    }
    if let (Some(Presented { token, swept, .. }), Some(TokenState::No(old))) = (token, known) {
        token.remember(old, now_ms, swept, batch);
    }
    Ok(Outcome::Written(written))
}

/// Bytes that a transaction can still write, copies in indexes, streams and histories included.
struct Room(usize);

impl Room {
    fn take(&mut self, table: &Table, written: &Written) -> Result<(), Reason> {
        let size = |item: Option<&Item>| item.map_or(0, Item::size);
        let image = size(written.old.as_ref()).max(size(written.new.as_ref()));
        let copies = 1 + table.indexes.len() + 2 * usize::from(table.stream.is_some());
        let is_changed = written.old != written.new;
        let keeps_old = table.keeps_history && is_changed;
        let kept = if keeps_old { size(written.old.as_ref()) } else { 0 };
        // A version that is kept as an item.
        let items = if table.versions.is_some() { 2 } else { 1 };
        let bytes = image * copies * items + kept;
        self.0 = self.0.checked_sub(bytes).ok_or(Reason::TransactionTooLarge)?;
        Ok(())
    }
}

/// Returns the present size of each action's item.
fn sizes(faults: &[Option<ApiError>], current: &[Option<Bytes>]) -> ApiResult<Vec<usize>> {
    let mut current = current.iter();
    let stored = faults.iter().map(|fault| match fault {
        None => current.next().cloned().flatten(),
        Some(_) => None,
    });
    stored
        .map(|stored| {
            let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
            Ok(item.map_or(0, |item| item.size()))
        })
        .collect()
}
