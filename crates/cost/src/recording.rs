//! Recordings: use of capacity summed by operation, table, index, pattern and caller; their stored form is JSON.

use crate::facts::TableFacts;
use crate::pattern::Pattern;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Version of the stored form.
const VERSION: u32 = 1;

/// Key of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RowKey {
    /// The operation, such as `Query`.
    pub operation: String,
    /// The table.
    pub table: String,
    /// The index read, or maintained by a write; none for the table itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The request without its values; empty if it has no more than its operation.
    #[serde(default, skip_serializing_if = "Pattern::is_empty", deserialize_with = "pattern")]
    pub pattern: Pattern,
    /// Access key id of the sender; empty if none was shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caller: String,
}

/// Parses a pattern, or its text as older recordings have it; one cut short there becomes `(others)`.
fn pattern<'d, D: Deserializer<'d>>(stored: D) -> Result<Pattern, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Text(String),
        Whole(Pattern),
    }
    match Stored::deserialize(stored)? {
        Stored::Text(text) if text.contains("...") => Ok(Pattern::others()),
        Stored::Text(text) => Pattern::read(&text).map_err(D::Error::custom),
        Stored::Whole(pattern) => Ok(pattern),
    }
}

/// A borrowed [`RowKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRef<'a> {
    /// The operation.
    pub operation: &'a str,
    /// The table.
    pub table: &'a str,
    /// The index.
    pub index: Option<&'a str>,
    /// The request without its values.
    pub pattern: &'a Pattern,
    /// The access key id.
    pub caller: &'a str,
}

impl RowKey {
    /// Borrows the key.
    pub fn as_ref(&self) -> KeyRef<'_> {
        KeyRef {
            operation: &self.operation,
            table: &self.table,
            index: self.index.as_deref(),
            pattern: &self.pattern,
            caller: &self.caller,
        }
    }
}

impl KeyRef<'_> {
    /// Copies the key.
    pub fn to_key(self) -> RowKey {
        RowKey {
            operation: self.operation.to_owned(),
            table: self.table.to_owned(),
            index: self.index.map(str::to_owned),
            pattern: self.pattern.clone(),
            caller: self.caller.to_owned(),
        }
    }
}

/// Use of capacity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Used {
    /// Number of requests; 0 where writes only maintained index entries.
    pub requests: u64,
    /// Number of these that failed and were charged.
    pub failed: u64,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
    /// Items examined or written.
    pub examined: u64,
    /// Bytes of the items examined.
    pub examined_bytes: u64,
    /// Items examined that matched.
    pub returned: u64,
}

impl Used {
    /// Adds another sum. Counts saturate, since files have any numbers.
    pub fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.failed = self.failed.saturating_add(other.failed);
        self.read_units += other.read_units;
        self.write_units += other.write_units;
        self.examined = self.examined.saturating_add(other.examined);
        self.examined_bytes = self.examined_bytes.saturating_add(other.examined_bytes);
        self.returned = self.returned.saturating_add(other.returned);
    }
}

/// Use of one kind of requests by one caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind.
    #[serde(flatten)]
    pub key: RowKey,
    /// Its use.
    #[serde(flatten)]
    pub used: Used,
}

/// Whether units are of reads or of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// A table or an index, as a unit of provisioned capacity. A local index uses that of its table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Place {
    /// The table.
    pub table: String,
    /// The index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}

/// Use in the busiest minute of a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Peak {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// Reads or writes.
    pub kind: Kind,
    /// Units used in that minute.
    pub units: f64,
}

/// Use of capacity between two moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Recording {
    /// Version of the stored form.
    pub version: u32,
    /// Its start, in milliseconds since 1970.
    pub began_ms: u64,
    /// Its end, likewise.
    pub until_ms: u64,
    /// Use by operation, table, index, pattern and caller.
    pub rows: Vec<Row>,
    /// Busiest minutes.
    #[serde(default)]
    pub peaks: Vec<Peak>,
    /// Number of requests whose kind found no room, summed under the pattern `(others)`.
    #[serde(default)]
    pub others: u64,
    /// The tables.
    #[serde(default)]
    pub tables: Vec<TableFacts>,
}

impl Recording {
    /// Returns an empty recording.
    pub fn new(began_ms: u64, until_ms: u64) -> Self {
        Self {
            version: VERSION,
            began_ms,
            until_ms,
            rows: Vec::new(),
            peaks: Vec::new(),
            others: 0,
            tables: Vec::new(),
        }
    }

    /// Parses the stored form.
    pub fn read(text: &[u8]) -> Result<Self, RecordingFault> {
        let read: Self =
            serde_json::from_slice(text).map_err(|why| RecordingFault::Form(why.to_string()))?;
        if read.version != VERSION {
            return Err(RecordingFault::Version(read.version));
        }
        if read.rows.iter().any(|row| !is_amount(row.used.read_units, row.used.write_units))
            || read.peaks.iter().any(|peak| !is_amount(peak.units, 0.0))
        {
            return Err(RecordingFault::Form("units below 0".to_owned()));
        }
        Ok(read)
    }

    /// Returns the stored form.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("a recording has no keys that are not text")
    }

    /// Adds the recording of another server or run. Busiest minutes are summed, since they may be the same one.
    pub fn add(&mut self, other: Self) {
        self.began_ms = self.began_ms.min(other.began_ms);
        self.until_ms = self.until_ms.max(other.until_ms);
        self.others = self.others.saturating_add(other.others);
        let mut rows: BTreeMap<RowKey, Used> =
            self.rows.drain(..).map(|row| (row.key, row.used)).collect();
        for row in other.rows {
            rows.entry(row.key).or_default().add(&row.used);
        }
        self.rows = rows.into_iter().map(|(key, used)| Row { key, used }).collect();
        for peak in other.peaks {
            let is_same = |known: &&mut Peak| known.place == peak.place && known.kind == peak.kind;
            match self.peaks.iter_mut().find(is_same) {
                Some(known) => known.units += peak.units,
                None => self.peaks.push(peak),
            }
        }
        for facts in other.tables {
            if !self.tables.iter().any(|known| known.table == facts.table) {
                self.tables.push(facts);
            }
        }
    }

    /// Returns the state of a table, if known.
    pub fn facts(&self, table: &str) -> Option<&TableFacts> {
        self.tables.iter().find(|facts| facts.table == table)
    }

    /// Returns the number of all requests.
    pub fn requests(&self) -> u64 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.used.requests))
    }
}

fn is_amount(one: f64, other: f64) -> bool {
    one >= 0.0 && other >= 0.0
}

/// Fault of a stored recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordingFault {
    /// Malformed; says why.
    Form(String),
    /// Version of the file, which this program does not know.
    Version(u32),
}

impl fmt::Display for RecordingFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(why) => write!(formatter, "this is no recording: {why}"),
            Self::Version(version) => {
                write!(formatter, "recordings of version {version} are of a newer program")
            }
        }
    }
}

impl std::error::Error for RecordingFault {}
