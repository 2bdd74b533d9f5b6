//! A range with both ends, and the direction of a visit.

use crate::{Direction, Key, KeyRange};

/// The keys from `start` (included) to `end` (not included).
pub(super) struct Span {
    pub(super) start: Key,
    pub(super) end: Key,
    pub(super) direction: Direction,
}

impl Span {
    /// Returns the whole of `range`; `None` if it has no end.
    pub(super) fn of(range: &KeyRange, direction: Direction) -> Option<Self> {
        let end = range.end.clone()?;
        Some(Self { start: range.start.clone(), end, direction })
    }

    pub(super) fn to_range(&self) -> KeyRange {
        KeyRange { start: self.start.clone(), end: Some(self.end.clone()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.end <= self.start
    }

    /// Removes the visited part: all up to the far one of two bounds.
    pub(super) fn advance(&mut self, [start, end]: [&[u8]; 2]) {
        match self.direction {
            Direction::Forward => self.start = end.to_vec(),
            Direction::Backward => self.end = start.to_vec(),
        }
    }

    /// Returns the part before the page with these bounds, or all if the page is not in the span.
    pub(super) fn until(&self, page: Option<[&[u8]; 2]>) -> Self {
        let (mut start, mut end) = (self.start.as_slice(), self.end.as_slice());
        if let Some([page_start, page_end]) = page {
            match self.direction {
                Direction::Forward => end = end.min(page_start),
                Direction::Backward => start = start.max(page_end),
            }
        }
        Self { start: start.to_vec(), end: end.to_vec(), direction: self.direction }
    }
}
