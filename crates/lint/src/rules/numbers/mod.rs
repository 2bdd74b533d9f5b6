//! Numbers in text that do not sort: without leading zeros, with too few of them, negative ones,
//! versions such as 1.10.0.
//!
//! Only numbers that count or measure something have an order; codes have none. `judge.rs` tells
//! them apart. Numbers are compared behind beginnings of one shape, first within an item
//! collection, then over all of them: a sample has few items of each.

mod found;
mod grows;
mod judge;

use super::dates::AS_WEEKS;
use super::inverted;
use crate::finding::{Finding, Rule};
use crate::keys::Column;
use found::{Groups, Number, Reading};
use judge::{Judge, is_of_week};
use std::collections::BTreeMap;

const NEGATIVE: &str = "make it a number attribute, or write it by a key template with {a:pad:8}, in which numbers \
                        below zero sort first";

pub(super) fn check(column: &Column<'_>) -> Vec<Finding> {
    let groups = Groups::of(column);
    groups.numbers.values().filter_map(|numbers| of_group(column, &groups, numbers)).collect()
}

fn of_group(column: &Column<'_>, groups: &Groups<'_>, numbers: &[Number<'_>]) -> Option<Finding> {
    let judge = Judge::new(column, groups, numbers)?;
    // Whoever is in order over all collections is in order in each.
    let over_all =
        by_order_before(numbers).into_values().find_map(|it| pair(&it, judge.reading))?;
    let rule = judge.rule()?;
    let within = by_beginning(numbers).into_values().find_map(|same| pair(&same, judge.reading));
    let is_within = within.is_some();
    let (first, second) = within.unwrap_or(over_all);
    let mut evidence = format!("{} sorts before {}", first.shown(column), second.shown(column));
    if rule == Rule::DateOrder {
        evidence.push_str(", which is earlier");
    }
    if !is_within && first.collection != second.collection {
        evidence.push_str("; they are in two item collections of the sample");
    }
    let finding = Finding::new(rule, evidence, vec![first.key(column), second.key(column)]);
    Some(match rule {
        Rule::UnpaddedNumber if numbers.iter().any(|number| number.is_negative) => {
            finding.with_fix(NEGATIVE)
        }
        Rule::DateOrder if is_of_week(first.head) => finding.with_fix(AS_WEEKS),
        _ => finding,
    })
}

/// Returns numbers by the numbers and times before them, which decide the order of keys first.
fn by_order_before<'n, 'i>(
    numbers: &'n [Number<'i>],
) -> BTreeMap<Vec<&'i str>, Vec<&'n Number<'i>>> {
    let is_order = |run: &&str| {
        let is_time = |it: char| it.is_ascii_digit() || it == 'T' || it == 'Z';
        run.starts_with(|it: char| it.is_ascii_digit()) && run.chars().all(is_time)
    };
    let mut found: BTreeMap<Vec<&str>, Vec<&Number<'_>>> = BTreeMap::new();
    for number in numbers {
        let runs = number.before.split(|it: char| !it.is_alphanumeric());
        found.entry(runs.filter(is_order).collect()).or_default().push(number);
    }
    found
}

type Beginning<'n> = (usize, &'n str);

fn by_beginning<'n, 'i>(numbers: &'n [Number<'i>]) -> BTreeMap<Beginning<'i>, Vec<&'n Number<'i>>> {
    let mut found: BTreeMap<Beginning<'i>, Vec<&Number<'i>>> = BTreeMap::new();
    for number in numbers {
        found.entry((number.collection, number.before)).or_default().push(number);
    }
    found
}

/// Returns two numbers in the wrong order.
fn pair<'n, 'i>(
    numbers: &[&'n Number<'i>],
    reading: Reading,
) -> Option<(&'n Number<'i>, &'n Number<'i>)> {
    let mut meant: Vec<(Vec<i128>, &str, &Number<'_>)> =
        numbers.iter().map(|number| (number.meaning(reading), number.behind, *number)).collect();
    meant.sort_unstable_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    inverted(&meant).map(|(first, second)| (*first, *second))
}
