//! A store under contention: it does all that the contract of [`Store`] allows and local stores
//! never do. Each decision is made several times, first on values of a moment before; now and then
//! another writer is faster, and the commit ends with [`Error::Conflict`], decided or not.
//!
//! What is below keeps its meaning: nothing of a decision but the last leaves a trace. So code that
//! works on this store keeps no memory of a decision that did not count.

use crate::random::Random;
use hashrange_storage::{Batch, Bytes, Error, Key, Stats, Store, View};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many of a hundred commits meet a faster writer.
const CONFLICTS_PERCENT: usize = 12;

/// A store whose commits are contended; everything is chosen by a seed.
#[derive(Debug)]
pub struct ContendedStore<S: Store> {
    store: S,
    state: Mutex<State<S::View>>,
    conflicts_percent: usize,
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

/// What happens to a commit.
enum Chance {
    /// It is lost before it is decided.
    LostUndecided,
    /// It is lost after it was decided.
    Lost,
    /// It is decided so many times more than once.
    Won(usize),
}

impl<S: Store> ContendedStore<S> {
    /// Returns a store that meets conflicts so seldom that trying again gets through.
    pub fn new(store: S, seed: u64) -> Self {
        Self::with_conflicts(store, seed, CONFLICTS_PERCENT)
    }

    /// Returns a store that loses every commit.
    pub fn losing(store: S) -> Self {
        Self::with_conflicts(store, 0, 100)
    }

    fn with_conflicts(store: S, seed: u64, conflicts_percent: usize) -> Self {
        let state = Mutex::new(State { random: Random::new(seed), earlier: None });
        Self { store, state, conflicts_percent }
    }

    /// Returns the store below.
    pub fn inner(&self) -> &S {
        &self.store
    }

    fn state(&self) -> MutexGuard<'_, State<S::View>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what happens to the next commit, and a view of a moment before it.
    fn next(&self) -> (Chance, Option<S::View>) {
        let now = self.store.view();
        let mut state = self.state();
        let earlier = state.earlier.replace(now);
        let chance = if !state.random.chance(self.conflicts_percent) {
            Chance::Won(1 + state.random.below(2))
        } else if state.random.chance(50) {
            Chance::LostUndecided
        } else {
            Chance::Lost
        };
        (chance, earlier)
    }
}

/// Returns the values of keys in a view; absent ones where it cannot be read.
async fn values<V: View>(view: Option<&V>, keys: &[Key]) -> Vec<Option<Bytes>> {
    let absent = || vec![None; keys.len()];
    match view {
        None => absent(),
        Some(view) => view.get_many(keys).await.unwrap_or_else(|_| absent()),
    }
}

impl<S: Store> Store for ContendedStore<S> {
    type View = S::View;

    fn view(&self) -> S::View {
        self.store.view()
    }

    async fn commit<T, F>(&self, keys: Vec<Key>, mut decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        let (chance, earlier) = self.next();
        let more = match chance {
            Chance::LostUndecided => return Err(Error::Conflict),
            Chance::Lost => {
                drop(decide(&values(earlier.as_ref(), &keys).await, &mut Batch::new()));
                return Err(Error::Conflict);
            }
            Chance::Won(more) => more,
        };
        let stale = values(earlier.as_ref(), &keys).await;
        // The view is let go before the wait: it keeps old data from being reclaimed.
        drop(earlier);
        let decide = |current: &[Option<Bytes>], batch: &mut Batch| {
            for nth in 0..more {
                let shown = if nth == 0 { &stale[..] } else { current };
                drop(decide(shown, &mut Batch::new()));
            }
            decide(current, batch)
        };
        self.store.commit(keys, decide).await
    }

    async fn sync(&self) -> Result<(), Error> {
        self.store.sync().await
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.store.check_writable()
    }

    fn stats(&self) -> Stats {
        self.store.stats()
    }

    async fn close(&self) -> Result<(), Error> {
        self.state().earlier = None;
        self.store.close().await
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
}
