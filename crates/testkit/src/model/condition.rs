//! Conditions: their structure and their truth for an item.

use super::item::{Item, KeyValue, Path};
use hashrange_model::{AttributeType, AttributeValue};

/// A comparator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// An operand of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// The value at a path.
    Path(Path),
    /// A value of the request.
    Value(AttributeValue),
    /// The size of the value at a path.
    Size(Path),
}

/// A condition or filter.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Compares two operands.
    Compare(Operand, Comparator, Operand),
    /// `BETWEEN`, both ends included.
    Between(Operand, AttributeValue, AttributeValue),
    /// `IN`
    In(Operand, Vec<AttributeValue>),
    /// `attribute_exists`
    Exists(Path),
    /// `attribute_not_exists`
    NotExists(Path),
    /// `attribute_type`
    TypeIs(Path, AttributeType),
    /// `begins_with`
    BeginsWith(Path, AttributeValue),
    /// `contains`
    Contains(Path, AttributeValue),
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// One of them holds.
    Or(Box<Condition>, Box<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// Returns whether the condition holds of an item.
    pub fn holds(&self, item: &Item) -> bool {
        match self {
            Self::Compare(left, comparator, right) => {
                compare(left.evaluate(item).as_ref(), *comparator, right.evaluate(item).as_ref())
            }
            Self::Between(operand, lower, upper) => {
                let value = operand.evaluate(item);
                compare(value.as_ref(), Comparator::GreaterOrEqual, Some(lower))
                    && compare(value.as_ref(), Comparator::LessOrEqual, Some(upper))
            }
            Self::In(operand, choices) => {
                operand.evaluate(item).is_some_and(|value| choices.contains(&value))
            }
            Self::Exists(path) => path.find(item).is_some(),
            Self::NotExists(path) => path.find(item).is_none(),
            Self::TypeIs(path, wanted) => {
                path.find(item).is_some_and(|value| value.attribute_type() == *wanted)
            }
            Self::BeginsWith(path, prefix) => match (path.find(item), prefix) {
                (Some(AttributeValue::S(string)), AttributeValue::S(prefix)) => {
                    string.starts_with(prefix)
                }
                (Some(AttributeValue::B(bytes)), AttributeValue::B(prefix)) => {
                    bytes.starts_with(prefix)
                }
                _ => false,
            },
            Self::Contains(path, part) => {
                path.find(item).is_some_and(|value| contains(value, part))
            }
            Self::And(left, right) => left.holds(item) && right.holds(item),
            Self::Or(left, right) => left.holds(item) || right.holds(item),
            Self::Not(condition) => !condition.holds(item),
        }
    }
}

impl Condition {
    /// Adds the attributes that the condition names.
    pub(crate) fn collect_attributes(&self, names: &mut Vec<String>) {
        match self {
            Self::Compare(left, _, right) => {
                names.extend(left.attribute());
                names.extend(right.attribute());
            }
            Self::Between(operand, ..) | Self::In(operand, _) => names.extend(operand.attribute()),
            Self::Exists(path)
            | Self::NotExists(path)
            | Self::TypeIs(path, _)
            | Self::BeginsWith(path, _)
            | Self::Contains(path, _) => names.push(path.attribute.clone()),
            Self::And(left, right) | Self::Or(left, right) => {
                left.collect_attributes(names);
                right.collect_attributes(names);
            }
            Self::Not(condition) => condition.collect_attributes(names),
        }
    }

    /// Adds the attributes that the condition names elsewhere than inside OR.
    pub(crate) fn collect_attributes_outside_or(&self, names: &mut Vec<String>) {
        match self {
            Self::Or(..) => {}
            Self::And(left, right) => {
                left.collect_attributes_outside_or(names);
                right.collect_attributes_outside_or(names);
            }
            Self::Not(condition) => condition.collect_attributes_outside_or(names),
            leaf => leaf.collect_attributes(names),
        }
    }
}

impl Operand {
    fn attribute(&self) -> Option<String> {
        match self {
            Self::Path(path) | Self::Size(path) => Some(path.attribute.clone()),
            Self::Value(_) => None,
        }
    }

    fn evaluate(&self, item: &Item) -> Option<AttributeValue> {
        match self {
            Self::Path(path) => path.find(item).cloned(),
            Self::Value(value) => Some(value.clone()),
            Self::Size(path) => size(path.find(item)?).map(AttributeValue::from),
        }
    }
}

fn compare(
    left: Option<&AttributeValue>,
    comparator: Comparator,
    right: Option<&AttributeValue>,
) -> bool {
    let equal = left.is_some() && left == right;
    let order = || {
        let (left, right) = (KeyValue::of(left?)?, KeyValue::of(right?)?);
        let same_type = std::mem::discriminant(&left) == std::mem::discriminant(&right);
        same_type.then(|| left.cmp(&right))
    };
    match comparator {
        Comparator::Equal => equal,
        Comparator::NotEqual => !equal,
        Comparator::Less => order().is_some_and(std::cmp::Ordering::is_lt),
        Comparator::LessOrEqual => order().is_some_and(std::cmp::Ordering::is_le),
        Comparator::Greater => order().is_some_and(std::cmp::Ordering::is_gt),
        Comparator::GreaterOrEqual => order().is_some_and(std::cmp::Ordering::is_ge),
    }
}

/// Strings count UTF-16 code units. Source: captures of 2026.
fn size(value: &AttributeValue) -> Option<usize> {
    match value {
        AttributeValue::S(string) => Some(string.encode_utf16().count()),
        AttributeValue::B(bytes) => Some(bytes.len()),
        AttributeValue::Ss(members) => Some(members.len()),
        AttributeValue::Ns(members) => Some(members.len()),
        AttributeValue::Bs(members) => Some(members.len()),
        AttributeValue::L(elements) => Some(elements.len()),
        AttributeValue::M(entries) => Some(entries.len()),
        AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => None,
    }
}

fn contains(value: &AttributeValue, part: &AttributeValue) -> bool {
    match (value, part) {
        (AttributeValue::S(string), AttributeValue::S(part)) => string.contains(part.as_str()),
        (AttributeValue::B(bytes), AttributeValue::B(part)) => {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        (AttributeValue::Ss(members), AttributeValue::S(part)) => members.contains(part),
        (AttributeValue::Ns(members), AttributeValue::N(part)) => members.contains(part),
        (AttributeValue::Bs(members), AttributeValue::B(part)) => members.contains(part),
        (AttributeValue::L(elements), part) => elements.contains(part),
        _ => false,
    }
}
