//! Values that were never there: `undefined`, `null`, `Invalid Date`, `[object Object]`, `{id}`.
//!
//! Some of these words are names: a surname, a genre. So a word is told only if no attribute of the
//! item agrees with it and its siblings are written in another way.

use crate::finding::{Finding, Rule};
use crate::keys::words::{Capitals, capitals, is_placeholder_word, named_value};
use crate::keys::{Column, Kind, Role};
use crate::places::{Place, Places, Seen};

/// Words that are looked at of one place.
const TOLD_MAX: usize = 20;
/// Fewest real values beside it.
const REAL_MIN: usize = 2;

pub(super) fn check(column: &Column<'_>, places: &Places<'_>) -> Option<Finding> {
    places.also_loose().find_map(|place| {
        let missing: Vec<&Seen<'_>> =
            place.components.values().filter(|seen| is_placeholder(column, seen)).collect();
        let first = missing.first()?;
        let real = place.components.len() - missing.len();
        let is_told = real >= REAL_MIN
            && missing.iter().take(TOLD_MAX).any(|seen| is_no_name(column, place, seen));
        is_told.then(|| finding(column, place, first, real))
    })
}

fn finding(column: &Column<'_>, place: &Place<'_>, seen: &Seen<'_>, real: usize) -> Finding {
    let evidence = format!(
        "{} stands in {} of {} keys where the others have one of {real} values",
        seen.text, seen.count, place.count
    );
    let row = column.row_of(seen);
    let key = if column.role == Role::Partition { row.text } else { row.through(&seen.part) };
    Finding::new(Rule::PlaceholderInKey, evidence, vec![key.to_owned()])
}

fn is_placeholder(column: &Column<'_>, seen: &Seen<'_>) -> bool {
    is_placeholder_word(seen.text)
        || column.kind_of(seen) == Some(Kind::Template)
        || named_value(seen.text).is_some_and(|(_, value)| value == "undefined")
}

fn is_no_name(column: &Column<'_>, place: &Place<'_>, seen: &Seen<'_>) -> bool {
    let item = column.row_of(seen).item;
    let mut others = item.iter().filter(|(name, _)| name.as_str() != column.attribute);
    if others.any(|(_, value)| value.text().eq_ignore_ascii_case(seen.text)) {
        return false;
    }
    match seen.text {
        text if text.ends_with("undefined") => true,
        "NaN" | "<nil>" | "(null)" | "%s" | "%d" | "Invalid Date" | "Invalid date" => true,
        "null" | "nil" | "nan" => {
            !are_like(place, seen, Capitals::None) || !is_of_names(place, seen)
        }
        "NULL" => !are_like(place, seen, Capitals::All),
        "None" => !are_like(place, seen, Capitals::First),
        // Routes and forms of addresses have such parts on purpose.
        _ => seen.text.starts_with('[') || are_ids(place, seen),
    }
}

fn others<'p, 'i>(place: &'p Place<'i>, seen: &Seen<'_>) -> impl Iterator<Item = &'p Seen<'i>> {
    place.components.values().filter(move |other| other.text != seen.text)
}

/// Returns whether most other values are words with these capitals.
fn are_like(place: &Place<'_>, seen: &Seen<'_>, style: Capitals) -> bool {
    let is_like = |other: &&Seen<'_>| {
        let is_word = other.text.chars().all(|it| it.is_alphabetic() || " -'".contains(it));
        is_word && capitals(other.text) == style
    };
    others(place, seen).filter(is_like).count() * 10 >= others(place, seen).count() * 6
}

/// Returns whether most other values occur once, as names of people do.
fn is_of_names(place: &Place<'_>, seen: &Seen<'_>) -> bool {
    let entries: usize = others(place, seen).map(|other| other.count).sum();
    others(place, seen).count() * 10 >= entries * 9 && entries >= 8 && seen.count == 1
}

/// Returns whether most other values have digits.
fn are_ids(place: &Place<'_>, seen: &Seen<'_>) -> bool {
    let has_digits = |other: &&Seen<'_>| other.text.bytes().any(|byte| byte.is_ascii_digit());
    others(place, seen).filter(has_digits).count() * 2 >= others(place, seen).count()
}
