//! The view of a store under contention: in a store that several share, each read is of a state of its
//! own, that of the read before or a later one.

use hashrange_storage::{Bytes, Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A view of a [`ContendedStore`](super::ContendedStore).
pub struct ContendedView<S: Store> {
    view: S::View,
    later: Option<Arc<Later<S>>>,
    /// Counter of its requests, if they are counted.
    requests: Option<Arc<AtomicU64>>,
}

/// Source of later states, and the choice among them.
struct Later<S: Store> {
    store: Arc<S>,
    /// A bit for each of the next reads.
    choices: AtomicU64,
    /// The state of the last read, if it was later than the view.
    last: Mutex<Option<S::View>>,
}

impl<S: Store> ContendedView<S> {
    /// Returns a view. With `later`, a store and bits that make choices, its reads are of later
    /// states now and then.
    pub(super) fn new(view: S::View, later: Option<(Arc<S>, u64)>) -> Self {
        let later = later.map(|(store, bits)| {
            let choices = AtomicU64::new(bits);
            Later { store, choices, last: Mutex::default() }
        });
        Self { view, later: later.map(Arc::new), requests: None }
    }

    /// Returns the view for the next read.
    async fn next(&self) -> Result<S::View, Error> {
        let Some(later) = &self.later else { return Ok(self.view.clone()) };
        let turn = |choices: u64| Some(choices.rotate_left(1));
        let choices =
            later.choices.fetch_update(Ordering::AcqRel, Ordering::Acquire, turn).unwrap_or(0);
        if choices % 2 == 1 {
            let view = later.store.view().await?;
            *later.last() = Some(view);
        }
        let last = later.last().clone();
        Ok(match (last, &self.requests) {
            (None, _) => self.view.clone(),
            (Some(view), None) => view,
            (Some(view), Some(requests)) => view.counting(requests),
        })
    }
}

impl<S: Store> Later<S> {
    fn last(&self) -> MutexGuard<'_, Option<S::View>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Store> Clone for ContendedView<S> {
    fn clone(&self) -> Self {
        Self { view: self.view.clone(), later: self.later.clone(), requests: self.requests.clone() }
    }
}

impl<S: Store> fmt::Debug for ContendedView<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ContendedView").finish_non_exhaustive()
    }
}

impl<S: Store> View for ContendedView<S> {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.next().await?.get(key).await
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.next().await?.get_many(keys).await
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        self.next().await?.sums(keys).await
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
        self.next().await?.visit(range, direction, wanted, visitor).await
    }

    fn counting(&self, requests: &Arc<AtomicU64>) -> Self {
        let view = self.view.counting(requests);
        Self { view, later: self.later.clone(), requests: Some(Arc::clone(requests)) }
    }
}
