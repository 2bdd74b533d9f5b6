//! `hashrange scan`.

use super::page::{self, Paged};
use crate::arguments::Scan;
use crate::client::Client;
use crate::expression::Placeholders;
use crate::output::printer::Printer;
use serde_json::{Map, Value, json};

/// Scans a table and prints its items.
pub fn run(client: &mut Client, arguments: &Scan) -> anyhow::Result<()> {
    let request = request(arguments)?;
    let printer = Printer::of(&arguments.connection)?;
    page::read(client, Paged::Scan, request, &arguments.page, &printer)
}

/// Returns the request of the first page.
pub fn request(arguments: &Scan) -> anyhow::Result<Map<String, Value>> {
    let mut request = Map::new();
    request.insert("TableName".into(), json!(arguments.table));
    page::add_to(&mut request, &arguments.page, Placeholders::default())?;
    Ok(request)
}
