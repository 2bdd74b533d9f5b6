//! Free disk space: refuses writes before the disk is really full.
//!
//! A write that fails for lack of space poisons the store until it is opened again. So the free
//! space is asked for after every few MiB written, and while it is below the reserve commits that
//! write are refused instead; they work again as soon as there is space.

use crate::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Less than this is as good as nothing: one group may need it.
const NEARLY_FULL_BYTES: u64 = 16 << 20;

/// Watches the free space of one folder's file system.
#[derive(Debug)]
pub(crate) struct Space {
    path: PathBuf,
    reserve_bytes: u64,
    is_low: AtomicBool,
}

impl Space {
    pub(crate) fn new(path: &Path, reserve_bytes: u64) -> Self {
        let space =
            Self { path: path.to_path_buf(), reserve_bytes, is_low: AtomicBool::new(false) };
        space.check();
        space
    }

    /// Looks at the free space again.
    pub(crate) fn check(&self) {
        let is_low = self.free_bytes().is_some_and(|free| free < self.reserve_bytes);
        self.is_low.store(is_low, Ordering::Relaxed);
    }

    /// Fails while space is low. Costs nothing while it is not.
    pub(crate) fn check_room(&self) -> Result<(), Error> {
        if self.is_low.load(Ordering::Relaxed) {
            self.check();
            if self.is_low.load(Ordering::Relaxed) {
                return Err(Error::Full);
            }
        }
        Ok(())
    }

    /// Returns [`Error::Full`] for a failure that hides a full disk: workers report no cause.
    pub(crate) fn explain(&self, error: Error) -> Error {
        match error {
            Error::Io { .. } if self.free_bytes().is_some_and(|free| free < NEARLY_FULL_BYTES) => {
                Error::Full
            }
            other => other,
        }
    }

    /// Returns the bytes this process may still write; `None` when the system does not tell.
    fn free_bytes(&self) -> Option<u64> {
        let status = rustix::fs::statvfs(&self.path).ok()?;
        Some(status.f_bavail.saturating_mul(status.f_frsize))
    }
}
