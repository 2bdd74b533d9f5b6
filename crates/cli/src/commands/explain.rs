//! `hashrange explain`: reads and cost of a query, scan, get, statement or request.

use super::definition::grammar;
use super::definition::request::Types;
use super::{api, definition, get, query, scan};
use crate::arguments::{Connection, Explain, Explained, Format};
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use crate::shell;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// Explains a request and prints the explanation: as lines, or as JSON.
pub fn run(client: &mut Client, arguments: &Explain) -> anyhow::Result<()> {
    let (operation, mut request) = request(client, &arguments.command)?;
    let what_if = what_if(client, arguments, &mut request)?;
    let mut request = json!({
        "Operation": operation.name(), "Request": request, "Analyze": arguments.analyze,
    });
    if let Some(what_if) = what_if {
        request["WhatIf"] = what_if;
    }
    let answer = client.call_own("Explain", &request)?;
    match Printer::of(connection(&arguments.command))?.format {
        Format::Table => {
            output::line(answer["Text"].as_str().context("the answer lacks its text")?)
        }
        Format::Json | Format::Item | Format::Ddb => output::line(&answer["Explanation"]),
    }
}

/// Returns the index of `--what-if`, if it is given, and lets the request read it. A statement that
/// names no index reads it by itself.
fn what_if(
    client: &mut Client,
    arguments: &Explain,
    request: &mut Map<String, Value>,
) -> anyhow::Result<Option<Value>> {
    let index = match (&arguments.what_if, &arguments.what_if_local) {
        (Some(text), _) => definition::request::read("--what-if", text, grammar::global_index)?,
        (None, Some(text)) => {
            definition::request::read("--what-if-local", text, grammar::local_index)?
        }
        (None, None) => return Ok(None),
    };
    let mut types = Types::default();
    types.add(&index.partition)?;
    types.add(&index.sort)?;
    // A local index leaves out its partition key, which is the table's.
    let mut supposed = definition::request::index(&index, &index.partition);
    supposed["Local"] = arguments.what_if_local.is_some().into();
    if let Some(items) = arguments.look_at {
        supposed["LookAt"] = items.into();
    }
    if let Some(table) = request.get("TableName").and_then(Value::as_str) {
        let described = client.call(Operation::DescribeTable, &json!({ "TableName": table }))?;
        types.add_described(&described["Table"]);
        supposed["AttributeDefinitions"] = types.definitions()?;
        request.entry("IndexName").or_insert_with(|| index.name.into());
    } else if request.contains_key("Statement") {
        // The database knows the table's types, and which table the request reads.
        supposed["AttributeDefinitions"] = types.known();
    } else {
        return Err(
            Usage("--what-if and --what-if-local are for query, scan and sql".to_owned()).into()
        );
    }
    Ok(Some(supposed))
}

/// Returns the database to use.
pub fn connection(explained: &Explained) -> &Connection {
    match explained {
        Explained::Query(arguments) => &arguments.connection,
        Explained::Scan(arguments) => &arguments.connection,
        Explained::Get(arguments) => &arguments.connection,
        Explained::Sql(arguments) => &arguments.connection,
        Explained::Request(arguments) => &arguments.connection,
    }
}

fn request(
    client: &mut Client,
    explained: &Explained,
) -> anyhow::Result<(Operation, Map<String, Value>)> {
    Ok(match explained {
        Explained::Query(arguments) => (Operation::Query, query::request(arguments)?),
        Explained::Scan(arguments) => (Operation::Scan, scan::request(arguments)?),
        Explained::Get(arguments) => (Operation::GetItem, get::request(client, arguments)?),
        Explained::Sql(arguments) => {
            (Operation::ExecuteStatement, shell::statement_request(arguments)?)
        }
        Explained::Request(arguments) => {
            let request = serde_json::from_slice(&api::request(arguments)?);
            let request = request.map_err(|why| Usage(format!("the request is no JSON: {why}")))?;
            (api::operation(&arguments.operation)?, request)
        }
    })
}
