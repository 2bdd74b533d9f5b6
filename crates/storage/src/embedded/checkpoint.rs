//! Empties the logs after a clean close, so that the next open has nothing to replay.
//!
//! Once everything is in sorted files, which are synced together with the list that names them,
//! replaying the logs changes nothing. They are truncated, not removed: fjall takes its sequence
//! number from the sorted files only when a log exists. A crash before or after any of the
//! truncations is harmless for the same reason.

use super::journal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Truncates the logs when it is dropped, if the store was flushed.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    engine_path: PathBuf,
    is_complete: AtomicBool,
}

impl Checkpoint {
    pub(crate) fn new(engine_path: PathBuf) -> Self {
        Self { engine_path, is_complete: AtomicBool::new(false) }
    }

    /// Tells that nothing is only in the logs and nothing will be written any more.
    pub(crate) fn complete(&self) {
        self.is_complete.store(true, Ordering::Release);
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        if !self.is_complete.load(Ordering::Acquire) {
            return;
        }
        // A log that stays is replayed at the next open, without effect.
        drop(journal::truncate_all(&self.engine_path));
    }
}
