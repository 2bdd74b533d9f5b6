//! The one way from the engine into the store: a commit that is tried again when another writer was
//! faster, a bounded number of times.
//!
//! Leaves to others what a lost race means for the client: [`crate::fault`] and the operations.

use super::Core;
use bytes::Bytes;
use hashrange_storage::{Batch, Error, Keys, Store};

/// How often a commit is tried before its caller is told of the conflict.
const ATTEMPTS_MAX: usize = 16;

/// What a store calls to decide a commit.
type Decide<'a> = dyn FnMut(&[Option<Bytes>], &mut Batch) + Send + 'a;

impl<S: Store> Core<S> {
    /// Commits as [`Store::commit`] does. `keys` is called again for every attempt, and `decide`
    /// may run several times: only its last answer counts.
    ///
    /// [`Error::Conflict`] means that all attempts were lost to other writers and nothing was
    /// written.
    pub(crate) async fn commit<T: Send, K: Into<Keys>>(
        &self,
        keys: impl Fn() -> K + Send + Sync,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> Result<T, Error> {
        let mut decided = None;
        let keys = || keys().into();
        self.commit_untyped(&keys, &mut |current, batch| decided = Some(decide(current, batch)))
            .await?;
        Ok(decided.expect("a store that answers has decided"))
    }

    /// Commits without the types of its caller, so that the store is compiled once for all of them.
    async fn commit_untyped(
        &self,
        keys: &(dyn Fn() -> Keys + Send + Sync),
        decide: &mut Decide<'_>,
    ) -> Result<(), Error> {
        for _ in 1..ATTEMPTS_MAX {
            match self.store.commit(keys(), &mut *decide).await {
                Err(Error::Conflict) => {}
                answered => return answered,
            }
        }
        self.store.commit(keys(), decide).await
    }
}
