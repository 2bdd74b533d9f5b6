//! Evaluation of checked conditions over the binary form of an item.
//!
//! The logic has two values: a missing attribute or a type that does not fit makes a predicate
//! false, and NOT turns that into true.

use super::{Node, Operand};
use crate::evaluated::Evaluated;
use crate::token::Comparator;
use hashrange_model::{AttributeValue, Item, Value, ValueRef};
use std::cmp::Ordering;

impl Operand {
    fn evaluate<'i>(&'i self, item: &'i Item) -> Option<Evaluated<'i>> {
        match self {
            Self::Path(path) => path.find(item).map(Evaluated::Stored),
            Self::Value(value) => Some(Evaluated::Stored(value.get())),
            Self::Size(path) => size(path.find(item)?).map(Evaluated::Computed),
        }
    }
}

impl Operand {
    fn is_size(&self) -> bool {
        matches!(self, Self::Size(_))
    }
}

impl Node {
    /// Returns true if the condition holds.
    pub(super) fn holds(&self, item: &Item) -> bool {
        match self {
            Self::Or(nodes) => nodes.iter().any(|node| node.holds(item)),
            Self::And(nodes) => nodes.iter().all(|node| node.holds(item)),
            Self::Not(node) => !node.holds(item),
            Self::Compare { comparator, left, right } => {
                let (left_value, right_value) = (left.evaluate(item), right.evaluate(item));
                let has_no_size = left.is_size() && left_value.is_none()
                    || right.is_size() && right_value.is_none();
                // A value without a size compares false, also by <>. Source: captured, function
                // size.
                !has_no_size
                    && compare(*comparator, view(left_value.as_ref()), view(right_value.as_ref()))
            }
            Self::Between { operand, lower, upper } => {
                let value = operand.evaluate(item);
                let (lower, upper) = (lower.evaluate(item), upper.evaluate(item));
                compare(Comparator::GreaterOrEqual, view(value.as_ref()), view(lower.as_ref()))
                    && compare(Comparator::LessOrEqual, view(value.as_ref()), view(upper.as_ref()))
            }
            Self::In { operand, candidates } => {
                let value = operand.evaluate(item);
                candidates.iter().any(|candidate| {
                    compare(
                        Comparator::Equal,
                        view(value.as_ref()),
                        view(candidate.evaluate(item).as_ref()),
                    )
                })
            }
            Self::Exists(path) => path.find(item).is_some(),
            Self::HasType(path, attribute_type) => {
                path.find(item).is_some_and(|value| value.attribute_type() == *attribute_type)
            }
            Self::BeginsWith(whole, prefix) => both(
                view(whole.evaluate(item).as_ref()),
                view(prefix.evaluate(item).as_ref()),
                begins_with,
            ),
            Self::Contains(container, member) => both(
                view(container.evaluate(item).as_ref()),
                view(member.evaluate(item).as_ref()),
                contains,
            ),
        }
    }
}

fn view<'v>(value: Option<&'v Evaluated<'_>>) -> Option<ValueRef<'v>> {
    value.map(Evaluated::get)
}

/// Applies `predicate` if both operands exist.
pub(super) fn both(
    left: Option<ValueRef<'_>>,
    right: Option<ValueRef<'_>>,
    predicate: impl FnOnce(ValueRef<'_>, ValueRef<'_>) -> bool,
) -> bool {
    left.zip(right).is_some_and(|(left, right)| predicate(left, right))
}

/// Compares two operands; each may be missing.
pub(super) fn compare(
    comparator: Comparator,
    left: Option<ValueRef<'_>>,
    right: Option<ValueRef<'_>>,
) -> bool {
    let equal = || both(left, right, |left, right| left == right);
    let ordered = |wanted: fn(Ordering) -> bool| {
        both(left, right, |left, right| order(left, right).is_some_and(wanted))
    };
    match comparator {
        Comparator::Equal => equal(),
        // <> is true as well if an operand is missing. Source: captured, condition expressions.
        Comparator::NotEqual => !equal(),
        Comparator::Less => ordered(Ordering::is_lt),
        Comparator::LessOrEqual => ordered(Ordering::is_le),
        Comparator::Greater => ordered(Ordering::is_gt),
        Comparator::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}

/// Returns the order of two values of one ordered type: strings and binary by bytes, numbers by
/// value.
pub(crate) fn order(left: ValueRef<'_>, right: ValueRef<'_>) -> Option<Ordering> {
    match (left, right) {
        (ValueRef::S(left), ValueRef::S(right)) => Some(left.cmp(right)),
        (ValueRef::N(left), ValueRef::N(right)) => Some(left.cmp(&right)),
        (ValueRef::B(left), ValueRef::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

pub(super) fn begins_with(whole: ValueRef<'_>, prefix: ValueRef<'_>) -> bool {
    match (whole, prefix) {
        (ValueRef::S(whole), ValueRef::S(prefix)) => whole.starts_with(prefix),
        (ValueRef::B(whole), ValueRef::B(prefix)) => whole.starts_with(prefix),
        _ => false,
    }
}

pub(super) fn contains(container: ValueRef<'_>, member: ValueRef<'_>) -> bool {
    match (container, member) {
        (ValueRef::S(whole), ValueRef::S(part)) => whole.contains(part),
        (ValueRef::B(whole), ValueRef::B(part)) => contains_bytes(whole, part),
        (ValueRef::Ss(set), ValueRef::S(member)) => set.iter().any(|it| it == member.as_bytes()),
        (ValueRef::Ns(set), ValueRef::N(member)) => set.iter().any(|it| it == member.as_bytes()),
        (ValueRef::Bs(set), ValueRef::B(member)) => set.iter().any(|it| it == member),
        (ValueRef::L(elements), member) => elements.iter().any(|element| element == member),
        _ => false,
    }
}

fn contains_bytes(whole: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(whole, part).is_some()
}

/// Returns the result of the function `size`: UTF-16 code units of a string, bytes of binary, the
/// number of members, elements or entries. Source: captured 2026, size of strings.
pub(super) fn size(value: ValueRef<'_>) -> Option<Value> {
    let size = match value {
        ValueRef::S(string) => string.encode_utf16().count(),
        ValueRef::B(bytes) => bytes.len(),
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => set.iter().count(),
        ValueRef::L(elements) => elements.iter().count(),
        ValueRef::M(entries) => entries.iter().count(),
        ValueRef::N(_) | ValueRef::Bool(_) | ValueRef::Null => return None,
    };
    Some(AttributeValue::from(size).to_value())
}
