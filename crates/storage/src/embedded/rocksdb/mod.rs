//! The ordered map on `RocksDB`: everything that knows `RocksDB` and its files is in this folder.
//!
//! | file            | what                                                    |
//! |-----------------|---------------------------------------------------------|
//! | `engine.rs`     | the calls into `RocksDB`                                |
//! | `snapshot.rs`   | reads of one state                                      |
//! | `dropping.rs`   | ranges whose files may go when no view needs them       |
//! | `tuning.rs`     | its options: memory, files, threads, what it checks     |
//! | `failures.rs`   | its failures in our words                               |
//! | `log.rs`        | checks the logs before `RocksDB` replays them           |
//! | `log_record.rs` | the bytes of a log                                      |
//! | `log_keeper.rs` | knows, outside the logs, which log must exist           |
//! | `shadow.rs`     | a copy of a folder to look at                           |
//!
//! This file puts them together as [`OrderedMap`] asks for it. `RocksDB`'s own threads sort and merge
//! files, slow writes down where they fall behind, and end when the map is dropped.

mod dropping;
mod engine;
mod failures;
mod log;
mod log_keeper;
mod log_record;
mod shadow;
mod snapshot;
mod tuning;

use super::folder::{self, Folder, StoreId};
use super::log_note::LogNote;
use super::ordered_map::{MapChange, MapData, MapFootprint, Opened, OrderedMap};
use super::space::Space;
use super::{EmbeddedOptions, OpenError};
use crate::{Error, KeyRange};
use bytes::Bytes;
use engine::Engine;
use log_keeper::LogKeeper;
use parking_lot::Mutex;
use snapshot::RocksSnapshot;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The open map.
pub(crate) struct RocksMap {
    engine: Engine,
    /// Taken at the end.
    logs: Mutex<Option<LogKeeper>>,
}

impl OrderedMap for RocksMap {
    type Snapshot = RocksSnapshot;

    fn create(
        path: &Path,
        id: StoreId,
        last_group: u64,
        options: &EmbeddedOptions,
    ) -> Result<(), Error> {
        folder::create_private(path).map_err(|error| Error::from_io("create store", error))?;
        Engine::create(path, &folder::marker(id), last_group, options)?;
        let newest_log = log::newest(path)?;
        LogNote { is_closed: true, newest_log, group: last_group }
            .write(&log_keeper::note_path(path), id)
            .and_then(|()| folder::sync_tree(path))
            .map_err(|error| Error::from_io("create store", error))
    }

    /// `RocksDB` merges no more at once than [`Space`] keeps free, and tells when the disk is full.
    fn open(
        folder: &Folder,
        options: &EmbeddedOptions,
        _space: &Arc<Space>,
    ) -> Result<Opened<Self>, OpenError> {
        let path = folder.map_path();
        folder::make_private(&log_keeper::note_path(&path), folder::PRIVATE_FILE);
        let note = read_note(&path, folder.id())?;
        log::check_newest(&path, note)?;
        let marker = folder.marker();
        let logged = log::check(&path, &marker)?;
        let engine = Engine::open(&path, marker, options)?;
        let last_group = engine.last_group();
        check_groups(logged.last_group, note, last_group)?;
        let logs = LogKeeper::new(&path, folder.id(), note, engine.version())?;
        let map = Self { engine, logs: Mutex::new(Some(logs)) };
        let was_unclean = !note.is_closed;
        Ok(Opened { map, last_group, torn_bytes: logged.torn_bytes, was_unclean })
    }

    fn shadow(original: &Path, shadow: &Path) -> io::Result<()> {
        shadow::fill(original, shadow)
    }

    fn write_group(&self, number: u64, changes: Vec<MapChange>, bytes: usize) -> Result<(), Error> {
        let mut logs = self.logs.lock();
        let logs = logs.as_mut().ok_or(Error::Closed)?;
        logs.before_group(number - 1)?;
        self.engine.write_group(number, &changes, bytes)?;
        logs.after_group(number, self.engine.version())
    }

    fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.engine.get_newest(key)
    }

    fn snapshot(&self) -> RocksSnapshot {
        self.engine.snapshot()
    }

    fn drop_range(&self, range: &KeyRange) -> Result<bool, Error> {
        self.engine.drop_range(range)
    }

    fn let_go(&self) -> Result<(), Error> {
        self.engine.drop_unseen_files()
    }

    fn sort_all(&self) -> Result<(), Error> {
        self.engine.flush()
    }

    fn sort_some(&self) -> Result<(), Error> {
        self.engine.flush()
    }

    fn merge_all(&self, _: u64) -> Result<bool, Error> {
        self.engine.merge_all().map(|()| true)
    }

    /// `RocksDB` does not tell: all of them.
    fn kept_bytes(&self) -> Result<u64, Error> {
        let MapData { sorted_bytes, unsorted_bytes, .. } = self.engine.data();
        Ok(sorted_bytes + unsorted_bytes)
    }

    /// `RocksDB` merges files with many deletes by itself.
    fn merge_a_part(&self) -> Result<bool, Error> {
        Ok(false)
    }

    fn data(&self) -> MapData {
        self.engine.data()
    }

    fn footprint(&self) -> MapFootprint {
        self.engine.footprint()
    }

    /// `RocksDB`'s threads sort once more after this, and end when the map is dropped.
    fn end(&self) {}

    fn note_closed(&self, last_group: u64) {
        if let Some(mut logs) = self.logs.lock().take() {
            // Without the note the next open replays what is sorted already, without effect.
            drop(logs.close(last_group));
        }
    }
}

/// Reads the note of the logs, which is there from the beginning.
fn read_note(path: &Path, id: StoreId) -> Result<LogNote, Error> {
    let place = log_keeper::note_path(path);
    LogNote::read(&place, id)?
        .ok_or_else(|| Error::corrupt("the file is missing", place.display().to_string()))
}

/// Fails when a group is missing that was acknowledged.
fn check_groups(logged: Option<u64>, note: LogNote, last_group: u64) -> Result<(), Error> {
    let acknowledged = note.group.max(logged.unwrap_or(0));
    if acknowledged <= last_group {
        return Ok(());
    }
    let what = format!(
        "groups {} to {acknowledged}, which were acknowledged, are missing",
        last_group + 1
    );
    Err(Error::corrupt(what, "logs"))
}
