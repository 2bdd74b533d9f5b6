//! Consumption of each table and index in the last minutes.
//!
//! The book is bounded, whatever clients request: [`MINUTES_MAX`] minutes, [`PAGES_MAX`] minutes of
//! all tables and indexes together, a fixed number of keys of each. A minute that finds no room
//! replaces the oldest one; if all are of the current minute, its consumption is added to
//! [`Book::untold`]. [`MEMORY_MAX_BYTES`] follows from that.

use crate::name::{CutKey, KEY_MAX_BYTES};
use crate::report::{Hot, HotKey, KeyName, MinuteHeat, Top};
use crate::sketch::Sketch;
use crate::sums::{Measure, Sums};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most minutes that are kept.
pub const MINUTES_MAX: u64 = 60;
/// Equal ranges of the hash space.
pub const RANGES: usize = 32;
/// Most minutes of all tables and indexes together.
const PAGES_MAX: usize = 720;
/// Partition keys, and items, that are kept of a minute by consumption.
const ACCESSED_MAX: usize = 64;
/// Partition keys, and items, that are kept of a minute by throttled requests.
const THROTTLED_MAX: usize = 16;
/// Most bytes of memory of one key, with its figures.
const KEPT_MAX_BYTES: usize = 120 + KEY_MAX_BYTES;
/// Most bytes of memory of a book.
pub const MEMORY_MAX_BYTES: usize =
    PAGES_MAX * (2 * (ACCESSED_MAX + THROTTLED_MAX) * KEPT_MAX_BYTES + 2048);

const MINUTE_MS: u64 = 60_000;

/// A table, or an index of one, by its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The table.
    pub table: u32,
    /// The index; 0 for the table itself.
    pub index: u16,
}

/// Part of a place that a request used.
#[derive(Debug, Clone, Copy)]
pub enum Span<'k> {
    /// A partition key, and the item if the request used only one.
    Key {
        /// The hash of the partition key.
        hash: u32,
        /// The partition key.
        partition: &'k [u8],
        /// Partition key and sort key.
        item: Option<&'k [u8]>,
    },
    /// All partition keys whose hashes are between these, both included.
    Hashes(u32, u32),
}

/// Consumption by place and minute.
#[derive(Debug, Default)]
pub struct Book(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The minutes of each place, oldest first; no place is without any.
    places: BTreeMap<Place, VecDeque<MinutePage>>,
    /// Minutes of all places together.
    pages: usize,
    newest: u64,
    untold: Sums,
}

/// A minute of a place.
#[derive(Debug)]
struct MinutePage {
    minute: u64,
    whole: Sums,
    ranges: Box<[Sums; RANGES]>,
    keys: Level,
    items: Level,
}

#[derive(Debug)]
struct Level {
    accessed: Sketch,
    throttled: Sketch,
}

impl Book {
    /// Adds consumption at a time.
    pub fn add(&self, now_ms: u64, place: Place, span: Span<'_>, sums: &Sums) {
        let mut state = self.state();
        let minute = state.minute_at(now_ms);
        match state.page(place, minute) {
            Some(page) => page.add(span, sums),
            None => state.untold.add(sums),
        }
    }

    /// Returns the places with any consumption, in order.
    pub fn places(&self) -> Vec<Place> {
        self.state().places.keys().copied().collect()
    }

