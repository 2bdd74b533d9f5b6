//! What stands for the ordered map where a scheduler runs the threads: a map in memory.
//!
//! fjall's own locks and threads would stop a scheduler. This keeps what it promises and no more: a
//! snapshot shows whole groups; whoever reads the newest value may see the first keys of a group
//! that is being written. Each step is a place where another thread may go on.

use super::EmbeddedOptions;
use super::disk_waits::DiskWaits;
use super::remover::Remover;
use crate::sync::point;
use crate::{Direction, Error, KeyRange};
use bytes::Bytes;
use imbl::OrdMap;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

type Map = OrdMap<Bytes, Bytes>;

/// The ordered map.
pub(crate) struct Engine {
    /// Changes with each key that is written.
    newest: Mutex<Map>,
    /// Changes with each group.
    snapshot: Mutex<EngineSnapshot>,
}

/// One state of the ordered map.
#[derive(Clone, Default)]
pub(crate) struct EngineSnapshot {
    map: Map,
    group: u64,
}

impl Engine {
    pub(crate) fn create(_: &Path, _: &EmbeddedOptions) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn open(_: &Path, _: Bytes, _: &EmbeddedOptions) -> Result<Self, Error> {
        Ok(Self { newest: Mutex::default(), snapshot: Mutex::default() })
    }

    pub(crate) fn begin_after(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        point();
        let value = self.newest.lock().get(key).cloned();
        point();
        Ok(value)
    }

    pub(crate) fn last_group(&self) -> u64 {
        self.snapshot.lock().group
    }

    pub(crate) fn sorted_group_before(&self, _: u64) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    pub(crate) fn write_group(
        &self,
        number: u64,
        changes: Vec<(Bytes, Option<Bytes>)>,
    ) -> Result<(), Error> {
        assert_eq!(number, self.last_group() + 1, "groups have no gaps");
        for (key, value) in changes {
            point();
            match value {
                Some(value) => drop(self.newest.lock().insert(key, value)),
                None => drop(self.newest.lock().remove(&key)),
            }
        }
        point();
        let map = self.newest.lock().clone();
        *self.snapshot.lock() = EngineSnapshot { map, group: number };
        point();
        Ok(())
    }

    pub(crate) fn snapshot(&self) -> EngineSnapshot {
        point();
        self.snapshot.lock().clone()
    }

    /// Refuses: there are no files to close.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        Err(Error::Closed)
    }

    pub(crate) fn wait_for_workers(&self) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn seal_full_memtable(&self, _: &Remover) -> Result<bool, Error> {
        Ok(false)
    }

    pub(crate) fn merge(&self, _: &Remover) -> Result<bool, Error> {
        Ok(false)
    }

    pub(crate) fn has_sealed_memtable(&self) -> bool {
        false
    }

    pub(crate) fn unmerged_runs(&self) -> usize {
        0
    }

    pub(crate) fn fullness(&self) -> f64 {
        0.0
    }

    pub(crate) fn is_sorting(&self) -> bool {
        false
    }

    pub(crate) fn table_bytes(&self) -> u64 {
        0
    }

    pub(crate) fn memtable_bytes(&self) -> u64 {
        0
    }

    pub(crate) fn entry_bytes(&self) -> u64 {
        0
    }

    pub(crate) fn drop_files(&self, _: &KeyRange, _: &Remover) -> Result<bool, Error> {
        Ok(false)
    }

    pub(crate) fn merge_all(&self, _: &Remover) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn seal_memtable(&self) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn tables_path(&self) -> PathBuf {
        PathBuf::new()
    }

    pub(crate) fn sizes(&self) -> [u64; 3] {
        [0; 3]
    }
}

impl EngineSnapshot {
    pub(crate) fn last_group(&self) -> u64 {
        self.group
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        point();
        let value = self.map.get(key).cloned();
        point();
        Ok(value)
    }

    pub(crate) fn visit(
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

/// There are no workers.
pub(crate) fn step_back() {}
