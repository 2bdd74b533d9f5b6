//! Changes that streams show, and the removal of expired items.

use super::item::{Item, KeyValue};
use super::table::{Model, Table};
use hashrange_model::AttributeValue;

/// The attribute with the epoch second at which an item expires, in every table.
pub const EXPIRES: &str = "expires";

/// Items that expired longer ago stay, in seconds.
const OLDEST_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

/// A change of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key attributes.
    pub key: Item,
    /// The image before.
    pub old: Option<Item>,
    /// The image after.
    pub new: Option<Item>,
    /// True if the item was removed because it expired.
    pub has_expired: bool,
}

impl Table {
    /// Sets or removes an item and returns the old one.
    pub(super) fn set(
        &mut self,
        key: Vec<KeyValue>,
        new: Option<Item>,
        has_expired: bool,
    ) -> Option<Item> {
        let old = match &new {
            Some(item) => self.items.insert(key, item.clone()),
            None => self.items.remove(&key),
        };
        if old != new {
            let image = new.as_ref().or(old.as_ref()).cloned().unwrap_or_default();
            let names: Vec<_> = self.definition.key().map(|key| key.name.clone()).collect();
            let key = image.into_iter().filter(|(name, _)| names.contains(name)).collect();
            self.changes.push(Change { key, old: old.clone(), new, has_expired });
        }
        old
    }
}

impl Model {
    /// Removes every item that expired before a second.
    pub fn expire(&mut self, now_s: i64) {
        for table in self.tables.values_mut() {
            let due = table.items.iter().filter(|(_, item)| is_due(item, now_s));
            let keys: Vec<_> = due.map(|(key, _)| key.clone()).collect();
            for key in keys {
                table.set(key, None, true);
            }
        }
    }

    /// Returns the changes of a table since the last time, in their order.
    pub fn take_changes(&mut self, table: &str) -> Vec<Change> {
        let table = self.tables.get_mut(table);
        table.map(|table| std::mem::take(&mut table.changes)).unwrap_or_default()
    }

    /// Returns the names of all tables.
    pub fn table_names(&self) -> Vec<String> {
        self.tables.keys().cloned().collect()
    }
}

fn is_due(item: &Item, now_s: i64) -> bool {
    let Some(AttributeValue::N(second)) = item.get(EXPIRES) else { return false };
    second.to_i64().is_some_and(|second| now_s - OLDEST_SECONDS <= second && second < now_s)
}
