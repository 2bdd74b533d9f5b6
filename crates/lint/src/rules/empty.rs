//! Empty components: `NE##68701`, where others have a city.
//!
//! A key that ends with a delimiter may close a level (`NE#OMAHA#`), and one that begins with it may
//! stand first on purpose (`#PROFILE`). So an empty component is told if keys of the same form have
//! something there.

use crate::design::are_alike;
use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind, Role, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest keys of the same form that have something there.
const FULL_MIN: usize = 3;
/// Keys with an empty component among those of the same form, in a hundred.
const PERCENT_MAX: usize = 40;
const PERCENT_RARE: usize = 15;
/// Keys of each sort that are compared with each other.
const COMPARED_MAX: usize = 50;

/// Number of components, and the first word.
type Form<'i> = (usize, &'i str);

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let mut forms: BTreeMap<Form<'_>, Vec<&Row<'_>>> = BTreeMap::new();
    for row in column.rows.iter().filter(|row| row.parts.len() > 1 && !has_arn(row.text)) {
        forms.entry((row.parts.len(), first_word(row))).or_default().push(row);
        if row.parts.first().is_some_and(|part| !row.part(part).is_empty()) {
            // Keys that begin with a delimiter are compared with all others.
            forms.entry((row.parts.len(), "")).or_default().push(row);
        }
    }
    let parents = parents(column);
    let closed = closed(&forms);
    forms.iter().find_map(|((length, first), rows)| {
        // All keys with one word and nothing behind it are so on purpose: `account#`.
        let is_closed =
            |row: &&&Row<'_>| first.is_empty() && closed.contains(&(*length, first_word(row)));
        let rows: Vec<&Row<'_>> = rows.iter().filter(|row| !is_closed(row)).copied().collect();
        (0..*length).find_map(|nth| of_place(column, &rows, nth, &parents))
    })
}

/// Returns whether a key has the name of a resource: `arn:aws:s3:::bucket` has no region on purpose.
fn has_arn(key: &str) -> bool {
    key.match_indices("arn:").any(|(at, _)| {
        let before = key.get(..at).unwrap_or_default();
        !before.ends_with(char::is_alphanumeric)
    })
}

/// Returns the forms of which all keys have the last component empty.
fn closed<'i>(forms: &BTreeMap<Form<'i>, Vec<&Row<'i>>>) -> BTreeSet<Form<'i>> {
    let is_open = |row: &&Row<'_>| row.parts.last().is_some_and(|part| !row.part(part).is_empty());
    let forms = forms.iter().filter(|((_, first), rows)| {
        !first.is_empty() && rows.len() > 1 && !rows.iter().any(is_open)
    });
    forms.map(|(form, _)| *form).collect()
}

/// Returns the first component if it is a word that may name a kind of keys.
fn first_word<'i>(row: &Row<'i>) -> &'i str {
    let Some(part) = row.parts.first() else { return "" };
    let is_word = row.kind(&part.range) == Some(Kind::Word);
    if is_word { row.part(part) } else { "" }
}

/// Returns the keys that are the beginning of others in their collection.
fn parents<'i>(column: &Column<'i>) -> BTreeSet<(usize, &'i str)> {
    let mut parents = BTreeSet::new();
    for row in &column.rows {
        for part in row.parts.iter().skip(1).filter(|part| !row.part(part).is_empty()) {
            parents.insert((row.collection, row.text.get(..part.range.start).unwrap_or("")));
        }
    }
    parents
}

fn of_place(
    column: &Column<'_>,
    rows: &[&Row<'_>],
    nth: usize,
    parents: &BTreeSet<(usize, &str)>,
) -> Option<Finding> {
    let is_empty = |row: &&&Row<'_>| row.part(&row.parts[nth]).is_empty();
    let empty: Vec<&&Row<'_>> = rows.iter().filter(is_empty).collect();
    let full: Vec<&&Row<'_>> = rows.iter().filter(|row| !is_empty(row)).collect();
    let is_many = empty.len() * 100 > rows.len() * PERCENT_MAX;
    if empty.is_empty() || is_many || full.len() < FULL_MIN {
        return None;
    }
    let is_rare = empty.len() * 100 <= rows.len() * PERCENT_RARE;
    // A few of them are compared with a few others.
    let step = full.len() / COMPARED_MAX + 1;
    let some: Vec<&&Row<'_>> = full.iter().copied().step_by(step).collect();
    let row = empty.iter().take(COMPARED_MAX).find(|row| {
        let is_parent = column.role == Role::Sort && parents.contains(&(row.collection, row.text));
        // A parent has attributes of its own, and there are many of them.
        let is_like = |other: &&&Row<'_>| are_alike(row.item, other.item);
        let may_close = is_parent && !(is_rare && some.iter().all(is_like));
        is_fault(row, nth, &some, may_close)
    })?;
    let evidence = format!(
        "component {} is empty in {} of {} keys of this form",
        nth + 1,
        empty.len(),
        rows.len()
    );
    let examples = vec![row.text.to_owned(), full[0].text.to_owned()];
    Some(Finding::new(Rule::EmptyComponent, evidence, examples))
}

fn is_fault(row: &Row<'_>, nth: usize, full: &[&&Row<'_>], may_close: bool) -> bool {
    // Paths begin with a slash, and folders end with one.
    let is_path = row.text.starts_with('/') && full.iter().all(|other| other.text.starts_with('/'));
    let is_last = nth + 1 == row.parts.len();
    if is_last && (is_path || may_close || nth == 0) {
        return false;
    }
    if nth > 0 && !is_last {
        return true;
    }
    full.iter().any(|other| are_alike(row.item, other.item) && has_kinds_of(row, other, nth))
}

/// Returns whether the other components are of the same kinds.
fn has_kinds_of(row: &Row<'_>, other: &Row<'_>, nth: usize) -> bool {
    let kind = |row: &Row<'_>, place: usize| {
        row.kind(&row.parts[place].range).map(|kind| std::mem::discriminant(&kind))
    };
    let others = || (0..row.parts.len()).filter(|place| *place != nth);
    // A word in capitals behind a delimiter is the name of a kind: `#PROFILE`.
    let is_name = |place: usize| {
        let text = row.part(&row.parts[place]);
        let is_word = text.len() > 2 && text.chars().all(|it| it.is_uppercase() || it == '_');
        is_word && text != other.part(&other.parts[place])
    };
    others().all(|place| kind(row, place) == kind(other, place))
        && !(nth == 0 && others().next().is_some_and(is_name))
}
