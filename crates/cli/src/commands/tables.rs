//! `hashrange tables`.

use crate::arguments::{Format, Tables};
use crate::client::Client;
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::{Value, json};

/// Prints the names of all tables, one per line; as JSON, each in an object.
pub fn run(client: &mut Client, arguments: &Tables) -> anyhow::Result<()> {
    let format = Printer::of(&arguments.connection)?.format;
    let mut request = json!({});
    loop {
        let mut response = client.call(Operation::ListTables, &request)?;
        let names = response["TableNames"].as_array().into_iter().flatten();
        let mut names = names.filter_map(Value::as_str);
        match format {
            Format::Table => names.try_for_each(output::line)?,
            Format::Json | Format::Item => {
                names.map(|name| json!({ "table": name })).try_for_each(output::line)?;
            }
            Format::Ddb => output::line(&response)?,
        }
        match response["LastEvaluatedTableName"].take() {
            Value::Null => return Ok(()),
            last => request["ExclusiveStartTableName"] = last,
        }
    }
}
