//! The calls into fjall: opening, reading, writing one group with one sync.
//!
//! fjall panics on some kinds of damaged files; every call into it is guarded here and a panic
//! becomes [`Error::Corrupt`]. Leaves sequencing, counters and waiting to its callers.

use super::super::EmbeddedOptions;
use super::super::disk_waits::DiskWaits;
use super::super::neighbour::ask_for_next;
use super::super::ordered_map::MapSnapshot;
use super::super::panics;
use super::super::step_back::step_back;
use super::deletes::{self, MergeSet};
use super::journal;
use super::remover::Remover;
use crate::{Direction, Error, KeyRange, clock};
use bytes::Bytes;
use fjall::compaction::Leveled;
use fjall::config::BlockSizePolicy;
use fjall::{
    AbstractTree, Database, Guard, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode,
    Readable, Snapshot,
};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// All data is in one keyspace: an idle second one would keep old logs alive.
const KEYSPACE: &str = "data";

/// fjall sleeps without end once it has this much unsorted data and its workers have stopped. So
/// the engine itself waits, at lower marks, and notices a failure.
const MAX_FULL_MEMTABLES: u64 = 3;
const MAX_UNMERGED_RUNS: usize = 28;

/// A memtable holds this part of the sorted data, but no less than this part of its maximum: so a
/// small store takes little memory.
const MEMTABLE_PART: u64 = 2;
const SMALLEST_MEMTABLE_PART: u64 = 4;

/// Unmerged files that are merged at once, and merged files of the first level. A small store has
/// fewer of them, because overwritten entries stay there longest: overwritten as fast as possible,
/// 96 MiB take at most 3.1 times as much instead of 4, 288 MiB 2.9 instead of 3.2. In a large store
/// more of them mean less work.
const FIRST_LEVEL_FILES: u8 = 4;
const FIRST_LEVEL_FILES_SMALL: u8 = 3;
/// Most bytes of sorted files of a small store.
const SMALL_STORE_BYTES: u64 = 1 << 30;

/// Unmerged files, or size of the first level, from which on fjall's worker merges by itself
/// instead of sorting memtables: never reached while `merger.rs` does its work.
const WORKER_MERGES_FROM: u8 = 255;

/// Fewest bytes that make a merge worthwhile on a disk that is low.
const WORTH_BYTES: u64 = 1 << 20;

/// Dropped snapshots after which fjall looks for its oldest one.
const SNAPSHOTS_TO_LOOK: usize = 10_000;

/// Most sequence numbers that count as new, and bytes that each counts for. Each group, sorted file
/// and merge takes one; while the disk is low, groups are deletes and small values.
const NEW_NUMBERS: u64 = 4096;
const NEW_NUMBER_BYTES: u64 = 1 << 10;

/// Bytes of an entry in a sorted file beside key and value, in its index and filter too; bytes that
/// are added to the sum of all entries; and the part of that sum that is added.
const ENTRY_HEAD_BYTES: u64 = 24;
const KEPT_AT_LEAST: u64 = 64 << 10;
const KEPT_MARGIN: u64 = 32;

/// A failed walk fails at an entry still to come, behind others that are deleted or newer. To name
/// the damaged file, the engine looks at so many files, the nearest, and so many entries of each.
const FILES_LOOKED_AT: usize = 32;
const ENTRIES_LOOKED_AT: usize = 4096;

/// Bytes of a block of sorted data. Measured with items of 1 KiB: a read of 100 neighbours takes
/// half the time that it takes with fjall's 4 KiB, a read of one two thirds. fjall ends a block
/// behind the entry that reaches this size: with items of 1 KiB it still fits into the 16 KiB that
/// an allocator gives; a larger one would take 20.
const DATA_BLOCK_BYTES: u32 = 15 * 1024;

