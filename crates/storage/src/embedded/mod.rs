//! The embedded engine: an ordered map in files, our own group commit on top.
//!
//! A writer locks its keys, reads their newest sequenced values, decides, appends its batch to the
//! queue and releases the locks; then it waits. The committer thread takes all queued batches,
//! writes them as one atomic batch with one sync, publishes a snapshot and wakes the writers.
//! Views read the newest published snapshot and never wait.
//!
//! | file           | what                                                     |
//! |----------------|----------------------------------------------------------|
//! | `folder.rs`    | lock file, format file                                   |
//! | `examine.rs`   | looks at a folder without changing it                    |
//! | `ordered_map.rs` | the interface of the ordered map                       |
//! | `map.rs`       | the choice of the ordered map                            |
//! | `fjall/`       | the ordered map on fjall                                 |
//! | `log_note.rs`  | note, outside the logs, of the log that must exist       |
//! | `map_in_memory.rs` | the ordered map for runs under a scheduler           |
//! | `schedules.rs` | runs of writers and readers under chosen schedules       |
//! | `read_cache.rs`| cache of reads, under one budget                         |
//! | `range_cache/` | cache of ranges of entries                               |
//! | `point_cache/` | cache of single values                                   |
//! | `cache_budget.rs` | the bytes that both caches may take                   |
//! | `sequencer.rs` | the queue, sequenced values, and the waiting writers     |
//! | `committer.rs` | the thread that makes groups durable                     |
//! | `disk_waits.rs`| detects whether reads wait for the disk                  |
//! | `space.rs`     | refuses writes before the disk is full                   |
//! | `tidy.rs`      | the thread that frees space while the store is idle      |
//! | `relief.rs`    | the work of this thread while the disk is low            |
//! | `lazy_thread.rs` | a thread that starts when it first has work            |
//! | `neighbour.rs` | prefetches the memory of the next entry                  |
//! | `shadow.rs`    | links and copies of files                                |
//! | `step_back.rs` | lowers the priority of background work                   |

mod cache_budget;
mod committer;
mod disk_waits;
mod examine;
mod faults;
#[cfg(not(feature = "shuttle"))]
mod fjall;
mod folder;
mod lazy_thread;
#[cfg(not(feature = "shuttle"))]
mod log_check;
#[cfg(not(feature = "shuttle"))]
mod log_note;
mod map;
#[cfg(feature = "shuttle")]
mod map_in_memory;
mod neighbour;
mod open_error;
mod options;
mod ordered_map;
#[cfg(not(feature = "shuttle"))]
mod panics;
mod point_cache;
mod range_cache;
mod read_cache;
mod relief;
#[cfg(feature = "shuttle")]
#[cfg(test)]
mod schedules;
mod sequencer;
mod shadow;
mod space;
mod step_back;
mod tidy;

pub use examine::Examined;
pub use faults::Fault;
pub use folder::keep_new_files_private;
pub use open_error::OpenError;
pub use options::EmbeddedOptions;

use crate::batch::decode_counter;
use crate::key_locks::KeyLocks;
use crate::planted::{Planted, is_planted};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{ArcSwap, RwLock};
use crate::{
    Batch, Demand, Direction, Error, Key, KeyRange, Keys, Stats, Store, View, Wanted, give_way,
};
use bytes::Bytes;
use disk_waits::DiskWaits;
use faults::Faults;
use folder::{Folder, StoreId};
use map::{Map, Snapshot};
use ordered_map::{MapSnapshot, Opened, OrderedMap};
use parking_lot::MutexGuard;
use range_cache::Visitor;
use read_cache::ReadCache;
use sequencer::{Sequencer, Ticket};
use space::Space;
use std::fmt;
use std::future::{Future, ready};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tidy::Tidy;

/// A store in a folder of this machine.
///
/// The folder stays locked until the store and all of its views are dropped.
#[derive(Debug)]
pub struct EmbeddedStore {
    shared: Arc<Shared>,
    committer: Option<JoinHandle<Option<u64>>>,
}

/// A published state of an [`EmbeddedStore`].
#[derive(Debug, Clone)]
pub struct EmbeddedView(Arc<Published>);

