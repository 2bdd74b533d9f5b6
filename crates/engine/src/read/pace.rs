//! Work of a read until it gives way to others.
//!
//! Work is counted, not timed, so that the same requests pause at the same places: the engine has no clock. One unit
//! is about the cost of copying a byte into an answer, a nanosecond or so. Reason for giving way:
//! `docs/adr/0002-lanes-for-long-calls.md`.

use hashrange_expr::Filter;
use hashrange_storage::{Demand, give_way};

/// Work of a request before its first pause: a Query of 100 items of 1 KiB stays below it.
const FIRST_WORK: usize = 160_000;
/// Work between two pauses from then on: a millisecond or two.
const SLICE_WORK: usize = 1_500_000;
/// Work of an item beside its bytes.
const ITEM_WORK: usize = 200;
/// Work of a test of a filter.
const STEP_WORK: usize = 30;
/// Bytes that a test reads through for one unit.
const SCANNED_BYTES: usize = 4;

/// Work left until the next pause.
#[derive(Debug)]
pub(crate) struct Pace {
    left: usize,
    /// Whether one step may take more than a whole slice.
    is_fresh: bool,
}

impl Pace {
    /// Returns the pace of a new request.
    pub(crate) fn new() -> Self {
        Self { left: FIRST_WORK, is_fresh: false }
    }

    /// Takes `work` off the rest; returns false if a pause has to come first. The first step after a pause is always
    /// admitted, however large.
    pub(crate) fn admits(&mut self, work: usize) -> bool {
        if work <= self.left {
            self.left -= work;
            self.is_fresh = false;
            return true;
        }
        if std::mem::take(&mut self.is_fresh) {
            self.left = 0;
            return true;
        }
        false
    }

    /// Gives way to others.
    pub(crate) async fn pause(&mut self) {
        give_way(Demand::Long).await;
        *self = Self { left: SLICE_WORK, is_fresh: true };
    }

    /// Takes `work` off the rest, after a pause if needed.
    pub(crate) async fn spend(&mut self, work: usize) {
        if !self.admits(work) {
            self.pause().await;
            self.admits(work);
        }
    }
}

/// Returns the work of tests that read all of an item.
pub(crate) fn scan_work(scans: usize, bytes: usize) -> usize {
    scans.saturating_mul(bytes) / SCANNED_BYTES
}

/// Returns the work of reading an item, filtering it and copying it out.
pub(crate) fn item_work(bytes: usize, filter: Option<&Filter>) -> usize {
    let filtering =
        filter.map_or(0, |filter| filter.steps() * STEP_WORK + scan_work(filter.scans(), bytes));
    ITEM_WORK + bytes + filtering
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_storage::{block_on, take_demand};

    #[test]
    fn a_page_of_a_hundred_small_items_needs_no_pause() {
        let mut pace = Pace::new();
        assert!((0..100).all(|_| pace.admits(item_work(1100, None))));
    }

    #[test]
    fn what_is_too_much_for_a_slice_is_done_after_a_pause() {
        let mut pace = Pace::new();
        let huge = 10 * SLICE_WORK;
        assert!(!pace.admits(huge));
        block_on(pace.pause());
        assert!(pace.admits(huge));
        assert!(!pace.admits(1));
        block_on(pace.spend(huge));
        assert!(!pace.admits(huge));
        assert_eq!(take_demand(), Some(Demand::Long));
    }
}
