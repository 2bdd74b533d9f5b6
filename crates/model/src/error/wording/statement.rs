//! Sentences about statements: a part of [`super`], which is the only way to them.

use super::super::{Layer, Malformed, StatementFault, TransactionFault};
use super::{invalid, join, number, value};

/// Faults of PartiQL statements. Source: captures of 2026 (us-east-1, eu-west-2), unless noted.
#[expect(clippy::too_many_lines, reason = "a flat table of sentences, one an arm")]
pub fn statement(fault: &StatementFault, layer: Layer) -> String {
    match fault {
        StatementFault::Malformed(malformed) => {
            format!("Statement wasn't well formed, can't be processed: {}", not_formed(*malformed))
        }
        StatementFault::Alias => "Aliasing is not supported".to_owned(),
        StatementFault::EmptyComponent => "Path component cannot be an empty string".to_owned(),
        StatementFault::TooManyComponents => {
            "A path may contain at most 2 components in the FROM clause".to_owned()
        }
        StatementFault::ReturningOfDelete(words) => format!(
            "Invalid returning clause: RETURNING {words} *. Only RETURNING ALL OLD * is allowed \
             in DELETE statements."
        ),
        StatementFault::PathComponent(at) => format!("Unexpected path component at {at}"),
        StatementFault::UnknownFunction { function, at } => {
            format!("Unrecognized function: {function} at {at}")
        }
        StatementFault::SetArguments { function, at } => {
            format!("{function} must have exactly two arguments at {at}")
        }
        StatementFault::SetTarget { function, at } => {
            format!("The first argument to {function} must equal the assignment value at {at}")
        }
        StatementFault::SetOperand { function, at } => {
            format!("The second argument to {function} must be a value with type SET at {at}")
        }
        StatementFault::EmptyBag => "Empty bags are not supported".to_owned(),
        // Source: not captured.
        StatementFault::BagMembers => "Bags must have members of one type: string, number or \
                                       binary"
            .to_owned(),
        StatementFault::LiteralValue { word, at } => {
            format!("Unsupported data type: {word} under key root at {at}")
        }
        StatementFault::Number { fault, place } => {
            format!("{} under {place}", number(fault, layer))
        }
        StatementFault::Value(fault) => value(fault, layer),
        // Source: not captured, down to `InTransaction` where nothing else is said.
        StatementFault::ParameterCount => {
            "Number of parameters in request and statement don't match.".to_owned()
        }
        StatementFault::KeyEquality => {
            "Where clause does not contain a mandatory equality on all key attributes".to_owned()
        }
        StatementFault::InsertOfOther => "Item to be inserted must be a tuple".to_owned(),
        StatementFault::OrderWithoutWhere => {
            "Must have WHERE clause in the statement when using ORDER BY clause.".to_owned()
        }
        StatementFault::OrderWithoutKey => "Must have at least one non-optional hash key \
                                            condition in WHERE clause when using ORDER BY clause."
            .to_owned(),
        // Source: an answer, quoted in the code of a client in us-east-1.
        StatementFault::OrderAttribute(attribute) => {
            format!("Attribute {attribute} in ORDER BY clause must be part of the primary key")
        }
        // The limit: developer guide, "PartiQL operators", IN.
        StatementFault::TooManyReads => {
            "Too many decomposed read operations for a given query.".to_owned()
        }
        // Captured again, 2026.
        StatementFault::Overlap => {
            "Overlapping conditions with range keys are not supported in where clause".to_owned()
        }
        StatementFault::MultiAttributeKey => {
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or \
             multi-attribute RANGE keys."
                .to_owned()
        }
        StatementFault::NoSuchIndex => "The table does not have the specified index".to_owned(),
        StatementFault::ConsistentRead => {
            "Strongly consistent read is not supported on Global Secondary Indexes".to_owned()
        }
        StatementFault::FilterNotProjected { index, attributes } => invalid(format!(
            "Secondary index {index} does not project one or more filter attributes: [{}]",
            join(attributes)
        )),
        // Source: not captured.
        StatementFault::IndexWrite => "Index is not supported in this statement".to_owned(),
        StatementFault::TokenMismatch => "NextToken does not match request".to_owned(),
        StatementFault::TokenInvalid => "Invalid NextToken".to_owned(),
        StatementFault::BatchMixed => {
            "Read and write requests together in the same batch is not supported.".to_owned()
        }
        StatementFault::BatchSelect => "Select statements within BatchExecuteStatement must \
                                        specify the primary key in the where clause."
            .to_owned(),
        StatementFault::TransactionMixed => {
            "ExecuteTransaction API does not support both read and write operations in the same \
             request."
                .to_owned()
        }
        StatementFault::InTransaction(nth, fault) => {
            format!("Validation failed in TransactStatements[{nth}]: {}", in_transaction(*fault))
        }
    }
}

fn not_formed(malformed: Malformed) -> &'static str {
    match malformed {
        Malformed::Token => "",
        Malformed::Leftover => "Unexpected token after expression",
        Malformed::Term => "Unexpected term",
        Malformed::Statement => "Expected data manipulation",
        Malformed::PathDot => "Invalid path dot component",
        Malformed::Keyword => "Unexpected keyword",
        // Source: PartiQL's grammar, whose other words are the service's; not captured.
        Malformed::SimplePath => "Expected identifier for simple path",
    }
}

fn in_transaction(fault: TransactionFault) -> &'static str {
    match fault {
        TransactionFault::Select => {
            "Select statements within ExecuteTransaction must specify the primary key in the where \
             clause."
        }
        TransactionFault::Index => "Reads on indices are not supported within transactions.",
        TransactionFault::Returning => "RETURNING clause is not supported in ExecuteTransaction.",
        TransactionFault::Exists => {
            "EXISTS() must contain a single item read with additional condition"
        }
    }
}
