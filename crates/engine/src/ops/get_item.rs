//! GetItem: reads one item by its primary key.

use crate::engine::{Engine, ItemWalk};
use crate::explain::{Asked, Explanation, ReadKeys, ReadPlan};
use crate::heat;
use crate::history::place::names_a_version;
use crate::intent::{Access, Intent, Returns, Verb};
use crate::ops::drive::{Explain, Run};
use crate::read::{Page, PagePlan, versions};
use crate::request::{self, check_one_style, check_scalar_keys, legacy, required, validated};
use crate::schema::{Past, Table};
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

/// The read of a version of an item: of the newest, or of the one that the key names.
impl ItemRead<'_> {
    /// Returns the item's own key.
    fn own_key(&self) -> Item {
        self.key.retain(|name| !names_a_version(name))
    }

    /// Returns the page that holds the version, with every fault that the table shows.
    fn plan_version<'t>(&self, table: &'t Table) -> Result<PagePlan<'t>, Reason> {
        let key = write::key_of_key(table, &self.own_key())?;
        check_scalar_keys(table, self.projection.iter().flat_map(Projection::names_looked_into))?;
        let (range, direction) = versions::of_key(&key.bytes, &self.key)?;
        let page = PagePlan::of_item(table, &key.bytes, None, self.consistent);
        Ok(PagePlan { range, direction, limit: 1, ..page })
    }

    async fn version<S: Store>(
        &self,
        engine: &Engine<S>,
        table: &Table,
    ) -> ApiResult<GetItemOutput> {
        let plan = self.plan_version(table)?;
        let announced = announce(&self.intent(table))?;
        let page: Page<Vec<Item>> = engine.read(plan, None, announced).await?;
        let is_meant = |item: &Item| {
            let mut asked = self.key.iter().filter(|(name, _)| names_a_version(name));
            asked.all(|(name, value)| item.get(name) == Some(value))
        };
        let item = page.items.into_iter().find(is_meant);
        let report = self.return_consumed_capacity;
        Ok(GetItemOutput {
            item: item.map(|item| match &self.projection {
                None => item,
                Some(projection) => projection.apply(&item),
            }),
            consumed_capacity: page.units.report(report, &self.table_name, table),
        })
    }
}

impl<S: Store> Run<S, GetItemOutput> for ItemRead<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<GetItemOutput> {
        let table = engine.readable_table_or_versions(&self.table_name)?;
        if table.past == Some(Past::Versions) {
            // On the heap: rare, and every read would be as large.
            return Box::pin(self.version(engine, &table)).await;
        }
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
        let table = engine.readable_table_or_versions(&self.table_name)?;
        if table.past == Some(Past::Versions) {
            let page = self.plan_version(&table)?;
            let read = ReadPlan::of_page(page, ReadKeys::of_item(&table, &self.own_key()));
            return engine.explain_read(read, &self.intent(&table), asked).await;
        }
        let key = self.plan(&table)?;
        let keys = ReadKeys::of_item(&table, &self.key);
        let projection = self.projection.clone();
        let read = ReadPlan::of_item(&table, keys, &key, projection, self.consistent);
        engine.explain_read(read, &self.intent(&table), asked).await
    }
}
