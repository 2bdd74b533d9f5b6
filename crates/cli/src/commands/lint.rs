//! `hashrange lint`: faults of keys that will hurt later, of tables in use or of a design in a
//! file.

pub mod design;
mod ignored;
mod report;
mod sample;
mod written;

#[cfg(test)]
mod corpus;

use super::cost::{prices, read_recording, recorded_by};
use super::heat;
use super::import;
use super::key_parts::KeyParts;
use crate::advice;
use crate::arguments::Lint;
use crate::client::{Client, is_unknown};
use crate::config::ClientSettings;
use crate::exit::Usage;
use crate::initial::{self, Definition, Given};
use crate::output::printer::Printer;
use crate::surroundings::variable;
use anyhow::Context;
use hashrange::advisor::{Report as Advised, advise};
use hashrange::heat::PlaceHeat;
use hashrange::{Database, Operation};
use hashrange_lint::{Finding, lint, lint_heat, lint_requests};
use report::Report;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Examines tables of a database and prints the findings.
pub fn run(client: &mut Client, arguments: &Lint) -> anyhow::Result<()> {
    client.leave_unrecorded();
    let names = match &arguments.tables[..] {
        [] => advice::table_names(client, usize::MAX)?,
        names => names.to_vec(),
    };
    examine(client, arguments, names)
}

fn examine(client: &mut Client, arguments: &Lint, names: Vec<String>) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    // Requests come first: the reads of the tables below are requests, too.
    let advice = advice_of_requests(client, arguments)?;
    let heat = heat_of_keys(client, arguments)?;
    let mut report = Report::new(&printer, arguments)?;
    for name in names {
        let sample = sample::of(client, &name, arguments.sample)?;
        let mut findings = lint(&sample.table, &sample.items, &sample.collections);
        findings.extend(heat.iter().filter(|place| place.table == name).flat_map(lint_heat));
        findings.extend(advice.iter().flat_map(|advice| lint_requests(&name, advice)));
        name_parts(&mut findings, &KeyParts::of(client, &name)?);
        report.add(&sample.text(), &findings, &sample.keys)?;
    }
    if let Some(text) = advice.iter().find_map(Advised::too_little_text) {
        report.note(&text)?;
    }
    report.end()
}

/// Returns the findings of a table's definition and of a sample of its items.
pub fn findings_of(client: &mut Client, name: &str, most: u64) -> anyhow::Result<Vec<Finding>> {
    let sample = sample::of(client, name, most)?;
    Ok(lint(&sample.table, &sample.items, &sample.collections))
}

/// Returns advice on the requests in files, or on those that the server has recorded; none if
/// nothing was recorded.
fn advice_of_requests(client: &mut Client, arguments: &Lint) -> anyhow::Result<Option<Advised>> {
    let recording = match (&arguments.recording[..], &client) {
        ([], Client::Local(_)) => return Ok(None),
        ([], _) => match recorded_by(client, "DescribeRecording") {
            Ok((_, recording)) => recording,
            Err(error) if is_unknown(&error) => return Ok(None),
            Err(error) => return Err(error),
        },
        (files, _) => read_recording(files)?,
    };
    if recording.rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(advise(&recording, &prices(None, &arguments.connection)?)))
}

/// Adds the parts of keys to the findings about them.
fn name_parts(findings: &mut [Finding], parts: &KeyParts) {
    for finding in findings {
        let Some(attribute) = &finding.attribute else { continue };
        for key in &mut finding.examples {
            if let Some(parts) = parts.of_value(attribute, key) {
                key.extend(["  ", &parts]);
            }
        }
    }
}

/// Returns the heat of keys in files, or that of the server, which may be empty.
fn heat_of_keys(client: &mut Client, arguments: &Lint) -> anyhow::Result<Vec<PlaceHeat>> {
    if let ([], Client::Local(_)) = (&arguments.heat[..], &client) {
        return Ok(Vec::new());
    }
    if arguments.heat.is_empty() {
        return match heat::pages(client, json!({})) {
            Err(error) if is_unknown(&error) => Ok(Vec::new()),
            seen => seen,
        };
    }
    let mut places = Vec::new();
    for file in &arguments.heat {
        heat::add(&mut places, heat::read(file)?);
    }
    Ok(places)
}

/// Examines the designs in a file and prints the findings.
pub fn run_on_design(arguments: &Lint, file: &Path) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    let region = ClientSettings::resolve(&arguments.connection, variable)?.region;
    let mut report = Report::new(&printer, arguments)?;
    let given = Given { region: &region, parameters: &arguments.parameter };
    let files = initial::definitions::read(&[file.to_owned()], given)?;
    let definitions: Vec<_> = files.into_iter().flat_map(|file| file.definitions).collect();
    if let Some(export) = &arguments.export {
        return run_on_export(arguments, definitions, file, export);
    }
    let is_there = |name: &&String| definitions.iter().any(|known| known.name == **name);
    if let Some(name) = arguments.tables.iter().find(|name| !is_there(name)) {
        return Err(Usage(format!("{}: there is no table {name} in it", file.display())).into());
    }
    let is_wanted = |name| arguments.tables.is_empty() || arguments.tables.contains(name);
    for definition in definitions.iter().filter(|definition| is_wanted(&definition.name)) {
        let table = design::table(&Value::Object(definition.request.clone()));
        let most = usize::try_from(arguments.sample).unwrap_or(usize::MAX);
        let items: Vec<_> = definition.items.iter().take(most).map(design::item).collect();
        let keys: Vec<_> =
            definition.items.iter().take(most).map(|item| design::key(&table, item)).collect();
        let text = format!("{}: {} items of sample data", table.name, items.len());
        report.add(&text, &lint(&table, &items, &[]), &keys)?;
    }
    report.end()
}

/// Examines the items of an export by the design of its table: loads them into a database in memory.
fn run_on_export(
    arguments: &Lint,
    definitions: Vec<Definition>,
    design: &Path,
    export: &Path,
) -> anyhow::Result<()> {
    let mut wanted = definitions
        .into_iter()
        .filter(|it| arguments.tables.is_empty() || arguments.tables.contains(&it.name));
    let (Some(definition), None) = (wanted.next(), wanted.next()) else {
        let why = format!("{}: name the one table of the export", design.display());
        return Err(Usage(why).into());
    };
    let mut client = Client::Local(Database::memory().blocking());
    client.call(Operation::CreateTable, &Value::Object(definition.request))?;
    import::whole_files(&mut client, &definition.name, files_of(export)?)?;
    examine(&mut client, arguments, vec![definition.name])
}

/// Returns the files with the items of an export: a file, or those in a folder, but for its manifests.
pub fn files_of(export: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let named = || export.display().to_string();
    if !export.is_dir() {
        return Ok(vec![export.to_owned()]);
    }
    let (mut folders, mut files) = (vec![export.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(named)? {
            let path = entry.with_context(named)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let has_items = [".json", ".json.gz", ".jsonl", ".jsonl.gz", ".csv", ".csv.gz"];
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file()
                && !name.starts_with("manifest-")
                && has_items.iter().any(|it| name.ends_with(it))
            {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(Usage(format!("{}: there are no files of items in it", named())).into());
    }
    files.sort();
    Ok(files)
}
