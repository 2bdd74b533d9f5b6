//! `hashrange delete`.

use super::{item_key, page};
use crate::arguments::{Delete, Format};
use crate::client::Client;
use crate::expression::Placeholders;
use crate::output::{self, printer, printer::Printer};
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
    request.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
    placeholders.add_to(&mut request);
    let printer = Printer::of(&arguments.connection)?;
    let request = Value::Object(request);
    let response = client.call(Operation::DeleteItem, &request)?;
    let Some(item) = response["Attributes"].as_object() else {
        return Err(item_key::not_found(&arguments.key, &request).into());
    };
    match printer.format {
        Format::Ddb => output::line(&response),
        Format::Json | Format::Item => printer.item(item),
        Format::Table => {
            output::line(format_args!("1 item deleted, {}", printer::units(&response, "write")))
        }
    }
}
