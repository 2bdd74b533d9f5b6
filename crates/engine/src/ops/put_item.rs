//! PutItem: creates or replaces one item.

use crate::engine::Engine;
use crate::explain::{Explanation, Mode};
use crate::ops::item_write::{ItemAnswer, item_parameters};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{PutItemInput, PutItemOutput};

impl<S: Store> Engine<S> {
    /// Creates or replaces one item.
    pub async fn put_item(&self, mut input: PutItemInput<'_>) -> ApiResult<PutItemOutput> {
        let parameters = item_parameters!(Put, input, item, None, None);
        let ItemAnswer { attributes, consumed_capacity, item_collection_metrics } =
            self.write_item(parameters).await?;
        Ok(PutItemOutput { attributes, consumed_capacity, item_collection_metrics })
    }

    /// Explains the write.
    pub(super) async fn explain_put_item(
        &self,
        mut input: PutItemInput<'_>,
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let parameters = item_parameters!(Put, input, item, None, None);
        self.explain_item_write("PutItem", parameters, mode).await
    }
}
