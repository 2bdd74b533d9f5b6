//! GetItem: reads one item by its primary key.

use crate::engine::{Engine, ItemWalk};
use crate::explain::{Asked, Explanation, ReadKeys, ReadPlan};
use crate::heat;
use crate::intent::{Access, Intent, Returns, Verb};
use crate::ops::drive::{Explain, Run};
use crate::request::{self, check_one_style, check_scalar_keys, legacy, required, validated};
use crate::schema::Table;
use crate::usage::announce;
use crate::write;
use hashrange_expr::Projection;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, Store};
use hashrange_wire::{
    DecodedValue, GetItemInput, GetItemOutput, Map, Operation, ReturnConsumedCapacity,
};
use std::borrow::Cow;

impl<S: Store> Engine<S> {
    /// Reads one item.
    pub async fn get_item(&self, mut input: GetItemInput<'_>) -> ApiResult<GetItemOutput> {
        self.run_request(Operation::GetItem, ItemRead::check(&mut input)).await
    }
}

/// A read whose parameters are valid by themselves.
pub(super) struct ItemRead<'a> {
    table_name: Cow<'a, str>,
    key: Item,
    projection: Option<Projection>,
    consistent: bool,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl<'a> ItemRead<'a> {
    pub(super) fn check(input: &mut GetItemInput<'a>) -> ApiResult<Self> {
        let key = required(input.key.take(), "key")?;
        let table_name = required(input.table_name.take(), "tableName")?;
        let expressions = [("ProjectionExpression", input.projection_expression.is_some())];
        check_one_style(&[("AttributesToGet", input.attributes_to_get.is_some())], &expressions)?;
        let mut placeholders = request::placeholders(
            input.expression_attribute_names.as_ref(),
            None::<&Map<String, DecodedValue>>,
            &expressions,
            &[],
        )?;
        let legacy = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        let projection = input.projection_expression.as_deref();
        let projection = request::projection(projection, legacy, &mut placeholders)?;
        placeholders.check_all_used()?;
        Ok(Self {
            table_name,
            key: validated(key)?,
            projection,
            consistent: input.consistent_read == Some(true),
            return_consumed_capacity: input.return_consumed_capacity,
        })
    }

    fn intent<'i>(&'i self, table: &'i Table) -> Intent<'i> {
        Intent {
            returns: Returns::of_projection(self.projection.as_ref()),
            consistent: self.consistent,
            ..Intent::new(Verb::Get, &table.record.name, Access::Item(&self.key))
        }
    }

    /// Returns the byte key, with every fault that the table shows.
    fn plan(&self, table: &Table) -> Result<Key, Reason> {
        let key = write::key_of_key(table, &self.key)?;
        check_scalar_keys(table, self.projection.iter().flat_map(Projection::names_looked_into))?;
        Ok(key.bytes)
    }
}

impl<S: Store> Run<S, GetItemOutput> for ItemRead<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<GetItemOutput> {
        let table = engine.readable_table(&self.table_name)?;
        let key = self.plan(&table)?;
        let announced = announce(&self.intent(&table))?;
        let walk = ItemWalk { table: &table, key: &key, consistent: self.consistent };
        let page = engine.read(walk, None, announced).await?;
        let report = self.return_consumed_capacity.filter(|_| !heat::is_heat(&table));
        Ok(GetItemOutput {
            item: match &self.projection {
                None => page.item,
                Some(projection) => page.item.map(|item| projection.apply(&item)),
            },
            consumed_capacity: page.units.report(report, &self.table_name, &table),
        })
    }
}

impl<S: Store> Explain<S> for ItemRead<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let table = engine.readable_table(&self.table_name)?;
        let key = self.plan(&table)?;
        let keys = ReadKeys::of_item(&table, &self.key);
        let projection = self.projection.clone();
        let read = ReadPlan::of_item(&table, keys, &key, projection, self.consistent);
        engine.explain_read(read, &self.intent(&table), asked).await
    }
}
