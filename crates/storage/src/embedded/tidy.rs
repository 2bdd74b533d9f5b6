//! Frees space: while the store is idle, merges away the entries that were overwritten or deleted.
//!
//! The map merges when files have gathered, so the latest overwritten or deleted entries stay on
//! disk until enough is written again. This thread starts when much was written, waits until
//! nothing is, and then merges all sorted files, if they are few: of large stores only a small part
//! can be waste, because their levels are merged one by one. A range that is garbage throughout is
//! dropped at once, file by file ([`super::EmbeddedStore`]'s `reclaim`); this thread merges the
//! rest of it at the edges.
//!
//! A file is removed only when no view needs it and the map looks at its views; so the thread
//! writes a group without content after each step, and asks the map to release files.
//!
//! While the disk is low the thread does not wait for idleness (`relief.rs`).

use super::Shared;
use super::lazy_thread::LazyThread;
use super::ordered_map::{MapData, OrderedMap};
use super::relief::Relief;
use super::step_back::step_back;
use crate::{Batch, Error, block_on, clock};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time without a group after which a store is idle. A load with pauses of a second or two is not:
/// a merge in each pause costs it a fifth of its processor time and leaves no block in the cache.
const IDLE: Duration = Duration::from_secs(5);

/// Fewest written bytes that may leave waste worth a merge.
const MIN_WRITTEN_BYTES: u64 = 8 << 20;

/// Largest store that is merged whole: that takes about a second for each 128 MiB, and a closing
/// store waits for it.
pub(crate) const MAX_BYTES_WHEN_IDLE: u64 = 1280 << 20;
const MAX_BYTES_AT_CLOSE: u64 = 256 << 20;

/// Least bytes that an entry counts for, and most.
const ENTRY_BYTES: [u64; 2] = [64, 512 << 10];

/// Written bytes that make a merge due, as a part of the size of the data.
const WRITTEN_PART: u64 = 4;

/// Counts writes and wakes the thread.
#[derive(Debug)]
pub(crate) struct Tidy {
    is_ended: Mutex<bool>,
    changed: Condvar,
    /// The disk was found low since the thread last looked.
    is_low: AtomicBool,
    written_bytes: AtomicU64,
    due_bytes: AtomicU64,
    entry_bytes: AtomicU64,
    thread: LazyThread,
}

impl Tidy {
    pub(crate) fn new() -> Self {
        Self {
            is_ended: Mutex::new(false),
            changed: Condvar::new(),
            is_low: AtomicBool::new(false),
            written_bytes: AtomicU64::new(0),
            due_bytes: AtomicU64::new(MIN_WRITTEN_BYTES),
            entry_bytes: AtomicU64::new(ENTRY_BYTES[0]),
            thread: LazyThread::new("tidy"),
        }
    }

    /// Notes the mean bytes of an entry: each change of a key may leave so many behind, those of
    /// its former value.
    pub(crate) fn note_entry_bytes(&self, bytes: u64) {
        let [min, max] = ENTRY_BYTES;
        self.entry_bytes.store(bytes.clamp(min, max), Ordering::Relaxed);
    }

    /// Notes a group; returns whether enough was written for the thread to [`look`](Self::look).
    pub(crate) fn note_written(&self, keys: u64, bytes: u64) -> bool {
        let bytes = bytes + keys * self.entry_bytes.load(Ordering::Relaxed);
        let before = self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
        let due = self.due_bytes.load(Ordering::Relaxed);
        before < due && before + bytes >= due
    }

    /// Notes that the disk of the store, which `shared` belongs to, is low. Costs next to nothing
    /// once the thread knows.
    pub(crate) fn note_low(&self, shared: &Arc<Shared>) {
        if !self.is_low.load(Ordering::Relaxed) && !self.is_low.swap(true, Ordering::Relaxed) {
            self.look(shared);
        }
    }

    /// Starts or wakes the thread, because the store that `shared` belongs to has work for it.
    pub(crate) fn look(&self, shared: &Arc<Shared>) {
        // A waiting thread has looked at the number under this lock.
        drop(self.is_ended.lock());
        self.changed.notify_one();
        let shared = Arc::clone(shared);
        // Without the thread, space is freed only when the store is closed.
        let _later = self.thread.start(move || run(&shared));
    }

    fn is_due(&self) -> bool {
        self.written_bytes.load(Ordering::Relaxed) >= self.due_bytes.load(Ordering::Relaxed)
    }

    /// Ends the thread, after a running merge.
    pub(crate) fn end(&self) {
        *self.is_ended.lock() = true;
        self.changed.notify_one();
        self.thread.end();
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.is_ended.lock()
    }

    /// Waits until much was written or the disk is low; returns `false` at the end.
    fn wait(&self) -> bool {
        let mut is_ended = self.is_ended.lock();
        while !*is_ended && !self.is_due() && !self.is_low.load(Ordering::Relaxed) {
            self.changed.wait(&mut is_ended);
        }
        !*is_ended
    }

    /// Waits for some time, or until `is_over`, at which the thread is woken; returns `false` at
    /// the end.
    pub(crate) fn wait_for(&self, time: Duration, is_over: impl Fn() -> bool) -> bool {
        let end = clock::now() + time;
        let mut is_ended = self.is_ended.lock();
        while !*is_ended && !is_over() && !self.changed.wait_until(&mut is_ended, end).timed_out() {
        }
        !*is_ended
    }

