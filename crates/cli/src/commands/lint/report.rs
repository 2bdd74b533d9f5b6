//! The report of the linter: what is printed, and the files that are written beside it.

use super::design::keys_of;
use super::ignored::Ignored;
use super::written;
use crate::arguments::{Format, Lint};
use crate::bulk::counted;
use crate::exit::CheckFailed;
use crate::output::{self, printer::Printer, table::shown};
use anyhow::Context;
use hashrange_lint::{Finding, Severity};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A report that prints table by table, without findings that are known or ignored.
pub(super) struct Report<'p> {
    printer: &'p Printer,
    arguments: &'p Lint,
    ignored: Ignored,
    /// Errors, warnings, suggestions.
    counts: [usize; 3],
    /// Findings that are new, and all of them as lines of a new baseline.
    told: Vec<Finding>,
    all: Vec<String>,
    /// Findings below the severity that is reported.
    hidden: usize,
    /// Severity of the worst finding that is new.
    worst: Option<Severity>,
}

impl<'p> Report<'p> {
    pub(super) fn new(printer: &'p Printer, arguments: &'p Lint) -> anyhow::Result<Self> {
        let ignored = Ignored::read(arguments.baseline.as_deref(), arguments.ignores.as_deref())?;
        let (told, all) = (Vec::new(), Vec::new());
        Ok(Self { printer, arguments, ignored, counts: [0; 3], told, all, hidden: 0, worst: None })
    }

    /// Adds the findings of a table; `keys` are those of the sampled items.
    pub(super) fn add(
        &mut self,
        text: &str,
        found: &[Finding],
        keys: &[Value],
    ) -> anyhow::Result<()> {
        self.all.extend(found.iter().map(|finding| as_json(finding, keys)));
        let new: Vec<Finding> =
            found.iter().filter(|finding| !self.ignored.takes(finding)).cloned().collect();
        self.worst = self.worst.into_iter().chain(new.iter().map(|it| it.rule.severity())).min();
        let least = self.arguments.severity;
        let (findings, hidden): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|finding| least.includes(finding.rule.severity()));
        self.hidden += hidden.len();
        for finding in &findings {
            self.counts[place(finding.rule.severity())] += 1;
        }
        self.told.extend(findings.iter().cloned());
        if self.printer.format != Format::Table {
            return findings
                .iter()
                .map(|finding| as_json(finding, keys))
                .try_for_each(output::line);
        }
        output::line(shown(text))?;
        for line in findings.iter().flat_map(lines) {
            output::line(line)?;
        }
        output::line("")
    }

    /// Prints a line to people.
    pub(super) fn note(&self, text: &str) -> anyhow::Result<()> {
        if self.printer.format != Format::Table {
            return Ok(());
        }
        output::line(shown(text))?;
        output::line("")
    }

    /// Prints the number of findings and writes the files that were asked for; fails if a finding is as
    /// severe as the arguments say.
    pub(super) fn end(self) -> anyhow::Result<()> {
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
            if self.hidden > 0 {
                output::line(format_args!(
                    "{} below --severity",
                    counted(self.hidden as u64, "finding")
                ))?;
            }
            for line in self.ignored.summary() {
                output::line(shown(&line))?;
            }
        }
        let write = |file: &Option<PathBuf>, text: &dyn Fn() -> String| match file {
            Some(file) => fs::write(file, text()).with_context(|| file.display().to_string()),
            None => Ok(()),
        };
        write(&self.arguments.sarif, &|| {
            written::sarif(&self.told, self.arguments.design.as_deref())
        })?;
        write(&self.arguments.junit, &|| written::junit(&self.told))?;
        write(&self.arguments.write_baseline, &|| {
            self.all.iter().map(|line| line.clone() + "\n").collect()
        })?;
        let fail_on = self.arguments.fail_on;
        match self.worst.filter(|worst| fail_on.includes(*worst)) {
            None => Ok(()),
            Some(Severity::Error) => Err(CheckFailed::with_errors(told).into()),
            Some(Severity::Warning | Severity::Suggestion) => Err(CheckFailed::new(told).into()),
        }
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
pub(super) fn place_of(finding: &Finding) -> String {
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

/// Returns a finding as a line of JSON.
fn as_json(finding: &Finding, keys: &[Value]) -> String {
    let value = json!({
        "table": finding.table, "index": finding.index, "attribute": finding.attribute,
        "rule": finding.rule.id(), "severity": finding.rule.severity().word(),
        "evidence": finding.evidence, "examples": finding.examples, "keys": keys_of(finding, keys), "fix": finding.fix,
    });
    value.to_string()
}
