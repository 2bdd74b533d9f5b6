//! Whether other processes commit to the same database, about as often as this one.
//!
//! Each transaction of a lane sets the lane's row to a higher token (`outcome.rs`). So the sum of all tokens grows by
//! the transactions of all processes, and what this one's own lanes have not added others have. A lane asks for the
//! sum some times in a second, as long as it commits much.
//!
//! Leaves the statement to `statements.rs`, and what follows from it to `gathering.rs`.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// So long after a look there is none,
const PAUSE: Duration = Duration::from_millis(50);

/// nor for so many times as long as it took: while somebody holds a snapshot it passes by all versions of lanes' rows.
const PAUSE_PER_LOOK: u32 = 50;

/// Nor is there one before lanes have raised their tokens by this: who commits less has little to gain.
const LEAST_RAISED: i64 = 16;

/// What is known of others.
#[derive(Debug)]
pub(super) struct Others {
    is_asked: bool,
    /// By what own lanes have raised their tokens.
    raised: AtomicI64,
    last: Mutex<Look>,
}

/// What one look saw.
#[derive(Debug)]
struct Look {
    at: Instant,
    pause: Duration,
    raised: i64,
    /// Of all tokens: `None` = nobody has asked.
    sum: Option<i64>,
}

impl Others {
    /// Knows of no others, nor asks for any unless it matters.
    pub(super) fn new(is_asked: bool) -> Self {
        let last = Mutex::new(Look { at: Instant::now(), pause: PAUSE, raised: 0, sum: None });
        Self { is_asked, raised: AtomicI64::new(0), last }
    }

    /// Notes that an own lane's row has a token that is so much higher.
    pub(super) fn raised(&self, by: i64) {
        self.raised.fetch_add(by, Ordering::Relaxed);
    }

    /// Returns whether it is time to ask for the sum of all tokens. Whoever is told so asks.
    pub(super) fn is_time(&self, now: Instant) -> bool {
        if !self.is_asked {
            return false;
        }
        let mut last = self.last.lock();
        let raised = self.raised.load(Ordering::Relaxed) - last.raised;
        let is_time = raised >= LEAST_RAISED && now >= last.at + last.pause;
        if is_time {
            last.at = now;
        }
        is_time
    }

    /// Notes how long the last look took.
    pub(super) fn took(&self, time: Duration) {
        self.last.lock().pause = PAUSE.max(time * PAUSE_PER_LOOK);
    }

    /// Notes the sum of all tokens, and returns whether since the last one others have begun at least half as many
    /// transactions as this process.
    pub(super) fn are_at_work(&self, sum: i64) -> bool {
        let mut last = self.last.lock();
        let raised = self.raised.load(Ordering::Relaxed);
        let own = raised - last.raised;
        let all = last.sum.map_or(own, |last| sum - last);
        (last.raised, last.sum) = (raised, Some(sum));
        all - own >= (own / 2).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_own_lanes_have_not_raised_others_have() {
        let others = Others::new(true);
        others.raised(100);
        assert!(!others.are_at_work(5_000), "nothing is known of before");
        others.raised(100);
        assert!(!others.are_at_work(5_100));
        others.raised(100);
        assert!(!others.are_at_work(5_249));
        others.raised(100);
        assert!(others.are_at_work(5_399));
        others.raised(100);
        assert!(!others.are_at_work(1_000), "rows were removed");
        assert!(!others.are_at_work(1_000), "nobody has done anything");
    }

    #[test]
    fn it_is_asked_for_seldom_and_only_by_those_who_commit() {
        let others = Others::new(true);
        let begin = others.last.lock().at;
        others.raised(LEAST_RAISED);
        assert!(!others.is_time(begin));
        assert!(others.is_time(begin + PAUSE));
        assert!(!others.is_time(begin + PAUSE), "somebody asks already");
        others.are_at_work(1);
        assert!(!others.is_time(begin + 3 * PAUSE), "there is nothing new");
        others.raised(LEAST_RAISED);
        assert!(others.is_time(begin + 3 * PAUSE));
        others.took(Duration::from_secs(1));
        let later = begin + 4 * PAUSE;
        others.raised(LEAST_RAISED);
        assert!(!others.is_time(later), "it takes long");
        assert!(others.is_time(later + Duration::from_secs(1) * PAUSE_PER_LOOK));
        let others = Others::new(false);
        others.raised(LEAST_RAISED);
        assert!(!others.is_time(begin + 3 * PAUSE));
    }
}
