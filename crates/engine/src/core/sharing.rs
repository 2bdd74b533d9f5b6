//! Follows the definitions that other servers on the same store change.
//!
//! Every change of definitions raises one number in the store, in the same commit, and is made only
//! if the number is still the one that this server has seen: so the changes of all servers follow
//! one another, each decided on the result of the last. Every write declares the number as a key
//! that it only reads: so no write follows an old definition after a change, whichever server made
//! it. Operations read the number as `ops/newest_definitions.rs` says; if it has grown, the server
//! reads the tables that have changed since again (`changed.rs`), or all tables if the list does
//! not reach back so far.
//!
//! A store that is not shared has no such number and does none of this.

use super::changed::Changed;
use super::open::read_some;
use super::{Core, OpenError, read_tables};
use crate::schema::Table;
use crate::{fault, layout};
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Error, Key, Keys, Store};
use std::sync::atomic::Ordering;
use tokio::sync::MutexGuard;

/// Maximum of attempts to read the tables while other servers change them.
const READS_MAX: usize = 16;

/// Returns the stored number; 0 before the first change.
pub(super) fn decode_number(stored: Option<&[u8]>) -> Result<u64, Error> {
    let Some(stored) = stored else { return Ok(0) };
    let bytes = stored.try_into().map_err(|_| {
        let what = format!("the number of changes is {}", stored.escape_ascii());
        let place = layout::definitions_number().escape_ascii().to_string();
        Error::corrupt(what, place)
    })?;
    Ok(u64::from_le_bytes(bytes))
}

impl<S: Store> Core<S> {
    /// Locks changes of definitions in this process, and reads the newest definitions first.
    pub(crate) async fn lock_definitions(&self) -> ApiResult<MutexGuard<'_, ()>> {
        let locked = self.definitions.lock().await;
        if self.definitions_in_doubt.load(Ordering::Acquire) {
            // When this returns, every pending commit has either taken effect or failed.
            self.store.sync().await.map_err(fault::of_store)?;
            self.read_changes().await?;
            self.trust_definitions();
        } else if self.store.is_shared() && self.stored_number().await? != self.catalog.number() {
            self.read_changes().await?;
        }
        Ok(locked)
    }

    /// Reads the tables that other servers have changed.
    pub(crate) async fn refresh(&self) -> ApiResult<()> {
        if self.store.is_shared() && self.stored_number().await? != self.catalog.number() {
            drop(self.lock_definitions().await?);
        }
        Ok(())
    }

    /// Returns whether a stored value of [`layout::definitions_number`] is the number of the tables
    /// in use.
    pub(crate) fn is_newest(&self, stored: Option<&[u8]>) -> bool {
        decode_number(stored).is_ok_and(|number| number == self.catalog.number())
    }

    /// Commits a change of definitions that was decided on the definitions in use, if they are the
    /// newest. The caller holds `definitions`.
    pub(super) async fn commit_numbered<T: Send>(
        &self,
        mut keys: Vec<Key>,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> ApiResult<T> {
        let number = self.changes_seen.load(Ordering::Acquire);
        keys.extend([layout::changed_tables(), layout::definitions_number()]);
        let decided = self.commit(
            || keys.clone(),
            |current, batch| {
                let (stored, current) = current.split_last().expect("the number is declared");
                let (changed, current) = current.split_last().expect("the list is declared");
                if decode_number(stored.as_deref()).map_err(fault::of_store)? != number {
                    return Err(Reason::Contended.into());
                }
                let decided = decide(current, batch);
                let is_change = !batch.is_empty();
                if is_change {
                    let mut changed = Changed::as_of(number, changed.as_deref());
                    changed.add(batch.plain_keys());
                    batch.put(layout::changed_tables(), changed.encode());
                    let next = Bytes::copy_from_slice(&(number + 1).to_le_bytes());
                    batch.put(layout::definitions_number(), next);
                }
                ApiResult::Ok((decided, number + u64::from(is_change)))
            },
        );
        let (decided, number) = decided.await.map_err(fault::of_store)??;
        self.changes_seen.store(number, Ordering::Release);
        Ok(decided)
    }

    /// Makes a commit that depends on a table's definition. `None` means that the definition has
    /// changed and nothing was written.
    pub(crate) async fn commit_under<T: Send>(
        &self,
        table: &Table,
        keys: impl Fn() -> Vec<Key> + Send + Sync,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> Result<Option<T>, Error> {
        let number = || self.store.is_shared().then(layout::definitions_number);
        self.commit(
            || Keys { write: keys(), read: number().into_iter().collect() },
            |current, batch| {
                let shared = usize::from(self.store.is_shared());
                let (current, number) = current.split_at(current.len() - shared);
                let is_newest = number.iter().all(|number| self.is_newest(number.as_deref()));
                (is_newest && table.admits_writes()).then(|| decide(current, batch))
            },
        )
        .await
    }

    /// Returns the number of the last change of definitions that any server has made.
    pub(crate) async fn stored_number(&self) -> ApiResult<u64> {
        let stored = self.store.get(&layout::definitions_number()).await;
        stored.and_then(|stored| decode_number(stored.as_deref())).map_err(fault::of_store)
    }

    /// Reads the changed tables again. The caller holds `definitions`.
    async fn read_changes(&self) -> ApiResult<()> {
        let keys = [layout::definitions_number(), layout::changed_tables()];
        for _ in 0..READS_MAX {
            let stored = self.store.get_many(&keys).await.map_err(fault::of_store)?;
            let (number, changed) = stored.split_first().expect("a value for each key");
            let number = decode_number(number.as_deref()).map_err(fault::of_store)?;
            let changed = changed.iter().flatten().next();
            let changed = Changed::as_of(number, changed.map(|stored| &stored[..]));
            // Only a shared store has the number; without it all tables are read.
            let changed = changed.after(self.catalog.number()).filter(|_| number > 0);
            let view = self.view().await?;
            let read = match &changed {
                Some(changed) => read_some(&view, changed).await,
                None => read_tables(&view).await,
            };
            let tables = read.map_err(|problem| {
                if matches!(problem, OpenError::Moved) {
                    return Reason::StoreUnavailable(problem.to_string());
                }
                tracing::error!(%problem, "the tables cannot be read");
                Reason::Internal
            })?;
            // Reads at several moments need not be of one state.
            if self.stored_number().await? == number {
                match changed {
                    Some(changed) => self.catalog.replace_some(&changed, tables, number),
                    None => self.catalog.replace_all(tables, number),
                }
                self.doubt_work();
                self.changes_seen.store(number, Ordering::Release);
                return Ok(());
            }
        }
        Err(Reason::Contended.into())
    }
}
