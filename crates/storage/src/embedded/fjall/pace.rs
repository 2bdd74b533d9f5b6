//! Slows writes down before they would have to stop.
//!
//! Sorting and merging cannot be hurried. If more comes in than they can take away, the backlog
//! grows until writes must wait for the end of a merge, for seconds. So the committer waits a
//! little for each group while much is unsorted or unmerged, in proportion to the bytes of the
//! group: the fuller the room, the longer. Writes then get exactly the throughput of sorting and
//! merging, without halts.

use crate::clock;
use std::time::{Duration, Instant};

/// Bytes a second that are admitted when waiting begins, and when nothing more fits.
const FASTEST_BYTES_S: f64 = 96.0 * MIB;
const SLOWEST_BYTES_S: f64 = 6.0 * MIB;
const MIB: f64 = 1_048_576.0;

/// Longest wait of a group, so that even a large one does not halt writes.
const WAIT_MAX: Duration = Duration::from_millis(60);

/// Fullness of the room for unsorted or unmerged data, from 0 to 1, at which waiting begins.
const FREE_SHARE: f64 = 0.5;

/// Time at which the next group may begin without a wait.
#[derive(Debug)]
pub(crate) struct Pace {
    due: Instant,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { due: clock::now() }
    }

    /// Waits until a group of so many bytes may go on; `fullness` is 1 when nothing more fits.
    pub(crate) fn wait(&mut self, fullness: f64, group_bytes: usize) {
        let now = clock::now();
        let wait = self.wait_at(now, fullness, group_bytes);
        if !wait.is_zero() {
            clock::pause(wait);
        }
    }

    /// Returns the wait of a group that comes at `now`. Time that has passed since the earlier
    /// groups were due counts.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the bytes of a group are in memory: below 2^53"
    )]
    fn wait_at(&mut self, now: Instant, fullness: f64, group_bytes: usize) -> Duration {
        let wait = self.due.saturating_duration_since(now).min(WAIT_MAX);
        let begins = now + wait;
        self.due = match bytes_per_second(fullness) {
            Some(rate) => begins + Duration::from_secs_f64(group_bytes as f64 / rate),
            None => begins,
        };
        wait
    }
}

/// Returns the admitted bytes per second at this fullness; `None` if there is no need to wait.
fn bytes_per_second(fullness: f64) -> Option<f64> {
    let free = ((1.0 - fullness) / (1.0 - FREE_SHARE)).clamp(0.0, 1.0);
    (free < 1.0).then_some(SLOWEST_BYTES_S + (FASTEST_BYTES_S - SLOWEST_BYTES_S) * free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_waits_while_there_is_room() {
        let (mut pace, now) = (Pace::new(), clock::now());
        for _ in 0..100 {
            assert_eq!(pace.wait_at(now, FREE_SHARE, 8 << 20), Duration::ZERO);
        }
    }

    #[test]
    fn the_fuller_the_slower_and_no_group_waits_for_long() {
        let waits = |fullness| {
            let (mut pace, mut now) = (Pace::new(), clock::now());
            let waits = (0..100).map(|_| {
                let wait = pace.wait_at(now, fullness, 100_000);
                now += wait;
                wait
            });
            let waits: Vec<Duration> = waits.collect();
            assert!(waits.iter().all(|wait| *wait <= WAIT_MAX));
            waits.iter().sum::<Duration>()
        };
        let [half, most, full] = [0.75, 0.9, 1.0].map(waits);
        assert!(Duration::ZERO < half && half < most && most < full, "{half:?} {most:?} {full:?}");
        assert!(full < Duration::from_secs(2), "{full:?}");
    }

    #[test]
    fn time_between_groups_counts() {
        let (mut pace, now) = (Pace::new(), clock::now());
        pace.wait_at(now, 1.0, 100_000);
        assert_eq!(pace.wait_at(now + Duration::from_millis(50), 1.0, 100_000), Duration::ZERO);
    }
}
