//! The list of the own operations of every database. Each is in a file of its own.

use super::{
    design, explain, facts, heat, history, jobs, key_templates, model, ruler, samples, tree,
    versions,
};
use hashrange::Database;
use hashrange_server::Running;
use std::future::ready;

/// Runs an operation on a request.
type Call = for<'a> fn(&'a Database, &'a [u8]) -> Running<'a>;

/// The operations by name.
const OPERATIONS: &[(&str, Call)] = &[
    ("Explain", |database, body| Box::pin(explain::call(database, body))),
    ("TableFacts", |database, body| Box::pin(facts::call(database, body))),
    ("Tree", |database, body| Box::pin(tree::tree(database, body))),
    ("Partitions", |database, body| Box::pin(tree::partitions(database, body))),
    ("Ruler", |database, body| Box::pin(ruler::call(database, body))),
    ("DeleteKeyTemplate", |database, body| Box::pin(key_templates::delete(database, body))),
    ("DescribeKeyTemplates", |database, body| Box::pin(key_templates::describe(database, body))),
    ("DescribeCoverage", |database, body| Box::pin(design::coverage(database, body))),
    ("DescribeEntities", |database, body| Box::pin(design::entities(database, body))),
    ("DescribeJobs", |database, body| Box::pin(jobs::describe(database, body))),
    ("ListSamples", |_, body| Box::pin(ready(samples::list(body)))),
    ("LoadSample", |database, body| Box::pin(samples::load(database, body))),
    ("ReadModel", |database, body| Box::pin(model::read_model(database, body))),
    ("DescribeFindings", |database, body| Box::pin(design::findings(database, body))),
    ("DescribeHistory", |database, body| Box::pin(history::describe(database, body))),
    ("DescribeChanges", |database, body| Box::pin(history::changes(database, body))),
    ("RestoreItems", |database, body| Box::pin(history::restore(database, body))),
    ("DescribeVersions", |database, body| Box::pin(versions::describe(database, body))),
    ("UpdateVersions", |database, body| Box::pin(versions::update(database, body))),
    ("UpdateHistory", |database, body| Box::pin(history::update(database, body))),
    ("Gather", |database, body| database.gather(body)),
    ("DescribeHeat", |database, body| Box::pin(heat::describe(database, body))),
    ("KeepKeyTemplate", |database, body| Box::pin(key_templates::keep(database, body))),
    ("ParseKey", |database, body| Box::pin(key_templates::parse(database, body))),
    ("PutKeyTemplate", |database, body| Box::pin(key_templates::put(database, body))),
    ("UndoKeyTemplate", |database, body| Box::pin(key_templates::undo(database, body))),
];

/// Runs an operation; none if databases have none of this name.
pub fn call<'a>(database: &'a Database, operation: &str, body: &'a [u8]) -> Option<Running<'a>> {
    let (_, call) = OPERATIONS.iter().find(|(name, _)| *name == operation)?;
    Some(call(database, body))
}
