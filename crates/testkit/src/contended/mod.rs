//! A store under contention: it does all that the contract of [`Store`] allows and local stores
//! never do. It makes each decision several times, first on values of a moment before; now and then
//! another writer is faster, and the commit ends with [`Error::Conflict`], decided or not.
//!
//! Several of them can share the store below ([`ContendedStore::another`]), as the servers of a
//! cluster share a database. Then views show newer states as time goes by, answers are lost after
//! or before the commit was done, and each of them may die alone.
//!
//! The store below keeps its meaning: only the last decision leaves a trace. So code that works on
//! this store keeps no memory of a decision that did not count.

mod view;

pub use view::ContendedView;

use crate::random::Random;
use hashrange_storage::{Batch, Bytes, Error, Key, KeyRange, Keys, Stats, Store, View};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Commits of a hundred that meet a faster writer.
const CONFLICTS_PERCENT: usize = 12;

/// A store whose commits are contended; a seed makes all choices.
#[derive(Debug)]
pub struct ContendedStore<S: Store> {
    store: Arc<S>,
    is_shared: bool,
    state: Mutex<State<S::View>>,
    conflicts_percent: usize,
    lost_answers_percent: usize,
    is_dead: AtomicBool,
}

struct State<V> {
    random: Random,
    /// A view taken before the last commit.
    earlier: Option<V>,
}

impl<V> std::fmt::Debug for State<V> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("random", &self.random).finish_non_exhaustive()
    }
}

/// Fate of a commit.
enum Chance {
    /// It is lost before it is decided.
    LostUndecided,
    /// It is lost after it was decided.
    Lost,
    /// It is done, after so many decisions that did not count.
    Won(usize),
}

/// Fate of the answer of a commit.
enum Answer {
    Arrives,
    /// The commit never began.
    LostBefore,
    LostAfter,
}

impl<S: Store> ContendedStore<S> {
    /// Returns a store that meets conflicts so seldom that trying again gets through.
    pub fn new(store: S, seed: u64) -> Self {
        Self::of(Arc::new(store), seed)
    }

    /// Returns a store that loses every commit to a faster writer.
    pub fn losing(store: S) -> Self {
        Self { conflicts_percent: 100, ..Self::new(store, 0) }
    }

    /// Returns the first of several that share a store.
    pub fn shared(store: S, seed: u64) -> Self {
        Self { is_shared: true, ..Self::new(store, seed) }
    }

    /// Returns another one that shares the store of this one, which was made by
    /// [`ContendedStore::shared`].
    #[must_use]
    pub fn another(&self, seed: u64) -> Self {
        assert!(self.is_shared, "who is alone does not know that others write");
        Self { is_shared: true, ..Self::of(Arc::clone(&self.store), seed) }
    }

    /// Returns the store with so many of a hundred answers lost.
    #[must_use]
    pub fn with_lost_answers(self, percent: usize) -> Self {
        Self { lost_answers_percent: percent, ..self }
    }

    fn of(store: Arc<S>, seed: u64) -> Self {
        Self {
            store,
            is_shared: false,
            state: Mutex::new(State { random: Random::new(seed), earlier: None }),
            conflicts_percent: CONFLICTS_PERCENT,
            lost_answers_percent: 0,
            is_dead: AtomicBool::new(false),
        }
    }

    /// Returns the store below.
    pub fn inner(&self) -> &S {
        &self.store
    }

    /// Ends the work of this one for good, as the end of its process would: it writes nothing more.
    /// Others go on.
    pub fn kill(&self) {
        self.is_dead.store(true, Ordering::Release);
    }

    fn check_alive(&self) -> Result<(), Error> {
        if self.is_dead.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, State<S::View>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the fate of the next commit, and a view of a moment before it.
    async fn next(&self) -> Result<(Chance, Option<S::View>), Error> {
        let now = self.store.view().await?;
        let mut state = self.state();
        let earlier = state.earlier.replace(now);
        let chance = if !state.random.chance(self.conflicts_percent) {
            Chance::Won(1 + state.random.below(2))
        } else if state.random.chance(50) {
            Chance::LostUndecided
        } else {
            Chance::Lost
        };
        Ok((chance, earlier))
    }

    /// Returns the fate of the next answer.
    fn next_answer(&self) -> Answer {
        if self.lost_answers_percent == 0 {
            return Answer::Arrives;
        }
        let mut state = self.state();
        if !state.random.chance(self.lost_answers_percent) {
            Answer::Arrives
        } else if state.random.chance(50) {
            Answer::LostBefore
        } else {
            Answer::LostAfter
        }
    }
}

/// Returns the values of keys in a view; absent ones where it cannot be read.
async fn values<V: View>(view: Option<&V>, keys: &Keys) -> Vec<Option<Bytes>> {
    let keys: Vec<Key> = keys.all().cloned().collect();
    let absent = || vec![None; keys.len()];
    match view {
        None => absent(),
        Some(view) => view.get_many(&keys).await.unwrap_or_else(|_| absent()),
    }
}

impl<S: Store> Store for ContendedStore<S> {
    type View = ContendedView<S>;

