//! Free disk space: refuses writes before the disk is really full.
//!
//! A write that fails for lack of space poisons the store until it is opened again, and so does a
//! merge of files. So the free space is asked for before the first commit after each group, because
//! others may have filled the disk in between. While it is below the reserve and what the next merge
//! may need, commits that write are refused; those that give more space back than they take go on
//! until the disk is nearly full. All work again as soon as there is space.

use crate::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Less than this is as good as nothing: one group may need it.
const NEARLY_FULL_BYTES: u64 = 16 << 20;

/// The most that one merge of files writes before it removes what it has read.
const MAX_MERGE_BYTES: u64 = 384 << 20;

/// Returns what a merge of files may write when there is so much data.
pub(crate) fn merge_bytes(data_bytes: u64) -> u64 {
    data_bytes.min(MAX_MERGE_BYTES)
}

/// Watches the free space of one folder's file system.
#[derive(Debug)]
pub(crate) struct Space {
    path: PathBuf,
    reserve_bytes: u64,
    merge_bytes: AtomicU64,
    is_low: AtomicBool,
    /// A group was written since the free space was asked for.
    is_outdated: AtomicBool,
}

impl Space {
    pub(crate) fn new(path: &Path, reserve_bytes: u64) -> Self {
        let space = Self {
            path: path.to_path_buf(),
            reserve_bytes,
            merge_bytes: AtomicU64::new(0),
            is_low: AtomicBool::new(false),
            is_outdated: AtomicBool::new(false),
        };
        space.check();
        space
    }

    /// Takes note of how much there is to merge.
    pub(crate) fn note_data(&self, data_bytes: u64) {
        self.merge_bytes.store(merge_bytes(data_bytes), Ordering::Relaxed);
    }

    /// Takes note that a group was written: the next commit looks at the free space again.
    pub(crate) fn note_group(&self) {
        self.is_outdated.store(true, Ordering::Relaxed);
    }

    /// Looks at the free space again.
    pub(crate) fn check(&self) {
        let wanted = self.reserve_bytes.saturating_add(self.merge_bytes.load(Ordering::Relaxed));
        let is_low = self.free_bytes().is_some_and(|free| free < wanted);
        self.is_low.store(is_low, Ordering::Relaxed);
    }

    /// Fails while space is low; for a commit that `frees` space, while there is next to none. Costs
    /// one question to the system for each group, and more only while space is low.
    pub(crate) fn check_room(&self, frees: impl FnOnce() -> bool) -> Result<(), Error> {
        let is_outdated = self.is_outdated.load(Ordering::Relaxed)
            && self.is_outdated.swap(false, Ordering::Relaxed);
        if !is_outdated && !self.is_low.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.check();
        let is_low = self.is_low.load(Ordering::Relaxed);
        if is_low && !(frees() && self.has_room_for(0)) {
            return Err(Error::Full);
        }
        Ok(())
    }

    /// Returns whether so many bytes can be written without filling the disk.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        self.free_bytes().is_none_or(|free| free >= bytes.saturating_add(NEARLY_FULL_BYTES))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_others_fill_is_seen_by_the_first_commit_after_a_group() {
        let mut space = Space::new(&std::env::temp_dir(), 0);
        // As if everything but that had been taken.
        space.reserve_bytes = u64::MAX;
        assert!(space.check_room(|| false).is_ok(), "nobody looks again within a group");
        space.note_group();
        assert!(matches!(space.check_room(|| false), Err(Error::Full)));
        assert!(matches!(space.check_room(|| false), Err(Error::Full)));
        space.reserve_bytes = 0;
        assert!(space.check_room(|| false).is_ok(), "and works again as soon as there is space");
    }
}
