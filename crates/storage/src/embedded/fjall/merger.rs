//! Merges sorted files on a thread of its own.
//!
//! fjall's worker sorts memtables and would merge files too, one after the other: while it merges
//! for seconds it sorts nothing, memtables wait, and then writes do. So the worker's own rule
//! (`engine.rs`) almost never asks for a merge, and this thread merges by the usual rule. It merges
//! once for each sealed memtable, and more while many files are unmerged. The first sealed memtable
//! starts it.
//!
//! Leaves to the committer the pace of writes while much is unmerged (`pace.rs`).

use super::super::lazy_thread::LazyThread;
use super::super::step_back::step_back;
use super::Shared;
use crate::Error;
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Interval at which the thread looks whether a sealed memtable is sorted by now.
const TICK: Duration = Duration::from_millis(10);

/// Unmerged files from which on merging goes on without waiting for the next memtable.
pub(crate) const MANY_RUNS: usize = 8;

/// Work of the thread.
#[derive(Debug)]
struct Orders {
    /// Sealed memtables that are still owed a merge.
    owed: usize,
    has_ended: bool,
}

/// Wakes the thread, ends it and keeps its failure.
#[derive(Debug)]
pub(crate) struct Merger {
    orders: Mutex<Orders>,
    changed: Condvar,
    failure: OnceLock<Error>,
    thread: LazyThread,
}

impl Merger {
    pub(crate) fn new() -> Self {
        Self {
            orders: Mutex::new(Orders { owed: 0, has_ended: false }),
            changed: Condvar::new(),
            failure: OnceLock::new(),
            thread: LazyThread::new("merger"),
        }
    }

    /// Fails if a merge has failed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Notes that a memtable of the store, which `shared` belongs to, was sealed, so that there may
    /// soon be files to merge. Fails if the thread cannot be started.
    pub(crate) fn look(&self, shared: &Arc<Shared>) -> Result<(), Error> {
        self.orders.lock().owed += 1;
        self.changed.notify_one();
        let shared = Arc::clone(shared);
        self.thread.start(move || run(&shared))
    }

    /// Ends the thread after the running merge.
    pub(crate) fn end(&self) {
        self.orders.lock().has_ended = true;
        self.changed.notify_one();
        self.thread.end();
    }

    /// Waits for work; returns `false` at the end.
    fn wait(&self) -> bool {
        let mut orders = self.orders.lock();
        while orders.owed == 0 && !orders.has_ended {
            self.changed.wait(&mut orders);
        }
        orders.owed = orders.owed.saturating_sub(1);
        !orders.has_ended
    }

    /// Waits for one tick; returns `false` at the end.
    fn tick(&self) -> bool {
        let mut orders = self.orders.lock();
        if !orders.has_ended {
            self.changed.wait_for(&mut orders, TICK);
        }
        !orders.has_ended
    }

    fn has_ended(&self) -> bool {
        self.orders.lock().has_ended
    }
}

/// Merges until [`Merger::end`].
fn run(shared: &Shared) {
    step_back();
    while shared.merger.wait() {
        if let Err(error) = merge_once_or_more(shared) {
            shared.merger.failure.get_or_init(|| error);
            return;
        }
    }
}

/// Merges once for a sealed memtable, as soon as it is sorted, and on while many files are
/// unmerged. Merging everything at once would take more from writes than it saves.
fn merge_once_or_more(shared: &Shared) -> Result<(), Error> {
    let runs = shared.engine.unmerged_runs();
    while shared.engine.has_sealed_memtable() && shared.engine.unmerged_runs() <= runs {
        if !shared.merger.tick() {
            return Ok(());
        }
    }
    while !shared.merger.has_ended() {
        if !shared.merge()? || shared.engine.unmerged_runs() < MANY_RUNS {
            break;
        }
    }
    Ok(())
}
