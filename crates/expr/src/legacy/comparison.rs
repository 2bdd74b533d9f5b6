//! Comparison operators with their arguments in `QueryFilter`, `ScanFilter`, `KeyConditions` and
//! Expected.

use super::{ConditionalOperator, check_joinable, joined};
use crate::condition::{Condition, Node, Operand, order};
use crate::key_condition::{KeyCondition, KeyConditions, KeyOperator};
use crate::path::DocumentPath;
use crate::token::Comparator;
use hashrange_model::error::{Reason, ValueFault};
use hashrange_model::{AttributeType, Value};

/// The comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as on the wire")]
pub enum ComparisonOperator {
    Eq,
    Ne,
    In,
    Le,
    Lt,
    Ge,
    Gt,
    Between,
    NotNull,
    Null,
    Contains,
    NotContains,
    BeginsWith,
}

impl ComparisonOperator {
    /// Returns the operator's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "EQ",
            Self::Ne => "NE",
            Self::In => "IN",
            Self::Le => "LE",
            Self::Lt => "LT",
            Self::Ge => "GE",
            Self::Gt => "GT",
            Self::Between => "BETWEEN",
            Self::NotNull => "NOT_NULL",
            Self::Null => "NULL",
            Self::Contains => "CONTAINS",
            Self::NotContains => "NOT_CONTAINS",
            Self::BeginsWith => "BEGINS_WITH",
        }
    }

    /// Returns true for NULL and `NOT_NULL`, which take no argument.
    pub(super) fn is_unary(self) -> bool {
        matches!(self, Self::Null | Self::NotNull)
    }

    fn takes_count(self, count: usize) -> bool {
        match self {
            Self::Null | Self::NotNull => count == 0,
            Self::Between => count == 2,
            Self::In => count >= 1,
            _ => count == 1,
        }
    }

    fn takes_type(self, argument: AttributeType) -> bool {
        match self {
            Self::Eq | Self::Ne | Self::Null | Self::NotNull => true,
            Self::BeginsWith => matches!(argument, AttributeType::S | AttributeType::B),
            _ => argument.is_scalar_key(),
        }
    }

    /// Refuses arguments that the operator does not take.
    pub(super) fn check_arguments(self, arguments: &[Value]) -> Result<(), Reason> {
        let operator = self.as_str();
        if !self.takes_count(arguments.len()) {
            return Err(Reason::ArgumentCount { operator });
        }
        let mut types = arguments.iter().map(|argument| argument.get().attribute_type());
        let Some(attribute_type) = types.next() else { return Ok(()) };
        if types.any(|other| other != attribute_type) {
            return Err(Reason::ArgumentTypesDiffer);
        }
        if !self.takes_type(attribute_type) {
            return Err(Reason::ArgumentType { operator, attribute_type });
        }
        match (self, arguments) {
            (Self::Between, [lower, upper])
                if order(lower.get(), upper.get()).is_some_and(std::cmp::Ordering::is_gt) =>
            {
                Err(Reason::LegacyBetweenReversed)
            }
            _ => Ok(()),
        }
    }
}

/// A condition on one attribute, an entry of `QueryFilter`, `ScanFilter` or `KeyConditions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeCondition<'a> {
    /// The attribute's name.
    pub attribute: &'a str,
    /// Comparison operator.
    pub operator: ComparisonOperator,
    /// `AttributeValueList`; empty where it is absent.
    pub arguments: Vec<Value>,
}

impl AttributeCondition<'_> {
    /// Checks the condition and returns its node.
    pub(super) fn check(self) -> Result<Node, Reason> {
        self.check_name()?;
        self.operator.check_arguments(&self.arguments)?;
        let path = DocumentPath::top_level(self.attribute);
        Ok(node(path, self.operator, self.arguments))
    }

    fn check_name(&self) -> Result<(), Reason> {
        if self.attribute.is_empty() {
            return Err(Reason::Value(ValueFault::EmptyAttributeName));
        }
        Ok(())
    }
}

