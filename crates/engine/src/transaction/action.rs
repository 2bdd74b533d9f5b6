//! One action of a transaction: its parts in the request, checked without the table, and its write,
//! planned with the table.

use crate::intent::{Access, Intent, Verb};
use crate::request::check_scalar_keys;
use crate::request::condition::looked_into;
use crate::schema::Table;
use crate::write::{self, Action, Write};
use hashrange_expr::{Condition, Update};
use hashrange_model::{Item, Reason};

/// An action that has passed the checks without its table.
#[derive(Debug)]
pub(crate) struct TransactionAction {
    /// Table as the request names it.
    pub(crate) table_name: String,
    pub(crate) kind: ActionKind,
    pub(crate) condition: Option<Condition>,
    /// The statement that the action was made of.
    pub(crate) statement: Option<StatementAsked>,
    /// True if a failed condition returns the item.
    pub(crate) returns_item_on_failure: bool,
    /// Bytes that the action adds to the transaction's payload.
    pub(crate) payload_bytes: usize,
}

/// The statement of an action.
#[derive(Debug)]
pub(crate) struct StatementAsked {
    pub(crate) verb: Verb,
    /// Its WHERE clause, where the action's condition is another one.
    pub(crate) clause: Option<Condition>,
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

impl TransactionAction {
    /// Returns the intent of the action.
    pub(crate) fn intent(&self) -> Intent<'_> {
        let (verb, update) = match &self.kind {
            ActionKind::Put(_) => (Verb::Put, None),
            ActionKind::Update(_, update) => (Verb::Update, Some(update)),
            ActionKind::Delete(_) => (Verb::Delete, None),
            ActionKind::Check(_) => (Verb::ConditionCheck, None),
        };
        let intent = Intent {
            update,
            ..Intent::new(verb, &self.table_name, Access::Item(self.key_attributes()))
        };
        let condition = self.condition.as_ref();
        match &self.statement {
            None => Intent { condition, ..intent },
            Some(StatementAsked { verb: Verb::Insert, .. }) => {
                Intent { verb: Verb::Insert, ..intent }
            }
            Some(StatementAsked { verb, clause }) => {
                Intent { verb: *verb, filter: clause.as_ref().or(condition), ..intent }
            }
        }
    }

    /// Returns an item that has the key attributes.
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
