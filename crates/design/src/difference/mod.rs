//! Two designs compared: what is added, removed and changed, what of it the service does not do in place, and what it
//! costs.
//!
//! | file | idea |
//! |---|---|
//! | `table.rs` | two tables of one name: keys, settings, templates, kinds of items |
//! | `indexes.rs` | their indexes, and what filling one writes |
//! | `markdown.rs` | the text for a pull request |
//!
//! Source of what changes in place: DynamoDB developer guide, "Managing Global Secondary Indexes in DynamoDB" and the
//! reference of UpdateTable.

mod indexes;
mod markdown;
mod table;

use crate::plan::TablePlan;
use serde::Serialize;
use serde_json::Value;

/// Two designs compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Difference {
    /// Tables that differ, by name.
    pub tables: Vec<TableDifference>,
}

/// A table that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableDifference {
    /// Its name.
    pub table: String,
    /// Whether one design has it only.
    pub kind: Kind,
    /// What differs; of a table that is added, what it has.
    pub changes: Vec<Change>,
}

/// Whether both designs have a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// The new design only.
    Added,
    /// The old design only.
    Removed,
    /// Both.
    Changed,
}

/// A part of a table that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Change {
    /// The part, such as `index by-status`.
    pub part: String,
    /// Its text in the old design; none if that has no such part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its text in the new design; none if that has no such part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What the change takes.
    pub effect: Effect,
    /// What is to be known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a change takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "Kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Effect {
    /// A request changes it in place.
    InPlace,
    /// Index entries or items are written in the background.
    Writes {
        /// The most write units, if the number of items is known.
        #[serde(rename = "MostWriteUnits")]
        most: Option<f64>,
    },
    /// Only a new table has it, into which all items are written.
    NewTable {
        /// The most write units of all items, if their number is known.
        #[serde(rename = "MostWriteUnits")]
        most: Option<f64>,
    },
    /// It says something of items, and changes nothing.
    Told,
}

/// Returns the key of a table or an index in words, such as `pk:S, sk:N`.
pub(crate) fn key_of_request(holder: &Value, request: &Value) -> String {
    indexes::key_text(holder, request).unwrap_or_default()
}

/// Compares two designs.
pub fn compare(before: &[TablePlan], after: &[TablePlan]) -> Difference {
    let find = |tables: &'_ [TablePlan], name: &str| tables.iter().position(|it| it.name == name);
    let mut tables = Vec::new();
    for old in before {
        match find(after, &old.name).and_then(|nth| after.get(nth)) {
            None => tables.push(table::only(old, Kind::Removed)),
            Some(new) => {
                let changes = table::changes(old, new);
                if !changes.is_empty() {
                    tables.push(TableDifference {
                        table: old.name.clone(),
                        kind: Kind::Changed,
                        changes,
                    });
                }
            }
        }
    }
    let added = after.iter().filter(|new| find(before, &new.name).is_none());
    tables.extend(added.map(|new| table::only(new, Kind::Added)));
    tables.sort_by(|one, other| one.table.cmp(&other.table));
    Difference { tables }
}

impl Difference {
    /// Returns whether the designs are the same.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the changes that need a new table, each with its table.
    pub fn new_tables(&self) -> impl Iterator<Item = (&str, &Change)> {
        self.tables.iter().flat_map(|table| {
            let changes = table.changes.iter();
            let new = changes.filter(|it| matches!(it.effect, Effect::NewTable { .. }));
            new.map(|change| (table.table.as_str(), change))
        })
    }
}
