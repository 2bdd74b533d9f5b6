//! Hot keys: reads and writes report the units that they use, by key, to a book, for tables that
//! are watched.
//!
//! For a table that is not watched this costs a look at a flag of the table or of the options. A
//! local index shares the partitions of its table, so its use is reported as its table's. Left to
//! others: the bounds of the book (the crate `heat`), and the operations that read the book
//! ([`crate::ops`]).
//!
//! | file | idea |
//! |---|---|
//! | `keys.rs` | names of keys |
//! | `told.rs` | the contents of the book for the current tables |
//! | `table.rs`, `rows.rs` | the table `sys.heat` and its items |

mod keys;
mod rows;
mod table;
mod told;

pub(crate) use table::{NAME as TABLE_NAME, is_heat};
pub use told::HeatPage;

use crate::environment::{Clock, Environment};
use crate::layout;
use crate::schema::{Index, IndexId, IndexKind, InsightsMode, KeySchema, Table};
use hashrange_heat::{Book, Place, Span, Sums};
use hashrange_model::Item;
use hashrange_storage::{Key, KeyRange};
use std::fmt;
use std::sync::Arc;

/// Units used on a table, and on indexes by their offsets in it.
pub(crate) type Units<'u> = (f64, &'u [(usize, f64)]);

/// Use by a page of a read.
#[derive(Debug)]
pub(crate) struct PageUse<'p> {
    pub(crate) units: Units<'p>,
    pub(crate) bytes: usize,
    /// Key at which the page ended, unless it ended with its range.
    pub(crate) last_evaluated_key: Option<&'p Item>,
}

/// Part of a table or index that a request used.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Touched<'k> {
    /// The item or entry with this byte key.
    Item(&'k [u8]),
    /// A part of this range, up to a key if the page ended there.
    Range(&'k KeyRange),
    /// Several ranges, each of one partition.
    Ranges(&'k [KeyRange]),
}

/// Key of a write that was throttled.
#[derive(Debug)]
pub(crate) struct ThrottledKey {
    place: Place,
    hash: u32,
    partition: Vec<u8>,
    item: Option<Vec<u8>>,
}

/// Keys that a read touches, kept until the units that it uses are known.
#[derive(Debug)]
pub(crate) enum TouchedKeys {
    /// An item.
    Item(Key),
    /// One range, or several of one partition each.
    Ranges(Vec<KeyRange>),
}

impl TouchedKeys {
    /// Returns the touched part.
    pub(crate) fn touched(&self) -> Touched<'_> {
        match self {
            Self::Item(key) => Touched::Item(key),
            Self::Ranges(ranges) => Touched::of_ranges(ranges),
        }
    }
}

impl<'k> Touched<'k> {
    /// Returns the part that a read of some ranges touches.
    pub(crate) fn of_ranges(ranges: &'k [KeyRange]) -> Self {
        match ranges {
            [range] => Self::Range(range),
            ranges => Self::Ranges(ranges),
        }
    }
}

/// Records the use of keys.
pub(crate) struct Heat {
    book: Book,
    /// True if every table is watched; else only those that Contributor Insights watches.
    is_of_all: bool,
    clock: Arc<Clock>,
    /// The table `sys.heat`.
    table: Arc<Table>,
}

impl fmt::Debug for Heat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Heat").field("is_of_all", &self.is_of_all).finish_non_exhaustive()
    }
}

impl Heat {
    pub(crate) fn new(is_of_all: bool, environment: &Environment) -> Self {
        Self {
            book: Book::default(),
            is_of_all,
            clock: Arc::clone(&environment.now_ms),
            table: table::table(),
        }
    }

    /// Returns whether the use of a table, or of one of its indexes, is recorded.
    pub(crate) fn watches(&self, table: &Table) -> bool {
        (self.is_of_all || !table.watched.is_empty()) && !is_heat(table)
    }