/// The open ordered map.
pub(crate) struct Engine {
    database: Database,
    keyspace: Keyspace,
    /// Key that holds the number of the last group; see `journal.rs`. Readers do not see it.
    marker: Bytes,
    written: Mutex<Written>,
    /// Bytes of a memtable in a large store, and of the present one.
    memtable_bytes: u64,
    sealed_from_bytes: AtomicU64,
    /// Most bytes of all memtables together, beside one group: large groups make large memtables.
    unsorted_bytes: u64,
    /// Bytes of a merged file.
    merged_file_bytes: u64,
    is_merging: AtomicBool,
    is_merging_all: AtomicBool,
}

/// The last group that was given to the map, 0 before the first, and the map's sequence number of
/// its changes, 0 for a group of an earlier run.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    group: u64,
    sequence: u64,
}

/// One state of the ordered map.
pub(crate) struct EngineSnapshot {
    snapshot: Snapshot,
    keyspace: Keyspace,
    marker: Bytes,
    group: u64,
}

impl Engine {
    /// Creates an empty map in a new folder and leaves everything synced.
    pub(crate) fn create(path: &Path, options: &EmbeddedOptions) -> Result<(), Error> {
        guarded("create store", || {
            let database = builder(path, options).open()?;
            database.keyspace(KEYSPACE, || keyspace_options(options))?;
            database.persist(PersistMode::SyncAll)
        })
    }

    /// Opens the map in `path`; `marker` is the key for the number of the last group.
    pub(crate) fn open(
        path: &Path,
        marker: Bytes,
        options: &EmbeddedOptions,
    ) -> Result<Self, Error> {
        thread::scope(|scope| {
            let opener = scope.spawn(|| {
                step_back();
                Self::open_here(path, marker, options)
            });
            opener.join().unwrap_or_else(|_| Err(Error::failed("open store", "it panicked")))
        })
    }

    fn open_here(path: &Path, marker: Bytes, options: &EmbeddedOptions) -> Result<Self, Error> {
        let opened = guarded("open store", || {
            let database = builder(path, options).open()?;
            if !database.keyspace_exists(KEYSPACE) {
                return Ok(None);
            }
            let keyspace = database.keyspace(KEYSPACE, || keyspace_options(options))?;
            Ok(Some((database, keyspace)))
        })?;
        let Some((database, keyspace)) = opened else {
            return Err(Error::corrupt("the keyspace is missing", path.display().to_string()));
        };
        let mut engine = Self {
            database,
            keyspace,
            marker,
            written: Mutex::default(),
            memtable_bytes: options.memtable_bytes,
            sealed_from_bytes: AtomicU64::new(0),
            unsorted_bytes: options.unsorted_bytes(),
            merged_file_bytes: options.table_bytes,
            is_merging: AtomicBool::new(false),
            is_merging_all: AtomicBool::new(false),
        };
        engine.size_memtable();
        if let Some(stored) = engine.get_newest(&engine.marker)? {
            let (group, _) = journal::decode_marker(&stored)
                .ok_or_else(|| Error::corrupt("not a group's number", "marker"))?;
            engine.written.get_mut().group = group;
        }
        Ok(engine)
    }

