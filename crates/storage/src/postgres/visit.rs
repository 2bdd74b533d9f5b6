//! A walk over a range: pages in the order of keys.
//!
//! A page is one statement, which counts its bytes unless its rows alone bound them (`sizes.rs`).
//! Then it also shows only the columns that most rows have, and is asked for again if one needs the
//! others. Rows come in the order of (prefix, tail), which is that of keys but for those that share
//! a whole prefix and go on after it, a crowd: in the order of their digests. A crowd that a page
//! holds completely is sorted here. One that goes on beyond the page is read by statements of its
//! own, which sort by what follows the prefix; then the walk goes on after the prefix.
//!
//! A range in one place, or in places in the order of its keys, is read place by place until there
//! is enough. Any other range is read by merging all places, which reads of each as many rows as
//! all together give. So such pages are small, and what follows in places that have an order, as
//! far as the keys share a beginning, is walked by itself (`within`) before the merging goes on
//! after it.

use super::keys::Layout;
use super::page::{PageRequest, Position, RangePlaces, RowRange};
use super::row::Row;
use super::sizes::Sizes;
use crate::{Direction, Key, KeyRange, Wanted};
use std::collections::VecDeque;

/// Bytes of values in a page, at most, and one row more.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Most memory that a page begins with; it grows as rows arrive.
const MAX_READY_BYTES: usize = 256 << 10;

/// Rows in a page, at most.
const MAX_PAGE_ROWS: usize = 4_096;

/// Rows in a page that is merged of all places, at most.
const MAX_MERGED_ROWS: usize = 64;

/// Factor by which each page asks for more than the one before.
const GROWTH: usize = 4;

/// A walk over a range.
#[derive(Debug)]
pub(super) struct RowWalk {
    range: KeyRange,
    direction: Direction,
    places: RangePlaces,
    layout: Layout,
    /// A part of the range whose places have an order, which comes before the rest.
    within: Option<Box<RowWalk>>,
    /// Rest of the range without the crowd and the part within.
    left: Option<(Position, Position)>,
    /// The crowd that is being read.
    crowd: Option<RowRange>,
    wanted: Wanted,
    rows: usize,
    bytes: usize,
}

impl RowWalk {
    /// Returns a walk over `range`, nothing of it read.
    pub(super) fn new(
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        layout: &Layout,
    ) -> Self {
        let places = match layout.places(&range) {
            Some(places) if places.more == 0 => RangePlaces::One(super::keys::column(places.first)),
            Some(places) => RangePlaces::Ordered(
                i32::from(places.first),
                i32::from(places.more),
                i32::from(layout.places),
            ),
            None => RangePlaces::Merged(i32::from(layout.places)),
        };
        let left = (!range.is_empty()).then(|| bounds(&range, layout.prefix_bytes));
        let (layout, within, crowd) = (*layout, None, None);
        Self { range, direction, places, layout, within, left, crowd, wanted, rows: 0, bytes: 0 }
    }

    /// Returns the next page to read, `None` when all was read.
    pub(super) fn next(&mut self, sizes: &Sizes) -> Option<PageRequest> {
        if let Some(within) = &mut self.within {
            if let Some(page) = within.next(sizes) {
                return Some(page);
            }
            self.within = None;
        }
        let range = self.next_range()?;
        let is_merged = matches!(range, RowRange::Rows { places: RangePlaces::Merged(_), .. });
        let max_rows = if is_merged { MAX_MERGED_ROWS } else { MAX_PAGE_ROWS };
        self.rows = self.wanted.entries.clamp(1, max_rows);
        self.bytes = self.wanted.bytes.clamp(1, MAX_PAGE_BYTES);
        // A visitor that goes on after all that it wanted is likely to go on for long.
        self.wanted.entries = self.wanted.entries.saturating_mul(GROWTH);
        self.wanted.bytes = self.wanted.bytes.saturating_mul(GROWTH);
        let has_uncounted = match &range {
            RowRange::Rows { places, .. } => !matches!(places, RangePlaces::Merged(_)),
            RowRange::Crowd { .. } => false,
        };
        let uncounted = sizes.rows(&self.range.start, self.rows, self.bytes);
        let uncounted = uncounted.filter(|_| has_uncounted);
        self.rows = uncounted.unwrap_or(self.rows);
        Some(self.page(range, uncounted.is_none(), sizes))
    }

