//! Update expressions: the compiled form of [`crate::update()`].
//!
//! Every action ends as a value to set or a path to remove; all right-hand sides read the item
//! before the update, so the order of actions does not matter. Source of the rules: Amazon DynamoDB
//! developer guide, "Update expressions".

mod apply;
mod budget;
mod check;
mod document;
mod sets;

use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use budget::Budget;
use hashrange_model::error::{ExpressionKind, Reason};
use hashrange_model::{Item, Value};

pub(crate) use check::check_known_type;

/// Effect of an update at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) path: DocumentPath,
    pub(crate) effect: Effect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Set(Operand),
    Remove,
    /// Adds to a number or a set.
    Add(Value),
    /// Legacy ADD, which also appends to a list and words a mismatch differently.
    AddLegacy(Value),
    /// Takes members out of a set.
    Delete(Value),
    /// Legacy DELETE with a value, which words a mismatch differently.
    DeleteLegacy(Value),
}

/// Right-hand side of a SET action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(DocumentPath),
    Value(Value),
    IfNotExists(DocumentPath, Box<Operand>),
    ListAppend(Box<(Operand, Operand)>),
    Sum(Vec<Term>),
}

/// A term of a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) negative: bool,
    pub(crate) operand: Operand,
}

impl Action {
    /// Returns the number of paths that the action looks up.
    fn path_count(&self) -> usize {
        1 + match &self.effect {
            Effect::Set(operand) => operand.path_count(),
            Effect::Remove
            | Effect::Add(_)
            | Effect::AddLegacy(_)
            | Effect::Delete(_)
            | Effect::DeleteLegacy(_) => 0,
        }
    }
}

impl Operand {
    fn path_count(&self) -> usize {
        match self {
            Self::Path(_) => 1,
            Self::Value(_) => 0,
            Self::IfNotExists(_, otherwise) => 1 + otherwise.path_count(),
            Self::ListAppend(lists) => lists.0.path_count() + lists.1.path_count(),
            Self::Sum(terms) => terms.iter().map(|term| term.operand.path_count()).sum(),
        }
    }
}

/// A compiled `UpdateExpression` or `AttributeUpdates`; the default one changes nothing.
/// Invariant: no two paths overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update {
    actions: Vec<Action>,
    /// True if an absent item stays absent.
    needs_item: bool,
    /// Bytes of item size that the statement takes beside the written values; none if only the
    /// finished item counts.
    overhead: usize,
}

/// A top-level attribute that an update writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'u> {
    /// The attribute's name.
    pub name: &'u str,
    /// True if only a part inside the attribute is written.
    pub is_nested: bool,
}

/// Compiles an `UpdateExpression`.
pub fn update(text: &str, placeholders: &mut Placeholders<'_>) -> Result<Update, Reason> {
    check::compile(text, placeholders)
        .map(Update::from_actions)
        .map_err(|fault| Reason::Expression(ExpressionKind::Update, fault))
}

impl Update {
    /// Wraps actions whose paths do not overlap. If all of them remove, an item that does not exist
    /// is not created. Source: captured.
    pub(crate) fn from_actions(actions: Vec<Action>) -> Self {
        let needs_item =
            !actions.is_empty() && actions.iter().all(|action| action.effect == Effect::Remove);
        Self { actions, needs_item, overhead: 0 }
    }

    /// Wraps the actions of `AttributeUpdates`. If all of them delete, an item that does not exist
    /// is not created. Source: API reference, `AttributeUpdates`, DELETE.
    pub(crate) fn from_legacy_actions(actions: Vec<Action>) -> Self {
        let deletes =
            |action: &Action| matches!(action.effect, Effect::Remove | Effect::DeleteLegacy(_));
        let needs_item = !actions.is_empty() && actions.iter().all(deletes);
        Self { actions, needs_item, overhead: 0 }
    }

    /// Returns the update with its statement counted against the size of an item, or a fault if the
    /// statement alone exceeds it. Source: captures of 2026: UpdateItem in us-east-1, and that the
    /// service finds this before it looks at the condition.
    pub fn sized_by_statement(self) -> Result<Self, Reason> {
        let overhead = budget::statement_overhead(&self.actions)?;
        let mut budget = Budget::new(overhead)?;
        for action in &self.actions {
            if let Effect::Set(Operand::Value(value)) | Effect::Add(value) = &action.effect {
                budget.take_result(action, Some(value.get()))?;
            }
        }
        Ok(Self { overhead, ..self })
    }

    /// Returns whether the update sets the attribute to a value of the request's, so that its type
    /// is the request's, and not to one that it reads.
    pub fn sets_given_value(&self, attribute: &str) -> bool {
        self.actions.iter().any(|action| {
            *action.path.attribute == *attribute
                && match &action.effect {
                    Effect::Set(operand) => matches!(operand, Operand::Value(_)),
                    Effect::Add(_) | Effect::AddLegacy(_) => true,
                    Effect::Remove | Effect::Delete(_) | Effect::DeleteLegacy(_) => false,
                }
        })
    }

    /// Returns the actions in written order.
    pub(crate) fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Returns whether the update creates an item that does not exist.
    pub fn creates_item(&self) -> bool {
        !self.needs_item
    }

    /// Returns the targets of the update, one for each action in written order.
    pub fn targets(&self) -> impl Iterator<Item = Target<'_>> {
        self.actions.iter().map(|action| Target {
            name: &action.path.attribute,
            is_nested: action.path.is_nested(),
        })
    }

    /// Returns the item after the update. `old` is the stored item, or for an upsert the key
    /// attributes alone. The update never writes more than an item may have; the caller checks the
    /// size of the whole item and of key attributes.
    pub fn apply(&self, old: &Item) -> Result<Item, Reason> {
        apply::apply(&self.actions, old, Budget::new(self.overhead)?)
    }

    /// Returns the part of the old item that `UPDATED_OLD` returns, `None` if it is empty.
    pub fn updated_old(&self, old: &Item) -> Option<Item> {
        not_empty(self.path_tree().reduce(old))
    }

    /// Returns the part of the new item that `UPDATED_NEW` returns, `None` if it is empty: the
    /// values at the paths as written, also if elements of a list have moved. Source: captured.
    pub fn updated_new(&self, new: &Item) -> Option<Item> {
        not_empty(self.path_tree().reduce(new))
    }

    fn path_tree(&self) -> PathTree {
        PathTree::build(self.actions.iter().map(|action| &action.path))
            .expect("the paths of an update do not overlap")
    }
}

fn not_empty(item: Item) -> Option<Item> {
    Some(item).filter(|item| !item.is_empty())
}
