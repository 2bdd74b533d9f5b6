//! Checks of conditions that need no item: definedness, operand counts, distinct operands, types.
//!
//! Predicates are checked in written order and each completely, so that the first fault of the
//! first bad predicate is reported.

use super::{Node, Operand};
use crate::parse::SIZE;
use crate::path::DocumentPath;
use crate::render::literal;
use crate::syntax::{self, Call, Predicate, check_count, check_defined, operand_type};
use crate::token::Comparator;
use hashrange_model::error::ExpressionFault;
use hashrange_model::limits::IN_OPERANDS_MAX;
use hashrange_model::{AttributeType, ValueRef};

type Checked<T> = Result<T, ExpressionFault>;

/// Checks a condition and everything in it.
pub(crate) fn check(predicate: Predicate<'_>) -> Checked<Node> {
    Ok(match predicate {
        Predicate::Or(links) => Node::Or(links.into_iter().map(check).collect::<Checked<_>>()?),
        Predicate::And(links) => Node::And(links.into_iter().map(check).collect::<Checked<_>>()?),
        Predicate::Not(inner) => Node::Not(Box::new(check(*inner)?)),
        Predicate::Compare { comparator, left, right } => compare(comparator, left, right)?,
        Predicate::Between { operand, lower, upper } => {
            check_defined([&operand, &lower, &upper])?;
            let (operand, lower, upper) = (checked(operand)?, checked(lower)?, checked(upper)?);
            for bound in [&operand, &lower, &upper] {
                check_range_operand("BETWEEN", operand_literal(bound))?;
            }
            check_bounds(&lower, &upper)?;
            Node::Between { operand, lower, upper }
        }
        Predicate::In { operand, candidates } => {
            check_defined([&operand].into_iter().chain(&candidates))?;
            if candidates.len() > IN_OPERANDS_MAX {
                return Err(ExpressionFault::TooManyInOperands(candidates.len()));
            }
            let operand = checked(operand)?;
            let candidates = candidates.into_iter().map(checked).collect::<Checked<_>>()?;
            Node::In { operand, candidates }
        }
        Predicate::Call(call) => function(call)?,
    })
}

fn compare(
    comparator: Comparator,
    left: syntax::Operand<'_>,
    right: syntax::Operand<'_>,
) -> Checked<Node> {
    check_defined([&left, &right])?;
    let (left, right) = (checked(left)?, checked(right)?);
    check_distinct(comparator.as_str(), &left, &right)?;
    if !matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
        check_range_operand(comparator.as_str(), operand_literal(&left))?;
        check_range_operand(comparator.as_str(), operand_literal(&right))?;
    }
    Ok(Node::Compare { comparator, left, right })
}

fn function(call: Call<'_>) -> Checked<Node> {
    check_defined(&call.arguments)?;
    let name = call.function;
    check_count(&call, if is_existence(name) { 1 } else { 2 })?;
    let mut arguments = call.arguments.into_iter();
    let mut next = || arguments.next().expect("the arguments were counted");
    let first = next();
    Ok(match name {
        "attribute_exists" => Node::Exists(required_path(name, first)?),
        "attribute_not_exists" => Node::Not(Box::new(Node::Exists(required_path(name, first)?))),
        "attribute_type" => {
            let type_of = |operand: syntax::Operand<'_>| type_name(&checked(operand)?);
            match first {
                // The type of a given value is known now. Source: captured.
                syntax::Operand::Value(value) => {
                    if value.get().attribute_type() == type_of(next())? {
                        Node::And(Vec::new())
                    } else {
                        Node::Or(Vec::new())
                    }
                }
                path => Node::HasType(required_path(name, path)?, type_of(next())?),
            }
        }
        "begins_with" => {
            let (whole, prefix) = (checked(first)?, checked(next())?);
            check_prefix_operand(operand_literal(&whole))?;
            check_prefix_operand(operand_literal(&prefix))?;
            Node::BeginsWith(whole, prefix)
        }
        "contains" => {
            let (container, member) = (checked(first)?, checked(next())?);
            check_distinct(name, &container, &member)?;
            Node::Contains(container, member)
        }
        unknown => return Err(ExpressionFault::UnknownFunction(unknown.to_owned())),
    })
}

