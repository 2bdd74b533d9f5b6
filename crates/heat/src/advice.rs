//! Keys that used more units in a second than a partition of the service can give.
//!
//! The advice is certain: it uses the least that a key has used, over a whole minute.
//! Source: Amazon DynamoDB developer guide, "Designing partition keys to distribute your workload".

use crate::report::PlaceHeat;
use crate::sums::Measure;
use serde::Serialize;

/// Most read units of a partition in a second.
pub const READ_UNITS_MAX: f64 = 3000.0;
/// Most write units of a partition in a second.
pub const WRITE_UNITS_MAX: f64 = 1000.0;

const MINUTE_S: f64 = 60.0;

/// A key that would be throttled on the service.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Advice {
    /// The partition key.
    pub key: String,
    /// True if writes are too many, false if reads are.
    pub is_write: bool,
    /// Units per second of its busiest minute.
    pub per_second: f64,
    /// The most units per second that a partition gives.
    pub most: f64,
    /// The fewest keys that it can be split into.
    pub shards: u32,
}

impl Advice {
    /// Returns the evidence.
    pub fn evidence(&self) -> String {
        let kind = if self.is_write { "write" } else { "read" };
        format!(
            "{} takes {:.0} {kind} units a second in its busiest minute; a partition of the service gives {:.0}",
            self.key, self.per_second, self.most
        )
    }

    /// Returns the remedy.
    pub fn remedy(&self) -> String {
        format!("write it as {} partition keys or more", self.shards)
    }
}

/// Returns the keys of a place that would be throttled on the service, hottest first.
pub fn advice(place: &PlaceHeat) -> Vec<Advice> {
    let keys = place.summary().keys.accessed.keys;
    let limits =
        [(true, Measure::WriteUnits, WRITE_UNITS_MAX), (false, Measure::ReadUnits, READ_UNITS_MAX)];
    let advice = keys.into_iter().flat_map(|hot| {
        limits.into_iter().filter_map(move |(is_write, measure, most)| {
            let per_second = place.peak_of_key(&hot.key, measure) / MINUTE_S;
            let key = hot.key.clone();
            (per_second > most).then(|| Advice {
                key,
                is_write,
                per_second,
                most,
                shards: shards(per_second / most),
            })
        })
    });
    advice.collect()
}

/// Returns the smallest whole number that is not below `times`.
fn shards(times: f64) -> u32 {
    (1..=10_000).find(|shards| f64::from(*shards) >= times).unwrap_or(10_000)
}
