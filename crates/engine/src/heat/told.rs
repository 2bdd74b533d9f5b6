//! The contents of the book for the current tables, with their names and those of their keys.

use super::{Heat, keys};
use crate::schema::{IndexId, Table};
use hashrange_heat::{CutKey, Place, PlaceHeat, Sums};

/// Maximum of minutes in a page; the place that exceeds it is the last one of the page.
const PAGE_MINUTES_MAX: usize = 120;

/// Recorded use of some tables and indexes, as this server knows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatPage {
    /// True if every table is watched, not only those that Contributor Insights watches.
    pub is_of_all: bool,
    /// Tables and indexes, in the order of their names.
    pub places: Vec<PlaceHeat>,
    /// Use in minutes of tables for which the book had no room.
    pub untold: Sums,
    /// Table and index after which the next page begins; `None` on the last page.
    pub last: Option<(String, Option<String>)>,
}

impl Heat {
    /// Returns the recorded use of a table itself or of an index; `None` if nothing is recorded.
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

    /// Returns a page of the recorded use of the given tables, which are in the order of their
    /// names, each followed by its indexes; the page begins after `start`.
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
