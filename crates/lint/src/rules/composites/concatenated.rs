//! Keys of global indexes that are concatenated from other attributes of the same items.

use super::forms::{component, value};
use crate::design::SourceKind;
use crate::finding::{Finding, Rule};
use crate::keys::{Column, Row};
use std::collections::BTreeSet;

/// Fewest items that have to show it.
const SHOWN_MIN: usize = 5;

/// Returns the finding that every component of a key is another attribute, in all items.
pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let first = column.rows.first().filter(|_| column.rows.len() >= SHOWN_MIN)?;
    let count = first.parts.len();
    let is_alike = column.rows.iter().all(|row| row.parts.len() == count);
    if column.source.kind != SourceKind::Global || count < 2 || !is_alike {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for place in 0..count {
        let name = maker(column, first, place, &names)?;
        names.push(name);
    }
    let between = first.text.get(first.parts[0].range.end..first.parts[1].range.start)?;
    let distinct: BTreeSet<&str> = column.rows.iter().map(|row| row.text).collect();
    let evidence = format!(
        "{} is {} in all {} items looked at",
        column.attribute,
        names.join(between),
        column.rows.len()
    );
    let examples = vec![first.text.to_owned()];
    (distinct.len() > 1).then(|| Finding::new(Rule::ConcatenatedKey, evidence, examples))
}

/// Returns the attribute that makes a component in all items.
fn maker<'i>(
    column: &Column<'i>,
    first: &Row<'i>,
    place: usize,
    taken: &[&str],
) -> Option<&'i str> {
    let mut names = first
        .item
        .keys()
        .map(String::as_str)
        .filter(|name| !column.source.holds(name) && !taken.contains(name));
    names.find(|name| {
        column.rows.iter().all(|row| {
            value(row, name).is_some_and(|value| component(row, place).is_made_of(value))
        })
    })
}
