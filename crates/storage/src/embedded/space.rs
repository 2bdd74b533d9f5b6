//! Watches the free disk space and refuses writes before the disk is really full.
//!
//! A write that fails for lack of space poisons the store until it is opened again, and so does a
//! merge of files. So the first commit after each group asks for the free space, because other
//! processes may have filled the disk in between. While it is below the reserve and the needs of
//! the next merge, the store refuses commits that write; those that free more space than they take
//! go on until the disk is nearly full. All work again as soon as there is space, and `relief.rs`
//! makes some.
//!
//! A merge claims the space that it will write, and meanwhile groups may only use what is free
//! beside it.

use super::ordered_map::MapData;
use crate::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Free bytes below which the disk counts as full: one group may need them.
const NEARLY_FULL_BYTES: u64 = 16 << 20;

/// Bytes that a merge of files leaves free: the log grows a little ahead of the writes.
const SPARE_BYTES: u64 = 8 << 20;

/// Most bytes that one merge of files writes before it removes its input.
const MAX_MERGE_BYTES: u64 = 384 << 20;

/// Disk space that belongs to a merge until this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Claim<'s>(&'s Space);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.allowed_bytes.store(u64::MAX, Ordering::Relaxed);
    }
}

/// Watches the free space of one folder's file system.
#[derive(Debug)]
pub(crate) struct Space {
    path: PathBuf,
    reserve_bytes: u64,
    merge_bytes: AtomicU64,
    /// Bytes that will have to be sorted into files.
    unsorted_bytes: AtomicU64,
    /// Bytes of logs, which are freed once the logs are full and sorted.
    log_bytes: AtomicU64,
    /// Bytes that groups may take while a merge runs; without a merge, no limit.
    allowed_bytes: AtomicU64,
    is_low: AtomicBool,
    /// A group was written since the last look at the free space.
    is_outdated: AtomicBool,
}

impl Space {
    pub(crate) fn new(path: &Path, reserve_bytes: u64) -> Self {
        let space = Self {
            path: path.to_path_buf(),
            reserve_bytes,
            merge_bytes: AtomicU64::new(0),
            unsorted_bytes: AtomicU64::new(0),
            log_bytes: AtomicU64::new(0),
            allowed_bytes: AtomicU64::new(u64::MAX),
            is_low: AtomicBool::new(false),
            is_outdated: AtomicBool::new(false),
        };
        space.check();
        space
    }

    /// Notes the size of the data.
    pub(crate) fn note_data(&self, data: &MapData) {
        let MapData { sorted_bytes, unsorted_bytes, log_bytes, .. } = *data;
        let merge_bytes = (sorted_bytes + unsorted_bytes).min(MAX_MERGE_BYTES);
        self.merge_bytes.store(merge_bytes, Ordering::Relaxed);
        self.unsorted_bytes.store(unsorted_bytes, Ordering::Relaxed);
        self.log_bytes.store(log_bytes, Ordering::Relaxed);
    }

    /// Notes that a group was written, so that the next commit looks at the free space again.
    pub(crate) fn note_group(&self) {
        self.is_outdated.store(true, Ordering::Relaxed);
    }

    /// Looks at the free space.
    pub(crate) fn check(&self) {
        self.is_low.store(self.missing_bytes() > 0, Ordering::Relaxed);
    }

    /// Returns whether space was low at the last look.
    pub(crate) fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Returns the bytes that are missing for commits that write.
    pub(crate) fn missing_bytes(&self) -> u64 {
        // The reserve is first of all for logs: the part of it that they have taken comes back, and
        // must not count twice.
        let log_bytes = self.log_bytes.load(Ordering::Relaxed);
        let taken = log_bytes.min(self.reserve_bytes.saturating_sub(NEARLY_FULL_BYTES));
        // Data that is only in logs and memory will take a sorted file before any merge.
        let unsorted_bytes = self.unsorted_bytes.load(Ordering::Relaxed);
        let merge_bytes = self.merge_bytes.load(Ordering::Relaxed) + unsorted_bytes;
        let wanted = (self.reserve_bytes - taken).saturating_add(merge_bytes);
        self.free_bytes().map_or(0, |free| wanted.saturating_sub(free))
    }

