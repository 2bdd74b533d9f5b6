//! `hashrange sample`: the sample tables that are in the program.

use crate::arguments::{Format, SampleList, SampleLoad};
use crate::client::Client;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::cost::grouped;
use serde_json::{Value, json};

/// Prints the samples, one a line.
pub fn list(client: &mut Client, arguments: &SampleList) -> anyhow::Result<()> {
    let answer = client.call_own("ListSamples", &json!({}))?;
    let printer = Printer::of(&arguments.connection)?;
    if printer.format == Format::Ddb {
        return output::line(&answer);
    }
    let samples = answer["Samples"].as_array().context("the answer lacks its samples")?;
    if printer.format != Format::Table {
        return samples.iter().try_for_each(output::line);
    }
    let mut table = Table::new(&["sample", "table", "about", "items"].map(str::to_owned));
    for sample in samples {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = [text(&sample["Name"]), tables(sample), text(&sample["Title"])];
        table.add_figures(&texts, &[grouped(sample["Items"].as_u64().unwrap_or(0))]);
    }
    printer.table(&table)
}

/// Loads a sample and prints what is there now.
pub fn load(client: &mut Client, arguments: &SampleLoad) -> anyhow::Result<()> {
    let answer = client.call_own("LoadSample", &json!({ "Name": arguments.name }))?;
    if Printer::of(&arguments.connection)?.format != Format::Table {
        return output::line(&answer);
    }
    let items = grouped(answer["Items"].as_u64().context("the answer lacks a member")?);
    output::line(format_args!("{items} items in {}", tables(&answer)))
}

fn tables(answer: &Value) -> String {
    let tables = answer["Tables"].as_array().into_iter().flatten();
    tables.filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}
