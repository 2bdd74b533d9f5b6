//! Tables of a recording: billing, keys and indexes as DescribeTable answers them, and statistics of the attributes
//! of sampled items. No values.

use serde::{Deserialize, Serialize};

/// State of a table when the recording was taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableFacts {
    /// Its name.
    pub table: String,
    /// Whether capacity is provisioned; else it is billed on demand.
    #[serde(default)]
    pub is_provisioned: bool,
    /// Whether its class is `STANDARD_INFREQUENT_ACCESS`.
    #[serde(default)]
    pub is_infrequent_access: bool,
    /// Bytes of its items, and of the entries of all its indexes.
    #[serde(default)]
    pub stored_bytes: u64,
    /// Number of its items and of the entries of all its indexes.
    #[serde(default)]
    pub stored_items: u64,
    /// Local indexes, which use the capacity of the table.
    #[serde(default)]
    pub local_indexes: Vec<String>,
    /// Keys and indexes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// Statistics of sampled items, if taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

/// Keys and indexes of a table: members of the answer of DescribeTable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Definition {
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// Types of key attributes.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// Its global indexes.
    pub global_secondary_indexes: Vec<IndexFacts>,
    /// Its local indexes.
    pub local_secondary_indexes: Vec<IndexFacts>,
    /// Number of items.
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
    /// Attributes of its entries.
    pub projection: Projection,
    /// Number of entries.
    pub item_count: u64,
    /// Their bytes.
    pub index_size_bytes: u64,
}

/// Attributes of index entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Projection {
    /// `ALL`, `KEYS_ONLY` or `INCLUDE`.
    pub projection_type: String,
    /// Included attributes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub non_key_attributes: Vec<String>,
}

/// Statistics of the attributes of sampled items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Sample {
    /// Number of items sampled.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether the table has no more.
    pub is_all: bool,
    /// The attributes.
    pub attributes: Vec<AttributeFacts>,
}

/// An attribute of sampled items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct AttributeFacts {
    /// Its name.
    pub name: String,
    /// Types of its values.
    pub types: Vec<String>,
    /// Number of items that have it.
    pub items: u64,
    /// Bytes of name and value in all of them.
    pub bytes: u64,
    /// Number of distinct scalar values.
    pub distinct: u64,
    /// Number of items with the most frequent of these; 0 if unknown.
    pub most: u64,
}

/// Returns the names of a key's attributes of one kind, `HASH` or `RANGE`.
pub fn key_names<'k>(key: &'k [KeyElement], kind: &str) -> Vec<&'k str> {
    let of_kind = key.iter().filter(|element| element.key_type == kind);
    of_kind.map(|element| element.attribute_name.as_str()).collect()
}

impl Sample {
    /// Returns an attribute; none if no sampled item has it.
    pub fn attribute(&self, name: &str) -> Option<&AttributeFacts> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}