    /// Returns the newest minutes of a place, at most `most`, oldest first, without those that are
    /// too old at `now_ms`. `name` returns the name of a key; its second argument is true for an
    /// item's key.
    pub fn minutes(
        &self,
        now_ms: u64,
        place: Place,
        most: usize,
        name: impl Fn(CutKey<'_>, bool) -> KeyName,
    ) -> Vec<MinuteHeat> {
        let mut state = self.state();
        state.minute_at(now_ms);
        let Some(pages) = state.places.get(&place) else { return Vec::new() };
        pages.iter().skip(pages.len().saturating_sub(most)).map(|page| page.told(&name)).collect()
    }

    /// Returns the consumption of minutes that found no room.
    pub fn untold(&self) -> Sums {
        self.state().untold
    }

    /// Forgets a table and its indexes.
    pub fn forget_table(&self, table: u32) {
        self.state().forget(|place, _| place.table == table);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.state() = State::default();
    }

    /// Returns the memory of the book, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.state().places.values().flatten().map(MinutePage::memory_bytes).sum()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the current minute, and forgets those that are too old by then. If the clock goes
    /// back, the newest minute stays current, unless the clock was so wrong that no minute can be
    /// kept.
    fn minute_at(&mut self, now_ms: u64) -> u64 {
        let minute = now_ms / MINUTE_MS;
        if minute + MINUTES_MAX <= self.newest {
            *self = Self { untold: self.untold, ..Self::default() };
        }
        if minute > self.newest {
            self.newest = minute;
            self.forget(|_, page| page.minute + MINUTES_MAX <= minute);
        }
        self.newest
    }

    fn forget(&mut self, is_forgotten: impl Fn(&Place, &MinutePage) -> bool) {
        self.places.retain(|place, pages| {
            pages.retain(|page| !is_forgotten(place, page));
            !pages.is_empty()
        });
        self.pages = self.places.values().map(VecDeque::len).sum();
    }

    /// Returns the page of the current minute; `None` if there is no room for it.
    fn page(&mut self, place: Place, minute: u64) -> Option<&mut MinutePage> {
        let is_known =
            |pages: &VecDeque<MinutePage>| pages.back().is_some_and(|page| page.minute == minute);
        if !self.places.get(&place).is_some_and(is_known) {
            if self.pages == PAGES_MAX {
                self.drop_oldest(minute)?;
            }
            self.pages += 1;
            self.places.entry(place).or_default().push_back(MinutePage::new(minute));
        }
        self.places.get_mut(&place)?.back_mut()
    }

    /// Drops the oldest page of a minute before this one, if there is one.
    fn drop_oldest(&mut self, minute: u64) -> Option<()> {
        let oldest = |pages: &VecDeque<MinutePage>| pages.front().map(|page| page.minute);
        let places = self.places.iter().filter_map(|(place, pages)| Some((oldest(pages)?, *place)));
        let (_, place) = places.filter(|(oldest, _)| *oldest < minute).min()?;
        let pages = self.places.get_mut(&place)?;
        pages.pop_front();
        if pages.is_empty() {
            self.places.remove(&place);
        }
        self.pages -= 1;
        Some(())
    }
}

impl MinutePage {
    fn new(minute: u64) -> Self {
        Self {
            minute,
            whole: Sums::default(),
            ranges: Box::new([Sums::default(); RANGES]),
            keys: Level::new(),
            items: Level::new(),
        }
    }

    fn add(&mut self, span: Span<'_>, sums: &Sums) {
        self.whole.add(sums);
        match span {
            Span::Key { hash, partition, item } => {
                self.keys.add(partition, hash, sums);
                if let Some(item) = item {
                    self.items.add(item, hash, sums);
                }
                self.add_to_ranges(hash, hash, sums);
            }
            Span::Hashes(first, last) => self.add_to_ranges(first, last.max(first), sums),
        }
    }

    /// Spreads consumption evenly over the ranges from that of the first hash to that of the last.
    fn add_to_ranges(&mut self, first: u32, last: u32, sums: &Sums) {
        let (first, last) = (range_of(first), range_of(last));
        let parts = (last - first + 1) as u64;
        let ranges = self.ranges.iter_mut().skip(first).take(last - first + 1);
        for (range, nth) in ranges.zip(0..) {
            range.add(&sums.part(nth, parts));
        }
    }

    fn told(&self, name: &impl Fn(CutKey<'_>, bool) -> KeyName) -> MinuteHeat {
        MinuteHeat {
            minute_ms: self.minute * MINUTE_MS,
            whole: self.whole,
            ranges: self.ranges.to_vec(),
            keys: self.keys.told(|key| name(key, false)),
            items: self.items.told(|key| name(key, true)),
        }
    }

    fn memory_bytes(&self) -> usize {
        let sketches = [&self.keys, &self.items]
            .into_iter()
            .flat_map(|level| [&level.accessed, &level.throttled]);
        size_of::<Self>()
            + size_of::<[Sums; RANGES]>()
            + sketches.map(Sketch::heap_bytes).sum::<usize>()
    }
}

impl Level {
    fn new() -> Self {
        Self { accessed: Sketch::new(ACCESSED_MAX), throttled: Sketch::new(THROTTLED_MAX) }
    }

    fn add(&mut self, key: &[u8], hash: u32, sums: &Sums) {
        let throttles = sums.by(Measure::Throttles);
        if throttles > 0.0 {
            self.throttled.add(key, hash, sums, throttles);
        } else {
            self.accessed.add(key, hash, sums, sums.units());
        }
    }

    fn told(&self, name: impl Fn(CutKey<'_>) -> KeyName) -> Hot {
        let top = |sketch: &Sketch| {
            let keys = sketch.known().map(|known| {
                let KeyName { key, parts } = name(known.key);
                let (range, sums, over) = (range_of(known.hash), known.sums, known.over);
                HotKey { key, parts, range, sums, over }
            });
            let mut top = Top { keys: keys.collect(), floor: sketch.floor() };
            top.sort();
            top
        };
        Hot { accessed: top(&self.accessed), throttled: top(&self.throttled) }
    }
}

/// Returns the range of the hash space that a hash is in.
fn range_of(hash: u32) -> usize {
    usize::try_from((u64::from(hash) * RANGES as u64) >> 32).unwrap_or(RANGES - 1)
}
