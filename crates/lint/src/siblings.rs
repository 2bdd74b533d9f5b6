//! Siblings: components of sort keys after the same beginning, in one item collection. A Query
//! returns them in their order.

use crate::keys::{Column, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Components after one beginning.
#[derive(Debug, Default)]
pub(crate) struct Siblings<'i> {
    /// Beginning of the key before them, its last delimiter included.
    pub(crate) before: &'i str,
    /// The components, none twice.
    pub(crate) components: BTreeSet<&'i str>,
    /// Components that end a key.
    pub(crate) ending: BTreeSet<&'i str>,
    /// Components that others follow.
    pub(crate) going_on: BTreeSet<&'i str>,
}

impl<'i> Siblings<'i> {
    /// Returns all siblings in a sort key.
    pub(crate) fn all(column: &Column<'i>) -> Vec<Self> {
        let mut found: BTreeMap<(usize, &str), Self> = BTreeMap::new();
        for row in &column.rows {
            add(row, &mut found);
        }
        found.into_values().collect()
    }

    /// Returns the beginning of a key up to and with a component.
    pub(crate) fn key(&self, component: &str) -> String {
        format!("{}{component}", self.before)
    }
}

fn add<'i>(row: &Row<'i>, found: &mut BTreeMap<(usize, &'i str), Siblings<'i>>) {
    for part in &row.parts {
        let before = row.text.get(..part.range.start).unwrap_or("");
        let new = || Siblings { before, ..Siblings::default() };
        let siblings = found.entry((row.collection, before)).or_insert_with(new);
        let component = row.part(part);
        siblings.components.insert(component);
        let place = if part.is_last { &mut siblings.ending } else { &mut siblings.going_on };
        place.insert(component);
    }
}
