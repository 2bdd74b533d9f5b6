//! The parts of keys by name, by a table's key templates.

use crate::client::{Client, is_unknown};
use hashrange::KeyTemplate;
use serde_json::{Map, Value, json};

/// The key templates of a table.
#[derive(Debug, Default)]
pub struct KeyParts(Vec<KeyTemplate>);

impl KeyParts {
    /// Asks for the templates of a table; a server that does not know the operation has none.
    pub fn of(client: &mut Client, table: &str) -> anyhow::Result<Self> {
        let described = client.call_own("DescribeKeyTemplates", &json!({ "TableName": table }));
        let answer = match described {
            Err(error) if is_unknown(&error) => return Ok(Self::default()),
            described => described?,
        };
        let texts = answer["KeyTemplates"].as_array().into_iter().flatten();
        let texts = texts.filter_map(|template| template["Template"].as_str());
        Ok(Self(texts.filter_map(|text| KeyTemplate::parse(text).ok()).collect()))
    }

    /// Returns the parts of a value of a key attribute, such as `status = 'OPEN' AND id = '7'`.
    pub fn of_value(&self, attribute: &str, text: &str) -> Option<String> {
        let template = self.0.iter().find(|template| template.attribute() == attribute)?;
        let reading = template.fullest_reading(text, false)?;
        (!reading.parts.is_empty()).then(|| reading.to_string())
    }

    /// Returns the parts of a key in JSON.
    pub fn of_key(&self, key: &Map<String, Value>) -> Option<String> {
        let parts =
            key.iter().filter_map(|(name, value)| self.of_value(name, value["S"].as_str()?));
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }
}
