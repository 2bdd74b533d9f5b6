//! Access patterns from a designer's table, in CSV or in Markdown. Columns are found by their names.
//!
//! | column | other names | contents |
//! |---|---|---|
//! | Id | #, No, Number | a number or a word |
//! | Access pattern | Pattern, Description, Name, Need, Query, Use case | what is asked for |
//! | Table | Table name | the table; the only one if left out |
//! | Index | Source, GSI, Index name | the index; `-` or `table` for the table |
//! | Operation | Op, Api, Request | `Query` if left out, `Scan` if there is no key condition |
//! | Key condition | Keys, Key, Condition, Key conditions | `PK = USER#1 AND begins_with(SK, ORDER#)` |
//! | Filter | Filters, Filter expression | conditions after the range |
//!
//! | file | idea |
//! |---|---|
//! | `grid.rs` | lines and cells of CSV and Markdown |
//! | `condition.rs` | conditions as designers write them |

mod condition;
mod grid;

use grid::{Grid, Line};
use hashrange_cost::{AccessPattern, Pattern};
use std::collections::BTreeSet;
use std::fmt;

/// Largest table, in bytes.
pub const TABLE_MAX_BYTES: usize = 1 << 20;
/// Operations by name, and by the short names of designers.
const OPERATIONS: [(&str, &str); 16] = [
    ("query", "Query"),
    ("scan", "Scan"),
    ("get", "GetItem"),
    ("getitem", "GetItem"),
    ("put", "PutItem"),
    ("putitem", "PutItem"),
    ("update", "UpdateItem"),
    ("updateitem", "UpdateItem"),
    ("delete", "DeleteItem"),
    ("deleteitem", "DeleteItem"),
    ("batchgetitem", "BatchGetItem"),
    ("batchwriteitem", "BatchWriteItem"),
    ("transactgetitems", "TransactGetItems"),
    ("transactwriteitems", "TransactWriteItems"),
    ("executestatement", "ExecuteStatement"),
    ("partiql", "ExecuteStatement"),
];
/// Cells that mean nothing.
const NOTHING: [&str; 8] = ["", "-", "--", "n/a", "none", "\u{2013}", "\u{2014}", "/"];
/// Cells of the column Index that mean the table.
const THE_TABLE: [&str; 7] =
    ["table", "main", "base", "primary", "base table", "main table", "primary key"];

/// Fault of a designer's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFault {
    /// Line, from 1.
    pub line: usize,
    /// Column, by its name in the table.
    pub column: Option<String>,
    /// The fault.
    pub why: String,
}

impl fmt::Display for TableFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}", self.line)?;
        if let Some(column) = &self.column {
            write!(out, ", column {column}")?;
        }
        write!(out, ": {}", self.why)
    }
}

impl std::error::Error for TableFault {}

/// Columns, in the order of their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Id,
    Name,
    Table,
    Index,
    Operation,
    Keys,
    Filter,
}

impl Column {
    fn of(title: &str) -> Option<Self> {
        let plain: String = title.chars().filter(|it| it.is_alphanumeric() || *it == '#').collect();
        Some(match plain.to_lowercase().as_str() {
            "id" | "#" | "no" | "nr" | "number" => Self::Id,
            "accesspattern" | "accesspatterns" | "pattern" | "description" | "name" | "need"
            | "query" | "question" | "usecase" => Self::Name,
            "table" | "tablename" => Self::Table,
            "index" | "indexname" | "gsi" | "source" | "tableindex" | "tableorindex" => Self::Index,
            "operation" | "op" | "api" | "request" | "call" => Self::Operation,
            "keycondition"
            | "keyconditions"
            | "keyconditionexpression"
            | "keys"
            | "key"
            | "condition"
            | "conditions" => Self::Keys,
            "filter" | "filters" | "filterexpression" => Self::Filter,
            _ => return None,
        })
    }
}

