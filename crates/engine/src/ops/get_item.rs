//! GetItem: reads one item by its primary key.

use crate::capacity::{Units, read_units};
use crate::engine::Engine;
use crate::explain::{Asked, Explanation, Mode, ReadKeys, ReadPlan};
use crate::heat::{self, Touched};
use crate::request::{self, check_one_style, check_scalar_keys, legacy, required, validated};
use crate::schema::Table;
use crate::throughput::ReadTarget;
use crate::usage::{Shape, ask_gate, note_shape};
use crate::{fault, write};
use hashrange_expr::Projection;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, Store, View};
use hashrange_wire::{DecodedItem, DecodedValue, GetItemInput, GetItemOutput, Map};

impl<S: Store> Engine<S> {
    /// Reads one item.
    pub async fn get_item(&self, mut input: GetItemInput<'_>) -> ApiResult<GetItemOutput> {
        let key = input.key.take();
        let request = CheckedGet::check(&input, key)?;
        let table_name = request.table_name;
        let table = self.readable_table(table_name)?;
        let plan = request.plan(&table)?;
        if let Some(projection) = &plan.projection {
            note_shape(|shape| shape.returns_paths(projection));
        }
        ask_gate(&table, None)?;
        if heat::is_heat(&table) {
            return Box::pin(self.get_of_heat(plan)).await;
        }
        let target = ReadTarget::item(&table, &plan.key, plan.consistent);
        let reading = self.begin_read(&target, Touched::Item(&plan.key))?;
        let old_view = reading.old_view.as_ref();
        let stored = match (table.past, old_view) {
            // On the heap: rare, and every read would be as large.
            (Some(_), _) => Ok(Box::pin(self.item_of_past(&table, &plan.key, old_view)).await?),
            (None, None) => self.store().get(&plan.key).await,
            (None, Some(old)) => old.get(&plan.key).await,
        };
        let stored = stored.map_err(|error| fault::of_tables([&*table], error))?;
        let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
        let size = item.as_ref().map_or(0, Item::size);
        let units = Units::of_table(read_units(size, plan.consistent));
        reading.settle(&target, &units);
        self.note_item_read(&table, &plan.key, &units, item.as_ref().map(Item::size));
        Ok(GetItemOutput {
            item: match plan.projection {
                None => item,
                Some(projection) => item.map(|item| projection.apply(&item)),
            },
            consumed_capacity: units.report(input.return_consumed_capacity, table_name, &table),
        })
    }

    /// Reads an item of the table `sys.heat`, which is charged to nobody.
    async fn get_of_heat(&self, plan: ItemPlan) -> ApiResult<GetItemOutput> {
        let item = self.item_of_heat(&plan.key).await?;
        Ok(GetItemOutput {
            item: match plan.projection {
                None => item,
                Some(projection) => item.map(|item| projection.apply(&item)),
            },
            consumed_capacity: None,
        })
    }

    /// Explains the read of one item.
    pub(super) async fn explain_get_item(
        &self,
        mut input: GetItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let key = input.key.take();
        let request = CheckedGet::check(&input, key)?;
        let table = self.readable_table(request.table_name)?;
        let keys = ReadKeys::of_item(&table, &request.key);
        let plan = request.plan(&table)?;
        let projection = plan.projection.as_ref();
        let shape = Shape::text(|shape| projection.map_or(Ok(()), |it| shape.returns_paths(it)));
        let read = ReadPlan::of_item(&table, keys, &plan.key, plan.projection, plan.consistent);
        let asked = Asked { operation: "GetItem", mode, began_ms };
        let explained = self.explain_read(read, asked).await?;
        Ok(Explanation { shape, ..explained })
    }
}

/// A read whose parameters are valid by themselves.
struct CheckedGet<'a> {
    table_name: &'a str,
    key: Item,
    projection: Option<Projection>,
    consistent: bool,
}

/// The read of one item of a table.
struct ItemPlan {
    key: Key,
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

    /// Returns the read, with every fault that the table shows.
    fn plan(self, table: &Table) -> Result<ItemPlan, Reason> {
        let key = write::key_of_key(table, &self.key)?;
        check_scalar_keys(table, self.projection.iter().flat_map(Projection::names_looked_into))?;
        Ok(ItemPlan { key: key.bytes, projection: self.projection, consistent: self.consistent })
    }
}
