//! PartiQL: one statement parsed, checked and lowered to the values that the native operations use:
//! conditions, projections, updates and items.
//!
//! [`parse`] finds every fault that needs no table; [`reads`] and [`primary_key`] match a WHERE
//! clause against a key schema.
//! Source of the grammar: Amazon DynamoDB developer guide, "PartiQL for DynamoDB".
//!
//! ```
//! use hashrange_expr::partiql::{Parameters, Statement, parse};
//! use hashrange_model::{AttributeValue, Item};
//!
//! let artist = AttributeValue::from("Acme").to_value();
//! let parameters = Parameters { count: 1, get: &|_| Ok(artist.clone()) };
//! let statement = parse("SELECT * FROM Music WHERE artist = ? AND year > 1999", parameters)?;
//! let Statement::Select(select) = statement else { panic!("it is a SELECT") };
//! let condition = select.condition.expect("there is a WHERE clause");
//! let item = Item::from_attributes([("artist", "Acme".into()), ("year", 2001.into())]);
//! assert!(condition.matches(&item));
//! # Ok::<(), hashrange_model::Reason>(())
//! ```

mod condition;
mod explain;
mod key;
mod literal;
mod parser;
mod statement;
mod token;
mod update;
mod words;

pub use explain::{Explain, explain};
pub use key::{
    AsKeyCondition, KeyRead, KeyReads, as_key_condition, filter_of, has_too_long_in, key_order,
    primary_key, reads,
};

pub use token::{Kind as TokenKind, Token, tokens};
pub use words::is_reserved;

pub(crate) use token::Kind;

use crate::{Condition, Projection, Update};
use hashrange_model::error::{Span, StatementFault, ValueFault};
use hashrange_model::{Item, Reason, Value};
use std::fmt;

/// Parameters of a statement: their number, and a function that returns each.
#[derive(Clone, Copy)]
pub struct Parameters<'a> {
    /// Number of parameters.
    pub count: usize,
    /// Returns a parameter by its offset below `count`, or its fault.
    pub get: &'a dyn Fn(usize) -> Result<Value, ValueFault>,
}

impl Parameters<'_> {
    /// Returns no parameters.
    pub fn none() -> Self {
        Parameters { count: 0, get: &|_| Err(ValueFault::EmptyAttributeValue) }
    }
}

impl fmt::Debug for Parameters<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Parameters").field("count", &self.count).finish_non_exhaustive()
    }
}

/// A statement.
#[derive(Debug)]
pub enum Statement {
    /// `SELECT`
    Select(Select),
    /// `INSERT`
    Insert(Insert),
    /// `UPDATE`
    Update(Change),
    /// `DELETE`
    Delete(Delete),
    /// `EXISTS(SELECT ...)`, which only a transaction may have, with the position of the word.
    Exists(Select, Span),
}

/// A SELECT statement.
#[derive(Debug)]
pub struct Select {
    /// The table's name or ARN.
    pub table: String,
    /// The index read.
    pub index: Option<String>,
    /// Attributes that are returned of each item; `None` returns all.
    pub projection: Option<Projection>,
    /// The fault of a column that is no path; found only where the table is known.
    pub column_fault: Option<StatementFault>,
    /// The WHERE clause.
    pub condition: Option<Condition>,
    /// True if the WHERE clause calls a function.
    pub has_function: bool,
    /// The ORDER BY clause.
    pub order: Vec<Order>,
}

/// An attribute to order by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The attribute's name.
    pub attribute: String,
    /// True for the order from the last to the first.
    pub descending: bool,
}

/// An INSERT statement.
#[derive(Debug)]
pub struct Insert {
    /// The table's name or ARN.
    pub table: String,
    /// The item.
    pub item: Item,
    /// Condition that only an absent item meets: it is false for an item with any attribute of the
    /// new one.
    pub condition: Condition,
}

/// An UPDATE statement.
#[derive(Debug)]
pub struct Change {
    /// The table's name or ARN.
    pub table: String,
    /// The index named, which is an error.
    pub index: Option<String>,
    /// Changes.
    pub update: Update,
    /// The WHERE clause. With equality on the whole key it holds for no absent item.
    pub condition: Condition,
    /// Items that the statement returns.
    pub returning: Option<Returning>,
}

/// A DELETE statement.
#[derive(Debug)]
pub struct Delete {
    /// The table's name or ARN.
    pub table: String,
    /// The index named, which is an error.
    pub index: Option<String>,
    /// The WHERE clause.
    pub condition: Condition,
    /// The WHERE clause, or that there is no item.
    pub condition_or_absent: Condition,
    /// RETURNING clause, which asks for the old item.
    pub returning: Option<Returning>,
}

/// Items that a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returning {
    /// True for the attributes that the update names only.
    pub modified: bool,
    /// True for the item after the write, false for the one before.
    pub new: bool,
}

impl Statement {
    /// Returns the name of the table as the statement has it.
    pub fn table(&self) -> &str {
        match self {
            Self::Select(select) | Self::Exists(select, _) => &select.table,
            Self::Insert(insert) => &insert.table,
            Self::Update(change) => &change.table,
            Self::Delete(delete) => &delete.table,
        }
    }

    /// Returns the statement's verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Select(_) => "SELECT",
            Self::Exists(..) => "EXISTS",
            Self::Insert(_) => "INSERT",
            Self::Update(_) => "UPDATE",
            Self::Delete(_) => "DELETE",
        }
    }

    /// Returns whether the statement only reads.
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Select(_))
    }
}

/// Parses and checks a statement as far as is possible without its table.
pub fn parse(text: &str, parameters: Parameters<'_>) -> Result<Statement, Reason> {
    statement::parse(text, parameters)
}

/// Parses a condition as of a WHERE clause, without parameters.
pub(crate) fn condition(text: &str) -> Result<Condition, Reason> {
    let mut parser = parser::Parser::new(text, words::Words::Condition, Parameters::none());
    let parsed = parser.condition().and_then(|condition| parser.finish().map(|()| condition));
    parsed.map_err(|reason| parser.first_fault(reason))
}
