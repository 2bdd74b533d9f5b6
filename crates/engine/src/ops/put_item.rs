//! PutItem: creates or replaces one item.

use crate::engine::Engine;
use crate::ops::item_write::{ItemAnswer, ItemParameters, ItemWrite, Kind};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{Operation, PutItemInput, PutItemOutput};

impl<S: Store> Engine<S> {
    /// Creates or replaces one item.
    pub async fn put_item(&self, mut input: PutItemInput<'_>) -> ApiResult<PutItemOutput> {
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.run_request(Operation::PutItem, check(&mut input)).await?;
        Ok(PutItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }
}

pub(super) fn check<'n>(input: &mut PutItemInput<'n>) -> ApiResult<ItemWrite<'n>> {
    ItemWrite::check(ItemParameters {
        kind: Kind::Put,
        item: input.item.take(),
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
