//! One action of a transaction: its parts in the request, checked without the table, and its write,
//! planned with the table.

use crate::request::check_scalar_keys;
use crate::request::condition::looked_into;
use crate::schema::Table;
use crate::usage::Shape;
use crate::write::{self, Action, Write};
use hashrange_expr::{Condition, Update};
use hashrange_model::{Item, Reason};
use std::fmt;

/// An action that has passed the checks without its table.
#[derive(Debug)]
pub(crate) struct TransactionAction {
    /// Table as the request names it.
    pub(crate) table_name: String,
    pub(crate) kind: ActionKind,
    pub(crate) condition: Option<Condition>,
    /// True if a failed condition returns the item.
    pub(crate) returns_item_on_failure: bool,
    /// Bytes that the action adds to the transaction's payload.
    pub(crate) payload_bytes: usize,
}

/// Kind of an action, with its item or key.
#[derive(Debug)]
pub(crate) enum ActionKind {
    /// Replaces the item.
    Put(Item),
    /// Changes or creates the item with this key.
    Update(Item, Update),
    /// Removes the item with this key.
    Delete(Item),
    /// Checks the condition on the item with this key.
    Check(Item),
}

/// Describes the actions of a transaction in a shape, without values.
pub(crate) fn tell(actions: &[TransactionAction], shape: &mut Shape) -> fmt::Result {
    shape.members(actions, |action, shape| {
        match &action.kind {
            ActionKind::Put(_) => shape.member("Put", &action.table_name)?,
            ActionKind::Update(_, update) => {
                shape.member("Update", &action.table_name)?;
                shape.updates(update)?;
            }
            ActionKind::Delete(_) => shape.member("Delete", &action.table_name)?,
            ActionKind::Check(_) => shape.member("ConditionCheck", &action.table_name)?,
        }
        shape.condition(action.condition.as_ref())
    })
}

impl TransactionAction {
    /// Returns an item with the key attributes.
    pub(crate) fn key_attributes(&self) -> &Item {
        match &self.kind {
            ActionKind::Put(item)
            | ActionKind::Update(item, _)
            | ActionKind::Delete(item)
            | ActionKind::Check(item) => item,
        }
    }

    /// Returns whether the action can change its item.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.kind, ActionKind::Check(_))
    }

    /// Returns the planned write, or the first fault that the table shows.
    pub(super) fn plan(&self, table: &Table) -> Result<Write<'_>, Reason> {
        let write = match &self.kind {
            ActionKind::Put(item) => write::plan_put(table, item)?,
            ActionKind::Update(key, update) => write::plan_update(table, key, update)?,
            ActionKind::Delete(key) => write::plan_delete(table, key)?,
            ActionKind::Check(key) => {
                Write { action: Action::Check, ..write::plan_delete(table, key)? }
            }
        };
        check_scalar_keys(table, looked_into(self.condition.as_ref()))?;
        Ok(Write {
            condition: self.condition.as_ref(),
            returns_item_on_failure: self.returns_item_on_failure,
            ..write
        })
    }
}
