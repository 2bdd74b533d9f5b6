//! PutItem: creates or replaces one item.

use crate::engine::Engine;
use crate::explain::{Explanation, Mode};
use crate::ops::item_write::{ItemAnswer, ItemParameters, Kind};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{PutItemInput, PutItemOutput};

impl<S: Store> Engine<S> {
    /// Creates or replaces one item.
    pub async fn put_item(&self, mut input: PutItemInput<'_>) -> ApiResult<PutItemOutput> {
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.write_item(parameters(&mut input)).await?;
        Ok(PutItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }

    /// Explains the write.
    pub(super) async fn explain_put_item(
        &self,
        mut input: PutItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        self.explain_item_write("PutItem", parameters(&mut input), mode).await
    }
}

fn parameters<'a>(input: &'a mut PutItemInput<'_>) -> ItemParameters<'a> {
    ItemParameters {
        kind: Kind::Put,
        item: input.item.take(),
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
