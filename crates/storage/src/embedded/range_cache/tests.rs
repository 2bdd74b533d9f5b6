//! Visits through the cache against a map, with a count of the entries that came from the map.

use super::super::cache_budget::CacheBudget;
use super::RangeCache;
use crate::{Direction, Key, KeyRange};
use bytes::Bytes;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

const AMPLE_BYTES: usize = 64 << 20;

/// A cache above a map, and the states of the map by group.
struct Fixture {
    cache: RangeCache,
    budget: Arc<CacheBudget>,
    states: Vec<BTreeMap<Key, Bytes>>,
    /// Entries that visits took from the map, not from pages.
    read: Cell<usize>,
}

impl Fixture {
    /// Returns a map with `entries` keys `0000`, `0001`, ... with values of `value_bytes`.
    fn new(capacity_bytes: usize, entries: usize, value_bytes: usize) -> Self {
        let value = |nth: usize| Bytes::from(vec![nth.to_le_bytes()[0]; value_bytes]);
        let map = (0..entries).map(|nth| (key(nth), value(nth))).collect();
        let budget = Arc::new(CacheBudget::new(capacity_bytes));
        let cache = RangeCache::new(Arc::clone(&budget), 0);
        Self { cache, budget, states: vec![map], read: Cell::new(0) }
    }

    fn group(&self) -> usize {
        self.states.len() - 1
    }

    /// Writes one key as a group of its own.
    #[expect(clippy::needless_pass_by_value, reason = "callers make the key in place")]
    fn write(&mut self, key: Key, value: Option<&str>) {
        let mut map = self.states[self.group()].clone();
        match value {
            Some(value) => map.insert(key.clone(), Bytes::copy_from_slice(value.as_bytes())),
            None => map.remove(&key),
        };
        self.states.push(map);
        self.cache.forget(self.group() as u64, [key.as_slice()].into_iter());
    }

    /// Visits as a reader of `group`, compares with the map and returns how many entries came from
    /// it.
    fn visit(&self, group: usize, range: &KeyRange, direction: Direction, limit: usize) -> usize {
        let map = &self.states[group];
        let mut expected: Vec<_> = map.range::<[u8], _>(range.bounds()).collect();
        let mut seen = Vec::new();
        self.read.set(0);
        let mut visitor = |key: &[u8], value: Bytes| {
            seen.push((key.to_vec(), value));
            if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome =
            self.cache.visit(group as u64, range, direction, &mut visitor, |rest, visit| {
                let entries = map.range::<[u8], _>(rest.bounds());
                let mut show = |(key, value): (&Key, &Bytes)| {
                    self.read.set(self.read.get() + 1);
                    visit(key, value.clone())
                };
                let _flow = match direction {
                    Direction::Forward => entries.into_iter().try_for_each(&mut show),
                    Direction::Backward => entries.rev().try_for_each(&mut show),
                };
                Ok(())
            });
        assert!(outcome.is_ok());
        if direction == Direction::Backward {
            expected.reverse();
        }
        expected.truncate(limit);
        assert!(
            seen.iter().map(|(key, value)| (key, value)).eq(expected),
            "{range:?} {direction:?}"
        );
        self.read.get()
    }

    fn visit_all(&self, range: &KeyRange) -> usize {
        self.visit(self.group(), range, Direction::Forward, usize::MAX)
    }
}

fn key(nth: usize) -> Key {
    format!("{nth:04}").into_bytes()
}

fn range(from: usize, to: usize) -> KeyRange {
    KeyRange { start: key(from), end: Some(key(to)) }
}

#[test]
fn what_was_visited_is_not_read_again() {
    use Direction::{Backward, Forward};
    for first in [Forward, Backward] {
        let fixture = Fixture::new(AMPLE_BYTES, 300, 1000);
        assert_eq!(fixture.visit(0, &range(10, 200), first, usize::MAX), 190);
        for again in [Forward, Backward] {
            assert_eq!(fixture.visit(0, &range(10, 200), again, usize::MAX), 0);
            assert_eq!(fixture.visit(0, &range(50, 180), again, usize::MAX), 0);
            assert_eq!(fixture.visit(0, &range(50, 180), again, 7), 0);
        }
        assert_eq!(fixture.visit(0, &range(5, 210), Forward, usize::MAX), 15);
        assert_eq!(fixture.visit(0, &range(5, 210), Backward, usize::MAX), 0);
    }
}

#[test]
fn a_visit_that_stops_early_leaves_the_rest_to_be_read() {
    let fixture = Fixture::new(AMPLE_BYTES, 100, 10);
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Forward, 5), 5);
    assert_eq!(fixture.visit(0, &range(0, 5), Direction::Forward, 9), 0);
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Forward, 9), 4);
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Backward, 5), 5);
    assert_eq!(fixture.visit(0, &range(95, 100), Direction::Backward, 9), 0);
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Backward, 9), 4);
    assert_eq!(fixture.visit_all(&range(0, 100)), 100 - 9, "small pages are read over");
    assert_eq!(fixture.visit_all(&range(0, 100)), 0);
}

