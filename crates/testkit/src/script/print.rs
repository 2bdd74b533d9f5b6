//! Answers as scripts show them: JSON on one line while it fits, runs of one letter shortened.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_model::error::cancellation_code;
use hashrange_model::{ApiError, AttributeValue, Item};
use serde_json::{Map, Value as Json, json};

const LINE_MAX: usize = 100;
const RUN_MIN: usize = 40;

/// Returns JSON as text.
pub(super) fn json(json: &Json) -> String {
    let mut text = String::new();
    write(json, 0, &mut text);
    shorten(&text)
}

fn write(json: &Json, indent: usize, text: &mut String) {
    let line = one_line(json);
    if indent + shorten(&line).len() <= LINE_MAX {
        text.push_str(&line);
        return;
    }
    let inner = indent + 2;
    match json {
        Json::Object(members) => {
            text.push_str("{\n");
            for (nth, (name, value)) in members.iter().enumerate() {
                text.push_str(&" ".repeat(inner));
                text.extend([&Json::from(name.as_str()).to_string(), ": "]);
                write(value, inner, text);
                text.push_str(if nth + 1 < members.len() { ",\n" } else { "\n" });
            }
            text.extend([&" ".repeat(indent), "}"]);
        }
        Json::Array(elements) => {
            text.push_str("[\n");
            for (nth, value) in elements.iter().enumerate() {
                text.push_str(&" ".repeat(inner));
                write(value, inner, text);
                text.push_str(if nth + 1 < elements.len() { ",\n" } else { "\n" });
            }
            text.extend([&" ".repeat(indent), "]"]);
        }
        _ => text.push_str(&line),
    }
}

fn one_line(json: &Json) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match json {
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| {
                format!("{}: {}", Json::from(name.as_str()), one_line(value))
            };
            format!("{{{}}}", joined(members.iter().map(member).collect()))
        }
        Json::Array(elements) => format!("[{}]", joined(elements.iter().map(one_line).collect())),
        other => other.to_string(),
    }
}

/// Returns the text with long runs of one letter in their short form.
pub(super) fn shorten(text: &str) -> String {
    let mut short = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut count = 1;
        while letters.next_if_eq(&letter).is_some() {
            count += 1;
        }
        if count >= RUN_MIN && letter != ' ' {
            short.extend(["@(", &letter.to_string(), "*", &count.to_string(), ")"]);
        } else {
            short.extend(std::iter::repeat_n(letter, count));
        }
    }
    short
}

/// Returns an item as text.
pub(super) fn item(item: &Item) -> String {
    let attributes = item.iter().map(|(name, value)| (name, value.to_attribute_value()));
    json(&Json::Object(
        attributes.map(|(name, value)| (name.to_owned(), attribute_value(&value))).collect(),
    ))
}

/// Returns the line of one action of a cancelled transaction.
pub(super) fn cancellation_reason(error: Option<&ApiError>) -> String {
    let mut text = format!("- {}", cancellation_code(error));
    if let Some(message) = error.and_then(ApiError::message) {
        text = format!("{text}: {}", shorten(&message));
    }
    if let Some(found) = error.and_then(ApiError::item) {
        text = format!("{text} {}", item(found));
    }
    text
}

/// Returns a value as the wire has it.
pub(crate) fn attribute_value(value: &AttributeValue) -> Json {
    match value {
        AttributeValue::S(string) => json!({ "S": string }),
        AttributeValue::N(number) => json!({ "N": number.to_string() }),
        AttributeValue::B(bytes) => json!({ "B": STANDARD.encode(bytes) }),
        AttributeValue::Bool(boolean) => json!({ "BOOL": boolean }),
        AttributeValue::Null => json!({ "NULL": true }),
        AttributeValue::Ss(members) => json!({ "SS": members }),
        AttributeValue::Ns(members) => {
            json!({ "NS": members.iter().map(ToString::to_string).collect::<Vec<_>>() })
        }
        AttributeValue::Bs(members) => {
            json!({ "BS": members.iter().map(|bytes| STANDARD.encode(bytes)).collect::<Vec<_>>() })
        }
        AttributeValue::L(elements) => {
            json!({ "L": elements.iter().map(attribute_value).collect::<Vec<_>>() })
        }
        AttributeValue::M(entries) => {
            let entries =
                entries.iter().map(|(name, value)| (name.clone(), attribute_value(value)));
            json!({ "M": entries.collect::<Map<_, _>>() })
        }
    }
}
