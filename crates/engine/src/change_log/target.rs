//! Logs a write in the stream of its table: all that the write path knows of streams.

use super::record::encode_change;
use crate::layout::ItemKey;
use crate::schema::{KeySchema, StreamTarget};
use hashrange_model::Item;
use hashrange_storage::Batch;

/// Author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A client.
    Client,
    /// The service itself, because the item's time to live is over.
    TimeToLive,
}

impl StreamTarget {
    /// Logs a change of the item at `key`.
    pub(crate) fn append(
        &self,
        schema: &KeySchema,
        key: &ItemKey,
        images: (Option<&Item>, Option<&Item>),
        now_ms: u64,
        author: Author,
        batch: &mut Batch,
    ) {
        let keys = |item: &Item| item.retain(|name| schema.contains(name));
        let by_service = author == Author::TimeToLive;
        let record = encode_change(self.view, keys, images, now_ms, by_service);
        batch.append(self.shard_of(key.hash()).clone(), record);
    }
}
