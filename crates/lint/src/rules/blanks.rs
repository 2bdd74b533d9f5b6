//! Components with blanks at an end.

use crate::finding::{Finding, Rule};
use crate::keys::{Column, Role};
use crate::places::{Place, Places, Seen};
use std::collections::BTreeSet;

/// Values with blanks at an end, in a hundred, that are a form of all values.
const PERCENT_MAX: usize = 70;

pub(super) fn check(column: &Column<'_>, places: &Places<'_>) -> Option<Finding> {
    if column.role == Role::Partition && is_split(column) {
        return None;
    }
    places.also_loose().find_map(|place| {
        let blank: Vec<&Seen<'_>> =
            place.components.values().filter(|seen| has_blank(seen)).collect();
        let first = blank.first()?;
        let count: usize = blank.iter().map(|seen| seen.count).sum();
        if is_fixed(place) || count * 100 > place.count * PERCENT_MAX {
            return None;
        }
        let evidence = format!(
            "{:?} has a blank at an end, as have {count} of {} components at this place",
            first.text, place.count
        );
        let row = column.row_of(first);
        Some(Finding::new(Rule::TrailingBlank, evidence, vec![row.text.to_owned()]))
    })
}

fn has_blank(seen: &Seen<'_>) -> bool {
    let trimmed = seen.text.trim();
    !trimmed.is_empty() && trimmed != seen.text
}

/// Returns whether a partition is there with and without blanks, which another rule tells.
fn is_split(column: &Column<'_>) -> bool {
    let texts: BTreeSet<&str> = column.rows.iter().map(|row| row.text).collect();
    let without: BTreeSet<String> =
        texts.iter().map(|text| text.split_whitespace().collect()).collect();
    without.len() < texts.len()
}

/// Returns whether all values are filled up with blanks to one width.
fn is_fixed(place: &Place<'_>) -> bool {
    let mut widths = place.components.keys().map(|text| text.chars().count());
    let first = widths.next();
    place.components.len() > 1 && widths.all(|width| Some(width) == first)
}