/// Reads access patterns from a table in CSV or Markdown. `only_table` is the table of rows that name none.
pub fn read_table(text: &str, only_table: Option<&str>) -> Result<Vec<AccessPattern>, TableFault> {
    if text.len() > TABLE_MAX_BYTES {
        return Err(fault(1, format!("more than {TABLE_MAX_BYTES} bytes")));
    }
    let grids = grid::read(text, |title| Column::of(title).is_some())?;
    let readers = grids.iter().map(|Grid { header, lines }| {
        let columns = header.iter().map(|title| Column::of(title)).collect();
        (Reader { header, columns, only_table }, lines)
    });
    let readers: Vec<_> = readers.filter(|(reader, _)| reader.has_names()).collect();
    // Beside tables with conditions or operations, one that has neither is of something else.
    let has_requests = readers.iter().any(|(reader, _)| reader.has_requests());
    let mut names = BTreeSet::new();
    let mut patterns = Vec::new();
    for (reader, lines) in readers.iter().filter(|it| !has_requests || it.0.has_requests()) {
        let is_full = |line: &&Line| line.cells.iter().any(|cell| !cell.trim().is_empty());
        for line in lines.iter().filter(is_full) {
            let pattern = reader.pattern(line)?;
            if !names.insert(pattern.name.clone()) {
                let why = format!("a second access pattern is named {:?}", pattern.name);
                return Err(reader.fault(line, Column::Name, why));
            }
            patterns.push(pattern);
        }
    }
    if readers.is_empty() {
        let why = "no column is named Access pattern, Description or Id".to_owned();
        return Err(fault(1, why));
    }
    Ok(patterns)
}

fn fault(line: usize, why: String) -> TableFault {
    TableFault { line, column: None, why }
}

struct Reader<'r> {
    header: &'r [String],
    columns: Vec<Option<Column>>,
    only_table: Option<&'r str>,
}

impl Reader<'_> {
    fn has(&self, column: Column) -> bool {
        self.columns.contains(&Some(column))
    }

    fn has_names(&self) -> bool {
        self.has(Column::Name) || self.has(Column::Id)
    }

    fn has_requests(&self) -> bool {
        self.has(Column::Keys) || self.has(Column::Operation)
    }

    fn fault(&self, line: &Line, column: Column, why: String) -> TableFault {
        let nth = self.columns.iter().position(|known| *known == Some(column));
        let title = nth.and_then(|nth| self.header.get(nth)).cloned();
        TableFault { line: line.number, column: title, why }
    }

    /// Returns a cell without markup around it; none if it means nothing.
    fn cell<'l>(&self, line: &'l Line, column: Column) -> Option<&'l str> {
        let nth = self.columns.iter().position(|known| *known == Some(column))?;
        let text = line.cells.get(nth)?.trim();
        let bare = text.trim_matches('*').trim();
        let is_one_code = bare.len() > 1
            && bare.starts_with('`')
            && bare.ends_with('`')
            && bare.matches('`').count() == 2;
        let bare = if is_one_code { bare.trim_matches('`') } else { bare };
        (!NOTHING.contains(&bare.to_lowercase().as_str())).then_some(bare)
    }

    fn pattern(&self, line: &Line) -> Result<AccessPattern, TableFault> {
        let names = [self.cell(line, Column::Id), self.cell(line, Column::Name)];
        let name = names.into_iter().flatten().collect::<Vec<_>>().join(": ");
        if name.is_empty() {
            return Err(self.fault(
                line,
                Column::Name,
                "the access pattern has no name".to_owned(),
            ));
        }
        let Some(table) = self.cell(line, Column::Table).or(self.only_table) else {
            let why = "the access pattern names no table, and there is not just one".to_owned();
            return Err(self.fault(line, Column::Table, why));
        };
        let index = self.cell(line, Column::Index);
        let index =
            index.filter(|it| !THE_TABLE.contains(&it.to_lowercase().as_str()) && *it != table);
        let keys = self.conditions(line, Column::Keys)?;
        let filter = self.conditions(line, Column::Filter)?;
        let operation = self.operation(line, keys.is_some())?;
        let sections = [keys, filter.map(|filter| format!("FILTER {filter}"))];
        let text = sections.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let pattern = Pattern::read(&text)
            .map_err(|why| self.fault(line, Column::Keys, format!("{text}: {why}")))?;
        Ok(AccessPattern {
            name,
            operation: operation.to_owned(),
            table: table.to_owned(),
            index: index.map(str::to_owned),
            pattern: Some(pattern),
            most_units: None,
            example: None,
        })
    }

    fn conditions(&self, line: &Line, column: Column) -> Result<Option<String>, TableFault> {
        let Some(text) = self.cell(line, column) else { return Ok(None) };
        condition::canonical(text).map(Some).map_err(|why| self.fault(line, column, why))
    }

    fn operation(&self, line: &Line, has_keys: bool) -> Result<&'static str, TableFault> {
        let Some(text) = self.cell(line, Column::Operation) else {
            return Ok(if has_keys { "Query" } else { "Scan" });
        };
        let plain: String = text.chars().filter(|it| it.is_alphabetic()).collect();
        let plain = plain.to_lowercase();
        let known = OPERATIONS.iter().find(|(short, _)| *short == plain).map(|(_, name)| *name);
        known.ok_or_else(|| {
            let why = format!("{text:?} is no operation: Query, Scan, GetItem, PutItem and so on");
            self.fault(line, Column::Operation, why)
        })
    }
}
