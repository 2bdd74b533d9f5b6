//! DeleteItem: removes one item; an absent one is no error.

use crate::engine::Engine;
use crate::explain::{Explanation, Mode};
use crate::ops::item_write::{ItemAnswer, item_parameters};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{DeleteItemInput, DeleteItemOutput};

impl<S: Store> Engine<S> {
    /// Removes one item.
    pub async fn delete_item(&self, mut input: DeleteItemInput<'_>) -> ApiResult<DeleteItemOutput> {
        let parameters = item_parameters!(Delete, input, key, None, None);
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.write_item(parameters).await?;
        Ok(DeleteItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }

    /// Explains the write.
    pub(super) async fn explain_delete_item(
        &self,
        mut input: DeleteItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let parameters = item_parameters!(Delete, input, key, None, None);
        self.explain_item_write("DeleteItem", parameters, mode).await
    }
}
