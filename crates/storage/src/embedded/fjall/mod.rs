//! The ordered map on fjall: everything that knows fjall and its files is in this folder.
//!
//! | file           | what                                                     |
//! |----------------|----------------------------------------------------------|
//! | `engine.rs`    | the calls into fjall                                     |
//! | `journal.rs`   | checks the logs before fjall replays them                |
//! | `manifest.rs`  | checks the lists of sorted files before fjall reads them |
//! | `log_note.rs`  | notes, outside the logs, which log must exist            |
//! | `log_filler.rs`| allocates disk space for a log ahead of the writes       |
//! | `checkpoint.rs`| empties the logs after a clean close                     |
//! | `shadow.rs`    | a copy of a folder for reading                           |
//! | `deletes.rs`   | rules that bring deletes down on a low disk              |
//! | `merger.rs`    | the thread that merges sorted files                      |
//! | `pace.rs`      | slows writes down before they would have to stop         |
//! | `remover.rs`   | the thread that removes files and memtables              |
//! | `writeback.rs` | the thread that writes growing sorted files to disk      |
//!
//! This file combines them into an [`OrderedMap`]. A thread is started when it first has work.

mod checkpoint;
mod deletes;
mod engine;
mod journal;
mod log_filler;
mod log_note;
mod manifest;
mod merger;
mod pace;
mod remover;
mod shadow;
mod writeback;

use super::folder::{self, Folder, StoreId};
use super::log_note::LogNote;
use super::ordered_map::{MapChange, MapData, MapFootprint, Opened, OrderedMap};
use super::space::Space;
use super::{EmbeddedOptions, OpenError};
use crate::{Error, KeyRange, clock};
use bytes::Bytes;
use checkpoint::Checkpoint;
use deletes::MergeSet;
use engine::{Engine, EngineSnapshot};
use fjall::compaction::Leveled;
use log_filler::LogFiller;
use log_note::LogKeeper;
use merger::Merger;
use pace::Pace;
use parking_lot::Mutex;
use remover::Remover;
use std::cmp::Reverse;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use writeback::Writeback;

/// Interval at which the committer looks whether a merge that needs all free space has ended.
const BESIDE_MERGE: Duration = Duration::from_millis(1);

/// The open map.
pub(crate) struct FjallMap {
    shared: Arc<Shared>,
}

/// State that the map's threads share.
struct Shared {
    engine: Engine,
    writeback: Writeback,
    merger: Merger,
    remover: Remover,
    space: Arc<Space>,
    /// Held during a merge, so that one merge at a time counts on the free space.
    merging: Mutex<()>,
    writer: Mutex<Writer>,
    // Dropped after the engine, whose logs it empties.
    checkpoint: Checkpoint,
}

/// State that only the committer uses while the store is open.
struct Writer {
    pace: Pace,
    /// Taken when the store closes.
    logs: Option<LogKeeper>,
    filler: LogFiller,
}

impl FjallMap {
    /// Resumes sorting and merging that was left when the map was closed.
    fn start(shared: Shared) -> Result<Self, Error> {
        let map = Self { shared: Arc::new(shared) };
        let shared = &map.shared;
        if shared.engine.has_sealed_memtable() || shared.engine.wants_merge() {
            shared.writeback.begin(shared);
            shared.merger.look(shared)?;
        }
        Ok(map)
    }
}

impl Drop for FjallMap {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// Merges files if there are enough and there is room; returns whether there may be more to
    /// merge.
    fn merge(&self) -> Result<bool, Error> {
        let _merging = self.merging.lock();
        let rule = self.engine.merging_rule();
        let Some(set) = self.engine.set_to_merge(&rule) else { return Ok(false) };
        self.merge_within_room(rule, set)
    }

