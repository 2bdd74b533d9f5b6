//! DeleteItem: removes one item; an absent one is no error.

use crate::engine::Engine;
use crate::ops::item_write::{ItemAnswer, ItemParameters, ItemWrite, Kind};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{DeleteItemInput, DeleteItemOutput, Operation};

impl<S: Store> Engine<S> {
    /// Removes one item.
    pub async fn delete_item(&self, mut input: DeleteItemInput<'_>) -> ApiResult<DeleteItemOutput> {
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.run_request(Operation::DeleteItem, check(&mut input)).await?;
        Ok(DeleteItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }
}

pub(super) fn check<'n>(input: &mut DeleteItemInput<'n>) -> ApiResult<ItemWrite<'n>> {
    ItemWrite::check(ItemParameters {
        kind: Kind::Delete,
        item: input.key.take(),
        table_name: input.table_name.take(),
        update_expression: None,
        attribute_updates: None,
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
