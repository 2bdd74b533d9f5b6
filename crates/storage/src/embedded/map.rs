//! Which ordered map a store is on: fjall, and where a scheduler runs the threads one in memory.
//!
//! Nothing is asked at run time. fjall's own locks and threads would stop a scheduler.

use super::ordered_map::OrderedMap;

#[cfg(not(feature = "shuttle"))]
pub(super) use super::fjall::FjallMap as Map;
#[cfg(feature = "shuttle")]
pub(super) use super::map_in_memory::MapInMemory as Map;

/// One state of the map.
pub(super) type Snapshot = <Map as OrderedMap>::Snapshot;
