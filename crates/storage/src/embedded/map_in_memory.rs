//! An ordered map in memory, for runs under a scheduler.
//!
//! It keeps the promises of [`OrderedMap`] and no more: a snapshot shows whole groups; a reader of
//! the newest value may see the first keys of a group that is being written. Each step is a place
//! where another thread may go on.

use super::disk_waits::DiskWaits;
use super::folder::{Folder, StoreId};
use super::ordered_map::{MapChange, MapData, MapFootprint, MapSnapshot, Opened, OrderedMap};
use super::space::Space;
use super::{EmbeddedOptions, OpenError};
use crate::sync::point;
use crate::{Direction, Error, KeyRange};
use bytes::Bytes;
use imbl::OrdMap;
use parking_lot::Mutex;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

type Entries = OrdMap<Bytes, Bytes>;

/// The ordered map.
#[derive(Default)]
pub(crate) struct MapInMemory {
    /// Changes with each key that is written.
    newest: Mutex<Entries>,
    /// Changes with each group.
    snapshot: Mutex<SnapshotInMemory>,
}

/// One state of the ordered map.
#[derive(Clone, Default)]
pub(crate) struct SnapshotInMemory {
    map: Entries,
    group: u64,
}

impl OrderedMap for MapInMemory {
    type Snapshot = SnapshotInMemory;

    fn create(_: &Path, _: StoreId, _: u64, _: &EmbeddedOptions) -> Result<(), Error> {
        Ok(())
    }

    fn open(_: &Folder, _: &EmbeddedOptions, _: &Arc<Space>) -> Result<Opened<Self>, OpenError> {
        Ok(Opened { map: Self::default(), last_group: 0, torn_bytes: 0, was_unclean: false })
    }

    fn shadow(_: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        point();
        let value = self.newest.lock().get(key).cloned();
        point();
        Ok(value)
    }

    fn write_group(&self, number: u64, changes: Vec<MapChange>, _: usize) -> Result<(), Error> {
        assert_eq!(number, self.snapshot.lock().group + 1, "groups have no gaps");
        for (key, value) in changes {
            point();
            match value {
                Some(value) => drop(self.newest.lock().insert(key, value)),
                None => drop(self.newest.lock().remove(&key)),
            }
        }
        point();
        let map = self.newest.lock().clone();
        *self.snapshot.lock() = SnapshotInMemory { map, group: number };
        point();
        Ok(())
    }

    fn snapshot(&self) -> SnapshotInMemory {
        point();
        self.snapshot.lock().clone()
    }

    fn drop_range(&self, _: &KeyRange) -> Result<bool, Error> {
        Ok(false)
    }

    fn let_go(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Refuses, because there are no files to close.
    fn sort_all(&self) -> Result<(), Error> {
        Err(Error::Closed)
    }

    fn sort_some(&self) -> Result<(), Error> {
        Ok(())
    }

    fn merge_all(&self, _: u64) -> Result<bool, Error> {
        Ok(true)
    }

    fn kept_bytes(&self) -> Result<u64, Error> {
        Ok(0)
    }

    fn merge_a_part(&self) -> Result<bool, Error> {
        Ok(false)
    }

    fn data(&self) -> MapData {
        MapData::default()
    }

    fn footprint(&self) -> MapFootprint {
        MapFootprint::default()
    }

    fn end(&self) {}

    fn note_closed(&self, _: u64) {}
}

impl MapSnapshot for SnapshotInMemory {
    fn last_group(&self) -> u64 {
        self.group
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        point();
        let value = self.map.get(key).cloned();
        point();
        Ok(value)
    }

    fn visit(
        &self,
        range: &KeyRange,
        direction: Direction,
        _: &DiskWaits,
        visitor: &mut dyn FnMut(&[u8], Bytes) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        point();
        let inside = |key: &Bytes| range.end.as_ref().is_none_or(|end| key[..] < end[..]);
        let from = Bytes::copy_from_slice(&range.start);
        let mut entries: Vec<_> = self.map.range(from..).filter(|(key, _)| inside(key)).collect();
        if direction == Direction::Backward {
            entries.reverse();
        }
        for (key, value) in entries {
            if visitor(key, value.clone()).is_break() {
                break;
            }
        }
        point();
        Ok(())
    }
}
