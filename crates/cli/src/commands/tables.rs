//! `hashrange tables`.

use crate::client::Client;
use crate::output;
use hashrange::Operation;
use serde_json::{Value, json};

/// Prints the names of all tables, one per line.
pub fn run(client: &mut Client) -> anyhow::Result<()> {
    let mut request = json!({});
    loop {
        let mut response = client.call(Operation::ListTables, &request)?;
        let names = response["TableNames"].as_array();
        names.into_iter().flatten().filter_map(Value::as_str).try_for_each(output::line)?;
        match response["LastEvaluatedTableName"].take() {
            Value::Null => return Ok(()),
            last => request["ExclusiveStartTableName"] = last,
        }
    }
}
