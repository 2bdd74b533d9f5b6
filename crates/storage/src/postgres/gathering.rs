//! Decides when waiting work is taken, so that much of it goes together.
//!
//! A round trip costs the database much, and a further member in it little. So waiting work is
//! taken at once only while nothing is at work, or when as much waits as is at work; else it
//! gathers, until a connection is done or for a moment. Four or eight clients that wait for each
//! answer wait less than if each were served by itself, one or two no longer (docs/performance.md).
//!
//! Nor is anything taken while as many groups are at work as usually are at once, unless it fills a
//! group: beside a database on the same processors more groups would only be smaller ones. There
//! two may wait for each other, too. A group that is at work for long is held up, by a lock or a
//! lost connection, and no longer counts. Clients that come again and again thus split into two
//! halves that take turns: one gathers while the other is at work.
//!
//! Leaves to its callers the waiting work, and the look at it when the moment is over.

use std::time::Duration;
use tokio::time::Instant;

/// A group is held up once it is at work for so many times the longest gathering.
const HELD_UP: u32 = 5;

/// Limits by which work goes together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Most members of a group.
    pub(super) max: usize,
    /// Longest gathering while there is room for another group.
    pub(super) longest: Duration,
    /// Groups that are at work at once as long as none is held up.
    pub(super) groups: usize,
}

/// Work of one kind, and the time since which too little waits.
#[derive(Debug)]
pub(super) struct Gathering {
    manner: Manner,
    /// Groups in the order in which they were taken.
    at_work: Vec<Group>,
    since: Option<Instant>,
}

/// Members that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    count: usize,
    begun: Instant,
}

impl Gathering {
    pub(super) fn new(manner: Manner) -> Self {
        Self { manner, at_work: Vec::new(), since: None }
    }

    /// Returns the number of waiting members that go together.
    pub(super) fn share(&self, waiting: usize) -> usize {
        waiting.min(self.manner.max)
    }

    /// Returns whether so many are enough to be taken.
    pub(super) fn is_enough(&self, waiting: usize, now: Instant) -> bool {
        let at_work: usize = self.at_work.iter().map(|group| group.count).sum();
        let is_half = waiting >= at_work && self.until_room(now).is_none();
        waiting >= self.manner.max || is_half
    }

    /// Returns the end of the gathering, `None` if the waiting work is to be taken now.
    pub(super) fn until(&mut self, waiting: usize, now: Instant) -> Option<Instant> {
        let since = *self.since.get_or_insert(now);
        if self.is_enough(waiting, now) {
            return None;
        }
        let until = self.until_room(now).unwrap_or(now).max(since + self.manner.longest);
        (now < until).then_some(until)
    }

    /// Returns the time at which a group will be held up, so that there is room for another one:
    /// `None` if there is room.
    fn until_room(&self, now: Instant) -> Option<Instant> {
        let held_up = |group: &Group| group.begun + HELD_UP * self.manner.longest;
        let first = self.at_work.iter().position(|group| now < held_up(group))?;
        let going_on = self.at_work.len() - first;
        let last = first + going_on.checked_sub(self.manner.groups)?;
        self.at_work.get(last).map(held_up)
    }

    /// Notes that so much was taken.
    pub(super) fn take(&mut self, count: usize, now: Instant) -> Group {
        self.since = None;
        let group = Group { count, begun: now };
        self.at_work.push(group);
        group
    }

    /// Notes that a group is done.
    pub(super) fn end(&mut self, group: Group) {
        let nth = self.at_work.iter().position(|at_work| *at_work == group);
        self.at_work.remove(nth.expect("what is done was taken"));
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

    fn gathering(groups: usize) -> Gathering {
        Gathering::new(Manner { max: 8, longest: LONGEST, groups })
    }

    #[test]
    fn as_much_gathers_as_is_at_work_but_not_for_long() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut gathering = gathering(4);
        assert_eq!(gathering.until(1, at(0)), None, "nothing is at work");
        let one = gathering.take(1, at(0));
        assert_eq!(gathering.until(1, at(0)), None);
        let four = gathering.take(4, at(0));
        assert_eq!(gathering.until(4, at(0)), Some(at(3)));
        assert_eq!(gathering.until(4, at(1)), Some(at(3)), "since the first");
        assert_eq!(gathering.until(5, at(1)), None);
        assert_eq!(gathering.until(1, at(3)), None, "long enough");
        gathering.take(1, at(3));
        assert_eq!(gathering.until(1, at(4)), Some(at(7)), "anew");
        gathering.end(one);
        gathering.end(four);
        assert_eq!(gathering.until(1, at(4)), None);
        gathering.take(8, at(4));
        assert_eq!(gathering.until(8, at(5)), None, "more do not go together");
    }

    #[test]
    fn so_many_groups_are_at_work_but_for_those_that_are_held_up() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut gathering = gathering(2);
        gathering.take(1, at(0));
        let second = gathering.take(1, at(5));
        assert_eq!(gathering.until(7, at(6)), Some(at(15)), "until the first is held up");
        assert_eq!(gathering.until(8, at(6)), None, "it fills a group");
        assert_eq!(gathering.until(7, at(15)), None);
        gathering.take(7, at(15));
        assert_eq!(gathering.until(7, at(15)), Some(at(20)), "until the second is");
        gathering.end(second);
        assert_eq!(gathering.until(8, at(15)), None);
        assert_eq!(gathering.until(1, at(18)), None, "as long as ever if there is room");
        for nth in 0..2 {
            gathering.take(2, at(18 + nth));
        }
        gathering.forget();
        assert_eq!(gathering.until(1, at(19)), Some(at(33)), "until two of three are held up");
    }
}