    /// Returns the table `sys.heat`, if one of the given tables is watched.
    pub(crate) fn table_if_on(&self, tables: &[Arc<Table>]) -> Option<Arc<Table>> {
        let is_on = self.is_of_all || tables.iter().any(|table| self.watches(table));
        is_on.then(|| self.table())
    }

    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// Removes a table from the book.
    pub(crate) fn forget_table(&self, table: &Table) {
        self.book.forget_table(table.id().0);
    }

    /// Records a page of a read. If the page did not reach the end of its range, it is recorded for
    /// the range up to the key where it ended.
    pub(crate) fn read_page(
        &self,
        table: &Table,
        index: Option<&Index>,
        kept: &TouchedKeys,
        page: &PageUse<'_>,
    ) {
        let ended = match (kept, page.last_evaluated_key) {
            (TouchedKeys::Ranges(ranges), Some(key)) => match &ranges[..] {
                [range] if layout::hash_of_range(range).is_none() => {
                    up_to(table, index, range, key)
                }
                _ => None,
            },
            _ => None,
        };
        let touched = ended.as_ref().map_or_else(|| kept.touched(), Touched::Range);
        self.read(table, index, touched, page.units, page.bytes);
    }

    /// Records the read of an item of a table that is watched.
    pub(crate) fn read_item(
        &self,
        table: &Table,
        key: &[u8],
        units: Units<'_>,
        size: Option<usize>,
    ) {
        if self.watches(table) {
            self.read(table, None, Touched::Item(key), units, size.unwrap_or(0));
        }
    }

    /// Records a read.
    fn read(
        &self,
        table: &Table,
        index: Option<&Index>,
        touched: Touched<'_>,
        units: Units<'_>,
        bytes: usize,
    ) {
        let (of_table, of_indexes) = units;
        let read_units = of_indexes.iter().fold(of_table, |sum, (_, units)| sum + units);
        let sums = Sums { read_units, requests: 1, bytes: bytes as u64, ..Sums::default() };
        self.tell(table, index, touched, &sums);
    }

    /// Records a write of an item, and of its entries in global indexes, by the old and the new
    /// image.
    pub(crate) fn wrote(
        &self,
        table: &Table,
        key: &[u8],
        units: Units<'_>,
        (old, new): (Option<&Item>, Option<&Item>),
    ) {
        let size = |item: Option<&Item>| item.map_or(0, Item::size);
        let (of_table, of_indexes) = units;
        let of_local = of_indexes.iter().filter(|(nth, _)| {
            table.indexes.get(*nth).is_some_and(|index| index.kind == IndexKind::Local)
        });
        let write_units = of_local.fold(of_table, |sum, (_, units)| sum + units);
        let bytes = size(old).max(size(new)) as u64;
        let sums = Sums { write_units, requests: 1, bytes, ..Sums::default() };
        self.tell(table, None, Touched::Item(key), &sums);
        let Some(image) = new.or(old) else { return };
        for (nth, write_units) in of_indexes {
            let global = table.indexes.get(*nth).filter(|index| index.kind == IndexKind::Global);
            let Some(index) = global else { continue };
            let entry = layout::entry_key(table, index, image)
                .or_else(|| layout::entry_key(table, index, old?));
            if let Some(entry) = entry {
                let sums = Sums { write_units: *write_units, requests: 1, ..Sums::default() };
                self.tell(table, Some(index), Touched::Item(&entry), &sums);
            }
        }
    }

    /// Records a write whose condition failed on an item of `bytes`.
    pub(crate) fn failed_write(&self, table: &Table, key: &[u8], write_units: f64, bytes: usize) {
        let sums = Sums { write_units, requests: 1, bytes: bytes as u64, ..Sums::default() };
        self.tell(table, None, Touched::Item(key), &sums);
    }

    /// Records a request that was throttled.
    pub(crate) fn throttled(&self, table: &Table, index: Option<&Index>, touched: Touched<'_>) {
        self.tell(table, index, touched, &Sums { throttles: 1, ..Sums::default() });
    }

