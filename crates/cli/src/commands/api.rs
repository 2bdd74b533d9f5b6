//! `hashrange api`: any operation, with the API's own JSON in and out.

use crate::arguments::{Api, Format};
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::Read;

/// The largest request that is read. Source: DynamoDB takes 16 MB.
const REQUEST_MAX_BYTES: u64 = 16 << 20;

/// Calls an operation and prints the response as it came, unless the user asks for another form.
pub fn run(client: &mut Client, arguments: &Api) -> anyhow::Result<()> {
    let operation = operation(&arguments.operation)?;
    let response = client.call_raw(operation, &request(arguments)?)?;
    let printer = Printer::with_default(&arguments.connection, Format::Ddb)?;
    match printer.format {
        Format::Ddb => output::bytes(&response),
        Format::Json | Format::Item | Format::Table => {
            let response = serde_json::from_slice(&response).context("the response is not JSON")?;
            print(&response, &printer)
        }
    }
}

/// Returns the request, which standard input may hold.
pub fn request(arguments: &Api) -> anyhow::Result<Cow<'_, [u8]>> {
    if arguments.request != "-" {
        return Ok(arguments.request.as_bytes().into());
    }
    let mut request = Vec::new();
    std::io::stdin()
        .lock()
        .take(REQUEST_MAX_BYTES + 1)
        .read_to_end(&mut request)
        .context("read standard input")?;
    Ok(request.into())
}

/// Prints the items of a response; one without any is printed whole.
fn print(response: &Value, printer: &Printer) -> anyhow::Result<()> {
    let members = ["Item", "Attributes"];
    let one = members.iter().find_map(|name| response[*name].as_object());
    let items: Vec<&Map<String, Value>> = match response["Items"].as_array() {
        Some(items) => items.iter().filter_map(Value::as_object).collect(),
        None => one.into_iter().collect(),
    };
    if items.is_empty() && response.get("Items").is_none() {
        return output::line(response);
    }
    if printer.format != Format::Table {
        return items.into_iter().try_for_each(|item| printer.item(item));
    }
    let noun = if items.len() == 1 { "item" } else { "items" };
    let count = format!("{} {noun}", items.len());
    let mut table = Table::new(&[]);
    for item in items {
        table.add_item(item);
    }
    if count != "0 items" {
        printer.table(&table)?;
        output::line("")?;
    }
    output::line(count)
}

/// Returns the operation of that name, in capitals or not.
pub fn operation(name: &str) -> anyhow::Result<Operation> {
    let same = |operation: &&Operation| operation.name().eq_ignore_ascii_case(name);
    let found = Operation::ALL.iter().find(same).copied();
    found.ok_or_else(|| Usage(format!("there is no operation {name:?}")).into())
}
