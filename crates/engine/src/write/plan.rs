//! Turns items, keys and updates into writes that tables allow; finds every fault that a table's
//! definition shows.

use super::{Action, Undo, Write, derive};
use crate::layout::{self, ItemKey};
use crate::schema::Table;
use crate::{fault, index};
use hashrange_expr::Update;
use hashrange_model::{Item, Reason};
use hashrange_storage::Key;
use std::collections::BTreeSet;

/// Returns the unconditional write of an item, with every fault of its keys.
pub(crate) fn plan_put<'p>(table: &Table, item: &Item) -> Result<Write<'p>, Reason> {
    let derive::Put { item, is_unsettled } = match &table.derived {
        None => derive::Put { item: item.clone(), is_unsettled: false },
        Some(derived) => derive::of_put(derived, item)?,
    };
    let key = key_of_item(table, &item)?;
    index::check_keys(table, &item)?;
    Ok(Write {
        key,
        key_attributes: Item::empty(),
        condition: None,
        action: if is_unsettled { Action::PutUnsettled(item) } else { Action::Put(item) },
        returns_item_on_failure: false,
        keeps_versions: true,
    })
}

/// Returns the unconditional removal of an item.
pub(crate) fn plan_delete<'p>(table: &Table, key: &Item) -> Result<Write<'p>, Reason> {
    Ok(Write {
        key: key_of_key(table, key)?,
        key_attributes: Item::empty(),
        condition: None,
        action: Action::Delete,
        returns_item_on_failure: false,
        keeps_versions: true,
    })
}

/// Returns the unconditional update of the item with a key.
pub(crate) fn plan_update<'p>(
    table: &Table,
    key: &Item,
    update: &'p Update,
) -> Result<Write<'p>, Reason> {
    let planned_key = key_of_key(table, key)?;
    check_targets(table, update)?;
    Ok(Write {
        key: planned_key,
        key_attributes: key.clone(),
        condition: None,
        action: Action::Update(update),
        returns_item_on_failure: false,
        keeps_versions: true,
    })
}

/// Returns the write that sets the attributes of a stored item that the table's key templates
/// derive.
pub(crate) fn plan_derive<'p>(table: &Table, item: &Item) -> Result<Write<'p>, Reason> {
    Ok(Write {
        key: key_of_item(table, item)?,
        key_attributes: Item::empty(),
        condition: None,
        action: Action::Derive,
        returns_item_on_failure: false,
        keeps_versions: true,
    })
}

/// Returns the write that puts back a value of before a rewriting, in the item with a byte key.
pub(crate) fn plan_restore<'p>(
    table: &Table,
    item: &Item,
    undo: Undo,
) -> Result<Write<'p>, Reason> {
    Ok(Write {
        key: key_of_item(table, item)?,
        key_attributes: Item::empty(),
        condition: None,
        action: Action::Restore(undo),
        returns_item_on_failure: false,
        keeps_versions: true,
    })
}

/// Refuses updates of key attributes, also inside them, and nested paths into index key attributes.
/// Source: captured.
fn check_targets(table: &Table, update: &Update) -> Result<(), Reason> {
    for target in update.targets() {
        let attribute = || target.name.to_owned();
        if table.key.contains(target.name) {
            return Err(Reason::CannotUpdateKey { attribute: attribute() });
        }
        if target.is_nested && table.indexes.iter().any(|index| index.key.contains(target.name)) {
            return Err(Reason::IndexKeyNotScalar { attribute: attribute() });
        }
    }
    Ok(())
}

/// Returns the byte key of an item that is put, or the first fault of its key attributes.
pub(crate) fn key_of_item(table: &Table, item: &Item) -> Result<ItemKey, Reason> {
    layout::item_key(table, item).map_err(fault::of_item_key)
}

/// Refuses a batch that names an item twice, even by different names of its table.
pub(crate) fn check_distinct<'k>(keys: impl IntoIterator<Item = &'k Key>) -> Result<(), Reason> {
    let mut known = BTreeSet::new();
    if keys.into_iter().all(|key| known.insert(key)) { Ok(()) } else { Err(Reason::DuplicateKeys) }
}

/// Returns the byte key for a `Key` member: exactly the key attributes, in the declared types.
pub(crate) fn key_of_key(table: &Table, key: &Item) -> Result<ItemKey, Reason> {
    if key.attributes().raw_values().count() != table.key.len() {
        return Err(Reason::KeyElementMismatch);
    }
    layout::item_key(table, key).map_err(fault::of_key_member)
}
