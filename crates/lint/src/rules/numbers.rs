//! Numbers in text: versions, counters, and the pointer to the newest version.

use super::inverted;
use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;
use std::collections::BTreeMap;

/// Words before a number that counts something.
const COUNTED: [&str; 14] = [
    "v", "ver", "version", "rev", "revision", "release", "step", "page", "part", "chapter", "seq",
    "level", "round", "line",
];
/// Numbers without such a name count something if there are at least so many of them ...
const COUNTER_MIN: usize = 5;
/// ... and they fill at least so much of the space between the least and the greatest, in percent.
const COUNTER_DENSITY: u128 = 50;
/// Most digits of a number; longer ones are names.
const DIGITS_MAX: usize = 30;

/// A component that has a number in it.
#[derive(Debug, Clone, Copy)]
struct Numbered<'s> {
    whole: &'s str,
    /// Text before the first digit, and text after the last digit that follows it.
    around: (&'s str, &'s str),
    digits: &'s str,
    number: u128,
}

pub(super) fn check(siblings: &Siblings) -> Vec<Finding> {
    let mut groups: BTreeMap<(&str, &str), Vec<Numbered<'_>>> = BTreeMap::new();
    for numbered in siblings.components.iter().filter_map(|component| Numbered::of(component)) {
        groups.entry(numbered.around).or_default().push(numbered);
    }
    groups.values().flat_map(|group| of_group(siblings, group)).collect()
}

fn of_group(siblings: &Siblings, group: &[Numbered<'_>]) -> Vec<Finding> {
    let (zero, mut counted): (Vec<_>, Vec<_>) =
        group.iter().copied().partition(|numbered| numbered.digits == "0");
    counted.sort_by_key(|numbered| numbered.number);
    let meant: Vec<_> = counted.iter().map(|numbered| (numbered.number, numbered.whole)).collect();
    let pointer = zero.first().and_then(|pointer| pointer_among(siblings, pointer, &counted));
    let order =
        inverted(&meant).and_then(|(first, second)| order(siblings, &counted, first, second));
    order.into_iter().chain(pointer).collect()
}

/// Returns the finding that numbers stand in the wrong order, if they count something.
fn order(
    siblings: &Siblings,
    counted: &[Numbered<'_>],
    first: &str,
    second: &str,
) -> Option<Finding> {
    let is_padded = counted.iter().any(|numbered| numbered.digits.starts_with('0'));
    let rule = if is_padded { Rule::PaddingOverflow } else { Rule::UnpaddedNumber };
    let has_name = counted.first().is_some_and(Numbered::has_name);
    if !is_padded && !has_name && !is_counter(counted) {
        return None;
    }
    let evidence = format!("{first} sorts before {second}");
    Some(Finding::new(rule, evidence, vec![siblings.key(first), siblings.key(second)]))
}

/// Returns whether numbers fill the space between them densely, as counters do.
fn is_counter(counted: &[Numbered<'_>]) -> bool {
    let (Some(least), Some(greatest)) = (counted.first(), counted.last()) else { return false };
    let space = greatest.number - least.number + 1;
    counted.len() >= COUNTER_MIN && counted.len() as u128 * 100 >= space * COUNTER_DENSITY
}

/// Returns the finding that `v0_` stands between two versions.
fn pointer_among(
    siblings: &Siblings,
    pointer: &Numbered<'_>,
    versions: &[Numbered<'_>],
) -> Option<Finding> {
    if !pointer.has_name() {
        return None;
    }
    let whole = |version: &Numbered<'_>| version.whole.to_owned();
    let before =
        versions.iter().filter(|version| version.whole < pointer.whole).map(whole).max()?;
    let after = versions.iter().filter(|version| version.whole > pointer.whole).map(whole).min()?;
    let name = pointer.whole;
    let evidence = format!("{name} sorts between {before} and {after}");
    let examples = [&before, name, &after].map(|component| siblings.key(component));
    Some(Finding::new(Rule::PointerAmongVersions, evidence, examples.to_vec()))
}

impl<'s> Numbered<'s> {
    fn of(whole: &'s str) -> Option<Self> {
        let start = whole.find(|character: char| character.is_ascii_digit())?;
        let (head, rest) = whole.split_at(start);
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, tail) = rest.split_at(length);
        // Dates, times and decimals have several numbers, each with another meaning.
        let is_one = !tail.bytes().any(|byte| byte.is_ascii_digit()) && length <= DIGITS_MAX;
        let number = digits.parse().ok().filter(|_| is_one)?;
        Some(Self { whole, around: (head, tail), digits, number })
    }

    fn has_name(&self) -> bool {
        let name = self.around.0.trim_end_matches(['_', '-', '.', ' ']).to_ascii_lowercase();
        COUNTED.contains(&&name[..])
    }
}
