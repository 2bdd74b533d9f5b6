//! Jobs that have failed, and the times of their next attempts: after a pause that doubles with
//! every failure in a row, from a second to a minute. A sweep starts the attempts that are due by
//! the environment's clock, so a pause ends with the first sweep after it.

use super::Job;
use std::sync::{Mutex, MutexGuard, PoisonError};

const FIRST_PAUSE_MS: u64 = 1000;
const LONGEST_PAUSE_MS: u64 = 60 * 1000;

/// A job, and the pause after its failure, milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(super) job: Job,
    pause_ms: u64,
}

impl Attempt {
    /// Returns a job's first attempt.
    pub(crate) fn first(job: Job) -> Self {
        Self { job, pause_ms: FIRST_PAUSE_MS }
    }

    fn next(self) -> Self {
        Self { pause_ms: (self.pause_ms * 2).min(LONGEST_PAUSE_MS), ..self }
    }
}

/// Attempts that wait until they are due.
#[derive(Debug, Default)]
pub(crate) struct Retries(Mutex<Vec<Waiting>>);

#[derive(Debug)]
struct Waiting {
    due_ms: u64,
    attempt: Attempt,
}

impl Retries {
    /// Schedules the next attempt of a job that has failed.
    pub(crate) fn put_off(&self, failed: Attempt, now_ms: u64) {
        let due_ms = now_ms.saturating_add(failed.pause_ms);
        self.lock().push(Waiting { due_ms, attempt: failed.next() });
    }

    /// Removes and returns the attempts that are due, in the order in which they were scheduled.
    pub(super) fn take_due(&self, now_ms: u64) -> Vec<Attempt> {
        let due = |waiting: &mut Waiting| {
            // A clock that is set back does not make a job wait for longer than the longest pause.
            waiting.due_ms <= now_ms || waiting.due_ms - now_ms > LONGEST_PAUSE_MS
        };
        self.lock().extract_if(.., due).map(|waiting| waiting.attempt).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::TableId;

    fn first(table: u32) -> Attempt {
        Attempt::first(Job::ExpiryIndex { table: TableId(table) })
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let retries = Retries::default();
        let (mut attempt, mut now_ms) = (first(1), 5000);
        for pause_s in [1, 2, 4, 8, 16, 32, 60, 60] {
            retries.put_off(attempt, now_ms);
            now_ms += pause_s * 1000 - 1;
            assert_eq!(retries.take_due(now_ms), []);
            now_ms += 1;
            let due = retries.take_due(now_ms);
            assert_eq!(due.len(), 1);
            attempt = due[0].clone();
            assert_eq!(retries.take_due(now_ms), []);
        }
    }

    #[test]
    fn a_clock_that_is_set_back_delays_nothing() {
        let retries = Retries::default();
        retries.put_off(first(1), 10_000_000);
        retries.put_off(first(2), 1000);
        assert_eq!(retries.take_due(1500), [first(1).next()]);
        assert_eq!(retries.take_due(2000), [first(2).next()]);
    }
}
