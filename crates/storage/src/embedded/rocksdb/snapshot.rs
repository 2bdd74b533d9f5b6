//! Reads of one state of the map.

use super::super::disk_waits::DiskWaits;
use super::super::ordered_map::MapSnapshot;
use super::failures::{guarded, near};
use super::tuning;
use crate::{Direction, Error, KeyRange};
use bytes::Bytes;
use rocksdb::{DB, DBRawIterator, Snapshot};
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

/// One state of the ordered map.
pub(crate) struct RocksSnapshot {
    // Invariant: dropped before the database it is of, which is behind this field. Given to nobody.
    snapshot: Snapshot<'static>,
    _database: Arc<DB>,
    marker: Bytes,
    group: u64,
}

impl RocksSnapshot {
    /// Takes the state of `database` after `group`.
    pub(super) fn new(database: &Arc<DB>, marker: Bytes, group: u64) -> Self {
        let database = Arc::clone(database);
        Self { snapshot: outliving(&database), _database: database, marker, group }
    }
}

/// Returns a snapshot that is to be kept with its database.
#[expect(unsafe_code, reason = "the crate has no snapshot that owns its database")]
fn outliving(database: &Arc<DB>) -> Snapshot<'static> {
    // SAFETY: the snapshot borrows what the `Arc` holds, which stays where it is while there is an `Arc`.
    // The only caller keeps one beside the snapshot and drops it after the snapshot.
    unsafe { mem::transmute::<Snapshot<'_>, Snapshot<'static>>(database.snapshot()) }
}

impl MapSnapshot for RocksSnapshot {
    fn last_group(&self) -> u64 {
        self.group
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        if key.is_empty() {
            return Ok(None);
        }
        let read = || self.snapshot.get_pinned_opt(key, tuning::reading());
        let value = guarded("read key", read).map_err(|error| near(error, key))?;
        Ok(value.map(|value| Bytes::copy_from_slice(&value)))
    }

    fn visit(
        &self,
        range: &KeyRange,
        direction: Direction,
        waits: &DiskWaits,
        visitor: &mut dyn FnMut(&[u8], Bytes) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        if range.is_empty() {
            return Ok(());
        }
        let mut entries = waits.timed(|| self.first(range, direction))?;
        let mut reached = match direction {
            Direction::Forward => range.start.clone(),
            Direction::Backward => range.end.clone().unwrap_or_else(|| vec![0xff]),
        };
        loop {
            // It ends where a read fails, too.
            guarded("read range", || entries.status()).map_err(|error| near(error, &reached))?;
            let Some((key, value)) = entries.item() else { return Ok(()) };
            if key != &self.marker[..] && visitor(key, Bytes::copy_from_slice(value)).is_break() {
                return Ok(());
            }
            reached.clear();
            reached.extend_from_slice(key);
            guarded("read range", || {
                match direction {
                    Direction::Forward => entries.next(),
                    Direction::Backward => entries.prev(),
                }
                Ok(())
            })?;
        }
    }
}

impl RocksSnapshot {
    /// Returns the entries of a range, at the first one.
    fn first(&self, range: &KeyRange, direction: Direction) -> Result<DBRawIterator<'_>, Error> {
        let mut reading = tuning::reading();
        reading.set_iterate_lower_bound(range.start.clone());
        if let Some(end) = &range.end {
            reading.set_iterate_upper_bound(end.clone());
        }
        guarded("read range", || {
            let mut entries = self.snapshot.raw_iterator_opt(reading);
            match direction {
                Direction::Forward => entries.seek_to_first(),
                Direction::Backward => entries.seek_to_last(),
            }
            Ok(entries)
        })
    }
}
