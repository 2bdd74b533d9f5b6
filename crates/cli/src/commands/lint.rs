//! `hashrange lint`: faults of keys that will hurt later, of tables in use or of a design in a
//! file.

mod design;
mod sample;

#[cfg(test)]
mod corpus;

use super::cost::{prices, read_recording, recorded_by};
use super::heat;
use super::key_parts::KeyParts;
use crate::advice;
use crate::arguments::{Format, Lint};
use crate::bulk::counted;
use crate::client::{Client, is_unknown};
use crate::config::ClientSettings;
use crate::exit::{CheckFailed, Usage};
use crate::initial::{self, Given};
use crate::output::{self, printer::Printer, table::shown};
use crate::surroundings::variable;
use hashrange::advisor::{Report as Advised, advise};
use hashrange::heat::PlaceHeat;
use hashrange_lint::{Finding, Severity, lint, lint_heat, lint_requests};
use serde_json::{Value, json};
use std::path::Path;

/// Examines tables of a database and prints the findings.
pub fn run(client: &mut Client, arguments: &Lint) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    client.leave_unrecorded();
    let names = match &arguments.tables[..] {
        [] => advice::table_names(client, usize::MAX)?,
        names => names.to_vec(),
    };
    // Requests come first: the reads of the tables below are requests, too.
    let advice = advice_of_requests(client, arguments)?;
    let heat = heat_of_keys(client, arguments)?;
    let mut report = Report::new(&printer);
    for name in names {
        let sample = sample::of(client, &name, arguments.sample)?;
        let mut findings = lint(&sample.table, &sample.items, &sample.collections);
        findings.extend(heat.iter().filter(|place| place.table == name).flat_map(lint_heat));
        findings.extend(advice.iter().flat_map(|advice| lint_requests(&name, advice)));
        name_parts(&mut findings, &KeyParts::of(client, &name)?);
        report.add(&sample.text(), &findings)?;
    }
    if let Some(text) = advice.iter().find_map(Advised::too_little_text) {
        report.note(&text)?;
    }
    report.end()
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
    let mut report = Report::new(&printer);
    let given = Given { region: &region, parameters: &arguments.parameter };
    let files = initial::definitions::read(&[file.to_owned()], given)?;
    let definitions: Vec<_> = files.into_iter().flat_map(|file| file.definitions).collect();
    let is_there = |name: &&String| definitions.iter().any(|known| known.name == **name);
    if let Some(name) = arguments.tables.iter().find(|name| !is_there(name)) {
        return Err(Usage(format!("{}: there is no table {name} in it", file.display())).into());
    }
    let is_wanted = |name| arguments.tables.is_empty() || arguments.tables.contains(name);
    for definition in definitions.iter().filter(|definition| is_wanted(&definition.name)) {
        let table = design::table(&Value::Object(definition.request.clone()));
        let items: Vec<_> = definition.items.iter().map(design::item).collect();
        let text = format!("{}: {} items of sample data", table.name, items.len());
        report.add(&text, &lint(&table, &items, &[]))?;
    }
    report.end()
}

/// Counts and settings of a report that prints table by table.
struct Report<'p> {
    printer: &'p Printer,
    /// Errors, warnings, suggestions.
    counts: [usize; 3],
}

impl<'p> Report<'p> {
    fn new(printer: &'p Printer) -> Self {
        Self { printer, counts: [0; 3] }
    }

    fn add(&mut self, text: &str, findings: &[Finding]) -> anyhow::Result<()> {
        for finding in findings {
            self.counts[place(finding.rule.severity())] += 1;
        }
        if self.printer.format != Format::Table {
            return findings.iter().map(as_json).try_for_each(output::line);
        }
        output::line(shown(text))?;
        for line in findings.iter().flat_map(lines) {
            output::line(line)?;
        }
        output::line("")
    }

    /// Prints a line to people.
    fn note(&self, text: &str) -> anyhow::Result<()> {
        if self.printer.format != Format::Table {
            return Ok(());
        }
        output::line(shown(text))?;
        output::line("")
    }

    /// Prints the number of findings, and fails if there are errors or warnings.
    fn end(self) -> anyhow::Result<()> {
        let counts = self.counts;
        let told: Vec<String> = counts
            .into_iter()
            .zip(["error", "warning", "suggestion"])
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| counted(count as u64, noun))
            .collect();
        let told = if told.is_empty() { "nothing found".to_owned() } else { told.join(", ") };
        if self.printer.format == Format::Table {
            output::line(&told)?;
        }
        let harmful = counts[place(Severity::Error)] + counts[place(Severity::Warning)];
        if harmful == 0 { Ok(()) } else { Err(CheckFailed(told).into()) }
    }
}

fn place(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Suggestion => 2,
    }
}

/// Returns the place of a finding: the table or index, and the attribute.
fn place_of(finding: &Finding) -> String {
    let source = finding.index.as_ref().map(|index| format!("{}.{index}", finding.table));
    let source = source.unwrap_or_else(|| finding.table.clone());
    match &finding.attribute {
        Some(attribute) => format!("{source}, {attribute}"),
        None => source,
    }
}

fn lines(finding: &Finding) -> Vec<String> {
    let severity = finding.rule.severity().word();
    let mut lines = vec![
        format!("  {severity}: {} ({})", finding.rule, shown(&place_of(finding))),
        format!("    {}", shown(&finding.evidence)),
    ];
    lines.extend(finding.examples.iter().map(|key| format!("      {}", shown(key))));
    lines.push(format!("    fix: {}", finding.fix));
    lines
}

fn as_json(finding: &Finding) -> String {
    let value = json!({
        "table": finding.table, "index": finding.index, "attribute": finding.attribute,
        "rule": finding.rule.id(), "severity": finding.rule.severity().word(),
        "evidence": finding.evidence, "examples": finding.examples, "fix": finding.fix,
    });
    value.to_string()
}
