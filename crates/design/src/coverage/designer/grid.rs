//! Lines and cells of a table in CSV or Markdown.

use super::{TableFault, fault};

/// Most lines of a table.
const LINES_MAX: usize = 10_000;
/// Most cells of a line.
const CELLS_MAX: usize = 200;

/// A table.
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) lines: Vec<Line>,
}

/// A line, with its number in the file from 1.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) cells: Vec<String>,
}

/// Reads all tables in Markdown whose header has a known column, or else the text as CSV.
pub(super) fn read(text: &str, is_known: impl Fn(&str) -> bool) -> Result<Vec<Grid>, TableFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let grids = markdown(text, &is_known)?;
    if grids.is_empty() { csv(text, &is_known).map(|grid| vec![grid]) } else { Ok(grids) }
}

fn bounded(grid: Grid) -> Result<Grid, TableFault> {
    if grid.lines.len() > LINES_MAX {
        return Err(fault(LINES_MAX, format!("more than {LINES_MAX} lines")));
    }
    let longest = grid.lines.iter().find(|line| line.cells.len() > CELLS_MAX);
    if let Some(line) = longest {
        return Err(fault(line.number, format!("more than {CELLS_MAX} cells")));
    }
    // Empty cells at the end of a line say nothing.
    let columns = grid.header.len();
    let beyond = |line: &&Line| line.cells.iter().skip(columns).any(|cell| !cell.is_empty());
    match grid.lines.iter().find(beyond) {
        Some(line) => {
            Err(fault(line.number, format!("more cells than the {columns} of the header")))
        }
        None => Ok(grid),
    }
}

/// Returns the tables in Markdown with a known column.
fn markdown(text: &str, is_known: impl Fn(&str) -> bool) -> Result<Vec<Grid>, TableFault> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &str| {
        line.contains('-') && line.chars().all(|it| matches!(it, '|' | '-' | ':' | ' ' | '\t'))
    };
    let (mut grids, mut nth) = (Vec::new(), 0);
    while let Some([head, rule]) = lines.get(nth..nth + 2) {
        if !head.contains('|') || !is_rule(rule) {
            nth += 1;
            continue;
        }
        let header = row(head);
        let body = lines.iter().enumerate().skip(nth + 2);
        let body = body.take_while(|(_, line)| line.contains('|'));
        let body = body.map(|(nth, line)| Line { number: nth + 1, cells: row(line) });
        let grid = Grid { header, lines: body.collect() };
        nth += 2 + grid.lines.len();
        if grid.header.iter().any(|it| is_known(it)) {
            grids.push(grid);
        }
    }
    // Faults are those of tables of access patterns only.
    grids.into_iter().map(bounded).collect()
}

/// Divides a line of Markdown at bars that are neither escaped nor code.
fn row(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(line);
    let (mut cells, mut cell, mut is_code, mut is_escaped) =
        (Vec::new(), String::new(), false, false);
    for character in line.chars() {
        match character {
            '|' if is_escaped => {
                cell.pop();
                cell.push('|');
            }
            '|' if !is_code => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            other => {
                is_code ^= other == '`';
                cell.push(other);
            }
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    cells.push(cell.trim().to_owned());
    cells
}

/// Reads CSV; its delimiter is the one that divides the header into the most known columns.
fn csv(text: &str, is_known: impl Fn(&str) -> bool) -> Result<Grid, TableFault> {
    let known = |delimiter: char| {
        let header = text.lines().next().unwrap_or_default();
        header.split(delimiter).filter(|it| is_known(it.trim().trim_matches('"'))).count()
    };
    let delimiter = [',', ';', '\t'].into_iter().max_by_key(|it| known(*it)).unwrap_or(',');
    if known(delimiter) == 0 {
        let why = "neither CSV nor a table in Markdown with the columns of access patterns";
        return Err(fault(1, why.to_owned()));
    }
    let mut lines = records(text, delimiter)?;
    if lines.is_empty() {
        return Err(fault(1, "the table has no header".to_owned()));
    }
    let header = lines.remove(0).cells;
    bounded(Grid { header, lines })
}

/// Divides CSV into lines of cells. Source: RFC 4180.
fn records(text: &str, delimiter: char) -> Result<Vec<Line>, TableFault> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let (mut number, mut began, mut is_quoted, mut opened) = (1, 1, false, 1);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                is_quoted = true;
                opened = number;
            }
            '\n' if !is_quoted => {
                cells.push(std::mem::take(&mut cell).trim().to_owned());
                lines.push(Line { number: began, cells: std::mem::take(&mut cells) });
                began = number + 1;
            }
            '\r' if !is_quoted => {}
            other if other == delimiter && !is_quoted => {
                cells.push(std::mem::take(&mut cell).trim().to_owned());
            }
            other => cell.push(other),
        }
        number += usize::from(character == '\n');
    }
    if is_quoted {
        return Err(fault(opened, "a quote is not closed".to_owned()));
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell.trim().to_owned());
        lines.push(Line { number: began, cells });
    }
    Ok(lines)
}