    /// Returns the newest durable value of `key`, published or not.
    pub(crate) fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        guarded("read key", || Ok(self.keyspace.get(key)?.map(Bytes::from)))
            .map_err(|error| name_file(&self.keyspace, error, key, None))
    }

    /// Returns the number of the last group, 0 when there was none.
    pub(crate) fn last_group(&self) -> u64 {
        self.written.lock().group
    }

    /// Returns the number of the last group in sorted files, 0 if there was none, unless groups
    /// from the one of `sequence` on are in them. Call it directly after opening.
    pub(crate) fn sorted_group_before(&self, sequence: u64) -> Result<Option<u64>, Error> {
        let sorted = self.keyspace.tree.get_highest_persisted_seqno();
        if sorted.is_some_and(|sorted| sorted >= sequence) {
            return Ok(None);
        }
        let marker = guarded("read key", || Ok(self.keyspace.tree.get(&self.marker, sequence)?))?;
        let group = marker.and_then(|stored| journal::decode_marker(&stored));
        Ok(Some(group.map_or(0, |(number, _)| number)))
    }

    /// Writes all changes (`None` = delete) atomically as the group `number` and makes them
    /// durable. Each key may occur once. Returns the memtable that holds them, `None` when one was
    /// sealed meanwhile.
    pub(crate) fn write_group(
        &self,
        number: u64,
        changes: Vec<(Bytes, Option<Bytes>)>,
    ) -> Result<Option<u64>, Error> {
        let memtable = self.keyspace.tree.active_memtable().id();
        let sequence = self.database.seqno();
        let before =
            std::mem::replace(&mut *self.written.lock(), Written { group: number, sequence });
        assert_eq!(number, before.group + 1, "groups have no gaps");
        guarded("commit group", || {
            let mut batch =
                OwnedWriteBatch::with_capacity(self.database.clone(), changes.len() + 1)
                    .durability(Some(PersistMode::SyncData));
            let marker_value = journal::encode_marker(number, sequence);
            batch.insert(&self.keyspace, self.marker.clone(), &marker_value[..]);
            for (key, value) in changes {
                match value {
                    Some(value) => batch.insert(&self.keyspace, key, value),
                    None => batch.remove(&self.keyspace, key),
                }
            }
            batch.commit()
        })?;
        Ok(Some(memtable).filter(|id| *id == self.keyspace.tree.active_memtable().id()))
    }

    /// Makes the next group of an empty map follow this number; leaves nothing only in the logs.
    pub(crate) fn begin_after(&self, number: u64) -> Result<(), Error> {
        guarded("create store", || {
            let sequence = self.database.seqno();
            let value = journal::encode_marker(number, sequence);
            self.keyspace.insert(self.marker.clone(), &value[..])
        })?;
        self.flush()
    }

    /// Waits while too much data is unsorted; fails when the workers that sort have failed. Only
    /// the committer calls it, before each group.
    pub(crate) fn wait_for_workers(&self) -> Result<(), Error> {
        while self.keyspace.sealed_memtable_count() as u64 >= self.max_sealed_memtables()
            || (self.has_sealed_memtable() && self.memtable_bytes() > self.unsorted_bytes)
            || (self.has_many_runs() && self.is_sorting())
        {
            guarded("sort files", || self.database.persist(PersistMode::Buffer))?;
            clock::pause(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Gives a full memtable to the workers; returns whether there was one.
    ///
    /// The engine does not let fjall watch for this: fjall would send its worker a message with
    /// each group while the memtable is full, and a worker that finds its queue full of them waits
    /// for itself.
    pub(crate) fn seal_full_memtable(&self, remover: &Remover) -> Result<bool, Error> {
        let memtable = self.keyspace.tree.active_memtable();
        if memtable.size() <= self.sealed_from_bytes() {
            return Ok(false);
        }
        remover.hold_memory(memtable);
        let is_sealed = guarded("seal memtable", || self.keyspace.rotate_memtable())?;
        self.size_memtable();
        Ok(is_sealed)
    }

    /// Sets the size that the memtable may reach from now on.
    fn size_memtable(&self) {
        let bytes = memtable_bytes(self.table_bytes(), self.memtable_bytes);
        self.sealed_from_bytes.store(bytes, Ordering::Relaxed);
    }

    fn sealed_from_bytes(&self) -> u64 {
        self.sealed_from_bytes.load(Ordering::Relaxed).max(1)
    }

    fn max_sealed_memtables(&self) -> u64 {
        MAX_FULL_MEMTABLES * self.memtable_bytes.div_ceil(self.sealed_from_bytes())
    }

    /// Merges files if the rule demands it; returns whether there may be more to merge. Only one
    /// caller may merge at a time.
    pub(crate) fn merge(&self, rule: Leveled, remover: &Remover) -> Result<bool, Error> {
        let version = || self.keyspace.tree.current_version().id();
        let before = version();
        // The merge drops versions of entries that no snapshot sees.
        let seen_from = self.seen_from();
        self.is_merging.store(true, Ordering::Relaxed);
        let merged = self.handing_over(remover, || {
            guarded("merge files", || Ok(self.keyspace.tree.compact(Arc::new(rule), seen_from)?))
        });
        self.is_merging.store(false, Ordering::Relaxed);
        merged.map(|()| version() != before)
    }

    /// Returns the input of a merge by a rule; `None` if the rule has nothing to merge.
    pub(crate) fn set_to_merge(&self, rule: &Leveled) -> Option<MergeSet> {
        MergeSet::of(&self.keyspace.tree, rule)
    }

    /// Returns the rules that bring deletes down, if there are deletes.
    pub(crate) fn rules_for_deletes(&self) -> Vec<Leveled> {
        let tree = &self.keyspace.tree;
        if tree.tombstone_count().saturating_mul(self.entry_bytes()) < WORTH_BYTES {
            return Vec::new();
        }
        let levels = deletes::level_bytes(tree);
        let file_bytes = [deletes::SMALL_FILE_BYTES, self.merged_file_bytes];
        deletes::rules(self.unmerged_runs(), &levels, file_bytes)
    }

    /// Returns the usual rule for merging files.
    pub(crate) fn merging_rule(&self) -> Leveled {
        Leveled::default()
            .with_l0_threshold(self.first_level_files())
            .with_table_target_size(self.merged_file_bytes)
    }

    /// Returns the number of unmerged files from which on they are merged.
    fn first_level_files(&self) -> u8 {
        let is_small = self.table_bytes() < SMALL_STORE_BYTES;
        if is_small { FIRST_LEVEL_FILES_SMALL } else { FIRST_LEVEL_FILES }
    }

    /// Returns whether there are enough unmerged files for a merge.
    pub(crate) fn wants_merge(&self) -> bool {
        self.unmerged_runs() >= usize::from(self.first_level_files())
    }

    /// Returns whether a memtable waits to be sorted or is being sorted.
    pub(crate) fn has_sealed_memtable(&self) -> bool {
        self.keyspace.sealed_memtable_count() > 0
    }

    /// Returns the number of unmerged files, one for each memtable that was sorted.
    pub(crate) fn unmerged_runs(&self) -> usize {
        self.keyspace.tree.l0_run_count()
    }

    /// Returns the fullness of the room for unsorted and unmerged data: writes stop at 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "bytes in memory and counts of files, as a share"
    )]
    pub(crate) fn fullness(&self) -> f64 {
        let active = self.keyspace.tree.active_memtable().size() as f64;
        let memtables =
            self.keyspace.sealed_memtable_count() as f64 + active / self.sealed_from_bytes() as f64;
        let runs = self.unmerged_runs() as f64;
        (memtables / self.max_sealed_memtables() as f64).max(runs / MAX_UNMERGED_RUNS as f64)
    }

    fn has_many_runs(&self) -> bool {
        self.unmerged_runs() >= MAX_UNMERGED_RUNS
    }

    /// Returns whether files are being sorted or merged.
    pub(crate) fn is_sorting(&self) -> bool {
        self.has_sealed_memtable()
            || self.database.active_compactions() > 0
            || self.is_merging.load(Ordering::Relaxed)
            || self.is_merging_all.load(Ordering::Relaxed)
    }

    /// Returns the bytes of the sorted files.
    pub(crate) fn table_bytes(&self) -> u64 {
        self.keyspace.tree.disk_space()
    }

    /// Returns the bytes that are not sorted yet.
    pub(crate) fn memtable_bytes(&self) -> u64 {
        self.database.write_buffer_size()
    }

    /// Returns the bytes of an entry in sorted files, on average.
    pub(crate) fn entry_bytes(&self) -> u64 {
        let version = self.keyspace.tree.current_version();
        let entries: u64 = version.iter_tables().map(|table| table.metadata.item_count).sum();
        self.table_bytes() / entries.max(1)
    }

    /// Removes the sorted files that lie entirely in `range`, and waits for a running merge;
    /// returns whether there were any.
    pub(crate) fn drop_files(&self, range: &KeyRange, remover: &Remover) -> Result<bool, Error> {
        // The marker's file holds the number of the last group, which says how much of the logs is
        // in sorted files, so it must stay.
        assert!(range.start[..] > self.marker[..], "the store's own key is not in the range");
        let lies_within = |min: &[u8], max: &[u8]| {
            min >= &range.start[..] && range.end.as_deref().is_none_or(|end| max < end)
        };
        let version = self.keyspace.tree.current_version();
        let mut bounds = version.iter_tables().map(|table| &table.metadata.key_range);
        if !bounds.any(|bounds| lies_within(bounds.min(), bounds.max())) {
            return Ok(false);
        }
        self.handing_over(remover, || {
            guarded("drop files", || {
                Ok(self.keyspace.tree.drop_range::<&[u8], _>(range.bounds())?)
            })
        })?;
        Ok(true)
    }

    /// Merges all sorted files, so that no overwritten or deleted entry is left in them.
    pub(crate) fn merge_all(&self, remover: &Remover) -> Result<(), Error> {
        self.is_merging_all.store(true, Ordering::Relaxed);
        let merged =
            self.handing_over(remover, || guarded("merge files", || self.keyspace.major_compact()));
        self.is_merging_all.store(false, Ordering::Relaxed);
        merged
    }

    /// Runs a change of the list of files, and hands the files that drop out of it to the remover.
    fn handing_over<T>(&self, remover: &Remover, change: impl FnOnce() -> T) -> T {
        // While this holds the version, the files keep their names.
        let before = self.keyspace.tree.current_version();
        let changed = change();
        let removed = before.iter_tables().filter(|table| table.is_deleted.load(Ordering::Acquire));
        removed.for_each(|table| remover.hold_file(&table.path));
        changed
    }

    /// Releases files that no snapshot needs.
    pub(crate) fn let_go(&self) -> Result<(), Error> {
        // fjall looks for its oldest snapshot when a memtable is sealed, or after so many dropped
        // ones.
        (0..SNAPSHOTS_TO_LOOK).for_each(|_| drop(self.database.snapshot()));
        let seen_from = self.seen_from();
        guarded("remove files", || {
            let mut versions = self.keyspace.tree.get_version_history_lock();
            Ok(versions.maintenance(self.keyspace.path(), seen_from)?)
        })
    }

    /// Returns the sequence number from which on a snapshot may see every version of an entry.
    fn seen_from(&self) -> u64 {
        self.database.supervisor.snapshot_tracker.get_seqno_safe_to_gc()
    }

    /// Seals the memtable and waits until all sealed ones are sorted.
    pub(crate) fn sort_memtable(&self) -> Result<(), Error> {
        guarded("seal memtable", || self.keyspace.rotate_memtable())?;
        self.size_memtable();
        while self.has_sealed_memtable() {
            guarded("sort files", || self.database.persist(PersistMode::Buffer))?;
            clock::pause(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Returns the most bytes that a merge of all sorted files leaves. Reads them.
    pub(crate) fn kept_bytes(&self) -> Result<u64, Error> {
        let all_bytes = self.table_bytes() + self.memtable_bytes();
        let snapshot = self.database.snapshot();
        let new_numbers = snapshot.seqno().saturating_sub(self.seen_from());
        if new_numbers > NEW_NUMBERS {
            // An earlier snapshot is open, so entries written and overwritten since stay.
            return Ok(all_bytes);
        }
        let entries = snapshot.iter(&self.keyspace);
        let mut kept_bytes = KEPT_AT_LEAST + new_numbers * NEW_NUMBER_BYTES;
        for entry in entries {
            let (key, value) = guarded("read files", || entry.into_inner())?;
            kept_bytes += ENTRY_HEAD_BYTES + key.len() as u64 + value.len() as u64;
        }
        Ok(all_bytes.min(kept_bytes + kept_bytes / KEPT_MARGIN))
    }

    /// Returns the folder of the sorted files.
    pub(crate) fn tables_path(&self) -> PathBuf {
        self.keyspace.path().join("tables")
    }

    /// Writes data that is only in logs and memory to sorted files. Nothing else may write
    /// meanwhile.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        let is_flushed = || {
            self.keyspace.tree.active_memtable().is_empty()
                && self.keyspace.sealed_memtable_count() == 0
        };
        while !is_flushed() {
            guarded("flush", || self.keyspace.rotate_memtable())?;
            guarded("flush", || self.database.persist(PersistMode::Buffer))?;
            clock::pause(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Returns the state after the last group.
    pub(crate) fn snapshot(&self) -> EngineSnapshot {
        let snapshot = self.database.snapshot();
        let Written { group, sequence } = *self.written.lock();
        assert!(snapshot.seqno() > sequence || group == 0, "a state holds the whole last group");
        let (keyspace, marker) = (self.keyspace.clone(), self.marker.clone());
        EngineSnapshot { snapshot, keyspace, marker, group }
    }

    /// Returns the bytes of all files, of the cache and of unsorted data.
    pub(crate) fn sizes(&self) -> [u64; 3] {
        let disk = guarded("read sizes", || self.database.disk_space()).unwrap_or(0);
        [disk, self.database.cache_size(), self.database.write_buffer_size()]
    }
}

impl MapSnapshot for EngineSnapshot {
    fn last_group(&self) -> u64 {
        self.group
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        if key.is_empty() {
            return Ok(None);
        }
        guarded("read key", || Ok(self.snapshot.get(&self.keyspace, key)?.map(Bytes::from)))
            .map_err(|error| name_file(&self.keyspace, error, key, None))
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
        let mut entries = guarded("read range", || {
            Ok(self.snapshot.range::<&[u8], _>(&self.keyspace, range.bounds()))
        })?;
        let mut is_first = true;
        let mut next = || {
            guarded("read range", || {
                let entry = match direction {
                    Direction::Forward => entries.next(),
                    Direction::Backward => entries.next_back(),
                };
                entry.map(Guard::into_inner).transpose()
            })
        };
        // The first step is like a read of one key; fjall reads ahead for the others.
        let mut following =
            || if std::mem::take(&mut is_first) { waits.timed(&mut next) } else { next() };
        let mut reached = match direction {
            Direction::Forward => fjall::UserKey::from(&range.start[..]),
            Direction::Backward => fjall::UserKey::from(range.end.as_deref().unwrap_or(&[0xff])),
        };
        while let Some((key, value)) = following()
            .map_err(|error| name_file(&self.keyspace, error, &reached, Some(direction)))?
        {
            ask_for_next(&value, direction);
            if key[..] != self.marker[..] && visitor(&key, Bytes::from(value)).is_break() {
                return Ok(());
            }
            reached = key;
        }
        Ok(())
    }
}

/// Returns the size that a memtable may reach beside so many sorted bytes.
fn memtable_bytes(table_bytes: u64, max: u64) -> u64 {
    (table_bytes / MEMTABLE_PART).clamp(max / SMALLEST_MEMTABLE_PART, max)
}

/// Adds the sorted file that cannot be read, at `key` or from there on in a direction, to an error
/// that is the fault of one.
fn name_file(keyspace: &Keyspace, error: Error, key: &[u8], onwards: Option<Direction>) -> Error {
    let Error::Corrupt { what, place, .. } = error else { return error };
    let version = keyspace.tree.current_version();
    let spans = version.iter_tables().map(|table| {
        let span = &table.metadata.key_range;
        (span.min().clone(), span.max().clone(), table)
    });
    let mut tables: Vec<_> = spans
        .filter(|(min, max, _)| match onwards {
            None => **min <= *key && *key <= **max,
            Some(Direction::Forward) => *key <= **max,
            Some(Direction::Backward) => **min <= *key,
        })
        .collect();
    tables.sort_by(|one, other| match onwards {
        Some(Direction::Backward) => other.1.cmp(&one.1),
        None | Some(Direction::Forward) => one.0.cmp(&other.0),
    });
    let damaged =
        tables.into_iter().map(|(_, _, table)| table).take(FILES_LOOKED_AT).find(|table| {
            let from = || fjall::UserKey::from(key);
            let read = guarded("read file", || match onwards {
                None => Ok(table.range(from()..=from()).try_for_each(|entry| entry.map(drop))?),
                Some(Direction::Forward) => {
                    let mut entries = table.range(from()..).take(ENTRIES_LOOKED_AT);
                    Ok(entries.try_for_each(|entry| entry.map(drop))?)
                }
                Some(Direction::Backward) => {
                    let mut entries = table.range(..=from()).rev().take(ENTRIES_LOOKED_AT);
                    Ok(entries.try_for_each(|entry| entry.map(drop))?)
                }
            });
            read.is_err()
        });
    let place = damaged.map_or(place, |table| format!("file '{}'", table.path.display()));
    Error::Corrupt { what, place, near: Some(Box::new(key.to_vec())) }
}

fn builder(path: &Path, options: &EmbeddedOptions) -> fjall::DatabaseBuilder<Database> {
    Database::builder(path)
        .cache_size(options.block_cache_bytes())
        .max_journaling_size(options.journal_bytes.max(64 << 20))
        .worker_threads(options.worker_threads.max(1))
        .manual_journal_persist(true)
}

fn keyspace_options(options: &EmbeddedOptions) -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(u64::MAX)
        .compaction_strategy(Arc::new(
            Leveled::default()
                .with_l0_threshold(WORKER_MERGES_FROM)
                .with_table_target_size(options.table_bytes),
        ))
        .data_block_size_policy(BlockSizePolicy::all(DATA_BLOCK_BYTES))
        .manual_journal_persist(true)
}

/// Runs a call into fjall and translates its failures. After a panic the same data fails again
/// or is read correctly: fjall's shared state is behind locks that notice panics.
fn guarded<T>(
    action: &'static str,
    call: impl FnOnce() -> Result<T, fjall::Error>,
) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| translate(action, error)),
        Err(panic) => Err(Error::corrupt(panics::message(&*panic), action)),
    }
}

