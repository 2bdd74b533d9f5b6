//! The key schema of a table or index, as DescribeTable tells it.

use crate::client::Client;
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// The description of a table.
#[derive(Debug)]
pub struct TableKeys {
    table: Value,
}

impl TableKeys {
    /// Asks for a table's keys.
    pub fn of(client: &mut Client, table: &str) -> anyhow::Result<Self> {
        let mut response = client.call(Operation::DescribeTable, &json!({ "TableName": table }))?;
        Ok(Self { table: response["Table"].take() })
    }

    /// Returns how many items the table has, as far as its description tells.
    pub fn item_count(&self) -> Option<u64> {
        self.table["ItemCount"].as_u64()
    }

    /// Returns the names of the table's key attributes, the partition key first.
    pub fn primary(&self) -> Vec<String> {
        names(&self.table)
    }

    /// Returns the key attributes of an index, then those of the table.
    pub fn with_index(&self, index: Option<&str>) -> Vec<String> {
        let mut all = index.and_then(|index| self.index(index)).map(names).unwrap_or_default();
        for name in self.primary() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }

    /// Returns the type of a key attribute: S, N or B.
    pub fn type_of(&self, name: &str) -> &str {
        let definitions = self.table["AttributeDefinitions"].as_array();
        definitions
            .into_iter()
            .flatten()
            .find(|definition| definition["AttributeName"] == name)
            .and_then(|definition| definition["AttributeType"].as_str())
            .unwrap_or("S")
    }

    /// Returns the key that texts stand for, in the order of the key schema.
    pub fn key(&self, texts: &[&str]) -> Option<Map<String, Value>> {
        let names = self.primary();
        let pairs = names.iter().zip(texts);
        let typed =
            |(name, text): (&String, &&str)| (name.clone(), json!({ self.type_of(name): text }));
        (names.len() == texts.len()).then(|| pairs.map(typed).collect())
    }

    fn index(&self, index: &str) -> Option<&Value> {
        ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
            .into_iter()
            .filter_map(|kind| self.table[kind].as_array())
            .flatten()
            .find(|description| description["IndexName"] == index)
    }
}

/// Returns the names in a key schema.
fn names(described: &Value) -> Vec<String> {
    let elements = described["KeySchema"].as_array();
    let name = |element: &Value| element["AttributeName"].as_str().map(str::to_owned);
    elements.into_iter().flatten().filter_map(name).collect()
}
