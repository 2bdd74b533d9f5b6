//! Expressions as people write them ([`hashrange::text`]), with their names and values in the JSON of
//! requests.

use crate::literal;
use hashrange::text::{self, TextFault};
use serde_json::{Map, Value};

/// The names and values of all expressions of one request.
#[derive(Debug, Default)]
pub struct Placeholders(text::Placeholders);

impl Placeholders {
    /// Returns an expression with placeholders.
    pub fn expression(&mut self, text: &str) -> Result<String, TextFault> {
        self.0.expression(text)
    }

    /// Returns the actions of an ADD or DELETE clause, `path value, ...`, with placeholders.
    pub fn pairs(&mut self, text: &str) -> Result<String, TextFault> {
        self.0.pairs(text)
    }

    /// Adds the names and values to a request.
    pub fn add_to(self, request: &mut Map<String, Value>) {
        let (names, values) = self.0.into_parts();
        let names: Map<String, Value> =
            names.into_iter().map(|(placeholder, name)| (placeholder, name.into())).collect();
        let values: Map<String, Value> = values
            .iter()
            .map(|(placeholder, value)| (placeholder.clone(), literal::json(value)))
            .collect();
        let members = [("ExpressionAttributeNames", names), ("ExpressionAttributeValues", values)];
        for (member, entries) in members {
            if !entries.is_empty() {
                request.insert(member.into(), Value::Object(entries));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_values_are_members_of_the_request_if_there_are_any() {
        let mut placeholders = Placeholders::default();
        let expression = placeholders.expression("country = 'NL'").expect("it is an expression");
        assert_eq!(placeholders.pairs("n -1").expect("these are pairs"), "#n1 :v1");
        let mut request = Map::new();
        placeholders.add_to(&mut request);
        assert_eq!(expression, "#n0 = :v0");
        let expected = json!({
            "ExpressionAttributeNames": {"#n0": "country", "#n1": "n"},
            "ExpressionAttributeValues": {":v0": {"S": "NL"}, ":v1": {"N": "-1"}},
        });
        assert_eq!(Value::Object(request), expected);
        let mut empty = Map::new();
        Placeholders::default().add_to(&mut empty);
        assert!(empty.is_empty());
    }
}
