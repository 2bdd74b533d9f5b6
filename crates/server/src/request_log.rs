//! Log line for each request, at the level debug: operation, tables, result. It never has values of
//! items, nor statements, which may hold some.

use crate::answer::Answer;
use crate::request_id::RequestId;
use hashrange_model::bounds::{LOGGED_BODY_MAX_BYTES, LOGGED_NAME_MAX_BYTES, LOGGED_TABLES_MAX};
use hashrange_wire::Operation;
use hyper::http::request::Parts;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::time::Duration;

/// Returns true if requests are logged.
pub fn is_wanted() -> bool {
    tracing::enabled!(tracing::Level::DEBUG)
}

/// Subject of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The table; several are joined.
    pub tables: Option<String>,
}

#[derive(Deserialize)]
struct Named {
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

impl Subject {
    /// Returns the subject of a body, as far as the body names it.
    pub fn of(body: &[u8]) -> Self {
        let named = parsed::<Named>(body);
        let tables = match named {
            Some(Named { table: Some(table), .. }) => vec![table],
            Some(Named { batch: Some(tables), .. }) => tables.0,
            _ => Vec::new(),
        };
        let tables: Vec<String> =
            tables.into_iter().filter(|name| is_name(name)).take(LOGGED_TABLES_MAX).collect();
        Self { tables: (!tables.is_empty()).then(|| tables.join(",")) }
    }
}

/// Returns true for a text that can be the name of a table or its ARN: no other text gets into the
/// log.
fn is_name(name: &str) -> bool {
    let belongs = |it: u8| it.is_ascii_alphanumeric() || b"_-.:/".contains(&it);
    name.len() <= LOGGED_NAME_MAX_BYTES && name.bytes().all(belongs)
}

/// Result in an answer.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    error: Option<String>,
    units: Option<f64>,
}

#[derive(Deserialize)]
struct Told {
    #[serde(rename = "__type")]
    exception: Option<String>,
    #[serde(rename = "ConsumedCapacity")]
    capacity: Option<Consumed>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Consumed {
    One(Capacity),
    Several(Vec<Capacity>),
}

#[derive(Deserialize)]
struct Capacity {
    #[serde(rename = "CapacityUnits")]
    units: f64,
}

impl Outcome {
    fn of(body: &[u8]) -> Self {
        let Some(told) = parsed::<Told>(body) else { return Self::default() };
        let name = told.exception.as_deref().and_then(|it| it.rsplit('#').next());
        let units = told.capacity.map(|capacity| match capacity {
            Consumed::One(one) => one.units,
            Consumed::Several(all) => all.iter().map(|one| one.units).sum(),
        });
        Self { error: name.map(str::to_owned), units }
    }
}

fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    if body.len() > LOGGED_BODY_MAX_BYTES { None } else { serde_json::from_slice(body).ok() }
}

/// Logs a request and its result.
pub fn write(
    id: RequestId,
    parts: &Parts,
    operation: Option<Operation>,
    subject: &Subject,
    answer: &Answer,
    taken: Duration,
) {
    let outcome = Outcome::of(&answer.body);
    // The client chose the path, so its control characters are escaped.
    let path = operation.is_none().then(|| format!("{} {:?}", parts.method, parts.uri.path()));
    tracing::debug!(
        request_id = id.as_str(),
        operation = operation.map(Operation::name),
        request = path.as_deref(),
        tables = subject.tables.as_deref(),
        status = answer.status.as_u16(),
        error = outcome.error.as_deref(),
        units = outcome.units,
        ms = taken.as_secs_f64() * 1000.0,
        bytes = answer.body.len(),
        "answered"
    );
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
            assert_eq!(Subject::of(body).tables.as_deref(), *expected, "{text}");
        }
        let many: Vec<String> = (0..50).map(|nth| format!("\"t{nth}\":1")).collect();
        let many = format!("{{\"RequestItems\":{{{}}}}}", many.join(","));
        assert_eq!(Subject::of(many.as_bytes()).tables.map(|it| it.split(',').count()), Some(5));
        let long =
            format!("{{\"TableName\":\"t\",\"x\":\"{}\"}}", "x".repeat(LOGGED_BODY_MAX_BYTES));
        assert_eq!(Subject::of(long.as_bytes()), Subject::default());
    }

    #[test]
    fn an_outcome_is_the_exception_and_the_units() {
        let outcome =
            |error: Option<&str>, units| Outcome { error: error.map(str::to_owned), units };
        let cases = [
            (
                r#"{"__type":"com.amazon#ThrottlingException","message":"m"}"#,
                outcome(Some("ThrottlingException"), None),
            ),
            (
                r#"{"ConsumedCapacity":{"TableName":"t","CapacityUnits":1.5}}"#,
                outcome(None, Some(1.5)),
            ),
            (
                r#"{"ConsumedCapacity":[{"CapacityUnits":1.0},{"CapacityUnits":2.0}]}"#,
                outcome(None, Some(3.0)),
            ),
            (r#"{"Items":[]}"#, outcome(None, None)),
            ("", outcome(None, None)),
        ];
        for (body, expected) in cases {
            assert_eq!(Outcome::of(body.as_bytes()), expected, "{body}");
        }
    }
}
