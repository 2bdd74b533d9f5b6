//! Expected: the condition of a write in its two older forms, Value with Exists, or a comparison.

use super::comparison::{AttributeCondition, ComparisonOperator};
use super::{ConditionalOperator, check_joinable, joined};
use crate::condition::{Condition, Node};
use hashrange_model::Value;
use hashrange_model::error::Reason;

/// An entry of Expected, as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The attribute's name.
    pub attribute: &'a str,
    /// Value
    pub value: Option<Value>,
    /// Exists
    pub exists: Option<bool>,
    /// `ComparisonOperator`
    pub operator: Option<ComparisonOperator>,
    /// `AttributeValueList`
    pub arguments: Option<Vec<Value>>,
}

/// Compiles Expected; returns no condition if there are no entries.
pub fn expected(
    entries: Vec<Expected<'_>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    let count = entries.len();
    let nodes = entries.into_iter().map(Expected::check).collect::<Result<Vec<_>, Reason>>()?;
    check_joinable(count, operator)?;
    Ok(joined(nodes, operator))
}

impl Expected<'_> {
    fn check(self) -> Result<Node, Reason> {
        let attribute = self.attribute.to_owned();
        if self.value.is_some() && self.arguments.is_some() {
            return Err(Reason::ExpectedValueAndList { attribute });
        }
        match self.operator {
            Some(_) if self.exists.is_some() => {
                Err(Reason::ExpectedExistsAndOperator { attribute })
            }
            Some(operator) => self.comparison(operator),
            None if self.arguments.is_some() => {
                Err(Reason::ExpectedListWithoutOperator { attribute })
            }
            None => self.existence(),
        }
    }

    fn comparison(self, operator: ComparisonOperator) -> Result<Node, Reason> {
        let arguments = match (self.value, self.arguments) {
            (Some(value), _) => vec![value],
            (None, Some(arguments)) => arguments,
            (None, None) if operator.is_unary() => Vec::new(),
            (None, None) => {
                let (operator, attribute) = (operator.as_str(), self.attribute.to_owned());
                return Err(Reason::ExpectedOperatorWithoutValues { operator, attribute });
            }
        };
        AttributeCondition { attribute: self.attribute, operator, arguments }.check()
    }

    fn existence(self) -> Result<Node, Reason> {
        let attribute = self.attribute.to_owned();
        let (operator, arguments) = match (self.exists, self.value) {
            (Some(false), None) => (ComparisonOperator::Null, Vec::new()),
            (Some(false), Some(_)) => return Err(Reason::ExpectedValueForbidden { attribute }),
            (exists, None) => return Err(Reason::ExpectedValueMissing { attribute, exists }),
            (_, Some(value)) => (ComparisonOperator::Eq, vec![value]),
        };
        AttributeCondition { attribute: self.attribute, operator, arguments }.check()
    }
}
