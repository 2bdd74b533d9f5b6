//! The running recording: rows to which many threads add.
//!
//! A request of a known kind allocates nothing here. Bounded: kinds of requests beyond [`ROWS_MAX`] are summed under
//! the pattern `(others)`, one row for each operation and table, as far as those find room; callers beyond
//! [`CALLERS_MAX`] are one, `(others)`. The crate `model` bounds the lengths of callers' ids and of patterns
//! (`bounds.rs`).

use crate::pattern::Pattern;
use crate::recording::{KeyRef, Kind, Peak, Place, Recording, Row, RowKey, Used};
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// Most rows, each a kind of requests by one caller.
const ROWS_MAX: usize = 10_000;
/// Most distinct callers: a client may show a new, unverified id with each request.
const CALLERS_MAX: usize = 1000;
/// Most rows of pattern `(others)`.
const OTHERS_MAX: usize = 1000;
/// Most rows of one hash: clients choose some of the hashed bytes.
const SAME_HASH_MAX: usize = 8;
/// Slots of the cache of row offsets.
const HINTS: usize = 256;
/// Most tables and indexes with a known busiest minute.
const PLACES_MAX: usize = 10_000;
/// Most bytes of the patterns of all rows.
const PATTERNS_MAX_BYTES: usize = 8 << 20;
/// Caller of ids beyond the bound.
const OTHERS: &str = "(others)";
const MINUTE_MS: u64 = 60_000;

/// The running recording.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    began_ms: u64,
    rows: Vec<LedgerRow>,
    /// Cache of row offsets by [`hint`]; a slot may hold another key's row.
    hinted: Vec<usize>,
    /// Offsets of rows by the hash of their keys.
    by_hash: HashMap<u64, Vec<usize>, BuildHasherDefault<Hashed>>,
    others: u64,
    /// Bytes of the patterns of all rows.
    bytes: usize,
    places: Vec<OfPlace>,
    callers: BTreeSet<String>,
}

/// A row, and the offset of its place.
#[derive(Debug)]
struct LedgerRow {
    key: RowKey,
    used: Used,
    place: Option<usize>,
}

#[derive(Debug)]
struct OfPlace {
    place: Place,
    reads: Minute,
    writes: Minute,
}

/// Units of the current minute, and of the busiest one before.
#[derive(Debug, Default)]
struct Minute {
    nth: u64,
    units: f64,
    most: f64,
}

/// The locked ledger, to which one request adds its use.
#[derive(Debug)]
pub struct Page<'l> {
    pages: MutexGuard<'l, Pages>,
    minute: u64,
}

impl Ledger {
    /// Begins an empty recording.
    pub fn begin(&self, now_ms: u64) {
        *self.pages() = Pages { began_ms: now_ms, ..Pages::default() };
    }

