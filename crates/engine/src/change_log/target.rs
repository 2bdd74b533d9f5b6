//! Where a table's writes go: all that the write path knows of streams.

use super::record::encode_change;
use super::stream::{StreamSettings, StreamView};
use crate::layout::{self, ItemKey};
use crate::schema::{KeySchema, TableId};
use hashrange_model::Item;
use hashrange_storage::{Batch, Key};

/// Who changes an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A client.
    Client,
    /// The service itself, because the item has expired.
    TimeToLive,
}

/// The open shards of an enabled stream.
#[derive(Debug)]
pub(crate) struct StreamTarget {
    view: StreamView,
    /// Key prefixes of the shards, by equal parts of the hash space.
    shards: Vec<Key>,
}

impl StreamTarget {
    /// Returns the target that a table's settings name, if its stream is enabled.
    pub(crate) fn of(table: TableId, settings: Option<&StreamSettings>) -> Option<Self> {
        let settings = settings.filter(|settings| settings.enabled)?;
        let shards = settings
            .open_shards
            .iter()
            .map(|shard| layout::shard_prefix(table, settings.id, *shard))
            .collect();
        Some(Self { view: settings.view, shards })
    }

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

    fn shard_of(&self, hash: u32) -> &Key {
        let nth = (u64::from(hash) * self.shards.len() as u64) >> 32;
        let nth = usize::try_from(nth).expect("it is less than the number of shards");
        self.shards.get(nth).expect("an enabled stream has shards")
    }
}
