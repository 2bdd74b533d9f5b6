//! `hashrange drop`.

use super::definition::settle::{Wanted, is_not_found, settle};
use crate::arguments::{Drop, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use hashrange::Operation;
use serde_json::json;
use std::io::{IsTerminal, stdin};

/// Drops a table; asks before, on a terminal.
pub fn run(client: &mut Client, arguments: &Drop) -> anyhow::Result<()> {
    let table = &arguments.table;
    let request = json!({ "TableName": table });
    let described = match client.call(Operation::DescribeTable, &request) {
        Err(error) if arguments.if_exists && is_not_found(&error) => {
            return said(arguments, &format!("there is no table {table}"), 0);
        }
        described => described?,
    };
    let items = described["Table"]["ItemCount"].as_u64().unwrap_or(0);
    if !arguments.yes && !is_meant(table, items)? {
        return said(arguments, &format!("{table} stays"), 0);
    }
    client.call(Operation::DeleteTable, &request)?;
    if !arguments.no_wait {
        settle(client, table, Wanted::Gone, None)?;
    }
    let verb = if arguments.no_wait { "dropping" } else { "dropped" };
    said(arguments, &format!("{verb} {table} with {}", counted(items, "item")), items)
}

fn said(arguments: &Drop, text: &str, items: u64) -> anyhow::Result<()> {
    if Printer::of(&arguments.connection)?.format == Format::Table {
        output::line(text)
    } else {
        output::line(json!({ "items": items }))
    }
}

/// Asks the person at the terminal.
fn is_meant(table: &str, items: u64) -> anyhow::Result<bool> {
    if !stdin().is_terminal() {
        let items = counted(items, "item");
        return Err(Usage(format!("{table} has {items}: --yes drops it without asking")).into());
    }
    output::is_confirmed(&format!("drop {table} with {}?", counted(items, "item")))
}
