//! Faults of key conditions that can be found without a key schema. The check walks the clauses in
//! written order. The first fault that any expression can have (an undefined placeholder, an
//! operand's type) ends the walk; the first that only key conditions can have is kept for later.

use super::{KeyCondition, KeyOperator};
use crate::condition::{Operand as Checked, check_bounds, check_range_operand};
use crate::syntax::{Call, Operand, Predicate, check_count, check_defined, operand_type};
use crate::token::Comparator;
use hashrange_model::error::ExpressionFault;
use hashrange_model::{AttributeType, Value};

type Result<T> = std::result::Result<T, ExpressionFault>;

/// Checks all clauses. The inner result is about key conditions only.
pub(super) fn check(predicate: Predicate<'_>) -> Result<Result<Vec<KeyCondition>>> {
    let mut collector = ConditionCollector { conditions: Vec::with_capacity(2), fault: None };
    collector.collect(predicate)?;
    Ok(collector.fault.map_or(Ok(collector.conditions), Err))
}

/// Refuses undefined placeholders in a clause that is no key condition.
fn check_placeholders(clause: &Predicate<'_>) -> Result<()> {
    match clause {
        Predicate::Or(clauses) | Predicate::And(clauses) => {
            clauses.iter().try_for_each(check_placeholders)
        }
        Predicate::Not(clause) => check_placeholders(clause),
        Predicate::Compare { left, right, .. } => check_defined([left, right]),
        Predicate::Between { operand, lower, upper } => check_defined([operand, lower, upper]),
        Predicate::In { operand, candidates } => {
            check_defined(std::iter::once(operand).chain(candidates))
        }
        Predicate::Call(call) => check_defined(&call.arguments),
    }
}

struct ConditionCollector {
    conditions: Vec<KeyCondition>,
    /// The first fault that only key conditions can have.
    fault: Option<ExpressionFault>,
}

impl ConditionCollector {
    fn collect(&mut self, predicate: Predicate<'_>) -> Result<()> {
        let not_allowed = |operator: &str| {
            check_placeholders(&predicate)?;
            Err(ExpressionFault::KeyOperator(operator.to_owned()))
        };
        let condition = match predicate {
            Predicate::Or(_) => not_allowed("OR"),
            Predicate::Not(_) => not_allowed("NOT"),
            Predicate::In { .. } => not_allowed("IN"),
            Predicate::Call(Call { function, .. }) if function != "begins_with" => {
                not_allowed(function)
            }
            Predicate::And(clauses) => {
                return clauses.into_iter().try_for_each(|clause| self.collect(clause));
            }
            Predicate::Compare { comparator, left, right } => compare(comparator, left, right),
            Predicate::Between { operand, lower, upper } => between(operand, lower, upper),
            Predicate::Call(call) => begins_with(call),
        };
        match condition {
            Ok(condition) if self.is_known(&condition.attribute) => {
                self.fault.get_or_insert(ExpressionFault::KeyTwice);
            }
            Ok(condition) => self.conditions.push(condition),
            Err(fault) if is_about_keys(&fault) => {
                self.fault.get_or_insert(fault);
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    fn is_known(&self, attribute: &str) -> bool {
        self.conditions.iter().any(|condition| condition.attribute == attribute)
    }
}

/// Returns whether only a key condition can have the fault.
fn is_about_keys(fault: &ExpressionFault) -> bool {
    matches!(
        fault,
        ExpressionFault::KeyOperator(_)
            | ExpressionFault::KeyNestedOperation
            | ExpressionFault::KeyNestedAttribute
            | ExpressionFault::KeyMultipleNames
            | ExpressionFault::KeyNoName
            | ExpressionFault::KeyNotFirst(_)
            | ExpressionFault::KeyTwice
    )
}

/// A sound operand of a clause.
enum Side {
    Attribute(String),
    Value(Value),
}

fn side(operand: Operand<'_>) -> Result<Side> {
    match operand {
        Operand::Path(path) if path.is_nested() => Err(ExpressionFault::KeyNestedAttribute),
        Operand::Path(path) => Ok(Side::Attribute(path.attribute.to_string())),
        Operand::Value(value) => Ok(Side::Value(value)),
        Operand::UndefinedName(name) => Err(ExpressionFault::UndefinedName(name.to_owned())),
        Operand::UndefinedValue(name) => Err(ExpressionFault::UndefinedValue(name.to_owned())),
        Operand::Call(_) | Operand::Sum(_) => Err(ExpressionFault::KeyNestedOperation),
    }
}

fn compare(comparator: Comparator, left: Operand<'_>, right: Operand<'_>) -> Result<KeyCondition> {
    let written = comparator;
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
        check_range_operand(written.as_str(), Some(operand))?;
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

/// Returns the comparator with the same meaning when the operands are exchanged.
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
