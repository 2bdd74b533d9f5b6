//! Delimiter in data: an attribute that is a component of a key has it in its value.
//!
//! An attribute is a component if its value, without a delimiter, stands at the same place of the
//! key in most items. A value with a delimiter then shifts all following components by one place.

use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind, Row, tokens::tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest items that have to show that the attribute is a component.
const SHOWN_MIN: usize = 3;
/// Items that are looked at for it.
const SHOWN_MAX: usize = 300;

/// Items in which the value of an attribute has a delimiter, and those in which it has none.
#[derive(Debug, Default)]
struct Values<'c, 'i> {
    divided: Vec<(&'c Row<'i>, &'i str)>,
    plain: Vec<(&'c Row<'i>, &'i str)>,
}

/// Returns the first such value of a key attribute.
pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let mut attributes: BTreeMap<&str, Values<'_, '_>> = BTreeMap::new();
    for row in &column.rows {
        for (name, value) in row.item {
            if !column.source.holds(name) {
                attributes.entry(name).or_default().add(column, row, value.text());
            }
        }
    }
    attributes.iter().find_map(|(name, values)| of_attribute(name, values))
}

impl<'c, 'i> Values<'c, 'i> {
    fn add(&mut self, column: &Column<'_>, row: &'c Row<'i>, value: &'i str) {
        let is_divided = is_divided(column, value);
        let list = if is_divided { &mut self.divided } else { &mut self.plain };
        if list.len() < SHOWN_MAX && !value.is_empty() {
            list.push((row, value));
        }
    }
}

fn is_divided(column: &Column<'_>, value: &str) -> bool {
    let is_delimiter = |mark: char| column.delimiters.has(mark);
    value.contains(is_delimiter)
        && tokens(value)
            .iter()
            .any(|token| matches!(token.kind, Kind::Mark(mark) if is_delimiter(mark)))
}

fn of_attribute(name: &str, values: &Values<'_, '_>) -> Option<Finding> {
    let place =
        |row: &Row<'_>, value: &str| row.parts.iter().position(|part| row.part(part) == value);
    let (first, value) = values.plain.first()?;
    let places = || values.plain.iter().filter_map(|(row, value)| place(row, value));
    let wanted = place(first, value).or_else(|| places().next())?;
    let agreeing = places().filter(|place| *place == wanted).count();
    if agreeing < SHOWN_MIN || agreeing * 10 < values.plain.len() * 9 {
        return None;
    }
    let beside = beside(values, wanted);
    let (row, value) = values.divided.iter().find(|(row, value)| {
        let rest = row.parts.get(wanted).and_then(|part| row.text.get(part.range.start..));
        let behind = rest.and_then(|rest| rest.strip_prefix(value));
        let is_whole = behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric));
        is_whole && value.contains(|mark| beside.contains(&mark))
    })?;
    let evidence = format!("{name} is {value:?}, which is more than one component");
    Some(Finding::new(Rule::DelimiterInData, evidence, vec![row.text.to_owned()]))
}

/// Returns the delimiters that stand before or behind a component.
fn beside(values: &Values<'_, '_>, place: usize) -> BTreeSet<char> {
    let around = |(row, _): &(&Row<'_>, &str)| {
        let range = &row.parts.get(place)?.range;
        let before = row.text.get(..range.start)?.chars().last();
        let behind = row.text.get(range.end..)?.chars().next();
        Some([before, behind])
    };
    values.plain.iter().filter_map(around).flatten().flatten().collect()
}
