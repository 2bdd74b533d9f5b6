//! The rules.

pub(crate) mod collections;
pub(crate) mod concatenated;
pub(crate) mod definition;
pub(crate) mod delimiter;

mod case;
mod dates;
mod epochs;
mod numbers;
mod prefixes;
mod times;

use crate::finding::Finding;
use crate::siblings::Siblings;

/// Returns the findings for siblings.
pub(crate) fn of_siblings(siblings: &Siblings) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(epochs::check(siblings));
    if !siblings.is_number {
        findings.extend(numbers::check(siblings));
        findings.extend(dates::check(siblings));
        findings.extend(times::check(siblings));
        findings.extend(case::check(siblings));
        findings.extend(prefixes::check(siblings));
    }
    findings
}

/// Returns the first pair in the wrong order: `meant` is in the intended order, but the second text
/// of the pair sorts before the first.
fn inverted<'s, T: PartialOrd>(meant: &[(T, &'s str)]) -> Option<(&'s str, &'s str)> {
    let pairs = meant.windows(2).map(|pair| (&pair[0], &pair[1]));
    pairs
        .filter(|((one, _), (other, _))| one < other)
        .find(|((_, one), (_, other))| one > other)
        .map(|((_, one), (_, other))| (*other, *one))
}