/// Returns the node of a condition whose arguments have been counted.
fn node(path: DocumentPath, operator: ComparisonOperator, arguments: Vec<Value>) -> Node {
    let mut arguments = arguments.into_iter().map(Operand::Value);
    let mut next = || arguments.next().expect("the arguments were counted");
    let compare =
        |comparator, path, right| Node::Compare { comparator, left: Operand::Path(path), right };
    match operator {
        ComparisonOperator::Null => Node::Not(Box::new(Node::Exists(path))),
        ComparisonOperator::NotNull => Node::Exists(path),
        ComparisonOperator::Eq => compare(Comparator::Equal, path, next()),
        ComparisonOperator::Ne => compare(Comparator::NotEqual, path, next()),
        ComparisonOperator::Le => compare(Comparator::LessOrEqual, path, next()),
        ComparisonOperator::Lt => compare(Comparator::Less, path, next()),
        ComparisonOperator::Ge => compare(Comparator::GreaterOrEqual, path, next()),
        ComparisonOperator::Gt => compare(Comparator::Greater, path, next()),
        ComparisonOperator::BeginsWith => Node::BeginsWith(Operand::Path(path), next()),
        ComparisonOperator::Contains => Node::Contains(Operand::Path(path), next()),
        // A missing attribute does not "not contain" anything. Source: captured.
        ComparisonOperator::NotContains => Node::And(vec![
            Node::Exists(path.clone()),
            Node::Not(Box::new(Node::Contains(Operand::Path(path), next()))),
        ]),
        ComparisonOperator::Between => {
            let (lower, upper) = (next(), next());
            Node::Between { operand: Operand::Path(path), lower, upper }
        }
        ComparisonOperator::In => {
            Node::In { operand: Operand::Path(path), candidates: arguments.collect() }
        }
    }
}

/// Compiles `QueryFilter` or `ScanFilter`; returns no filter if there are no conditions.
pub fn filter(
    conditions: Vec<AttributeCondition<'_>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    let count = conditions.len();
    let nodes = conditions
        .into_iter()
        .map(AttributeCondition::check)
        .collect::<Result<Vec<_>, Reason>>()?;
    check_joinable(count, operator)?;
    Ok(joined(nodes, operator))
}

/// Compiles `KeyConditions`.
pub fn key_conditions(conditions: Vec<AttributeCondition<'_>>) -> Result<KeyConditions, Reason> {
    if conditions.is_empty() {
        return Err(Reason::KeyConditionCount);
    }
    for condition in &conditions {
        condition.check_name()?;
        condition.operator.check_arguments(&condition.arguments)?;
    }
    // EQ takes any value, but no key equals a value that is not scalar.
    for condition in conditions.iter().filter(|it| it.operator == ComparisonOperator::Eq) {
        let mut types = condition.arguments.iter().map(|value| value.get().attribute_type());
        if let Some(attribute_type) = types.find(|it| !it.is_scalar_key()) {
            let operator = condition.operator.as_str();
            return Err(Reason::ArgumentType { operator, attribute_type });
        }
    }
    conditions.into_iter().map(key_condition).collect::<Result<_, _>>().map(KeyConditions)
}

fn key_condition(condition: AttributeCondition<'_>) -> Result<KeyCondition, Reason> {
    let mut arguments = condition.arguments.into_iter();
    let mut next = || arguments.next().expect("the arguments were counted");
    let operator = match condition.operator {
        ComparisonOperator::Eq => KeyOperator::Equal(next()),
        ComparisonOperator::Le => KeyOperator::LessOrEqual(next()),
        ComparisonOperator::Lt => KeyOperator::Less(next()),
        ComparisonOperator::Ge => KeyOperator::GreaterOrEqual(next()),
        ComparisonOperator::Gt => KeyOperator::Greater(next()),
        ComparisonOperator::BeginsWith => KeyOperator::BeginsWith(next()),
        ComparisonOperator::Between => {
            let lower = next();
            KeyOperator::Between(lower, next())
        }
        ComparisonOperator::Ne
        | ComparisonOperator::In
        | ComparisonOperator::NotNull
        | ComparisonOperator::Null
        | ComparisonOperator::Contains
        | ComparisonOperator::NotContains => return Err(Reason::NotIndexable),
    };
    Ok(KeyCondition { attribute: condition.attribute.to_owned(), operator })
}
