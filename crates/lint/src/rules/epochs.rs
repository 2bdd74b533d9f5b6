//! Seconds and milliseconds since 1970 side by side.

use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind, Shape};
use std::collections::BTreeMap;
use std::ops::Range;

/// Seconds from 2001 to 2049.
const SECONDS: Range<u64> = 1_000_000_000..2_500_000_000;
/// Least percentage of numbers that have to be times of one kind or the other.
const PERCENT_MIN: usize = 90;
/// Fewest numbers.
const NUMBERS_MIN: usize = 3;

/// A number of at least ten digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instant<'i> {
    pub(super) text: &'i str,
    /// The key up to and with it.
    pub(super) key: &'i str,
    number: u64,
    /// Number of the row.
    pub(super) row: usize,
}

/// Numbers that may be seconds, by the shape of what is before them.
pub(super) type Epochs<'i> = BTreeMap<Shape, Vec<Instant<'i>>>;

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let groups = if column.is_number { numbers(column) } else { long(column) };
    groups.values().find_map(|texts| of_group(texts))
}

/// Returns the components that may be seconds or milliseconds, where most such numbers are.
pub(super) fn texts<'i>(column: &Column<'i>) -> Epochs<'i> {
    let mut groups = long(column);
    groups.retain(|_, texts| {
        let may_be = |text: &&Instant<'_>| unit(text.number).is_some();
        texts.iter().filter(may_be).count() * 100 >= texts.len() * PERCENT_MIN
    });
    groups
}

fn of_group(texts: &[Instant<'_>]) -> Option<Finding> {
    let of = |wanted: u64| texts.iter().filter(move |text| unit(text.number) == Some(wanted));
    let (second, finer) = [1_000, 1_000_000]
        .into_iter()
        .find_map(|finer| Some(((of(1).next()?), (of(finer).next()?, finer))))?;
    let (millisecond, scale) = finer;
    let all = of(1).count() + of(scale).count();
    if all * 100 < texts.len() * PERCENT_MIN || all < NUMBERS_MIN {
        return None;
    }
    let word = if scale == 1_000 { "milliseconds" } else { "microseconds" };
    let evidence = format!("{} is in seconds, {} in {word}", second.text, millisecond.text);
    let examples = vec![second.key.to_owned(), millisecond.key.to_owned()];
    Some(Finding::new(Rule::MixedEpochs, evidence, examples))
}

/// Returns how many parts of a second a number since 1970 counts.
fn unit(number: u64) -> Option<u64> {
    [1, 1_000, 1_000_000].into_iter().find(|scale| SECONDS.contains(&(number / scale)))
}

fn numbers<'i>(column: &Column<'i>) -> Epochs<'i> {
    let texts = column.rows.iter().enumerate().filter_map(|(nth, row)| {
        let number = row.text.parse().ok()?;
        Some(Instant { text: row.text, key: row.text, number, row: nth })
    });
    [(Shape::default(), texts.collect())].into()
}

fn long<'i>(column: &Column<'i>) -> Epochs<'i> {
    let mut groups = Epochs::new();
    for (nth, row) in column.rows.iter().enumerate() {
        let mut shape = Shape::default();
        for token in &row.tokens {
            let text = row.text.get(token.range.clone()).unwrap_or("");
            if token.kind == Kind::Digits
                && text.len() >= 10
                && let Ok(number) = text.parse()
            {
                let key = row.text.get(..token.range.end).unwrap_or("");
                groups.entry(shape.clone()).or_default().push(Instant {
                    text,
                    key,
                    number,
                    row: nth,
                });
            }
            shape.push(row.text, token);
        }
    }
    groups
}
