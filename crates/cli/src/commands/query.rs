//! `hashrange query`, and `hashrange gather` of all write shards of a partition key.

use super::page::{self, Paged};
use crate::arguments::Query;
use crate::client::Client;
use crate::expression::Placeholders;
use crate::output::printer::Printer;
use serde_json::{Map, Value, json};

/// Queries and prints items.
pub fn run(client: &mut Client, arguments: &Query) -> anyhow::Result<()> {
    let request = request(arguments)?;
    let printer = Printer::of(&arguments.connection)?;
    page::read(client, Paged::Query, request, &arguments.page, &printer)
}

/// Reads all write shards of a partition key, merged, and prints items.
pub fn gather(client: &mut Client, arguments: &Query) -> anyhow::Result<()> {
    let request = request(arguments)?;
    let printer = Printer::of(&arguments.connection)?;
    page::read(client, Paged::Gather, request, &arguments.page, &printer)
}

/// Returns the request of the first page.
pub fn request(arguments: &Query) -> anyhow::Result<Map<String, Value>> {
    let mut placeholders = Placeholders::default();
    let condition =
        page::rewritten("the key condition", placeholders.expression(&arguments.condition))?;
    let mut request = Map::new();
    request.insert("TableName".into(), json!(arguments.table));
    request.insert("KeyConditionExpression".into(), condition);
    if arguments.reverse {
        request.insert("ScanIndexForward".into(), json!(false));
    }
    page::add_to(&mut request, &arguments.page, placeholders)?;
    Ok(request)
}
