//! Pauses before the next try: a pause that doubles, of which chance chooses a part, so that
//! callers who were turned away together do not come back together.

use super::{Refused, Unanswered};
use std::time::Duration;

const FIRST_PAUSE_MS: u64 = 25;
const PAUSE_MAX_MS: u64 = 10_000;
/// Tries without success after which the client gives up: after a minute and a half, on average.
const TRIES_MAX: u32 = 24;
/// The same for a server that does not answer: after three quarters of a minute, on average, if it refuses
/// connections at once.
const UNANSWERED_MAX: u32 = 18;

/// Waits between tries.
#[derive(Debug, Default)]
pub struct Backoff {
    tries: u32,
    unanswered: u32,
}

/// Failure of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The database could not do it now.
    Throttled,
    /// There was no answer.
    Unanswered,
}

impl Failure {
    /// Returns a call's failure, if it may succeed later.
    pub fn of(error: &anyhow::Error) -> Option<Self> {
        if error.is::<Unanswered>() {
            return Some(Self::Unanswered);
        }
        let refused = error.downcast_ref::<Refused>()?;
        refused.is_transient().then_some(Self::Throttled)
    }
}

impl Backoff {
    /// Notes that something was done: patience begins again.
    pub fn advanced(&mut self) {
        *self = Self::default();
    }

    /// Returns the pause after a failure; `None` if it is time to give up.
    pub fn pause(&mut self, failure: Failure, random: u64) -> Option<Duration> {
        self.tries += 1;
        if failure == Failure::Unanswered {
            self.unanswered += 1;
        }
        if self.tries >= TRIES_MAX || self.unanswered >= UNANSWERED_MAX {
            return None;
        }
        let longest = FIRST_PAUSE_MS.checked_shl(self.tries - 1).unwrap_or(u64::MAX);
        Some(Duration::from_millis(random % (longest.min(PAUSE_MAX_MS) + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_end() {
        let mut backoff = Backoff::default();
        let longest = |backoff: &mut Backoff| {
            let mut pauses = Vec::new();
            // The greatest remainder of each bound.
            while let Some(pause) = {
                let bound = (FIRST_PAUSE_MS << backoff.tries.min(20)).min(PAUSE_MAX_MS);
                backoff.pause(Failure::Throttled, bound)
            } {
                pauses.push(pause.as_millis());
            }
            pauses
        };
        let pauses = longest(&mut backoff);
        assert_eq!(pauses[..3], [25, 50, 100]);
        assert_eq!(pauses.last(), Some(&10_000));
        assert_eq!(pauses.len(), 23);
        backoff.advanced();
        assert_eq!(longest(&mut backoff).len(), 23, "patience begins again");
        let mut backoff = Backoff::default();
        let tries = std::iter::from_fn(|| backoff.pause(Failure::Unanswered, 0)).count();
        assert_eq!(tries, 17, "a server that is gone is given up sooner");
    }
}