    /// Fails while space is low; for a commit that `frees` space, while there is next to none.
    /// Costs one system call for each group, and more only while space is low.
    pub(crate) fn check_room(&self, frees: impl FnOnce() -> bool) -> Result<(), Error> {
        let is_outdated = self.is_outdated.load(Ordering::Relaxed)
            && self.is_outdated.swap(false, Ordering::Relaxed);
        if !is_outdated && !self.is_low.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.check();
        let is_low = self.is_low.load(Ordering::Relaxed);
        let unsorted_bytes = self.unsorted_bytes.load(Ordering::Relaxed);
        if is_low && !(frees() && self.has_room_for(unsorted_bytes)) {
            return Err(Error::Full);
        }
        Ok(())
    }

    /// Returns whether so many bytes can be written without filling the disk.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        self.free_bytes().is_none_or(|free| free >= bytes.saturating_add(NEARLY_FULL_BYTES))
    }

    /// Returns whether a group without writes can be written.
    pub(crate) fn has_any_room(&self) -> bool {
        self.free_bytes().is_none_or(|free| free >= SPARE_BYTES / 8)
    }

    /// Returns whether the unsorted data can be written to a file.
    pub(crate) fn has_room_to_sort(&self) -> bool {
        self.left_beside(0).is_some()
    }

    /// Returns the bytes free beside so many and the unsorted ones; `None` if these are not free.
    fn left_beside(&self, bytes: u64) -> Option<u64> {
        let unsorted_bytes = self.unsorted_bytes.load(Ordering::Relaxed);
        let taken = bytes.saturating_add(unsorted_bytes).saturating_add(SPARE_BYTES);
        self.free_bytes().unwrap_or(u64::MAX).checked_sub(taken)
    }

    /// Claims so many bytes for a merge, if they are free beside the unsorted ones. The caller
    /// holds the lock of merges, so that there is one claim at a time.
    pub(crate) fn claim(&self, bytes: u64) -> Option<Claim<'_>> {
        let allowed = self.left_beside(bytes)?;
        self.allowed_bytes.store(allowed, Ordering::Relaxed);
        Some(Claim(self))
    }

    /// Returns whether a group that takes so many bytes leaves a running merge its claim, and if so
    /// takes them: for the log, and later for a sorted file.
    #[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
    pub(crate) fn take_beside_merge(&self, bytes: u64) -> bool {
        let take = |allowed: u64| match allowed {
            u64::MAX => Some(u64::MAX),
            allowed => allowed.checked_sub(bytes.saturating_mul(2)),
        };
        self.allowed_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Returns [`Error::Full`] for a failure whose cause may be a full disk: workers report no
    /// cause.
    pub(crate) fn explain(&self, error: Error) -> Error {
        match error {
            Error::Io { .. } if self.free_bytes().is_some_and(|free| free < NEARLY_FULL_BYTES) => {
                Error::Full
            }
            other => other,
        }
    }

    /// Returns the bytes that this process may still write; `None` if the system does not tell.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
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

    #[test]
    fn what_logs_have_taken_of_the_reserve_does_not_count_twice() {
        let mut space = Space::new(&std::env::temp_dir(), 0);
        let free = space.free_bytes().unwrap();
        // Other processes may use the test's disk meanwhile.
        space.reserve_bytes = free + (5 << 28);
        let missing = |log_bytes| {
            space.note_data(&MapData { log_bytes, ..MapData::default() });
            space.missing_bytes() >> 29
        };
        assert_eq!([0, 1 << 29, u64::MAX].map(missing), [2, 1, 0]);
    }

    #[test]
    fn groups_leave_to_a_merge_what_it_has_claimed() {
        let space = Space::new(&std::env::temp_dir(), 0);
        assert!(space.claim(u64::MAX).is_none());
        assert!(space.take_beside_merge(u64::MAX), "no merge runs");
        let claim = space.claim(0).unwrap();
        space.allowed_bytes.store(10, Ordering::Relaxed);
        assert!(space.take_beside_merge(3), "for the log and for a sorted file");
        assert!(!space.take_beside_merge(3));
        assert!(space.has_room_to_sort());
        assert!(!space.take_beside_merge(3), "who only looks takes no claim away");
        assert!(space.take_beside_merge(2));
        drop(claim);
        assert!(space.take_beside_merge(3));
    }
}
