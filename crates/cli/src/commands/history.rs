//! `hashrange history`: state and beginning of a table's history, changes since a moment, and items
//! put back to an earlier state.

mod changes;
mod versions;

use crate::arguments::{Format, History, HistoryCommand};
use crate::client::Client;
use crate::output::{self, plain, printer::Printer};
use serde_json::{Value, json};

/// Runs the subcommand and prints its result.
pub fn run(client: &mut Client, arguments: &History) -> anyhow::Result<()> {
    let (operation, request) = match &arguments.command {
        HistoryCommand::Enable(it) => {
            let mut request = json!({ "TableName": it.table, "Enabled": true });
            if let Some(hours) = it.hours {
                request["RetentionHours"] = json!(hours);
            }
            ("UpdateHistory", request)
        }
        HistoryCommand::Disable(it) => {
            ("UpdateHistory", json!({ "TableName": it.table, "Enabled": false }))
        }
        HistoryCommand::Show(it) => ("DescribeHistory", json!({ "TableName": it.table })),
        HistoryCommand::Diff(it) => return changes::diff(client, it),
        HistoryCommand::Restore(it) => return changes::restore(client, it),
        HistoryCommand::Versions(it) => return versions::run(client, it),
    };
    let answer = client.call_own(operation, &request)?;
    if Printer::of(arguments.command.connection())?.format != Format::Table {
        return output::line(&answer);
    }
    let history = &answer["History"];
    let text = |member: &str| history[member].as_str().unwrap_or_default().to_owned();
    let table = arguments.command.table();
    match (history["Status"].as_str(), &history["RetentionHours"]) {
        (Some("ENABLED"), Value::Null) => output::line(format_args!(
            "the history of {table} is kept for ever and reaches back to {}",
            text("ReachesBackTo")
        )),
        (Some("ENABLED"), hours) => output::line(format_args!(
            "the history of {table} is kept for {hours} hours and reaches back to {}",
            text("ReachesBackTo")
        )),
        (Some("ENABLING"), _) => output::line(format_args!("the history of {table} begins")),
        (Some("DISABLING"), _) => {
            output::line(format_args!("the history of {table} is being removed"))
        }
        _ => output::line(format_args!("{table} keeps no history")),
    }?;
    print_dated_ahead(history)
}

/// Prints the changes that are dated ahead of the server's clock, if there are any.
fn print_dated_ahead(history: &Value) -> anyhow::Result<()> {
    let dated = history["DatedAhead"].as_array().map_or(&[][..], Vec::as_slice);
    if dated.is_empty() {
        return Ok(());
    }
    output::line("dated ahead of the clock, which was set back since:")?;
    for change in dated {
        let key = change["Key"].as_object().map(plain::item).unwrap_or_default();
        output::line(format_args!("  {} {key}", change["At"].as_str().unwrap_or_default()))?;
    }
    if history["MoreDatedAhead"] == true {
        output::line("  and more")?;
    }
    Ok(())
}
