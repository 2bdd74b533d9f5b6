//! Entries of several partitions merged in the order of their sort keys: the source of a gather.
//!
//! Entries are ordered by the bytes of their key behind the partition key, and those that are equal there by the
//! number of their partition. So one key of an entry says how far all partitions are read, and a page continues from it.

use crate::layout;
use crate::schema::{Index, Table};
use bytes::Bytes;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_storage::{Direction, Error, Key, KeyRange, View, Wanted};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

/// Most entries of a partition that are read at once.
const CHUNK_MAX: usize = 1_000;

/// A merge of the ranges of several partitions.
#[derive(Debug)]
pub(super) struct Merged {
    direction: Direction,
    /// Entries and bytes of a partition that are read at once.
    chunk: Wanted,
    partitions: Vec<Partition>,
    /// The next entry of each partition that has one, by its place in the order.
    heads: BTreeMap<(Key, usize), (Key, Bytes)>,
}

#[derive(Debug)]
struct Partition {
    /// The range that is still to be read.
    rest: KeyRange,
    /// Bytes up to the sort key.
    prefix: usize,
    read: VecDeque<(Key, Bytes)>,
}

/// An entry of a partition.
#[derive(Debug)]
pub(super) struct Met {
    /// Number of its partition.
    pub(super) nth: usize,
    pub(super) key: Key,
    pub(super) stored: Bytes,
}

impl Merged {
    /// Begins a merge of at most `limit` entries of ranges, each within one partition.
    pub(super) async fn begin<V: View>(
        view: &V,
        (table, index): (&Table, Option<&Index>),
        ranges: &[KeyRange],
        direction: Direction,
        limit: usize,
    ) -> Result<Self, Error> {
        let of_each = (limit / ranges.len().max(1)).saturating_add(1);
        let chunk = Wanted {
            entries: of_each.min(CHUNK_MAX),
            bytes: PAGE_SIZE_MAX_BYTES / ranges.len().max(1),
        };
        let partition = |range: &KeyRange| Partition {
            rest: range.clone(),
            prefix: prefix_of(table, index, range),
            read: VecDeque::new(),
        };
        let partitions: Vec<Partition> = ranges.iter().map(partition).collect();
        let mut merged = Self { direction, chunk, partitions, heads: BTreeMap::new() };
        for nth in 0..ranges.len() {
            merged.advance(view, nth).await?;
        }
        Ok(merged)
    }

    /// Takes the next entry.
    pub(super) async fn next<V: View>(&mut self, view: &V) -> Result<Option<Met>, Error> {
        let head = match self.direction {
            Direction::Forward => self.heads.pop_first(),
            Direction::Backward => self.heads.pop_last(),
        };
        let Some(((_, nth), (key, stored))) = head else { return Ok(None) };
        self.advance(view, nth).await?;
        Ok(Some(Met { nth, key, stored }))
    }

    /// Makes the next entry of a partition its head.
    async fn advance<V: View>(&mut self, view: &V, nth: usize) -> Result<(), Error> {
        let (direction, chunk) = (self.direction, self.chunk);
        let Some(partition) = self.partitions.get_mut(nth) else { return Ok(()) };
        if partition.read.is_empty() {
            partition.read_more(view, direction, chunk).await?;
        }
        if let Some((key, stored)) = partition.read.pop_front() {
            let place = key.get(partition.prefix..).unwrap_or_default().to_vec();
            self.heads.insert((place, nth), (key, stored));
        }
        Ok(())
    }
}

impl Partition {
    async fn read_more<V: View>(
        &mut self,
        view: &V,
        direction: Direction,
        chunk: Wanted,
    ) -> Result<(), Error> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let (read, mut bytes) = (&mut self.read, 0);
        view.visit(self.rest.clone(), direction, chunk, |key, stored| {
            bytes += stored.len();
            read.push_back((key.to_vec(), stored));
            if read.len() < chunk.entries && bytes < chunk.bytes {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .await?;
        match (self.read.back(), direction) {
            (None, _) => self.rest.end = Some(self.rest.start.clone()),
            (Some((last, _)), Direction::Forward) => self.rest.start = [&last[..], &[0]].concat(),
            (Some((last, _)), Direction::Backward) => self.rest.end = Some(last.clone()),
        }
        Ok(())
    }
}

/// Returns the bytes up to the sort key in the keys of a range of one partition.
fn prefix_of(table: &Table, index: Option<&Index>, range: &KeyRange) -> usize {
    let schema = index.map_or(&table.key, |index| &index.key);
    layout::partition_bytes(&range.start, schema)
}

/// Returns ranges of partitions after an entry of one of them, in the order of the merge; none if it is in none.
pub(crate) fn ranges_after(
    (table, index): (&Table, Option<&Index>),
    ranges: Vec<KeyRange>,
    key: &[u8],
    direction: Direction,
) -> Option<Vec<KeyRange>> {
    let is_in = |range: &KeyRange| {
        range.start.as_slice() <= key && range.end.as_deref().is_none_or(|end| key < end)
    };
    let of_key = ranges.iter().position(is_in)?;
    let place = key.get(prefix_of(table, index, ranges.get(of_key)?)..)?;
    let rest = |(nth, range): (usize, KeyRange)| {
        let prefix = prefix_of(table, index, &range);
        let mut at = range.start.get(..prefix).unwrap_or_default().to_vec();
        at.extend_from_slice(place);
        // Of equal entries those of earlier partitions come first, or last backward.
        let is_done = match direction {
            Direction::Forward => nth <= of_key,
            Direction::Backward => nth < of_key,
        };
        if is_done {
            at.push(0);
        }
        match direction {
            Direction::Forward => KeyRange { start: range.start.max(at), end: range.end },
            Direction::Backward => {
                let end = range.end.map_or_else(|| at.clone(), |end| end.min(at.clone()));
                KeyRange { start: range.start, end: Some(end) }
            }
        }
    };
    Some(ranges.into_iter().enumerate().map(rest).collect())
}
