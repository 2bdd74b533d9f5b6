//! TransactGetItems: reads up to 100 items of several tables as of one moment.

use crate::capacity::{Charge, Units, read_units};
use crate::engine::Engine;
use crate::explain::{Asked, Explanation, Grouping, Mode, Parts, ReadKeys, ReadPlan};
use crate::heat::{self, Touched};
use crate::intent::{Access, Intent, Returns, Verb, pattern_of};
use crate::ops::drive::{Explain, Run};
use crate::read::pace::{Pace, item_work};
use crate::request::{self, check_key_values, required, validated};
use crate::schema::Table;
use crate::stations::{Station, pass};
use crate::throughput::ReadTarget;
use crate::transaction::check_distinct;
use crate::usage::{Seen, announce_all};
use crate::{fault, write};
use hashrange_expr::Projection;
use hashrange_model::error::Layer;
use hashrange_model::limits::TRANSACTION_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Key, Store};
use hashrange_wire::{
    DecodedValue, Get, ItemResponse, Map, Operation, ReturnConsumedCapacity, TransactGetItemsInput,
    TransactGetItemsOutput,
};
use std::sync::Arc;

use crate::answer::PerTable;

/// One read, checked by itself.
struct CheckedGet {
    /// The table as the request names it.
    table_name: String,
    key: Item,
    projection: Option<Projection>,
}

impl CheckedGet {
    fn check(get: Get<'_>) -> ApiResult<Self> {
        let expressions = [("ProjectionExpression", get.projection_expression.is_some())];
        let mut placeholders = request::placeholders(
            get.expression_attribute_names.as_ref(),
            None::<&Map<String, DecodedValue>>,
            &expressions,
            &[],
        )?;
        let projection = get.projection_expression.as_deref();
        let projection = request::projection(projection, None, &mut placeholders)?;
        placeholders.check_all_used()?;
        let key = validated(required(get.key, "get.key")?)?;
        check_key_values(&key)?;
        let table_name = required(get.table_name, "get.tableName")?.into_owned();
        Ok(Self { table_name, key, projection })
    }

    /// Returns the response. A projection that finds nothing leaves the item out.
    /// Source: captures of 2026.
    fn response(&self, item: Option<Item>) -> ItemResponse {
        let item = match &self.projection {
            None => item,
            Some(projection) => item
                .map(|item| projection.apply(&item))
                .filter(|projected| projected.iter().next().is_some()),
        };
        ItemResponse { item }
    }
}

impl<S: Store> Engine<S> {
    /// Reads several items as of one moment.
    pub async fn transact_get_items(
        &self,
        mut input: TransactGetItemsInput<'_>,
    ) -> ApiResult<TransactGetItemsOutput> {
        self.run_request(Operation::TransactGetItems, ItemReads::check(&mut input)).await
    }

    fn tables_of_gets(&self, gets: &[CheckedGet]) -> ApiResult<Vec<Arc<Table>>> {
        gets.iter().map(|get| self.readable_table(&get.table_name)).collect()
    }
}

