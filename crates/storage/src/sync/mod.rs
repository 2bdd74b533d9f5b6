//! Locks, atomics and threads that writers, readers and the committer share.
//!
//! In every ordinary build these are names for those of the standard library, `parking_lot` and
//! `arc-swap`, and nothing more. With the feature `shuttle` they are those of a scheduler that runs
//! all threads one at a time and decides at each step which one goes on (`scheduled.rs`), so that
//! the same code is tried under thousands of orders (`embedded/schedules.rs`).

#[cfg(feature = "shuttle")]
mod scheduled;

#[cfg(feature = "shuttle")]
pub(crate) use scheduled::*;

#[cfg(not(feature = "shuttle"))]
pub(crate) use {
    arc_swap::ArcSwap,
    foldhash::fast::RandomState,
    parking_lot::{Condvar, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard},
    std::sync::{OnceLock, atomic},
    std::thread,
};

/// Returns the number of parts that something is split into: `count`.
#[cfg(not(feature = "shuttle"))]
pub(crate) const fn shards(count: usize) -> usize {
    count
}

/// Returns the scheduler's decision in the place of the clock: none, because there is no scheduler.
#[cfg(not(feature = "shuttle"))]
#[expect(clippy::inline_always, reason = "nothing may be left of it in an ordinary build")]
#[inline(always)]
pub(crate) const fn toss() -> Option<bool> {
    None
}
