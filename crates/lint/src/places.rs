//! Places of components: the components of a key attribute behind beginnings of one shape.
//!
//! Collections are put together here, because a sample has few items of each. What only a
//! collection can show is in `siblings.rs`.

use crate::keys::{Column, Kind, Part, Row, Shape};
use std::collections::BTreeMap;

/// The places of a key attribute.
#[derive(Debug)]
pub(crate) struct Places<'i> {
    places: BTreeMap<Shape, Place<'i>>,
    /// Places by the number of components and the position among them, whatever is before.
    positions: BTreeMap<(usize, usize), Place<'i>>,
}

/// A place, with its components, none twice.
#[derive(Debug, Default)]
pub(crate) struct Place<'i> {
    pub(crate) components: BTreeMap<&'i str, Seen<'i>>,
    /// Number of entries.
    pub(crate) count: usize,
}

/// A component, and where it was seen first.
#[derive(Debug)]
pub(crate) struct Seen<'i> {
    pub(crate) text: &'i str,
    /// Number of entries with it.
    pub(crate) count: usize,
    pub(crate) row: usize,
    pub(crate) part: Part,
}

impl<'i> Places<'i> {
    pub(crate) fn of(column: &Column<'i>) -> Self {
        let mut places: BTreeMap<Shape, Place<'i>> = BTreeMap::new();
        let mut positions: BTreeMap<(usize, usize), Place<'i>> = BTreeMap::new();
        for (nth, row) in column.rows.iter().enumerate() {
            for (position, part) in row.parts.iter().enumerate() {
                let loose = positions.entry((row.parts.len(), position)).or_default();
                loose.add(nth, part, row.part(part));
                let place = match places.get_mut(&part.before) {
                    Some(place) => place,
                    None => places.entry(part.before.clone()).or_default(),
                };
                place.add(nth, part, row.part(part));
            }
        }
        Self { places, positions }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Place<'i>> {
        self.places.values()
    }

    /// Returns all places, and then those that do not look at what is before them: names make many
    /// places with one component each.
    pub(crate) fn also_loose(&self) -> impl Iterator<Item = &Place<'i>> {
        self.places.values().chain(self.positions.values())
    }
}

impl<'i> Place<'i> {
    fn add(&mut self, row: usize, part: &Part, text: &'i str) {
        let new = || Seen { text, count: 0, row, part: part.clone() };
        self.components.entry(text).or_insert_with(new).count += 1;
        self.count += 1;
    }
}

impl<'i> Column<'i> {
    /// Returns the first row of a component.
    pub(crate) fn row_of(&self, seen: &Seen<'_>) -> &Row<'i> {
        &self.rows[seen.row]
    }

    /// Returns the kind of a component that is one token.
    pub(crate) fn kind_of(&self, seen: &Seen<'_>) -> Option<Kind> {
        self.row_of(seen).kind(&seen.part.range)
    }
}
