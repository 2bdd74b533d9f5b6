//! DynamoDB's JSON, one item per line: `{"Item":{"pk":{"S":"a"}}}`, as the service's exports to S3
//! have it, or the item alone.
//!
//! The two are never mixed up: types and names alternate, so no text is an item both as it stands and
//! as the member `Item` of a wrapper.

use super::WireItem;
use serde_json::{Value, json};

/// Most values inside each other. Source: DynamoDB allows 32 levels.
const DEPTH_MAX: usize = 40;
/// Most values in one line: each takes a byte at least of the largest item, which has 400 KB, and at
/// most three marks: a brace, a comma and the comma behind it.
const MARKS_MAX: usize = 3 * 400 * 1024;

/// Returns an item as a line of an export.
pub fn text(item: &WireItem) -> String {
    json!({ "Item": item }).to_string()
}

/// Returns the item of a text that begins in this line, with `Item` around it or without.
pub fn read(text: &str, line: u64) -> Result<WireItem, String> {
    if marks(text) > MARKS_MAX {
        return Err("the item: it has more values than the largest item has bytes".to_owned());
    }
    let parsed = serde_json::from_str(text)
        .map_err(|error| format!("the item is no JSON: {}", place(&error, line)))?;
    let Value::Object(mut members) = parsed else {
        return Err("the item is no JSON object".to_owned());
    };
    if members.len() == 1
        && let Some(Value::Object(inner)) = members.get_mut("Item")
        && check_item(inner, 0).is_ok()
    {
        return Ok(std::mem::take(inner));
    }
    // The fault of a wrapped item is the one of the item inside.
    match members.get("Item").and_then(Value::as_object) {
        Some(inner) if members.len() == 1 && !looks_typed(inner) => check_item(inner, 0)?,
        _ => check_item(&members, 0)?,
    }
    Ok(members)
}

/// Returns a fault with its place; the line only if it is not the one in which the item begins.
fn place(error: &serde_json::Error, line: u64) -> String {
    let place = format!(" at line {} column ", error.line());
    let said = match error.line() {
        0 | 1 => " at byte ".to_owned(),
        nth => format!(" in line {}, byte ", line + nth as u64 - 1),
    };
    error.to_string().replace(&place, &said)
}

/// Returns how many braces, brackets and commas stand outside texts.
fn marks(text: &str) -> usize {
    let (mut inside, mut escaped, mut count) = (false, false, 0);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = inside,
            b'"' => inside = !inside,
            b'{' | b'[' | b',' if !inside => count += 1,
            _ => {}
        }
    }
    count
}

fn looks_typed(members: &WireItem) -> bool {
    let tags = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"];
    members.len() == 1 && members.keys().all(|name| tags.contains(&name.as_str()))
}

fn check_item(item: &WireItem, depth: usize) -> Result<(), String> {
    item.iter().try_for_each(|(name, value)| {
        check_value(value, depth + 1).map_err(|problem| match depth {
            0 => format!("attribute {name:?}: {problem}"),
            _ => problem,
        })
    })
}

fn check_value(typed: &Value, depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err("too many values inside each other".to_owned());
    }
    let expected = |what: &str| Err(format!("expected {what}, found {}", short(typed)));
    let Some(members) = typed.as_object().filter(|members| members.len() == 1) else {
        return expected("a type and a value such as {\"S\":\"text\"}");
    };
    let Some((tag, value)) = members.iter().next() else { return expected("a type") };
    match (tag.as_str(), value) {
        ("S" | "B" | "N", Value::String(_)) | ("BOOL" | "NULL", Value::Bool(_)) => Ok(()),
        ("SS" | "NS" | "BS", Value::Array(elements)) if elements.iter().all(Value::is_string) => {
            Ok(())
        }
        ("M", Value::Object(members)) => check_item(members, depth),
        ("L", Value::Array(elements)) => {
            elements.iter().try_for_each(|element| check_value(element, depth + 1))
        }
        ("S" | "B" | "N", _) => expected("a text behind S, N or B"),
        ("BOOL" | "NULL", _) => expected("true or false behind BOOL or NULL"),
        ("SS" | "NS" | "BS", _) => expected("a list of texts behind SS, NS or BS"),
        ("M", _) => expected("an object behind M"),
        ("L", _) => expected("a list behind L"),
        _ => expected("S, N, B, BOOL, NULL, L, M, SS, NS or BS"),
    }
}

/// Returns the beginning of a value.
fn short(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_stands_alone_or_in_a_line_of_an_export() {
        let cases = [
            (r#"{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}"#, r#"{"pk":{"S":"a"},"n":{"N":"1"}}"#),
            (r#" {"pk":{"B":"AQ=="}} "#, r#"{"pk":{"B":"AQ=="}}"#),
            (r#"{"Item":{"S":"a"}}"#, r#"{"Item":{"S":"a"}}"#),
            (r#"{"Item":{"M":{"M":{}}}}"#, r#"{"M":{"M":{}}}"#),
            (r#"{"Item":{"M":{"M":{"S":"x"}}}}"#, r#"{"Item":{"M":{"M":{"S":"x"}}}}"#),
            (r#"{"Item":{"M":{}}}"#, r#"{"Item":{"M":{}}}"#),
            (r#"{"Item":{}}"#, "{}"),
            (r#"{"Item":{"Item":{"S":"x"}}}"#, r#"{"Item":{"S":"x"}}"#),
            (
                r#"{"a":{"L":[{"NULL":true},{"SS":["x"]}]}}"#,
                r#"{"a":{"L":[{"NULL":true},{"SS":["x"]}]}}"#,
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(
                read(line, 1).map(|item| Value::from(item).to_string()),
                Ok(expected.into())
            );
        }
    }

    #[test]
    fn what_is_no_item_is_told() {
        let deep = format!(r#"{{"a":{}{{"S":""}}{}}}"#, r#"{"L":["#.repeat(50), "]}".repeat(50));
        let many = format!(r#"{{"a":{{"L":[{}]}}}}"#, vec![r#"{"N":"1"}"#; MARKS_MAX].join(","));
        let cases = [
            (
                r#"{"a":1}"#,
                r#"attribute "a": expected a type and a value such as {"S":"text"}, found 1"#,
            ),
            (
                r#"{"Item":{"a":{"N":1}}}"#,
                r#"attribute "a": expected a text behind S, N or B, found {"N":1}"#,
            ),
            (
                r#"{"a":{"X":"1"}}"#,
                r#"attribute "a": expected S, N, B, BOOL, NULL, L, M, SS, NS or BS, found {"X":"1"}"#,
            ),
            (
                r#"{"a":{"S":"1","N":"1"}}"#,
                r#"attribute "a": expected a type and a value such as {"S":"text"}, found {"S":"1","N":"1"}"#,
            ),
            ("{\"a\":", "the item is no JSON: EOF while parsing a value at byte 5"),
            ("{\"a\":\n {\"S\" \"x\"}}", "the item is no JSON: expected `:` in line 8, byte 7"),
            ("[]", "the item is no JSON object"),
            (&deep, "attribute \"a\": too many values inside each other"),
            (&many, "the item: it has more values than the largest item has bytes"),
        ];
        for (line, expected) in cases {
            let fault = read(line, 7).unwrap_err();
            assert!(fault.starts_with(expected), "{fault}");
        }
    }
}
