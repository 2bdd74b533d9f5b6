//! One table to begin with, and values of definitions that several forms have alike.

use super::not_taken::NotTaken;
use serde_json::{Map, Value};

/// A table to begin with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The request of CreateTable.
    pub request: Map<String, Value>,
    /// The attribute by which items expire.
    pub time_to_live: Option<String>,
    /// The table and indexes whose hot keys Contributor Insights tells.
    pub insights: Vec<Insights>,
    /// Sample data, in DynamoDB's JSON.
    pub items: Vec<Map<String, Value>>,
    /// Members of the definition that have no meaning here.
    pub not_taken: Vec<NotTaken>,
    /// Name of its file.
    pub source: String,
}

/// Contributor Insights of a table, or of a global index of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Insights {
    /// Name of the index.
    pub index: Option<String>,
    /// The mode that was given.
    pub mode: Option<String>,
}

/// Returns the attribute of a `TimeToLiveSpecification`, if it enables anything.
pub fn time_to_live_attribute(specification: &Value) -> Option<String> {
    let is_enabled = specification.get("Enabled").is_none_or(is_true);
    let attribute = specification.get("AttributeName")?.as_str()?;
    is_enabled.then(|| attribute.to_owned())
}

/// Returns whether a value is true; templates write that as text, too.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is) => *is,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns the beginning of a value's text.
pub fn short(value: &Value) -> String {
    const SHOWN_MAX: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
