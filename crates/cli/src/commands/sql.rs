//! `hashrange sql`: PartiQL statements, one given as argument or many read from standard input,
//! where each ends with a semicolon at the end of a line.

use crate::arguments::{Format, Sql};
use crate::client::{Client, Refused};
use crate::exit::Usage;
use crate::literal;
use crate::output::{self, plain, table::Table};
use hashrange::Operation;
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, IsTerminal};

/// Runs the statement given, or those on standard input.
pub fn run(client: &mut Client, arguments: &Sql) -> anyhow::Result<()> {
    match &arguments.statement {
        Some(statement) => execute(client, arguments, statement),
        None => shell(client, arguments),
    }
}

/// Reads statements and runs them. Before a person a refused statement is not the end.
fn shell(client: &mut Client, arguments: &Sql) -> anyhow::Result<()> {
    let is_person = io::stdin().is_terminal();
    let mut statement = String::new();
    let mut lines = io::stdin().lock().lines();
    loop {
        if is_person {
            output::prompt(if statement.is_empty() { "sql> " } else { "  -> " })?;
        }
        let line = lines.next().transpose()?;
        let is_end = line.is_none();
        if let Some(line) = line {
            statement.push_str(&line);
            statement.push('\n');
        }
        if is_end || statement.trim_end().ends_with(';') {
            let text = std::mem::take(&mut statement);
            let done = match text.trim().trim_end_matches(';').trim_end() {
                "" => Ok(()),
                text => execute(client, arguments, text),
            };
            match done {
                Err(error) if is_person && error.is::<Refused>() => {
                    output::complain(format_args!("{error}"));
                }
                done => done?,
            }
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Runs one statement and prints its items, of one page or of all.
fn execute(client: &mut Client, arguments: &Sql, statement: &str) -> anyhow::Result<()> {
    let mut request = request(arguments, statement)?;
    let format = arguments.connection.output;
    let mut table = Table::new(&[]);
    let (mut items, mut units) = (0, 0.0);
    let has_more = loop {
        let response = client.call(Operation::ExecuteStatement, &Value::Object(request.clone()))?;
        let found = response["Items"].as_array().into_iter().flatten().filter_map(Value::as_object);
        units += response["ConsumedCapacity"]["CapacityUnits"].as_f64().unwrap_or(0.0);
        match format {
            Format::Ddb => output::line(&response)?,
            Format::Json => found.map(plain::item).try_for_each(output::line)?,
            Format::Table => found.for_each(|item| {
                items += 1;
                table.add_item(item);
            }),
        }
        match response["NextToken"].as_str() {
            Some(token) if arguments.all => {
                request.insert("NextToken".into(), json!(token));
            }
            token => break token.is_some(),
        }
    };
    if format == Format::Table {
        print_table(&table, items, units, has_more)?;
    }
    Ok(())
}

fn request(arguments: &Sql, statement: &str) -> anyhow::Result<Map<String, Value>> {
    let mut request = Map::new();
    request.insert("Statement".into(), json!(statement));
    request.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
    if !arguments.parameters.is_empty() {
        let parameters = arguments.parameters.iter().map(|text| parameter(text));
        let parameters = parameters.collect::<anyhow::Result<Vec<_>>>()?;
        request.insert("Parameters".into(), Value::Array(parameters));
    }
    if let Some(limit) = arguments.limit {
        request.insert("Limit".into(), json!(limit));
    }
    if arguments.consistent {
        request.insert("ConsistentRead".into(), json!(true));
    }
    Ok(request)
}

/// Returns the attribute value of a literal.
fn parameter(text: &str) -> anyhow::Result<Value> {
    literal::value(text).map_err(|fault| Usage(format!("--parameter {text}: {fault}")).into())
}

fn print_table(table: &Table, items: u64, units: f64, has_more: bool) -> anyhow::Result<()> {
    if items > 0 {
        table.lines().iter().try_for_each(output::line)?;
        output::line("")?;
    }
    let noun = if items == 1 { "item" } else { "items" };
    output::line(format_args!("{items} {noun}, {units} capacity units"))?;
    if has_more {
        output::line("more follow: --all reads them")?;
    }
    Ok(())
}
