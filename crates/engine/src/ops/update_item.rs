//! UpdateItem: changes one item, or creates it from its key.

use crate::engine::Engine;
use crate::ops::item_write::{ItemAnswer, ItemParameters, ItemWrite, Kind};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{Operation, UpdateItemInput, UpdateItemOutput};

impl<S: Store> Engine<S> {
    /// Changes or creates one item.
    pub async fn update_item(&self, mut input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.run_request(Operation::UpdateItem, check(&mut input)).await?;
        Ok(UpdateItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }
}

pub(super) fn check<'n>(input: &mut UpdateItemInput<'n>) -> ApiResult<ItemWrite<'n>> {
    ItemWrite::check(ItemParameters {
        kind: Kind::Update,
        item: input.key.take(),
        table_name: input.table_name.take(),
        update_expression: input.update_expression.as_deref(),
        attribute_updates: input.attribute_updates.as_ref(),
        condition_expression: input.condition_expression.as_deref(),
        expected: input.expected.as_ref(),
        conditional_operator: input.conditional_operator,
        names: input.expression_attribute_names.as_ref(),
        values: input.expression_attribute_values.as_ref(),
        return_values: input.return_values,
        return_consumed_capacity: input.return_consumed_capacity,
        return_item_collection_metrics: input.return_item_collection_metrics,
        on_failure: input.return_values_on_condition_check_failure,
    })
}
