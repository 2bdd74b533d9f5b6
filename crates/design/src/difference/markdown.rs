//! The difference as Markdown, for a pull request.

use super::{Change, Difference, Effect, Kind, TableDifference};
use crate::words::{cell_text, count, counted};
use hashrange_cost::units;
use std::fmt::Write as _;

impl Difference {
    /// Returns a summary, and a table of changes for each table that differs.
    pub fn to_markdown(&self) -> String {
        if self.is_empty() {
            return "The designs are the same.\n".to_owned();
        }
        let mut text = format!("{}\n\n", self.summary());
        for table in &self.tables {
            table.write(&mut text);
        }
        text
    }

    fn summary(&self) -> String {
        let of_kind = |kind: Kind, word: &str| {
            let number = self.tables.iter().filter(|table| table.kind == kind).count();
            (number > 0).then(|| format!("{} {word}", counted(count(number), "table")))
        };
        let kinds = [
            of_kind(Kind::Added, "added"),
            of_kind(Kind::Removed, "removed"),
            of_kind(Kind::Changed, "changed"),
        ];
        let mut summary = kinds.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let new = self.new_tables().count();
        if new > 0 {
            let verb = if new == 1 { "needs" } else { "need" };
            write!(summary, "; **{} {verb} a new table**", counted(count(new), "change")).ok();
        }
        let changes = self.tables.iter().flat_map(|table| &table.changes);
        let writes: Vec<Option<f64>> = changes
            .filter_map(|change| match change.effect {
                Effect::Writes { most } => Some(most),
                _ => None,
            })
            .collect();
        if !writes.is_empty() {
            let sum: Option<f64> = writes.into_iter().sum();
            match sum {
                Some(sum) => {
                    write!(summary, "; at most {} write units in the background", units(sum)).ok()
                }
                None => write!(summary, "; writes in the background, of unknown number").ok(),
            };
        }
        summary + "."
    }
}

impl TableDifference {
    fn write(&self, text: &mut String) {
        let kind = match self.kind {
            Kind::Added => " (added)",
            Kind::Removed => " (removed)",
            Kind::Changed => "",
        };
        // Writing to a String cannot fail.
        writeln!(text, "### {}{kind}\n", cell_text(&self.table)).ok();
        if self.kind == Kind::Changed {
            writeln!(text, "| part | before | after | what it takes |\n|---|---|---|---|").ok();
            for change in &self.changes {
                let side = |side: &Option<String>| {
                    side.as_deref().map_or_else(|| "-".to_owned(), cell_text)
                };
                let (before, after) = (side(&change.before), side(&change.after));
                let part = cell_text(&change.part);
                writeln!(text, "| {part} | {before} | {after} | {} |", change.takes()).ok();
            }
        } else {
            for change in &self.changes {
                let side = change.before.as_deref().or(change.after.as_deref()).unwrap_or_default();
                writeln!(text, "- {}: {}", cell_text(&change.part), cell_text(side)).ok();
            }
        }
        text.push('\n');
    }
}

impl Change {
    /// Returns what a change takes, in words.
    pub fn takes(&self) -> String {
        let at_most = |most: Option<f64>| match most {
            Some(most) => format!("at most {} write units", units(most)),
            None => "an unknown number of write units".to_owned(),
        };
        let effect = match self.effect {
            Effect::InPlace => "in place".to_owned(),
            Effect::Writes { most } => format!("in the background, {}", at_most(most)),
            Effect::NewTable { most } => format!("**a new table**, {}", at_most(most)),
            Effect::Told => String::new(),
        };
        let parts = [Some(effect).filter(|it| !it.is_empty()), self.note.as_deref().map(cell_text)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
