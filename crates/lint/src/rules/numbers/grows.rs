//! Numbers that grow with a time in the same items, as counters and readings do.

use super::found::{Number, Reading};
use crate::design::Scalar;
use crate::keys::Column;
use crate::moments::{Kind, moment};
use std::collections::BTreeMap;

/// Fewest numbers.
const NUMBERS_MIN: usize = 5;
/// Numbers that are looked at.
const NUMBERS_MAX: usize = 500;
/// Seconds or milliseconds since 1970 begin here.
const EPOCH_MIN: u64 = 1_000_000_000;

/// Returns whether an attribute with a time is in the order of the numbers, in all items.
pub(super) fn with_time(column: &Column<'_>, numbers: &[Number<'_>], reading: Reading) -> bool {
    let mut numbers: Vec<(Vec<i128>, &Number<'_>)> =
        numbers.iter().take(NUMBERS_MAX).map(|number| (number.meaning(reading), number)).collect();
    numbers.sort_by(|one, other| one.0.cmp(&other.0));
    numbers.dedup_by(|one, other| one.0 == other.0);
    if numbers.len() < NUMBERS_MIN {
        return false;
    }
    let mut times: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for (_, number) in &numbers {
        for (name, value) in column.rows[number.row].item {
            if name != column.attribute && is_time(value) {
                times.entry(name).or_default().push((value.text().len(), value.text()));
            }
        }
    }
    times.values().any(|times| {
        let is_one_form = times.iter().all(|time| time.0 == times[0].0);
        let is_growing = times.windows(2).all(|pair| pair[0] <= pair[1]);
        times.len() == numbers.len() && is_one_form && is_growing && times.first() < times.last()
    })
}

fn is_time(value: &Scalar) -> bool {
    match value {
        Scalar::S(text) => moment(text).is_some_and(|it| {
            it.kind == Kind::YearFirst && it.length == text.len() && it.form.between_days.is_some()
        }),
        Scalar::N(text) => text.parse().is_ok_and(|number: u64| number >= EPOCH_MIN),
    }
}
