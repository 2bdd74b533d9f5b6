//! Moments in different forms side by side: `20260301` and `2026-03-01`, a blank and a `T`, seconds
//! since 1970 and a date.

use crate::design::are_alike;
use crate::finding::{Finding, Rule};
use crate::keys::Column;
use crate::moments::{Kind, Zone};
use crate::moments_in::{Found, Moments, PAIRS_MAX, pair};
use crate::rules::epochs;
use std::collections::BTreeMap;

/// A way of writing, as far as it matters for the order: what stands between the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Days(Option<char>),
    BeforeClock(Option<char>),
    Hours(Option<char>),
    ZoneOfUtc(bool),
    YearFirst(bool),
}

pub(super) fn check(column: &Column<'_>, moments: &Moments) -> Option<Finding> {
    let epochs = epochs::texts(column);
    moments.groups.iter().find_map(|(shape, found)| {
        of_ways(column, found).or_else(|| beside_epochs(column, found, epochs.get(shape)?))
    })
}

fn of_ways(column: &Column<'_>, found: &[Found]) -> Option<Finding> {
    let mut sorts: BTreeMap<u8, BTreeMap<Way, Vec<&Found>>> = BTreeMap::new();
    for one in found {
        for (sort, way) in ways_of(one) {
            sorts.entry(sort).or_default().entry(way).or_default().push(one);
        }
    }
    sorts.into_values().find_map(|ways| {
        let mut ways: Vec<Vec<&Found>> = ways.into_values().collect();
        ways.sort_by_key(|found| std::cmp::Reverse(found.len()));
        let (many, few) = (ways.first()?, ways.get(1)?);
        let (one, other) = pair(column, many, few)?;
        let (first, second) = (one.text(column), other.text(column));
        let (many, few) = (many.len(), few.len());
        let evidence = format!("{many} are written like {first}, {few} like {second}");
        let examples = vec![one.key(column), other.key(column)];
        Some(Finding::new(Rule::MixedTimeForms, evidence, examples))
    })
}

fn ways_of(found: &Found) -> Vec<(u8, Way)> {
    let (moment, form) = (&found.moment, found.moment.form);
    let mut ways = Vec::new();
    if matches!(moment.kind, Kind::YearFirst | Kind::YearLast | Kind::Named) {
        ways.push((0, Way::YearFirst(moment.kind == Kind::YearFirst)));
    }
    if moment.kind != Kind::YearFirst {
        return ways;
    }
    ways.push((1, Way::Days(form.between_days)));
    if form.has_clock {
        ways.push((2, Way::BeforeClock(form.before_clock)));
        ways.push((3, Way::Hours(form.between_hours)));
    }
    match moment.zone {
        Zone::Utc => ways.push((4, Way::ZoneOfUtc(true))),
        Zone::Offset(0) => ways.push((4, Way::ZoneOfUtc(false))),
        Zone::Offset(_) | Zone::None => {}
    }
    ways
}

fn beside_epochs(
    column: &Column<'_>,
    found: &[Found],
    epochs: &[epochs::Instant<'_>],
) -> Option<Finding> {
    let dates = || found.iter().filter(|one| one.moment.kind == Kind::YearFirst).take(PAIRS_MAX);
    let (date, epoch) = epochs.iter().take(PAIRS_MAX).find_map(|epoch| {
        let row = &column.rows[epoch.row];
        let may_meet = |date: &&Found| {
            let other = &column.rows[date.row];
            row.collection == other.collection || are_alike(row.item, other.item)
        };
        dates().find(may_meet).map(|date| (date, epoch))
    })?;
    let evidence = format!(
        "{} are dates like {}, {} are seconds or milliseconds like {}",
        found.len(),
        date.text(column),
        epochs.len(),
        epoch.text
    );
    Some(Finding::new(Rule::MixedTimeForms, evidence, vec![date.key(column), epoch.key.to_owned()]))
}
