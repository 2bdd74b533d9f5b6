//! All pages of a cache: finds the one that holds a key, and drops those that are outdated or were
//! not used for long.

use super::super::cache_budget::{CacheBudget, Excess, Passed};
use super::page::RangePage;
use crate::planted::{Planted, is_planted};
use crate::sync::atomic::{AtomicUsize, Ordering};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// While the cache is full, one visit of so many is recorded: frequent visits get in all the same,
/// and rare ones cost little.
const RECORDED_WHEN_FULL: usize = 8;

/// Pages that do not overlap, by their first bound.
pub(super) struct Pages {
    by_start: BTreeMap<Bytes, Arc<RangePage>>,
    budget: Arc<CacheBudget>,
    /// The newest group known.
    group: u64,
    /// Position at which the search for a page to drop goes on.
    hand: Bound<Bytes>,
    visits_when_full: AtomicUsize,
}

impl Pages {
    pub(super) fn new(budget: Arc<CacheBudget>, group: u64) -> Self {
        Self {
            by_start: BTreeMap::new(),
            budget,
            group,
            hand: Bound::Unbounded,
            visits_when_full: AtomicUsize::new(0),
        }
    }

    /// Returns the page whose bounds include `key`.
    pub(super) fn holding_key(&self, key: &[u8]) -> Option<&Arc<RangePage>> {
        let bounds = (Bound::Unbounded, Bound::Included(key));
        let (_, page) = self.by_start.range::<[u8], _>(bounds).next_back()?;
        (*page.end() > *key).then_some(page)
    }

    /// Returns the page whose bounds include the place directly before `end`.
    pub(super) fn holding_end(&self, end: &[u8]) -> Option<&Arc<RangePage>> {
        self.last_before(end).filter(|page| *page.end() >= *end)
    }

    /// Returns the first page that begins after `key`.
    pub(super) fn first_after(&self, key: &[u8]) -> Option<&Arc<RangePage>> {
        let bounds = (Bound::Excluded(key), Bound::Unbounded);
        self.by_start.range::<[u8], _>(bounds).next().map(|(_, page)| page)
    }

    /// Returns the last page that begins before `end`.
    pub(super) fn last_before(&self, end: &[u8]) -> Option<&Arc<RangePage>> {
        let bounds = (Bound::Unbounded, Bound::Excluded(end));
        self.by_start.range::<[u8], _>(bounds).next_back().map(|(_, page)| page)
    }

    /// Returns whether the present visit is to be recorded.
    pub(super) fn has_room_for_visit(&self) -> bool {
        self.budget.has_room()
            || self.budget.capacity_bytes() > 0
                && self
                    .visits_when_full
                    .fetch_add(1, Ordering::Relaxed)
                    .is_multiple_of(RECORDED_WHEN_FULL)
    }

    /// Makes `group` the newest one known.
    pub(super) fn set_group(&mut self, group: u64) {
        self.group = group;
    }

    /// Returns the first bounds of the pages whose bounds include one of `keys`.
    pub(super) fn holding<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> Vec<Bytes> {
        if self.by_start.is_empty() {
            return Vec::new();
        }
        keys.filter_map(|key| self.holding_key(key).map(|page| page.start().clone())).collect()
    }

    /// Drops pages, given by their first bounds.
    pub(super) fn remove_all(&mut self, starts: &[Bytes]) {
        for start in starts {
            self.remove(start);
        }
    }

    /// Drops the pages that have a part of the range between two keys.
    pub(super) fn remove_range(&mut self, start: &[u8], end: Option<&[u8]>) {
        let upper = end.map_or(Bound::Unbounded, Bound::Excluded);
        let holding = self.holding_key(start).map(|page| page.start().clone());
        let begun: Vec<Bytes> = match end {
            Some(end) if end <= start => Vec::new(),
            _ => self
                .by_start
                .range::<[u8], _>((Bound::Included(start), upper))
                .map(|(start, _)| start.clone())
                .collect(),
        };
        holding.iter().chain(&begun).for_each(|start| self.remove(start));
    }

    /// Takes in pages that were read after `group`, unless a later group is known.
    pub(super) fn insert(&mut self, group: u64, pages: Vec<RangePage>) {
        if group != self.group && !is_planted(Planted::PageKeptLate) {
            return;
        }
        for page in pages {
            let size_bytes = page.size_bytes();
            if page.is_void() || size_bytes > self.budget.capacity_bytes() {
                continue;
            }
            self.remove_overlapping(&page);
            self.budget.range_bytes.fetch_add(size_bytes, Ordering::Relaxed);
            if let Excess::Ranges(excess_bytes) = self.budget.excess() {
                self.shrink(excess_bytes);
            }
            let before = self.last_before(page.end());
            assert!(
                before.is_none_or(|before| before.end() <= page.start()),
                "pages do not overlap"
            );
            self.by_start.insert(page.start().clone(), Arc::new(page));
        }
    }

    fn remove(&mut self, start: &[u8]) {
        if let Some(page) = self.by_start.remove(start) {
            let before = self.budget.range_bytes.fetch_sub(page.size_bytes(), Ordering::Relaxed);
            assert!(before >= page.size_bytes(), "pages take as many bytes as were counted");
        }
    }

    /// Drops pages that overlap a new one: another visit may have recorded the same entries.
    fn remove_overlapping(&mut self, page: &RangePage) {
        while let Some(other) = self.last_before(page.end())
            && *other.end() > *page.start()
        {
            let start = other.start().clone();
            self.remove(&start);
        }
    }

    /// Drops pages of at least so many bytes, or all; those not visited for longest go first.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let mut freed_bytes = 0;
        while freed_bytes < bytes
            && let Some(passed) = self.pass_one()
        {
            freed_bytes += passed.dropped_bytes();
        }
        self.budget.dropped_range_bytes.fetch_add(freed_bytes, Ordering::Relaxed);
    }

    /// Passes over pages of about so many bytes, at most all, and drops those not visited since the
    /// last time.
    pub(super) fn pass_over(&mut self, bytes: usize) {
        let mut passed_bytes = 0;
        for _ in 0..self.by_start.len() {
            if passed_bytes >= bytes {
                break;
            }
            passed_bytes += self.pass_one().map_or(0, |passed| passed.size_bytes());
        }
    }

    /// Passes over the next page, if there is any, and drops it if it was not visited since the
    /// last search.
    fn pass_one(&mut self) -> Option<Passed> {
        let from = |hand| self.by_start.range::<Bytes, _>((hand, Bound::Unbounded)).next();
        let (start, page) = from(self.hand.clone()).or_else(|| from(Bound::Unbounded))?;
        let (start, size_bytes, is_used) = (start.clone(), page.size_bytes(), page.take_used());
        if !is_used {
            self.remove(&start);
        }
        self.hand = Bound::Excluded(start);
        Some(if is_used { Passed::Kept(size_bytes) } else { Passed::Dropped(size_bytes) })
    }
}
