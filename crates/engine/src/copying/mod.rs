//! A database is copied into another store: all keys and values as they are, counters as their sums. It may be
//! served meanwhile.
//!
//! | file | idea |
//! |---|---|
//! | `pages.rs` | what a store holds, page by page |
//! | `origin.rs` | the source, and what those who serve it do meanwhile |
//! | `served.rs` | the steps of a copy while the source is served |
//! | `target.rs` | the target: empty, marked as unfinished, emptied again |
//! | `transfer.rs` | pages become commits of the target |
//! | `compare.rs` | both sides are walked and compared byte for byte |
//! | `error.rs` | why a copy fails |
//!
//! Left out is what belongs to the servers on a store and not to the data: their rows, and the number of
//! the last change of definitions, of which the target has its own.
//!
//! Commit stamps go on: those of every shard of a stream, also of one whose records are all gone, are above
//! all that the source has given out. So whoever has read up to some record goes on after it.
//!
//! Invariants: from its first commit to its last the target says that it is unfinished, and nobody opens
//! it; memory is bounded by a few pages and the number of counters, and while the source is served by the keys that
//! differ when both sides are compared. Leaves to its caller that nobody else has a source that is not said to be
//! served; where it is shared, writes to it wait until the copy ends.

mod compare;
mod error;
mod origin;
mod pages;
mod served;
mod target;
#[cfg(test)]
mod tests;
mod transfer;

pub use compare::Difference;
pub use error::CopyError;
pub(crate) use target::change_definitions;

use crate::core::is_unfinished;
use crate::core::noting::{Stage, read_state};
use crate::engine::Engine;
use crate::layout;
use hashrange_storage::{AnyStore, Error, Key, Store};
use origin::Origin;
use transfer::Transfer;

/// What a copy is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyPhase {
    /// Removes what an unfinished copy has left in the target.
    Emptying,
    /// Copies.
    Copying,
    /// Copies what was written meanwhile.
    CatchingUp,
    /// Compares both sides.
    Verifying,
    /// Copies what was written last; nothing is written to the source any more.
    Switching,
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copying {
    /// What it is doing.
    pub phase: CopyPhase,
    /// Keys removed, copied or compared in this phase.
    pub keys: u64,
    /// Bytes of these keys and their values.
    pub bytes: u64,
}

/// What was copied, and found equal afterwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Keys, counters among them.
    pub keys: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// Counts what is done in one phase.
struct Counting<'a> {
    now: Copying,
    heard: &'a mut (dyn FnMut(Copying) + Send),
}

impl<'a> Counting<'a> {
    fn new(phase: CopyPhase, heard: &'a mut (dyn FnMut(Copying) + Send)) -> Self {
        Self { now: Copying { phase, keys: 0, bytes: 0 }, heard }
    }

    /// Counts another phase from now on.
    fn enter(&mut self, phase: CopyPhase) {
        self.now = Copying { phase, keys: 0, bytes: 0 };
        (self.heard)(self.now);
    }

    fn add(&mut self, keys: usize, bytes: usize) {
        self.now.keys += keys as u64;
        self.now.bytes += bytes as u64;
        (self.heard)(self.now);
    }
}

/// Who writes to the source of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Nobody, until the copy ends.
    No,
    /// Servers of other processes: the store is shared.
    ByOthers,
}

