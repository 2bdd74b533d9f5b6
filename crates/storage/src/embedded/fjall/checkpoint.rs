//! Empties the logs after a clean close, so that the next open has nothing to replay.
//!
//! Once all data is in sorted files, which are synced together with the list that names them,
//! replaying the logs changes nothing. The checkpoint truncates them and does not remove them,
//! because fjall takes its sequence number from the sorted files only if a log exists. A crash
//! before or after any of the truncations is harmless for the same reason.

use super::journal;
use super::log_note::LogKeeper;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};

/// Truncates the logs when it is dropped, if the store was flushed, and notes that it was closed.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    engine_path: PathBuf,
    complete: Mutex<Option<(LogKeeper, u64)>>,
}

impl Checkpoint {
    pub(crate) fn new(engine_path: PathBuf) -> Self {
        Self { engine_path, complete: Mutex::new(None) }
    }

    /// Returns the folder of the logs.
    pub(crate) fn path(&self) -> &Path {
        &self.engine_path
    }

    /// Notes that nothing is only in the logs and nothing will be written after `last_group`.
    pub(crate) fn complete(&self, keeper: LogKeeper, last_group: u64) {
        *self.complete.lock() = Some((keeper, last_group));
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        let Some((mut keeper, last_group)) = self.complete.get_mut().take() else { return };
        // A log that stays is replayed at the next open, without effect; the note then stays, too.
        if journal::truncate_all(&self.engine_path).is_ok() {
            drop(keeper.close(last_group));
        }
    }
}
