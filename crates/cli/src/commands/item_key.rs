//! The key of one item, from the arguments of a command.

use super::table_keys::TableKeys;
use crate::arguments::Key;
use crate::client::Client;
use crate::exit::{NotFound, Usage};
use crate::literal;
use crate::output::plain;
use anyhow::Context;
use serde_json::{Map, Value, json};

/// Returns a request with the table and the key that the arguments name.
pub fn request(client: &mut Client, key: &Key) -> anyhow::Result<Map<String, Value>> {
    let members = match (key.partition_key.as_str(), &key.sort_key) {
        (literal, None) if literal.starts_with('{') => {
            literal::item(literal).map_err(|fault| Usage(format!("the key: {fault}")))?
        }
        (partition_key, sort_key) => {
            let texts = [Some(partition_key), sort_key.as_deref()];
            from_texts(client, &key.table, &texts.into_iter().flatten().collect::<Vec<_>>())?
        }
    };
    let request = json!({ "TableName": key.table, "Key": members });
    request.as_object().cloned().context("a request is an object")
}

/// Returns the error that there is no item with the key of a request.
pub fn not_found(key: &Key, request: &Value) -> NotFound {
    let members = request["Key"].as_object().into_iter().flatten();
    let text = |(name, value): (&String, &Value)| match value["S"].as_str() {
        Some(text) => format!("{name} = '{text}'"),
        None => format!("{name} = {}", plain::value(value)),
    };
    let members = members.map(text).collect::<Vec<_>>().join(" and ");
    let mut problem = format!("{} has no item with {members}", key.table);
    let texts = [Some(&key.partition_key), key.sort_key.as_ref()];
    if texts.into_iter().flatten().any(|text| is_quoted(text)) {
        problem.push_str("\n  hint: a key stands as it is, here its quotes belong to it");
    }
    NotFound(problem)
}

fn is_quoted(text: &str) -> bool {
    ['\'', '"']
        .iter()
        .any(|&quote| text.len() >= 2 && text.starts_with(quote) && text.ends_with(quote))
}

fn from_texts(
    client: &mut Client,
    table: &str,
    texts: &[&str],
) -> anyhow::Result<Map<String, Value>> {
    let keys = TableKeys::of(client, table)?;
    keys.key(texts).ok_or_else(|| {
        let names = keys.primary().join(" and ");
        Usage(format!("the key of {table} is {names}, not {}", texts.join(" "))).into()
    })
}
