//! Coverage: access patterns against the table's key and each index. A cell says whether a read by that key answers
//! the pattern, with which conditions in the key and which left as a filter, and what it costs.
//!
//! | file | idea |
//! |---|---|
//! | `cell.rs` | one access pattern against one key |
//! | `estimate.rs` | read units of a read, as an interval |
//! | `designer/` | access patterns from a designer's table in CSV or Markdown |
//! | `markdown.rs` | the matrix as Markdown |
//!
//! Left to others: which conditions a key answers (the crate `advisor`), patterns, contracts and recordings (`cost`).

mod cell;
mod designer;
mod estimate;
mod markdown;

pub use cell::{Answer, Cell};
pub use designer::{TABLE_MAX_BYTES, TableFault, read_table};
pub use estimate::Units;

use hashrange_cost::{AccessPattern, Contract, KeyElement, Recording, TableFacts, key_names};
use serde::Serialize;

/// Most access patterns that are covered; the rest is counted.
pub const PATTERNS_MAX: usize = 2000;

/// A matrix for each table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Coverage {
    /// Tables, in the order in which they were given.
    pub tables: Vec<TableCoverage>,
    /// Names of access patterns whose table is not known, each with it.
    pub unknown: Vec<String>,
    /// Number of access patterns beyond [`PATTERNS_MAX`].
    pub left_out: u64,
}

/// Access patterns of one table against its keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableCoverage {
    /// The table.
    pub table: String,
    /// Keys: that of the table, then those of its indexes.
    pub sources: Vec<SourceKey>,
    /// Mean bytes of an item, from which read units are estimated; none if sizes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_item_bytes: Option<f64>,
    /// The access patterns, in their order.
    pub rows: Vec<Row>,
    /// Indexes that no pattern asks for and none needs.
    pub unused: Vec<String>,
}

/// A key that a request may read by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct SourceKey {
    /// The index; none for the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// True for a local index.
    pub is_local: bool,
    /// Attributes of its partition key.
    pub partition: Vec<String>,
    /// Attributes of its sort key.
    pub sort: Vec<String>,
}

/// An access pattern, and a cell for each key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The operation.
    pub operation: String,
    /// The index that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Its pattern as text; none if it allows any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// A cell for each key, in the order of the keys.
    pub cells: Vec<Cell>,
    /// Offset of the cell that answers it best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<usize>,
    /// What is wrong with the key that it asks for, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Returns the access patterns of a recording: one for each kind of its requests.
pub fn of_recording(recording: &Recording) -> Vec<AccessPattern> {
    let mut contract = Contract::new();
    contract.learn(recording);
    contract.patterns
}

/// Returns the coverage of access patterns by tables.
pub fn cover(tables: &[TableFacts], patterns: &[AccessPattern]) -> Coverage {
    let taken = patterns.get(..PATTERNS_MAX).unwrap_or(patterns);
    let is_known = |pattern: &&AccessPattern| {
        tables.iter().any(|facts| facts.table == pattern.table && facts.definition.is_some())
    };
    let unknown = taken.iter().filter(|pattern| !is_known(pattern));
    Coverage {
        tables: tables.iter().filter_map(|facts| of_table(facts, taken)).collect(),
        unknown: unknown.map(|pattern| format!("{} ({})", pattern.name, pattern.table)).collect(),
        left_out: crate::words::count(patterns.len() - taken.len()),
    }
}

fn of_table(facts: &TableFacts, patterns: &[AccessPattern]) -> Option<TableCoverage> {
    let definition = facts.definition.as_ref()?;
    let source = |index: Option<&str>, is_local: bool, key: &[KeyElement]| SourceKey {
        index: index.map(str::to_owned),
        is_local,
        partition: key_names(key, "HASH").into_iter().map(str::to_owned).collect(),
        sort: key_names(key, "RANGE").into_iter().map(str::to_owned).collect(),
    };
    let mut sources = vec![source(None, false, &definition.key_schema)];
    for (indexes, is_local) in
        [(&definition.local_secondary_indexes, true), (&definition.global_secondary_indexes, false)]
    {
        let of_kind = indexes.iter();
        sources.extend(of_kind.map(|it| source(Some(&it.index_name), is_local, &it.key_schema)));
    }
    let of_table = patterns.iter().filter(|pattern| pattern.table == facts.table);
    let rows: Vec<Row> = of_table.map(|pattern| row(facts, &sources, pattern)).collect();
    let is_used = |nth: usize, index: &str| {
        rows.iter().any(|row| row.index.as_deref() == Some(index) || row.best == Some(nth))
    };
    let unused = sources.iter().enumerate().filter_map(|(nth, source)| {
        let index = source.index.as_ref()?;
        (!rows.is_empty() && !is_used(nth, index)).then(|| index.clone())
    });
    Some(TableCoverage {
        table: facts.table.clone(),
        unused: unused.collect(),
        mean_item_bytes: estimate::mean_item_bytes(facts),
        rows,
        sources,
    })
}

fn row(facts: &TableFacts, sources: &[SourceKey], pattern: &AccessPattern) -> Row {
    let cells: Vec<Cell> = sources.iter().map(|source| cell::of(facts, source, pattern)).collect();
    let rank = |cell: &Cell| match cell.answer {
        Answer::Key => Some(0),
        Answer::KeyAndFilter => Some(1),
        Answer::Scan => Some(2),
        Answer::No => None,
    };
    let best = cells.iter().enumerate().filter_map(|(nth, cell)| {
        // Of equals the one asked for counts, then one that assumes nothing, then one without fetches, then the first.
        Some(((rank(cell)?, !cell.is_asked, cell.assumes.len(), cell.is_fetched), nth))
    });
    let best = best.min().map(|(_, nth)| nth);
    let asked = sources.iter().zip(&cells).find(|(source, _)| source.index == pattern.index);
    let fault = match asked {
        None => Some(format!(
            "{} has no index {}",
            facts.table,
            pattern.index.as_deref().unwrap_or_default()
        )),
        Some((_, cell)) => cell.fault(pattern),
    };
    Row {
        name: pattern.name.clone(),
        operation: pattern.operation.clone(),
        index: pattern.index.clone(),
        pattern: pattern.pattern.as_ref().map(ToString::to_string),
        cells,
        best,
        fault,
    }
}

impl TableCoverage {
    /// Returns what the read units of its cells come from, in a sentence; none if no cell has any.
    pub fn units_note(&self) -> Option<String> {
        let mut cells = self.rows.iter().flat_map(|row| &row.cells);
        cells.find(|cell| cell.read_units.is_some())?;
        let bytes = format!("{:.0}", self.mean_item_bytes?);
        Some(format!(
            "RU are estimates with items of the mean size, {bytes} bytes: larger items take more"
        ))
    }
}

impl SourceKey {
    /// Returns its name and key, such as `by-status (shop, status#placed)`.
    pub fn title(&self) -> String {
        let name = self.index.as_deref().unwrap_or("table");
        let keys: Vec<&str> = self.partition.iter().chain(&self.sort).map(String::as_str).collect();
        format!("{name} ({})", keys.join(", "))
    }
}