/// State that writers and the committer share.
struct Shared {
    // Dropped first: nothing may read when the map stops.
    published: ArcSwap<Published>,
    map: Map,
    cache: Arc<ReadCache>,
    waits: Arc<DiskWaits>,
    /// Configured bytes for cached data.
    cache_bytes: u64,
    locks: KeyLocks,
    /// Read-locked by every decision, so that `sync` can wait for the running ones.
    deciding: RwLock<()>,
    sequencer: Sequencer,
    space: Arc<Space>,
    tidy: Tidy,
    counts: Counts,
    faults: Faults,
    /// Bytes cut from the log when the store was opened.
    torn_bytes: u64,
    was_unclean: bool,
    folder: Arc<Folder>,
}

struct Published {
    snapshot: Snapshot,
    /// The number of the last group in it.
    group: u64,
    cache: Arc<ReadCache>,
    waits: Arc<DiskWaits>,
    /// Keeps the folder locked while the view lives.
    _folder: Arc<Folder>,
}

#[derive(Debug, Default)]
struct Counts {
    commits: AtomicU64,
    groups: AtomicU64,
    written_keys: AtomicU64,
    written_bytes: AtomicU64,
}

impl EmbeddedStore {
    /// Opens the data folder at `path`, creating it when it does not exist.
    pub fn open(path: impl AsRef<Path>, options: &EmbeddedOptions) -> Result<Self, OpenError> {
        Self::open_folder(path.as_ref(), options)
    }

    fn open_folder(path: &Path, options: &EmbeddedOptions) -> Result<Self, OpenError> {
        let create = |map_path: &Path, id| create_map(map_path, id, options);
        let folder = Arc::new(Folder::open(path, create)?);
        let space = Arc::new(Space::new(folder.path(), options.reserve_bytes));
        let opened = Map::open(&folder, options, &space)?;
        let last_group = opened.last_group;
        let shared = Arc::new(Shared::new(&folder, opened, space, options));
        shared.note_data();
        shared.space.check();
        let committer = start_committer(&shared, last_group)?;
        if shared.space.is_low() {
            shared.tidy.note_low(&shared);
        }
        Ok(Self { shared, committer: Some(committer) })
    }

    /// Bounds the bytes for cached data from now on, at most to the size that the store was opened
    /// with. The third for blocks of sorted files cannot shrink; the rest does at once.
    pub fn bound_cache(&self, cache_bytes: u64) {
        let cache_bytes = cache_bytes.min(self.shared.cache_bytes);
        let options = EmbeddedOptions { cache_bytes, ..EmbeddedOptions::default() };
        self.shared.cache.set_capacity(options.read_cache_bytes());
    }

    /// Returns whether a folder has a store, of any format.
    pub fn is_in(path: &Path) -> bool {
        path.join("FORMAT").is_file()
    }

    /// Returns a number that is not below any commit stamp given out so far.
    pub fn last_stamp(&self) -> u64 {
        committer::last_stamp_of(self.shared.published.load().group)
    }

    fn newest(&self) -> EmbeddedView {
        EmbeddedView(self.shared.published.load_full())
    }

    /// Holds the committer before its next group until the guard is dropped. For tests.
    #[doc(hidden)]
    pub fn hold_committer(&self) -> MutexGuard<'_, ()> {
        self.shared.faults.hold()
    }

    /// Makes the next group fail. For tests.
    #[doc(hidden)]
    pub fn fail_next_group(&self, fault: Fault) {
        self.shared.faults.set(fault);
    }
}

/// Creates an empty ordered map.
fn create_map(path: &Path, id: StoreId, options: &EmbeddedOptions) -> Result<(), Error> {
    let last_group = options.stamps_above >> committer::STAMP_NTH_BITS;
    Map::create(path, id, last_group, options)
}

fn start_committer(
    shared: &Arc<Shared>,
    last_group: u64,
) -> Result<JoinHandle<Option<u64>>, Error> {
    let shared = Arc::clone(shared);
    let thread = thread::Builder::new().name("committer".to_owned());
    let thread = thread.spawn(move || committer::run(&shared, last_group));
    thread.map_err(|error| Error::from_io("start a thread of the store", error))
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.shared.sequencer.close();
        // The committer catches its own panics and returns nothing if it has failed.
        let closed = self.committer.take().and_then(|committer| committer.join().ok().flatten());
        self.shared.tidy.end();
        self.shared.map.end();
        if let Some(last_group) = closed
            && self.shared.map.sort_all().is_ok()
        {
            tidy::merge_at_close(&self.shared);
            self.shared.map.note_closed(last_group);
        }
    }
}

