//! Rows in aligned columns. Numbers stand to the right, control characters are escaped, so that
//! data cannot steer the terminal.
//!
//! On a terminal the widest columns give way until the table fits; where they would be too narrow to
//! read, each item stands as one attribute per line instead. Elsewhere every cell is whole.

use super::plain;
use super::screen::{Expanded, Screen, Style};
use super::terminal::{is_unsafe, push_escape};
use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The widest cell on a terminal unless the user asks for whole ones.
const CELL_MAX: usize = 48;
/// The narrowest column to which a column gives way.
const COLUMN_MIN: usize = 10;
/// Blanks between two columns.
const GAP: usize = 2;

/// A cell: its text and the side on which it stands.
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
        let cell = |text: String| Cell { text: shown(&text), to_the_right: false };
        self.rows.push(texts.into_iter().map(cell).collect());
    }

    /// Adds a row of texts, followed by figures, which stand to the right.
    pub fn add_figures(&mut self, texts: &[String], figures: &[String]) {
        let cell = |text: &String, to_the_right| Cell { text: shown(text), to_the_right };
        let texts = texts.iter().map(|text| cell(text, false));
        self.rows.push(texts.chain(figures.iter().map(|text| cell(text, true))).collect());
    }

    /// Returns the lines with whole cells: names, a rule, the rows.
    #[cfg(test)]
    fn lines(&self) -> Vec<String> {
        self.lines_on(&Screen::FILE)
    }

    /// Returns the lines in the layout of a screen.
    pub fn lines_on(&self, screen: &Screen) -> Vec<String> {
        let names: Vec<String> = self.columns.iter().map(|name| shown(name)).collect();
        let whole = self.widths(&names);
        let widths = match screen.expanded {
            Expanded::Always => None,
            Expanded::Never => Some(fitted(whole, screen, true)),
            Expanded::Auto => fitting(whole, screen),
        };
        match widths {
            Some(widths) => self.side_by_side(names, &widths, screen),
            None => self.one_below_the_other(&names, screen),
        }
    }

    fn widths(&self, names: &[String]) -> Vec<usize> {
        let mut widths: Vec<usize> = names.iter().map(|name| name.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        widths
    }

    fn side_by_side(&self, names: Vec<String>, widths: &[usize], screen: &Screen) -> Vec<String> {
        let heads: Vec<Cell> =
            names.into_iter().map(|text| Cell { text, to_the_right: false }).collect();
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        let mut lines = vec![
            screen.styled(Style::Heading, &aligned(&heads, widths)),
            screen.styled(Style::Frame, &rule.join(&" ".repeat(GAP))),
        ];
        lines.extend(self.rows.iter().map(|row| aligned(row, widths)));
        lines
    }

    /// Returns each row as lines of one attribute; those without a value are left out.
    fn one_below_the_other(&self, names: &[String], screen: &Screen) -> Vec<String> {
        let name_width = names.iter().map(|name| name.width().min(CELL_MAX)).max().unwrap_or(0);
        let value_width = match screen.width {
            Some(width) if !screen.is_full => {
                width.saturating_sub(name_width + GAP).max(COLUMN_MIN)
            }
            _ => usize::MAX,
        };
        let mut lines = Vec::new();
        for (nth, row) in self.rows.iter().enumerate() {
            let title = format!("── {} ", nth + 1);
            let rest = screen.width.unwrap_or(CELL_MAX).min(CELL_MAX);
            let rule = "─".repeat(rest.saturating_sub(title.width()));
            lines.push(screen.styled(Style::Frame, &format!("{title}{rule}")));
            for (name, cell) in names.iter().zip(row).filter(|(_, cell)| !cell.text.is_empty()) {
                let name = padded(&cut(name, name_width), name_width);
                let value = cut(&cell.text, value_width);
                lines.push(format!("{}  {value}", screen.styled(Style::Heading, &name)));
            }
        }
        lines
    }
}

/// Returns widths with which all columns fit on a screen, if they are wide enough to read.
fn fitting(whole: Vec<usize>, screen: &Screen) -> Option<Vec<usize>> {
    let Some(width) = screen.width else { return Some(whole) };
    let total =
        |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if screen.is_full {
        return (total(&whole) <= width).then_some(whole);
    }
    let widths = fitted(whole, screen, false);
    (total(&widths) <= width).then_some(widths)
}

