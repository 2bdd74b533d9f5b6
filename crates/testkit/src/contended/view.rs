//! The view of a store under contention: in a store that several share, each read is of a state of its
//! own, the view's or a later one.

use hashrange_storage::{Bytes, Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A view of a [`ContendedStore`](super::ContendedStore).
pub struct ContendedView<S: Store> {
    view: S::View,
    later: Option<Arc<Later<S>>>,
    /// Where its requests are counted, if they are.
    requests: Option<Arc<AtomicU64>>,
}

/// Where later states are.
struct Later<S> {
    store: Arc<S>,
    /// A bit for each of the next reads.
    choices: AtomicU64,
}

impl<S: Store> ContendedView<S> {
    /// Returns a view, whose reads are of later states now and then if `later` says where they are and
    /// by what bits to choose.
    pub(super) fn new(view: S::View, later: Option<(Arc<S>, u64)>) -> Self {
        let later = later.map(|(store, bits)| Later { store, choices: AtomicU64::new(bits) });
        Self { view, later: later.map(Arc::new), requests: None }
    }

    /// Returns the view for the next read.
    async fn next(&self) -> Result<S::View, Error> {
        if let Some(later) = &self.later {
            let turn = |choices: u64| Some(choices.rotate_left(1));
            let choices =
                later.choices.fetch_update(Ordering::AcqRel, Ordering::Acquire, turn).unwrap_or(0);
            if choices % 2 == 1 {
                let view = later.store.view().await?;
                return Ok(self
                    .requests
                    .as_ref()
                    .map_or_else(|| view.clone(), |it| view.counting(it)));
            }
        }
        Ok(self.view.clone())
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
