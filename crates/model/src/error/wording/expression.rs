//! Sentences about expressions: a part of [`super`], which is the only way to them.

use super::super::{ExpressionFault, ExpressionKind};

#[expect(clippy::too_many_lines, reason = "a flat table of sentences, one an arm")]
pub fn expression(kind: ExpressionKind, fault: &ExpressionFault) -> String {
    let words = match fault {
        ExpressionFault::KeyOperator(operator) => {
            format!("Invalid operator used in KeyConditionExpression: {operator}")
        }
        ExpressionFault::KeyNestedOperation => {
            "KeyConditionExpressions cannot contain nested operations".to_owned()
        }
        ExpressionFault::KeyMultipleNames => {
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one \
             condition"
                .to_owned()
        }
        ExpressionFault::KeyNoName => {
            "Invalid condition in KeyConditionExpression: No key attribute specified".to_owned()
        }
        ExpressionFault::KeyNotFirst(operator) => format!(
            "Invalid condition in KeyConditionExpression: {operator} operator must have the key \
             attribute as its first operand"
        ),
        ExpressionFault::KeyTwice => {
            "KeyConditionExpressions must only contain one condition per key".to_owned()
        }
        ExpressionFault::KeyNestedAttribute => {
            "KeyConditionExpressions cannot have conditions on nested attributes".to_owned()
        }
        ExpressionFault::Empty => "The expression can not be empty;".to_owned(),
        ExpressionFault::TooLong(_) if kind == ExpressionKind::Update => {
            "Expression size has exceeded the maximum allowed size;".to_owned()
        }
        ExpressionFault::TooLong(size) => format!(
            "Expression size has exceeded the maximum allowed size; expression size: {size}"
        ),
        ExpressionFault::Syntax { token, near } => {
            format!("Syntax error; token: \"{token}\", near: \"{near}\"")
        }
        ExpressionFault::RedundantParentheses => {
            "The expression has redundant parentheses;".to_owned()
        }
        ExpressionFault::ReservedWord(name) => {
            format!("Attribute name is a reserved keyword; reserved keyword: {name}")
        }
        ExpressionFault::UndefinedName(name) => format!(
            "An expression attribute name used in the document path is not defined; attribute \
             name: {name}"
        ),
        ExpressionFault::UndefinedValue(name) => format!(
            "An expression attribute value used in expression is not defined; attribute value: \
             {name}"
        ),
        ExpressionFault::Overlap(one, two) => two_paths("overlap", one, two),
        ExpressionFault::Conflict(one, two) => two_paths("conflict", one, two),
        ExpressionFault::UnknownFunction(name) => {
            format!("Invalid function name; function: {name}")
        }
        ExpressionFault::FunctionMisused(name) => format!(
            "The function is not allowed to be used this way in an expression; function: {name}"
        ),
        ExpressionFault::OperandCount { operator, count } => format!(
            "Incorrect number of operands for operator or function; operator or function: \
             {operator}, number of operands: {count}"
        ),
        ExpressionFault::OperandType { operator, operand } => format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, \
             operand type: {}",
            operand.as_str()
        ),
        // Source: captured before 2020 and widely quoted.
        ExpressionFault::AnyOperandType(operator) => format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, \
             operand type: {{NS,SS,L,BS,N,M,B,BOOL,NULL,S}}"
        ),
        ExpressionFault::ActionOperandType { action, operand } => format!(
            "Incorrect operand type for operator or function; operator: {action}, operand type: {}",
            operand.long_name()
        ),
        ExpressionFault::PathRequired(operator) => format!(
            "Operator or function requires a document path; operator or function: {operator}"
        ),
        ExpressionFault::OperandsNotDistinct { operator, operand } => format!(
            "The first operand must be distinct from the remaining operands for this operator or \
             function; operator: {operator}, first operand: {operand}"
        ),
        ExpressionFault::UnknownTypeName(name) => format!(
            "Invalid attribute type name found; type: {name}, valid types: \
             {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        ),
        ExpressionFault::BetweenTypes(lower, upper) => format!(
            "The BETWEEN operator requires same data type for lower and upper bounds; lower bound \
             operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
        ),
        ExpressionFault::BetweenReversed(lower, upper) => format!(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower \
             bound; lower bound operand: AttributeValue: {lower}, upper bound operand: \
             AttributeValue: {upper}"
        ),
        ExpressionFault::DuplicateSection(section) => {
            format!("The \"{section}\" section can only be used once in an update expression;")
        }
        // Source: an answer, aws/aws-sdk-js 3721 (2021).
        ExpressionFault::TooManyOperators(count) => {
            format!("The expression contains too many operators; operator count: {count}")
        }
        // Source: an answer of the service, quoted in a public report.
        ExpressionFault::TooManyInOperands(count) => format!(
            "The IN operator is provided with too many operands; number of operands: {count}"
        ),
        // Source: not captured, nor the sentence about paths below.
        ExpressionFault::TooDeep => {
            "The expression is nested too deeply; max depth: 300".to_owned()
        }
        ExpressionFault::ListIndex(index) => {
            format!("List index is not within the allowable range; index: [{index}]")
        }
        ExpressionFault::PathTooDeep => {
            "The document path has too many nesting elements; nesting levels: 32".to_owned()
        }
    };
    match kind {
        ExpressionKind::Statement => words,
        ExpressionKind::Update
        | ExpressionKind::Condition
        | ExpressionKind::KeyCondition
        | ExpressionKind::Filter
        | ExpressionKind::Projection => format!("Invalid {kind}: {words}"),
    }
}

fn two_paths(how: &str, one: &str, two: &str) -> String {
    format!(
        "Two document paths {how} with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )
}