    /// Returns the last page again, with all its columns; `None` if there was none.
    pub(super) fn again(&self, sizes: &Sizes) -> Option<PageRequest> {
        if let Some(within) = &self.within {
            return within.again(sizes);
        }
        sizes.count_from_now(&self.range.start);
        Some(self.page(self.next_range()?, true, sizes))
    }

    /// Returns the next rows to read.
    fn next_range(&self) -> Option<RowRange> {
        match (&self.crowd, &self.left) {
            (Some(crowd), _) => Some(crowd.clone()),
            (None, Some((from, to))) => {
                Some(RowRange::Rows { from: from.clone(), to: to.clone(), places: self.places })
            }
            (None, None) => None,
        }
    }

    fn page(&self, range: RowRange, is_counted: bool, sizes: &Sizes) -> PageRequest {
        PageRequest {
            range,
            direction: self.direction,
            rows: i64::try_from(self.rows).unwrap_or(i64::MAX),
            bytes: self.bytes,
            is_counted,
            whole_prefix_bytes: self.layout.prefix_bytes,
            expected_bytes: sizes.expected(&self.range.start, self.rows).min(MAX_READY_BYTES),
        }
    }

    /// Takes the rows of the page that was asked for and returns those to show, in the order of
    /// their keys.
    pub(super) fn take(&mut self, rows: Vec<Row>, sizes: &Sizes) -> Vec<Row> {
        if let Some(within) = &mut self.within {
            return within.take(rows, sizes);
        }
        let bytes: usize = rows.iter().map(|row| row.value.len()).sum();
        if let Some(largest) = rows.iter().map(|row| row.value.len()).max() {
            sizes.note(&self.range.start, largest);
        }
        let is_last = rows.len() < self.rows && bytes < self.bytes;
        match self.crowd.take() {
            Some(crowd) => self.take_of_crowd(crowd, rows, is_last),
            None => self.take_page(rows, is_last),
        }
    }

    fn take_of_crowd(&mut self, crowd: RowRange, rows: Vec<Row>, is_last: bool) -> Vec<Row> {
        let RowRange::Crowd { place, prefix, mut from, mut to } = crowd else { return rows };
        if let (Some(last), false) = (rows.last(), is_last) {
            let rest = last.key.get(last.prefix_bytes..).unwrap_or_default();
            match self.direction {
                Direction::Forward => from = [rest, &[0]].concat(),
                Direction::Backward => to = Some(rest.to_vec()),
            }
            self.crowd = Some(RowRange::Crowd { place, prefix, from, to });
        }
        rows
    }

    fn take_page(&mut self, rows: Vec<Row>, is_last: bool) -> Vec<Row> {
        let last = rows.last().map(|row| (row.prefix().to_vec(), row.tail.to_vec(), row.place));
        let mut shown = Vec::with_capacity(rows.len());
        let mut rows = VecDeque::from(rows);
        while let Some(row) = rows.pop_front() {
            if !row.is_in_crowd() {
                shown.push(row);
                continue;
            }
            let mut crowd = vec![row];
            let is_same = |one: &Row, crowd: &[Row]| {
                one.is_in_crowd()
                    && crowd.first().is_some_and(|first| first.prefix() == one.prefix())
            };
            while rows.front().is_some_and(|next| is_same(next, &crowd)) {
                crowd.extend(rows.pop_front());
            }
            if rows.is_empty() && !is_last {
                // The crowd may go on beyond the page.
                self.begin_crowd(&crowd);
                return shown;
            }
            crowd.retain(|row| self.is_in_range(&row.key));
            crowd.sort_unstable_by(|one, other| one.key.cmp(&other.key));
            if self.direction == Direction::Backward {
                crowd.reverse();
            }
            shown.extend(crowd);
        }
        match last {
            Some((prefix, tail, place)) if !is_last => {
                if matches!(self.places, RangePlaces::Merged(_)) {
                    self.go_within(&prefix, &tail);
                }
                if self.within.is_none() {
                    self.go_on(prefix, tail, place);
                }
            }
            _ => self.left = None,
        }
        shown
    }

