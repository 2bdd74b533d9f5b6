//! `hashrange delete`.

use super::{item_key, page};
use crate::arguments::Delete;
use crate::client::Client;
use crate::exit::NotFound;
use crate::expression::Placeholders;
use hashrange::Operation;
use serde_json::{Value, json};

/// Deletes an item; fails if there was none.
pub fn run(client: &mut Client, arguments: &Delete) -> anyhow::Result<()> {
    let mut request = item_key::request(client, &arguments.key)?;
    let mut placeholders = Placeholders::default();
    if let Some(condition) = &arguments.condition {
        let condition = page::rewritten("--if", placeholders.expression(condition))?;
        request.insert("ConditionExpression".into(), condition);
    }
    request.insert("ReturnValues".into(), json!("ALL_OLD"));
    placeholders.add_to(&mut request);
    let response = client.call(Operation::DeleteItem, &Value::Object(request))?;
    if response.get("Attributes").is_some() { Ok(()) } else { Err(NotFound.into()) }
}
