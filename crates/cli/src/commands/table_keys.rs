//! The key schema of a table or index, from DescribeTable.

use crate::client::Client;
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// The description of a table.
#[derive(Debug, Clone)]
pub struct TableKeys {
    table: Value,
}

impl TableKeys {
    /// Asks for a table's keys.
    pub fn of(client: &mut Client, table: &str) -> anyhow::Result<Self> {
        let mut response = client.call(Operation::DescribeTable, &json!({ "TableName": table }))?;
        Ok(Self::described(response["Table"].take()))
    }

    /// Asks for the keys of a table for bulk work, with the patience of that work.
    pub fn of_bulk(client: &mut Client, table: &str) -> anyhow::Result<Self> {
        let request = json!({ "TableName": table });
        let mut response = client.call_patiently(Operation::DescribeTable, &request)?;
        Ok(Self::described(response["Table"].take()))
    }

    /// Returns the keys in a table's description.
    pub fn described(table: Value) -> Self {
        Self { table }
    }

    /// Returns the partition key of the table or an index, if it is a single attribute.
    pub fn partition_of(&self, index: Option<&str>) -> Option<String> {
        let described = match index {
            Some(index) => self.index(index)?,
            None => &self.table,
        };
        let elements = described["KeySchema"].as_array().into_iter().flatten();
        let mut hash = elements.filter(|element| element["KeyType"] == "HASH");
        let name = hash.next()?["AttributeName"].as_str()?.to_owned();
        hash.next().is_none().then_some(name)
    }

    /// Returns the attributes of the sort key of the table or an index.
    pub fn sort_of(&self, index: Option<&str>) -> Vec<String> {
        let described = match index {
            Some(index) => self.index(index),
            None => Some(&self.table),
        };
        let elements = described.and_then(|described| described["KeySchema"].as_array());
        let sort = elements.into_iter().flatten().filter(|element| element["KeyType"] == "RANGE");
        sort.filter_map(|element| element["AttributeName"].as_str().map(str::to_owned)).collect()
    }

    /// Returns the secondary indexes, each with its partition key.
    pub fn indexes(&self) -> Vec<(String, String)> {
        let described = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
            .into_iter()
            .filter_map(|kind| self.table[kind].as_array())
            .flatten();
        let pair = |index: &Value| {
            let name = index["IndexName"].as_str()?;
            Some((name.to_owned(), self.partition_of(Some(name))?))
        };
        described.filter_map(pair).collect()
    }

    /// Returns the attributes that are keys of the table or an index.
    pub fn attributes(&self) -> Vec<String> {
        names_in(&self.table["AttributeDefinitions"])
    }

    /// Returns the number of items in the table's description, if it has one.
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

    /// Returns the key with the values in these texts, in the order of the key schema.
    pub fn key(&self, texts: &[&str]) -> Option<Map<String, Value>> {
        self.beginning(texts).filter(|key| key.len() == self.primary().len())
    }

    /// Returns a key or the beginning of one with the values in these texts; none if there are too
    /// many.
    pub fn beginning(&self, texts: &[&str]) -> Option<Map<String, Value>> {
        let names = self.primary();
        let pairs = names.iter().zip(texts);
        let typed =
            |(name, text): (&String, &&str)| (name.clone(), json!({ self.type_of(name): text }));
        (texts.len() <= names.len()).then(|| pairs.map(typed).collect())
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
    names_in(&described["KeySchema"])
}

fn names_in(elements: &Value) -> Vec<String> {
    let elements = elements.as_array();
    let name = |element: &Value| element["AttributeName"].as_str().map(str::to_owned);
    elements.into_iter().flatten().filter_map(name).collect()
}
