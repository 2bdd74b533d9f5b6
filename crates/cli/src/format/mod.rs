//! Forms in which items stand in files: how each is written and read back.
//!
//! | form | loses | file |
//! |---|---|---|
//! | item | nothing | `item.rs`; read by [`crate::literal`] |
//! | DynamoDB's JSON | nothing | `ddb.rs` |
//! | CSV | nothing | `csv/` |
//! | JSON | that a list was a set, that a text was binary | [`crate::output::plain`] |
//!
//! In this module an item has its form on the wire: names and values in DynamoDB's JSON.
//!
//! Invariant: for every form but JSON, reading a written item gives the same item.

pub mod csv;
pub mod ddb;
pub mod item;

use crate::literal;
use crate::output::plain;
use crate::reading::source;
use clap::ValueEnum;
use hashrange::text::TextFault;
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
    /// Returns the form that the ending of a file's name tells, with `.gz` left out.
    pub fn of_name(path: &Path) -> Option<Self> {
        let unpacked = source::unpacked_name(path);
        let is_csv = unpacked.extension().is_some_and(|name| name.eq_ignore_ascii_case("csv"));
        is_csv.then_some(Self::Csv)
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

/// Returns the item of a text that begins in this line, in one of the forms that have one item per
/// line.
pub fn read_item(form: Form, text: &str, line: u64) -> Result<WireItem, String> {
    match form {
        Form::Ddb => ddb::read(text, line),
        // Plain JSON is a part of the item form.
        Form::Item | Form::Json | Form::Csv => literal::item(text)
            .map_err(|fault| format!("the item: {}", with_line(&fault, text, line))),
    }
}

/// Returns a fault with its place; the line only if it is not the one in which the item begins.
fn with_line(fault: &TextFault, text: &str, line: u64) -> String {
    let before = text.char_indices().nth(fault.offset).map_or(text, |(end, _)| &text[..end]);
    let Some((lines, in_line)) = before.rsplit_once('\n') else { return fault.to_string() };
    let line = line + 1 + lines.matches('\n').count() as u64;
    let character = in_line.chars().count() + 1;
    let TextFault { expected, found, .. } = fault;
    format!("expected {expected} in line {line}, character {character}, not {found}")
}

#[cfg(test)]
mod tests;
