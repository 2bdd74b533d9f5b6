//! BatchWriteItem: up to 25 puts and deletes on several tables.
//!
//! The service promises nothing about the batch as a whole; here it is one commit, so it is
//! written whole or not at all, and nothing is left unprocessed; unless a profile limits throughput,
//! under which every member is by itself.

use crate::answer::PerTable;
use crate::capacity::Units;
use crate::engine::Engine;
use crate::environment::table_name_of;
use crate::explain::{Asked, Explanation, Grouping, Mode, Parts, Step, WriteStep};
use crate::intent::{Access, Intent, Verb, pattern_of};
use crate::ops::drive::{Explain, Run};
use crate::request::{required, validated};
use crate::schema::Table;
use crate::usage::announce_all;
use crate::write::{Attempt, Write, Written, check_distinct, plan_delete, plan_put, until_decided};
use hashrange_model::error::Layer;
use hashrange_model::limits::{BATCH_WRITE_REQUESTS_MAX, ITEM_SIZE_MAX_BYTES};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    BatchWriteItemInput, BatchWriteItemOutput, DeleteRequest, Map, Operation, PutRequest,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, WriteRequest,
};
use std::sync::Arc;

/// One member of the batch, checked by itself.
enum Member {
    Put(Item),
    Delete(Item),
}

impl Member {
    fn check(request: WriteRequest) -> ApiResult<Self> {
        match (request.put_request, request.delete_request) {
            (Some(put), None) => {
                let item = validated(required(put.item, "putRequest.item")?)?;
                if item.size() > ITEM_SIZE_MAX_BYTES {
                    return Err(Reason::ItemTooLarge.into());
                }
                Ok(Self::Put(item))
            }
            (None, Some(delete)) => {
                Ok(Self::Delete(validated(required(delete.key, "deleteRequest.key")?)?))
            }
            (None, None) => Err(Reason::EmptyWriteRequest.into()),
            (Some(_), Some(_)) => Err(Reason::TwoWritesInRequest.into()),
        }
    }

    /// Every fault of a key but an empty value reads the same in a batch.
    fn plan(&self, table: &Table) -> Result<Write<'static>, Reason> {
        match self {
            Self::Put(item) => plan_put(table, item).map_err(|reason| match reason {
                Reason::MissingKey { .. } | Reason::KeyTypeMismatch { .. } => {
                    Reason::KeyElementMismatch
                }
                other => other,
            }),
            Self::Delete(key) => plan_delete(table, key),
        }
    }

    /// Returns the member as a request has it.
    fn request(&self) -> WriteRequest {
        match self {
            Self::Put(item) => WriteRequest {
                put_request: Some(PutRequest { item: Some(item.clone().into()) }),
                delete_request: None,
            },
            Self::Delete(key) => WriteRequest {
                put_request: None,
                delete_request: Some(DeleteRequest { key: Some(key.clone().into()) }),
            },
        }
    }

    fn key_attributes(&self) -> &Item {
        match self {
            Self::Put(item) | Self::Delete(item) => item,
        }
    }
}

impl<S: Store> Engine<S> {
    /// Puts and deletes items of several tables.
    pub async fn batch_write_item(
        &self,
        mut input: BatchWriteItemInput<'_>,
    ) -> ApiResult<BatchWriteItemOutput> {
        self.run_request(Operation::BatchWriteItem, BatchWrite::check(&mut input)).await
    }
}

/// A batch of writes, each checked by itself.
pub(super) struct BatchWrite {
    /// Each with its table as the request names it.
    members: Vec<(String, Member)>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
    return_item_collection_metrics: Option<ReturnItemCollectionMetrics>,
}

impl BatchWrite {
    pub(super) fn check(input: &mut BatchWriteItemInput<'_>) -> ApiResult<Self> {
        let mut members = Vec::new();
        for (name, requests) in required(input.request_items.take(), "requestItems")? {
            for request in requests {
                members.push((name.to_string(), Member::check(request)?));
            }
        }
        if members.len() > BATCH_WRITE_REQUESTS_MAX {
            return Err(Reason::TooManyBatchWriteRequests.into());
        }
        Ok(Self {
            members,
            return_consumed_capacity: input.return_consumed_capacity,
            return_item_collection_metrics: input.return_item_collection_metrics,
        })
    }

    fn tables<S: Store>(&self, engine: &Engine<S>) -> ApiResult<Vec<Arc<Table>>> {
        self.members.iter().map(|(name, _)| engine.table(name)).collect()
    }

