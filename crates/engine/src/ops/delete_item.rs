//! DeleteItem: removes one item; an absent one is no error.

use crate::engine::Engine;
use crate::explain::{Explanation, Mode};
use crate::ops::item_write::{ItemAnswer, ItemParameters, Kind};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{DeleteItemInput, DeleteItemOutput};

impl<S: Store> Engine<S> {
    /// Removes one item.
    pub async fn delete_item(&self, mut input: DeleteItemInput<'_>) -> ApiResult<DeleteItemOutput> {
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.write_item(parameters(&mut input)).await?;
        Ok(DeleteItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }

    /// Explains the write.
    pub(super) async fn explain_delete_item(
        &self,
        mut input: DeleteItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        self.explain_item_write("DeleteItem", parameters(&mut input), mode).await
    }
}

fn parameters<'a>(input: &'a mut DeleteItemInput<'_>) -> ItemParameters<'a> {
    ItemParameters {
        kind: Kind::Delete,
        item: input.key.take(),
        table_name: input.table_name.as_deref(),
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
    }
}
