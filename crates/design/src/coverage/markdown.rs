//! The matrix as Markdown.

use super::{Answer, Cell, Coverage, Row, TableCoverage};
use crate::words::{cell_text, counted};
use std::fmt::Write as _;

impl Coverage {
    /// Returns a table in Markdown for each table, with what is wrong and what is not used below it.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            table.write(&mut text);
        }
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| cell_text(name)).collect();
            writeln!(text, "Tables that are not known: {}.\n", names.join(", ")).ok();
        }
        if self.left_out > 0 {
            writeln!(text, "{} left out.\n", counted(self.left_out, "more pattern")).ok();
        }
        text
    }
}

impl TableCoverage {
    fn write(&self, text: &mut String) {
        let titles: Vec<String> = self.sources.iter().map(|it| cell_text(&it.title())).collect();
        writeln!(text, "## {}\n", cell_text(&self.table)).ok();
        if self.rows.is_empty() {
            writeln!(text, "No access pattern is of this table.\n").ok();
            return;
        }
        writeln!(text, "| access pattern | operation | {} |", titles.join(" | ")).ok();
        writeln!(text, "|---|---|{}", "---|".repeat(titles.len())).ok();
        for row in &self.rows {
            let cells: Vec<String> =
                row.cells.iter().enumerate().map(|(nth, cell)| row.text(nth, cell)).collect();
            let (name, operation) = (cell_text(&row.name), cell_text(&row.operation));
            writeln!(text, "| {name} | {operation} | {} |", cells.join(" | ")).ok();
        }
        text.push('\n');
        for row in &self.rows {
            if let Some(fault) = &row.fault {
                writeln!(text, "- **{}**: {}", cell_text(&row.name), cell_text(fault)).ok();
            }
        }
        if let Some(note) = self.units_note() {
            writeln!(text, "- {note}").ok();
        }
        for index in &self.unused {
            writeln!(text, "- no access pattern needs the index {}", cell_text(index)).ok();
        }
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
    }
}

impl Row {
    /// Returns a cell's text: its kind, the filter that is left, the units; in bold the best of the row.
    fn text(&self, nth: usize, cell: &Cell) -> String {
        let words = cell.words();
        let mut text = match cell.answer {
            Answer::No => return "-".to_owned(),
            _ if self.best == Some(nth) => format!("**{words}**"),
            _ => words.to_owned(),
        };
        if cell.answer == Answer::KeyAndFilter {
            write!(text, ": {}", cell_text(&cell.filter.join(" AND "))).ok();
        }
        match cell.read_units {
            Some(units) => write!(text, ", {} RU", units.text()).ok(),
            None => None,
        };
        if cell.is_fetched {
            text.push_str(", each item fetched from the table");
        }
        if !cell.assumes.is_empty() {
            write!(text, ", if the items have {}", cell_text(&cell.assumes.join(", "))).ok();
        }
        text
    }
}
