//! One attribute as a tree while an update changes places inside it.
//!
//! All offsets refer to the list before the update: values are set first, in ascending order, which
//! only replaces or appends; then places are removed, the deepest first and all of one list at
//! once.

use crate::path::PathStep;
use hashrange_model::error::Reason;
use hashrange_model::{AttributeValue, ValueRef};

/// An attribute with the changes to make inside it.
#[derive(Debug)]
pub(super) struct Document<'v> {
    stored: ValueRef<'v>,
    /// The value to set at a place, or `None` to remove it.
    changes: Vec<(&'v [PathStep], Option<ValueRef<'v>>)>,
}

impl<'v> Document<'v> {
    pub(super) fn new(stored: ValueRef<'v>) -> Self {
        Self { stored, changes: Vec::new() }
    }

    pub(super) fn change(&mut self, steps: &'v [PathStep], value: Option<ValueRef<'v>>) {
        self.changes.push((steps, value));
    }

    /// Returns the attribute with all changes made.
    pub(super) fn finish(mut self) -> Result<AttributeValue, Reason> {
        let mut tree = self.stored.to_attribute_value();
        self.changes.sort_unstable_by_key(|(steps, _)| *steps);
        let mut removed = Vec::new();
        for (steps, _) in self.changes.iter().filter(|(_, value)| value.is_none()) {
            if had(&mut tree, steps)? {
                removed.push(*steps);
            }
        }
        for (steps, value) in &self.changes {
            if let Some(value) = value {
                set(&mut tree, steps, value.to_attribute_value())?;
            }
        }
        remove_all(&mut tree, removed)?;
        Ok(tree)
    }
}

/// Returns true if the attribute has a value at a place, whose container must exist.
fn had(tree: &mut AttributeValue, steps: &[PathStep]) -> Result<bool, Reason> {
    match parent(tree, steps)? {
        (AttributeValue::M(entries), PathStep::Member(name)) => Ok(entries.contains_key(&**name)),
        (AttributeValue::L(elements), PathStep::Element(offset)) => Ok(*offset < elements.len()),
        _ => Err(Reason::InvalidDocumentPath),
    }
}

/// Returns the container that the last of `steps` leads into, and that step.
fn parent<'t, 's>(
    tree: &'t mut AttributeValue,
    steps: &'s [PathStep],
) -> Result<(&'t mut AttributeValue, &'s PathStep), Reason> {
    let (last, before) = steps.split_last().ok_or(Reason::InvalidDocumentPath)?;
    let mut place = tree;
    for step in before {
        place = match (step, place) {
            (PathStep::Member(name), AttributeValue::M(entries)) => entries.get_mut(&**name),
            (PathStep::Element(offset), AttributeValue::L(elements)) => elements.get_mut(*offset),
            _ => None,
        }
        .ok_or(Reason::InvalidDocumentPath)?;
    }
    Ok((place, last))
}

/// Sets a value; an offset at or behind the end of a list appends.
fn set(tree: &mut AttributeValue, steps: &[PathStep], value: AttributeValue) -> Result<(), Reason> {
    match parent(tree, steps)? {
        (AttributeValue::M(entries), PathStep::Member(name)) => {
            entries.insert(name.to_string(), value);
        }
        (AttributeValue::L(elements), PathStep::Element(offset)) => match elements.get_mut(*offset)
        {
            Some(element) => *element = value,
            None => elements.push(value),
        },
        _ => return Err(Reason::InvalidDocumentPath),
    }
    Ok(())
}

/// Removes existing values. The deepest go first, so that no offset on the way to another changes;
/// the elements of one list go together, so that each of the others moves only once.
fn remove_all(tree: &mut AttributeValue, mut removed: Vec<&[PathStep]>) -> Result<(), Reason> {
    removed.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    for siblings in removed.chunk_by(|one, other| container(one) == container(other)) {
        let first = siblings.first().ok_or(Reason::InvalidDocumentPath)?;
        match parent(tree, first)?.0 {
            AttributeValue::M(entries) => {
                for steps in siblings {
                    if let Some(PathStep::Member(name)) = steps.last() {
                        entries.remove(&**name);
                    }
                }
            }
            AttributeValue::L(elements) => {
                let mut offsets = siblings.iter().filter_map(|steps| match steps.last() {
                    Some(PathStep::Element(offset)) => Some(*offset),
                    _ => None,
                });
                let mut next = offsets.next();
                let mut offset = 0;
                elements.retain(|_| {
                    let is_removed = next == Some(offset);
                    if is_removed {
                        next = offsets.next();
                    }
                    offset += 1;
                    !is_removed
                });
            }
            _ => return Err(Reason::InvalidDocumentPath),
        }
    }
    Ok(())
}

fn container(steps: &[PathStep]) -> Option<&[PathStep]> {
    steps.split_last().map(|(_, before)| before)
}
