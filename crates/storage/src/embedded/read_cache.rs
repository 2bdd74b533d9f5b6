//! Cache of reads: ranges and single values, under one budget of bytes.
//!
//! Both kinds follow the same rule as a view; each says in its own text why it is right. The owner
//! tells the cache the changes of a group of writes once, when the group is durable and before it
//! is published.

use super::cache_budget::{CacheBudget, Excess};
use super::point_cache::PointCache;
use super::range_cache::{RangeCache, Visitor};
use crate::{CacheLooks, Direction, Error, KeyRange};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cached ranges and values of a store.
pub(super) struct ReadCache {
    budget: Arc<CacheBudget>,
    ranges: RangeCache,
    points: PointCache,
    /// Reads of values that were not cached.
    misses: AtomicU64,
}

impl ReadCache {
    /// Returns an empty cache for at most `capacity_bytes`; `group` is the newest one published.
    pub(super) fn new(capacity_bytes: usize, group: u64) -> Self {
        let budget = Arc::new(CacheBudget::new(capacity_bytes));
        let ranges = RangeCache::new(Arc::clone(&budget), group);
        let points = PointCache::new(Arc::clone(&budget));
        Self { budget, ranges, points, misses: AtomicU64::new(0) }
    }

    /// Returns the value of `key` after `group` if it is cached; `Some(None)` means that there is
    /// none.
    #[expect(clippy::option_option, reason = "not kept, and kept as absent, are two answers")]
    pub(super) fn get_kept(&self, group: u64, key: &[u8]) -> Option<Option<Bytes>> {
        self.points.get(group, key)
    }

    /// Returns whether the value of `key` after `group` is cached.
    pub(super) fn keeps(&self, group: u64, key: &[u8]) -> bool {
        self.points.keeps(group, key)
    }

