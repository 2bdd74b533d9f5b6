//! Items as plain JSON: `{"pk":"a","n":1.50}`. Numbers keep all digits; sets become arrays and
//! binary values base64 text, so this form cannot always be read back.

use crate::format::item::Notation;
use serde_json::{Map, Value};

/// Returns an item, given in DynamoDB's JSON, as plain JSON.
pub fn item(item: &Map<String, Value>) -> String {
    Notation::Json.item(item)
}

/// Returns an attribute value, given in DynamoDB's JSON, as plain JSON.
pub fn value(value: &Value) -> String {
    Notation::Json.value(value)
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
