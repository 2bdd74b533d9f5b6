//! `hashrange get`.

use super::{item_key, page};
use crate::arguments::{Format, Get};
use crate::client::Client;
use crate::expression::Placeholders;
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// Gets an item and prints it; fails if there is none.
pub fn run(client: &mut Client, arguments: &Get) -> anyhow::Result<()> {
    let request = Value::Object(request(client, arguments)?);
    let printer = Printer::of(&arguments.connection)?;
    let response = client.call(Operation::GetItem, &request)?;
    match (response["Item"].as_object(), printer.format) {
        (None, _) => Err(item_key::not_found(&arguments.key, &request).into()),
        (Some(_), Format::Ddb) => output::line(&response),
        (Some(item), _) => printer.item(item),
    }
}

/// Returns the request.
pub fn request(client: &mut Client, arguments: &Get) -> anyhow::Result<Map<String, Value>> {
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
    Ok(request)
}