#[test]
fn that_there_is_nothing_is_kept_too() {
    let mut fixture = Fixture::new(AMPLE_BYTES, 10, 10);
    fixture.visit_all(&range(20, 30));
    fixture.write(key(25), Some("new"));
    assert_eq!(fixture.visit_all(&range(20, 30)), 1);
    assert_eq!(fixture.visit_all(&range(20, 30)), 0);
    fixture.write(key(25), None);
    assert_eq!(fixture.visit_all(&range(20, 30)), 0);
}

#[test]
fn a_write_drops_its_page_only() {
    let mut fixture = Fixture::new(AMPLE_BYTES, 300, 1000);
    fixture.visit_all(&range(0, 300));
    fixture.write(key(150), Some("changed"));
    let read_again = fixture.visit_all(&range(0, 300));
    assert!((1..100).contains(&read_again), "{read_again}");
    fixture.write(b"0150+".to_vec(), Some("new"));
    assert!(fixture.visit_all(&range(0, 300)) < 100);
    fixture.write(key(299), None);
    assert!(fixture.visit_all(&range(0, 300)) < 100);
    assert_eq!(fixture.visit_all(&range(0, 300)), 0);
}

#[test]
fn readers_of_earlier_groups_see_their_state_and_leave_no_pages() {
    let mut fixture = Fixture::new(AMPLE_BYTES, 100, 1000);
    fixture.write(key(50), Some("1"));
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Forward, usize::MAX), 100);
    assert_eq!(fixture.visit_all(&range(0, 100)), 100, "what an old reader saw is not kept");
    assert_eq!(fixture.visit_all(&range(0, 100)), 0);
    assert_eq!(fixture.visit(0, &range(0, 100), Direction::Backward, usize::MAX), 100);
    fixture.write(key(0), Some("2"));
    assert!(fixture.visit(1, &range(0, 100), Direction::Forward, usize::MAX) < 100);
}

#[test]
fn pages_stay_within_their_bytes_and_used_ones_stay_longest() {
    let fixture = Fixture::new(1 << 20, 5000, 1000);
    for round in 0..50 {
        for from in (100..5000).step_by(100) {
            fixture.visit_all(&range(from, from + 100));
            assert!(fixture.budget.size_bytes() <= 1 << 20);
            let read = fixture.visit_all(&range(0, 100));
            assert!(read == 0 || round == 0 && from == 100, "{round} {from}");
        }
    }
    assert!(fixture.budget.size_bytes() > 1 << 19);
}

#[test]
fn large_values_and_long_visits_are_not_kept() {
    let fixture = Fixture::new(AMPLE_BYTES, 100, 20_000);
    assert_eq!(fixture.visit_all(&range(0, 100)), 100);
    assert_eq!(fixture.visit_all(&range(0, 100)), 100);
    let fixture = Fixture::new(AMPLE_BYTES, 5000, 1000);
    fixture.visit_all(&range(0, 5000));
    let kept_bytes = fixture.budget.size_bytes();
    assert!((1 << 20..3 << 20).contains(&kept_bytes), "{kept_bytes}");
}

#[test]
fn a_cache_without_room_only_reads() {
    let fixture = Fixture::new(0, 100, 10);
    for _ in 0..20 {
        assert_eq!(fixture.visit_all(&range(0, 100)), 100);
    }
    assert_eq!(fixture.budget.size_bytes(), 0);
}

#[test]
fn ranges_without_end_are_read() {
    let fixture = Fixture::new(AMPLE_BYTES, 100, 10);
    assert_eq!(fixture.visit_all(&KeyRange { start: key(40), end: None }), 60);
    assert_eq!(fixture.visit_all(&KeyRange { start: key(40), end: None }), 60);
}