impl Shared {
    /// Returns the state of a store that was just opened, without threads.
    fn new(
        folder: &Arc<Folder>,
        opened: Opened<Map>,
        space: Arc<Space>,
        options: &EmbeddedOptions,
    ) -> Self {
        let Opened { map, last_group, torn_bytes, was_unclean } = opened;
        let cache = Arc::new(ReadCache::new(options.read_cache_bytes(), last_group));
        let waits = Arc::new(DiskWaits::default());
        let published = Published {
            snapshot: map.snapshot(),
            group: last_group,
            cache: Arc::clone(&cache),
            waits: Arc::clone(&waits),
            _folder: Arc::clone(folder),
        };
        Self {
            published: ArcSwap::from_pointee(published),
            map,
            cache,
            waits,
            cache_bytes: options.cache_bytes,
            locks: KeyLocks::new(),
            deciding: RwLock::new(()),
            sequencer: Sequencer::new(options.queue_bytes),
            space,
            tidy: Tidy::new(),
            counts: Counts::default(),
            faults: Faults::default(),
            torn_bytes,
            was_unclean,
            folder: Arc::clone(folder),
        }
    }

    /// Decides under the keys' locks and queues the batch; returns the answer and the ticket that
    /// must be published before the answer may be given.
    fn sequence<T>(
        self: &Arc<Self>,
        keys: &Keys,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T,
    ) -> Result<(T, Ticket), Error> {
        let _deciding = self.deciding.read();
        self.sequencer.check_writable()?;
        let mut locks = self.locks.lock(keys);
        let (values, shown) = self.newest(keys)?;
        let mut batch = Batch::new();
        let answer = decide(&values, &mut batch);
        if batch.is_empty() {
            return Ok((answer, shown));
        }
        self.check_room(|| batch.frees_space())?;
        if is_planted(Planted::LocksGivenBackEarly) {
            locks.give_back();
        }
        let ticket = self.sequencer.push(&keys.write, batch)?;
        drop(locks);
        Ok((answer, ticket))
    }

    /// Fails while the disk is low, as [`Space::check_room`] does, and then starts to make room if
    /// possible.
    fn check_room(self: &Arc<Self>, frees: impl FnOnce() -> bool) -> Result<(), Error> {
        let checked = self.space.check_room(frees);
        if self.space.is_low() {
            self.tidy.note_low(self);
        }
        checked
    }

    /// Returns the newest sequenced values of locked keys and the newest ticket among them.
    fn newest(&self, keys: &Keys) -> Result<(Vec<Option<Bytes>>, Ticket), Error> {
        let mut values = Vec::with_capacity(keys.write.len() + keys.read.len());
        let mut newest = 0;
        for key in keys.all() {
            values.push(if let Some((ticket, value)) = self.sequencer.pending(key) {
                newest = newest.max(ticket);
                value
            } else {
                let published = self.published.load();
                let read = || self.waits.timed(|| self.map.get_newest(key));
                self.cache.get_newest(published.group, key, read)?
            });
        }
        Ok((values, newest))
    }

    /// Drops the files of a range and reports that the rest of it is garbage.
    async fn reclaim(&self, range: KeyRange) -> Result<(), Error> {
        if !self.map.drop_range(&range)? {
            return Ok(());
        }
        // Groups from this one on do not have the files, and cached parts of the range are dropped.
        let ticket = self.sequencer.push(&[], Batch::of_garbage(range))?;
        self.sequencer.published(ticket).await?;
        self.map.let_go()?;
        self.note_data();
        self.space.check();
        Ok(())
    }

    fn note_data(&self) {
        let data = self.map.data();
        self.space.note_data(&data);
        self.tidy.note_entry_bytes(data.entry_bytes);
    }

    /// Returns whether a decision about `key` would have to read the ordered map.
    fn is_cold(&self, published: &Published, key: &[u8]) -> bool {
        self.sequencer.pending(key).is_none() && !self.cache.keeps(published.group, key)
    }

    /// Publishes the state after `group`, which the cache has taken in.
    fn publish_snapshot(&self, group: u64) {
        let snapshot = self.map.snapshot();
        assert_eq!(snapshot.last_group(), group, "what is published is the whole group");
        self.published.store(Arc::new(Published {
            snapshot,
            group,
            cache: Arc::clone(&self.cache),
            waits: Arc::clone(&self.waits),
            _folder: Arc::clone(&self.folder),
        }));
    }
}