fn is_existence(function: &str) -> bool {
    matches!(function, "attribute_exists" | "attribute_not_exists")
}

fn required_path(function: &str, operand: syntax::Operand<'_>) -> Checked<DocumentPath> {
    match operand {
        syntax::Operand::Path(path) => Ok(path),
        _ => Err(ExpressionFault::PathRequired(function.to_owned())),
    }
}

/// Checks one operand by itself.
fn checked(operand: syntax::Operand<'_>) -> Checked<Operand> {
    match operand {
        syntax::Operand::Path(path) => Ok(Operand::Path(path)),
        syntax::Operand::Value(value) => Ok(Operand::Value(value)),
        syntax::Operand::Call(call) => size(call),
        undefined @ (syntax::Operand::UndefinedName(_) | syntax::Operand::UndefinedValue(_)) => {
            Err(undefined.check_defined().expect_err("the placeholder is undefined"))
        }
        syntax::Operand::Sum(_) => unreachable!("the grammar of conditions has no sums"),
    }
}

fn size(call: Call<'_>) -> Checked<Operand> {
    check_count(&call, 1)?;
    let argument = call.arguments.into_iter().next().expect("the arguments were counted");
    match checked(argument)? {
        Operand::Path(path) => Ok(Operand::Size(path)),
        Operand::Size(_) => Err(operand_type(SIZE, AttributeType::N)),
        Operand::Value(value) => {
            let value = value.get();
            let size = super::evaluate::size(value)
                .ok_or_else(|| operand_type(SIZE, value.attribute_type()))?;
            Ok(Operand::Value(size))
        }
    }
}

/// Returns the operand's type if it is known without an item.
fn operand_literal(operand: &Operand) -> Option<AttributeType> {
    match operand {
        Operand::Path(_) => None,
        Operand::Value(value) => Some(value.get().attribute_type()),
        Operand::Size(_) => Some(AttributeType::N),
    }
}

/// Refuses an operand whose type has no order.
pub(crate) fn check_range_operand(operator: &str, operand: Option<AttributeType>) -> Checked<()> {
    match operand {
        Some(operand) if !operand.is_scalar_key() => Err(operand_type(operator, operand)),
        _ => Ok(()),
    }
}

fn check_prefix_operand(operand: Option<AttributeType>) -> Checked<()> {
    match operand {
        None | Some(AttributeType::S | AttributeType::B) => Ok(()),
        Some(operand) => Err(operand_type("begins_with", operand)),
    }
}

/// Refuses literal bounds of two types, or in the wrong order.
pub(crate) fn check_bounds(lower: &Operand, upper: &Operand) -> Checked<()> {
    let (Operand::Value(lower), Operand::Value(upper)) = (lower, upper) else { return Ok(()) };
    let (lower, upper) = (lower.get(), upper.get());
    if lower.attribute_type() != upper.attribute_type() {
        return Err(ExpressionFault::BetweenTypes(literal(lower), literal(upper)));
    }
    if super::evaluate::order(lower, upper).is_some_and(std::cmp::Ordering::is_gt) {
        return Err(ExpressionFault::BetweenReversed(literal(lower), literal(upper)));
    }
    Ok(())
}

fn check_distinct(operator: &str, first: &Operand, second: &Operand) -> Checked<()> {
    match (first, second) {
        (Operand::Path(first), Operand::Path(second)) if first == second => {
            Err(ExpressionFault::OperandsNotDistinct {
                operator: operator.to_owned(),
                operand: first.to_string(),
            })
        }
        _ => Ok(()),
    }
}

fn type_name(operand: &Operand) -> Checked<AttributeType> {
    const FUNCTION: &str = "attribute_type";
    let value = match operand {
        Operand::Value(value) => value.get(),
        Operand::Path(_) => return Err(ExpressionFault::AnyOperandType(FUNCTION.to_owned())),
        Operand::Size(_) => return Err(operand_type(FUNCTION, AttributeType::N)),
    };
    match value {
        ValueRef::S(name) => AttributeType::from_name(name)
            .ok_or_else(|| ExpressionFault::UnknownTypeName(name.to_owned())),
        other => Err(operand_type(FUNCTION, other.attribute_type())),
    }
}
