//! The store's clock: the only place where the store reads the time and where a thread sleeps.
//!
//! Stored and read data never depend on it. It paces the threads of the embedded store and tells a
//! read that waited for the disk from one that did not.

use std::time::{Duration, Instant};

/// Returns the time now.
#[expect(clippy::disallowed_methods, reason = "the store's other files ask here")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Lets the thread sleep. For the store's own threads and for opening a store: reads and commits
/// never sleep here.
#[expect(clippy::disallowed_methods, reason = "the store's other files sleep here")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
