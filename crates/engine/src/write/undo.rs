//! Rows by which the rewriting of items by a key template can be undone: the value of the attribute
//! before and after, in the commit that changed it.

use crate::fault;
use crate::layout;
use crate::schema::Table;
use hashrange_model::{ApiResult, AttributeValue, Item};
use hashrange_storage::{Batch, Key};

const BEFORE: &str = "before";
const AFTER: &str = "after";
const OWN: &str = "own";

/// Values of an attribute around a rewriting.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Undo {
    pub(crate) row: Key,
    pub(crate) attribute: String,
    pub(crate) before: Option<AttributeValue>,
    pub(crate) after: Option<AttributeValue>,
    /// True if a former template had derived the value of before.
    pub(crate) is_own: bool,
}

impl Undo {
    /// Decodes a row.
    pub(crate) fn decode(row: &Key, stored: &[u8], attribute: &str) -> ApiResult<Self> {
        let stored = bytes::Bytes::copy_from_slice(stored);
        let values = Item::from_stored(stored).map_err(|_| fault::of_value(row))?;
        let value = |name: &str| values.get(name).map(|value| value.to_attribute_value());
        let (before, after, is_own) = (value(BEFORE), value(AFTER), values.get(OWN).is_some());
        Ok(Self { row: row.clone(), attribute: attribute.to_owned(), before, after, is_own })
    }

    /// Returns an item with the value before the rewriting, if it still has that of the rewriting.
    pub(super) fn applied(&self, item: &Item) -> Item {
        let after = self.after.as_ref().map(AttributeValue::to_value);
        if item.get(&self.attribute) != after.as_ref().map(|value| value.get()) {
            return item.clone();
        }
        let before = self.before.as_ref().map(AttributeValue::to_value);
        item.with_changes([(self.attribute.as_str(), before.as_ref().map(|value| value.get()))])
    }
}

/// Adds the rows of an item that was rewritten.
pub(super) fn note(table: &Table, key: &Key, (old, new): (&Item, &Item), batch: &mut Batch) {
    let rewriting = table.derived.iter().flatten().filter(|key| key.is_rewriting);
    for derived in rewriting {
        let attribute = derived.template.attribute();
        let (before, after) = (old.get(attribute), new.get(attribute));
        if before == after {
            continue;
        }
        let value = |name, value: Option<hashrange_model::ValueRef<'_>>| {
            value.map(|value| (name, value.to_attribute_value()))
        };
        let own = derived.was_derived(old).then(|| (OWN, AttributeValue::Bool(true)));
        let values = [value(AFTER, after), value(BEFORE, before), own];
        let values = Item::from_attributes(values.into_iter().flatten());
        let row = layout::undo(table.id(), derived.rewriting, key);
        batch.put(row, values.as_bytes().clone());
    }
}
