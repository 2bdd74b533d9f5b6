//! The map as text: a line for each range of the hash space, a character for each minute, dark where it is hot.

use super::time_of_day;
use hashrange::cost::units;
use hashrange::heat::{MINUTES_MAX, MapRow, Measure, PlaceHeat, map};

/// Ranges that are shown.
const ROWS: usize = 16;
/// From cold to hot. Only a field without any use is blank.
const SHADES: &[char] = &[' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// Returns the lines of a map by a measure; none where the measure is zero.
pub fn lines(place: &PlaceHeat, measure: Measure) -> Vec<String> {
    let map = map(place, measure, ROWS, usize::try_from(MINUTES_MAX).unwrap_or(usize::MAX));
    if map.most <= 0.0 {
        return Vec::new();
    }
    let (first, last) = (map.minutes.first(), map.minutes.last());
    let [first, last] = [first, last].map(|minute| time_of_day(minute.copied().unwrap_or(0)));
    let mut lines = vec![format!(
        "{} by range of the hash space, a column a minute, {first} to {last} UTC; @ is {}",
        noun(measure),
        units(map.most),
    )];
    for (nth, row) in map.rows.iter().enumerate() {
        let shades: String = row.fields.iter().map(|field| shade(*field, map.most)).collect();
        let line = format!("{:x}  |{shades}|{}", nth, dominant(row, measure));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Returns a character for a field's part of the hottest.
fn shade(field: f64, most: f64) -> char {
    if field <= 0.0 {
        return ' ';
    }
    let hotter =
        (1..SHADES.len()).zip(1_u32..).find(|(_, nth)| field * 9.0 <= most * f64::from(*nth));
    SHADES.get(hotter.map_or(SHADES.len() - 1, |(nth, _)| nth)).copied().unwrap_or('@')
}

/// Returns the key that takes most of a range.
fn dominant(row: &MapRow, measure: Measure) -> String {
    let Some(key) = &row.dominant else { return String::new() };
    let share = 100.0 * key.sums.by(measure) / row.whole;
    format!("  {} {share:.0} %", key.key)
}

fn noun(measure: Measure) -> &'static str {
    match measure {
        Measure::Units => "units",
        Measure::ReadUnits => "read units",
        Measure::WriteUnits => "write units",
        Measure::Requests => "requests",
        Measure::Bytes => "bytes",
        Measure::Throttles => "throttled requests",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hot_is_dark_and_what_is_little_is_seen() {
        let shades: String =
            [0.0, 0.001, 0.5, 0.99, 1.0].map(|field| shade(field, 1.0)).iter().collect();
        assert_eq!(shades, " .+@@");
    }
}
