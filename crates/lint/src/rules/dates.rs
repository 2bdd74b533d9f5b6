//! Dates and times of day that do not sort: the day or the month first, months by name, hours of a
//! half day, numbers without leading zeros.

use super::inverted;
use crate::finding::{Finding, Rule};
use crate::keys::Column;
use crate::moments::{Form, Kind, Moment, month_named};
use crate::moments_in::{Found, Moments, by_collection};
use crate::places::{Place, Places, Seen};
use std::collections::BTreeMap;

/// A fix for weeks, whichever rule finds them.
pub(super) const AS_WEEKS: &str = "write weeks with two digits behind the year, as 2026-W09";
const AS_CLOCKS: &str = "write times of day with 24 hours and two digits, as 09:05 and 13:15";
const AS_MONTHS: &str = "write months as numbers of two digits behind the year, as 2026-03";
/// Months that a place has to have to be one of months.
const MONTHS_MIN: usize = 3;

pub(super) fn check(
    column: &Column<'_>,
    moments: &Moments,
    places: &Places<'_>,
) -> Option<Finding> {
    let groups = moments.groups.values();
    groups
        .flat_map(|found| by_collection(found))
        .find_map(|found| of_group(column, &found))
        .or_else(|| places.all().find_map(|place| months(column, place)))
}

fn of_group(column: &Column<'_>, found: &[&Found]) -> Option<Finding> {
    // Moments of different kinds are in the wrong order because of that.
    let mut kinds: BTreeMap<(Kind, Form), Vec<&Found>> = BTreeMap::new();
    for one in found {
        kinds.entry((one.moment.kind, one.moment.form)).or_default().push(one);
    }
    kinds.values().find_map(|found| of_kind(column, found))
}

fn of_kind<'f>(column: &Column<'_>, found: &[&'f Found]) -> Option<Finding> {
    // Every possible reading, day first and month first, has to show harm.
    let read = |meaning: fn(&Moment) -> Option<i64>| {
        let one = |found: &&'f Found| Some((meaning(&found.moment)?, local(column, found), *found));
        let mut meant = found.iter().map(one).collect::<Option<Vec<_>>>()?;
        meant.sort_unstable_by_key(|(meaning, text, _)| (*meaning, *text));
        Some(meant)
    };
    let readings = [read(|moment| moment.day_first), read(|moment| moment.month_first)];
    let harm: Option<Vec<_>> = readings.iter().flatten().map(|meant| inverted(meant)).collect();
    let (first, second) = *harm?.first()?;
    let evidence =
        format!("{} sorts before {}, which is earlier", first.text(column), second.text(column));
    let finding =
        Finding::new(Rule::DateOrder, evidence, vec![first.key(column), second.key(column)]);
    // Of all that follows a date only am and pm end so.
    let is_of_half_day = [first, second]
        .into_iter()
        .any(|found| found.text(column).trim_end_matches('.').ends_with(['m', 'M']));
    Some(match first.moment.kind {
        Kind::Week => finding.with_fix(AS_WEEKS),
        Kind::Clock => finding.with_fix(AS_CLOCKS),
        Kind::YearFirst if is_of_half_day => finding.with_fix(AS_CLOCKS),
        _ => finding,
    })
}

/// Returns the text of a moment without its zone.
fn local<'i>(column: &Column<'i>, found: &Found) -> &'i str {
    let text = found.text(column);
    if found.moment.kind == Kind::YearFirst && found.moment.form.has_clock {
        let end = text.rfind(['Z', 'z', '+']).unwrap_or(text.len());
        return text.get(..end).unwrap_or(text);
    }
    text
}

/// Returns the finding that a place has the names of months.
fn months(column: &Column<'_>, place: &Place<'_>) -> Option<Finding> {
    let named = |seen: &&Seen<'_>| month_named(seen.text).is_some();
    let months: Vec<&Seen<'_>> = place.components.values().filter(named).collect();
    if months.len() < MONTHS_MIN || months.len() * 10 < place.components.len() * 7 {
        return None;
    }
    let mut meant: Vec<(i64, &str, &Seen<'_>)> = months
        .into_iter()
        .filter_map(|seen| Some((month_named(seen.text)?, seen.text, seen)))
        .collect();
    meant.sort_unstable_by_key(|(month, text, _)| (*month, *text));
    let (first, second) = inverted(&meant)?;
    let evidence = format!("{} sorts before {}, which is earlier", first.text, second.text);
    let key = |seen: &Seen<'_>| column.row_of(seen).through(&seen.part).to_owned();
    let finding = Finding::new(Rule::DateOrder, evidence, vec![key(first), key(second)]);
    Some(finding.with_fix(AS_MONTHS))
}
