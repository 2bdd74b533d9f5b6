//! GetItem: reads one item by its primary key.

use crate::capacity::{Units, read_units};
use crate::engine::Engine;
use crate::request::{self, check_one_style, check_scalar_keys, legacy, required, validated};
use crate::throughput::ReadTarget;
use crate::{fault, write};
use hashrange_expr::Projection;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::{Store, View};
use hashrange_wire::{DecodedValue, GetItemInput, GetItemOutput, Map};

impl<S: Store> Engine<S> {
    /// Reads one item.
    pub async fn get_item(&self, mut input: GetItemInput<'_>) -> ApiResult<GetItemOutput> {
        let key = required(input.key.take(), "key")?;
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
        let key = validated(key)?;
        let table = self.table(table_name)?;
        let key = write::key_of_key(&table, &key)?;
        check_scalar_keys(&table, projection.iter().flat_map(Projection::names_looked_into))?;
        let consistent = input.consistent_read == Some(true);
        let target = ReadTarget::item(&table, &key.bytes, consistent);
        let reading = self.begin_read(&target)?;
        let stored = match &reading.old_view {
            None => self.store().get(&key.bytes).await,
            Some(old) => old.get(&key.bytes).await,
        };
        let stored = stored.map_err(|error| fault::of_tables([&*table], error))?;
        let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
        let size = item.as_ref().map_or(0, Item::size);
        let units = Units::of_table(read_units(size, consistent));
        reading.settle(&target, &units);
        Ok(GetItemOutput {
            item: match projection {
                None => item,
                Some(projection) => item.map(|item| projection.apply(&item)),
            },
            consumed_capacity: units.report(input.return_consumed_capacity, table_name, &table),
        })
    }
}