    /// Records throttled writes that [`Self::keep_throttled`] returned.
    pub(crate) fn tell_throttled(&self, throttled: &[ThrottledKey]) {
        for ThrottledKey { place, hash, partition, item } in throttled {
            let item = item.as_deref();
            let span = Span::Key { hash: *hash, partition, item };
            let sums = Sums { throttles: 1, ..Sums::default() };
            self.book.add((self.clock)(), *place, span, &sums);
        }
    }

    /// Returns the key of a write that is throttled while it is decided, which may happen again;
    /// the caller records it once in the end. `None` if the table is not watched.
    pub(crate) fn keep_throttled(
        &self,
        table: &Table,
        index: Option<&Index>,
        key: &[u8],
    ) -> Option<ThrottledKey> {
        let id = index.map_or(IndexId::BASE, |index| index.id);
        if !self.takes(table, id, true) {
            return None;
        }
        let schema = index.map_or(&table.key, |index| &index.key);
        let Span::Key { hash, partition, item } = span_of_key(key, schema, index.is_some(), true)?
        else {
            return None;
        };
        let place = Place { table: table.id().0, index: id.0 };
        let (partition, item) = (partition.to_vec(), item.map(<[u8]>::to_vec));
        Some(ThrottledKey { place, hash, partition, item })
    }

    fn tell(&self, table: &Table, index: Option<&Index>, touched: Touched<'_>, sums: &Sums) {
        let global = index.filter(|index| index.kind == IndexKind::Global);
        let id = global.map_or(IndexId::BASE, |index| index.id);
        if !self.takes(table, id, sums.throttles > 0) {
            return;
        }
        let (now_ms, place) = ((self.clock)(), Place { table: table.id().0, index: id.0 });
        let schema = index.map_or(&table.key, |index| &index.key);
        // Entries of a local index are in the partitions of its table, but are not items of it.
        let is_whole = index.is_none() || global.is_some();
        match touched {
            Touched::Item(key) => {
                let span = span_of_key(key, schema, global.is_some(), is_whole);
                if let Some(span) = span {
                    self.book.add(now_ms, place, span, sums);
                }
            }
            Touched::Range(range) => {
                self.book.add(now_ms, place, span_of_range(range, schema), sums);
            }
            Touched::Ranges(ranges) => {
                let count = ranges.len() as u64;
                for (range, nth) in ranges.iter().zip(0..) {
                    let part = sums.part(nth, count);
                    self.book.add(now_ms, place, span_of_range(range, schema), &part);
                }
            }
        }
    }

    fn takes(&self, table: &Table, index: IndexId, is_throttled: bool) -> bool {
        let is_wanted =
            |mode: InsightsMode| is_throttled || mode == InsightsMode::AccessedAndThrottled;
        self.is_of_all
            || table.watched.iter().any(|(watched, mode)| *watched == index && is_wanted(*mode))
    }
}

/// Returns a range up to the partition of a key.
fn up_to(table: &Table, index: Option<&Index>, range: &KeyRange, key: &Item) -> Option<KeyRange> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    let end = layout::partition_prefix(table.id(), id, schema, key).ok()?;
    Some(KeyRange { start: range.start.clone(), end: Some(end) })
}

fn span_of_key<'k>(
    key: &'k [u8],
    schema: &KeySchema,
    is_index: bool,
    is_whole: bool,
) -> Option<Span<'k>> {
    let parts = layout::key_parts(key, schema, is_index)?;
    let has_sort = !schema.sort.is_empty();
    Some(Span::Key {
        hash: layout::hash_of_part(parts.partition),
        partition: parts.partition,
        item: (is_whole && has_sort).then_some(parts.own),
    })
}

/// Returns the partition of a range within one, or else the first and last hash of the range.
fn span_of_range<'k>(range: &'k KeyRange, schema: &KeySchema) -> Span<'k> {
    let parts =
        layout::hash_of_range(range).and_then(|_| layout::key_parts(&range.start, schema, false));
    let Some(parts) = parts else {
        let (first, last) = layout::hashes_of_range(range);
        return Span::Hashes(first, last);
    };
    let hash = layout::hash_of_part(parts.partition);
    Span::Key { hash, partition: parts.partition, item: None }
}
