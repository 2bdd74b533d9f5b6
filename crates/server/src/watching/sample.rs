//! Which lines are kept on a busy server: errors and the slowest, of the others one in N.
//!
//! N follows the second before, so that about [`ORDINARY_A_SECOND`] ordinary lines are kept. A request is slow if it
//! takes longer than the [`SLOWEST`] slowest of the second before, or than all before it in its own second.

use std::time::Duration;

/// Most lines that are kept in a second.
pub const LINES_A_SECOND: u64 = 200;
/// Most of them that neither failed nor are slow.
const ORDINARY_A_SECOND: u64 = 100;
/// Most of them that are kept for being slow, but for those slower than all before them.
const SLOW_A_SECOND: u64 = 40;
/// Requests of a second that count as its slowest.
const SLOWEST: usize = 8;

/// The decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Keep it.
    Keep {
        /// True if only because it is slow.
        is_slow: bool,
    },
    /// Leave it out: it is none of the one in N.
    LeaveOut,
    /// Lose it: the second has as many lines as it may.
    Lose,
}

/// The state of a sample.
#[derive(Debug)]
pub struct Sample {
    /// One in so many is kept at most, as the client asked.
    asked: u64,
    one_in: u64,
    second: u64,
    ordinary: u64,
    kept_ordinary: u64,
    kept_slow: u64,
    kept: u64,
    /// The slowest of this second, in falling order.
    slowest: Vec<Duration>,
    /// Time from which a request is slow.
    slow_from: Duration,
}

impl Sample {
    /// Returns the beginning of a sample that keeps one ordinary request in so many at most.
    pub fn new(one_in: u64) -> Self {
        let asked = one_in.max(1);
        Self {
            asked,
            one_in: asked,
            second: 0,
            ordinary: 0,
            kept_ordinary: 0,
            kept_slow: 0,
            kept: 0,
            slowest: Vec::with_capacity(SLOWEST + 1),
            slow_from: Duration::MAX,
        }
    }

    /// Returns N of the present second.
    pub fn one_in(&self) -> u64 {
        self.one_in
    }

    /// Decides about a request of a second.
    pub fn decide(&mut self, second: u64, is_failed: bool, taken: Duration) -> Decision {
        if second != self.second {
            self.begin(second);
        }
        let is_slowest = self.slowest.first().is_none_or(|most| taken > *most);
        let is_slow = is_slowest || taken > self.slow_from && self.kept_slow < SLOW_A_SECOND;
        self.note(taken);
        let has_room = self.kept < LINES_A_SECOND;
        if is_failed {
            return self.keep_if(has_room, false);
        }
        let nth = self.ordinary;
        self.ordinary += 1;
        if nth.checked_rem(self.one_in) == Some(0) && self.kept_ordinary < ORDINARY_A_SECOND {
            self.kept_ordinary += 1;
            return self.keep_if(has_room, false);
        }
        if !is_slow {
            return Decision::LeaveOut;
        }
        self.kept_slow += 1;
        self.keep_if(has_room, true)
    }

    fn keep_if(&mut self, has_room: bool, is_slow: bool) -> Decision {
        self.kept += u64::from(has_room);
        if has_room { Decision::Keep { is_slow } } else { Decision::Lose }
    }

    fn begin(&mut self, second: u64) {
        let is_next = second == self.second + 1;
        let before = if is_next { self.ordinary } else { 0 };
        self.one_in = before.div_ceil(ORDINARY_A_SECOND).max(self.asked);
        let last = self.slowest.get(SLOWEST - 1).copied().filter(|_| is_next);
        self.slow_from = last.unwrap_or(Duration::MAX);
        self.slowest.clear();
        (self.second, self.ordinary) = (second, 0);
        (self.kept_ordinary, self.kept_slow, self.kept) = (0, 0, 0);
    }

    fn note(&mut self, taken: Duration) {
        let place = self.slowest.partition_point(|known| *known >= taken);
        if place < SLOWEST {
            self.slowest.insert(place, taken);
            self.slowest.truncate(SLOWEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_micros(100);

    fn second(sample: &mut Sample, nth: u64, of: &[(bool, Duration)]) -> [u64; 4] {
        let mut counts = [0; 4];
        for (is_failed, taken) in of {
            let place = match sample.decide(nth, *is_failed, *taken) {
                Decision::Keep { is_slow: false } => 0,
                Decision::Keep { is_slow: true } => 1,
                Decision::LeaveOut => 2,
                Decision::Lose => 3,
            };
            counts[place] += 1;
        }
        counts
    }

    #[test]
    fn a_quiet_server_keeps_all() {
        let mut sample = Sample::new(1);
        for nth in 1..5 {
            assert_eq!(second(&mut sample, nth, &[(false, USUAL); 90]), [90, 0, 0, 0]);
        }
    }

    #[test]
    fn a_busy_server_keeps_errors_the_slowest_and_one_in_n() {
        let mut sample = Sample::new(1);
        let mut requests = vec![(false, USUAL); 5000];
        requests[4000] = (true, USUAL);
        requests[4500] = (false, USUAL * 100);
        assert_eq!(second(&mut sample, 1, &requests), [101, 1, 4898, 0]);
        let of_next = second(&mut sample, 2, &requests);
        assert_eq!(sample.one_in(), 50);
        assert_eq!(of_next, [101, 1, 4898, 0]);
    }

    #[test]
    fn a_flood_of_errors_is_bounded_and_told() {
        let mut sample = Sample::new(1);
        assert_eq!(second(&mut sample, 1, &vec![(true, USUAL); 1000]), [200, 0, 0, 800]);
    }

    #[test]
    fn a_client_may_ask_for_fewer() {
        let mut sample = Sample::new(10);
        let [kept, slow, left_out, lost] = second(&mut sample, 1, &[(false, USUAL); 50]);
        assert_eq!((kept, slow, left_out, lost), (5, 0, 45, 0));
    }
}
