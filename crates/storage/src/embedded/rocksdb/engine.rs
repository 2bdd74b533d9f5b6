//! The calls into `RocksDB`: opening, reading, writing one group with one sync.
//!
//! Every call is guarded (`failures.rs`). All data is in one column family; the marker holds the number
//! of the last group and is the first change of each. Leaves sequencing, counters and waiting to its
//! callers, and to `RocksDB` when files are sorted and merged: it lets writes wait while too much is
//! unsorted or unmerged, and fails them when its threads have failed.

use super::super::EmbeddedOptions;
use super::super::ordered_map::{MapChange, MapData, MapFootprint};
use super::dropping::Dropping;
use super::failures::{guarded, in_folder, near};
use super::log_record::{decode_marker, encode_marker};
use super::snapshot::RocksSnapshot;
use super::{log, tuning};
use crate::{Error, KeyRange};
use bytes::Bytes;
use rocksdb::properties::{
    BACKGROUND_ERRORS, COMPACTION_PENDING, CUR_SIZE_ALL_MEM_TABLES, CURRENT_SUPER_VERSION_NUMBER,
    ESTIMATE_NUM_KEYS, LIVE_SST_FILES_SIZE, MEM_TABLE_FLUSH_PENDING, NUM_ENTRIES_ACTIVE_MEM_TABLE,
    NUM_ENTRIES_IMM_MEM_TABLES, NUM_RUNNING_COMPACTIONS, NUM_RUNNING_FLUSHES, PropName,
    SIZE_ALL_MEM_TABLES,
};
use rocksdb::{
    BottommostLevelCompaction, Cache, CompactOptions, DB, ReadOptions, WriteBatch, WriteOptions,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a change takes in a batch beside its key and value, at most.
const CHANGE_BYTES: usize = 16;

/// The open ordered map.
pub(super) struct Engine {
    database: Arc<DB>,
    path: PathBuf,
    /// Holds the number of the last group; see `log_record.rs`. Not shown to readers.
    marker: Bytes,
    last_group: AtomicU64,
    reading: ReadOptions,
    writing: WriteOptions,
    cache: Cache,
    dropping: Dropping,
}

impl Engine {
    /// Creates an empty map in a folder that is there, whose groups follow `last_group`.
    pub(super) fn create(
        path: &Path,
        marker: &[u8],
        last_group: u64,
        options: &EmbeddedOptions,
    ) -> Result<(), Error> {
        let mut tuned = tuning::options(options, &cache(options));
        tuned.create_if_missing(true);
        tuned.set_error_if_exists(true);
        guarded("create store", || {
            let database = DB::open(&tuned, path)?;
            if last_group > 0 {
                database.put_opt(marker, encode_marker(last_group), &tuning::writing())?;
            }
            database.flush()
        })
    }

    /// Opens the map in `path`; `marker` is the key for the number of the last group.
    pub(super) fn open(
        path: &Path,
        marker: Bytes,
        options: &EmbeddedOptions,
    ) -> Result<Self, Error> {
        let cache = cache(options);
        let tuned = tuning::options(options, &cache);
        let opened = guarded("open store", || DB::open(&tuned, path));
        let database = opened.map_err(|error| in_folder(error, path))?;
        let engine = Self {
            database: Arc::new(database),
            path: path.to_path_buf(),
            marker,
            last_group: AtomicU64::new(0),
            reading: tuning::reading(),
            writing: tuning::writing(),
            cache,
            dropping: Dropping::default(),
        };
        if let Some(stored) = engine.get_newest(&engine.marker)? {
            let group = decode_marker(&stored)
                .ok_or_else(|| Error::corrupt("not a group's number", "marker"))?;
            engine.last_group.store(group, Ordering::Relaxed);
        }
        Ok(engine)
    }

    /// Returns the newest durable value of `key`, published or not.
    pub(super) fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let read = || self.database.get_pinned_opt(key, &self.reading);
        let value = guarded("read key", read).map_err(|error| near(error, key))?;
        Ok(value.map(|value| Bytes::copy_from_slice(&value)))
    }

    /// Returns the number of the last group, 0 when there was none.
    pub(super) fn last_group(&self) -> u64 {
        self.last_group.load(Ordering::Relaxed)
    }

    /// Writes all changes (`None` = delete) atomically as the group `number` and makes them
    /// durable. Each key may occur once.
    pub(super) fn write_group(
        &self,
        number: u64,
        changes: &[MapChange],
        bytes: usize,
    ) -> Result<(), Error> {
        assert_eq!(number, self.last_group() + 1, "groups have no gaps");
        self.dropping.keep_written(changes);
        guarded("commit group", || {
            let capacity = bytes + (changes.len() + 3) * CHANGE_BYTES;
            let mut batch = WriteBatch::with_capacity_bytes(capacity);
            batch.put(&self.marker, encode_marker(number));
            for (key, value) in changes {
                match value {
                    Some(value) => batch.put(key, value),
                    None => batch.delete(key),
                }
            }
            self.database.write_opt(batch, &self.writing)
        })?;
        self.last_group.store(number, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the state after the last group.
    pub(super) fn snapshot(&self) -> RocksSnapshot {
        RocksSnapshot::new(&self.database, self.marker.clone(), self.last_group())
    }

    /// Returns a number that changes whenever a memtable, and with it a log, is begun.
    pub(super) fn version(&self) -> u64 {
        self.number(CURRENT_SUPER_VERSION_NUMBER)
    }

    /// Takes note of a range of which the files may go; returns whether there are any.
    pub(super) fn drop_range(&self, range: &KeyRange) -> Result<bool, Error> {
        // With the marker's file the number of the last group would go.
        assert!(range.start[..] > self.marker[..], "the store's own key is not in the range");
        self.dropping.note(&self.database, range)
    }

    /// Removes the files of noted ranges that no view needs any more.
    pub(super) fn drop_unseen_files(&self) -> Result<(), Error> {
        self.dropping.drop_unseen(&self.database)
    }

    /// Writes everything that is only in logs and memory to sorted files.
    pub(super) fn flush(&self) -> Result<(), Error> {
        guarded("flush", || self.database.flush())
    }

    /// Merges all sorted files, so that nothing overwritten or deleted is left in them.
    pub(super) fn merge_all(&self) -> Result<(), Error> {
        let failed_before = self.number(BACKGROUND_ERRORS);
        let mut how = CompactOptions::default();
        how.set_exclusive_manual_compaction(false);
        how.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        guarded("merge files", || {
            self.database.compact_range_opt::<&[u8], &[u8]>(None, None, &how);
            Ok(())
        })?;
        // The call itself tells nothing.
        if self.number(BACKGROUND_ERRORS) > failed_before {
            return Err(Error::failed("merge files", "a merge in the background failed"));
        }
        Ok(())
    }

    pub(super) fn data(&self) -> MapData {
        let sorted_bytes = self.number(LIVE_SST_FILES_SIZE);
        let unsorted_entries =
            self.number(NUM_ENTRIES_ACTIVE_MEM_TABLE) + self.number(NUM_ENTRIES_IMM_MEM_TABLES);
        let sorted_entries = self.number(ESTIMATE_NUM_KEYS).saturating_sub(unsorted_entries);
        let is_at_work = |name| self.number(name) > 0;
        MapData {
            sorted_bytes,
            unsorted_bytes: self.number(CUR_SIZE_ALL_MEM_TABLES),
            log_bytes: 0,
            entry_bytes: sorted_bytes / sorted_entries.max(1),
            is_sorting: [
                NUM_RUNNING_FLUSHES,
                NUM_RUNNING_COMPACTIONS,
                MEM_TABLE_FLUSH_PENDING,
                COMPACTION_PENDING,
            ]
            .into_iter()
            .any(is_at_work),
        }
    }

    /// Returns the bytes of all files, of the cache and of unsorted data.
    pub(super) fn footprint(&self) -> MapFootprint {
        MapFootprint {
            disk: log::folder_bytes(&self.path),
            cache: self.cache.get_usage() as u64,
            unsorted: self.number(SIZE_ALL_MEM_TABLES),
        }
    }

    /// Returns a number that `RocksDB` tells of itself, 0 when it does not.
    fn number(&self, name: &PropName) -> u64 {
        guarded("read sizes", || self.database.property_int_value(name)).ok().flatten().unwrap_or(0)
    }
}

fn cache(options: &EmbeddedOptions) -> Cache {
    Cache::new_lru_cache(usize::try_from(options.block_cache_bytes()).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(folder: &Path) -> Engine {
        let options = EmbeddedOptions { memtable_bytes: 0, ..EmbeddedOptions::default() };
        Engine::create(folder, b"\0", 7, &options).unwrap();
        Engine::open(folder, Bytes::from_static(b"\0"), &options).unwrap()
    }

    #[test]
    fn groups_follow_the_one_of_the_creation() {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path());
        assert_eq!(engine.last_group(), 7);
        let key = Bytes::from_static(b"key");
        let version = engine.version();
        engine.write_group(8, &[(key.clone(), Some(key.clone()))], 6).unwrap();
        assert_eq!(engine.get_newest(&key).unwrap(), Some(key));
        assert_eq!(engine.version(), version, "nothing new was begun");
        engine.flush().unwrap();
        assert_ne!(engine.version(), version);
        assert!(engine.data().sorted_bytes > 0 && engine.footprint().disk > 0);
    }
}
