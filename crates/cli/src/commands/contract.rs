//! `hashrange contract`: holds what a server has recorded, or records in files, against the access patterns
//! that a design allows.

use super::cost::{place_name, read_recording, recorded_by};
use crate::arguments::{Contract as Arguments, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::Found;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::cost::{Contract, Findings, Recording, grouped, mean_units, units};
use serde_json::json;
use std::fs;
use std::io::ErrorKind;

/// Holds what a server has recorded against the contract.
pub fn run(client: &mut Client, arguments: &Arguments) -> anyhow::Result<()> {
    hold(&recorded_by(client, "DescribeRecording")?.1, arguments)
}

/// Holds what files have against the contract.
pub fn run_on_files(arguments: &Arguments) -> anyhow::Result<()> {
    hold(&read_recording(&arguments.recordings)?, arguments)
}

fn hold(recording: &Recording, arguments: &Arguments) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    let named = || arguments.design.display().to_string();
    let contract = match fs::read(&arguments.design) {
        Ok(text) => Contract::read(&text).with_context(named)?,
        Err(error) if error.kind() == ErrorKind::NotFound && arguments.learn => Contract::new(),
        Err(error) => return Err(error).with_context(named),
    };
    if arguments.learn {
        return learn(contract, recording, arguments);
    }
    let findings = contract.check(recording);
    match printer.format {
        Format::Table => print(&findings, &printer)?,
        Format::Json | Format::Item | Format::Ddb => output::line(json!(findings))?,
    }
    if findings.is_kept() {
        return Ok(());
    }
    let unknown = counted(count(findings.unknown.len()), "kind");
    let over = findings.patterns.iter().filter(|pattern| pattern.is_over).count();
    let over = counted(count(over), "pattern");
    Err(Found(format!("{unknown} of requests not in the contract, {over} over its units")).into())
}

fn learn(
    mut contract: Contract,
    recording: &Recording,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let learnt = contract.learn(recording);
    let named = || arguments.design.display().to_string();
    if learnt > 0 || !arguments.design.exists() {
        fs::write(&arguments.design, contract.to_json()).with_context(named)?;
    }
    output::line(format_args!("{} added to {}", counted(count(learnt), "pattern"), named()))
}

fn print(findings: &Findings, printer: &Printer) -> anyhow::Result<()> {
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
    for row in &findings.unknown {
        let place = place_name(&row.key.table, row.key.index.as_deref());
        let name = format!("{} {place} {}", row.key.operation, row.key.pattern);
        let figures = [
            grouped(row.used.requests),
            units(mean_units(&row.used)),
            "not in the contract".to_owned(),
        ];
        table.add_figures(&[name.trim_end().to_owned()], &figures);
    }
    printer.table(&table)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
