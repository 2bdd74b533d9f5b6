//! The moments in the values of a key attribute, by the shape of what is before them.

use crate::design::are_alike;
use crate::keys::{Column, Kind, Row, Shape};
use crate::moments::Moment;
use std::collections::BTreeMap;
use std::ops::Range;

/// Moments of an attribute.
#[derive(Debug)]
pub(crate) struct Moments {
    pub(crate) groups: BTreeMap<Shape, Vec<Found>>,
}

/// A moment in a row.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) row: usize,
    pub(crate) collection: usize,
    pub(crate) range: Range<usize>,
    pub(crate) moment: Moment,
}

impl Moments {
    pub(crate) fn of(column: &Column<'_>) -> Self {
        let mut groups: BTreeMap<Shape, Vec<Found>> = BTreeMap::new();
        for (nth, row) in column.rows.iter().enumerate() {
            let mut shape = Shape::default();
            for token in &row.tokens {
                if let Kind::Moment(moment) = token.kind {
                    let (range, collection) = (token.range.clone(), row.collection);
                    let found = Found { row: nth, collection, range, moment };
                    groups.entry(shape.clone()).or_default().push(found);
                }
                shape.push(row.text, token);
            }
        }
        Self { groups }
    }
}

impl Found {
    /// Returns the text of the moment.
    pub(crate) fn text<'i>(&self, column: &Column<'i>) -> &'i str {
        self.row(column).text.get(self.range.clone()).unwrap_or("")
    }

    /// Returns the key up to and with the segment that has the moment.
    pub(crate) fn key(&self, column: &Column<'_>) -> String {
        let row = self.row(column);
        let end = row.segment(self.range.start).end.max(self.range.end);
        row.text.get(..end).unwrap_or("").to_owned()
    }

    /// Returns whether two moments may be asked for together: they are in one collection, or in
    /// items of one kind.
    pub(crate) fn may_meet(&self, other: &Self, column: &Column<'_>) -> bool {
        self.collection == other.collection
            || are_alike(self.row(column).item, other.row(column).item)
    }

    fn row<'c, 'i>(&self, column: &'c Column<'i>) -> &'c Row<'i> {
        &column.rows[self.row]
    }
}

/// Returns moments by item collection, and then all of them together.
pub(crate) fn by_collection(found: &[Found]) -> impl Iterator<Item = Vec<&Found>> {
    let mut collections: BTreeMap<usize, Vec<&Found>> = BTreeMap::new();
    for one in found {
        collections.entry(one.collection).or_default().push(one);
    }
    collections.into_values().chain(std::iter::once(found.iter().collect()))
}

/// Moments of a way of writing that are compared with those of another.
pub(crate) const PAIRS_MAX: usize = 20;

/// Returns one of many and one of few that may be asked for together.
pub(crate) fn pair<'f>(
    column: &Column<'_>,
    many: &[&'f Found],
    few: &[&'f Found],
) -> Option<(&'f Found, &'f Found)> {
    few.iter().take(PAIRS_MAX).find_map(|other| {
        let mut near = many.iter().rev().take(PAIRS_MAX).chain(many.iter().take(PAIRS_MAX));
        near.find(|one| one.may_meet(other, column)).map(|one| (*one, *other))
    })
}