fn translate(action: &'static str, error: fjall::Error) -> Error {
    match error {
        fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) => {
            Error::from_io(action, source)
        }
        fjall::Error::Poisoned => Error::failed(action, "an earlier write or sync failed"),
        fjall::Error::Locked => Error::failed(action, "another process uses the files"),
        damaged => Error::corrupt(damaged.to_string(), action),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memtables_grow_with_the_store() {
        let sizes = [0, 10, 40, 64, 1000].map(|sorted| memtable_bytes(sorted, 32));
        assert_eq!(sizes, [8, 8, 20, 32, 32]);
        assert_eq!(memtable_bytes(0, 0), 0, "each group is sorted at once");
    }

    #[test]
    fn some_unmerged_files_want_to_be_merged() {
        let folder = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::default();
        Engine::create(folder.path(), &options).unwrap();
        let open = || Engine::open(folder.path(), Bytes::from_static(b"\0"), &options).unwrap();
        let engine = open();
        assert!(!engine.wants_merge());
        // fjall may move the first file to another level.
        for number in 1..=1 + u64::from(FIRST_LEVEL_FILES_SMALL) {
            engine.write_group(number, vec![("key".into(), Some("value".into()))]).unwrap();
            engine.flush().unwrap();
        }
        drop(engine);
        let engine = open();
        assert!(engine.wants_merge(), "{} of a store that was just opened", engine.unmerged_runs());
        engine.merge(engine.merging_rule(), &Remover::without_thread()).unwrap();
        assert!(!engine.wants_merge());
    }

    #[test]
    fn merged_files_and_sealed_memtables_are_handed_over() {
        let folder = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions { memtable_bytes: 0, ..EmbeddedOptions::default() };
        Engine::create(folder.path(), &options).unwrap();
        let engine = Engine::open(folder.path(), Bytes::from_static(b"\0"), &options).unwrap();
        let remover = Remover::without_thread();
        for number in 1..=2 {
            let key = Bytes::from(format!("key {number}"));
            engine.write_group(number, vec![(key.clone(), Some(key))]).unwrap();
            engine.flush().unwrap();
        }
        engine.merge_all(&remover).unwrap();
        assert_eq!(remover.held(), 2, "one file of each group was merged");
        engine.write_group(3, Vec::new()).unwrap();
        assert!(engine.seal_full_memtable(&remover).unwrap());
        assert_eq!(remover.held(), 3);
    }
}
