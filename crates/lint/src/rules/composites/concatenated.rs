//! Keys of global indexes that are concatenated from other attributes of the same items.

use super::forms::{component, value};
use crate::design::SourceKind;
use crate::finding::{Finding, Rule};
use crate::keys::words::of_name;
use crate::keys::{Column, Row};
use std::collections::BTreeSet;

/// Fewest items that have to show it.
const SHOWN_MIN: usize = 5;
/// Most attributes of a key.
const ATTRIBUTES_MAX: usize = 4;

/// Returns the finding that every component of a key is another attribute, in all items.
pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let first = column.rows.first().filter(|_| column.rows.len() >= SHOWN_MIN)?;
    let distinct: BTreeSet<&str> = column.rows.iter().map(|row| row.text).collect();
    if column.source.kind != SourceKind::Global || distinct.len() < 2 {
        return None;
    }
    let joined = by_components(column, first).or_else(|| by_text(column, first))?;
    let evidence =
        format!("{} is {joined} in all {} items looked at", column.attribute, column.rows.len());
    Some(Finding::new(Rule::ConcatenatedKey, evidence, vec![first.text.to_owned()]))
}

/// Returns the attributes that make the components, joined as the key is.
fn by_components(column: &Column<'_>, first: &Row<'_>) -> Option<String> {
    let count = first.parts.len();
    if count < 2 || !column.rows.iter().all(|row| row.parts.len() == count) {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for place in 0..count {
        let name = maker(column, first, place, &names)?;
        names.push(name);
    }
    let between = first.text.get(first.parts[0].range.end..first.parts[1].range.start)?;
    Some(names.join(between))
}

/// Returns the attribute that makes a component in all items.
fn maker<'i>(
    column: &Column<'i>,
    first: &Row<'i>,
    place: usize,
    taken: &[&str],
) -> Option<&'i str> {
    let names = first.item.keys().map(String::as_str);
    let mut names = names.filter(|name| may_make(column, name) && !taken.contains(name));
    names.find(|name| {
        let is_made = |row: &Row<'_>| {
            value(row, name).is_some_and(|value| component(row, place, false).is_made_of(value))
        };
        column.rows.iter().all(is_made)
    })
}

/// Returns whether an attribute may be a key instead: it is none, and does not tell the kinds of
/// items apart, which share an index on purpose.
fn may_make(column: &Column<'_>, name: &str) -> bool {
    let names_kind = |word: &String| ["type", "entity", "et"].contains(&&word[..]);
    !column.source.holds(name) && !of_name(name).iter().any(names_kind)
}

/// Parts of a key: the name of an attribute, and the text behind its value.
type Template<'i> = Vec<(&'i str, &'i str)>;

/// Returns the attributes whose values, with the same text between them, are the key in all items,
/// whatever that text is.
fn by_text(column: &Column<'_>, first: &Row<'_>) -> Option<String> {
    let template = template(column, first, first.text, &Vec::new())?;
    let is_it = |row: &Row<'_>| {
        let mut rest = Some(row.text);
        for (name, between) in &template {
            rest = rest
                .zip(value(row, name))
                .and_then(|(rest, value)| rest.strip_prefix(value.text())?.strip_prefix(between));
        }
        rest == Some("")
    };
    let joined: String = template.iter().flat_map(|(name, between)| [*name, *between]).collect();
    column.rows.iter().all(is_it).then_some(joined)
}

fn template<'i>(
    column: &Column<'_>,
    row: &Row<'i>,
    rest: &'i str,
    taken: &Template<'i>,
) -> Option<Template<'i>> {
    if rest.is_empty() {
        return (taken.len() > 1).then(|| taken.clone());
    }
    let is_free =
        |name: &str| may_make(column, name) && !taken.iter().any(|(known, _)| *known == name);
    let names = row.item.iter().filter(|(name, _)| is_free(name) && taken.len() < ATTRIBUTES_MAX);
    names.into_iter().find_map(|(name, value)| {
        let behind = rest.strip_prefix(value.text()).filter(|_| !value.text().is_empty())?;
        let length = behind.find(char::is_alphanumeric).unwrap_or(0);
        let (between, further) = behind.split_at(length);
        let is_joined = further.is_empty() || !between.is_empty();
        let mut taken = taken.clone();
        taken.push((name, between));
        is_joined.then(|| template(column, row, further, &taken)).flatten()
    })
}
