//! Times that do not sort because of different offsets, or of different precision.

use super::inverted;
use crate::finding::{Finding, Rule};
use crate::keys::Column;
use crate::moments::{Kind, Zone};
use crate::moments_in::{Found, Moments, by_collection, pair};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(column: &Column<'_>, moments: &Moments) -> Vec<Finding> {
    let is_time =
        |found: &&Found| found.moment.kind == Kind::YearFirst && found.moment.form.has_clock;
    let groups: Vec<Vec<Found>> = moments
        .groups
        .values()
        .map(|found| found.iter().filter(is_time).cloned().collect())
        .collect();
    let offsets = groups.iter().find_map(|found| offsets(column, found));
    let precision = groups.iter().find_map(|found| precision(column, found));
    offsets.into_iter().chain(precision).collect()
}

fn offsets(column: &Column<'_>, found: &[Found]) -> Option<Finding> {
    let mut collections: Vec<Vec<&Found>> = by_collection(found).collect();
    let all = collections.pop()?;
    if let Some(finding) = collections.iter().find_map(|found| offsets_of(column, found)) {
        return Some(finding);
    }
    // Places that keep their own offset are in order, each for itself.
    let single = collections.iter().filter(|found| found.len() == 1).count();
    (single * 2 > collections.len()).then(|| offsets_of(column, &all)).flatten()
}

fn offsets_of(column: &Column<'_>, found: &[&Found]) -> Option<Finding> {
    let zones: BTreeSet<Zone> = found.iter().map(|found| found.moment.zone).collect();
    if zones.len() < 2 {
        return None;
    }
    let mut meant: Vec<(i64, &str, &Found)> = found
        .iter()
        .filter_map(|found| Some((found.moment.in_utc()?, found.text(column), *found)))
        .collect();
    meant.sort_unstable_by_key(|(utc, text, _)| (*utc, *text));
    let (first, second) = inverted(&meant)?;
    let (one, other) = (first.moment.zone, second.moment.zone);
    // Two times of one offset are in the wrong order for another reason.
    let is_because = one != other && one != Zone::None && other != Zone::None;
    is_because.then(|| {
        let (one, other) = (first.text(column), second.text(column));
        let evidence = format!("{one} sorts before {other}, which is earlier");
        let examples = vec![first.key(column), second.key(column)];
        Finding::new(Rule::LocalOffsets, evidence, examples)
    })
}

/// Returns the finding that times have different precision. Of two in the same second the longer
/// one sorts first: the comparison meets the `Z` of the shorter one and a digit or a point. The
/// sign of an offset sorts before both, so times with one are in order.
fn precision(column: &Column<'_>, found: &[Found]) -> Option<Finding> {
    let mut lengths: BTreeMap<usize, Vec<&Found>> = BTreeMap::new();
    for one in found.iter().filter(|found| found.moment.zone == Zone::Utc) {
        lengths.entry(one.moment.rest).or_default().push(one);
    }
    let (few, many) = (lengths.values().next()?, lengths.values().nth(1)?);
    let (longer, shorter) = pair(column, many, few)?;
    let evidence = format!(
        "{} times like {} and {} like {} have different precision: within one second, or minute, the \
         longer one sorts first",
        few.len(),
        shorter.text(column),
        many.len(),
        longer.text(column)
    );
    let mut examples = vec![shorter.key(column), longer.key(column)];
    examples.sort();
    Some(Finding::new(Rule::MixedPrecision, evidence, examples))
}