    /// Returns whether merging all of `table_bytes` is worthwhile, and then begins to count anew.
    /// If not, call it again when enough was written; if only room is missing, again when the store
    /// has been idle for [`IDLE`], because a full disk takes no more writes that would make the
    /// merge due.
    fn take_worth(
        &self,
        table_bytes: u64,
        max_bytes: u64,
        has_room: impl FnOnce() -> bool,
    ) -> bool {
        let due = (table_bytes / WRITTEN_PART).max(MIN_WRITTEN_BYTES);
        self.due_bytes.store(due, Ordering::Relaxed);
        if !self.is_due() {
            return false;
        }
        if table_bytes <= max_bytes && !has_room() {
            return false;
        }
        self.written_bytes.store(0, Ordering::Relaxed);
        self.due_bytes.store(MIN_WRITTEN_BYTES, Ordering::Relaxed);
        table_bytes <= max_bytes
    }
}

/// Merges when it is worthwhile, until [`Tidy::end`].
fn run(shared: &Shared) {
    step_back();
    let mut relief = Relief::default();
    let is_low = || shared.tidy.is_low.load(Ordering::Relaxed);
    while shared.tidy.wait() {
        if shared.tidy.is_low.swap(false, Ordering::Relaxed) {
            let pause = relief.make_room(shared);
            if !shared.tidy.wait_for(pause, || false) {
                return;
            }
            continue;
        }
        let groups = shared.counts.groups.load(Ordering::Relaxed);
        if !shared.tidy.wait_for(IDLE, is_low) {
            return;
        }
        let is_idle = !is_low()
            && groups == shared.counts.groups.load(Ordering::Relaxed)
            && !shared.map.data().is_sorting;
        // A failure leaves the files as they are; if they are damaged, readers report it.
        if is_idle && merge(shared, MAX_BYTES_WHEN_IDLE).is_err() {
            shared.tidy.written_bytes.store(0, Ordering::Relaxed);
        }
    }
}

/// Merges when the store is closed and nothing else uses it any more.
pub(crate) fn merge_at_close(shared: &Shared) {
    let bytes = shared.map.data().sorted_bytes;
    let has_room = || shared.space.has_room_for(bytes);
    if shared.tidy.take_worth(bytes, MAX_BYTES_AT_CLOSE, has_room) {
        // A failure leaves the files as they are.
        drop(shared.map.merge_all(bytes));
    }
}

fn merge(shared: &Shared, max_bytes: u64) -> Result<(), Error> {
    let MapData { sorted_bytes, unsorted_bytes, .. } = shared.map.data();
    let bytes = sorted_bytes + unsorted_bytes;
    let has_room = || shared.space.has_room_for(bytes);
    if !shared.tidy.take_worth(bytes, max_bytes, has_room) {
        return Ok(());
    }
    shared.map.sort_all()?;
    shared.map.merge_all(bytes)?;
    let_go(shared)?;
    shared.note_data();
    Ok(())
}

/// Lets the map remove files that only views of earlier groups need.
pub(crate) fn let_go(shared: &Shared) -> Result<(), Error> {
    let ticket = shared.sequencer.push(&[], Batch::new())?;
    block_on(shared.sequencer.published(ticket))?;
    shared.map.let_go()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_is_worth_it_when_a_part_of_what_is_there_was_written() {
        let tidy = Tidy::new();
        assert!(!tidy.note_written(0, MIN_WRITTEN_BYTES - 1));
        assert!(!tidy.is_due());
        assert!(tidy.note_written(0, 1));
        assert!(tidy.is_due());
        assert!(!tidy.take_worth(100 * MIN_WRITTEN_BYTES, u64::MAX, || true));
        assert!(!tidy.is_due(), "until so much more was written");
        tidy.note_entry_bytes(1 << 10);
        assert!(tidy.note_written((24 * MIN_WRITTEN_BYTES) >> 10, 0));
        assert!(tidy.is_due());
        assert!(tidy.take_worth(100 * MIN_WRITTEN_BYTES, u64::MAX, || true));
        assert!(!tidy.is_due());
        assert!(tidy.note_written(0, 100 << 20));
        assert!(!tidy.take_worth(100 << 20, 99 << 20, || true), "too much to merge");
        assert!(!tidy.is_due());
    }

    #[test]
    fn a_merge_for_which_there_is_no_room_stays_due() {
        let tidy = Tidy::new();
        assert!(tidy.note_written(0, MIN_WRITTEN_BYTES));
        assert!(!tidy.take_worth(MIN_WRITTEN_BYTES, u64::MAX, || false));
        assert!(tidy.is_due(), "nothing more needs to be written");
        assert!(tidy.take_worth(MIN_WRITTEN_BYTES, u64::MAX, || true));
        assert!(!tidy.is_due());
        assert!(tidy.note_written(0, MIN_WRITTEN_BYTES));
        assert!(!tidy.take_worth(2, 1, || false));
        assert!(!tidy.is_due(), "room does not help where there is too much to merge");
    }
}
