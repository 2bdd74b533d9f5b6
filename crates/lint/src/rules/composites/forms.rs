//! Keys of one form, and the attributes that their components are made of.

use super::agreement::Component;
use crate::design::Scalar;
use crate::keys::words::named_value;
use crate::keys::{Column, Kind, Row};
use std::collections::BTreeMap;

/// Fewest keys of a form.
const KEYS_MIN: usize = 5;
/// Keys that are looked at to find the attributes of a component.
const KEYS_MAX: usize = 300;
/// Keys that have to agree with an attribute, in a hundred.
const PERCENT_MIN: usize = 60;

/// Keys with the same first word and the same number of components.
#[derive(Debug)]
pub(super) struct Form<'c, 'i> {
    pub(super) rows: Vec<&'c Row<'i>>,
    /// Attributes by the place of the component that they make.
    pub(super) makers: Vec<Vec<&'i str>>,
    /// Places whose components have their name in front: `unitid_b45`.
    pub(super) named: Vec<bool>,
}

impl<'c, 'i> Form<'c, 'i> {
    pub(super) fn all(column: &'c Column<'i>) -> Vec<Self> {
        let mut forms: BTreeMap<(&str, usize), Vec<&Row<'_>>> = BTreeMap::new();
        let is_one_kind = first_words_vary(column);
        for row in &column.rows {
            let first = if is_one_kind { "" } else { first_word(row) };
            forms.entry((first, row.parts.len())).or_default().push(row);
        }
        let large = forms.into_values().filter(|rows| rows.len() >= KEYS_MIN);
        large.map(|rows| Self::new(column, rows)).collect()
    }
}

impl<'c, 'i> Form<'c, 'i> {
    fn new(column: &Column<'i>, rows: Vec<&'c Row<'i>>) -> Self {
        let places = rows.first().map_or(0, |row| row.parts.len());
        let named: Vec<bool> = (0..places).map(|place| are_named(&rows, place)).collect();
        let step = rows.len() / KEYS_MAX + 1;
        let some: Vec<&Row<'_>> = rows.iter().copied().step_by(step).collect();
        let makers = |place: usize| makers_of(column, &some, place, named[place]).collect();
        let makers = (0..places).map(makers).collect();
        Self { rows, makers, named }
    }
}

/// Returns whether all components at a place begin with one name.
fn are_named(rows: &[&Row<'_>], place: usize) -> bool {
    let name =
        |row: &Row<'_>| named_value(row.part(&row.parts[place])).map(|(name, _)| name.to_owned());
    let mut names = rows.iter().take(KEYS_MAX).map(|row| name(row));
    let first = names.next().flatten();
    first.is_some() && names.all(|name| name == first)
}

/// Returns the component at a place of a key, or what is behind its name.
pub(super) fn component<'i>(row: &Row<'i>, place: usize, is_named: bool) -> Component<'i> {
    let part = &row.parts[place];
    let tokens: Vec<_> = row.tokens_in(&part.range).collect();
    let component = Component::new(row.part(part), &tokens);
    if is_named { component.without_name().unwrap_or(component) } else { component }
}

fn first_word<'i>(row: &Row<'i>) -> &'i str {
    let Some(part) = row.parts.first() else { return "" };
    if row.kind(&part.range) == Some(Kind::Word) { row.part(part) } else { "" }
}

/// Returns whether an attribute of the items makes the first component, which then names no kind.
fn first_words_vary(column: &Column<'_>) -> bool {
    let step = column.rows.len() / KEYS_MAX + 1;
    let rows: Vec<&Row<'_>> = column.rows.iter().step_by(step).collect();
    makers_of(column, &rows, 0, false).next().is_some()
}

/// Returns the attributes that make a component in most items that have them.
fn makers_of<'i>(
    column: &Column<'i>,
    rows: &[&Row<'i>],
    place: usize,
    is_named: bool,
) -> impl Iterator<Item = &'i str> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.parts.len() > place) {
        let component = component(row, place, is_named);
        for (name, value) in row.item.iter().filter(|(name, _)| may_make(column, name)) {
            let (agreeing, all) = counts.entry(name).or_default();
            *agreeing += usize::from(component.is_made_of(value));
            *all += 1;
        }
    }
    let is_maker =
        move |(agreeing, all): (usize, usize)| agreeing > 2 && agreeing * 100 >= all * PERCENT_MIN;
    counts.into_iter().filter(move |(_, counts)| is_maker(*counts)).map(|(name, _)| name)
}

fn may_make(column: &Column<'_>, name: &str) -> bool {
    name != column.attribute && !column.source.holds(name)
}

/// Returns the value of an attribute in a row.
pub(super) fn value<'i>(row: &Row<'i>, name: &str) -> Option<&'i Scalar> {
    row.item.get(name)
}
