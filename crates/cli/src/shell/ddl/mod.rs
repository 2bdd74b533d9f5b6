//! Statements that define tables. The service has none: this module reads them, and makes requests
//! of CreateTable, UpdateTable, UpdateTimeToLive and DeleteTable.
//!
//! ```text
//! CREATE TABLE [IF NOT EXISTS] name (attribute type, ...) PRIMARY KEY (partition [, sort]) [part ...]
//! ALTER TABLE name change [, change ...]
//! DROP TABLE [IF EXISTS] name [, ...]
//!
//! part   GSI name (partition [, sort]) [PROJECTION ALL | KEYS ONLY | INCLUDE (attribute, ...)]
//!            [THROUGHPUT (read, write)]
//!        LSI name (sort) [PROJECTION ...]
//!        BILLING ON DEMAND | BILLING PROVISIONED (read, write)
//!        STREAM (NEW AND OLD IMAGES | NEW IMAGE | OLD IMAGE | KEYS ONLY)
//!        TTL (attribute)
//!        DELETION PROTECTION ON | OFF
//! change ADD GSI ...   DROP GSI name   [SET] BILLING ...   [SET] STREAM (...) | STREAM OFF
//!        [SET] TTL (attribute) | TTL OFF (attribute)   [SET] DELETION PROTECTION ON | OFF
//! type   S | STRING | TEXT    N | NUMBER    B | BINARY
//! ```
//!
//! Only key attributes are declared. A key may declare its attribute where it names it
//! (`GSI by_state (country, state S)`), and PRIMARY KEY may stand inside the brackets too. The first
//! attribute of a key is the partition key unless HASH or RANGE behind each says otherwise.

mod parser;
mod render;
mod request;

pub use parser::parse;
pub use render::render;
pub use request::{alter_request, create_request};

use crate::commands::definition::grammar::{Projection, Throughput};
use std::fmt;

/// Definition in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition {
    /// A new table.
    Create {
        /// The table.
        table: NewTable,
        /// Leave an existing table as it is.
        if_not_exists: bool,
    },
    /// Changes of a table, in order.
    Alter {
        /// The table.
        table: String,
        /// The changes.
        changes: Vec<Change>,
    },
    /// Tables that go.
    Drop {
        /// The tables.
        tables: Vec<String>,
        /// Skip tables that do not exist.
        if_exists: bool,
    },
}

/// A table to be created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTable {
    /// Its name.
    pub name: String,
    /// Declared attributes with their types: S, N or B.
    pub attributes: Vec<(String, &'static str)>,
    /// Partition key, and sort key if there is one.
    pub key: Vec<KeyPart>,
    /// Global secondary indexes.
    pub global: Vec<Index>,
    /// Local secondary indexes.
    pub local: Vec<Index>,
    /// Read and write units; none means on demand.
    pub throughput: Option<Throughput>,
    /// Images that its stream shows.
    pub stream: Option<&'static str>,
    /// The attribute with the time at which an item expires.
    pub time_to_live: Option<String>,
    /// Refuse to delete the table.
    pub deletion_protection: Option<bool>,
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// Its name.
    pub name: String,
    /// True for an attribute of the partition key, false for one of the sort key.
    pub is_partition: bool,
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its keys.
    pub key: Vec<KeyPart>,
    /// Attributes that it holds.
    pub projection: Projection,
    /// Read and write units of its own.
    pub throughput: Option<Throughput>,
}

/// A change of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new global index, and the attributes that its keys declare.
    AddGlobal(Index, Vec<(String, &'static str)>),
    /// Drops a global index.
    DropGlobal(String),
    /// Billing; none means on demand.
    Billing(Option<Throughput>),
    /// A stream with such records, or none.
    Stream(Option<&'static str>),
    /// Time to live by this attribute, on or off.
    TimeToLive(String, bool),
    /// Deletion protection goes on or off.
    DeletionProtection(bool),
}

/// A statement is no definition; holds the problem and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionFault {
    /// The problem, as a message says it.
    pub problem: String,
    /// Line of the statement, counted from 1.
    pub line: usize,
    /// Character in the line, counted from 1.
    pub column: usize,
}

impl fmt::Display for DefinitionFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            write!(formatter, "line {} of the statement, ", self.line)?;
        }
        write!(formatter, "character {}: {}", self.column, self.problem)
    }
}

impl std::error::Error for DefinitionFault {}

#[cfg(test)]
mod tests;
