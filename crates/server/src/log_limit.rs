//! Limits messages that every request of a broken server would log to one a minute, with their
//! count.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One message, and how often it may be logged.
#[derive(Debug)]
pub struct LogLimit {
    period: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    logged_at: Option<Instant>,
    left_out: u64,
}

impl LogLimit {
    /// Returns a limit of one line in each period.
    pub fn new(period: Duration) -> Self {
        Self { period, state: Mutex::default() }
    }

    /// Returns the number of messages left out since the last line if one is to be logged now, else
    /// `None`.
    pub fn admit(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = state.logged_at.is_none_or(|at| now.duration_since(at) >= self.period);
        if !is_due {
            state.left_out += 1;
            return None;
        }
        state.logged_at = Some(now);
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn one_in_a_period_is_logged_and_the_others_are_counted() {
        let limit = LogLimit::new(Duration::from_secs(60));
        let start = clock::now();
        let at = |seconds| limit.admit(start + Duration::from_secs(seconds));
        assert_eq!([0, 1, 59, 60, 61, 300].map(at), [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
