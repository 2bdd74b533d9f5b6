//! The parameters that preceded expressions: Expected, `QueryFilter`, `ScanFilter`,
//! `KeyConditions`, `ConditionalOperator` and `AttributeUpdates`. They compile to the same forms as
//! expressions do.
//!
//! All of them name top-level attributes only; the caller checks their values.
//! Source: Amazon DynamoDB developer guide, "Legacy conditional parameters".

mod comparison;
mod expected;
mod update;

pub use comparison::{AttributeCondition, ComparisonOperator, filter, key_conditions};
pub use expected::{Expected, expected};
pub use update::{AttributeAction, AttributeUpdate, attribute_updates};

use crate::condition::{Condition, Node};
use hashrange_model::error::Reason;

/// Operator that joins legacy conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConditionalOperator {
    /// All must hold.
    #[default]
    And,
    /// One must hold.
    Or,
}

/// Refuses a `ConditionalOperator` with fewer than two conditions.
fn check_joinable(conditions: usize, operator: Option<ConditionalOperator>) -> Result<(), Reason> {
    match (conditions, operator) {
        (0, Some(_)) => Err(Reason::ConditionalOperatorWithoutConditions),
        (1, Some(_)) => Err(Reason::ConditionalOperatorAlone),
        _ => Ok(()),
    }
}

fn joined(nodes: Vec<Node>, operator: Option<ConditionalOperator>) -> Option<Condition> {
    if nodes.is_empty() {
        return None;
    }
    Some(Condition(match operator.unwrap_or_default() {
        ConditionalOperator::And => Node::And(nodes),
        ConditionalOperator::Or => Node::Or(nodes),
    }))
}
