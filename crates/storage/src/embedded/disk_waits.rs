//! Detects whether reads presently wait for the disk.
//!
//! The ordered map does not tell a read from memory from one that waits, neither before nor after.
//! So some reads are timed: while many of them take as long as only a disk does, later reads are
//! expected to wait. While none does, which is always so if memory holds the data, a read costs one
//! look at a flag and one in sixteen two looks at the clock. See

use crate::{clock, sync};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// Shortest read that counts as having waited. A read from memory, including the system's, takes a
/// few microseconds.
const WAIT_MIN: Duration = Duration::from_micros(60);
/// One of so many reads is timed while none has waited.
const TIMED_ONE_OF: u8 = 16;
/// Share of waits that stands for all reads.
const ALL: u32 = 1 << 16;
/// The newest read makes up one of so many parts of the share.
const NEWEST: u32 = 16;
/// Share from which on waits are expected: two of the last sixteen.
const MANY: u32 = ALL / 10;
/// Share below which waits are no longer expected.
const FEW: u32 = ALL / 40;

thread_local! {
    static READS: Cell<u8> = const { Cell::new(0) };
}

/// Share of reads that wait; see the head of this file.
#[derive(Debug, Default)]
pub(super) struct DiskWaits {
    /// The share of timed reads that waited, the newest ones counting most.
    share: AtomicU32,
    expected: AtomicBool,
}

impl DiskWaits {
    /// Returns whether the next read of the ordered map is likely to wait.
    pub(super) fn are_expected(&self) -> bool {
        sync::toss().unwrap_or_else(|| self.expected.load(Ordering::Relaxed))
    }

    /// Runs a read, and times some of them to learn from it.
    pub(super) fn timed<T>(&self, read: impl FnOnce() -> T) -> T {
        let share = self.share.load(Ordering::Relaxed);
        let nth = READS.replace(READS.get().wrapping_add(1));
        if share == 0 && !nth.is_multiple_of(TIMED_ONE_OF) {
            return read();
        }
        let started = clock::now();
        let result = read();
        self.learn(share, started.elapsed() >= WAIT_MIN);
        result
    }

    /// Updates the share. If two threads do so at once, one result may be lost.
    fn learn(&self, share: u32, has_waited: bool) {
        let newest = if has_waited { ALL / NEWEST } else { 0 };
        let share = share - share.div_ceil(NEWEST) + newest;
        self.share.store(share, Ordering::Relaxed);
        if share >= MANY {
            self.expected.store(true, Ordering::Relaxed);
        } else if share < FEW {
            self.expected.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(waits: &DiskWaits, has_waited: bool) {
        waits.learn(waits.share.load(Ordering::Relaxed), has_waited);
    }

    #[test]
    fn one_slow_read_changes_nothing() {
        let waits = DiskWaits::default();
        learn(&waits, true);
        assert!(!waits.are_expected());
        (0..200).for_each(|_| learn(&waits, false));
        assert_eq!(waits.share.load(Ordering::Relaxed), 0, "reads are timed now and then again");
    }

    #[test]
    fn waits_are_expected_while_many_reads_wait() {
        let waits = DiskWaits::default();
        (0..3).for_each(|_| learn(&waits, true));
        assert!(waits.are_expected());
        (0..1000).for_each(|_| learn(&waits, true));
        assert!(waits.share.load(Ordering::Relaxed) <= ALL);
        assert!(waits.are_expected());
        (0..100).for_each(|_| learn(&waits, false));
        assert!(!waits.are_expected());
    }
}
