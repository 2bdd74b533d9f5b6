//! Rows of a page as they arrive from the database.
//!
//! Leaves the statement to `page.rs`.

use super::keys::{bytes_of, unreadable};
use super::page::{PageRequest, RangePlaces, RowRange};
use super::page_cache::{CachedPage, Name};
use super::row::Row;
use super::shared::Shared;
use crate::{Direction, Error};
use bytes::Bytes;

/// A page as it arrives: the bytes of all rows in one piece, which saves an allocation for each.
#[derive(Debug)]
pub(super) struct ArrivingPage {
    /// Place of rows that do not show theirs.
    place: i16,
    bytes: Vec<u8>,
    rows: Vec<Ends>,
    /// Numbers of the rows that have one and show it.
    numbers: Vec<i64>,
}

/// Ends of the parts of a row: its prefix, the whole key, its tail, its value.
#[derive(Debug)]
struct Ends {
    place: i16,
    prefix: usize,
    key: usize,
    tail: usize,
    value: usize,
}

impl ArrivingPage {
    pub(super) fn new(page: &PageRequest) -> Self {
        let place = match page.range {
            RowRange::Rows { places: RangePlaces::One(place), .. }
            | RowRange::Crowd { place, .. } => place,
            RowRange::Rows { .. } => 0,
        };
        let bytes = Vec::with_capacity(page.expected_bytes);
        Self { place, bytes, rows: Vec::new(), numbers: Vec::new() }
    }

    /// Adds a row and returns the bytes of its value.
    pub(super) fn add(&mut self, row: &tokio_postgres::Row) -> Result<usize, Error> {
        let read = || {
            let place = row.try_get::<_, Option<i16>>(0)?.unwrap_or(self.place);
            let tail = row.try_get::<_, Option<&[u8]>>(2)?.unwrap_or_default();
            let rest = row.try_get::<_, Option<&[u8]>>(3)?.unwrap_or_default();
            Ok((place, row.try_get::<_, &[u8]>(1)?, tail, rest))
        };
        let (place, prefix, tail, rest) = read().map_err(unreadable)?;
        Ok(self.put(place, [prefix, rest, tail, &bytes_of(row, 4, 5)?]))
    }

    /// Adds a row that does not show all columns and returns the bytes of its value: `None` if it
    /// has no value, its key may go on after the prefix, or it is not where its key should be.
    pub(super) fn add_one_of_most(
        &mut self,
        row: &tokio_postgres::Row,
        page: &PageRequest,
    ) -> Result<Option<usize>, Error> {
        let is_of_one_place =
            matches!(page.range, RowRange::Rows { places: RangePlaces::One(_), .. });
        let read = || {
            let (place, number) = if is_of_one_place {
                (self.place, row.try_get::<_, Option<i64>>(3)?)
            } else {
                (row.try_get(0)?, None)
            };
            let (prefix, value) =
                (row.try_get::<_, &[u8]>(1)?, row.try_get::<_, Option<&[u8]>>(2)?);
            Ok((place, number, prefix, value))
        };
        let (place, number, prefix, value) = read().map_err(unreadable)?;
        let follows = !is_of_one_place || self.is_followed_by(prefix, page.direction);
        let fits = follows && prefix.len() < page.whole_prefix_bytes;
        let Some(value) = value.filter(|_| fits) else { return Ok(None) };
        self.numbers.extend(number);
        Ok(Some(self.put(place, [prefix, &[], &[], value])))
    }

    /// Returns whether a key comes after those that have arrived.
    fn is_followed_by(&self, key: &[u8], direction: Direction) -> bool {
        let start = self.rows.len().checked_sub(2).and_then(|nth| self.rows.get(nth));
        let last = self.rows.last().map(|last| start.map_or(0, |start| start.value)..last.key);
        let last = last.and_then(|range| self.bytes.get(range));
        last.is_none_or(|last| match direction {
            Direction::Forward => last < key,
            Direction::Backward => last > key,
        })
    }

    /// Adds prefix, rest, tail and value of a row and returns the bytes of the value.
    fn put(&mut self, place: i16, parts: [&[u8]; 4]) -> usize {
        let [prefix, key, tail, value] = parts.map(|part| {
            self.bytes.extend_from_slice(part);
            self.bytes.len()
        });
        self.rows.push(Ends { place, prefix, key, tail, value });
        value - tail
    }

    /// Returns the rows, and keeps them if the page is to be kept.
    pub(super) fn into_kept_rows(
        mut self,
        shared: &Shared,
        name: Name,
        was_kept: bool,
        is_all: bool,
    ) -> Vec<Row> {
        let kept = &shared.kept;
        let content_bytes = self.bytes.len();
        let can_be = is_all && self.numbers.len() == self.rows.len();
        if !(can_be && kept.is_wanted(&name, content_bytes)) {
            if was_kept {
                kept.forget(&name);
            }
            return self.into_rows();
        }
        self.bytes.shrink_to_fit();
        let numbers = std::mem::take(&mut self.numbers);
        let rows = self.into_rows();
        kept.keep(name, CachedPage { rows: rows.clone(), numbers, content_bytes });
        rows
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        let all = Bytes::from(self.bytes);
        let mut start = 0;
        let row = |Ends { place, prefix, key, tail, value }: Ends| {
            let first = std::mem::replace(&mut start, value);
            Row {
                place,
                key: all.slice(first..key),
                prefix_bytes: prefix - first,
                tail: all.slice(key..tail),
                value: all.slice(tail..value),
            }
        };
        self.rows.into_iter().map(row).collect()
    }
}
