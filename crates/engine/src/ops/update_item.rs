//! UpdateItem: changes one item, or creates it from its key.

use crate::engine::Engine;
use crate::explain::{Explanation, Mode};
use crate::ops::item_write::{ItemAnswer, item_parameters};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{UpdateItemInput, UpdateItemOutput};

impl<S: Store> Engine<S> {
    /// Changes or creates one item.
    pub async fn update_item(&self, mut input: UpdateItemInput<'_>) -> ApiResult<UpdateItemOutput> {
        let parameters = item_parameters!(
            Update,
            input,
            key,
            input.update_expression.as_deref(),
            input.attribute_updates.as_ref()
        );
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.write_item(parameters).await?;
        Ok(UpdateItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }

    /// Explains the write.
    pub(super) async fn explain_update_item(
        &self,
        mut input: UpdateItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let parameters = item_parameters!(
            Update,
            input,
            key,
            input.update_expression.as_deref(),
            input.attribute_updates.as_ref()
        );
        self.explain_item_write("UpdateItem", parameters, mode).await
    }
}
