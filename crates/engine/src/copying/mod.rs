//! A database is copied into another store: all keys and values as they are, counters as their sums.
//!
//! | file | idea |
//! |---|---|
//! | `pages.rs` | what a store holds, page by page |
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
//! it; memory is bounded by a few pages and the number of counters. Leaves to its caller that nobody else
//! has the source; where it is shared, writes to it wait until the copy ends.

mod compare;
mod error;
mod pages;
mod target;
#[cfg(test)]
mod tests;
mod transfer;

pub use compare::Difference;
pub use error::CopyError;

use crate::layout;
use hashrange_storage::{AnyStore, Error, Key, Store, View};
use transfer::Transfer;

/// What a copy is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyPhase {
    /// Removes what an unfinished copy has left in the target.
    Emptying,
    /// Copies.
    Copying,
    /// Compares both sides.
    Verifying,
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

    fn add(&mut self, keys: usize, bytes: usize) {
        self.now.keys += keys as u64;
        self.now.bytes += bytes as u64;
        (self.heard)(self.now);
    }
}

/// Copies all of `source` into `target`, which is empty, and compares both. With `is_restarted` the target may
/// be an unfinished copy, which is emptied first. `heard` is told again and again how far the copy is.
///
/// # Errors
/// When either cannot be used so, or they are not equal in the end; the target is unfinished then, but if
/// it was refused at the beginning.
pub async fn copy(
    source: &AnyStore,
    target: &AnyStore,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, CopyError> {
    let from = source.view().await.map_err(CopyError::Source)?;
    if from.get(&layout::unfinished_copy()).await.map_err(CopyError::Source)?.is_some() {
        return Err(CopyError::SourceUnfinished);
    }
    let held = source.hold(&layout::definitions_number()).await.map_err(CopyError::Source)?;
    let last_stamp = source.last_stamp().await.map_err(CopyError::Source)?;
    if !target.raise_stamps(&[], last_stamp).await.map_err(CopyError::Target)? {
        return Err(CopyError::StampsBehind);
    }
    let mut emptying = Counting::new(CopyPhase::Emptying, heard);
    target::begin(target, is_restarted, &mut emptying).await?;
    let mut transfer = Transfer::new(target, Counting::new(CopyPhase::Copying, heard));
    let copied = transfer.run(&from, last_stamp).await?;
    let counting = Counting::new(CopyPhase::Verifying, heard);
    let to = target.view().await.map_err(CopyError::Target)?;
    let (differences, further) = compare::compare(&from, &to, counting).await?;
    if !differences.is_empty() {
        return Err(CopyError::Different { differences, further });
    }
    held.release().await.map_err(CopyError::Source)?;
    target::finish(target).await.map_err(CopyError::Target)?;
    Ok(copied)
}

/// Returns the rows of the servers that share a store: those change that are alive.
///
/// # Errors
/// When the store fails.
pub async fn server_rows(store: &AnyStore) -> Result<Vec<(Key, hashrange_storage::Bytes)>, Error> {
    const SERVERS_MAX: usize = 1_000;
    let view = store.view().await?;
    let mut pages = pages::Pages::new(&view, vec![layout::servers()]);
    let mut rows = Vec::new();
    while let Some(page) = pages.next().await? {
        rows.extend(page);
        if rows.len() >= SERVERS_MAX {
            break;
        }
    }
    Ok(rows)
}
