//! The item form: `{"pk":"a","n":1.50,"data":b"AQI=","tags":<<"x","y">>}`. It is JSON but for binary
//! values and sets, and [`crate::literal`] reads it back to the same item.

use super::WireItem;
use serde_json::Value;

/// Notation of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// The item form, which loses nothing.
    Item,
    /// Plain JSON: sets as arrays, binary values as their base64 text.
    Json,
}

/// Returns an item in the item form, on one line.
pub fn text(item: &WireItem) -> String {
    Notation::Item.item(item)
}

/// Returns an attribute value in the item form, on one line.
pub fn value_text(typed: &Value) -> String {
    Notation::Item.value(typed)
}

impl Notation {
    /// Returns an item on one line.
    pub fn item(self, item: &WireItem) -> String {
        let mut out = String::new();
        self.write_map(&mut out, item);
        out
    }

    /// Returns an attribute value on one line.
    pub fn value(self, typed: &Value) -> String {
        let mut out = String::new();
        self.write_value(&mut out, typed);
        out
    }

    fn write_value(self, out: &mut String, typed: &Value) {
        let Some((tag, value)) = typed.as_object().and_then(|members| members.iter().next()) else {
            return out.push_str("null");
        };
        match (tag.as_str(), value) {
            ("N", number) => write_number(out, number),
            ("B", _) => self.write_binary(out, value),
            ("NULL", _) => out.push_str("null"),
            ("M", Value::Object(members)) => self.write_map(out, members),
            ("L", Value::Array(elements)) => {
                write_elements(out, ["[", "]"], elements, |out, it| {
                    self.write_value(out, it);
                });
            }
            ("NS", Value::Array(elements)) => {
                write_elements(out, self.around_sets(), elements, write_number);
            }
            ("BS", Value::Array(elements)) => {
                write_elements(out, self.around_sets(), elements, |out, it| {
                    self.write_binary(out, it);
                });
            }
            ("SS", Value::Array(elements)) => {
                write_elements(out, self.around_sets(), elements, |out, text| {
                    out.push_str(&text.to_string());
                });
            }
            // S and BOOL are as they are on the wire.
            (_, value) => out.push_str(&value.to_string()),
        }
    }

    fn around_sets(self) -> [&'static str; 2] {
        match self {
            Self::Item => ["<<", ">>"],
            Self::Json => ["[", "]"],
        }
    }

    fn write_binary(self, out: &mut String, base64: &Value) {
        if self == Self::Item {
            out.push('b');
        }
        out.push_str(&base64.to_string());
    }

    fn write_map(self, out: &mut String, members: &WireItem) {
        out.push('{');
        for (nth, (name, value)) in members.iter().enumerate() {
            if nth > 0 {
                out.push(',');
            }
            out.push_str(&Value::from(name.as_str()).to_string());
            out.push(':');
            self.write_value(out, value);
        }
        out.push('}');
    }
}

/// Writes a number digit by digit; as text if it is no JSON number.
fn write_number(out: &mut String, number: &Value) {
    let digits =
        number.as_str().filter(|text| serde_json::from_str::<serde_json::Number>(text).is_ok());
    match digits {
        Some(digits) => out.push_str(digits),
        None => out.push_str(&number.to_string()),
    }
}

fn write_elements(
    out: &mut String,
    [open, close]: [&str; 2],
    elements: &[Value],
    write: impl Fn(&mut String, &Value),
) {
    out.push_str(open);
    for (nth, element) in elements.iter().enumerate() {
        if nth > 0 {
            out.push(',');
        }
        write(out, element);
    }
    out.push_str(close);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal;
    use serde_json::json;

    #[test]
    fn every_type_is_written_as_it_is_read() {
        let cases = [
            (json!({"S": "a\"b\n\u{1}é"}), "\"a\\\"b\\n\\u0001é\""),
            (json!({"S": ""}), r#""""#),
            (json!({"N": "-0.00000000015"}), "-0.00000000015"),
            (json!({"B": "AQI="}), r#"b"AQI=""#),
            (json!({"B": ""}), r#"b"""#),
            (json!({"BOOL": true}), "true"),
            (json!({"NULL": true}), "null"),
            (json!({"SS": ["<<", "a"]}), r#"<<"<<","a">>"#),
            (json!({"NS": ["1.5", "2"]}), "<<1.5,2>>"),
            (json!({"BS": ["", "AQ=="]}), r#"<<b"",b"AQ==">>"#),
            (json!({"L": [{"N": "1"}, {"M": {"": {"L": []}}}]}), r#"[1,{"":[]}]"#),
        ];
        for (typed, expected) in cases {
            assert_eq!(value_text(&typed), expected, "{typed}");
            let item = json!({"a": typed}).as_object().unwrap().clone();
            assert_eq!(literal::item(&text(&item)), Ok(item), "{expected}");
        }
    }
}
