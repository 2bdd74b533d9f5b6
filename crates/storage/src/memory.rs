//! The memory engine: a persistent ordered map behind one pointer.
//!
//! A view is one shared pointer to a whole map; a commit changes a copy that shares all untouched
//! nodes and publishes it. Nothing survives the process, so "durable" means "published" and every
//! future is ready at once. Same locks and same contract as the embedded engine.

use crate::batch::decode_counter;
use crate::image::{Image, Map};
use crate::key_locks::KeyLocks;
use crate::{Batch, Direction, Error, Key, KeyRange, Keys, Stats, Store, View, Wanted};
use arc_swap::ArcSwap;
use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use std::future::{Future, ready};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A store in memory, gone when it is dropped.
#[derive(Debug)]
pub struct MemoryStore {
    locks: KeyLocks,
    /// Read-locked by every decision, so that `sync` can wait for the running ones.
    deciding: RwLock<()>,
    /// Invariant: the published map is the newest one whenever this lock is free.
    writer: Mutex<Writer>,
    published: ArcSwap<Map>,
    closed: AtomicBool,
}

#[derive(Debug)]
struct Writer {
    image: Image,
    stats: Stats,
}

/// A published state of a [`MemoryStore`].
#[derive(Debug, Clone)]
pub struct MemoryView(pub(crate) Arc<Map>);

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self::of_image(Image::new())
    }

    /// Returns a store with the content of an image, which it shares until it changes.
    pub fn of_image(image: Image) -> Self {
        let published = ArcSwap::new(image.view().0);
        Self {
            locks: KeyLocks::new(),
            deciding: RwLock::new(()),
            writer: Mutex::new(Writer { image, stats: Stats::default() }),
            published,
            closed: AtomicBool::new(false),
        }
    }

    /// Returns the present content of the store. Copies nothing: later commits do not change the
    /// image.
    pub fn image(&self) -> Image {
        self.writer.lock().image.clone()
    }

    /// Returns the last commit stamp that was given out.
    pub fn last_stamp(&self) -> u64 {
        self.writer.lock().image.last_stamp()
    }

    /// Makes the next commit stamps greater than `stamp`.
    pub fn raise_stamps(&self, stamp: u64) {
        self.writer.lock().image.raise_stamps(stamp);
    }

    fn newest(&self) -> MemoryView {
        MemoryView(self.published.load_full())
    }

    fn commit_now<T>(
        &self,
        keys: &Keys,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T,
    ) -> Result<T, Error> {
        let _deciding = self.deciding.read();
        self.check_writable()?;
        let _locks = self.locks.lock(keys);
        let newest = self.published.load();
        let values: Vec<_> = keys.all().map(|key| newest.get(key.as_slice()).cloned()).collect();
        drop(newest);
        let mut batch = Batch::new();
        let answer = decide(&values, &mut batch);
        if !batch.is_empty() {
            self.writer.lock().apply(batch, &self.published)?;
        }
        Ok(answer)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    fn apply(&mut self, batch: Batch, published: &ArcSwap<Map>) -> Result<(), Error> {
        self.stats.commits += 1;
        self.stats.groups += 1;
        self.stats.written_keys += batch.len() as u64;
        self.stats.written_bytes += batch.size_bytes() as u64;
        self.image.apply(batch)?;
        published.store(self.image.view().0);
        Ok(())
    }
}

impl Store for MemoryStore {
    type View = MemoryView;

    fn view(&self) -> impl Future<Output = Result<MemoryView, Error>> + Send {
        ready(Ok(self.newest()))
    }

    fn get(&self, key: &[u8]) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send {
        ready(Ok(self.published.load().get(key).cloned()))
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.newest().get_many(keys).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        self.commit_now(&keys.into(), decide)
    }

    fn sync(&self) -> impl Future<Output = Result<(), Error>> + Send {
        drop(self.deciding.write());
        ready(Ok(()))
    }

    fn stats(&self) -> Stats {
        self.writer.lock().stats
    }

    fn check_writable(&self) -> Result<(), Error> {
        if self.closed.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    fn close(&self) -> impl Future<Output = Result<(), Error>> + Send {
        self.closed.store(true, Ordering::Release);
        self.sync()
    }
}

impl MemoryView {
    fn visit_now(
        &self,
        range: &KeyRange,
        direction: Direction,
        mut visitor: impl FnMut(&[u8], Bytes) -> ControlFlow<()>,
    ) {
        if range.is_empty() {
            return;
        }
        let mut entries = self.0.range::<_, [u8]>(range.bounds());
        let mut next = || match direction {
            Direction::Forward => entries.next(),
            Direction::Backward => entries.next_back(),
        };
        while let Some((key, value)) = next() {
            if visitor(key, value.clone()).is_break() {
                return;
            }
        }
    }
}

impl View for MemoryView {
    fn get(&self, key: &[u8]) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send {
        ready(Ok(self.0.get(key).cloned()))
    }

    fn get_many(
        &self,
        keys: &[Key],
    ) -> impl Future<Output = Result<Vec<Option<Bytes>>, Error>> + Send {
        ready(Ok(keys.iter().map(|key| self.0.get(key.as_slice()).cloned()).collect()))
    }

    fn sums(&self, keys: &[Key]) -> impl Future<Output = Result<Vec<i64>, Error>> + Send {
        let sum =
            |key: &Key| decode_counter(self.0.get(key.as_slice()).map(|value| &value[..]), key);
        ready(keys.iter().map(sum).collect())
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        _wanted: Wanted,
        visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        self.visit_now(&range, direction, visitor);
        Ok(())
    }
}