/// Reads of a transaction, each checked by itself.
pub(super) struct ItemReads {
    gets: Vec<CheckedGet>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl ItemReads {
    pub(super) fn check(input: &mut TransactGetItemsInput<'_>) -> ApiResult<Self> {
        let gets = required(input.transact_items.take(), "transactItems")?
            .into_iter()
            .map(|item| CheckedGet::check(required(item.get, "transactItems.get")?))
            .collect::<ApiResult<Vec<_>>>()?;
        Ok(Self { gets, return_consumed_capacity: input.return_consumed_capacity })
    }
}

impl<S: Store> Run<S, TransactGetItemsOutput> for ItemReads {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<TransactGetItemsOutput> {
        let gets = &self.gets;
        let tables = engine.tables_of_gets(gets)?;
        let keys = plan(gets, &tables)?;
        let announced = announce_all(|| intents(gets, &tables))?;
        let targets = || {
            let items = tables.iter().zip(&keys);
            items.map(|(table, key)| (ReadTarget::item(table, key, true), Touched::Item(key)))
        };
        let admission = engine.admit_reads(targets(), announced)?;
        pass(Station::View);
        let stored = engine.store().get_together(&keys).await;
        let mut stored =
            stored.map_err(|error| fault::of_tables(tables.iter().map(|table| &**table), error))?;
        pass(Station::Run);
        for ((table, key), stored) in tables.iter().zip(&keys).zip(&mut stored) {
            if table.past.is_some() || heat::is_heat(table) {
                *stored = Box::pin(engine.item_apart(table, key)).await?;
            }
        }
        let items = stored
            .into_iter()
            .map(|stored| stored.map(Item::from_stored).transpose().map_err(fault::of_form))
            .collect::<ApiResult<Vec<_>>>()?;
        let bytes = items.iter().flatten().map(Item::size).sum::<usize>();
        if bytes > TRANSACTION_SIZE_MAX_BYTES {
            return Err(Reason::TransactionTooLarge.into());
        }
        Pace::new().spend(item_work(bytes, None)).await;
        let mut reports = PerTable::default();
        let mut charges = Vec::with_capacity(items.len());
        for (((get, table), item), key) in gets.iter().zip(&tables).zip(&items).zip(&keys) {
            let size = item.as_ref().map(Item::size);
            let units = Units::of_table(2.0 * read_units(size.unwrap_or(0), true));
            reports.add_units(&get.table_name, table, &units);
            engine.tell_read(table, key, &units, Seen::item(size));
            charges.push(units);
        }
        if let Some(mut admission) = admission {
            targets()
                .zip(&charges)
                .for_each(|((target, _), units)| admission.add_read(&target, units));
            admission.settle();
        }
        let mode = self.return_consumed_capacity;
        Ok(TransactGetItemsOutput {
            consumed_capacity: reports.consumed(|units, name, table| {
                units.report_of_transaction(mode, name, table, Charge::Read)
            }),
            responses: Some(gets.iter().zip(items).map(|(get, item)| get.response(item)).collect()),
        })
    }
}

impl<S: Store> Explain<S> for ItemReads {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let gets = &self.gets;
        let tables = engine.tables_of_gets(gets)?;
        let keys = plan(gets, &tables)?;
        let pattern = pattern_of(intents(gets, &tables));
        let planned_ms = engine.now_ms();
        let reads = gets.iter().zip(&tables).zip(&keys).map(|((get, table), key)| {
            let keys = ReadKeys::of_item(table, &get.key);
            Ok(ReadPlan::of_item(table, keys, key, get.projection.clone(), true))
        });
        let steps = engine.item_read_steps(reads.collect(), Grouping::Transaction).await?;
        let mut parts = Parts::of(Grouping::Transaction, steps);
        match asked.mode {
            Mode::Plan if parts.together.bytes > TRANSACTION_SIZE_MAX_BYTES => {
                parts.refuse(&ApiError::new(Reason::TransactionTooLarge).in_layer(Layer::Older));
            }
            Mode::Plan => {}
            Mode::Analyze => {
                self.return_consumed_capacity = Some(ReturnConsumedCapacity::Total);
                let answer = self.run(engine).await?;
                engine.add_consumed(&mut parts, answer.consumed_capacity)?;
            }
        }
        Ok(Explanation { pattern, ..parts.explanation(asked, planned_ms, engine.now_ms()) })
    }
}

fn intents<'i>(
    gets: &'i [CheckedGet],
    tables: &'i [Arc<Table>],
) -> impl Iterator<Item = Intent<'i>> {
    gets.iter().zip(tables).map(|(get, table)| Intent {
        returns: Returns::of_projection(get.projection.as_ref()),
        consistent: true,
        ..Intent::new(Verb::Get, &table.record.name, Access::Item(&get.key))
    })
}

/// Returns the byte keys; a key that does not fit its table cancels the transaction.
fn plan(gets: &[CheckedGet], tables: &[Arc<Table>]) -> Result<Vec<Key>, Reason> {
    let keys: Vec<_> = gets
        .iter()
        .zip(tables)
        .map(|(get, table)| {
            let key = write::key_of_key(table, &get.key)?;
            let looked_into = get.projection.iter().flat_map(Projection::names_looked_into);
            request::check_scalar_keys(table, looked_into)?;
            Ok(key.bytes)
        })
        .collect();
    check_distinct(keys.iter().flatten())?;
    if keys.iter().all(Result::is_ok) {
        return keys.into_iter().collect();
    }
    let errors = keys.into_iter().map(|key| Some(ApiError::new(key.err()?).in_layer(Layer::Older)));
    Err(Reason::TransactionCanceled(errors.collect()))
}
