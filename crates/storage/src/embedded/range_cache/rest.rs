//! What is left to visit of a range.

use crate::{Direction, Key, KeyRange};

/// The part of a range that was not visited yet.
pub(super) struct Rest {
    pub(super) start: Key,
    pub(super) end: Key,
    pub(super) direction: Direction,
}

impl Rest {
    /// Returns the whole of `range`; `None` if it has no end.
    pub(super) fn of(range: &KeyRange, direction: Direction) -> Option<Self> {
        let end = range.end.clone()?;
        Some(Self { start: range.start.clone(), end, direction })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.end <= self.start
    }

    /// Takes away what was visited: all up to the far one of two bounds.
    pub(super) fn advance(&mut self, [start, end]: [&[u8]; 2]) {
        match self.direction {
            Direction::Forward => self.start = end.to_vec(),
            Direction::Backward => self.end = start.to_vec(),
        }
    }

    /// Returns what lies before the page with these bounds, or all if it is not within the rest.
    pub(super) fn until(&self, page: Option<[&[u8]; 2]>) -> KeyRange {
        let (mut start, mut end) = (self.start.as_slice(), self.end.as_slice());
        if let Some([page_start, page_end]) = page {
            match self.direction {
                Direction::Forward => end = end.min(page_start),
                Direction::Backward => start = start.max(page_end),
            }
        }
        KeyRange { start: start.to_vec(), end: Some(end.to_vec()) }
    }
}
