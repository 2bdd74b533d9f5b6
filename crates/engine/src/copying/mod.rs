//! Copies a database into another store: all keys and values byte for byte, counters as their sums.
//! Servers may go on serving the source meanwhile.
//!
//! | file | idea |
//! |---|---|
//! | `pages.rs` | reads a store page by page |
//! | `origin.rs` | the source, and the state that its servers follow meanwhile |
//! | `served.rs` | the steps of a copy while the source is served |
//! | `target.rs` | the target: empty, marked as unfinished, emptied again |
//! | `commits.rs` | commits of a few keys |
//! | `transfer.rs` | writes pages as commits of the target |
//! | `compare.rs` | walks both sides and compares them byte for byte |
//! | `error.rs` | errors of a copy |
//!
//! The copy leaves out the entries that belong to the servers on a store and not to the data: the
//! rows of the servers, and the number of the last change of definitions, of which the target has
//! its own.
//!
//! Commit stamps continue: in the target those of every shard of a stream, even of a shard without
//! records, are above all that the source has assigned. So a reader of a stream continues after the
//! last record that it has read.
//!
//! Invariants: from its first commit to its last the target says that it is unfinished, and no
//! server opens it; memory is bounded by a few pages and the number of counters, and while the
//! source is served also by the keys that differ when both sides are compared. The caller sees to
//! it that no other process has a source open that it calls not served; on a shared store, writes
//! to it wait until the copy ends.

mod commits;
mod compare;
mod error;
mod origin;
mod pages;
mod served;
mod target;
#[cfg(test)]
mod tests;
mod transfer;

pub use error::{CopyError, Difference};
pub(crate) use target::change_definitions;

use crate::core::is_unfinished;
use crate::core::noting::{Stage, read_state};
use crate::engine::Engine;
use crate::layout;
use hashrange_storage::{AnyStore, Error, Key, Store};
use origin::Origin;
use transfer::Transfer;

/// Phase of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyPhase {
    /// Removes the entries that an unfinished copy has left in the target.
    Emptying,
    /// Copies.
    Copying,
    /// Copies the writes since the pass before.
    CatchingUp,
    /// Compares both sides.
    Verifying,
    /// Copies the last writes; the source refuses writes.
    Switching,
}

/// Progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copying {
    /// Current phase.
    pub phase: CopyPhase,
    /// Keys removed, copied or compared in this phase.
    pub keys: u64,
    /// Bytes of these keys and their values.
    pub bytes: u64,
}

/// Totals of a finished copy, which was found equal to its source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Keys, counters among them.
    pub keys: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// Counts and reports the progress of a phase.
struct Counting<'a> {
    now: Copying,
    heard: &'a mut (dyn FnMut(Copying) + Send),
}

impl<'a> Counting<'a> {
    fn new(phase: CopyPhase, heard: &'a mut (dyn FnMut(Copying) + Send)) -> Self {
        Self { now: Copying { phase, keys: 0, bytes: 0 }, heard }
    }

    /// Starts counting another phase.
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

/// Writers to the source of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// No writers until the copy ends.
    No,
    /// Servers in other processes: the store is shared.
    ByOthers,
}

/// Copies all of `source` into `target`, which is empty, and compares both. With `is_restarted` the
/// target may be an unfinished copy, which is emptied first. `heard` is called with the progress
/// again and again. `id` is a random number.
///
/// Servers go on serving a source that is served, and refuse writes for a moment in the end; from
/// then on no server opens it, because its data are in the target.
///
/// # Errors
/// If source or target is not usable for a copy, if either fails, or if they differ in the end. The
/// target is left unfinished, except if the copy refused it at the beginning.
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
    /// Copies all of this database into `target` as [`copy`] does, while this engine goes on
    /// serving. After success this engine refuses writes, and the data are in the target.
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

/// Returns the id of the copy that moved a database, or `None` if it was not moved.
///
/// # Errors
/// If the source cannot be read.
pub async fn read_moved(source: &AnyStore) -> Result<Option<u128>, CopyError> {
    let state = read_state(source).await.map_err(CopyError::Source)?;
    Ok(state.filter(|state| state.stage == Stage::Moved).map(|state| state.id))
}

/// Finishes the target of a copy that has moved its source, so that the target can be opened: a
/// crash may have prevented the last step.
///
/// # Errors
/// If this is not the target of that copy, or if a store fails.
pub async fn finish_move(id: u128, target: &AnyStore) -> Result<(), CopyError> {
    let mark = target::mark(target).await.map_err(CopyError::Target)?;
    if target::is_begun_by(id, mark.as_ref()) {
        return target::finish(target, id).await;
    }
    if target::is_finished_by(id, mark.as_ref()) { Ok(()) } else { Err(CopyError::SourceMoved) }
}

/// Makes a database usable again that was moved away; it lacks the writes to its copy since then.
///
/// # Errors
/// If the database was not moved, or if the store fails.
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

/// Empties the target and marks it as unfinished.
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

/// Returns the rows of the servers that share a store. The rows of running servers keep changing.
///
/// # Errors
/// If the store fails.
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
