//! The store's clock: the only place where it asks what time it is, and where a thread sleeps.
//!
//! What is stored and what is read never depends on it. It paces the threads of the embedded store
//! and tells a read that waited for the disk from one that did not.

use std::time::{Duration, Instant};

/// Returns the time now.
#[expect(clippy::disallowed_methods, reason = "the store's other files ask here")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Lets the thread sleep. For the store's own threads and whoever opens it: who reads or commits never sleeps here.
#[expect(clippy::disallowed_methods, reason = "the store's other files sleep here")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