/// Returns widths of which the widest give way until all columns fit, or none can give way any
/// more.
fn fitted(mut widths: Vec<usize>, screen: &Screen, keep_whole: bool) -> Vec<usize> {
    let Some(screen_width) = screen.width.filter(|_| !(keep_whole && screen.is_full)) else {
        return widths;
    };
    for width in &mut widths {
        *width = (*width).min(CELL_MAX);
    }
    let room = screen_width.saturating_sub(GAP * widths.len().saturating_sub(1));
    // The widest columns share the missing width: find the width that none may pass.
    let used = |most: usize| widths.iter().map(|&width| width.min(most)).sum::<usize>();
    let most = (COLUMN_MIN..=CELL_MAX).rev().find(|&most| used(most) <= room);
    let most = most.unwrap_or(COLUMN_MIN);
    let mut spare = room.saturating_sub(used(most));
    for width in &mut widths {
        if *width > most {
            let more = usize::from(spare > 0);
            spare -= more;
            *width = most + more;
        }
    }
    widths
}

fn aligned(row: &[Cell], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        let text = cut(&cell.text, *width);
        let gap = " ".repeat(width.saturating_sub(text.width()));
        let (left, right) =
            if cell.to_the_right { (gap, String::new()) } else { (String::new(), gap) };
        line.push_str(&left);
        line.push_str(&text);
        line.push_str(&right);
        line.push_str(&" ".repeat(GAP));
    }
    line.truncate(line.trim_end().len());
    line
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn cell(value: &Value) -> Cell {
    let text = match value.get("S").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => plain::value(value),
    };
    Cell { text: shown(&text), to_the_right: value.get("N").is_some() }
}

/// Returns the beginning of a text that is wider than a cell, with a sign that the rest is cut off.
pub fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut width = 1;
    for character in text.chars() {
        width += character.width().unwrap_or(0);
        if width > most {
            break;
        }
        out.push(character);
    }
    out.push('…');
    out
}

/// Returns the text without control characters.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_unsafe(character) => push_escape(&mut out, character),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NARROW: Screen =
        Screen { width: Some(40), is_full: false, expanded: Expanded::Auto, ..Screen::FILE };

    fn table(items: &[Value]) -> Table {
        let mut table = Table::new(&[]);
        for item in items {
            table.add_item(item.as_object().unwrap());
        }
        table
    }

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
        let item = json!({"a\u{1b}[2J": {"S": "\u{1b}]0;x\u{7}\r\n\u{202e}"}});
        let lines = table(&[item]).lines();
        assert_eq!(lines[0].trim_end(), "a\\u001b[2J");
        assert_eq!(lines[2], "\\u001b]0;x\\u0007\\u000d\\n\\u202e");
    }

    #[test]
    fn cells_are_whole_in_a_file_and_cut_on_a_terminal() {
        let long = table(&[json!({"a": {"S": "x".repeat(1000)}})]);
        assert_eq!(long.lines()[2], "x".repeat(1000));
        let wide = Screen { width: Some(200), ..NARROW };
        assert_eq!(long.lines_on(&wide)[2], format!("{}…", "x".repeat(47)));
        assert_eq!(long.lines_on(&NARROW)[2], format!("{}…", "x".repeat(39)));
        let japanese = table(&[json!({"a": {"S": "日本".repeat(30)}})]);
        assert_eq!(japanese.lines_on(&NARROW)[2].width(), 39, "half a character is none");
    }

    #[test]
    fn the_widest_columns_give_way() {
        let item =
            json!({"id": {"S": "7"}, "a": {"S": "x".repeat(30)}, "b": {"S": "y".repeat(20)}});
        let lines = table(&[item]).lines_on(&NARROW);
        assert_eq!(lines[2], format!("7   {}…  {}…", "x".repeat(16), "y".repeat(16)));
    }

    #[test]
    fn what_does_not_fit_stands_one_below_the_other() {
        let long = |name: &str| (name.to_owned(), json!({"S": "v".repeat(50)}));
        let item = Value::Object(["a", "bb", "c", "d"].map(long).into_iter().collect());
        let few = table(&[item, json!({"a": {"N": "1"}})]);
        let lines = few.lines_on(&NARROW);
        assert_eq!(lines[0], format!("── 1 {}", "─".repeat(35)));
        assert_eq!(lines[1], format!("a   {}…", "v".repeat(35)));
        assert_eq!(lines[5..], [format!("── 2 {}", "─".repeat(35)), "a   1".to_owned()]);
        let whole = few.lines_on(&Screen { is_full: true, ..NARROW });
        assert_eq!(whole[2], format!("bb  {}", "v".repeat(50)));
        let never = few.lines_on(&Screen { expanded: Expanded::Never, ..NARROW });
        assert_eq!(never[2].width(), 4 * COLUMN_MIN + 3 * GAP);
        let always = table(&[json!({"a": {"N": "1"}})]);
        let always = always.lines_on(&Screen { expanded: Expanded::Always, ..Screen::FILE });
        assert_eq!(always[1], "a  1");
    }
}
