//! Forms in which items stand in files: how each is written and read back.
//!
//! | form | loses | file |
//! |---|---|---|
//! | item | nothing | `item.rs`; read by [`crate::literal`] |
//! | DynamoDB's JSON | nothing | `ddb.rs` |
//! | CSV | nothing | `csv/` |
//! | JSON | that a list was a set, that a text was binary | [`crate::output::plain`] |
//!
//! An item is here what it is on the wire: names and values in DynamoDB's JSON.
//!
//! Invariant: for every form but JSON, what is read of what was written is the same item.

pub mod csv;
pub mod ddb;
pub mod item;

use crate::literal;
use crate::output::plain;
use clap::ValueEnum;
use serde_json::{Map, Value};
use std::path::Path;

/// An item on the wire.
pub type WireItem = Map<String, Value>;

/// A form of items in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One item per line: JSON, with b"..." for binary and <<...>> for sets
    Item,
    /// One item per line in DynamoDB's JSON, as its exports to S3 have them
    Ddb,
    /// One item per line in plain JSON: sets become lists, binary becomes text
    Json,
    /// Comma-separated values with a header that names the types
    Csv,
}

impl Form {
    /// Returns the form that a file's name tells, `.gz` at its end left out.
    pub fn of_name(path: &Path) -> Option<Self> {
        let has = |path: &Path, wanted: &str| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
        };
        let unpacked = if has(path, "gz") { path.with_extension("") } else { path.to_owned() };
        has(&unpacked, "csv").then_some(Self::Csv)
    }

    /// Returns an item as a line of this form, without its end; CSV has no such line.
    pub fn line(self, item: &WireItem) -> Option<String> {
        match self {
            Self::Item => Some(item::text(item)),
            Self::Ddb => Some(ddb::text(item)),
            Self::Json => Some(plain::item(item)),
            Self::Csv => None,
        }
    }
}

/// Returns the item of a line in one of the forms that have one item per line.
pub fn read_line(form: Form, line: &str) -> Result<WireItem, String> {
    match form {
        Form::Ddb => ddb::read(line),
        // Plain JSON is a part of the item form.
        Form::Item | Form::Json | Form::Csv => literal::item(line).map_err(|fault| {
            let hint = if line.trim_start().starts_with('[') {
                " (one item per line; `jq -c '.[]'` makes such lines of a JSON array)"
            } else {
                ""
            };
            format!("the item: {fault}{hint}")
        }),
    }
}

#[cfg(test)]
mod tests;
