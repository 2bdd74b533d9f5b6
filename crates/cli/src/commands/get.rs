//! `hashrange get`.

use super::{item_key, one_item, page};
use crate::arguments::Get;
use crate::client::Client;
use crate::exit::NotFound;
use crate::expression::Placeholders;
use hashrange::Operation;
use serde_json::{Value, json};

/// Gets an item and prints it; fails if there is none.
pub fn run(client: &mut Client, arguments: &Get) -> anyhow::Result<()> {
    let mut request = item_key::request(client, &arguments.key)?;
    let mut placeholders = Placeholders::default();
    if let Some(select) = &arguments.select {
        let projection = page::rewritten("--select", placeholders.expression(select))?;
        request.insert("ProjectionExpression".into(), projection);
    }
    if arguments.consistent {
        request.insert("ConsistentRead".into(), json!(true));
    }
    placeholders.add_to(&mut request);
    let response = client.call(Operation::GetItem, &Value::Object(request))?;
    match response["Item"].as_object() {
        Some(item) => one_item::print(item, arguments.connection.output),
        None => Err(NotFound.into()),
    }
}