impl Published {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.cache.get(self.group, key, || self.waits.timed(|| self.snapshot.get(key)))
    }

    /// Shows entries as [`View::visit`] does. Compiled once, for all visitors.
    fn visit(
        &self,
        range: &KeyRange,
        direction: Direction,
        visitor: &mut Visitor<'_>,
    ) -> Result<(), Error> {
        self.cache.visit(self.group, range, direction, visitor, |rest, visitor| {
            self.snapshot.visit(rest, direction, &self.waits, visitor)
        })
    }
}

impl Counts {
    fn add_group(&self, commits: u64, written_keys: u64, written_bytes: u64) {
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.commits.fetch_add(commits, Ordering::Relaxed);
        self.written_keys.fetch_add(written_keys, Ordering::Relaxed);
        self.written_bytes.fetch_add(written_bytes, Ordering::Relaxed);
    }
}

impl Store for EmbeddedStore {
    type View = EmbeddedView;

    fn view(&self) -> impl Future<Output = Result<EmbeddedView, Error>> + Send {
        ready(Ok(self.newest()))
    }

    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.newest().get(key).await
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.newest().get_many(keys).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        let keys = keys.into();
        self.shared.sequencer.room().await?;
        if self.shared.waits.are_expected() {
            // No other commit waits for the keys' locks during this read, which only brings the
            // values into memory; they may change until the keys are locked.
            let EmbeddedView(published) = self.newest();
            let is_cold = |key: &&Key| self.shared.is_cold(&published, key);
            let cold: Vec<&Key> = keys.all().filter(is_cold).collect();
            if !cold.is_empty() {
                give_way(Demand::Blocking).await;
                cold.into_iter().try_for_each(|key| published.get(key).map(drop))?;
            }
        }
        let (answer, ticket) = self.shared.sequence(&keys, decide)?;
        self.shared.sequencer.published(ticket).await?;
        Ok(answer)
    }

    async fn sync(&self) -> Result<(), Error> {
        // Held for a moment only: every decision that was running has then queued its batch.
        drop(self.shared.deciding.write());
        self.shared.sequencer.published(self.shared.sequencer.newest_ticket()).await
    }

    async fn reclaim(&self, range: KeyRange) -> Result<(), Error> {
        self.shared.reclaim(range).await
    }

    fn stats(&self) -> Stats {
        let counts = &self.shared.counts;
        let taken = self.shared.map.footprint();
        let groups = counts.groups.load(Ordering::Relaxed);
        Stats {
            commits: counts.commits.load(Ordering::Relaxed),
            groups,
            syncs: groups,
            written_keys: counts.written_keys.load(Ordering::Relaxed),
            written_bytes: counts.written_bytes.load(Ordering::Relaxed),
            queued_commits: self.shared.sequencer.queued(),
            disk_bytes: taken.disk,
            cache_bytes: taken.cache + self.shared.cache.size_bytes() as u64,
            cached_values: self.shared.cache.value_looks(),
            cached_ranges: self.shared.cache.range_looks(),
            write_buffer_bytes: taken.unsorted,
            torn_bytes: self.shared.torn_bytes,
            was_unclean: self.shared.was_unclean,
        }
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.shared.sequencer.check_accepting()?;
        // There may have been no write since the disk became full, so the space is checked here.
        self.shared.space.check();
        self.shared.check_room(|| false)
    }

    async fn close(&self) -> Result<(), Error> {
        self.shared.sequencer.close();
        self.sync().await
    }
}

impl View for EmbeddedView {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        if self.0.waits.are_expected() {
            if let Some(kept) = self.0.cache.get_kept(self.0.group, key) {
                return Ok(kept);
            }
            give_way(Demand::Blocking).await;
        }
        self.0.get(key)
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        if self.0.waits.are_expected() {
            give_way(Demand::Blocking).await;
        }
        keys.iter().map(|key| self.0.get(key)).collect()
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        let stored = self.get_many(keys).await?;
        keys.iter()
            .zip(stored)
            .map(|(key, stored)| decode_counter(stored.as_deref(), key))
            .collect()
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        _wanted: Wanted,
        mut visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let Published { group, cache, waits, .. } = &*self.0;
        if waits.are_expected() && !cache.begins_in_page(*group, &range, direction) {
            give_way(Demand::Blocking).await;
        }
        self.0.visit(&range, direction, &mut visitor)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl fmt::Debug for Published {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Published").finish_non_exhaustive()
    }
}
