//! `hashrange clock`: the clock of a server.

use super::state;
use crate::arguments::{Clock, Format};
use crate::client::Client;
use crate::output::{self, printer::Printer};
use anyhow::Context;
use serde_json::{Map, Value, json};

/// Sets the clock as the arguments say and prints its time.
pub fn run(client: &mut Client, arguments: &Clock) -> anyhow::Result<()> {
    let answer = state::call(client, "SetClock", &request(arguments))?;
    if Printer::of(&arguments.connection)?.format != Format::Table {
        return output::line(&answer);
    }
    let date = answer["Date"].as_str().context("the answer lacks a member")?;
    if answer["Stopped"] == true {
        output::line(format_args!("{date}, stopped"))
    } else {
        output::line(date)
    }
}

fn request(arguments: &Clock) -> Value {
    let Clock { set, advance, stop, go_on, .. } = arguments;
    let mut request = Map::new();
    request.extend(set.iter().map(|time| ("Now".to_owned(), json!(time))));
    request.extend(advance.iter().map(|time| ("Advance".to_owned(), json!(time))));
    if *stop || *go_on {
        request.insert("Stopped".to_owned(), json!(stop));
    }
    Value::Object(request)
}
