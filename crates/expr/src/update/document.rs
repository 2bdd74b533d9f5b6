//! One attribute as a tree while an update changes places inside it.
//!
//! All offsets mean the list as it was: values are set first, in ascending order, which only ever
//! replaces or appends; then places are removed in descending order.

use crate::path::{Step, descend};
use hashrange_model::error::Reason;
use hashrange_model::{AttributeValue, ValueRef};

/// An attribute with the changes to make inside it.
#[derive(Debug)]
pub(super) struct Document<'v> {
    stored: ValueRef<'v>,
    /// The value to set at a place, or `None` to remove it.
    changes: Vec<(&'v [Step], Option<ValueRef<'v>>)>,
}

impl<'v> Document<'v> {
    pub(super) fn new(stored: ValueRef<'v>) -> Self {
        Self { stored, changes: Vec::new() }
    }

    pub(super) fn change(&mut self, steps: &'v [Step], value: Option<ValueRef<'v>>) {
        self.changes.push((steps, value));
    }

    /// Returns the attribute with all changes made.
    pub(super) fn finish(mut self) -> Result<AttributeValue, Reason> {
        let mut tree = self.stored.to_attribute_value();
        self.changes.sort_unstable_by_key(|(steps, _)| *steps);
        for (steps, value) in &self.changes {
            if let Some(value) = value {
                set(&mut tree, steps, value.to_attribute_value())?;
            }
        }
        for (steps, value) in self.changes.iter().rev() {
            if value.is_none() && self.had(steps)? {
                remove(&mut tree, steps)?;
            }
        }
        Ok(tree)
    }

    /// Returns true if the attribute had a value there before any change. The container has to be.
    fn had(&self, steps: &[Step]) -> Result<bool, Reason> {
        let (last, before) = steps.split_last().ok_or(Reason::InvalidDocumentPath)?;
        match (descend(self.stored, before), last) {
            (Some(ValueRef::M(entries)), Step::Member(name)) => Ok(entries.get(name).is_some()),
            (Some(ValueRef::L(elements)), Step::Element(offset)) => {
                Ok(elements.get(*offset).is_some())
            }
            _ => Err(Reason::InvalidDocumentPath),
        }
    }
}

/// Returns the container that the last of `steps` leads into, and that step.
fn parent<'t, 's>(
    tree: &'t mut AttributeValue,
    steps: &'s [Step],
) -> Result<(&'t mut AttributeValue, &'s Step), Reason> {
    let (last, before) = steps.split_last().ok_or(Reason::InvalidDocumentPath)?;
    let mut place = tree;
    for step in before {
        place = match (step, place) {
            (Step::Member(name), AttributeValue::M(entries)) => entries.get_mut(&**name),
            (Step::Element(offset), AttributeValue::L(elements)) => elements.get_mut(*offset),
            _ => None,
        }
        .ok_or(Reason::InvalidDocumentPath)?;
    }
    Ok((place, last))
}

/// Sets a value; an offset at or behind the end of a list appends.
fn set(tree: &mut AttributeValue, steps: &[Step], value: AttributeValue) -> Result<(), Reason> {
    match parent(tree, steps)? {
        (AttributeValue::M(entries), Step::Member(name)) => {
            entries.insert(name.to_string(), value);
        }
        (AttributeValue::L(elements), Step::Element(offset)) => match elements.get_mut(*offset) {
            Some(element) => *element = value,
            None => elements.push(value),
        },
        _ => return Err(Reason::InvalidDocumentPath),
    }
    Ok(())
}

/// Removes a value that is there.
fn remove(tree: &mut AttributeValue, steps: &[Step]) -> Result<(), Reason> {
    match parent(tree, steps)? {
        (AttributeValue::M(entries), Step::Member(name)) => {
            entries.remove(&**name);
        }
        (AttributeValue::L(elements), Step::Element(offset)) => {
            elements.remove(*offset);
        }
        _ => return Err(Reason::InvalidDocumentPath),
    }
    Ok(())
}
