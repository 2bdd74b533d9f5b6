//! Makes pages from a visit of the map.

use super::page::{Entry, RangePage};
use super::span::Span;
use crate::Direction;
use bytes::Bytes;

/// Most bytes of entries in a page, so that a write does not drop too many neighbours.
const PAGE_MAX_BYTES: usize = 64 << 10;
/// Largest value that is recorded: a visit that sees a larger one is recorded no further, because
/// for such entries the search is not the expensive part.
const VALUE_MAX_BYTES: usize = 16 << 10;
/// Most bytes recorded of a visit, twice the largest page of an answer.
const RECORDING_MAX_BYTES: usize = 2 << 20;

/// Entries that a visit has seen so far, without gaps from its beginning.
pub(super) struct Recording {
    /// The newest group that the visit sees.
    group: u64,
    direction: Direction,
    /// End of the range in the direction of the visit, until it stops somewhere else.
    goal: Bytes,
    /// The bound of the unfinished page that is nearer to the beginning of the visit.
    bound: Bytes,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    finished: Vec<RangePage>,
    recorded_bytes: usize,
    has_stopped: bool,
}

impl Recording {
    /// Begins to record a visit of `span`, which sees `group` and no later one.
    pub(super) fn new(group: u64, span: &Span) -> Self {
        let start = Bytes::copy_from_slice(&span.start);
        let end = Bytes::copy_from_slice(&span.end);
        let (bound, goal) = match span.direction {
            Direction::Forward => (start, end),
            Direction::Backward => (end, start),
        };
        Self {
            group,
            direction: span.direction,
            goal,
            bound,
            entries: Vec::new(),
            bytes: Vec::new(),
            finished: Vec::new(),
            recorded_bytes: 0,
            has_stopped: false,
        }
    }

    /// Adds the entry that the visit sees next.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        if self.has_stopped {
            return;
        }
        let entry_bytes = key.len() + value.len();
        if value.len() > VALUE_MAX_BYTES || self.recorded_bytes + entry_bytes > RECORDING_MAX_BYTES
        {
            self.stop_before(key);
            return;
        }
        if !self.bytes.is_empty() && self.bytes.len() + entry_bytes > PAGE_MAX_BYTES {
            self.finish_page(self.bound_before(key));
        }
        self.recorded_bytes += entry_bytes;
        let offset = end_of(&self.bytes);
        self.bytes.extend_from_slice(key);
        let value_offset = end_of(&self.bytes);
        self.bytes.extend_from_slice(value);
        let end = end_of(&self.bytes);
        self.entries.push(Entry { key: offset, value: value_offset, end });
    }

    /// Ends the recording behind an entry that was added.
    pub(super) fn stop_after(&mut self, key: &[u8]) {
        if !self.has_stopped {
            self.has_stopped = true;
            self.goal = match self.direction {
                Direction::Forward => successor(key),
                Direction::Backward => Bytes::copy_from_slice(key),
            };
        }
    }

    fn stop_before(&mut self, key: &[u8]) {
        self.has_stopped = true;
        self.goal = self.bound_before(key);
    }

    /// Returns the bound between the entries so far and the entry of `key`.
    fn bound_before(&self, key: &[u8]) -> Bytes {
        match self.direction {
            Direction::Forward => Bytes::copy_from_slice(key),
            Direction::Backward => successor(key),
        }
    }

    fn finish_page(&mut self, bound: Bytes) {
        let near = std::mem::replace(&mut self.bound, bound.clone());
        let mut entries = std::mem::take(&mut self.entries);
        let bounds = match self.direction {
            Direction::Forward => [near, bound],
            Direction::Backward => {
                entries.reverse();
                [bound, near]
            }
        };
        entries.shrink_to_fit();
        let bytes = Bytes::copy_from_slice(&self.bytes);
        self.bytes.clear();
        self.finished.push(RangePage::new(bounds, self.group, entries, bytes));
    }

    /// Returns the pages of the recorded entries.
    pub(super) fn into_pages(mut self) -> Vec<RangePage> {
        self.finish_page(self.goal.clone());
        self.finished
    }
}

/// Returns the offset at which the next bytes of a page go.
fn end_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("a page is shorter than RECORDING_MAX_BYTES")
}

/// Returns the first key after `key`.
fn successor(key: &[u8]) -> Bytes {
    [key, &[0]].concat().into()
}
