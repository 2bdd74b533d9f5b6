//! What a table was when a recording was taken: how it is billed, its keys and indexes as DescribeTable
//! answers them, and what a sample of its items shows of their attributes. No values.

use serde::{Deserialize, Serialize};

/// What a table was when the recording was taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableFacts {
    /// Its name.
    pub table: String,
    /// Whether capacity is provisioned; else it is billed on demand.
    #[serde(default)]
    pub is_provisioned: bool,
    /// Whether its class is for data that is rarely read.
    #[serde(default)]
    pub is_infrequent_access: bool,
    /// Bytes of its items, and of the entries of all its indexes.
    #[serde(default)]
    pub stored_bytes: u64,
    /// The number of its items, and of the entries of all its indexes.
    #[serde(default)]
    pub stored_items: u64,
    /// The indexes that use the capacity of the table.
    #[serde(default)]
    pub local_indexes: Vec<String>,
    /// Its keys and indexes, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// A sample of its items, if one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

/// Keys and indexes of a table: members of what DescribeTable answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Definition {
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// The types of key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// Its global indexes.
    pub global_secondary_indexes: Vec<IndexFacts>,
    /// Its local indexes.
    pub local_secondary_indexes: Vec<IndexFacts>,
    /// Its items.
    pub item_count: u64,
    /// Their bytes.
    pub table_size_bytes: u64,
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyElement {
    /// Its name.
    pub attribute_name: String,
    /// `HASH` or `RANGE`.
    pub key_type: String,
}

/// The type of a key attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// Its name.
    pub attribute_name: String,
    /// `S`, `N` or `B`.
    pub attribute_type: String,
}

/// An index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct IndexFacts {
    /// Its name.
    pub index_name: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What its entries have.
    pub projection: Projection,
    /// Its entries.
    pub item_count: u64,
    /// Their bytes.
    pub index_size_bytes: u64,
}

/// What the entries of an index have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Projection {
    /// `ALL`, `KEYS_ONLY` or `INCLUDE`.
    pub projection_type: String,
    /// What is included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub non_key_attributes: Vec<String>,
}

/// What a sample of items shows of their attributes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Sample {
    /// How many items were looked at.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether these are all.
    pub is_all: bool,
    /// The attributes.
    pub attributes: Vec<AttributeFacts>,
}

/// An attribute in a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct AttributeFacts {
    /// Its name.
    pub name: String,
    /// The types of its values.
    pub types: Vec<String>,
    /// How many items have it.
    pub items: u64,
    /// Its bytes in all of them, with its name.
    pub bytes: u64,
    /// How many different scalar values it has.
    pub distinct: u64,
    /// How many items have the most frequent of these; 0 if that is not known.
    pub most: u64,
}

/// Returns the names of a key's attributes of one kind: `HASH` or `RANGE`.
pub fn key_names<'k>(key: &'k [KeyElement], kind: &str) -> Vec<&'k str> {
    let of_kind = key.iter().filter(|element| element.key_type == kind);
    of_kind.map(|element| element.attribute_name.as_str()).collect()
}

impl Sample {
    /// Returns an attribute, if an item of the sample has it.
    pub fn attribute(&self, name: &str) -> Option<&AttributeFacts> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}
