//! Delimiter in data: an attribute that is a component of a key has it in its value.
//!
//! An attribute is a component if its value, without a delimiter, stands at the same place of the
//! key in most items. A value with a delimiter then shifts all following components by one place.
//! The delimiter is the one beside the component, whatever divides the key elsewhere.

use crate::design::Scalar;
use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind, Row, tokens::tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest items that have to show that the attribute is a component.
const SHOWN_MIN: usize = 3;
/// Items that are looked at for it.
const SHOWN_MAX: usize = 300;
/// Characters that divide; others are in texts.
const MARKS: &str = "#|/:_-.~;¦^§>$*";

/// Where a value stands in a key: the marks before and behind it, and how often the one behind it,
/// or before it if it is the last, is in the key before.
type Place = (Option<char>, Option<char>, usize);

/// Returns the first such value of a key attribute.
pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let step = column.rows.len() / SHOWN_MAX + 1;
    let some: Vec<&Row<'_>> = column.rows.iter().step_by(step).collect();
    let names: BTreeSet<&String> = some.iter().flat_map(|row| row.item.keys()).collect();
    names.into_iter().filter(|name| !column.source.holds(name)).find_map(|name| {
        let place = usual_place(&some, name)?;
        of_attribute(column, name, place)
    })
}

/// Returns the place of the values without the delimiter, if most of them have one.
fn usual_place(rows: &[&Row<'_>], name: &str) -> Option<Place> {
    let mut places: BTreeMap<Place, usize> = BTreeMap::new();
    let mut all = 0;
    for row in rows {
        let Some(Scalar::S(value)) = row.item.get(name) else { continue };
        let place = place(row.text, value);
        let is_plain = place.is_none_or(|place| !has_delimiter(value, place));
        if is_plain && !value.is_empty() {
            all += 1;
            if let Some(place) = place {
                *places.entry(place).or_default() += 1;
            }
        }
    }
    let (place, count) = places.into_iter().max_by_key(|(_, count)| *count)?;
    (count >= SHOWN_MIN && count * 10 >= all * 9).then_some(place)
}

fn of_attribute(column: &Column<'_>, name: &str, usual: Place) -> Option<Finding> {
    let divided = column.rows.iter().filter_map(|row| match row.item.get(name) {
        Some(Scalar::S(value)) if has_delimiter(value, usual) => Some((row, value)),
        _ => None,
    });
    let mut divided = divided.filter(|(row, value)| place(row.text, value) == Some(usual));
    let (row, value) = divided.next()?;
    let evidence = format!("{name} is {value:?}, which is more than one component");
    let finding = Finding::new(Rule::DelimiterInData, evidence, vec![row.text.to_owned()]);
    Some(finding.shown_by([row.nth]))
}

/// Returns the place of a value in a key, if it stands there between marks or ends.
fn place(key: &str, value: &str) -> Option<Place> {
    let at = key.find(value).filter(|_| !value.is_empty())?;
    let before = key.get(..at)?.chars().last();
    let behind = key.get(at + value.len()..)?.chars().next();
    let is_mark = |mark: Option<char>| mark.is_none_or(|mark| MARKS.contains(mark));
    let divides = behind.or(before)?;
    let count = key.get(..at)?.matches(divides).count();
    (is_mark(before) && is_mark(behind)).then_some((before, behind, count))
}

/// Returns whether a value has the mark beside it, outside of dates and the like.
fn has_delimiter(value: &str, (before, behind, _): Place) -> bool {
    let is_beside = |mark: char| Some(mark) == behind || Some(mark) == before;
    value.contains(is_beside)
        && tokens(value)
            .iter()
            .any(|token| matches!(token.kind, Kind::Mark(mark) if is_beside(mark)))
}
