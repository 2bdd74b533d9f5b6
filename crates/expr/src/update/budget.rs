//! Bytes that an update may write, and those that the service counts beside the values.

use super::{Action, Effect, Operand};
use crate::path::{DocumentPath, PathStep};
use hashrange_model::ValueRef;
use hashrange_model::error::Reason;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;

/// Bytes that the service counts for an index in a path, and for the way to any later element of a
/// path.
const STEP_BYTES: usize = 4;

/// The bytes of item size that an update may still write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(usize);

impl Budget {
    /// Returns the budget of an item, less `overhead`.
    pub(super) fn new(overhead: usize) -> Result<Self, Reason> {
        let mut room = Self(ITEM_SIZE_MAX_BYTES);
        room.take(overhead)?;
        Ok(room)
    }

    /// Returns the bytes spent.
    fn taken(self) -> usize {
        ITEM_SIZE_MAX_BYTES - self.0
    }

    fn take(&mut self, bytes: usize) -> Result<(), Reason> {
        self.0 = self.0.checked_sub(bytes).ok_or(Reason::UpdatedItemTooLarge)?;
        Ok(())
    }

    /// Spends the bytes of a value.
    pub(super) fn take_value(&mut self, value: ValueRef<'_>) -> Result<(), Reason> {
        self.take(value.size())
    }

    /// Spends the bytes that an action writes, all of which the new item has.
    pub(super) fn take_result(
        &mut self,
        action: &Action,
        result: Option<ValueRef<'_>>,
    ) -> Result<(), Reason> {
        let Some(value) = result else { return Ok(()) };
        let name = if action.path.is_nested() { 0 } else { action.path.attribute.len() };
        self.take(name + value.size())
    }
}

/// Returns the bytes that the statement of an update costs beside the values it writes, or a fault
/// if they exceed an item.
pub(super) fn statement_overhead(actions: &[Action]) -> Result<usize, Reason> {
    let mut room = Budget::new(0)?;
    room.take_statement(actions)?;
    Ok(room.taken())
}

impl Budget {
    /// Spends the bytes that the statement of an update costs beside the values it writes; stops at
    /// the first action that exceeds the budget, so that no value is measured in vain.
    /// Source: captures of 2026 in us-east-1, size of items in UpdateItem.
    fn take_statement(&mut self, actions: &[Action]) -> Result<(), Reason> {
        self.take(3)?;
        actions.iter().try_for_each(|action| self.take_action(action))
    }

    fn take_action(&mut self, action: &Action) -> Result<(), Reason> {
        let path = &action.path;
        let ends_in_list = usize::from(matches!(path.steps.last(), Some(PathStep::Element(_))));
        // A whole attribute's name counts with its value.
        let target = if path.is_nested() { target(path) } else { 0 };
        match &action.effect {
            Effect::Set(Operand::Value(_)) | Effect::Add(_) | Effect::AddLegacy(_) => {
                self.take(19 + target + ends_in_list)
            }
            Effect::Set(operand) => {
                self.take(19 + target + ends_in_list)?;
                self.take_operand(operand)
            }
            Effect::Remove | Effect::Delete(_) | Effect::DeleteLegacy(_) => {
                self.take(1 + self::target(path))
            }
        }
    }

    fn take_operand(&mut self, operand: &Operand) -> Result<(), Reason> {
        match operand {
            Operand::Value(value) => self.take_value(value.get()),
            Operand::Path(path) => self.take(read(path)),
            Operand::IfNotExists(path, otherwise) => {
                self.take(39 + read(path))?;
                self.take_operand(otherwise)
            }
            Operand::ListAppend(lists) => {
                self.take(37)?;
                self.take_operand(&lists.0)?;
                self.take_operand(&lists.1)
            }
            Operand::Sum(terms) => terms.iter().enumerate().try_for_each(|(nth, term)| {
                self.take(match (nth, term.negative) {
                    (0, _) => 0,
                    (_, true) => 37,
                    (_, false) => 34,
                })?;
                self.take_operand(&term.operand)
            }),
        }
    }
}

fn target(path: &DocumentPath) -> usize {
    path.attribute.len()
        + path.steps.iter().map(|step| STEP_BYTES + name_bytes(step)).sum::<usize>()
}

fn read(path: &DocumentPath) -> usize {
    let later = path.steps.iter().map(|step| 14 + name_bytes(step)).sum::<usize>();
    1 + 14 + path.attribute.len() + later
}

fn name_bytes(step: &PathStep) -> usize {
    match step {
        PathStep::Member(name) => name.len(),
        PathStep::Element(_) => STEP_BYTES,
    }
}
