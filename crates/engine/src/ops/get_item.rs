//! GetItem: reads one item by its primary key.

use crate::engine::{Engine, ItemWalk};
use crate::explain::{Asked, Explanation, Mode, ReadKeys, ReadPlan};
use crate::heat;
use crate::intent::{Access, Intent, Returns, Verb};
use crate::request::{self, check_one_style, check_scalar_keys, legacy, required, validated};
use crate::schema::Table;
use crate::usage::announce;
use crate::write;
use hashrange_expr::Projection;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, Store};
use hashrange_wire::{DecodedItem, DecodedValue, GetItemInput, GetItemOutput, Map};

impl<S: Store> Engine<S> {
    /// Reads one item.
    pub async fn get_item(&self, mut input: GetItemInput<'_>) -> ApiResult<GetItemOutput> {
        let key = input.key.take();
        let request = CheckedGet::check(&input, key)?;
        let table = self.readable_table(request.table_name)?;
        let key = request.plan(&table)?;
        let announced = announce(&request.intent(&table))?;
        let walk = ItemWalk { table: &table, key: &key, consistent: request.consistent };
        let page = self.read(walk, None, announced).await?;
        let report = input.return_consumed_capacity.filter(|_| !heat::is_heat(&table));
        Ok(GetItemOutput {
            item: match request.projection {
                None => page.item,
                Some(projection) => page.item.map(|item| projection.apply(&item)),
            },
            consumed_capacity: page.units.report(report, request.table_name, &table),
        })
    }

    /// Explains the read of one item.
    pub(super) async fn explain_get_item(
        &self,
        mut input: GetItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let asked = Asked { operation: "GetItem", mode, began_ms: self.now_ms() };
        let key = input.key.take();
        let request = CheckedGet::check(&input, key)?;
        let table = self.readable_table(request.table_name)?;
        let key = request.plan(&table)?;
        let keys = ReadKeys::of_item(&table, &request.key);
        let projection = request.projection.clone();
        let read = ReadPlan::of_item(&table, keys, &key, projection, request.consistent);
        self.explain_read(read, &request.intent(&table), asked).await
    }
}

/// A read whose parameters are valid by themselves.
struct CheckedGet<'a> {
    table_name: &'a str,
    key: Item,
    projection: Option<Projection>,
    consistent: bool,
}

impl<'a> CheckedGet<'a> {
    fn check(input: &'a GetItemInput<'_>, key: Option<DecodedItem>) -> ApiResult<Self> {
        let key = required(key, "key")?;
        let table_name = required(input.table_name.as_deref(), "tableName")?;
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
