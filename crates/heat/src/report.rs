//! What a book says, as data: minutes are added up to longer spans, and what several servers say of the same
//! table to what all of them did.
//!
//! A key that one of the parts does not name may have used up to that part's floor there. So the bounds of a
//! sum are as honest as those of its parts.

use crate::sums::{Measure, Sums};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Most keys of a list that is read from elsewhere, or added up.
const TOP_MAX: usize = 10_000;

/// What was used of a table or index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PlaceHeat {
    /// The table.
    pub table: String,
    /// The index; none for the table itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Its minutes, oldest first; those in which nothing was used are left out.
    pub minutes: Vec<MinuteHeat>,
}

/// What was used in a minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct MinuteHeat {
    /// When it began, in milliseconds since 1970.
    pub minute_ms: u64,
    /// All of it.
    pub whole: Sums,
    /// By equal ranges of the hash space.
    pub ranges: Vec<Sums>,
    /// By partition key.
    pub keys: Hot,
    /// By item.
    pub items: Hot,
}

/// The hottest keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Hot {
    /// By the units that they used.
    pub accessed: Top,
    /// By how often they were throttled.
    pub throttled: Top,
}

/// Keys in the order of their heat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Top {
    /// The hottest keys.
    pub keys: Vec<HotKey>,
    /// The most that any other key can have used: units, or throttled requests.
    pub floor: f64,
}

/// What a key is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyName {
    /// The key as text.
    pub key: String,
    /// Its parts, where a key template derives it.
    pub parts: Option<String>,
}

/// A hot key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct HotKey {
    /// The key as text.
    pub key: String,
    /// Its parts, where a key template derives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<String>,
    /// The range of the hash space that it is in, counted from 0.
    pub range: usize,
    /// What it used at least.
    #[serde(flatten)]
    pub sums: Sums,
    /// How much more it can have used: units, or throttled requests.
    pub over: f64,
}

/// A place over all of its minutes.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// All of it.
    pub whole: Sums,
    /// Partition keys.
    pub keys: Hot,
    /// Items.
    pub items: Hot,
}

impl PlaceHeat {
    /// Adds what another server says of the same place.
    pub fn add(&mut self, other: Self) {
        let mut minutes: BTreeMap<u64, MinuteHeat> =
            self.minutes.drain(..).map(|minute| (minute.minute_ms, minute)).collect();
        for minute in other.minutes {
            match minutes.get_mut(&minute.minute_ms) {
                Some(known) => known.add(minute),
                None => drop(minutes.insert(minute.minute_ms, minute)),
            }
        }
        self.minutes = minutes.into_values().collect();
    }

    /// Returns all of its minutes together.
    pub fn summary(&self) -> Summary {
        let mut sum =
            Summary { whole: Sums::default(), keys: Hot::default(), items: Hot::default() };
        for minute in &self.minutes {
            sum.whole.add(&minute.whole);
            sum.keys.add(minute.keys.clone());
            sum.items.add(minute.items.clone());
        }
        sum
    }

    /// Returns the most that a partition key used in one minute, by a measure.
    pub fn peak_of_key(&self, key: &str, measure: Measure) -> f64 {
        let minutes = self.minutes.iter().filter_map(|minute| minute.keys.sums_of(key));
        minutes.map(|sums| sums.by(measure)).fold(0.0, f64::max)
    }

    /// Returns why it cannot be what a server said, if it cannot.
    pub fn check(&self) -> Result<(), ReportFault> {
        let tops = |hot: &'_ Hot| [hot.accessed.clone(), hot.throttled.clone()];
        let is_top = |top: &Top| {
            top.floor >= 0.0
                && top.keys.len() <= TOP_MAX
                && top.keys.iter().all(|key| key.sums.is_amount() && key.over >= 0.0)
        };
        let is_minute = |minute: &MinuteHeat| {
            let sums = minute.ranges.iter().chain([&minute.whole]);
            let mut hot = [&minute.keys, &minute.items].into_iter().flat_map(tops);
            sums.into_iter().all(Sums::is_amount) && hot.all(|top| is_top(&top))
        };
        if self.minutes.iter().all(is_minute) { Ok(()) } else { Err(ReportFault) }
    }
}

impl MinuteHeat {
    fn add(&mut self, other: Self) {
        self.whole.add(&other.whole);
        for (range, other) in self.ranges.iter_mut().zip(&other.ranges) {
            range.add(other);
        }
        self.keys.add(other.keys);
        self.items.add(other.items);
    }
}

impl Hot {
    /// Adds what was used besides.
    fn add(&mut self, other: Self) {
        self.accessed.add(other.accessed);
        self.throttled.add(other.throttled);
    }

    /// Returns what a key used at least, with its throttled requests.
    pub fn sums_of(&self, key: &str) -> Option<Sums> {
        let both = [&self.accessed, &self.throttled];
        let known = both.iter().flat_map(|top| &top.keys).filter(|known| known.key == key);
        known.map(|known| known.sums).reduce(|mut sum, other| {
            sum.add(&other);
            sum
        })
    }
}

impl Top {
    fn add(&mut self, other: Self) {
        let mut unseen: BTreeMap<String, HotKey> =
            other.keys.into_iter().map(|key| (key.key.clone(), key)).collect();
        for known in &mut self.keys {
            match unseen.remove(&known.key) {
                Some(also) => {
                    known.sums.add(&also.sums);
                    known.over += also.over;
                }
                None => known.over += other.floor,
            }
        }
        let floor = self.floor;
        self.keys.extend(unseen.into_values().map(|key| HotKey { over: key.over + floor, ..key }));
        self.floor += other.floor;
        self.sort();
        self.cut();
    }

    /// Puts the hottest keys first.
    pub(crate) fn sort(&mut self) {
        self.keys.sort_by(|one, other| {
            let by = |key: &HotKey| (key.sums.throttles, key.sums.units());
            let (one_by, other_by) = (by(one), by(other));
            other_by
                .0
                .cmp(&one_by.0)
                .then(other_by.1.total_cmp(&one_by.1))
                .then(one.key.cmp(&other.key))
        });
    }

    /// Keeps a bounded number of keys.
    fn cut(&mut self) {
        if let Some(first) = self.keys.get(TOP_MAX) {
            self.floor = self.floor.max(first.sums.units() + first.over);
            self.keys.truncate(TOP_MAX);
        }
    }
}

/// Figures that no server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportFault;

impl fmt::Display for ReportFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("these are no figures of heat: some are below 0, or there are too many")
    }
}

impl std::error::Error for ReportFault {}
