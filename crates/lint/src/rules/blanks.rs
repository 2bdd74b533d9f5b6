//! Components with blanks at an end.

use crate::finding::{Finding, Rule};
use crate::keys::{Column, Role};
use crate::places::{Place, Places, Seen};

/// Values with blanks at an end, in a hundred, that are a form of all values.
const PERCENT_MAX: usize = 70;

pub(super) fn check(column: &Column<'_>, places: &Places<'_>) -> Option<Finding> {
    places.all().find_map(|place| {
        let blank: Vec<&Seen<'_>> =
            place.components.values().filter(|seen| has_blank(seen)).collect();
        let first = blank.iter().find(|seen| !is_split(column, seen))?;
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

/// Returns whether the same partition is there without blanks, which another rule tells.
fn is_split(column: &Column<'_>, seen: &Seen<'_>) -> bool {
    if column.role == Role::Sort {
        return false;
    }
    let row = column.row_of(seen);
    let (start, end) = (seen.part.range.start, seen.part.range.end);
    let before = row.text.get(..start).unwrap_or("");
    let other = format!("{before}{}{}", seen.text.trim(), row.text.get(end..).unwrap_or(""));
    column.rows.iter().any(|row| row.text == other)
}

/// Returns whether all values are filled up with blanks to one width.
fn is_fixed(place: &Place<'_>) -> bool {
    let mut widths = place.components.keys().map(|text| text.chars().count());
    let first = widths.next();
    place.components.len() > 1 && widths.all(|width| Some(width) == first)
}
