//! An explanation as the item that PartiQL's EXPLAIN answers: `Plan`, a map with the members of its
//! JSON, and `Text`, its lines.

use super::explanation::Explanation;
use hashrange_model::{AttributeValue, Item, Number};
use serde_json::Value as Json;

impl Explanation {
    /// Returns the JSON of the explanation.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).expect("its members are texts, numbers and lists of them")
    }

    /// Returns the item that EXPLAIN answers.
    pub fn to_item(&self) -> Item {
        Item::from_attributes([
            ("Plan", attribute_value(self.to_json())),
            ("Text", self.text().into()),
        ])
    }
}

fn attribute_value(json: Json) -> AttributeValue {
    match json {
        Json::Null => AttributeValue::Null,
        Json::Bool(truth) => truth.into(),
        Json::Number(number) => match number.to_string().parse::<Number>() {
            Ok(exact) => exact.into(),
            Err(_) => number.to_string().into(),
        },
        Json::String(text) => text.into(),
        Json::Array(elements) => AttributeValue::list(elements.into_iter().map(attribute_value)),
        Json::Object(members) => AttributeValue::map(
            members.into_iter().map(|(name, value)| (name, attribute_value(value))),
        ),
    }
}