    /// Merges the set of files that has the most deletes for its bytes, among those that there is
    /// room for; returns whether there is one.
    fn merge_deletes(&self) -> Result<bool, Error> {
        let _merging = self.merging.lock();
        let engine = &self.engine;
        let sets = engine
            .rules_for_deletes()
            .into_iter()
            .filter_map(|rule| engine.set_to_merge(&rule).map(|set| (rule, set)));
        let mut sets: Vec<_> = sets.filter(|(_, set)| set.is_for_deletes()).collect();
        // Deletes per KiB.
        sets.sort_by_key(|(_, set)| Reverse((set.deletes << 10) / set.bytes.max(1)));
        for (rule, set) in sets {
            if self.merge_within_room(rule, set)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Merges the input of a rule if there is room for it. The caller holds `merging`.
    fn merge_within_room(&self, rule: Leveled, set: MergeSet) -> Result<bool, Error> {
        // A merge that fills the disk would fail the store; without it the data stay readable.
        let Some(_claim) = self.space.claim(set.bytes) else { return Ok(false) };
        self.writeback.watch();
        self.engine.merge(rule, &self.remover)
    }

    /// Waits until the map is ready for a group of so many bytes, which takes so many of the log;
    /// fails if one of its threads has failed.
    fn wait_for_room(
        self: &Arc<Self>,
        pace: &mut Pace,
        bytes: usize,
        logged_bytes: u64,
    ) -> Result<(), Error> {
        while !self.space.take_beside_merge(logged_bytes) {
            clock::pause(BESIDE_MERGE);
        }
        self.writeback.check()?;
        self.merger.check()?;
        self.engine.wait_for_workers()?;
        if self.engine.seal_full_memtable(&self.remover)? {
            self.writeback.begin(self);
            self.merger.look(self)?;
        }
        pace.wait(self.engine.fullness(), bytes);
        Ok(())
    }
}

impl OrderedMap for FjallMap {
    type Snapshot = EngineSnapshot;

    fn create(
        path: &Path,
        id: StoreId,
        last_group: u64,
        options: &EmbeddedOptions,
    ) -> Result<(), Error> {
        Engine::create(path, options)?;
        if last_group > 0 {
            Engine::open(path, folder::marker(id), options)?.begin_after(last_group)?;
        }
        journal::truncate_all(path)
            .and_then(|()| folder::sync_tree(path))
            .map_err(|error| Error::from_io("create store", error))?;
        let beside = path.parent().unwrap_or(path);
        LogKeeper::new(beside, path, id, None)?.close(last_group)
    }

    fn open(
        folder: &Folder,
        options: &EmbeddedOptions,
        space: &Arc<Space>,
    ) -> Result<Opened<Self>, OpenError> {
        let path = folder.map_path();
        check_files(&path)?;
        let note_path = folder.path().join(log_note::NAME);
        folder::make_private(&note_path, folder::PRIVATE_FILE);
        manifest::check(&path)?;
        let note = LogNote::read(&note_path, folder.id())?;
        if note.is_none() && folder.is_noted() {
            let place = note_path.display().to_string();
            return Err(Error::corrupt("the file is missing", place).into());
        }
        log_note::check(&path, note)?;
        let marker = folder.marker();
        let logged = journal::check(&path, &marker)?;
        let engine = Engine::open(&path, marker, options)?;
        let last_group = engine.last_group();
        check_groups(&engine, &logged, note, last_group)?;
        let logs = LogKeeper::new(folder.path(), &path, folder.id(), note)?;
        let map = Self::start(Shared {
            engine,
            writeback: Writeback::new(),
            merger: Merger::new(),
            remover: Remover::new(),
            space: Arc::clone(space),
            merging: Mutex::new(()),
            writer: Mutex::new(Writer {
                pace: Pace::new(),
                logs: Some(logs),
                filler: LogFiller::default(),
            }),
            checkpoint: Checkpoint::new(path),
        })?;
        let was_unclean = note.is_some_and(|note| !note.is_closed);
        Ok(Opened { map, last_group, torn_bytes: logged.torn_bytes, was_unclean })
    }

    fn shadow(original: &Path, shadow: &Path) -> io::Result<()> {
        shadow::fill(original, shadow)
    }

    fn write_group(&self, number: u64, changes: Vec<MapChange>, bytes: usize) -> Result<(), Error> {
        let shared = &self.shared;
        let Writer { pace, logs, filler } = &mut *shared.writer.lock();
        let logs = logs.as_mut().ok_or(Error::Closed)?;
        let logged_bytes = journal::group_bytes(&changes);
        shared.wait_for_room(pace, bytes, logged_bytes)?;
        logs.before_group(number - 1)?;
        let memtable = shared.engine.write_group(number, changes)?;
        if let Some(begun) = logs.after_group(number, memtable, &shared.remover)? {
            filler.follow(&begun);
        }
        filler.note_written(logged_bytes);
        Ok(())
    }

    fn prepare(&self) {
        let filler = &mut self.shared.writer.lock().filler;
        if filler.is_due() && self.shared.space.has_room_for(0) {
            filler.fill();
        }
    }

    fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.shared.engine.get_newest(key)
    }

    fn snapshot(&self) -> EngineSnapshot {
        self.shared.engine.snapshot()
    }

    fn drop_range(&self, range: &KeyRange) -> Result<bool, Error> {
        self.shared.engine.drop_files(range, &self.shared.remover)
    }

    fn let_go(&self) -> Result<(), Error> {
        self.shared.engine.let_go()
    }

    fn remove_unused(&self) {
        self.shared.remover.remove_unused();
    }

    fn sort_all(&self) -> Result<(), Error> {
        self.shared.writeback.watch();
        self.shared.engine.flush()
    }

    fn sort_some(&self) -> Result<(), Error> {
        let shared = &self.shared;
        // With more unmerged files than these, writes would come to a stop.
        if shared.engine.unmerged_runs() < merger::MANY_RUNS {
            shared.writeback.watch();
            shared.engine.sort_memtable()?;
        }
        shared.merger.look(shared)
    }

    fn merge_all(&self, kept_bytes: u64) -> Result<bool, Error> {
        let shared = &self.shared;
        let _merging = shared.merging.lock();
        let Some(_claim) = shared.space.claim(kept_bytes) else { return Ok(false) };
        shared.writeback.watch();
        shared.engine.merge_all(&shared.remover)?;
        Ok(true)
    }

    fn kept_bytes(&self) -> Result<u64, Error> {
        self.shared.engine.kept_bytes()
    }

    fn merge_a_part(&self) -> Result<bool, Error> {
        self.shared.merge_deletes()
    }

    fn data(&self) -> MapData {
        let engine = &self.shared.engine;
        MapData {
            sorted_bytes: engine.table_bytes(),
            unsorted_bytes: engine.memtable_bytes(),
            log_bytes: journal::allocated_bytes(self.shared.checkpoint.path()),
            entry_bytes: engine.entry_bytes(),
            is_sorting: engine.is_sorting(),
        }
    }

    fn footprint(&self) -> MapFootprint {
        let [disk, cache, unsorted] = self.shared.engine.sizes();
        MapFootprint { disk, cache, unsorted }
    }

    fn end(&self) {
        // A running merge still needs its files written.
        self.shared.merger.end();
        self.shared.writeback.end();
        self.shared.remover.end();
    }

    fn note_closed(&self, last_group: u64) {
        if let Some(logs) = self.shared.writer.lock().logs.take() {
            self.shared.checkpoint.complete(logs, last_group);
        }
    }
}

/// Fails if a file is missing that fjall would create anew, or would not name.
fn check_files(path: &Path) -> Result<(), Error> {
    let version = path.join("version");
    if !version.is_file() {
        return Err(Error::corrupt("the file is missing", version.display().to_string()));
    }
    // fjall's own lock is an empty file, which some tools leave out of a copy, so it is created
    // again.
    let lock =
        File::options().create(true).truncate(false).write(true).open(path.join("lock")).map(drop);
    lock.map_err(|error| Error::from_io("open the ordered map's lock file", error))
}

/// Fails if an acknowledged group is missing.
fn check_groups(
    engine: &Engine,
    logged: &journal::Checked,
    note: Option<LogNote>,
    last_group: u64,
) -> Result<(), Error> {
    let missing = |from, to| {
        let what = format!("groups {from} to {to}, which were acknowledged, are missing");
        Err(Error::corrupt(what, "logs"))
    };
    if let Some(logged) = logged.last_group.filter(|logged| *logged != last_group) {
        return missing(last_group.min(logged) + 1, last_group.max(logged));
    }
    if let Some(note) = note.filter(|note| note.group > last_group) {
        return missing(last_group + 1, note.group);
    }
    if let Some((first, sequence)) = logged.first
        && let Some(before) = engine.sorted_group_before(sequence)?
        && before + 1 < first
    {
        return missing(before + 1, first - 1);
    }
    Ok(())
}
