//! `hashrange describe`.

use crate::arguments::{Describe, Format};
use crate::client::Client;
use crate::output::{self, table::Table};
use hashrange::Operation;
use serde_json::{Value, json};

/// Prints a table's description.
pub fn run(client: &mut Client, arguments: &Describe) -> anyhow::Result<()> {
    let request = json!({ "TableName": arguments.table });
    let response = client.call(Operation::DescribeTable, &request)?;
    let table = &response["Table"];
    if arguments.connection.output != Format::Table {
        return output::line(table);
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    output::line(format_args!(
        "{}: {}, {} items, {} bytes",
        text(&table["TableName"]),
        text(&table["TableStatus"]).to_lowercase(),
        table["ItemCount"],
        table["TableSizeBytes"],
    ))?;
    output::line("")?;
    let mut keys =
        Table::new(&["index".into(), "keys".into(), "projection".into(), "status".into()]);
    keys.add_texts([
        "(table)".into(),
        key_text(table, table),
        "ALL".into(),
        text(&table["TableStatus"]),
    ]);
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        for index in table[kind].as_array().into_iter().flatten() {
            let status = index.get("IndexStatus").map(text).unwrap_or_default();
            let projection = text(&index["Projection"]["ProjectionType"]);
            keys.add_texts([text(&index["IndexName"]), key_text(table, index), projection, status]);
        }
    }
    keys.lines().iter().try_for_each(output::line)
}

/// Returns the keys of a table or index with their types, such as `artist S, year N`.
fn key_text(table: &Value, described: &Value) -> String {
    let definitions = table["AttributeDefinitions"].as_array();
    let elements = described["KeySchema"].as_array().into_iter().flatten();
    let keys = elements.map(|element| {
        let name = &element["AttributeName"];
        let mut found = definitions.into_iter().flatten();
        let definition = found.find(|definition| &definition["AttributeName"] == name);
        let key_type = definition.and_then(|definition| definition["AttributeType"].as_str());
        format!("{} {}", name.as_str().unwrap_or_default(), key_type.unwrap_or_default())
    });
    keys.collect::<Vec<_>>().join(", ")
}