    fn is_shared(&self) -> bool {
        self.is_shared
    }

    async fn view(&self) -> Result<ContendedView<S>, Error> {
        self.check_alive()?;
        let view = self.store.view().await?;
        let later = self.is_shared.then(|| (Arc::clone(&self.store), self.state().random.bits()));
        Ok(ContendedView::new(view, later))
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.check_alive()?;
        self.store.get_together(keys).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, mut decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        self.check_alive()?;
        let keys = keys.into();
        let lost = || Err(Error::Unavailable { what: "the answer was lost".to_owned() });
        let answer = self.next_answer();
        if matches!(answer, Answer::LostBefore) {
            return lost();
        }
        let (chance, earlier) = self.next().await?;
        let more = match chance {
            Chance::LostUndecided => return Err(Error::Conflict),
            Chance::Lost => {
                drop(decide(&values(earlier.as_ref(), &keys).await, &mut Batch::new()));
                return Err(Error::Conflict);
            }
            Chance::Won(more) => more,
        };
        let stale = values(earlier.as_ref(), &keys).await;
        // The view ends before the wait: it keeps old data from being reclaimed.
        drop(earlier);
        let decide = |current: &[Option<Bytes>], batch: &mut Batch| {
            for nth in 0..more {
                let shown = if nth == 0 { &stale[..] } else { current };
                drop(decide(shown, &mut Batch::new()));
            }
            decide(current, batch)
        };
        self.check_alive()?;
        let committed = self.store.commit(keys, decide).await?;
        match answer {
            Answer::LostAfter => lost(),
            Answer::Arrives | Answer::LostBefore => Ok(committed),
        }
    }

    async fn sync(&self) -> Result<(), Error> {
        // A store that others share waits for nobody else.
        if self.is_shared { self.check_alive() } else { self.store.sync().await }
    }

    async fn reclaim(&self, range: KeyRange) -> Result<(), Error> {
        self.store.reclaim(range).await
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.check_alive()?;
        self.store.check_writable()
    }

    fn stats(&self) -> Stats {
        self.store.stats()
    }

    async fn close(&self) -> Result<(), Error> {
        self.state().earlier = None;
        // Others go on with the shared store.
        if !self.is_shared {
            return self.store.close().await;
        }
        self.kill();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_storage::{MemoryStore, block_on};

    fn put(
        store: &ContendedStore<MemoryStore>,
        value: &'static [u8],
    ) -> (Result<(), Error>, usize) {
        let mut decisions = 0;
        let done = block_on(store.commit(vec![b"key".to_vec()], |_, batch| {
            decisions += 1;
            batch.put(b"key".to_vec(), Bytes::from_static(value));
        }));
        (done, decisions)
    }

    #[test]
    fn commits_are_decided_again_or_lost_and_count_once() {
        let store = ContendedStore::new(MemoryStore::new(), 1);
        let done: Vec<_> = (0..1000).map(|_| put(&store, b"value")).collect();
        let lost = done.iter().filter(|(done, _)| matches!(done, Err(Error::Conflict))).count();
        assert!((50..250).contains(&lost), "{lost}");
        assert!(done.iter().any(|(done, decisions)| done.is_err() && *decisions == 0));
        assert!(done.iter().any(|(done, decisions)| done.is_err() && *decisions == 1));
        assert!(done.iter().all(|(done, decisions)| done.is_err() || (2..=3).contains(decisions)));
        assert_eq!(store.stats().commits, 1000 - lost as u64);
    }

    #[test]
    fn a_losing_store_writes_nothing() {
        let store = ContendedStore::losing(MemoryStore::new());
        assert!((0..100).all(|_| put(&store, b"value").0.is_err()));
        assert_eq!(store.stats().commits, 0);
    }

    #[test]
    fn those_who_share_a_store_see_newer_states_lose_answers_and_die_alone() {
        let one = ContendedStore::shared(MemoryStore::new(), 1).with_lost_answers(20);
        let other = one.another(2);
        let early: Vec<_> = (0..20).map(|_| block_on(one.view()).unwrap()).collect();
        let mut lost = 0;
        for _ in 0..200 {
            lost += usize::from(matches!(put(&one, b"one").0, Err(Error::Unavailable { .. })));
        }
        assert!((10..80).contains(&lost), "{lost}");
        let seen: Vec<Vec<_>> = early
            .iter()
            .map(|view| (0..100).map(|_| block_on(view.get(b"key")).unwrap()).collect())
            .collect();
        let newest = Some(Bytes::from_static(b"one"));
        assert!(
            seen.iter().any(|states| states.first() == Some(&None)),
            "some begin with the view's"
        );
        for states in seen {
            assert!(states.is_sorted(), "no read is of an older state than the one before");
            assert_eq!(states.last(), Some(&newest));
        }
        one.kill();
        assert!(matches!(put(&one, b"dead").0, Err(Error::Closed)));
        while put(&other, b"other").0.is_err() {}
        assert_eq!(block_on(other.get(b"key")).unwrap(), Some(Bytes::from_static(b"other")));
    }
}
