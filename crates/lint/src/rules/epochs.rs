//! Seconds and milliseconds since 1970 side by side.

use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;
use std::ops::Range;

/// Seconds from 2001 to 2049.
const SECONDS: Range<u64> = 1_000_000_000..2_500_000_000;
/// Least percentage of components that have to be times of one kind or the other.
const SHARE_MIN: usize = 90;

pub(super) fn check(siblings: &Siblings) -> Option<Finding> {
    let numbers: Vec<(u64, &str)> = siblings
        .components
        .iter()
        .filter_map(|text| Some((text.parse().ok()?, text.as_str())))
        .collect();
    let of = |range: Range<u64>| {
        numbers.iter().filter(move |(number, _)| range.contains(number)).map(|(_, text)| *text)
    };
    let milliseconds = SECONDS.start * 1000..SECONDS.end * 1000;
    let seconds = of(SECONDS).count();
    let all = seconds + of(milliseconds.clone()).count();
    let (second, millisecond) = (of(SECONDS).next()?, of(milliseconds).next()?);
    if all * 100 < siblings.components.len() * SHARE_MIN || all < 3 {
        return None;
    }
    let evidence = format!("{second} is in seconds, {millisecond} in milliseconds");
    let examples = vec![siblings.key(second), siblings.key(millisecond)];
    Some(Finding::new(Rule::MixedEpochs, evidence, examples))
}
