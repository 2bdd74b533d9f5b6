//! How much an update may write, and what the service counts beside the values.

use super::{Action, Effect, Operand};
use crate::path::{DocumentPath, Step};
use hashrange_model::ValueRef;
use hashrange_model::error::Reason;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;

/// Bytes of an index in a path, and of what leads to any later element of a path.
const STEP_BYTES: usize = 4;

/// The bytes of item size that an update may still write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(usize);

impl Budget {
    /// Returns the room of an item from which `overhead` is taken.
    pub(super) fn new(overhead: usize) -> Result<Self, Reason> {
        let mut room = Self(ITEM_SIZE_MAX_BYTES);
        room.take(overhead)?;
        Ok(room)
    }

    fn take(&mut self, bytes: usize) -> Result<(), Reason> {
        self.0 = self.0.checked_sub(bytes).ok_or(Reason::UpdatedItemTooLarge)?;
        Ok(())
    }

    /// Takes a value.
    pub(super) fn take_value(&mut self, value: ValueRef<'_>) -> Result<(), Reason> {
        self.take(value.size())
    }

    /// Takes what an action writes; the new item has all of it.
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

/// Returns what the statement of an update costs beside the values it writes.
/// Source: captures of 2026 in us-east-1, size of items in UpdateItem.
pub(super) fn statement_overhead(actions: &[Action]) -> usize {
    3 + actions.iter().map(action_overhead).sum::<usize>()
}

fn action_overhead(action: &Action) -> usize {
    let path = &action.path;
    let ends_in_list = usize::from(matches!(path.steps.last(), Some(Step::Element(_))));
    // The name of a whole attribute is counted with its value.
    let target = if path.is_nested() { target(path) } else { 0 };
    match &action.effect {
        Effect::Set(Operand::Value(_)) => 19 + target + ends_in_list,
        Effect::Set(operand) => 19 + target + ends_in_list + operand_overhead(operand),
        Effect::Add(_) | Effect::AddLegacy(_) => 19 + target + ends_in_list,
        Effect::Remove => 1 + self::target(path),
        Effect::Delete(value) | Effect::DeleteLegacy(value) => {
            1 + self::target(path) + value.get().size()
        }
    }
}

fn target(path: &DocumentPath) -> usize {
    path.attribute.len()
        + path.steps.iter().map(|step| STEP_BYTES + name_bytes(step)).sum::<usize>()
}

fn operand_overhead(operand: &Operand) -> usize {
    match operand {
        Operand::Value(value) => value.get().size(),
        Operand::Path(path) => read(path),
        Operand::IfNotExists(path, otherwise) => 39 + read(path) + operand_overhead(otherwise),
        Operand::ListAppend(lists) => 37 + operand_overhead(&lists.0) + operand_overhead(&lists.1),
        Operand::Sum(terms) => terms
            .iter()
            .enumerate()
            .map(|(nth, term)| {
                let operator = match (nth, term.negative) {
                    (0, _) => 0,
                    (_, true) => 37,
                    (_, false) => 34,
                };
                operator + operand_overhead(&term.operand)
            })
            .sum(),
    }
}

fn read(path: &DocumentPath) -> usize {
    let later = path.steps.iter().map(|step| 14 + name_bytes(step)).sum::<usize>();
    1 + 14 + path.attribute.len() + later
}

fn name_bytes(step: &Step) -> usize {
    match step {
        Step::Member(name) => name.len(),
        Step::Element(_) => STEP_BYTES,
    }
}
