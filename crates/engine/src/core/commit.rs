//! The engine's only way of writing to the store: commits, and repeats a commit that lost to
//! another writer, a bounded number of times. While the database is being copied, notes the keys
//! that a commit writes.
//!
//! Left to others: the answer to the client after all attempts were lost ([`crate::fault`] and the
//! operations), and the notes ([`super::noting`]).

use super::Core;
use super::noting::{Ended, refused};
use crate::layout;
use bytes::Bytes;
use hashrange_storage::{Batch, Error, Keys, Store};

/// Maximum of attempts before the caller gets the conflict.
const ATTEMPTS_MAX: usize = 16;

/// Function that a store calls to decide a commit.
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
        for _ in 0..ATTEMPTS_MAX {
            match self.commit_once(keys(), decide).await {
                Ok(Ended::Decided) => return Ok(()),
                Ok(Ended::Refused) => return Err(refused()),
                Ok(Ended::Unknown) => self.read_noting().await?,
                Err(Error::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::Conflict)
    }

    async fn commit_once(&self, mut keys: Keys, decide: &mut Decide<'_>) -> Result<Ended, Error> {
        if !self.store.is_shared() {
            let decide = |current: &[Option<Bytes>], batch: &mut Batch| {
                self.decide_and_note(batch, |batch| decide(current, batch))
            };
            return self.store.commit(keys, decide).await;
        }
        // A caller that follows definitions declares their number already, as the last of its keys.
        let number = layout::definitions_number();
        let declared = keys.all().position(|key| *key == number);
        let nth = declared.unwrap_or(keys.write.len() + keys.read.len());
        if declared.is_none() {
            keys.read.push(number);
        }
        let decide = |current: &[Option<Bytes>], batch: &mut Batch| {
            let number = current.get(nth).and_then(Option::as_deref);
            if !self.noting.is_as_of(number) {
                return Ended::Unknown;
            }
            let asked = if declared.is_some() { current } else { current.split_at(nth).0 };
            self.decide_and_note(batch, |batch| decide(asked, batch))
        };
        self.store.commit(keys, decide).await
    }
}
