//! `hashrange coverage`: access patterns against the keys and indexes of tables.
//!
//! Left to others: the matrix and designers' tables (the crate `design`), contracts and recordings (`cost`).

use super::cost::{read_recording, recorded_by};
use super::design::{looked, plans};
use crate::advice;
use crate::arguments::{Coverage as Arguments, Format};
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use anyhow::Context;
use hashrange::Operation;
use hashrange::cost::{AccessPattern, Contract, Recording, TableFacts};
use hashrange_design::coverage::{Coverage, TABLE_MAX_BYTES, cover, of_recording, read_table};
use hashrange_design::plan::TablePlan;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Returns whether files have both the tables and the access patterns.
pub fn is_of_files(arguments: &Arguments) -> bool {
    let has_patterns = arguments.contract.is_some() || arguments.patterns.is_some();
    !arguments.recording.is_empty() || has_patterns && !arguments.files.is_empty()
}

/// Covers the tables in files.
pub fn run_on_files(arguments: &Arguments) -> anyhow::Result<()> {
    let recording = match &arguments.recording[..] {
        [] => None,
        files => Some(read_recording(files)?),
    };
    let mut tables = Vec::new();
    for file in &arguments.files {
        tables.extend(plans::of_file(file, &arguments.connection)?.iter().map(facts));
    }
    if let (true, Some(recording)) = (arguments.files.is_empty(), &recording) {
        tables.clone_from(&recording.tables);
    }
    let patterns = patterns(arguments, recording.as_ref(), &tables)?;
    print(&cover(&tables, &patterns), &patterns, arguments)
}

/// Covers the tables of a database.
pub fn run(client: &mut Client, arguments: &Arguments) -> anyhow::Result<()> {
    // Requests come first: the reads of the tables below are requests, too.
    client.leave_unrecorded();
    let recording = if arguments.contract.is_none() && arguments.patterns.is_none() {
        Some(recorded_by(client, "DescribeRecording")?.1)
    } else {
        None
    };
    let mut tables = Vec::new();
    for file in &arguments.files {
        tables.extend(plans::of_file(file, &arguments.connection)?.iter().map(facts));
    }
    if arguments.files.is_empty() {
        for name in advice::table_names(client, usize::MAX)? {
            let described = client.call(Operation::DescribeTable, &json!({ "TableName": name }))?;
            let Value::Object(table) = &described["Table"] else { continue };
            tables.push(looked::facts(client, table, &name)?);
        }
    }
    let patterns = patterns(arguments, recording.as_ref(), &tables)?;
    print(&cover(&tables, &patterns), &patterns, arguments)
}

/// Returns the facts of a table in a file, whose sizes are not known.
fn facts(plan: &TablePlan) -> TableFacts {
    let definition = Some(plan.definition());
    TableFacts { table: plan.name.clone(), definition, ..TableFacts::default() }
}

fn patterns(
    arguments: &Arguments,
    recording: Option<&Recording>,
    tables: &[TableFacts],
) -> anyhow::Result<Vec<AccessPattern>> {
    if let Some(file) = &arguments.contract {
        let named = || file.display().to_string();
        let text = fs::read(file).with_context(named)?;
        return Ok(Contract::read(&text).with_context(named)?.patterns);
    }
    if let Some(file) = &arguments.patterns {
        return designers(file, tables);
    }
    let recording = recording.context("no access patterns are named")?;
    if recording.rows.is_empty() {
        let why = "nothing is recorded: --patterns or --contract names access patterns";
        return Err(Usage(why.to_owned()).into());
    }
    Ok(of_recording(recording))
}

/// Reads a designer's table.
pub fn designers(file: &Path, tables: &[TableFacts]) -> anyhow::Result<Vec<AccessPattern>> {
    let named = || file.display().to_string();
    let mut text = String::new();
    let most = u64::try_from(TABLE_MAX_BYTES).unwrap_or(u64::MAX);
    File::open(file)
        .and_then(|it| it.take(most.saturating_add(1)).read_to_string(&mut text))
        .with_context(named)?;
    let only = match tables {
        [one] => Some(one.table.as_str()),
        _ => None,
    };
    read_table(&text, only).map_err(|fault| Usage(format!("{}, {fault}", named())).into())
}

fn print(
    found: &Coverage,
    patterns: &[AccessPattern],
    arguments: &Arguments,
) -> anyhow::Result<()> {
    if let Some(file) = &arguments.save_contract {
        let mut contract = Contract::new();
        contract.patterns = patterns.to_vec();
        fs::write(file, contract.to_json()).with_context(|| file.display().to_string())?;
    }
    match Printer::of(&arguments.connection)?.format {
        Format::Table => output::text(found.to_markdown().as_bytes()),
        Format::Json | Format::Item | Format::Ddb => output::line(json!(found)),
    }
}
