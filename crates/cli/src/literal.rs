//! Values as people write them ([`hashrange::text`]), in the JSON of requests.

use hashrange::json::attribute_value::{write_item, write_value};
use hashrange::text::{parse_item, parse_value};
use hashrange::{AttributeValue, text::TextFault};
use serde_json::{Map, Value};

/// Returns the item that a text like `{"pk": "a", "n": 1}` stands for.
pub fn item(text: &str) -> Result<Map<String, Value>, TextFault> {
    let mut json = Vec::new();
    write_item(&mut json, &parse_item(text)?);
    Ok(serde_json::from_slice(&json).expect("an item is written as an object"))
}

/// Returns the attribute value that a text like `[1, "a"]` stands for.
pub fn value(text: &str) -> Result<Value, TextFault> {
    Ok(json(&parse_value(text)?))
}

/// Returns an attribute value in the JSON of requests.
pub fn json(value: &AttributeValue) -> Value {
    let mut json = Vec::new();
    write_value(&mut json, &value.to_value().get());
    serde_json::from_slice(&json).expect("a value is written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_read_into_the_json_of_requests() {
        let text = r#"{a: 'it''s', n: -1.50, b: b"AQI=", l: [true, null, {x: 1}], s: <<2, 1>>}"#;
        let expected = json!({
            "a": {"S": "it's"}, "n": {"N": "-1.5"}, "b": {"B": "AQI="},
            "l": {"L": [{"BOOL": true}, {"NULL": true}, {"M": {"x": {"N": "1"}}}]},
            "s": {"NS": ["1", "2"]},
        });
        assert_eq!(item(text).map(Value::Object), Ok(expected));
        assert_eq!(value("'x'"), Ok(json!({"S": "x"})));
        assert!(item("[1]").is_err() && value("{").is_err());
    }
}