    /// Returns the value of `key` after `group`, from `read` if it is not cached.
    pub(super) fn get(
        &self,
        group: u64,
        key: &[u8],
        read: impl FnOnce() -> Result<Option<Bytes>, Error>,
    ) -> Result<Option<Bytes>, Error> {
        if let Some(kept) = self.get_kept(group, key) {
            return Ok(kept);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let value = read()?;
        self.keep(group, key, value.as_ref());
        Ok(value)
    }

    /// Returns the newest value of `key`, from `read` if it is not cached. Only for a writer that
    /// holds the key's lock and has found no unpublished value of it; `group` was published after
    /// that look.
    pub(super) fn get_newest(
        &self,
        group: u64,
        key: &[u8],
        read: impl FnOnce() -> Result<Option<Bytes>, Error>,
    ) -> Result<Option<Bytes>, Error> {
        if let Some(kept) = self.points.get_newest(key) {
            return Ok(kept);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let value = read()?;
        // A writer mostly checks that a key is absent, which is not worth the room.
        if value.is_some() {
            self.keep(group, key, value.as_ref());
        }
        Ok(value)
    }

    /// Calls the visitor with the entries of `range` after `group`; `read` visits those that are
    /// not cached.
    pub(super) fn visit(
        &self,
        group: u64,
        range: &KeyRange,
        direction: Direction,
        visitor: &mut Visitor<'_>,
        read: impl Fn(&KeyRange, &mut Visitor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let outcome = self.ranges.visit(group, range, direction, visitor, read);
        self.make_room();
        outcome
    }

    /// Returns whether a visit would begin with cached entries.
    pub(super) fn begins_in_page(
        &self,
        group: u64,
        range: &KeyRange,
        direction: Direction,
    ) -> bool {
        self.ranges.begins_in_page(group, range, direction)
    }

    /// Takes in what `group` writes. To be called when it is durable and before it is published.
    pub(super) fn tell(&self, group: u64, changes: &[(Bytes, Option<Bytes>)]) {
        self.ranges.forget(group, changes.iter().map(|(key, _)| &key[..]));
        let changes = changes.iter().map(|(key, value)| (&key[..], value.as_ref()));
        self.points.replace(group, changes);
        self.make_room();
    }

    /// Drops the cached ranges of garbage. Call it after [`Self::tell`] of the group that reports
    /// the garbage. Single values may stay cached, because no reader asks for them.
    pub(super) fn forget_range(&self, range: &KeyRange) {
        self.ranges.forget_range(range);
    }

    /// Returns the bytes of all cached ranges and values.
    pub(super) fn size_bytes(&self) -> usize {
        self.budget.size_bytes()
    }

    /// Returns the numbers of looks for single values, found and missed.
    pub(super) fn value_looks(&self) -> CacheLooks {
        CacheLooks { hits: self.points.hits(), misses: self.misses.load(Ordering::Relaxed) }
    }

    /// Returns the numbers of looks for ranges, found and missed.
    pub(super) fn range_looks(&self) -> CacheLooks {
        self.ranges.looks()
    }

    /// Sets the most bytes that the cache may take, and drops the excess.
    pub(super) fn set_capacity(&self, capacity_bytes: usize) {
        self.budget.set_capacity(capacity_bytes);
        // Each kind first gives up the part beyond its half, then the other one gives way.
        while self.budget.excess() != Excess::None {
            self.make_room();
        }
    }

    fn keep(&self, group: u64, key: &[u8], value: Option<&Bytes>) {
        self.points.keep(group, key, value);
        self.make_room();
    }

    fn make_room(&self) {
        match self.budget.excess() {
            Excess::None => {}
            Excess::Ranges(bytes) => self.ranges.shrink(bytes),
            Excess::Points(bytes) => self.points.shrink(bytes),
        }
        if let Some(bytes) = self.budget.take_points_to_pass() {
            self.points.pass_over(bytes);
        }
        if let Some(bytes) = self.budget.take_ranges_to_pass() {
            self.ranges.pass_over(bytes);
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;
    use crate::sync::atomic::Ordering;
    use std::ops::ControlFlow;

    const CAPACITY_BYTES: usize = 4 << 20;
    const ENTRIES: usize = 3300;

    fn key(nth: usize) -> Vec<u8> {
        format!("{nth:06}").into_bytes()
    }

    fn get(cache: &ReadCache, nth: usize) {
        let value = Bytes::from(vec![b'v'; 1000]);
        cache.get(1, &key(nth), || Ok(Some(value))).expect("reading does not fail");
    }

    /// Visits a hundred entries.
    fn visit(cache: &ReadCache, first: usize) {
        let range = KeyRange { start: key(first), end: Some(key(first + 100)) };
        let read = |range: &KeyRange, visitor: &mut Visitor<'_>| {
            let value = Bytes::from(vec![b'v'; 1000]);
            for nth in first..first + 100 {
                let key = key(nth);
                if key >= range.start && range.end.as_ref().is_none_or(|end| key < *end) {
                    let _goes_on = visitor(&key, value.clone());
                }
            }
            Ok(())
        };
        let visitor = &mut |_: &[u8], _| ControlFlow::Continue(());
        cache.visit(1, &range, Direction::Forward, visitor, read).expect("reading does not fail");
    }

    /// Visits or reads all entries in turn, from `first` to the end, `rounds` times.
    fn in_rounds(rounds: usize, step: usize, mut act: impl FnMut(usize)) {
        for _ in 0..rounds {
            (0..ENTRIES).step_by(step).for_each(&mut act);
        }
    }

    fn sizes(cache: &ReadCache) -> [usize; 2] {
        let budget = &cache.budget;
        [&budget.range_bytes, &budget.point_bytes].map(|bytes| bytes.load(Ordering::Relaxed))
    }

    #[test]
    fn the_kind_that_nobody_reads_any_more_gives_way() {
        let cache = ReadCache::new(CAPACITY_BYTES, 1);
        in_rounds(20, 1, |nth| get(&cache, nth));
        assert!(sizes(&cache)[1] > CAPACITY_BYTES * 3 / 4, "{:?}", sizes(&cache));
        in_rounds(100, 100, |nth| visit(&cache, nth));
        let [ranges, points] = sizes(&cache);
        assert!(ranges > CAPACITY_BYTES * 3 / 4, "ranges take {ranges}, values {points}");
        in_rounds(100, 1, |nth| get(&cache, nth));
        let [ranges, points] = sizes(&cache);
        assert!(points > CAPACITY_BYTES * 3 / 4, "ranges take {ranges}, values {points}");
        assert!(cache.size_bytes() <= CAPACITY_BYTES);
    }

    #[test]
    fn values_that_are_read_again_and_again_stay_beside_many_visits() {
        let cache = ReadCache::new(CAPACITY_BYTES, 1);
        (0..500).for_each(|nth| get(&cache, nth));
        // Three times as much as there is room for, so that ranges are dropped all the time.
        let mut misses = 0;
        for first in (0..30).flat_map(|_| (0..4 * ENTRIES).step_by(100)) {
            visit(&cache, first);
            misses += (0..500).filter(|nth| cache.get_kept(1, &key(*nth)).is_none()).count();
        }
        assert_eq!(misses, 0);
    }
}
