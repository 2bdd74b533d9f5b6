//! Items as plain JSON: `{"pk":"a","n":1.50}`. Numbers keep all digits; sets become arrays and
//! binary values base64 text, so this form cannot always be read back.

use serde_json::{Map, Value};

/// Returns an item, given in DynamoDB's JSON, as plain JSON.
pub fn item(item: &Map<String, Value>) -> String {
    let mut out = String::new();
    write_map(&mut out, item);
    out
}

/// Returns an attribute value, given in DynamoDB's JSON, as plain JSON.
pub fn value(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, typed: &Value) {
    let Some((tag, value)) = typed.as_object().and_then(|members| members.iter().next()) else {
        return out.push_str("null");
    };
    match (tag.as_str(), value) {
        ("N", Value::String(number)) => write_number(out, number),
        ("NULL", _) => out.push_str("null"),
        ("M", Value::Object(members)) => write_map(out, members),
        ("L", Value::Array(elements)) => write_list(out, elements, write_value),
        ("NS", Value::Array(elements)) => write_list(out, elements, |out, element| {
            write_number(out, element.as_str().unwrap_or_default());
        }),
        // S, B, BOOL, SS and BS are as they are on the wire.
        (_, value) => out.push_str(&value.to_string()),
    }
}

fn write_map(out: &mut String, members: &Map<String, Value>) {
    out.push('{');
    for (nth, (name, value)) in members.iter().enumerate() {
        if nth > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(name.as_str()).to_string());
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn write_list(out: &mut String, elements: &[Value], write: impl Fn(&mut String, &Value)) {
    out.push('[');
    for (nth, element) in elements.iter().enumerate() {
        if nth > 0 {
            out.push(',');
        }
        write(out, element);
    }
    out.push(']');
}

/// Writes a number digit by digit; what is no JSON number is written as text.
fn write_number(out: &mut String, number: &str) {
    if serde_json::from_str::<serde_json::Number>(number).is_ok() {
        out.push_str(number);
    } else {
        out.push_str(&Value::from(number).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_lose_their_types_and_nothing_else() {
        let cases = [
            (json!({"S": "a\"b"}), r#""a\"b""#),
            (
                json!({"N": "12345678901234567890123456789012345678"}),
                "12345678901234567890123456789012345678",
            ),
            (json!({"N": "NaN"}), r#""NaN""#),
            (json!({"B": "AQI="}), r#""AQI=""#),
            (json!({"BOOL": true}), "true"),
            (json!({"NULL": true}), "null"),
            (json!({"SS": ["a", "b"]}), r#"["a","b"]"#),
            (json!({"NS": ["1.5", "2"]}), "[1.5,2]"),
            (json!({"L": [{"N": "1"}, {"M": {"x": {"L": []}}}]}), r#"[1,{"x":[]}]"#),
            (json!({}), "null"),
            (json!(7), "null"),
        ];
        for (typed, expected) in cases {
            assert_eq!(value(&typed), expected, "{typed}");
        }
        assert_eq!(item(&Map::new()), "{}");
    }
}
