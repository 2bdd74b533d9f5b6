//! A reference model: the behaviour of DynamoDB's tables, items and indexes, written as plainly as
//! possible over trees and sorted maps.
//!
//! It shares nothing with the engine but attribute values and their arithmetic: it parses no
//! expressions (operations are structures from which requests are rendered), encodes no bytes, and
//! computes indexes from the items at each read.
//!
//! The table `derived` has key templates, one at a time, which change.
//!
//! Every table has a stream of new and old images and time to live on the attribute [`EXPIRES`].
//!
//! Source of the behaviour: DynamoDB API reference and developer guide.

mod changes;
mod condition;
mod derived;
mod generate;
mod item;
mod request;
mod statement;
mod table;
mod transaction;
mod update;

pub use changes::{Change, EXPIRES};
pub use condition::{Comparator, Condition, Operand};
pub use derived::TEMPLATES;
pub use generate::{Generator, definitions};
pub use item::{Item, KeyValue, Path, Step, project};
pub use request::{Request, item_json};
pub use statement::{Select, Selected, Statement};
pub use table::{
    Definition, Fault, IndexDefinition, KeyAttribute, KeyType, Model, Projection, ReadPlan,
    SortCondition, Written,
};
pub use transaction::{TransactMember, TransactRefusal, TransactWrite};
pub use update::{Action, SetOperand, SetValue};

use hashrange_model::AttributeValue;

/// Image that a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    None,
    /// The old image.
    AllOld,
    /// The new image; updates only.
    AllNew,
    /// The changed paths in the old image; updates only.
    UpdatedOld,
    /// The changed paths in the new image; updates only.
    UpdatedNew,
}

/// One member of a batch write.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchMember {
    /// Puts an item.
    Put(Item),
    /// Deletes the item with a key.
    Delete(Item),
}

/// Settings of a read in pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Paging {
    /// The most entries to evaluate in a page.
    pub limit: Option<usize>,
    /// The filter, evaluated after counting.
    pub filter: Option<Condition>,
    /// True for a strongly consistent read, where that is allowed.
    pub consistent: bool,
}

/// An operation on the model and on a database.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Creates a table; does nothing if it exists.
    CreateTable(Definition),
    /// Deletes a table; does nothing if it does not exist.
    DeleteTable {
        /// The table.
        table: String,
    },
    /// Creates a global index.
    CreateIndex {
        /// The table.
        table: String,
        /// The index.
        index: IndexDefinition,
    },
    /// Deletes a global index.
    DeleteIndex {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// Declares a key template, if the table is there.
    Declare {
        /// The table.
        table: String,
        /// Index of one of [`TEMPLATES`].
        template: usize,
    },
    /// PutItem.
    Put {
        /// The table.
        table: String,
        /// The item.
        item: Item,
        /// Condition on the stored item.
        condition: Option<Condition>,
        /// Image to return.
        returns: Returns,
    },
    /// DeleteItem.
    Delete {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// Condition on the stored item.
        condition: Option<Condition>,
        /// Image to return.
        returns: Returns,
    },
    /// UpdateItem.
    Update {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// Changes; their paths do not overlap.
        actions: Vec<Action>,
        /// Condition on the stored item.
        condition: Option<Condition>,
        /// Image to return.
        returns: Returns,
    },
    /// BatchWriteItem on one table; keys are distinct.
    BatchWrite {
        /// The table.
        table: String,
        /// The members.
        members: Vec<BatchMember>,
    },
    /// GetItem.
    Get {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// The paths to return, all if empty.
        paths: Vec<Path>,
    },
    /// BatchGetItem on one table; keys are distinct.
    BatchGet {
        /// The table.
        table: String,
        /// The keys.
        keys: Vec<Item>,
    },
    /// TransactWriteItems; items are distinct. With a token it is sent twice.
    TransactWrite {
        /// The members.
        members: Vec<TransactMember>,
        /// The client request token.
        token: Option<String>,
    },
    /// TransactGetItems; items are distinct.
    TransactGet {
        /// Tables, keys, and the paths to return, all if empty.
        gets: Vec<(String, Item, Vec<Path>)>,
    },
    /// Query, all pages.
    Query {
        /// The table.
        table: String,
        /// The index, or the table itself.
        index: Option<String>,
        /// The values of the partition key attributes.
        partition: Vec<AttributeValue>,
        /// Conditions on the leading sort key attributes; only the last may be a range.
        sort: Vec<SortCondition>,
        /// True for ascending order.
        forward: bool,
        /// The pages.
        paging: Paging,
    },
    /// Scan, all pages of all segments.
    Scan {
        /// The table.
        table: String,
        /// The index, or the table itself.
        index: Option<String>,
        /// Number of segments.
        segments: usize,
        /// The pages.
        paging: Paging,
    },
    /// ExecuteStatement; a SELECT with all pages.
    Statement(Statement),
    /// BatchExecuteStatement of writes, or of SELECTs of one item; items are distinct.
    StatementBatch {
        /// The members.
        statements: Vec<Statement>,
    },
    /// ExecuteTransaction of writes and EXISTS, or of SELECTs of one item; items are distinct.
    StatementTransaction {
        /// The members.
        statements: Vec<Statement>,
    },
    /// Lets time pass and removes items that have expired.
    Advance {
        /// Time that passes, in seconds.
        seconds: u64,
    },
    /// Closes the database and opens it again, if it is on disk.
    Reopen,
}
