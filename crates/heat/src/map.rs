//! Ranges of the hash space by minutes, each range with the key that dominates it.

use crate::report::{HotKey, PlaceHeat};
use crate::sums::Measure;

/// A key dominates its range if it used more than this part of the range's total.
const DOMINANT: f64 = 0.5;
const MINUTE_MS: u64 = 60_000;

/// Ranges by minutes.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Start of each minute, in milliseconds since 1970, including those without consumption.
    pub minutes: Vec<u64>,
    /// The ranges in the order of their hashes.
    pub rows: Vec<MapRow>,
    /// Largest value of a field.
    pub most: f64,
}

/// A range.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRow {
    /// Consumption in each minute.
    pub fields: Vec<f64>,
    /// Consumption in all of them.
    pub whole: f64,
    /// Partition key that used more than half of it.
    pub dominant: Option<HotKey>,
}

/// Returns the map of a place by a measure: its newest minutes, at most `most`, with the ranges
/// merged into `rows` rows.
pub fn map(place: &PlaceHeat, measure: Measure, rows: usize, most: usize) -> Map {
    let newest = place.minutes.last().map_or(0, |minute| minute.minute_ms);
    let oldest = place.minutes.first().map_or(0, |minute| minute.minute_ms);
    let count = usize::try_from((newest - oldest.min(newest)) / MINUTE_MS).unwrap_or(most) + 1;
    let minutes: Vec<u64> =
        (0..).take(count.min(most)).map(|back| newest.saturating_sub(back * MINUTE_MS)).collect();
    let minutes: Vec<u64> = minutes.into_iter().rev().collect();
    let ranges = place.minutes.first().map_or(0, |minute| minute.ranges.len()).max(1);
    let row_of = |range: usize| range * rows / ranges;
    let mut map = Map {
        rows: vec![MapRow { fields: vec![0.0; minutes.len()], whole: 0.0, dominant: None }; rows],
        minutes,
        most: 0.0,
    };
    for minute in &place.minutes {
        let Ok(column) = map.minutes.binary_search(&minute.minute_ms) else { continue };
        for (range, sums) in minute.ranges.iter().enumerate() {
            let Some(row) = map.rows.get_mut(row_of(range)) else { continue };
            row.whole += sums.by(measure);
            if let Some(field) = row.fields.get_mut(column) {
                *field += sums.by(measure);
            }
        }
    }
    let summary = place.summary();
    for (nth, row) in map.rows.iter_mut().enumerate() {
        let mut keys = summary.keys.accessed.keys.iter().chain(&summary.keys.throttled.keys);
        let least = DOMINANT * row.whole;
        let is_dominant = |key: &&HotKey| row_of(key.range) == nth && key.sums.by(measure) > least;
        row.dominant = keys.find(is_dominant).cloned();
    }
    map.most = map.rows.iter().flat_map(|row| &row.fields).copied().fold(0.0, f64::max);
    map
}
