//! The requests that a watch is for.

use crate::event::{Answered, Event};
use serde::Deserialize;

/// Most bytes of one text of a filter.
const TEXT_MAX_BYTES: usize = 256;

/// Tests of a request; it passes if it passes all that are there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase", default)]
pub struct Filter {
    /// The operation.
    pub operation: Option<String>,
    /// A table that it names or uses.
    pub table: Option<String>,
    /// An index that it reads, or whose entries it writes.
    pub index: Option<String>,
    /// The access key id.
    pub caller: Option<String>,
    /// A text in its operation, table, index, pattern or error, whatever its case.
    pub text: Option<String>,
    /// Whether it failed.
    pub failed: Option<bool>,
    /// Least time that it took, in milliseconds.
    pub slower_than_ms: Option<f64>,
    /// Items examined that were not returned, at least.
    pub examines_over: Option<u64>,
}

impl Filter {
    /// Returns the filter ready for use, or why it cannot be used.
    pub fn checked(mut self) -> Result<Self, String> {
        let texts = [&self.operation, &self.table, &self.index, &self.caller, &self.text];
        if texts.into_iter().flatten().any(|text| text.len() > TEXT_MAX_BYTES) {
            return Err(format!("a text of a filter has at most {TEXT_MAX_BYTES} bytes"));
        }
        if self.slower_than_ms.is_some_and(|ms| !ms.is_finite() || ms < 0.0) {
            return Err("SlowerThanMs is 0 or more".to_owned());
        }
        self.text = self.text.map(|text| text.to_lowercase());
        Ok(self)
    }

    /// Returns whether a request passes.
    pub fn passes(&self, event: &Event, operation: &str) -> bool {
        self.operation.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(operation))
            && self.failed.is_none_or(|wanted| wanted == is_failed(event))
            && self.slower_than_ms.is_none_or(|ms| event.taken.as_secs_f64() * 1e3 >= ms)
            && self.caller.as_ref().is_none_or(|it| event.caller.as_deref() == Some(it))
            && self.table.as_ref().is_none_or(|table| uses_table(event, table))
            && self.index.as_ref().is_none_or(|index| uses_index(event, index))
            && self.examines_over.is_none_or(|most| thrown_away(event) >= most)
            && self.text.as_ref().is_none_or(|text| says(event, operation, text))
    }
}

/// Returns whether a request got no answer or an error.
pub fn is_failed(event: &Event) -> bool {
    event.answered.as_ref().is_none_or(|answered| answered.status != 200)
}

/// Returns the tables that the body of a request names.
pub fn named_tables(event: &Event) -> impl Iterator<Item = &str> {
    let named = event.details.as_ref().and_then(|details| details.tables.as_deref());
    named.into_iter().flat_map(|names| names.split(','))
}

fn uses_table(event: &Event, table: &str) -> bool {
    let used = event.usage.iter().flat_map(|usage| usage.uses());
    used.map(|used| &*used.table).chain(named_tables(event)).any(|name| name == table)
}

fn uses_index(event: &Event, index: &str) -> bool {
    let mut used = event.usage.iter().flat_map(|usage| usage.uses());
    used.any(|used| {
        used.index.as_deref() == Some(index)
            || used.index_units.iter().any(|(name, _)| name == index)
    })
}

fn thrown_away(event: &Event) -> u64 {
    let used = event.usage.iter().flat_map(|usage| usage.uses());
    used.map(|used| used.examined.saturating_sub(used.returned)).sum()
}

/// Returns whether a request has a text in lower case.
fn says(event: &Event, operation: &str, text: &str) -> bool {
    let has = |said: &str| said.to_lowercase().contains(text);
    let exception = |answered: &Answered| answered.exception.as_deref().is_some_and(has);
    let used = || event.usage.iter().flat_map(|usage| usage.uses());
    has(operation)
        || named_tables(event).any(has)
        || used().any(|used| has(&used.table) || used.index.as_deref().is_some_and(has))
        || event.answered.as_ref().is_some_and(exception)
        || event.usage.as_ref().is_some_and(|usage| has(&usage.pattern.to_string()))
}
