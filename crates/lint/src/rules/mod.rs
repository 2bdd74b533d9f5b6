//! The rules.

pub(crate) mod collections;
pub(crate) mod composites;
pub(crate) mod definition;
pub(crate) mod partitions;

mod blanks;
mod case;
mod dates;
mod empty;
mod epochs;
mod forms;
mod mixed_delimiters;
mod numbers;
mod placeholders;
mod pointers;
mod prefixes;
mod split;
mod times;

use crate::finding::Finding;
use crate::keys::{Column, Role};
use crate::moments_in::Moments;
use crate::places::Places;

/// Returns the findings in the values of a key attribute.
pub(crate) fn of_column(column: &Column<'_>) -> Vec<Finding> {
    if column.is_number {
        return epochs::check(column).into_iter().collect();
    }
    let places = Places::of(column);
    let mut findings = Vec::new();
    if column.role == Role::Sort {
        let moments = Moments::of(column);
        findings.extend(epochs::check(column));
        findings.extend(numbers::check(column));
        findings.extend(pointers::check(column));
        findings.extend(dates::check(column, &moments, &places));
        findings.extend(forms::check(column, &moments));
        findings.extend(times::check(column, &moments));
        findings.extend(prefixes::check(column));
    } else {
        findings.extend(split::check(column));
    }
    findings.extend(case::check(column, &places));
    findings.extend(placeholders::check(column, &places));
    findings.extend(blanks::check(column, &places));
    findings.extend(empty::check(column));
    findings.extend(mixed_delimiters::check(column));
    findings
}

/// Returns the first pair in the wrong order: `meant` is in the intended order, but the second text
/// of the pair sorts before the first.
fn inverted<'m, T: PartialOrd, V>(meant: &'m [(T, &str, V)]) -> Option<(&'m V, &'m V)> {
    let pairs = meant.windows(2).map(|pair| (&pair[0], &pair[1]));
    pairs
        .filter(|(one, other)| one.0 < other.0)
        .find(|(one, other)| one.1 > other.1)
        .map(|(one, other)| (&other.2, &one.2))
}