    /// Lets `note` add the use of a request.
    pub fn add(&self, now_ms: u64, note: impl FnOnce(&mut Page<'_>)) {
        note(&mut Page { pages: self.pages(), minute: now_ms / MINUTE_MS });
    }

    /// Returns the recording so far.
    pub fn recording(&self, now_ms: u64) -> Recording {
        let pages = self.pages();
        let mut recording = Recording::new(pages.began_ms, now_ms.max(pages.began_ms));
        recording.others = pages.others;
        let rows = pages.rows.iter().map(|row| Row { key: row.key.clone(), used: row.used });
        recording.rows = rows.collect();
        recording.rows.sort_by(|one, other| one.key.cmp(&other.key));
        for OfPlace { place, reads, writes } in &pages.places {
            for (kind, minute) in [(Kind::Read, reads), (Kind::Write, writes)] {
                let units = minute.most.max(minute.units);
                if units > 0.0 {
                    recording.peaks.push(Peak { place: place.clone(), kind, units });
                }
            }
        }
        recording
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Page<'_> {
    /// Adds the use of one table or index.
    pub fn add(&mut self, key: KeyRef<'_>, used: &Used) {
        let minute = self.minute;
        let pages = &mut *self.pages;
        let key = if pages.knows_caller(key) { key } else { KeyRef { caller: OTHERS, ..key } };
        let Some(nth) = pages.find(key).or_else(|| pages.insert(key, used.requests)) else {
            return;
        };
        let row = &mut pages.rows[nth];
        row.used.add(used);
        if let Some(of_place) = row.place.map(|place| &mut pages.places[place]) {
            for (of_kind, units) in
                [(&mut of_place.reads, used.read_units), (&mut of_place.writes, used.write_units)]
            {
                if units > 0.0 {
                    of_kind.add(minute, units);
                }
            }
        }
    }
}

impl Pages {
    /// Returns whether a caller is counted by id; a new one needs room.
    fn knows_caller(&mut self, key: KeyRef<'_>) -> bool {
        if key.caller.is_empty() || self.find(key).is_some() || self.callers.contains(key.caller) {
            return true;
        }
        let has_room = self.callers.len() < CALLERS_MAX;
        if has_room {
            self.callers.insert(key.caller.to_owned());
        }
        has_room
    }

    /// Returns the offset of a row.
    fn find(&mut self, key: KeyRef<'_>) -> Option<usize> {
        let is_it = |nth: usize| self.rows.get(nth).is_some_and(|row| row.key.as_ref() == key);
        let hint = hint(key);
        if let Some(nth) = self.hinted.get(hint).copied().filter(|nth| is_it(*nth)) {
            return Some(nth);
        }
        let nth = self.by_hash.get(&hash(key))?.iter().copied().find(|nth| is_it(*nth))?;
        self.hinted.resize(HINTS, usize::MAX);
        self.hinted[hint] = nth;
        Some(nth)
    }

    /// Adds a row, or finds or adds the one of pattern `(others)`; none if neither has room.
    fn insert(&mut self, key: KeyRef<'_>, requests: u64) -> Option<usize> {
        if let Some(nth) = self.insert_within(ROWS_MAX, key) {
            return Some(nth);
        }
        self.others += requests;
        let summed = KeyRef { pattern: &Pattern::others(), caller: "", ..key };
        self.find(summed).or_else(|| self.insert_within(ROWS_MAX + OTHERS_MAX, summed))
    }

    fn insert_within(&mut self, most: usize, key: KeyRef<'_>) -> Option<usize> {
        let nth = self.rows.len();
        let bytes = self.bytes + key.pattern.bytes();
        let same = self.by_hash.entry(hash(key)).or_default();
        if nth >= most || bytes > PATTERNS_MAX_BYTES || same.len() >= SAME_HASH_MAX {
            if same.is_empty() {
                self.by_hash.remove(&hash(key));
            }
            return None;
        }
        same.push(nth);
        self.bytes = bytes;
        let place = self.place(key);
        self.rows.push(LedgerRow { key: key.to_key(), used: Used::default(), place });
        Some(nth)
    }

    /// Returns the offset of a table or index.
    fn place(&mut self, key: KeyRef<'_>) -> Option<usize> {
        let is_it = |known: &OfPlace| {
            known.place.table == key.table && known.place.index.as_deref() == key.index
        };
        if let Some(known) = self.places.iter().position(is_it) {
            return Some(known);
        }
        let place = Place { table: key.table.to_owned(), index: key.index.map(str::to_owned) };
        let (reads, writes) = (Minute::default(), Minute::default());
        (self.places.len() < PLACES_MAX).then(|| {
            self.places.push(OfPlace { place, reads, writes });
            self.places.len() - 1
        })
    }
}

impl Minute {
    fn add(&mut self, nth: u64, units: f64) {
        if self.nth != nth {
            self.most = self.most.max(self.units);
            (self.nth, self.units) = (nth, 0.0);
        }
        self.units += units;
    }
}

/// Returns the slot of a key in the cache. Keys of a kind mostly come from the same addresses, which are quicker to
/// read than their text.
fn hint(key: KeyRef<'_>) -> usize {
    /// Alignment of most allocations, in bytes.
    const ALIGNED: usize = 16;
    let KeyRef { operation, table, index, pattern, caller } = key;
    let place = |text: &str| text.as_ptr().addr() / ALIGNED;
    let tests = pattern.keys.len() + pattern.filter.len() + pattern.members.len();
    let lengths = tests + caller.len() + index.map_or(0, str::len);
    place(operation).wrapping_add(place(table)).wrapping_add(lengths) % HINTS
}

fn hash(key: KeyRef<'_>) -> u64 {
    let KeyRef { operation, table, index, pattern, caller } = key;
    let mut hash = Xxh3::new();
    (operation, table, index, pattern, caller).hash(&mut hash);
    hash.finish()
}

/// Hasher of hashes.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the map's keys are numbers");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(pattern: &str) -> RowKey {
        RowKey {
            operation: "Query".to_owned(),
            table: "cities".to_owned(),
            index: None,
            pattern: Pattern::read(pattern).unwrap(),
            caller: String::new(),
        }
    }

    fn one(read_units: f64) -> Used {
        Used { requests: 1, read_units, ..Used::default() }
    }

    #[test]
    fn requests_of_one_kind_are_a_row_and_the_busiest_minute_is_known() {
        let ledger = Ledger::default();
        ledger.begin(1000);
        for (at_ms, units) in [(1000, 1.0), (2000, 2.0), (61_000, 0.5)] {
            ledger.add(at_ms, |page| page.add(key("a = ?").as_ref(), &one(units)));
        }
        let recording = ledger.recording(70_000);
        assert_eq!((recording.began_ms, recording.until_ms), (1000, 70_000));
        let [row] = &recording.rows[..] else { panic!("{recording:?}") };
        assert_eq!((row.used.requests, row.used.read_units), (3, 3.5));
        let [peak] = &recording.peaks[..] else { panic!("{recording:?}") };
        assert_eq!((peak.kind, peak.units), (Kind::Read, 3.0));
        ledger.begin(80_000);
        assert_eq!(ledger.recording(80_000), Recording::new(80_000, 80_000));
    }

    #[test]
    fn callers_that_find_no_room_are_one() {
        let ledger = Ledger::default();
        for nth in 0..CALLERS_MAX + 5 {
            let key = RowKey { caller: format!("key-{nth:05}"), ..key("a = ?") };
            ledger.add(0, |page| page.add(key.as_ref(), &one(1.0)));
            ledger.add(0, |page| page.add(key.as_ref(), &one(1.0)));
        }
        let recording = ledger.recording(0);
        assert_eq!((recording.rows.len(), recording.others), (CALLERS_MAX + 1, 0));
        let others = recording.rows.iter().find(|row| row.key.caller == OTHERS);
        assert_eq!(others.map(|row| row.used.requests), Some(10));
    }

    #[test]
    fn what_finds_no_room_is_summed() {
        let ledger = Ledger::default();
        for nth in 0..ROWS_MAX + 5 {
            ledger.add(0, |page| page.add(key(&format!("a{nth} = ?")).as_ref(), &one(1.0)));
        }
        let recording = ledger.recording(0);
        assert_eq!((recording.rows.len(), recording.others), (ROWS_MAX + 1, 5));
        let others = recording.rows.iter().find(|row| row.key.pattern.is_others);
        assert_eq!(others.map(|row| row.used.requests), Some(5));
    }
}
