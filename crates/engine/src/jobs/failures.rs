//! The failures of sweeps and jobs, which are tried again and again: a fault that repeats, as while
//! the disk is full, is logged once, until another fault follows or the work succeeds.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Work that fails, with the fault that was logged.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<BTreeMap<Subject, String>>);

/// A kind of work, and its place; empty for work on the whole store.
type Subject = (&'static str, String);

impl Failures {
    /// Logs the outcome of some work at a place: a fault unless it was the same last time, and the
    /// first success after one.
    pub(crate) fn note<E: Display>(&self, work: &'static str, place: &str, ended: Result<(), E>) {
        match ended {
            Ok(()) if self.settle(work, place) => {
                tracing::info!(place, "{work}: works again");
            }
            Ok(()) => {}
            Err(error) => {
                if self.is_news(work, place, &error.to_string()) {
                    tracing::error!(%error, place, "{work}: failed, and is tried again");
                }
            }
        }
    }

    fn is_news(&self, work: &'static str, place: &str, error: &str) -> bool {
        let known = self.lock().insert((work, place.to_owned()), error.to_owned());
        known.is_none_or(|known| known != error)
    }

    /// Returns whether there was a fault, and forgets it.
    fn settle(&self, work: &'static str, place: &str) -> bool {
        let mut known = self.lock();
        !known.is_empty() && known.remove(&(work, place.to_owned())).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Subject, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_news_once_until_it_changes_or_is_over() {
        let failures = Failures::default();
        assert!(failures.is_news("expiry", "a", "disk full"));
        assert!(!failures.is_news("expiry", "a", "disk full"));
        assert!(failures.is_news("expiry", "b", "disk full"));
        assert!(failures.is_news("trim", "a", "disk full"));
        assert!(failures.is_news("expiry", "a", "closed"));
        assert!(failures.is_news("expiry", "a", "disk full"));
        assert!(failures.settle("expiry", "a"));
        assert!(!failures.settle("expiry", "a"));
        assert!(failures.is_news("expiry", "a", "disk full"));
        assert!(!failures.is_news("expiry", "b", "disk full"));
    }
}
