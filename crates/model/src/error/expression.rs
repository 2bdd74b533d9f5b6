//! Faults of expressions that the check finds before any item is read.

use crate::value::AttributeType;
use std::fmt;

/// The expression parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// `UpdateExpression`
    Update,
    /// `ConditionExpression`
    Condition,
    /// `KeyConditionExpression`
    KeyCondition,
    /// `FilterExpression`
    Filter,
    /// `ProjectionExpression`
    Projection,
    /// A clause of a PartiQL statement; its faults are worded without the parameter's name.
    Statement,
}

impl ExpressionKind {
    /// Returns the parameter's name.
    pub fn parameter(self) -> &'static str {
        match self {
            Self::Update => "UpdateExpression",
            Self::Condition => "ConditionExpression",
            Self::KeyCondition => "KeyConditionExpression",
            Self::Filter => "FilterExpression",
            Self::Projection => "ProjectionExpression",
            Self::Statement => "Statement",
        }
    }
}

impl fmt::Display for ExpressionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.parameter())
    }
}

/// Fault of one expression. Document paths are given as the messages print them, e.g. `[a, b]`;
/// operators and functions by their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpressionFault {
    /// The text is empty or blank.
    Empty,
    /// The text exceeds 4096 bytes; holds its length.
    TooLong(usize),
    /// The grammar is violated at `token`.
    Syntax {
        /// The offending token, `<EOF>` at the end.
        token: String,
        /// The text from the previous to the next token.
        near: String,
    },
    /// `((a = b))`
    RedundantParentheses,
    /// A bare name that is a reserved word, as written.
    ReservedWord(String),
    /// A `#name` that is not in `ExpressionAttributeNames`.
    UndefinedName(String),
    /// A `:value` that is not in `ExpressionAttributeValues`.
    UndefinedValue(String),
    /// Two paths of which one contains the other.
    Overlap(String, String),
    /// Two paths that use one place as list and as map.
    Conflict(String, String),
    /// An unknown function.
    UnknownFunction(String),
    /// A function in a place where it may not stand.
    FunctionMisused(String),
    /// A function or operator with the wrong number of operands.
    OperandCount {
        /// The function or operator.
        operator: String,
        /// Number of operands given.
        count: usize,
    },
    /// An operand of a type the operator never takes.
    OperandType {
        /// The function or operator.
        operator: String,
        /// The operand's type.
        operand: AttributeType,
    },
    /// An operand that may be of any type, where the type has to be known; holds the function.
    AnyOperandType(String),
    /// An ADD or DELETE action with a value of a type it never takes.
    ActionOperandType {
        /// `ADD` or `DELETE`.
        action: &'static str,
        /// The operand's type.
        operand: AttributeType,
    },
    /// A function that needs a document path was given something else.
    PathRequired(String),
    /// The same operand on both sides.
    OperandsNotDistinct {
        /// The function or operator.
        operator: String,
        /// The operand's path.
        operand: String,
    },
    /// `attribute_type` with an unknown type name.
    UnknownTypeName(String),
    /// BETWEEN bounds of different types, as the messages print them: `{S:a}`.
    BetweenTypes(String, String),
    /// BETWEEN with the lower bound above the upper, as the messages print them.
    BetweenReversed(String, String),
    /// A section that stands twice in an update expression.
    DuplicateSection(&'static str),
    /// More than 300 operators and functions; holds their number.
    TooManyOperators(usize),
    /// An IN with more than 100 operands; holds their number.
    TooManyInOperands(usize),
    /// Nesting deeper than the parser follows.
    TooDeep,
    /// A document path with more than 32 elements.
    PathTooDeep,
    /// A list index above the greatest, as written.
    ListIndex(String),
    /// An operator that key conditions do not know: OR, NOT, IN, <>, or a function.
    KeyOperator(String),
    /// `size` or another operation inside a key condition.
    KeyNestedOperation,
    /// A nested path in a key condition.
    KeyNestedAttribute,
    /// Two attribute names in one key condition.
    KeyMultipleNames,
    /// No attribute name in a key condition.
    KeyNoName,
    /// BETWEEN or `begins_with` whose first operand is not the attribute; holds the operator.
    KeyNotFirst(String),
    /// Two conditions on one key attribute.
    KeyTwice,
}
