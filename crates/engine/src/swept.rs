//! Progress of sweeping a range that is used like a queue, so that a sweep does not walk over
//! entries that were removed long ago: these stay in a store's files until the files are merged.
//!
//! Places are numbers in the order of the range: seconds, milliseconds. The mark is in memory only:
//! after a restart the first sweep walks the whole range. No sweep misses an entry below the mark,
//! for these reasons:
//! - a commit that puts an entry reports its place while it decides ([`Swept::put`]), before the
//!   entry becomes visible; a sweep takes the lowest place reported, then waits for all decisions
//!   under way, and begins at that place if it is below the mark. Places reported later count for
//!   the next sweep.
//! - the mark follows the swept places, never those that are only due ([`Sweep::is_at`],
//!   [`Sweep::is_done`]).
//! - a clock that was set back makes the next sweep a whole one, since entries that were left as
//!   too old may be due again.

use hashrange_storage::{Error, Store};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const NONE: u64 = u64::MAX;

/// Progress of sweeping a range.
#[derive(Debug)]
pub(crate) struct Swept {
    /// Lowest place of an entry that was put since the last sweep began.
    lowest_put: AtomicU64,
    mark: Mutex<Mark>,
}

#[derive(Debug, Default)]
struct Mark {
    /// Place below which there are no entries but those that `lowest_put` reports.
    to: u64,
    /// End of the last sweep's range.
    last_end: u64,
}

/// A sweep under way, of the places from `start` up to before `end`.
#[derive(Debug)]
pub(crate) struct Sweep<'s> {
    swept: &'s Swept,
    pub(crate) start: u64,
    end: u64,
}

impl Default for Swept {
    fn default() -> Self {
        Self { lowest_put: AtomicU64::new(NONE), mark: Mutex::default() }
    }
}

impl Swept {
    /// Reports that an entry is put at a place. The caller calls it while the commit is decided.
    pub(crate) fn put(&self, place: u64) {
        // Mostly an entry follows others, and the value that all writers share is only read.
        if place < self.lowest_put.load(Ordering::Acquire) {
            self.lowest_put.fetch_min(place, Ordering::AcqRel);
        }
    }

    /// Begins a sweep of the places before `end`. One sweep at a time.
    pub(crate) async fn begin<S: Store>(&self, store: &S, end: u64) -> Result<Sweep<'_>, Error> {
        let lowest_put = self.lowest_put.swap(NONE, Ordering::AcqRel);
        let start = {
            let mut mark = self.mark();
            let is_set_back = end < mark.last_end;
            mark.last_end = end;
            // This server gets no reports of entries that other servers put.
            mark.to = if is_set_back || store.is_shared() { 0 } else { mark.to.min(lowest_put) };
            mark.to
        };
        if lowest_put != NONE {
            // When this returns, the commits that reported a place are decided, and their entries
            // are visible. If it fails, the next sweep waits for them.
            store.sync().await.inspect_err(|_| self.put(lowest_put))?;
        }
        Ok(Sweep { swept: self, start, end })
    }

    fn mark(&self) -> MutexGuard<'_, Mark> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sweep<'_> {
    /// Records that everything before a place is swept.
    pub(crate) fn is_at(&self, place: u64) {
        let mut mark = self.swept.mark();
        mark.to = mark.to.max(place.min(self.end));
    }

    /// Records that everything before the end is swept.
    pub(crate) fn is_done(&self) {
        self.is_at(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_storage::{MemoryStore, block_on};

    fn begin(swept: &Swept, end: u64) -> Sweep<'_> {
        block_on(swept.begin(&MemoryStore::new(), end)).unwrap()
    }

    #[test]
    fn a_sweep_begins_where_the_last_one_ended() {
        let swept = Swept::default();
        let first = begin(&swept, 100);
        assert_eq!(first.start, 0);
        first.is_at(40);
        assert_eq!(begin(&swept, 100).start, 40, "it was interrupted");
        begin(&swept, 100).is_done();
        assert_eq!(begin(&swept, 120).start, 100);
        assert_eq!(begin(&swept, 130).start, 100, "the one before did nothing");
    }

    #[test]
    fn what_is_put_below_the_mark_is_swept() {
        let swept = Swept::default();
        begin(&swept, 100).is_done();
        for place in [90, 70, 80, 500] {
            swept.put(place);
        }
        let sweep = begin(&swept, 110);
        assert_eq!(sweep.start, 70);
        swept.put(30);
        sweep.is_done();
        assert_eq!(begin(&swept, 120).start, 30, "it was put during the sweep");
    }

    #[test]
    fn after_a_clock_was_set_back_everything_is_swept() {
        let swept = Swept::default();
        begin(&swept, 1000).is_done();
        let sweep = begin(&swept, 100);
        assert_eq!(sweep.start, 0);
        sweep.is_done();
        assert_eq!(begin(&swept, 1000).start, 100);
    }

    #[test]
    fn a_store_that_fails_leaves_the_mark_low() {
        let store = MemoryStore::new();
        let swept = Swept::default();
        begin(&swept, 100).is_done();
        swept.put(50);
        block_on(store.close()).unwrap();
        let start = block_on(swept.begin(&store, 110)).map_or(50, |sweep| sweep.start);
        assert_eq!(start, 50);
        assert_eq!(begin(&swept, 110).start, 50);
    }
}
