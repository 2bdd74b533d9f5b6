//! The own operations of every database: which there are. Each is in a file of its own.

use super::{explain, heat, key_templates, tree};
use hashrange::Database;
use hashrange_server::Running;

/// Runs an operation on a request.
type Call = for<'a> fn(&'a Database, &'a [u8]) -> Running<'a>;

/// The operations by name.
const OPERATIONS: &[(&str, Call)] = &[
    ("Explain", |database, body| Box::pin(explain::call(database, body))),
    ("Tree", |database, body| Box::pin(tree::tree(database, body))),
    ("Partitions", |database, body| Box::pin(tree::partitions(database, body))),
    ("DeleteKeyTemplate", |database, body| Box::pin(key_templates::delete(database, body))),
    ("DescribeKeyTemplates", |database, body| Box::pin(key_templates::describe(database, body))),
    ("DescribeHeat", |database, body| Box::pin(heat::describe(database, body))),
    ("ParseKey", |database, body| Box::pin(key_templates::parse(database, body))),
    ("PutKeyTemplate", |database, body| Box::pin(key_templates::put(database, body))),
];

/// Runs an operation; none if databases have none of this name.
pub fn call<'a>(database: &'a Database, operation: &str, body: &'a [u8]) -> Option<Running<'a>> {
    let (_, call) = OPERATIONS.iter().find(|(name, _)| *name == operation)?;
    Some(call(database, body))
}
