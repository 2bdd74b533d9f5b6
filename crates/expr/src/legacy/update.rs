//! `AttributeUpdates`: the older form of an update.

use crate::path::DocumentPath;
use crate::update::{Action, Effect, Operand, Update};
use hashrange_model::error::{Reason, ValueFault};
use hashrange_model::{AttributeType, Value};

/// Action on an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttributeAction {
    /// Sets the attribute.
    #[default]
    Put,
    /// Adds to a number, a set or a list.
    Add,
    /// Removes the attribute, or members of a set.
    Delete,
}

/// An entry of `AttributeUpdates`, as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeUpdate<'a> {
    /// The attribute's name.
    pub attribute: &'a str,
    /// Action
    pub action: Option<AttributeAction>,
    /// Value
    pub value: Option<Value>,
}

/// Compiles `AttributeUpdates`.
pub fn attribute_updates(updates: Vec<AttributeUpdate<'_>>) -> Result<Update, Reason> {
    let actions = updates.into_iter().map(action).collect::<Result<_, _>>()?;
    Ok(Update::from_legacy_actions(actions))
}

fn action(update: AttributeUpdate<'_>) -> Result<Action, Reason> {
    if update.attribute.is_empty() {
        return Err(Reason::Value(ValueFault::EmptyAttributeName));
    }
    let effect = match (update.action.unwrap_or_default(), update.value) {
        (AttributeAction::Delete, None) => Effect::Remove,
        (_, None) => return Err(Reason::OnlyDeleteWithoutValue),
        (AttributeAction::Put, Some(value)) => Effect::Set(Operand::Value(value)),
        (AttributeAction::Add, Some(value)) => match value.get().attribute_type() {
            AttributeType::N | AttributeType::L => Effect::AddLegacy(value),
            set if set.is_set() => Effect::AddLegacy(value),
            other => return Err(Reason::AddNotSupported(other)),
        },
        (AttributeAction::Delete, Some(value)) => match value.get().attribute_type() {
            set if set.is_set() => Effect::DeleteLegacy(value),
            other => return Err(Reason::DeleteNotSupported(other)),
        },
    };
    Ok(Action { path: DocumentPath::top_level(update.attribute), effect })
}
