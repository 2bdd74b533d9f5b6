//! Asks the database and writes the answer as the pages show it.
//!
//! As the AWS CLI does, Query and Scan without a limit go on until the last page, and what was
//! counted is added up. Elements of lists stand one a line; of many only the first few are shown.

use super::aws_command::Request;
use hashrange::{ApiError, Blocking};
use serde_json::{Map, Value, json};

/// Elements that are shown of a list; of one more, all.
const SHOWN: usize = 4;

/// Returns the answer as it stands in a page.
pub fn of(database: &Blocking, request: &Request) -> String {
    let answer = match whole_answer(database, request) {
        Ok(answer) => answer,
        Err(error) => Map::from_iter([
            ("__type".to_owned(), error.kind().short_name().into()),
            ("message".to_owned(), error.message().into()),
        ]),
    };
    render(&answer)
}

fn whole_answer(database: &Blocking, request: &Request) -> Result<Map<String, Value>, ApiError> {
    let mut members = request.members.clone();
    let mut whole = call(database, request, &members)?;
    while !members.contains_key("Limit")
        && let Some(last) = whole.remove("LastEvaluatedKey")
    {
        members.insert("ExclusiveStartKey".into(), last);
        for (name, more) in call(database, request, &members)? {
            append(whole.entry(name).or_insert(Value::Null), more);
        }
    }
    Ok(whole)
}

fn call(
    database: &Blocking,
    request: &Request,
    members: &Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let body = serde_json::to_vec(members).unwrap();
    let answer = database.call(request.operation, &body)?;
    Ok(serde_json::from_slice(&answer).unwrap())
}

fn append(whole: &mut Value, more: Value) {
    match (whole, more) {
        (Value::Array(whole), Value::Array(more)) => whole.extend(more),
        (Value::Number(whole), Value::Number(more)) => {
            *whole = (whole.as_u64().unwrap() + more.as_u64().unwrap()).into();
        }
        (whole, more) => *whole = more,
    }
}

fn render(answer: &Map<String, Value>) -> String {
    if answer.is_empty() {
        return "{}\n".to_owned();
    }
    let member = |(name, value): (&String, &Value)| match value {
        Value::Array(elements) => format!("  {}: {}", json!(name), lines(elements)),
        _ => format!("  {}: {}", json!(name), inline(value)),
    };
    format!("{{\n{}\n}}\n", answer.iter().map(member).collect::<Vec<_>>().join(",\n"))
}

fn lines(elements: &[Value]) -> String {
    if elements.is_empty() {
        return "[]".to_owned();
    }
    let shown = if elements.len() > SHOWN + 1 { SHOWN } else { elements.len() };
    let mut lines: Vec<String> = elements[..shown].iter().map(inline).collect();
    if shown < elements.len() {
        lines.push(json!(format!("... {} more", elements.len() - shown)).to_string());
    }
    format!("[\n    {}\n  ]", lines.join(",\n    "))
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), inline(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        _ => value.to_string(),
    }
}
