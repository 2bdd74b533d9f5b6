//! The ordered map of a store: fjall, or one in memory under a scheduler.
//!
//! The choice is made at compile time. fjall's own locks and threads would stop a scheduler.

use super::ordered_map::OrderedMap;

#[cfg(not(feature = "shuttle"))]
pub(super) use super::fjall::FjallMap as Map;
#[cfg(feature = "shuttle")]
pub(super) use super::map_in_memory::MapInMemory as Map;

/// One state of the map.
pub(super) type Snapshot = <Map as OrderedMap>::Snapshot;
