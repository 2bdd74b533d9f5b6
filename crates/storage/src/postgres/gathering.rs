//! When what waits for a connection is taken, so that much goes together.
//!
//! A round trip costs the database much, and one thing more in it little. So what waits is taken at once only
//! while nothing is at work, or when as much waits as is at work; else it gathers, until a connection is done or
//! for a moment. One or two who wait for each answer never wait for others so. Four and eight wait less than if
//! each were taken by itself (docs/performance.md).
//!
//! Leaves to its callers what waits, and that somebody looks again when the moment is over.

use std::time::Duration;
use tokio::time::Instant;

/// How much of one kind is at work, and since when too little waits.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    at_work: usize,
    since: Option<Instant>,
}

impl Gathering {
    /// Returns whether so much is enough, of which at most `max` go together.
    pub(super) fn is_enough(&self, waiting: usize, max: usize) -> bool {
        waiting >= self.at_work.min(max)
    }

    /// Returns until when what waits is to gather, `None` when it is to be taken.
    pub(super) fn until(
        &mut self,
        waiting: usize,
        max: usize,
        longest: Duration,
        now: Instant,
    ) -> Option<Instant> {
        if self.is_enough(waiting, max) {
            return None;
        }
        let until = *self.since.get_or_insert(now) + longest;
        (now < until).then_some(until)
    }

    /// Notes that so much was taken.
    pub(super) fn take(&mut self, count: usize) {
        self.since = None;
        self.at_work += count;
    }

    /// Notes that so much is done.
    pub(super) fn end(&mut self, count: usize) {
        assert!(count <= self.at_work, "what is done was taken");
        self.at_work -= count;
    }

    /// Notes that nothing waits any more.
    pub(super) fn forget(&mut self) {
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(3);

    #[test]
    fn as_much_gathers_as_is_at_work_but_not_for_long() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut gathering = Gathering::default();
        assert_eq!(gathering.until(1, 8, LONGEST, at(0)), None, "nothing is at work");
        gathering.take(1);
        assert_eq!(gathering.until(1, 8, LONGEST, at(0)), None);
        gathering.take(4);
        assert_eq!(gathering.until(4, 8, LONGEST, at(0)), Some(at(3)));
        assert_eq!(gathering.until(4, 8, LONGEST, at(1)), Some(at(3)), "since the first");
        assert_eq!(gathering.until(5, 8, LONGEST, at(1)), None);
        assert_eq!(gathering.until(1, 8, LONGEST, at(3)), None, "long enough");
        gathering.take(1);
        assert_eq!(gathering.until(1, 8, LONGEST, at(4)), Some(at(7)), "anew");
        gathering.end(5);
        assert_eq!(gathering.until(1, 8, LONGEST, at(4)), None);
        gathering.take(100);
        assert_eq!(gathering.until(8, 8, LONGEST, at(5)), None, "more do not go together");
    }
}
