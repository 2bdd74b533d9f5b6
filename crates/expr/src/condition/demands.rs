//! Attributes that a condition requires in every case: they exist, or have one of some values.

use super::{Node, Operand};
use crate::path::DocumentPath;
use crate::token::Comparator;
use hashrange_model::AttributeType;
use std::collections::BTreeMap;

/// Attributes that have to exist, each with its type if it has to have one.
type Existing<'n> = BTreeMap<&'n str, Option<AttributeType>>;

impl Node {
    pub(super) fn existing(&self) -> Existing<'_> {
        let (attribute, of) = match self {
            Self::And(nodes) => return nodes.iter().map(Self::existing).fold(Existing::new(), all),
            Self::Or(nodes) => {
                let each = nodes.iter().map(Self::existing);
                return each.reduce(|one, other| of_both(one, &other)).unwrap_or_default();
            }
            Self::Not(absent) => match &**absent {
                Self::Not(node) => return node.existing(),
                _ => return Existing::new(),
            },
            Self::Exists(path) => (top_level(path), None),
            Self::HasType(path, of) => (top_level(path), Some(*of)),
            // <> is true as well if the attribute is missing.
            Self::Compare { comparator: Comparator::NotEqual, .. } => (None, None),
            Self::Compare { left, right, .. } => match (left.attribute(), right.attribute()) {
                (Some(name), None) => (Some(name), type_of(right)),
                (None, Some(name)) => (Some(name), type_of(left)),
                _ => (None, None),
            },
            Self::Between { operand, lower, .. } => (operand.attribute(), type_of(lower)),
            Self::In { operand, candidates } => match type_of_all(candidates) {
                Some(of) => (operand.attribute(), Some(of)),
                None => (None, None),
            },
            Self::BeginsWith(whole, prefix) => (whole.attribute(), type_of(prefix)),
            Self::Contains(whole, _) => (whole.attribute(), None),
        };
        attribute.map(|attribute| (attribute, of)).into_iter().collect()
    }

    /// Returns the number of values that an attribute has to have one of, all of one type.
    pub(super) fn candidates_of(&self, attribute: &str, of: AttributeType) -> Option<usize> {
        let is_attribute = |operand: &Operand| operand.attribute() == Some(attribute);
        match self {
            Self::And(nodes) => nodes.iter().find_map(|node| node.candidates_of(attribute, of)),
            Self::Or(nodes) => nodes.iter().map(|node| node.candidates_of(attribute, of)).sum(),
            Self::In { operand, candidates } => {
                let is_meant = is_attribute(operand) && type_of_all(candidates) == Some(of);
                is_meant.then_some(candidates.len())
            }
            Self::Compare { comparator: Comparator::Equal, left, right } => {
                let is_value = is_attribute(left) && type_of(right) == Some(of)
                    || is_attribute(right) && type_of(left) == Some(of);
                is_value.then_some(1)
            }
            _ => None,
        }
    }
}

/// Returns the attributes that exist where both conditions hold.
fn all<'n>(mut one: Existing<'n>, other: Existing<'n>) -> Existing<'n> {
    for (attribute, of) in other {
        let known = one.entry(attribute).or_insert(of);
        *known = known.or(of);
    }
    one
}

/// Returns the attributes that exist where either condition holds, without those of different types.
fn of_both<'n>(mut one: Existing<'n>, other: &Existing<'n>) -> Existing<'n> {
    one.retain(|attribute, of| match (*of, other.get(attribute)) {
        (_, None) => false,
        (Some(this), Some(Some(that))) => this == *that,
        (_, Some(_)) => {
            *of = None;
            true
        }
    });
    one
}

/// Returns the name of a whole attribute.
fn top_level(path: &DocumentPath) -> Option<&str> {
    (!path.is_nested()).then_some(&*path.attribute)
}

fn type_of(operand: &Operand) -> Option<AttributeType> {
    match operand {
        Operand::Value(value) => Some(value.get().attribute_type()),
        Operand::Path(_) | Operand::Size(_) => None,
    }
}

/// Returns the type of all operands, if it is one.
fn type_of_all(operands: &[Operand]) -> Option<AttributeType> {
    let (first, others) = operands.split_first()?;
    type_of(first).filter(|of| others.iter().all(|other| type_of(other) == Some(*of)))
}
