//! The one way from the engine into the store: a commit that is tried again when another writer was
//! faster, a bounded number of times.
//!
//! Leaves to others what a lost race means for the client: [`crate::fault`] and the operations.

use crate::engine::Core;
use bytes::Bytes;
use hashrange_storage::{Batch, Error, Key, Store};

/// How often a commit is tried before its caller is told of the conflict.
const ATTEMPTS_MAX: usize = 16;

impl<S: Store> Core<S> {
    /// Commits as [`Store::commit`] does. `keys` is called again for every attempt, and `decide`
    /// may run several times: only its last answer counts.
    ///
    /// [`Error::Conflict`] means that all attempts were lost to other writers and nothing was
    /// written.
    pub(crate) async fn commit<T: Send>(
        &self,
        keys: impl Fn() -> Vec<Key> + Send + Sync,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> Result<T, Error> {
        for _ in 1..ATTEMPTS_MAX {
            match self.store.commit(keys(), &mut decide).await {
                Err(Error::Conflict) => {}
                answered => return answered,
            }
        }
        self.store.commit(keys(), decide).await
    }
}