    /// Plans every member; two may not have one key.
    fn plan<'t>(&self, tables: &'t [Arc<Table>]) -> ApiResult<Vec<(&'t Table, Write<'static>)>> {
        let planned = self.members.iter().zip(tables);
        let writes = planned
            .map(|((_, member), table)| Ok((&**table, member.plan(table)?)))
            .collect::<ApiResult<Vec<_>>>()?;
        check_distinct(writes.iter().map(|(_, write)| &write.key.bytes))?;
        Ok(writes)
    }

    /// Writes the members: in one commit, or under a limiter each by itself. None if the tables changed meanwhile.
    async fn write<S: Store>(
        &self,
        engine: &Engine<S>,
        writes: &[(&Table, Write<'static>)],
    ) -> ApiResult<Option<Vec<Attempt>>> {
        let announced = announce_all(|| intents(&self.members))?;
        if engine.limiter().is_some() {
            return engine.commit_apart(writes, announced).await.map_err(throttled);
        }
        let written = engine.commit(writes, announced).await.map_err(throttled)?;
        Ok(written.map(|written| written.into_iter().map(Attempt::done).collect()))
    }

    fn answer<'m>(
        &self,
        done: &[(&'m (String, Member), &'m Arc<Table>, Written)],
        left: Map<String, Vec<WriteRequest>>,
    ) -> BatchWriteItemOutput {
        let mut reports = PerTable::default();
        for ((name, member), table, written) in done {
            reports.add_units(name, table, &written.units);
            let asked = self.return_item_collection_metrics;
            reports.add_metrics(asked, name, table, member.key_attributes(), written);
        }
        let mode = self.return_consumed_capacity;
        BatchWriteItemOutput {
            unprocessed_items: Some(left),
            consumed_capacity: reports
                .consumed(|units, name, table| units.report(mode, name, table)),
            item_collection_metrics: reports.into_metrics(),
        }
    }
}

impl<S: Store> Run<S, BatchWriteItemOutput> for BatchWrite {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<BatchWriteItemOutput> {
        let (tables, attempts) = until_decided(|| async {
            let tables = self.tables(engine)?;
            let writes = self.plan(&tables)?;
            let attempts = self.write(engine, &writes).await?;
            drop(writes);
            Ok(attempts.map(|attempts| (tables, attempts)))
        })
        .await?;
        let (mut done, mut left) = (Vec::with_capacity(self.members.len()), Vec::new());
        let mut throttled = None;
        for ((member, table), attempt) in self.members.iter().zip(&tables).zip(attempts) {
            match attempt.result {
                Ok(written) => done.push((member, table, written)),
                Err(error) if error.throttle().is_some() => {
                    leave(&mut left, member);
                    throttled = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(throttled) = throttled.filter(|_| done.is_empty()) {
            return Err(throttled);
        }
        Ok(self.answer(&done, Map::from_entries_last_wins(left)))
    }
}

impl<S: Store> Explain<S> for BatchWrite {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let pattern = pattern_of(intents(&self.members));
        let planned_ms = engine.now_ms();
        let attempted = until_decided(|| async {
            let tables = self.tables(engine)?;
            let writes = self.plan(&tables)?;
            let told = self.members.iter().zip(&writes).map(|((_, member), (table, write))| {
                WriteStep::of(table, write, member.key_attributes())
            });
            let told = told.collect::<ApiResult<Vec<_>>>()?;
            let attempts = match asked.mode {
                Mode::Plan => Some(engine.core().rehearse(&writes).await?),
                Mode::Analyze => self.write(engine, &writes).await?,
            };
            drop(writes);
            Ok(attempts.map(|attempts| (tables, told, attempts)))
        });
        let (attempted, round_trips) = engine.counting(attempted).await;
        let (tables, mut told, attempts) = attempted?;
        let is_apart = engine.limiter().is_some();
        let mut unprocessed = 0;
        let (mut refused, mut throttled) = (None, None);
        for ((step, table), attempt) in told.iter_mut().zip(&tables).zip(attempts) {
            let worded = |error: ApiError| error.in_layer(Layer::Older);
            if let Err(error) = &attempt.result {
                if is_apart && error.throttle().is_some() {
                    unprocessed += 1;
                    throttled = Some(error.clone());
                } else {
                    refused = refused.or_else(|| Some(worded(error.clone())));
                }
            }
            step.add_attempt(table, attempt, &Units::of_table(0.0), worded);
        }
        // ANALYZE fails as the batch does.
        let is_nothing_done = unprocessed == self.members.len();
        let of_run = refused.clone().or(throttled.filter(|_| is_nothing_done));
        if let Some(why) = of_run.filter(|_| asked.mode == Mode::Analyze) {
            return Err(why);
        }
        let steps = told.into_iter().map(|step| Step::Write(Box::new(step))).collect();
        let mut parts = Parts::of(Grouping::Batch, steps);
        parts.together.unprocessed = unprocessed;
        parts.together.round_trips = round_trips.filter(|_| asked.mode == Mode::Analyze);
        if let Some(why) = refused {
            parts.refuse(&why);
        }
        Ok(Explanation { pattern, ..parts.explanation(asked, planned_ms, engine.now_ms()) })
    }
}

/// Returns the intents of the members. The tables of a request are in no order, so they stand by name.
fn intents(members: &[(String, Member)]) -> impl Iterator<Item = Intent<'_>> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(table, _)| table_name_of(table));
    members.into_iter().map(|(table, member)| {
        let verb = match member {
            Member::Put(_) => Verb::Put,
            Member::Delete(_) => Verb::Delete,
        };
        Intent::new(verb, table, Access::Item(member.key_attributes()))
    })
}

/// A batch knows no conflicts with transactions: one that lost every race is throttled as a whole.
/// Source: API reference, BatchWriteItem, "Errors".
fn throttled(error: ApiError) -> ApiError {
    let is_conflict = matches!(error.reason(), Reason::TransactionConflict);
    if is_conflict { Reason::Contended.into() } else { error }
}

/// Adds a member to those that are left unprocessed.
fn leave(left: &mut Vec<(String, Vec<WriteRequest>)>, (name, member): &(String, Member)) {
    let request = member.request();
    match left.iter_mut().find(|(known, _)| known == name) {
        Some((_, requests)) => requests.push(request),
        None => left.push((name.clone(), vec![request])),
    }
}
