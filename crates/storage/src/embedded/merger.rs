//! Merging sorted files, in a thread of its own.
//!
//! fjall's worker sorts memtables and would merge files too, one after the other: while it merges for
//! seconds nothing is sorted, memtables wait, and then writes do. So the worker's own rule
//! (`engine.rs`) almost never asks for a merge, and this thread merges by the rule that is meant. It
//! looks for work after each memtable that was sealed and sleeps when there is none.
//!
//! Leaves to the committer how fast writes come in while much is unmerged (`pace.rs`).

use super::Shared;
use crate::Error;
use parking_lot::{Condvar, Mutex};
use std::sync::OnceLock;
use std::time::Duration;

/// How often the thread looks whether a memtable that was sealed is sorted by now.
const TICK: Duration = Duration::from_millis(10);

/// What the thread is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Rest,
    Look,
    End,
}

/// Wakes the thread, ends it and keeps what it has to report.
#[derive(Debug)]
pub(crate) struct Merger {
    order: Mutex<Order>,
    changed: Condvar,
    failure: OnceLock<Error>,
}

impl Merger {
    pub(crate) fn new() -> Self {
        Self { order: Mutex::new(Order::Look), changed: Condvar::new(), failure: OnceLock::new() }
    }

    /// Fails when a merge has failed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// A memtable was sealed: there may be something to merge soon.
    pub(crate) fn look(&self) {
        self.give(Order::Look);
    }

    /// Ends the thread after the merge that runs.
    pub(crate) fn end(&self) {
        self.give(Order::End);
    }

    fn give(&self, order: Order) {
        let mut current = self.order.lock();
        if *current != Order::End {
            *current = order;
        }
        drop(current);
        self.changed.notify_one();
    }

    /// Waits for work; `false` at the end.
    fn wait(&self) -> bool {
        let mut order = self.order.lock();
        while *order == Order::Rest {
            self.changed.wait(&mut order);
        }
        let goes_on = *order == Order::Look;
        if goes_on {
            *order = Order::Rest;
        }
        goes_on
    }

    /// Waits for one tick; `false` at the end.
    fn tick(&self) -> bool {
        let mut order = self.order.lock();
        if *order != Order::End {
            self.changed.wait_for(&mut order, TICK);
        }
        *order != Order::End
    }

    fn has_ended(&self) -> bool {
        *self.order.lock() == Order::End
    }
}

/// Merges until [`Merger::end`].
pub(crate) fn run(shared: &Shared) {
    super::engine::step_back();
    while shared.merger.wait() {
        if let Err(error) = merge_all(shared) {
            shared.merger.failure.get_or_init(|| error);
            return;
        }
    }
}

/// Merges until nothing is left to merge and no sealed memtable is left to be sorted.
fn merge_all(shared: &Shared) -> Result<(), Error> {
    // A merge that fills the disk would fail the store; what is there stays readable without it.
    while !shared.merger.has_ended() && shared.has_room_to_merge() {
        let is_sealed = shared.engine.has_sealed_memtable();
        if shared.engine.merge()? {
            shared.writeback.watch();
        } else if !is_sealed || !shared.merger.tick() {
            break;
        }
    }
    Ok(())
}
