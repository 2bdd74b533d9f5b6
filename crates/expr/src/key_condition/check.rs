//! Faults of key conditions that show without a key schema. Clauses are walked in written order;
//! the first fault is reported.

use super::{KeyCondition, KeyOperator};
use crate::condition::{Operand as Checked, check_bounds, check_range_operand};
use crate::syntax::{Call, Operand, Predicate, check_count, operand_type};
use crate::token::Comparator;
use hashrange_model::error::ExpressionFault;
use hashrange_model::{AttributeType, Value};

type Result<T> = std::result::Result<T, ExpressionFault>;

/// Checks all clauses.
pub(super) fn check(predicate: Predicate<'_>) -> Result<Vec<KeyCondition>> {
    let mut conditions = Vec::with_capacity(2);
    collect(predicate, &mut conditions)?;
    Ok(conditions)
}

fn collect(predicate: Predicate<'_>, conditions: &mut Vec<KeyCondition>) -> Result<()> {
    let not_allowed = |operator: &str| Err(ExpressionFault::KeyOperator(operator.to_owned()));
    let condition = match predicate {
        Predicate::And(clauses) => {
            return clauses.into_iter().try_for_each(|clause| collect(clause, conditions));
        }
        Predicate::Or(_) => return not_allowed("OR"),
        Predicate::Not(_) => return not_allowed("NOT"),
        Predicate::In { .. } => return not_allowed("IN"),
        Predicate::Compare { comparator, left, right } => compare(comparator, left, right)?,
        Predicate::Between { operand, lower, upper } => between(operand, lower, upper)?,
        Predicate::Call(call) if call.function == "begins_with" => begins_with(call)?,
        Predicate::Call(call) => return not_allowed(call.function),
    };
    if conditions.iter().any(|other| other.attribute == condition.attribute) {
        return Err(ExpressionFault::KeyTwice);
    }
    conditions.push(condition);
    Ok(())
}

/// A sound operand of a clause.
enum Side {
    Attribute(String),
    Value(Value),
}

fn side(operand: Operand<'_>) -> Result<Side> {
    match operand {
        Operand::Path(path) if path.is_nested() => Err(ExpressionFault::KeyNestedAttribute),
        Operand::Path(path) => Ok(Side::Attribute(path.attribute.into_string())),
        Operand::Value(value) => Ok(Side::Value(value)),
        Operand::UndefinedName(name) => Err(ExpressionFault::UndefinedName(name.to_owned())),
        Operand::UndefinedValue(name) => Err(ExpressionFault::UndefinedValue(name.to_owned())),
        Operand::Call(_) | Operand::Sum(_) => Err(ExpressionFault::KeyNestedOperation),
    }
}

fn compare(comparator: Comparator, left: Operand<'_>, right: Operand<'_>) -> Result<KeyCondition> {
    let (attribute, value, comparator) = match (side(left)?, side(right)?) {
        (Side::Attribute(_), Side::Attribute(_)) => {
            return Err(ExpressionFault::KeyMultipleNames);
        }
        (Side::Value(_), Side::Value(_)) => return Err(ExpressionFault::KeyNoName),
        (Side::Attribute(attribute), Side::Value(value)) => (attribute, value, comparator),
        (Side::Value(value), Side::Attribute(attribute)) => {
            (attribute, value, mirrored(comparator))
        }
    };
    let operand = value.get().attribute_type();
    if comparator != Comparator::Equal && comparator != Comparator::NotEqual {
        check_range_operand(comparator.as_str(), Some(operand))?;
    }
    let operator = match comparator {
        Comparator::Equal => KeyOperator::Equal(value),
        Comparator::Less => KeyOperator::Less(value),
        Comparator::LessOrEqual => KeyOperator::LessOrEqual(value),
        Comparator::Greater => KeyOperator::Greater(value),
        Comparator::GreaterOrEqual => KeyOperator::GreaterOrEqual(value),
        Comparator::NotEqual => {
            return Err(ExpressionFault::KeyOperator(comparator.as_str().to_owned()));
        }
    };
    Ok(KeyCondition { attribute, operator })
}

/// Returns the comparator that says the same with the operands exchanged.
fn mirrored(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Less => Comparator::Greater,
        Comparator::LessOrEqual => Comparator::GreaterOrEqual,
        Comparator::Greater => Comparator::Less,
        Comparator::GreaterOrEqual => Comparator::LessOrEqual,
        same @ (Comparator::Equal | Comparator::NotEqual) => same,
    }
}

fn between(operand: Operand<'_>, lower: Operand<'_>, upper: Operand<'_>) -> Result<KeyCondition> {
    const NAME: &str = "BETWEEN";
    let sides = (side(operand)?, side(lower)?, side(upper)?);
    let (attribute, lower, upper) = match sides {
        (Side::Attribute(attribute), Side::Value(lower), Side::Value(upper)) => {
            (attribute, lower, upper)
        }
        (Side::Value(_), Side::Value(_), Side::Value(_)) => {
            return Err(ExpressionFault::KeyNoName);
        }
        (Side::Attribute(_), ..) | (Side::Value(_), Side::Attribute(_), Side::Attribute(_)) => {
            return Err(ExpressionFault::KeyMultipleNames);
        }
        (Side::Value(_), ..) => return Err(ExpressionFault::KeyNotFirst(NAME.to_owned())),
    };
    for bound in [&lower, &upper] {
        check_range_operand(NAME, Some(bound.get().attribute_type()))?;
    }
    check_bounds(&Checked::Value(lower.clone()), &Checked::Value(upper.clone()))?;
    Ok(KeyCondition { attribute, operator: KeyOperator::Between(lower, upper) })
}

fn begins_with(call: Call<'_>) -> Result<KeyCondition> {
    const NAME: &str = "begins_with";
    let sound = call.arguments.len() == 2;
    if !sound {
        crate::syntax::check_defined(&call.arguments)?;
        check_count(&call, 2)?;
    }
    let mut arguments = call.arguments.into_iter();
    let mut next = || side(arguments.next().expect("the arguments were counted"));
    let (attribute, prefix) = match (next()?, next()?) {
        (Side::Attribute(attribute), Side::Value(prefix)) => (attribute, prefix),
        (Side::Attribute(_), Side::Attribute(_)) => {
            return Err(ExpressionFault::KeyMultipleNames);
        }
        (Side::Value(_), Side::Value(_)) => return Err(ExpressionFault::KeyNoName),
        (Side::Value(_), Side::Attribute(_)) => {
            return Err(ExpressionFault::KeyNotFirst(NAME.to_owned()));
        }
    };
    match prefix.get().attribute_type() {
        AttributeType::S | AttributeType::B => {
            Ok(KeyCondition { attribute, operator: KeyOperator::BeginsWith(prefix) })
        }
        other => Err(operand_type(NAME, other)),
    }
}
