//! Faults of PartiQL statements.

use super::ValueFault;
use crate::number::NumberFault;
use std::fmt;

/// Position in a statement; prints as the messages do: `line:column:length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Line, the first is 1.
    pub line: usize,
    /// Column in characters, the first is 1.
    pub column: usize,
    /// Length in characters.
    pub length: usize,
}

impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// Reason why a text is no statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// Characters that begin no token, or a token without end.
    Token,
    /// Something follows a statement that is complete.
    Leftover,
    /// A value, path or clause is expected and something else stands there.
    Term,
    /// The text begins or goes on with none of the statements' words.
    Statement,
    /// No name follows a dot.
    PathDot,
    /// A reserved word where a value or path is expected.
    Keyword,
    /// A reserved word where the path of a write is expected.
    SimplePath,
}

/// Fault of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementFault {
    /// The text is no statement.
    Malformed(Malformed),
    /// A table with another name.
    Alias,
    /// An empty name in the path of a FROM clause.
    EmptyComponent,
    /// More than a table and an index in the path of a FROM clause.
    TooManyComponents,
    /// DELETE with another RETURNING than ALL OLD; holds its words.
    ReturningOfDelete(&'static str),
    /// A projection of something other than a document path.
    PathComponent(Span),
    /// An unknown function, or one that may not stand there.
    UnknownFunction {
        /// Its name in lower case.
        function: String,
        /// Position of the function.
        at: Span,
    },
    /// `set_add` or `set_delete` with another number of arguments than two.
    SetArguments {
        /// The function in upper case.
        function: &'static str,
        /// Position of the function.
        at: Span,
    },
    /// `set_add` or `set_delete` whose first argument is not the path it is assigned to.
    SetTarget {
        /// The function in upper case.
        function: &'static str,
        /// Position of the function.
        at: Span,
    },
    /// `set_add` or `set_delete` whose second argument is no set.
    SetOperand {
        /// The function in upper case.
        function: &'static str,
        /// Position of the first argument.
        at: Span,
    },
    /// A bag without members.
    EmptyBag,
    /// A bag whose members have two types, or one that no set has.
    BagMembers,
    /// A value that cannot stand in a literal: a path or function; holds its first word.
    LiteralValue {
        /// The word.
        word: String,
        /// Position of the word.
        at: Span,
    },
    /// A number that cannot be stored.
    Number {
        /// Fault of the number.
        fault: NumberFault,
        /// Place in the attribute's value, such as `root.x[1]`.
        place: String,
    },
    /// Another fault of a literal or parameter.
    Value(ValueFault),
    /// More or fewer parameters than question marks.
    ParameterCount,
    /// UPDATE or DELETE without equality on the whole primary key.
    KeyEquality,
    /// An item that is not a map.
    InsertOfOther,
    /// ORDER BY without WHERE.
    OrderWithoutWhere,
    /// ORDER BY without equality on the partition key.
    OrderWithoutKey,
    /// ORDER BY something that is no key attribute.
    OrderAttribute(String),
    /// A SELECT that would be decomposed into more reads than allowed.
    TooManyReads,
    /// Conditions joined by OR that leave overlapping ranges of sort keys.
    Overlap,
    /// An index with several partition or sort key attributes.
    MultiAttributeKey,
    /// The named index does not exist.
    NoSuchIndex,
    /// A consistent read of a global index.
    ConsistentRead,
    /// A filter of a keyed read of an index on attributes that the index does not hold.
    FilterNotProjected {
        /// The index.
        index: String,
        /// The attributes.
        attributes: Vec<String>,
    },
    /// An index in UPDATE or DELETE.
    IndexWrite,
    /// A `NextToken` of another statement or other parameters.
    TokenMismatch,
    /// A text that is no `NextToken`.
    TokenInvalid,
    /// Reads and writes in one batch.
    BatchMixed,
    /// A SELECT in a batch that does not name one item.
    BatchSelect,
    /// Reads and writes in one transaction.
    TransactionMixed,
    /// A statement of a transaction; holds its offset.
    InTransaction(usize, TransactionFault),
}

/// Restriction that a statement of a transaction violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionFault {
    /// A SELECT that does not name one item.
    Select,
    /// A SELECT on an index.
    Index,
    /// RETURNING
    Returning,
    /// EXISTS without a condition besides the primary key.
    Exists,
}

impl From<Malformed> for StatementFault {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}
