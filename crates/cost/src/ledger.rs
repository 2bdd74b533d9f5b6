//! A recording while requests are served: rows that many threads add to.
//!
//! Bounded: kinds of requests beyond [`ROWS_MAX`] are summed under the pattern `(others)`, one row for each
//! operation and table, as far as those find room.

use crate::recording::{Kind, Peak, Place, Recording, Row, RowKey, Used};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::{Mutex, PoisonError};

/// Most kinds of requests that are told apart.
const ROWS_MAX: usize = 10_000;
/// Most of those that are summed because they found no room.
const OTHERS_MAX: usize = 1000;
/// The pattern of what found no room.
const OTHERS: &str = "(others)";
const MINUTE_MS: u64 = 60_000;

/// What is recorded so far.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Pages>);

type Rows = HashMap<RowKey, Used, BuildHasherDefault<DefaultHasher>>;

#[derive(Debug, Default)]
struct Pages {
    began_ms: u64,
    rows: Rows,
    others: u64,
    minutes: BTreeMap<(Place, Kind), Minute>,
}

/// The units of the minute that is running, and of the busiest one.
#[derive(Debug, Default)]
struct Minute {
    nth: u64,
    units: f64,
    most: f64,
}

impl Ledger {
    /// Begins anew.
    pub fn begin(&self, now_ms: u64) {
        *self.pages() = Pages { began_ms: now_ms, ..Pages::default() };
    }

    /// Adds what a request used, by the places where it did.
    pub fn add(&self, now_ms: u64, used: impl IntoIterator<Item = (RowKey, Used)>) {
        let mut pages = self.pages();
        for (key, used) in used {
            pages.note_minute(now_ms / MINUTE_MS, &key, Kind::Read, used.read_units);
            pages.note_minute(now_ms / MINUTE_MS, &key, Kind::Write, used.write_units);
            pages.add(key, &used);
        }
    }

    /// Returns what is recorded so far.
    pub fn recording(&self, now_ms: u64) -> Recording {
        let pages = self.pages();
        let mut recording = Recording::new(pages.began_ms, now_ms.max(pages.began_ms));
        recording.others = pages.others;
        let rows = pages.rows.iter().map(|(key, used)| Row { key: key.clone(), used: *used });
        recording.rows = rows.collect();
        recording.rows.sort_by(|one, other| one.key.cmp(&other.key));
        let peaks = pages.minutes.iter().map(|((place, kind), minute)| Peak {
            place: place.clone(),
            kind: *kind,
            units: minute.most.max(minute.units),
        });
        recording.peaks = peaks.collect();
        recording
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    fn add(&mut self, key: RowKey, used: &Used) {
        if let Some(known) = self.rows.get_mut(&key) {
            return known.add(used);
        }
        if self.rows.len() < ROWS_MAX {
            self.rows.insert(key, *used);
            return;
        }
        self.others += used.requests;
        let (pattern, caller) = (OTHERS.to_owned(), String::new());
        let key = RowKey { pattern, caller, ..key };
        if self.rows.len() < ROWS_MAX + OTHERS_MAX || self.rows.contains_key(&key) {
            self.rows.entry(key).or_default().add(used);
        }
    }

    fn note_minute(&mut self, nth: u64, key: &RowKey, kind: Kind, units: f64) {
        if units <= 0.0 || self.minutes.len() >= ROWS_MAX {
            return;
        }
        let place = Place { table: key.table.clone(), index: key.index.clone() };
        let minute = self.minutes.entry((place, kind)).or_default();
        if minute.nth != nth {
            minute.most = minute.most.max(minute.units);
            (minute.nth, minute.units) = (nth, 0.0);
        }
        minute.units += units;
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
            pattern: pattern.to_owned(),
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
            ledger.add(at_ms, [(key("a = ?"), one(units))]);
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
    fn what_finds_no_room_is_summed() {
        let ledger = Ledger::default();
        for nth in 0..ROWS_MAX + 5 {
            ledger.add(0, [(key(&nth.to_string()), one(1.0))]);
        }
        let recording = ledger.recording(0);
        assert_eq!((recording.rows.len(), recording.others), (ROWS_MAX + 1, 5));
        let others = recording.rows.iter().find(|row| row.key.pattern == OTHERS);
        assert_eq!(others.map(|row| row.used.requests), Some(5));
    }
}
