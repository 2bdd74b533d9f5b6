//! The matrix of a table and of each index: templates of partition keys by templates of sort keys, with the entity that
//! stands in each cell.

use super::{Entity, KeyPattern};
use crate::words::count;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hashrange_cost::{Definition, KeyElement};
use hashrange_model::{Item, ValueRef};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The keys of a table or of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyMatrix {
    /// The index; none of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Its cells, in the order of the entities.
    pub cells: Vec<MatrixCell>,
}

/// Items of one entity in a table or index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct MatrixCell {
    /// Pattern of the partition key; of several attributes, separated by commas.
    pub partition: String,
    /// Pattern of the sort key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Name of the entity.
    pub entity: String,
    /// Items of it that are there, in the sample.
    pub items: u64,
    /// Bytes of these items.
    pub bytes: u64,
    /// Key of one: that of the index, if it is one, and that of the table.
    #[serde(serialize_with = "written")]
    pub example: Item,
}

/// Returns the matrix of a table and of each index that has items.
pub(super) fn of(definition: &Definition, entities: &[Entity], items: &[Item]) -> Vec<KeyMatrix> {
    let base = &definition.key_schema[..];
    let local = definition.local_secondary_indexes.iter();
    let indexes = local.chain(&definition.global_secondary_indexes);
    let indexes = indexes.map(|index| (Some(&index.index_name), &index.key_schema[..]));
    std::iter::once((None, base))
        .chain(indexes)
        .map(|(index, schema)| {
            let cell = |entity| cell(definition, (base, schema), entity, items);
            let cells = entities.iter().filter_map(cell);
            KeyMatrix { index: index.cloned(), cells: cells.collect() }
        })
        .filter(|matrix| matrix.index.is_none() || !matrix.cells.is_empty())
        .collect()
}

/// Returns the cell of an entity; none if none of its items are there.
fn cell(
    definition: &Definition,
    (base, schema): (&[KeyElement], &[KeyElement]),
    entity: &Entity,
    items: &[Item],
) -> Option<MatrixCell> {
    let is_typed = |item: &Item, name: &str| {
        let mut types = definition.attribute_definitions.iter();
        let defined = types.find(|defined| defined.attribute_name == name);
        let value = item.get(name).map(|value| value.attribute_type().as_str());
        value.is_some() && value == defined.map(|defined| &defined.attribute_type[..])
    };
    let has = |item: &&Item| schema.iter().all(|element| is_typed(item, &element.attribute_name));
    let within = entity.rows.iter().filter_map(|row| items.get(*row)).filter(has);
    let within: Vec<&Item> = within.collect();
    let is_key =
        |name: &str| base.iter().chain(schema).any(|element| element.attribute_name == name);
    Some(MatrixCell {
        partition: pattern(&entity.keys, schema, "HASH").unwrap_or_default(),
        sort: pattern(&entity.keys, schema, "RANGE"),
        entity: entity.name.clone(),
        items: count(within.len()),
        bytes: within.iter().fold(0, |sum, item| sum + count(item.size())),
        example: within.first()?.retain(is_key),
    })
}

/// Returns the patterns of the attributes with a role in a key; none if there is no such attribute.
fn pattern(keys: &[KeyPattern], schema: &[KeyElement], role: &str) -> Option<String> {
    let names = schema.iter().filter(|element| element.key_type == role);
    let patterns = names.map(|element| {
        let of = |key: &&KeyPattern| key.attribute == element.attribute_name;
        keys.iter().find(of).map_or("{}", |key| &key.pattern)
    });
    let patterns: Vec<&str> = patterns.collect();
    (!patterns.is_empty()).then(|| patterns.join(", "))
}

/// Writes a key as the service does.
fn written<S: Serializer>(key: &Item, serializer: S) -> Result<S::Ok, S::Error> {
    let value = |value: ValueRef<'_>| match value {
        ValueRef::S(text) => Some(json!({ "S": text })),
        ValueRef::N(number) => Some(json!({ "N": number.to_number().to_string() })),
        ValueRef::B(bytes) => Some(json!({ "B": BASE64.encode(bytes) })),
        _ => None,
    };
    let members = key.iter().filter_map(|(name, of)| Some((name.to_owned(), value(of)?)));
    Value::Object(members.collect::<Map<_, _>>()).serialize(serializer)
}
