//! Findings that are not reported: those of a baseline, which were there before, and those that somebody
//! has decided to ignore, each for a reason.

use crate::exit::Usage;
use anyhow::{Context, ensure};
use hashrange_lint::Finding;
use serde::Deserialize;
use std::cell::Cell;
use std::fs;
use std::path::Path;

/// Largest file that is read.
const FILE_MAX_BYTES: u64 = 16 << 20;

/// A finding of a baseline: its rule and place.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Known {
    rule: String,
    table: String,
    index: Option<String>,
    attribute: Option<String>,
}

/// Findings to ignore: those of a rule, in a table, an index and an attribute if these are given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ignore {
    rule: String,
    table: Option<String>,
    index: Option<String>,
    attribute: Option<String>,
    /// Why they are no harm.
    reason: String,
    #[serde(skip)]
    count: Cell<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ignores {
    #[serde(default)]
    ignore: Vec<Ignore>,
}

/// The findings that are not reported.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    known: Vec<Known>,
    known_count: Cell<usize>,
    ignores: Vec<Ignore>,
}

impl Ignored {
    /// Reads a baseline, which `--write-baseline` has written, and a file of ignores in TOML.
    pub(super) fn read(baseline: Option<&Path>, ignores: Option<&Path>) -> anyhow::Result<Self> {
        let mut ignored = Self::default();
        if let Some(file) = baseline {
            let text = text_of(file)?;
            let lines = text.lines().filter(|line| !line.trim().is_empty()).enumerate();
            for (nth, line) in lines {
                let known = serde_json::from_str(line);
                let known = known.with_context(|| format!("{}:{}", file.display(), nth + 1))?;
                ignored.known.push(known);
            }
        }
        if let Some(file) = ignores {
            let read: Ignores =
                toml::from_str(&text_of(file)?).with_context(|| file.display().to_string())?;
            let empty = read.ignore.iter().find(|it| it.reason.trim().is_empty());
            if let Some(Ignore { rule, .. }) = empty {
                let why = format!("{}: {rule} is ignored without a reason", file.display());
                return Err(Usage(why).into());
            }
            ignored.ignores = read.ignore;
        }
        Ok(ignored)
    }

    /// Returns whether a finding is known or ignored, and counts it.
    pub(super) fn takes(&self, finding: &Finding) -> bool {
        if let Some(ignore) = self.ignores.iter().find(|it| it.is_of(finding)) {
            ignore.count.set(ignore.count.get() + 1);
            return true;
        }
        let is_known = self.known.iter().any(|known| known.is_of(finding));
        self.known_count.set(self.known_count.get() + usize::from(is_known));
        is_known
    }

    /// Returns what was not reported, in lines.
    pub(super) fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.known_count.get() > 0 {
            lines.push(format!("{} of the baseline are not shown", self.known_count.get()));
        }
        for Ignore { rule, reason, count, .. } in &self.ignores {
            lines.push(match count.get() {
                0 => format!("{rule} is ignored, and not found any more: {reason}"),
                count => format!("{count} of {rule} ignored: {reason}"),
            });
        }
        lines
    }
}

impl Known {
    fn is_of(&self, finding: &Finding) -> bool {
        self.rule == finding.rule.id()
            && self.table == finding.table
            && self.index == finding.index
            && self.attribute == finding.attribute
    }
}

impl Ignore {
    fn is_of(&self, finding: &Finding) -> bool {
        let is = |wanted: &Option<String>, found: Option<&String>| {
            wanted.as_ref().is_none_or(|wanted| Some(wanted) == found)
        };
        self.rule == finding.rule.id()
            && is(&self.table, Some(&finding.table))
            && is(&self.index, finding.index.as_ref())
            && is(&self.attribute, finding.attribute.as_ref())
    }
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    let named = || file.display().to_string();
    let bytes = fs::metadata(file).with_context(named)?.len();
    ensure!(bytes <= FILE_MAX_BYTES, "{}: it is too large", file.display());
    fs::read_to_string(file).with_context(named)
}
