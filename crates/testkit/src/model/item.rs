//! Items as sorted maps, and paths into them.

use hashrange_model::{AttributeValue, Number};
use std::collections::BTreeMap;

/// An item.
pub type Item = BTreeMap<String, AttributeValue>;

/// A step of a document path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The member of a map.
    Member(String),
    /// The element of a list.
    Element(usize),
}

/// A document path: an attribute, and steps into it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The attribute.
    pub attribute: String,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Path {
    /// Returns the path of a whole attribute.
    pub fn of(attribute: &str) -> Self {
        Self { attribute: attribute.to_owned(), steps: Vec::new() }
    }

    /// Returns the value at the path.
    pub fn find<'i>(&self, item: &'i Item) -> Option<&'i AttributeValue> {
        let mut value = item.get(&self.attribute)?;
        for step in &self.steps {
            value = match (step, value) {
                (Step::Member(name), AttributeValue::M(entries)) => entries.get(name)?,
                (Step::Element(nth), AttributeValue::L(elements)) => elements.get(*nth)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Returns the path without its last step, and that step.
    pub(crate) fn split_last(&self) -> Option<(Self, &Step)> {
        let (last, steps) = self.steps.split_last()?;
        Some((Self { attribute: self.attribute.clone(), steps: steps.to_vec() }, last))
    }

    /// Returns whether one of two paths leads to, or through, the other, or both treat one value
    /// as different containers.
    pub fn clashes(&self, other: &Self) -> bool {
        if self.attribute != other.attribute {
            return false;
        }
        for (left, right) in self.steps.iter().zip(&other.steps) {
            match (left, right) {
                (Step::Member(_), Step::Element(_)) | (Step::Element(_), Step::Member(_)) => {
                    return true;
                }
                _ if left != right => return false,
                _ => {}
            }
        }
        true
    }
}

/// Returns an item reduced to some paths; elements of lists are compacted in order.
pub fn project(item: &Item, paths: &[Path]) -> Item {
    let mut projected = Item::new();
    for (name, value) in item {
        let steps: Vec<&[Step]> = paths
            .iter()
            .filter(|path| path.attribute == *name)
            .map(|path| &path.steps[..])
            .collect();
        if let Some(value) = project_value(value, &steps) {
            projected.insert(name.clone(), value);
        }
    }
    projected
}

fn project_value(value: &AttributeValue, paths: &[&[Step]]) -> Option<AttributeValue> {
    if paths.iter().any(|steps| steps.is_empty()) {
        return Some(value.clone());
    }
    let below = |wanted: Step| -> Vec<&[Step]> {
        paths.iter().filter(|steps| steps[0] == wanted).map(|steps| &steps[1..]).collect()
    };
    match value {
        AttributeValue::M(entries) => {
            let kept: BTreeMap<_, _> = entries
                .iter()
                .filter_map(|(name, value)| {
                    let value = project_value(value, &below(Step::Member(name.clone())))?;
                    Some((name.clone(), value))
                })
                .collect();
            (!kept.is_empty()).then_some(AttributeValue::M(kept))
        }
        AttributeValue::L(elements) => {
            let kept: Vec<_> = elements
                .iter()
                .enumerate()
                .filter_map(|(nth, value)| project_value(value, &below(Step::Element(nth))))
                .collect();
            (!kept.is_empty()).then_some(AttributeValue::L(kept))
        }
        _ => None,
    }
}

/// A value that a key can hold, with its order: strings and binaries by bytes, numbers by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    /// String
    S(String),
    /// Number
    N(Number),
    /// Binary
    B(Vec<u8>),
}

impl KeyValue {
    /// Returns the value as a key value, if its type can be one.
    pub fn of(value: &AttributeValue) -> Option<Self> {
        match value {
            AttributeValue::S(string) => Some(Self::S(string.clone())),
            AttributeValue::N(number) => Some(Self::N(*number)),
            AttributeValue::B(bytes) => Some(Self::B(bytes.to_vec())),
            _ => None,
        }
    }
}
