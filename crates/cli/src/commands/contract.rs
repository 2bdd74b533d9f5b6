//! `hashrange contract`: compares the recording of a server, or records in files, with the access
//! patterns that a design allows.
//!
//! Left to others: the examples of patterns (`contract/verify.rs`), the meaning of a pattern (the
//! crate `cost`).

mod verify;

use super::cost::{place_name, read_recording, recorded_by};
use crate::arguments::{Contract as Arguments, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::{CheckFailed, Usage};
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::cost::{Contract, Findings, Recording, Row, grouped, mean_units, units};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Compares the recording of a server with the contract, or verifies the contract with its
/// examples.
pub fn run(client: &mut Client, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.design {
        None => tell(client, arguments),
        Some(design) if arguments.verify => {
            verify::run(client, &read(design)?, &Printer::of(&arguments.connection)?)
        }
        Some(design) => hold(&recorded_by(client, "DescribeRecording")?.1, design, arguments),
    }
}

/// Compares the records in files with the contract.
pub fn run_on_files(arguments: &Arguments) -> anyhow::Result<()> {
    let design = arguments.design.as_ref().context("no contract is named")?;
    hold(&read_recording(&arguments.recordings)?, design, arguments)
}

fn read(design: &Path) -> anyhow::Result<Contract> {
    let named = || design.display().to_string();
    Contract::read(&fs::read(design).with_context(named)?).with_context(named)
}

/// Prints the comparison of requests with the contract of the server.
fn tell(client: &mut Client, arguments: &Arguments) -> anyhow::Result<()> {
    if matches!(client, Client::Local(_)) {
        let why = "a folder has no contract: hashrange serve --contract FILE has one";
        return Err(Usage(why.to_owned()).into());
    }
    let mut answer = client.call_own("DescribeContract", &json!({}))?;
    let printer = Printer::of(&arguments.connection)?;
    if printer.format != Format::Table {
        output::line(&answer)?;
    }
    let findings: Findings = serde_json::from_value(answer["Findings"].take())?;
    let refused: Vec<Row> = serde_json::from_value(answer["Refused"].take())?;
    if printer.format == Format::Table {
        print(&findings, &refused, &printer)?;
    }
    end(&findings, refused.len())
}

fn hold(recording: &Recording, design: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    if arguments.learn {
        let is_there = design.try_exists().with_context(|| design.display().to_string())?;
        let contract = if is_there { read(design)? } else { Contract::new() };
        return learn(contract, recording, design);
    }
    let findings = read(design)?.check(recording);
    match printer.format {
        Format::Table => print(&findings, &[], &printer)?,
        Format::Json | Format::Item | Format::Ddb => output::line(json!(findings))?,
    }
    end(&findings, 0)
}

/// Fails if requests broke the contract.
fn end(findings: &Findings, refused: usize) -> anyhow::Result<()> {
    if findings.is_kept() && refused == 0 {
        return Ok(());
    }
    let unknown = counted(count(findings.unknown.len() + refused), "kind");
    let over = findings.patterns.iter().filter(|pattern| pattern.is_over).count();
    let over = counted(count(over), "pattern");
    Err(CheckFailed::new(format!(
        "{unknown} of requests not in the contract, {over} over its units"
    ))
    .into())
}

fn learn(mut contract: Contract, recording: &Recording, design: &Path) -> anyhow::Result<()> {
    let learnt = contract.learn(recording);
    let named = || design.display().to_string();
    if learnt > 0 || !design.exists() {
        fs::write(design, contract.to_json()).with_context(named)?;
    }
    output::line(format_args!("{} added to {}", counted(count(learnt), "pattern"), named()))
}

fn print(findings: &Findings, refused: &[Row], printer: &Printer) -> anyhow::Result<()> {
    let mut table = Table::new(&["pattern", "requests", "units each", ""].map(str::to_owned));
    for pattern in &findings.patterns {
        let used = &pattern.used;
        let remark = match (pattern.is_over, pattern.most_units) {
            (true, Some(most)) => format!("over {}", units(most)),
            _ if used.requests == 0 => "never asked".to_owned(),
            _ => String::new(),
        };
        let figures = [grouped(used.requests), units(mean_units(used)), remark];
        table.add_figures(std::slice::from_ref(&pattern.name), &figures);
    }
    let unknown = findings.unknown.iter().map(|row| (row, "not in the contract"));
    for (row, remark) in unknown.chain(refused.iter().map(|row| (row, "refused"))) {
        let place = place_name(&row.key.table, row.key.index.as_deref());
        let name = format!("{} {place} {}", row.key.operation, row.key.pattern);
        let figures = [grouped(row.used.requests), units(mean_units(&row.used)), remark.to_owned()];
        table.add_figures(&[name.trim_end().to_owned()], &figures);
    }
    printer.table(&table)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
