//! `hashrange put`. [`import`] puts items from standard input that have no condition.

use super::import;
use super::page;
use super::table_keys::TableKeys;
use crate::arguments::Put;
use crate::bulk::counted;
use crate::bulk::import::Summary;
use crate::client::Client;
use crate::exit::{Unfinished, Usage};
use crate::expression::Placeholders;
use crate::format::{Form, WireItem, read_item};
use crate::literal;
use crate::output;
use crate::output::printer::{self, Printer};
use crate::reading::key;
use crate::reading::reader::{self, Event, NEXT_PAGE_MISSING, Plan};
use crate::reading::source::Source;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Puts the item of the arguments, or the items of standard input.
pub fn run(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    match (&arguments.item, &arguments.condition) {
        (Some(item), _) => {
            let item = item_of(client, &arguments.table, item)?;
            let units = put(client, arguments, Value::Object(item))?;
            print(arguments, 1, units)
        }
        (None, Some(_)) => put_one_by_one(client, arguments),
        (None, None) => import::of_standard_input(client, arguments),
    }
}

/// Returns the item of a text: DynamoDB's JSON if that has the table's key, as for standard input.
fn item_of(client: &mut Client, table: &str, text: &str) -> anyhow::Result<WireItem> {
    // An item that has every value in an object of its type may still be plain JSON with maps.
    if let Ok(typed) = read_item(Form::Ddb, text, 1)
        && let Ok(keys) = TableKeys::of(client, table)
        && key::of(&typed, &keys.primary()).is_some()
    {
        return Ok(typed);
    }
    Ok(literal::item(text).map_err(|fault| Usage(format!("the item: {fault}")))?)
}

/// Puts one item after the other: each has its condition.
fn put_one_by_one(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    let mut plan = Plan::of(&TableKeys::of(client, &arguments.table)?, vec![Source::Standard]);
    plan.from_line = arguments.bulk.from_line;
    let mut events = reader::start(plan, Arc::default())?;
    let (mut done, mut units) = (0, 0.0);
    while let Some(event) = events.blocking_recv() {
        let (place, put) = match event {
            Event::Item(entry, _) => {
                let item = serde_json::from_str(&entry.item).context("an item that was read");
                (entry.place, item.and_then(|item| put(client, arguments, item)))
            }
            Event::Bad(place, reason, _) => (place, Err(Usage(reason).into())),
            Event::Failed(place, error) => (place, Err(error)),
            Event::NextPageMissing => {
                output::complain(format_args!("hashrange: {NEXT_PAGE_MISSING}"));
                continue;
            }
        };
        match put {
            Ok(of_item) => units += of_item,
            Err(error) => {
                let error = error.context(place.to_string());
                let verb = if done == 1 { "is" } else { "are" };
                let done = counted(done, "item");
                let report = format!("{done} {verb} in; go on with --from-line {}", place.line);
                return Err(Unfinished::after(&error, &report).into());
            }
        }
        done += 1;
    }
    print(arguments, done, units)
}

fn print(arguments: &Put, put: u64, units: f64) -> anyhow::Result<()> {
    let summary = Summary { put, repeated: None, skipped: 0, units };
    import::print(&summary, &arguments.table, Printer::of(&arguments.connection)?.format)
}

/// Puts an item and returns the write units that it used.
fn put(client: &mut Client, arguments: &Put, item: Value) -> anyhow::Result<f64> {
    let mut request = Map::new();
    request.insert("TableName".into(), json!(arguments.table));
    request.insert("Item".into(), item);
    let mut placeholders = Placeholders::default();
    if let Some(condition) = &arguments.condition {
        let condition = page::rewritten("--if", placeholders.expression(condition))?;
        request.insert("ConditionExpression".into(), condition);
    }
    placeholders.add_to(&mut request);
    request.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
    let response = client.call(Operation::PutItem, &Value::Object(request))?;
    Ok(printer::consumed(&response))
}
