//! The stations that every request for items passes, in this order: reads (`engine/reading.rs`) as writes
//! (`engine/writing.rs`).

/// A station of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Station {
    /// The request is announced, and a gate may refuse it.
    Gate,
    /// The limiter of a profile admits or throttles it.
    Admission,
    /// The state that it sees is chosen.
    View,
    /// It reads, or decides and commits its writes.
    Run,
    /// Usage and heat are told what it used.
    Event,
}

/// Marks that the request passes a station. Costs nothing outside of tests.
#[cfg(not(test))]
#[inline]
pub(crate) fn pass(_station: Station) {}

#[cfg(test)]
pub(crate) use trace::{pass, passed};

#[cfg(test)]
mod trace {
    use super::Station;
    use std::cell::RefCell;

    thread_local! {
        static PASSED: RefCell<Vec<Station>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) fn pass(station: Station) {
        PASSED.with_borrow_mut(|passed| passed.push(station));
    }

    /// Returns the stations that were passed on this thread since it was asked before, each in a row once.
    pub(crate) fn passed() -> Vec<Station> {
        let mut passed = PASSED.take();
        passed.dedup();
        passed
    }
}
