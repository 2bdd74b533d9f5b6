//! Facts that the shell knows of the tables: their names, their keys, attributes that it has seen.
//! It asks for them at the first need, and forgets them when a table changes.

use crate::advice::table_names;
use crate::client::Client;
use crate::commands::table_keys::TableKeys;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most names of tables to complete.
const TABLES_MAX: usize = 1000;
/// Most attributes of a table to remember.
const ATTRIBUTES_MAX: usize = 1000;

/// Facts that the shell knows of the tables.
#[derive(Debug, Default)]
pub struct Catalogue {
    tables: Option<Vec<String>>,
    keys: BTreeMap<String, Option<TableKeys>>,
    seen: BTreeMap<String, BTreeSet<String>>,
}

impl Catalogue {
    /// Returns the names of the tables; none if the database does not list them.
    pub fn tables(&mut self, client: &mut Client) -> &[String] {
        self.tables.get_or_insert_with(|| table_names(client, TABLES_MAX).unwrap_or_default())
    }

    /// Returns the keys of a table, if there is one of that name.
    pub fn keys(&mut self, client: &mut Client, table: &str) -> Option<&TableKeys> {
        let ask = || TableKeys::of(client, table).ok();
        self.keys.entry(table.to_owned()).or_insert_with(ask).as_ref()
    }

    /// Returns the attributes of a table that the shell has seen.
    pub fn attributes(&mut self, client: &mut Client, table: &str) -> Vec<String> {
        let mut names = self.keys(client, table).map(TableKeys::attributes).unwrap_or_default();
        let seen = self.seen.get(table).into_iter().flatten();
        names.extend(seen.filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
        names
    }

    /// Remembers the attributes of items of a table.
    pub fn saw(&mut self, table: &str, items: &[&Map<String, Value>]) {
        let seen = self.seen.entry(table.to_owned()).or_default();
        for name in items.iter().flat_map(|item| item.keys()) {
            if seen.len() < ATTRIBUTES_MAX && !seen.contains(name) {
                seen.insert(name.clone());
            }
        }
    }

    /// Forgets the tables, after one came, went or changed.
    pub fn forget(&mut self) {
        self.tables = None;
        self.keys.clear();
    }
}
