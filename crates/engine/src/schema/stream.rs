//! What a table's record says of its stream, and where its writes are logged.
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

/// What the records of a stream show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamView {
    /// The key attributes.
    KeysOnly,
    /// Also the item after the change.
    NewImage,
    /// Also the item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl StreamView {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] =
        [Self::KeysOnly, Self::NewImage, Self::OldImage, Self::NewAndOldImages];

    /// Returns whether the item after the change is shown.
    pub(crate) fn shows_new(self) -> bool {
        matches!(self, Self::NewImage | Self::NewAndOldImages)
    }

    /// Returns whether the item before the change is shown.
    pub(crate) fn shows_old(self) -> bool {
        matches!(self, Self::OldImage | Self::NewAndOldImages)
    }
}

/// What a table's record says of its latest stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSettings {
    pub(crate) id: StreamId,
    pub(crate) label: String,
    pub(crate) view: StreamView,
    pub(crate) enabled: bool,
    /// The shards that are written to, in the order of their parts of the hash space.
    pub(crate) open_shards: Vec<u32>,
    /// Since when, epoch milliseconds.
    pub(crate) open_since_ms: u64,
    /// Tags of the stream, which has its own beside the table's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tags: BTreeMap<String, String>,
}

/// What an update does to a table's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamChange {
    /// Nothing.
    None,
    /// Begins a new one.
    Enable(StreamView),
    /// Ends it.
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

    /// Returns the prefix of the shard of the items whose partition keys have a hash.
    pub(crate) fn shard_of(&self, hash: u32) -> &Key {
        let nth = (u64::from(hash) * self.shards.len() as u64) >> 32;
        let nth = usize::try_from(nth).expect("it is less than the number of shards");
        self.shards.get(nth).expect("an enabled stream has shards")
    }
}
