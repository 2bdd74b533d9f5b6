//! Runs CREATE, ALTER and DROP TABLE: sends the requests, then waits until the table is as defined.

use super::ddl::{self, Change, Definition, NewTable};
use super::session::Session;
use crate::arguments::Format;
use crate::client::Refused;
use crate::exit::Usage;
use crate::output;
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Value, json};
use std::time::Duration;

const PAUSE_FIRST: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Runs a definition.
pub fn run(session: &Session<'_, '_>, text: &str) -> anyhow::Result<()> {
    let definition = ddl::parse(text).map_err(|fault| Usage(fault.to_string()))?;
    if !session.parameters.is_empty() {
        return Err(Usage("a definition has no question marks for parameters".to_owned()).into());
    }
    session.catalogue.borrow_mut().forget();
    let done = match definition {
        Definition::Create { table, if_not_exists } => create(session, &table, if_not_exists),
        Definition::Alter { table, changes } => alter(session, &table, &changes),
        Definition::Drop { tables, if_exists } => {
            tables.iter().try_for_each(|table| drop_table(session, table, if_exists))
        }
    };
    session.catalogue.borrow_mut().forget();
    done
}

fn create(session: &Session<'_, '_>, table: &NewTable, if_not_exists: bool) -> anyhow::Result<()> {
    let name = &table.name;
    match session.call(Operation::CreateTable, &ddl::create_request(table)) {
        Err(error) if if_not_exists && is_refused_as(&error, "ResourceInUseException") => {
            return tell(session, &json!({}), &format!("table {name} exists already"));
        }
        created => created.map(drop)?,
    }
    let mut response = wait(session, name)?;
    if let Some(attribute) = &table.time_to_live {
        let change = Change::TimeToLive(attribute.clone(), true);
        let (operation, request) = ddl::alter_request(name, &change, &Value::Null);
        session
            .call(operation, &request)
            .with_context(|| format!("table {name} is created, without its TTL"))?;
        response = wait(session, name)?;
    }
    tell(session, &response, &format!("table {name} created"))
}

fn alter(session: &Session<'_, '_>, table: &str, changes: &[Change]) -> anyhow::Result<()> {
    let mut response = json!({});
    for (nth, change) in changes.iter().enumerate() {
        let done = change_table(session, table, change);
        response = done.with_context(|| match nth {
            0 => format!("table {table} is as it was"),
            1 => format!("of the changes to {table} the first is done"),
            _ => format!("of the changes to {table} the first {nth} are done"),
        })?;
    }
    tell(session, &response, &format!("table {table} altered"))
}

fn change_table(session: &Session<'_, '_>, table: &str, change: &Change) -> anyhow::Result<Value> {
    let described = describe(session, table)?;
    let known = &described["Table"]["AttributeDefinitions"];
    let (operation, request) = ddl::alter_request(table, change, known);
    session.call(operation, &request)?;
    wait(session, table)
}

fn drop_table(session: &Session<'_, '_>, table: &str, if_exists: bool) -> anyhow::Result<()> {
    let response = match session.call(Operation::DeleteTable, &json!({ "TableName": table })) {
        Err(error) if if_exists && is_refused_as(&error, "ResourceNotFoundException") => {
            return tell(session, &json!({}), &format!("there is no table {table}"));
        }
        deleted => deleted?,
    };
    let mut pauses = pauses();
    loop {
        match describe(session, table) {
            Err(error) if is_refused_as(&error, "ResourceNotFoundException") => break,
            described => described.map(drop)?,
        }
        session.stop.borrow().pause(pauses.next().unwrap_or(PAUSE_MAX))?;
    }
    tell(session, &response, &format!("table {table} dropped"))
}

/// Waits until a table and its indexes are active, and returns its description.
fn wait(session: &Session<'_, '_>, table: &str) -> anyhow::Result<Value> {
    let mut pauses = pauses();
    loop {
        let response = describe(session, table)?;
        if is_active(&response["Table"]) {
            return Ok(response);
        }
        session.stop.borrow().pause(pauses.next().unwrap_or(PAUSE_MAX))?;
    }
}

fn describe(session: &Session<'_, '_>, table: &str) -> anyhow::Result<Value> {
    session.call(Operation::DescribeTable, &json!({ "TableName": table }))
}

fn is_active(table: &Value) -> bool {
    let indexes = table["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
    table["TableStatus"] == "ACTIVE" && indexes.into_iter().all(|it| it["IndexStatus"] == "ACTIVE")
}

fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(PAUSE_FIRST), |pause| Some((*pause * 2).min(PAUSE_MAX)))
}

fn is_refused_as(error: &anyhow::Error, exception: &str) -> bool {
    error.downcast_ref::<Refused>().is_some_and(|refused| refused.exception == exception)
}

fn tell(session: &Session<'_, '_>, response: &Value, text: &str) -> anyhow::Result<()> {
    match session.printer.get().format {
        Format::Table => output::line(text),
        Format::Json | Format::Item => output::line(json!({ "done": text })),
        Format::Ddb => output::line(response),
    }
}
