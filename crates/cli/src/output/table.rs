//! Rows in aligned columns. Numbers stand to the right, control characters are shown escaped, so
//! that data cannot steer the terminal.

use super::plain;
use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr;

/// The widest cell; longer text is cut.
const CELL_MAX: usize = 48;

/// A cell: its text and on which side it stands.
#[derive(Debug, Clone, Default)]
struct Cell {
    text: String,
    to_the_right: bool,
}

/// A table being built.
#[derive(Debug)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Returns an empty table whose first columns have these names.
    pub fn new(columns: &[String]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds an item in DynamoDB's JSON; attributes without a column get one.
    pub fn add_item(&mut self, item: &Map<String, Value>) {
        let mut row = vec![Cell::default(); self.columns.len()];
        for (name, value) in item {
            let cell = cell(value);
            if let Some(nth) = self.columns.iter().position(|column| column == name) {
                row[nth] = cell;
            } else {
                self.columns.push(name.clone());
                row.push(cell);
            }
        }
        self.rows.push(row);
    }

    /// Adds a row for one attribute: name, type, value.
    pub fn add_attribute(&mut self, name: &str, value: &Value) {
        let tag = value.as_object().and_then(|typed| typed.keys().next());
        let plain = |text: &str| Cell { text: shown(text), to_the_right: false };
        let value = Cell { to_the_right: false, ..cell(value) };
        self.rows.push(vec![plain(name), plain(tag.map_or("", String::as_str)), value]);
    }

    /// Adds a row of texts.
    pub fn add_texts<const N: usize>(&mut self, texts: [String; N]) {
        let cell = |text| Cell { text, to_the_right: false };
        self.rows.push(texts.into_iter().map(cell).collect());
    }

    /// Returns the lines: names, a rule, the rows.
    pub fn lines(&self) -> Vec<String> {
        let names: Vec<String> = self.columns.iter().map(|name| shown(name)).collect();
        let mut widths: Vec<usize> = names.iter().map(|name| name.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        let heads: Vec<Cell> =
            names.into_iter().map(|text| Cell { text, to_the_right: false }).collect();
        let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("  ");
        let mut lines = vec![aligned(&heads, &widths), rule];
        lines.extend(self.rows.iter().map(|row| aligned(row, &widths)));
        lines
    }
}

fn aligned(row: &[Cell], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        let gap = " ".repeat(width.saturating_sub(cell.text.width()));
        let (left, right) =
            if cell.to_the_right { (gap, String::new()) } else { (String::new(), gap) };
        line.push_str(&left);
        line.push_str(&cell.text);
        line.push_str(&right);
        line.push_str("  ");
    }
    line.truncate(line.trim_end().len());
    line
}

fn cell(value: &Value) -> Cell {
    let text = match value.get("S").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => plain::value(value),
    };
    Cell { text: shown(&text), to_the_right: value.get("N").is_some() }
}

/// Returns the text without control characters, cut to the widest cell.
fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for character in text.chars() {
        let piece = match character {
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            _ if is_unsafe(character) => format!("\\u{{{:x}}}", u32::from(character)),
            _ => character.to_string(),
        };
        width += piece.width();
        if width > CELL_MAX {
            out.push('…');
            break;
        }
        out.push_str(&piece);
    }
    out
}

/// Returns true for characters that move the cursor, change colours or turn the writing round.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_are_aligned_and_follow_the_keys() {
        let mut table = Table::new(&["sk".to_owned()]);
        for item in [
            json!({"n": {"N": "5"}, "sk": {"S": "a"}}),
            json!({"sk": {"S": "日本"}, "n": {"N": "100"}, "x": {"BOOL": true}}),
            json!({"sk": {"S": "c"}}),
        ] {
            table.add_item(item.as_object().unwrap());
        }
        let expected = ["sk    n    x", "────  ───  ────", "a       5", "日本  100  true", "c"];
        assert_eq!(table.lines(), expected);
    }

    #[test]
    fn data_cannot_steer_the_terminal() {
        let mut table = Table::new(&[]);
        let item = json!({"a\u{1b}[2J": {"S": "\u{1b}]0;x\u{7}\r\n\u{202e}"}});
        table.add_item(item.as_object().unwrap());
        let lines = table.lines();
        assert_eq!(lines[0].trim_end(), "a\\u{1b}[2J");
        assert_eq!(lines[2], "\\u{1b}]0;x\\u{7}\\u{d}\\n\\u{202e}");
    }

    #[test]
    fn long_cells_are_cut() {
        let mut table = Table::new(&[]);
        table.add_item(json!({"a": {"S": "x".repeat(1000)}}).as_object().unwrap());
        assert_eq!(table.lines()[2], format!("{}…", "x".repeat(48)));
    }
}
