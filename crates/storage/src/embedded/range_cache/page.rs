//! One page: neighbouring entries in one piece of memory, and the bounds between which there are no
//! others.

use super::super::cache_budget::allocated_bytes;
use super::super::neighbour::ask_for;
use super::Visitor;
use super::span::Span;
use crate::Direction;
use crate::sync::atomic::{AtomicBool, Ordering};
use bytes::Bytes;
use std::ops::ControlFlow;

/// Approximate bytes of a page beside its entries: its own fields and its place among the pages.
const PAGE_BYTES: usize = 400;

/// Size from which on it costs less to end one read of the map before a page and begin another one
/// behind it than to read the page's entries from the map.
const WORTH_A_GAP_BYTES: usize = 16 << 10;

/// Entries from `start` (included) to `end` (not included).
#[derive(Debug)]
pub(super) struct RangePage {
    start: Bytes,
    end: Bytes,
    /// Group after which the entries were read.
    group: u64,
    /// In the order of their keys.
    entries: Vec<Entry>,
    /// Keys and values.
    bytes: Bytes,
    /// True if the page was visited since the last search for one to drop.
    is_used: AtomicBool,
}

/// Position of a key and of the value behind it in the page's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: u32,
    pub(super) value: u32,
    pub(super) end: u32,
}

impl RangePage {
    pub(super) fn new(bounds: [Bytes; 2], group: u64, entries: Vec<Entry>, bytes: Bytes) -> Self {
        let [start, end] = bounds;
        let page = Self { start, end, group, entries, bytes, is_used: AtomicBool::new(false) };
        page.check();
        page
    }

    /// Asserts that the keys ascend and lie between the bounds.
    fn check(&self) {
        assert!(
            self.entries.is_sorted_by(|one, next| self.key(one) < self.key(next)),
            "the entries of a page ascend"
        );
        let [first, last] = [self.entries.first(), self.entries.last()];
        assert!(
            first.is_none_or(|first| *self.key(first) >= *self.start)
                && last.is_none_or(|last| *self.key(last) < *self.end),
            "the entries of a page lie between its bounds"
        );
    }

    pub(super) fn start(&self) -> &Bytes {
        &self.start
    }

    pub(super) fn end(&self) -> &Bytes {
        &self.end
    }

    pub(super) fn group(&self) -> u64 {
        self.group
    }

    /// Returns whether no key lies between the bounds.
    pub(super) fn is_void(&self) -> bool {
        self.end <= self.start
    }

    pub(super) fn size_bytes(&self) -> usize {
        PAGE_BYTES
            + allocated_bytes(self.start.len())
            + allocated_bytes(self.end.len())
            + allocated_bytes(self.bytes.len())
            + allocated_bytes(self.entries.len() * size_of::<Entry>())
    }

    /// Returns whether a visit of the gap before the page should end there.
    pub(super) fn is_worth_a_gap(&self) -> bool {
        self.bytes.len() >= WORTH_A_GAP_BYTES
    }

    /// Returns whether the page was visited since the last call.
    pub(super) fn take_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }

    /// Calls `visitor` with the entries within `span`, in its direction, until it breaks.
    pub(super) fn visit(&self, span: &Span, visitor: &mut Visitor<'_>) -> ControlFlow<()> {
        if !self.is_used.load(Ordering::Relaxed) {
            self.is_used.store(true, Ordering::Relaxed);
        }
        let from = if self.start >= span.start { 0 } else { self.count_below(&span.start) };
        let to =
            if self.end <= span.end { self.entries.len() } else { self.count_below(&span.end) };
        let Some(entries) = self.entries.get(from..to) else { return ControlFlow::Continue(()) };
        match span.direction {
            Direction::Forward => self.show(entries.iter(), visitor),
            Direction::Backward => self.show(entries.iter().rev(), visitor),
        }
    }

    fn count_below(&self, key: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.key(entry) < key)
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        self.bytes.get(entry.key as usize..entry.value as usize).unwrap_or_default()
    }

    fn show<'e>(
        &self,
        entries: impl Iterator<Item = &'e Entry> + Clone,
        visitor: &mut Visitor<'_>,
    ) -> ControlFlow<()> {
        let mut following = entries.clone().skip(1);
        for entry in entries {
            if let Some(next) = following.next() {
                self.ask_for(next);
            }
            let value = self.bytes.slice(entry.value as usize..entry.end as usize);
            visitor(self.key(entry), value)?;
        }
        ControlFlow::Continue(())
    }

    /// Prefetches the memory of an entry.
    fn ask_for(&self, entry: &Entry) {
        if let Some(bytes) = self.bytes.get(entry.key as usize..entry.end as usize) {
            ask_for(bytes);
        }
    }
}