/// Copies all of `source` into `target`, which is empty, and compares both. With `is_restarted` the target may
/// be an unfinished copy, which is emptied first. `heard` is told again and again how far the copy is. `id` is a
/// random number.
///
/// A source that is served goes on being served, and is at rest for a moment in the end; from then on it is
/// refused by all who would open it, as its data are in the target.
///
/// # Errors
/// When either cannot be used so, or they are not equal in the end; the target is unfinished then, but if
/// it was refused at the beginning.
pub async fn copy(
    source: &AnyStore,
    target: &AnyStore,
    served: Served,
    id: u128,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, CopyError> {
    if is_unfinished(target::mark(source).await.map_err(CopyError::Source)?.as_deref()) {
        return Err(CopyError::SourceUnfinished);
    }
    if read_moved(source).await?.is_some() {
        return Err(CopyError::SourceMoved);
    }
    match served {
        Served::No => copy_still(source, target, id, is_restarted, heard).await,
        Served::ByOthers => {
            let origin = Origin::served(source, id);
            served::copy(origin, target, id, is_restarted, heard).await
        }
    }
}

impl Engine<AnyStore> {
    /// Copies all of this database into `target` as [`copy`] does, while this engine goes on. When it returns
    /// without an error this engine refuses writes, and the data are in the target.
    pub async fn move_to(
        &self,
        target: &AnyStore,
        is_restarted: bool,
        heard: &mut (dyn FnMut(Copying) + Send),
    ) -> Result<Copied, CopyError> {
        let core = self.core();
        let id = (core.environment.random)();
        if core.store.is_shared() {
            return copy(&core.store, target, Served::ByOthers, id, is_restarted, heard).await;
        }
        served::copy(Origin::own(core, id), target, id, is_restarted, heard).await
    }
}

/// Returns which copy a database was moved by, if it was.
///
/// # Errors
/// When it cannot be read.
pub async fn read_moved(source: &AnyStore) -> Result<Option<u128>, CopyError> {
    let state = read_state(source).await.map_err(CopyError::Source)?;
    Ok(state.filter(|state| state.stage == Stage::Moved).map(|state| state.id))
}

/// Sees to it that the target of a copy which has moved its source can be opened: the last step may be
/// missing.
///
/// # Errors
/// When this is not the target of that copy, or fails.
pub async fn finish_move(id: u128, target: &AnyStore) -> Result<(), CopyError> {
    let mark = target::mark(target).await.map_err(CopyError::Target)?;
    if target::is_begun_by(id, mark.as_ref()) {
        return target::finish(target, id).await;
    }
    if target::is_finished_by(id, mark.as_ref()) { Ok(()) } else { Err(CopyError::SourceMoved) }
}

/// Lets a database that was moved away be used again, without what was written to its copy since.
///
/// # Errors
/// When it was not moved, or fails.
pub async fn reopen(store: &AnyStore) -> Result<(), CopyError> {
    origin::reopen(store).await
}

async fn copy_still(
    source: &AnyStore,
    target: &AnyStore,
    id: u128,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, CopyError> {
    let held = source.hold(&layout::definitions_number()).await.map_err(CopyError::Source)?;
    begin(source, target, id, is_restarted, heard).await?;
    let mut origin = Origin::still(source, id);
    let mut transfer =
        Transfer::new(source, target, Counting::new(CopyPhase::Copying, &mut *heard));
    transfer.copy_plain(&mut origin).await?;
    transfer.copy_counters().await?;
    transfer.raise_stamps().await?;
    let copied = transfer.copied();
    let mut counting = Counting::new(CopyPhase::Verifying, heard);
    compare::compare(source, target, &mut counting).await?.into_error()?;
    held.release().await.map_err(CopyError::Source)?;
    target::finish(target, id).await?;
    Ok(copied)
}

/// Sees to it that the target is empty and marked.
async fn begin(
    source: &AnyStore,
    target: &AnyStore,
    id: u128,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<(), CopyError> {
    let last_stamp = source.last_stamp().await.map_err(CopyError::Source)?;
    if !target.raise_stamps(&[], last_stamp).await.map_err(CopyError::Target)? {
        return Err(CopyError::StampsBehind);
    }
    let mut emptying = Counting::new(CopyPhase::Emptying, heard);
    target::begin(target, id, is_restarted, &mut emptying).await
}

/// Returns the rows of the servers that share a store: those change that are alive.
///
/// # Errors
/// When the store fails.
pub async fn server_rows(store: &AnyStore) -> Result<Vec<(Key, hashrange_storage::Bytes)>, Error> {
    const SERVERS_MAX: usize = 1_000;
    let mut pages = pages::Pages::new(store, vec![layout::servers()]);
    let mut rows = Vec::new();
    while let Some(page) = pages.next().await? {
        rows.extend(page);
        if rows.len() >= SERVERS_MAX {
            break;
        }
    }
    Ok(rows)
}
