//! `hashrange study`: an export on one page. The items are loaded into memory, and all that the other commands tell
//! of a table is told of them.
//!
//! Left to others: the page (the crate `design`), the findings (`lint`).

mod given;

use super::cost::prices as price_list;
use super::coverage::designers;
use super::design::looked::{self, Looked};
use super::import;
use super::lint::{files_of, findings_of};
use crate::arguments::{Format, Study as Arguments};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use anyhow::Context;
use hashrange::{Database, Operation};
use hashrange_design::coverage::{TableCoverage, cover};
use hashrange_design::page::{self, StudiedTable, Study, TablePrices};
use hashrange_lint::Finding;
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What was found of the table of an export.
struct Studied {
    looked: Looked,
    findings: Vec<Finding>,
    coverage: Option<TableCoverage>,
    prices: Option<TablePrices>,
    notes: Vec<String>,
}

/// Studies the export in a folder and writes the page.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    let studied = study(arguments)?;
    if printer.format != Format::Table {
        return output::line(as_json(&studied));
    }
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("study.html"));
    check_replaceable(&out)?;
    fs::write(&out, render(&studied)).with_context(|| out.display().to_string())?;
    tell(&studied, &out)
}

/// Refuses to replace a file that is no page.
fn check_replaceable(out: &Path) -> anyhow::Result<()> {
    let mut beginning = [0; 15];
    let Ok(mut file) = fs::File::open(out) else { return Ok(()) };
    let is_page =
        file.read(&mut beginning).is_ok() && beginning.eq_ignore_ascii_case(b"<!doctype html>");
    if is_page {
        return Ok(());
    }
    Err(Usage(format!("{} is there and no page: name another file with --out", out.display()))
        .into())
}

fn study(arguments: &Arguments) -> anyhow::Result<Studied> {
    let given::Given { definition, design } = given::of(arguments)?;
    let name = definition.name.clone();
    let mut files = files_of(&arguments.folder)?;
    files.retain(|file| Some(file) != design.as_ref());
    let mut client = Client::Local(Database::memory().blocking());
    client.call(Operation::CreateTable, &Value::Object(definition.request))?;
    if let Some(attribute) = &definition.time_to_live {
        let specification = json!({ "AttributeName": attribute, "Enabled": true });
        let request = json!({ "TableName": name, "TimeToLiveSpecification": specification });
        client.call(Operation::UpdateTimeToLive, &request)?;
    }
    let put = import::whole_files(&mut client, &name, files)?.put;
    let looked = looked::of(&mut client, &name, arguments.sample)?;
    let findings = findings_of(&mut client, &name, arguments.sample)?;
    let (mut coverage, mut unknown) = (None, Vec::new());
    if let Some(file) = &arguments.patterns {
        let tables = std::slice::from_ref(&looked.facts);
        let covered = cover(tables, &designers(file, tables)?);
        unknown = covered.unknown;
        coverage = covered.tables.into_iter().next();
    }
    let mut notes = vec![format!(
        "A study of {}, by hashrange {}.",
        arguments.folder.display(),
        env!("CARGO_PKG_VERSION")
    )];
    if !unknown.is_empty() {
        notes.push(format!("Patterns of other tables: {}.", unknown.join(", ")));
    }
    let all = looked.facts.definition.as_ref().map_or(0, |it| it.item_count);
    if put > all {
        let note = format!(
            "{} of the export have the key of another one, which they replaced: is the key right?",
            counted(put - all, "item")
        );
        output::complain(format_args!("{note}"));
        notes.push(note);
    }
    if all > looked.entities.items {
        notes.push(format!(
            "Of {} a sample was looked at: {}.",
            counted(all, "item"),
            counted(looked.entities.items, "item")
        ));
    }
    let prices = match price_list(None, &arguments.connection) {
        Ok(list) => Some(page::prices(&looked.facts, &looked.entities, &list)),
        Err(error) => {
            notes.push(format!("No prices: {error}."));
            None
        }
    };
    client.close()?;
    Ok(Studied { looked, findings, coverage, prices, notes })
}

fn render(studied: &Studied) -> String {
    let Looked { plan, facts, items, entities, .. } = &studied.looked;
    let definition = facts.definition.clone().unwrap_or_default();
    let collections = page::collections(&definition, items, entities);
    let table = StudiedTable {
        plan,
        facts,
        entities,
        coverage: studied.coverage.as_ref(),
        findings: &studied.findings,
        prices: studied.prices.as_ref(),
        collections: &collections,
    };
    let title = format!("The table {}", plan.name);
    page::render(&Study { title: &title, tables: vec![table], notes: studied.notes.clone() })
}

fn as_json(studied: &Studied) -> Value {
    let finding = |it: &Finding| {
        json!({
            "Rule": it.rule.id(), "Severity": it.rule.severity().word(), "Index": it.index,
            "Attribute": it.attribute, "Evidence": it.evidence, "Examples": it.examples, "Fix": it.fix,
        })
    };
    json!({
        "Table": studied.looked.facts,
        "Entities": studied.looked.entities,
        "Coverage": studied.coverage,
        "Findings": studied.findings.iter().map(finding).collect::<Vec<_>>(),
        "Prices": studied.prices,
        "Notes": studied.notes,
    })
}

fn tell(studied: &Studied, out: &Path) -> anyhow::Result<()> {
    let number =
        |number: usize, noun: &str| counted(u64::try_from(number).unwrap_or(u64::MAX), noun);
    let found = &studied.looked.entities;
    output::line(format_args!(
        "{}: {}, {}, {}, {} in {}",
        found.table,
        counted(found.items, "item"),
        number(found.entities.len(), "kind"),
        number(found.templates.len(), "template"),
        number(studied.findings.len(), "finding"),
        out.display()
    ))
}
