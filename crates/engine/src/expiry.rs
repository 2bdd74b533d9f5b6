//! The expiry index of a table, from which the sweep reads the items whose time to live is over.
//!
//! An entry is a pure function of the item, like those of other indexes: an item whose time-to-live
//! attribute is a number from 0 on has an entry at the whole seconds of that number. The clock
//! decides only when the index is read whether an item is due.

use crate::layout::{self, ItemKey};
use crate::schema::{Expiry, TableId};
use hashrange_model::{Item, ValueRef};
use hashrange_storage::{Batch, Key};

/// Age beyond which expired items stay, seconds. Source: developer guide, "Using time to live
/// (TTL)".
const OLDEST_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// Range of expiry times of the items that are due now, epoch seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// First second of the range.
    pub(crate) start: u64,
    /// Second after the last one of the range.
    pub(crate) end: u64,
}

impl Due {
    /// Returns the range that ends before now and begins at the oldest expiry that is still
    /// removed.
    pub(crate) fn at(now_ms: u64) -> Self {
        let now = now_ms / 1000;
        Self { start: now.saturating_sub(OLDEST_SECONDS), end: now }
    }
}

impl Expiry {
    /// Returns whether an item is due.
    pub(crate) fn is_due(&self, item: &Item, due: Due) -> bool {
        self.second(item).is_some_and(|second| (due.start..due.end).contains(&second))
    }

    /// Returns the key of an item's entry, or `None` if the item has none.
    pub(crate) fn entry(&self, table: TableId, key: &ItemKey, item: &Item) -> Option<Key> {
        self.second(item).map(|second| layout::expiry(table, second, key))
    }

    /// Puts the entry of an item, if it has one.
    pub(crate) fn put(&self, table: TableId, key: &ItemKey, item: &Item, batch: &mut Batch) {
        if let Some(second) = self.second(item) {
            self.swept.put(second);
            batch.put(layout::expiry(table, second, key), bytes::Bytes::new());
        }
    }

    /// Updates the index from the old to the new image of an item.
    pub(crate) fn maintain(
        &self,
        table: TableId,
        key: &ItemKey,
        (old, new): (Option<&Item>, Option<&Item>),
        batch: &mut Batch,
    ) {
        let second = |item: Option<&Item>| item.and_then(|item| self.second(item));
        let before = second(old);
        if before == second(new) {
            return;
        }
        if let Some(before) = before {
            batch.delete(layout::expiry(table, before, key));
        }
        if let Some(new) = new {
            self.put(table, key, new, batch);
        }
    }

    /// Returns the epoch second at which an item expires.
    fn second(&self, item: &Item) -> Option<u64> {
        match item.get(&self.attribute)? {
            ValueRef::N(number) => number.to_number().whole_u64(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::{AttributeValue, Number};
    use std::sync::Arc;

    #[test]
    fn items_are_due_after_their_second_for_five_years() {
        let expiry = Expiry { attribute: "ttl".to_owned(), swept: Arc::default() };
        let due = Due::at(1_767_225_600_999);
        let is_due =
            |value: AttributeValue| expiry.is_due(&Item::from_attributes([("ttl", value)]), due);
        let number = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
        for text in ["1767225599", "1767225599.9", "1609545600"] {
            assert!(is_due(number(text)), "{text}");
        }
        for text in
            ["1767225600", "1767225600.5", "1609545599", "0", "-1", "1767225599000", "1E100"]
        {
            assert!(!is_due(number(text)), "{text}");
        }
        assert!(!is_due("1767225599".into()));
        assert!(!is_due(AttributeValue::number_set([1_767_225_599])));
        assert!(!expiry.is_due(&Item::empty(), due));
    }
}
