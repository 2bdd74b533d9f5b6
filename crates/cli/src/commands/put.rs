//! `hashrange put`.

use super::import;
use super::page;
use crate::arguments::Put;
use crate::bulk::counted;
use crate::bulk::input::{Content, Records, Source};
use crate::client::Client;
use crate::exit::{Unfinished, Usage};
use crate::expression::Placeholders;
use crate::literal;
use crate::output::printer::Printer;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Puts the item of the arguments, or one item per line of standard input.
pub fn run(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    match (&arguments.item, &arguments.condition) {
        (Some(item), _) => put(client, arguments, item),
        (None, Some(_)) => put_lines(client, arguments),
        (None, None) => import::of_lines(client, arguments),
    }
}

/// Puts one line after the other: each has its condition.
fn put_lines(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    let mut records = Records::open(&Source::Standard, false, Arc::default())?;
    let mut done = 0;
    while let Some(record) = records.next().context("read standard input")? {
        if record.line < arguments.bulk.from_line {
            continue;
        }
        let put = match record.content {
            Content::Text(text) => put(client, arguments, &text),
            Content::Bad(reason) => Err(Usage(reason).into()),
        };
        if let Err(error) = put {
            let error = error.context(format!("line {}", record.line));
            let verb = if done == 1 { "is" } else { "are" };
            let done = counted(done, "item");
            let report = format!("{done} {verb} in; go on with --from-line {}", record.line);
            return Err(Unfinished::after(&error, &report).into());
        }
        done += 1;
    }
    import::print_count(done, &arguments.table, Printer::of(&arguments.connection)?.format)
}

fn put(client: &mut Client, arguments: &Put, item: &str) -> anyhow::Result<()> {
    let item = literal::item(item).map_err(|fault| Usage(format!("the item: {fault}")))?;
    let mut request = Map::new();
    request.insert("TableName".into(), json!(arguments.table));
    request.insert("Item".into(), Value::Object(item));
    let mut placeholders = Placeholders::default();
    if let Some(condition) = &arguments.condition {
        let condition = page::rewritten("--if", placeholders.expression(condition))?;
        request.insert("ConditionExpression".into(), condition);
    }
    placeholders.add_to(&mut request);
    client.call(Operation::PutItem, &Value::Object(request)).map(drop)
}
