//! `hashrange put`.

use super::page;
use crate::arguments::Put;
use crate::client::Client;
use crate::exit::Usage;
use crate::expression::Placeholders;
use crate::literal;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value, json};
use std::io::BufRead;

/// Puts the item of the arguments, or one item per line of standard input.
pub fn run(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    if let Some(item) = &arguments.item {
        return put(client, arguments, item);
    }
    for (nth, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.context("read standard input")?;
        if !line.trim().is_empty() {
            put(client, arguments, &line).with_context(|| format!("line {}", nth + 1))?;
        }
    }
    Ok(())
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
