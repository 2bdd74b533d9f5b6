//! A store that fails once, at a step that a test chooses, and remembers what was done on it.

#![expect(clippy::panic, reason = "a planted panic")]

use hashrange_storage::{
    Batch, Bytes, Direction, Error, Key, KeyRange, Keys, MemoryStore, MemoryView, Stats, Store,
    View, Wanted, block_on,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

const NEVER: i64 = i64::MAX;

/// What happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Full,
    Panic,
}

impl Fault {
    pub const ALL: [Self; 2] = [Self::Full, Self::Panic];
}

/// A store in memory that fails one commit, sync or read; clones share it, so it outlives engines.
#[derive(Debug, Clone)]
pub struct Failing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: MemoryStore,
    /// How many steps come before the one that fails.
    left: AtomicI64,
    panics: AtomicBool,
    /// The first key that each commit declared.
    commits: Mutex<Vec<Key>>,
    /// The ranges that were visited.
    visits: Mutex<Vec<KeyRange>>,
}

#[derive(Debug, Clone)]
pub struct FailingView(MemoryView, Failing);

impl Failing {
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            store: MemoryStore::new(),
            left: AtomicI64::new(NEVER),
            panics: AtomicBool::new(false),
            commits: Mutex::default(),
            visits: Mutex::default(),
        }))
    }

    pub fn fail_after(&self, steps: i64, fault: Fault) {
        self.0.panics.store(fault == Fault::Panic, Ordering::Release);
        self.0.left.store(steps, Ordering::Release);
    }

    /// Returns whether it has failed; from then on it does not.
    pub fn has_failed(&self) -> bool {
        let has_failed = self.0.left.load(Ordering::Acquire) < 0;
        self.0.left.store(NEVER, Ordering::Release);
        has_failed
    }

    pub fn commits(&self) -> Vec<Key> {
        self.0.commits.lock().unwrap().clone()
    }

    /// Returns the starts of the ranges that were visited since the last call and that begin with a
    /// prefix.
    pub fn take_visits(&self, prefix: &[u8]) -> Vec<Key> {
        let visits = std::mem::take(&mut *self.0.visits.lock().unwrap());
        let starts = visits.into_iter().map(|range| range.start);
        starts.filter(|start| start.starts_with(prefix)).collect()
    }

    fn step(&self) -> Result<(), Error> {
        match self.0.left.fetch_sub(1, Ordering::AcqRel) {
            0 if self.0.panics.load(Ordering::Acquire) => panic!("planted"),
            0 => Err(Error::Full),
            _ => Ok(()),
        }
    }

    /// Returns the entries whose keys begin with a prefix.
    pub fn entries(&self, prefix: &[u8]) -> Vec<(Key, Bytes)> {
        let mut entries = Vec::new();
        let visited = block_on(self.0.store.view()).unwrap();
        let range = KeyRange::prefix(prefix);
        block_on(visited.visit(range, Direction::Forward, Wanted::ALL, |key, value| {
            entries.push((key.to_vec(), value));
            ControlFlow::Continue(())
        }))
        .unwrap();
        entries
    }

    /// Puts a value behind the engine's back.
    #[expect(clippy::needless_pass_by_value, reason = "callers make the value in place")]
    pub fn put(&self, key: &[u8], value: Bytes) {
        let put = self.0.store.commit(vec![key.to_vec()], |_, batch| {
            batch.put(key.to_vec(), value.clone());
        });
        block_on(put).unwrap();
    }

    /// Returns how many keys there are.
    pub fn len(&self) -> usize {
        (0..=u8::MAX).map(|first| self.entries(&[first]).len()).sum()
    }
}

impl Store for Failing {
    type View = FailingView;

    async fn view(&self) -> Result<FailingView, Error> {
        Ok(FailingView(self.0.store.view().await?, self.clone()))
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.view().await?.get_many(keys).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        self.step()?;
        let keys = keys.into();
        self.0.commits.lock().unwrap().extend(keys.write.first().cloned());
        self.0.store.commit(keys, decide).await
    }

    async fn sync(&self) -> Result<(), Error> {
        self.step()?;
        self.0.store.sync().await
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.0.store.check_writable()
    }

    fn stats(&self) -> Stats {
        self.0.store.stats()
    }

    /// Leaves the store open for the next engine.
    async fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl View for FailingView {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.1.step()?;
        self.0.get(key).await
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.1.step()?;
        self.0.get_many(keys).await
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        self.1.step()?;
        self.0.sums(keys).await
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        self.1.step()?;
        self.1.0.visits.lock().unwrap().push(range.clone());
        self.0.visit(range, direction, wanted, visitor).await
    }
}
