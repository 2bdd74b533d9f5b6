//! Report of a book as data: adds minutes up to longer spans, and the reports of several servers on
//! one table to a common one.
//!
//! A key that a part does not name may have used up to that part's floor there. The bounds of a sum
//! include these floors, so they hold if those of the parts do.

use crate::sums::{Measure, Sums};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Most keys of a list that is read from elsewhere, or added up.
const TOP_MAX: usize = 10_000;

/// Consumption of a table or index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PlaceHeat {
    /// The table.
    pub table: String,
    /// The index; none for the table itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Its minutes, oldest first; those without consumption are left out.
    pub minutes: Vec<MinuteHeat>,
}

/// Consumption in a minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct MinuteHeat {
    /// Start of the minute, in milliseconds since 1970.
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
    /// By units used.
    pub accessed: Top,
    /// By throttled requests.
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

/// Name of a key.
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
    /// The least that it used.
    #[serde(flatten)]
    pub sums: Sums,
    /// The most that it can have used beyond that: units, or throttled requests.
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
    /// Adds another server's report on the same place.
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

    /// Returns an error if no server can have made this report.
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
    /// Adds further consumption.
    fn add(&mut self, other: Self) {
        self.accessed.add(other.accessed);
        self.throttled.add(other.throttled);
    }

    /// Returns the least that a key used, with its throttled requests.
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

    /// Drops keys beyond the bound.
    fn cut(&mut self) {
        if let Some(first) = self.keys.get(TOP_MAX) {
            self.floor = self.floor.max(first.sums.units() + first.over);
            self.keys.truncate(TOP_MAX);
        }
    }
}

/// Figures that no server reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportFault;

impl fmt::Display for ReportFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("these are no figures of heat: some are below 0, or there are too many")
    }
}

impl std::error::Error for ReportFault {}
