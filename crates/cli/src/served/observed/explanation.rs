//! An explanation that fits into a header: JSON in visible ASCII, of a bounded size. A longer one
//! loses the drawing first, then all but access and advice.

use bytes::Bytes;
use hashrange::Operation;
use hashrange::bounds::{EXPLAINED_IN_HEADER_MAX_BYTES, TOLD_HEADER_MAX_BYTES};
use hashrange_server::Api;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns the explanation of a request, or why there is none.
pub async fn of(api: &Arc<dyn Api>, operation: Operation, body: &Bytes) -> String {
    if body.len() > EXPLAINED_IN_HEADER_MAX_BYTES {
        let why = format!(
            "requests over {EXPLAINED_IN_HEADER_MAX_BYTES} bytes are not explained in a header"
        );
        return ascii(&json!({ "Error": why }));
    }
    let Ok(request) = serde_json::from_slice::<&RawValue>(body) else {
        return ascii(&json!({ "Error": "the request is not JSON" }));
    };
    // As the client sent it: a tree of it would take ten times its size.
    let asked = format!(r#"{{"Operation":"{}","Request":{}}}"#, operation.name(), request.get());
    let asked = Bytes::from(asked);
    match Arc::clone(api).call_own("Explain".to_owned(), asked).await {
        Ok(answer) => shortened(&answer),
        Err(error) => ascii(&json!({ "Error": error.to_string() })),
    }
}

fn shortened(answer: &[u8]) -> String {
    let Ok(mut answer) = serde_json::from_slice::<Value>(answer) else {
        return ascii(&json!({ "Error": "there is no explanation" }));
    };
    let mut explanation = answer["Explanation"].take();
    let whole = ascii(&explanation);
    if whole.len() <= TOLD_HEADER_MAX_BYTES {
        return whole;
    }
    for step in steps(&mut explanation) {
        for drawing in ["Collection", "Sample"] {
            step.remove(drawing);
        }
    }
    let without_drawing = ascii(&explanation);
    if without_drawing.len() <= TOLD_HEADER_MAX_BYTES {
        return without_drawing;
    }
    let kinds = explanation["Advice"].as_array().into_iter().flatten();
    let kinds: Vec<&Value> = kinds.take(8).map(|advice| &advice["Kind"]).collect();
    ascii(&json!({ "Advice": kinds, "IsCut": true }))
}

/// Returns the members of each step; a step is an object whose only name is its kind.
fn steps(explanation: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let steps = explanation["Steps"].as_array_mut();
    let kinds = steps.into_iter().flatten().filter_map(Value::as_object_mut);
    kinds.flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}

/// Returns JSON with escapes for all but visible ASCII, as headers have it.
pub fn ascii(value: &Value) -> String {
    let text = value.to_string();
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0; 2];
    for one in text.chars() {
        if one.is_ascii() && !one.is_ascii_control() {
            escaped.push(one);
            continue;
        }
        let escapes = one.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
        escaped.extend(escapes);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ascii_is_escaped() {
        let value = json!({ "a": "\u{e9}\u{1f600}\n\u{7f}\u{85}" });
        assert_eq!(ascii(&value), r#"{"a":"\u00e9\ud83d\ude00\n\u007f\u0085"}"#);
        assert_eq!(serde_json::from_str::<Value>(&ascii(&value)).unwrap(), value);
    }

    #[test]
    fn what_is_long_is_cut() {
        let long = "x".repeat(TOLD_HEADER_MAX_BYTES);
        let drawn = json!({ "Explanation": {
            "Steps": [{ "Read": { "Access": "KeyRange", "Collection": long } }], "Advice": [],
        }});
        let short = shortened(drawn.to_string().as_bytes());
        assert_eq!(short, r#"{"Steps":[{"Read":{"Access":"KeyRange"}}],"Advice":[]}"#);
        let advised = json!({ "Explanation": {
            "Steps": [], "Advice": [{ "Kind": "FilterWaste", "Remedy": long }],
        }});
        let short = shortened(advised.to_string().as_bytes());
        assert_eq!(short, r#"{"Advice":["FilterWaste"],"IsCut":true}"#);
    }
}
