//! The stream in a table's record, and the shards to which its writes are logged.
//!
//! Left to others: records, shards and their life (`change_log/`).

use super::TableId;
use crate::layout;
use hashrange_storage::Key;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of a stream among those of its table, never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct StreamId(pub(crate) u32);

/// Contents of a stream's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamView {
    /// The key attributes.
    KeysOnly,
    /// The key attributes and the item after the change.
    NewImage,
    /// The key attributes and the item before the change.
    OldImage,
    /// The key attributes and both items.
    NewAndOldImages,
}

impl StreamView {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] =
        [Self::KeysOnly, Self::NewImage, Self::OldImage, Self::NewAndOldImages];

    /// Returns whether records contain the item after the change.
    pub(crate) fn shows_new(self) -> bool {
        matches!(self, Self::NewImage | Self::NewAndOldImages)
    }

    /// Returns whether records contain the item before the change.
    pub(crate) fn shows_old(self) -> bool {
        matches!(self, Self::OldImage | Self::NewAndOldImages)
    }
}

/// Latest stream of a table, as its record stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSettings {
    pub(crate) id: StreamId,
    pub(crate) label: String,
    pub(crate) view: StreamView,
    pub(crate) enabled: bool,
    /// Open shards, in the order of their parts of the hash space.
    pub(crate) open_shards: Vec<u32>,
    /// Time at which these shards were opened, epoch milliseconds.
    pub(crate) open_since_ms: u64,
    /// Tags of the stream, which has its own beside the table's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tags: BTreeMap<String, String>,
}

/// Change of a table's stream by an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamChange {
    /// No change.
    None,
    /// Begins a new stream.
    Enable(StreamView),
    /// Ends the stream.
    Disable,
}

/// The open shards of an enabled stream.
#[derive(Debug)]
pub(crate) struct StreamTarget {
    pub(crate) view: StreamView,
    /// Key prefixes of the shards, by equal parts of the hash space.
    shards: Vec<Key>,
}

impl StreamTarget {
    /// Returns the target for a table's stream settings; `None` if no stream is enabled.
    pub(crate) fn of(table: TableId, settings: Option<&StreamSettings>) -> Option<Self> {
        let settings = settings.filter(|settings| settings.enabled)?;
        let shards = settings
            .open_shards
            .iter()
            .map(|shard| layout::shard_prefix(table, settings.id, *shard))
            .collect();
        Some(Self { view: settings.view, shards })
    }

    /// Returns the key prefix of the shard for a hash of a partition key.
    pub(crate) fn shard_of(&self, hash: u32) -> &Key {
        let nth = (u64::from(hash) * self.shards.len() as u64) >> 32;
        let nth = usize::try_from(nth).expect("it is less than the number of shards");
        self.shards.get(nth).expect("an enabled stream has shards")
    }
}