    /// Begins a walk over the keys after a position that share its beginning, if their places have
    /// an order and they all are in the range.
    fn go_within(&mut self, prefix: &[u8], tail: &[u8]) {
        let Some((from, to)) = &mut self.left else { return };
        let holds = |part: &KeyRange| {
            part.start >= self.range.start
                && part.end.is_some()
                && self.range.end.as_ref().is_none_or(|end| part.end.as_ref() <= Some(end))
                && self.layout.places(part).is_some()
        };
        let parts = (1..=prefix.len().min(self.layout.placement.leading_bytes))
            .filter_map(|length| prefix.get(..length).map(KeyRange::prefix));
        let Some(part) = parts.into_iter().find(holds) else { return };
        let (first, end) = bounds(&part, self.layout.prefix_bytes);
        let wanted = self.wanted;
        let mut within = Self::new(part, self.direction, wanted, &self.layout);
        match self.direction {
            Direction::Forward => {
                within.left = Some(((prefix.to_vec(), [tail, &[0]].concat()), end.clone()));
                *from = end;
            }
            Direction::Backward => {
                within.left = Some((first.clone(), (prefix.to_vec(), tail.to_vec())));
                *to = first;
            }
        }
        self.within = Some(Box::new(within));
    }

    /// Notes that the crowd of a prefix is to be read next, and the rest of the range after it.
    fn begin_crowd(&mut self, crowd: &[Row]) {
        let Some(row) = crowd.first() else { return };
        let prefix = row.prefix().to_vec();
        let rest_of = |bound: &Key| {
            bound.strip_prefix(&prefix[..]).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec)
        };
        let from = rest_of(&self.range.start).unwrap_or_default();
        let to = self.range.end.as_ref().and_then(rest_of);
        self.crowd = Some(RowRange::Crowd { place: row.place, prefix: prefix.clone(), from, to });
        match self.direction {
            // After all that have the prefix and go on.
            Direction::Forward => {
                self.go_on(prefix, vec![u8::MAX; super::keys::TAIL_BYTES], row.place);
            }
            // Before all that go on: the prefix itself is still to come.
            Direction::Backward => self.go_on(prefix, vec![0], row.place),
        }
    }

    /// Notes that all up to a position was read.
    fn go_on(&mut self, prefix: Vec<u8>, mut tail: Vec<u8>, place: i16) {
        let Some((from, to)) = &mut self.left else { return };
        match self.direction {
            Direction::Forward => {
                tail.push(0);
                *from = (prefix, tail);
            }
            Direction::Backward => *to = (prefix, tail),
        }
        if let RangePlaces::Ordered(first, more, all) = &mut self.places {
            let steps = (i32::from(place) - *first).rem_euclid(*all);
            match self.direction {
                Direction::Forward => {
                    *more = (*more - steps).max(0);
                    *first = i32::from(place);
                }
                Direction::Backward => *more = steps,
            }
        }
    }

    fn is_in_range(&self, key: &[u8]) -> bool {
        key >= &self.range.start[..] && self.range.end.as_ref().is_none_or(|end| key < &end[..])
    }
}

/// Returns the positions between which the rows of a range lie: the first one, and the first after
/// it. Rows of crowds at both ends may be outside the range.
fn bounds(range: &KeyRange, prefix_bytes: usize) -> (Position, Position) {
    let cut = |key: &Key| {
        let prefix = key.get(..prefix_bytes).unwrap_or(key).to_vec();
        (prefix, key.len() > prefix_bytes)
    };
    // A tail of one zero byte is after the prefix itself and before all digests of rests.
    let (start, start_goes_on) = cut(&range.start);
    let from = (start, if start_goes_on { vec![0] } else { Vec::new() });
    let to = match range.end.as_ref().map(cut) {
        None => (vec![u8::MAX; prefix_bytes + 1], Vec::new()),
        Some((end, false)) => (end, Vec::new()),
        Some((end, true)) => (end, vec![u8::MAX; super::keys::TAIL_BYTES + 1]),
    };
    (from, to)
}
