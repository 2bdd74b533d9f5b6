//! Key conditions of Query: the partition, and the range of its sort keys.
//!
//! [`crate::key_condition()`] finds the faults that need no key schema; [`KeyConditions::plan`]
//! matches the conditions against one. Source of the rules: Amazon DynamoDB developer guide, "Key
//! condition expressions".

mod check;
mod plan;

pub use plan::{KeyAttribute, KeyPlan};

use crate::parse::Parser;
use crate::placeholders::Placeholders;
use hashrange_model::Value;
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};

/// Operator of a key condition, with its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyOperator {
    /// `=`
    Equal(Value),
    /// `<`
    Less(Value),
    /// `<=`
    LessOrEqual(Value),
    /// `>`
    Greater(Value),
    /// `>=`
    GreaterOrEqual(Value),
    /// BETWEEN, both bounds included; the lower bound comes first.
    Between(Value, Value),
    /// `begins_with`
    BeginsWith(Value),
}

impl KeyOperator {
    /// Returns the values that the attribute is compared with.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let (first, second) = match self {
            Self::Equal(value)
            | Self::Less(value)
            | Self::LessOrEqual(value)
            | Self::Greater(value)
            | Self::GreaterOrEqual(value)
            | Self::BeginsWith(value) => (value, None),
            Self::Between(lower, upper) => (lower, Some(upper)),
        };
        std::iter::once(first).chain(second)
    }
}

/// One condition on one key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCondition {
    /// The attribute's name.
    pub attribute: String,
    /// Operator and values.
    pub operator: KeyOperator,
}

/// A compiled `KeyConditionExpression` or `KeyConditions`. Invariant: no attribute stands twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyConditions(pub(crate) Vec<KeyCondition>);

/// A `KeyConditionExpression` that is a valid expression, though perhaps no valid key condition.
#[derive(Debug)]
pub struct KeyExpression(Result<Vec<KeyCondition>, ExpressionFault>);

impl KeyExpression {
    /// Returns the key conditions, or the first fault that only key conditions can have.
    pub fn conditions(self) -> Result<KeyConditions, Reason> {
        self.0.map(KeyConditions).map_err(in_key_condition)
    }
}

/// Compiles a `KeyConditionExpression` as far as is possible without a key schema.
pub fn key_condition(
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<KeyConditions, Reason> {
    key_expression(text, placeholders)?.conditions()
}

/// Parses a `KeyConditionExpression` and finds the faults that any expression can have. Those that
/// only key conditions can have are reported after those of the other expressions: they are kept.
/// Source of the order: captured 2026.
pub fn key_expression(
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<KeyExpression, Reason> {
    compile(text, placeholders).map_err(in_key_condition)
}

fn in_key_condition(fault: ExpressionFault) -> Reason {
    Reason::Expression(ExpressionKind::KeyCondition, fault)
}

fn compile(
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<KeyExpression, ExpressionFault> {
    let mut parser = Parser::new(ExpressionKind::KeyCondition, text, placeholders)?;
    let predicate = parser.predicate()?;
    parser.found.check_parentheses()?;
    parser.found.check_functions_known()?;
    parser.found.check_reserved()?;
    parser.found.check_limits()?;
    check::check(predicate).map(KeyExpression)
}

impl KeyConditions {
    /// Returns the conditions in written order.
    pub fn iter(&self) -> impl Iterator<Item = &KeyCondition> {
        self.0.iter()
    }
}
