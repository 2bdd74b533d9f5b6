//! Log line for each request, at the level debug: operation, tables, result. It never has values of
//! items, nor statements, which may hold some.

use crate::api::Named;
use crate::event::{Event, Interest, Subscriber};
use hashrange_cost::Use;
use hashrange_model::bounds::{LOGGED_BODY_MAX_BYTES, LOGGED_NAME_MAX_BYTES, LOGGED_TABLES_MAX};
use hashrange_wire::Operation;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

#[derive(Deserialize)]
struct NamedTables {
    #[serde(rename = "TableName")]
    table: Option<String>,
    #[serde(rename = "RequestItems")]
    batch: Option<Tables>,
}

/// The first tables of a batch; the requests for each table are skipped.
struct Tables(Vec<String>);

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_map(TableNames).map(Self)
    }
}

struct TableNames;

impl<'de> Visitor<'de> for TableNames {
    type Value = Vec<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some((name, IgnoredAny)) = members.next_entry()? {
            if names.len() < LOGGED_TABLES_MAX {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// Returns the tables that a body names, joined by commas.
pub fn tables_of(body: &[u8]) -> Option<String> {
    let tables = match parsed::<NamedTables>(body) {
        Some(NamedTables { table: Some(table), .. }) => vec![table],
        Some(NamedTables { batch: Some(tables), .. }) => tables.0,
        _ => Vec::new(),
    };
    let tables: Vec<String> =
        tables.into_iter().filter(|name| is_name(name)).take(LOGGED_TABLES_MAX).collect();
    (!tables.is_empty()).then(|| tables.join(","))
}

/// Returns true for a text that can be the name of a table or its ARN: no other text gets into the
/// log.
fn is_name(name: &str) -> bool {
    let belongs = |it: u8| it.is_ascii_alphanumeric() || b"_-.:/".contains(&it);
    name.len() <= LOGGED_NAME_MAX_BYTES && name.bytes().all(belongs)
}

fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    if body.len() > LOGGED_BODY_MAX_BYTES { None } else { serde_json::from_slice(body).ok() }
}

/// Subscriber that logs each request and its result.
#[derive(Debug)]
pub struct RequestLog;

impl Subscriber for RequestLog {
    fn interest(&self) -> Interest {
        let is_wanted = tracing::enabled!(tracing::Level::DEBUG);
        Interest { usage: is_wanted, details: is_wanted, body: false }
    }

    fn ended(&self, event: &Event) {
        // It began before the level was set.
        let Some(details) = &event.details else { return };
        let operation = event.operation.as_ref().and_then(Named::of_service);
        let answered = event.answered.as_ref();
        let uses = event.usage.iter().flat_map(|usage| usage.uses());
        let units = uses.map(Use::total).reduce(|sum, units| sum + units);
        tracing::debug!(
            request_id = event.id.as_str(),
            operation = operation.map(Operation::name),
            request = operation.is_none().then_some(details.target.as_str()),
            tables = details.tables.as_deref(),
            status = answered.map(|answered| answered.status),
            error = answered.and_then(|answered| answered.exception.as_deref()),
            units,
            ms = event.taken.as_secs_f64() * 1000.0,
            bytes = answered.map(|answered| answered.bytes),
            "answered"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_and_nothing_else() {
        let cases: &[(&[u8], Option<&str>)] = &[
            (br#"{"Item":{"secret":{"S":"x"}},"TableName":"cities"}"#, Some("cities")),
            (br#"{"RequestItems":{"b":[{"x":1}],"a":{}}}"#, Some("b,a")),
            (br#"{"Statement":"SELECT * FROM t WHERE a = 'secret'"}"#, None),
            (br#"{"TableName":"two\nlines"}"#, None),
            (br#"{"TableName":7}"#, None),
            (b"{", None),
            (b"", None),
        ];
        for (body, expected) in cases {
            let text = String::from_utf8_lossy(body);
            assert_eq!(tables_of(body).as_deref(), *expected, "{text}");
        }
        let many: Vec<String> = (0..50).map(|nth| format!("\"t{nth}\":1")).collect();
        let many = format!("{{\"RequestItems\":{{{}}}}}", many.join(","));
        assert_eq!(tables_of(many.as_bytes()).map(|it| it.split(',').count()), Some(5));
        let long =
            format!("{{\"TableName\":\"t\",\"x\":\"{}\"}}", "x".repeat(LOGGED_BODY_MAX_BYTES));
        assert_eq!(tables_of(long.as_bytes()), None);
    }
}
