//! What the book says of the tables that there are, with their names and those of their keys.

use super::{Heat, keys};
use crate::schema::{IndexId, Table};
use hashrange_heat::{CutKey, Place, PlaceHeat, Sums};

/// Most minutes in a page; the place that exceeds it is the last one.
const PAGE_MINUTES_MAX: usize = 120;

/// What a server knows of some tables and indexes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatPage {
    /// Whether every table is watched, not only those that Contributor Insights watches.
    pub is_of_all: bool,
    /// Tables and indexes, in the order of their names.
    pub places: Vec<PlaceHeat>,
    /// What was used in minutes of tables that found no room.
    pub untold: Sums,
    /// The table and index that the next page begins behind, if there is one.
    pub last: Option<(String, Option<String>)>,
}

impl Heat {
    /// Returns what is known of a table itself or of an index; none if that is nothing.
    pub(crate) fn place(&self, table: &Table, index: IndexId, minutes: usize) -> Option<PlaceHeat> {
        let index = match index {
            IndexId::BASE => None,
            id => Some(table.indexes.iter().find(|index| index.id == id)?),
        };
        let id = index.map_or(IndexId::BASE, |index| index.id);
        let place = Place { table: table.id().0, index: id.0 };
        let now_ms = (self.clock)();
        let names = |key: CutKey<'_>, is_item: bool| keys::name_of(key, table, index, is_item);
        let told = self.book.minutes(now_ms, place, minutes, names);
        (!told.is_empty()).then(|| PlaceHeat {
            table: table.record.name.clone(),
            index: index.map(|index| index.name.clone()),
            minutes: told,
        })
    }

    /// Returns a page of what is known of these tables, which are in the order of their names, each of them
    /// followed by its indexes; behind `start`.
    pub(crate) fn page<'t>(
        &self,
        tables: impl IntoIterator<Item = &'t Table>,
        index: Option<&str>,
        start: Option<&(String, Option<String>)>,
        minutes: usize,
    ) -> HeatPage {
        let mut page = HeatPage {
            is_of_all: self.is_of_all,
            untold: self.book.untold(),
            ..HeatPage::default()
        };
        let mut room = PAGE_MINUTES_MAX;
        for table in tables {
            for (name, id) in places_of(table) {
                let at = (table.record.name.clone(), name);
                let is_asked = index.is_none() || at.1.as_deref() == index;
                if !is_asked || start.is_some_and(|start| at <= *start) {
                    continue;
                }
                let Some(place) = self.place(table, id, minutes) else { continue };
                if room == 0 {
                    page.last = page.places.last().map(|it| (it.table.clone(), it.index.clone()));
                    return page;
                }
                room = room.saturating_sub(place.minutes.len());
                page.places.push(place);
            }
        }
        page
    }
}

/// Returns a table itself and its indexes in the order of their names.
fn places_of(table: &Table) -> Vec<(Option<String>, IndexId)> {
    let indexes = table.indexes.iter().map(|index| (Some(index.name.clone()), index.id));
    let mut places: Vec<_> = indexes.chain([(None, IndexId::BASE)]).collect();
    places.sort();
    places
}
