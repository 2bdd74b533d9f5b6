//! `hashrange state`: the whole state of a server.

use crate::arguments::{Format, State, StateAction};
use crate::client::{Client, is_unknown};
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use anyhow::Context;
use serde_json::{Value, json};

/// The save that a request without a name means.
const DEFAULT_SAVE: &str = "default";

/// Runs the action and prints its result.
pub fn run(client: &mut Client, arguments: &State) -> anyhow::Result<()> {
    let (operation, request) = request(arguments).map_err(Usage)?;
    let answer = call(client, operation, &request)?;
    match Printer::of(&arguments.connection)?.format {
        Format::Table => print(arguments, &answer),
        Format::Json | Format::Item | Format::Ddb => output::line(&answer),
    }
}

/// Runs one of the server's own operations; if the server has them switched off, the error says how
/// to switch them on.
pub fn call(client: &mut Client, operation: &str, request: &Value) -> anyhow::Result<Value> {
    client.call_own(operation, request).map_err(|error| {
        if is_unknown(&error) {
            error.context("this server was started without --test-api")
        } else {
            error
        }
    })
}

fn request(arguments: &State) -> Result<(&'static str, Value), String> {
    let State { action, name, empty, .. } = arguments;
    if *empty && *action != StateAction::Reset {
        return Err("--empty goes with reset only".to_owned());
    }
    let named = json!({ "Name": name.as_deref().unwrap_or(DEFAULT_SAVE) });
    match (action, name) {
        (StateAction::Save, _) => Ok(("Save", named)),
        (StateAction::Restore, _) => Ok(("Restore", named)),
        (StateAction::Delete, Some(_)) => Ok(("DeleteSave", named)),
        (StateAction::Delete, None) => Err("delete needs the name of a save".to_owned()),
        (StateAction::Reset, None) => Ok(("Reset", json!({ "Empty": empty }))),
        (StateAction::List, None) => Ok(("ListSaves", json!({}))),
        (StateAction::Reset, Some(_)) => {
            Err("reset goes back to the start; to go back to a save: restore NAME".to_owned())
        }
        (StateAction::List, Some(_)) => Err("list takes no name".to_owned()),
    }
}

fn print(arguments: &State, answer: &Value) -> anyhow::Result<()> {
    let name = || answer["Name"].as_str().context("the answer lacks a member");
    match arguments.action {
        StateAction::Save if answer["Replaced"] == true => {
            output::line(format_args!("saved as {}, in the place of an older save", name()?))
        }
        StateAction::Save => output::line(format_args!("saved as {}", name()?)),
        StateAction::Restore => output::line(format_args!("restored {}", name()?)),
        StateAction::Delete => output::line(format_args!("deleted {}", name()?)),
        StateAction::Reset if arguments.empty => output::line("everything is deleted"),
        StateAction::Reset => output::line("back to the state after the start"),
        StateAction::List => {
            let saves = answer["Saves"].as_array().context("the answer lacks its saves")?;
            saves.iter().filter_map(|save| save["Name"].as_str()).try_for_each(output::line)
        }
    }
}
