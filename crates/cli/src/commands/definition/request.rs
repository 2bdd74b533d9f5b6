//! Members of CreateTable and UpdateTable from the arguments of the command line.

use super::grammar::{self, Attribute, Index, Projection, Throughput};
use crate::arguments::{StreamImage, TableClass};
use crate::exit::Usage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The types of key attributes, each given once at least.
#[derive(Debug, Default)]
pub struct Types(BTreeMap<String, Option<&'static str>>);

impl Types {
    /// Notes attributes and the types that are given with them.
    pub fn add(&mut self, attributes: &[Attribute]) -> anyhow::Result<()> {
        for Attribute { name, key_type } in attributes {
            let known = self.0.entry(name.clone()).or_default();
            match (*known, *key_type) {
                (Some(one), Some(other)) if one != other => {
                    let text =
                        format!("attribute {name} is {one} in one place, {other} in another");
                    return Err(Usage(text).into());
                }
                _ => *known = known.or(*key_type),
            }
        }
        Ok(())
    }

    /// Notes the types in a table's description; the database checks them, not this program.
    pub fn add_described(&mut self, table: &Value) {
        for definition in table["AttributeDefinitions"].as_array().into_iter().flatten() {
            let name = definition["AttributeName"].as_str().unwrap_or_default();
            let written = definition["AttributeType"].as_str();
            let key_type = ["S", "N", "B"].into_iter().find(|known| Some(*known) == written);
            if let Some(known) = self.0.get_mut(name) {
                *known = known.or(key_type);
            }
        }
    }

    /// Returns the definitions of attributes whose type is known.
    pub fn known(&self) -> Value {
        let known = self.0.iter().filter_map(|(name, key_type)| Some((name, (*key_type)?)));
        known.map(|(name, it)| json!({ "AttributeName": name, "AttributeType": it })).collect()
    }

    /// Returns the definitions as a request has them.
    pub fn definitions(&self) -> anyhow::Result<Value> {
        let mut definitions = Vec::new();
        for (name, key_type) in &self.0 {
            let Some(key_type) = key_type else {
                let text = format!(
                    "attribute {name} has no type: write {name}:S for text, {name}:N for a \
                     number, {name}:B for binary"
                );
                return Err(Usage(text).into());
            };
            definitions.push(json!({ "AttributeName": name, "AttributeType": key_type }));
        }
        Ok(Value::Array(definitions))
    }
}

/// Reads the value of a flag, or refuses it by the flag's name.
pub fn read<T>(
    flag: &str,
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> anyhow::Result<T> {
    read(text).map_err(|problem| Usage(format!("{flag} {text}: {problem}")).into())
}

/// Reads all values of a flag.
pub fn read_all<T>(
    flag: &str,
    texts: &[String],
    reads: impl Fn(&str) -> Result<T, String> + Copy,
) -> anyhow::Result<Vec<T>> {
    texts.iter().map(|text| read(flag, text, reads)).collect()
}

/// Returns a key schema.
pub fn key_schema(partition: &[Attribute], sort: &[Attribute]) -> Value {
    let element = |attribute: &Attribute, key_type: &str| json!({ "AttributeName": attribute.name, "KeyType": key_type });
    let partition = partition.iter().map(|attribute| element(attribute, "HASH"));
    let sort = sort.iter().map(|attribute| element(attribute, "RANGE"));
    partition.chain(sort).collect()
}

/// Returns an index without its units.
pub fn index(index: &Index, partition: &[Attribute]) -> Value {
    json!({
        "IndexName": index.name,
        "KeySchema": key_schema(partition, &index.sort),
        "Projection": projection(&index.projection),
    })
}

/// Returns the projection of an index.
pub fn projection(projection: &Projection) -> Value {
    match projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    }
}

/// Returns provisioned units.
pub fn provisioned(throughput: Throughput) -> Value {
    json!({ "ReadCapacityUnits": throughput.read, "WriteCapacityUnits": throughput.write })
}

/// Returns the most units on demand.
pub fn on_demand_most(throughput: Throughput) -> Value {
    json!({ "MaxReadRequestUnits": throughput.read, "MaxWriteRequestUnits": throughput.write })
}

/// Returns the specification of a stream.
pub fn stream(image: StreamImage) -> Value {
    let view = match image {
        StreamImage::NewAndOld => "NEW_AND_OLD_IMAGES",
        StreamImage::New => "NEW_IMAGE",
        StreamImage::Old => "OLD_IMAGE",
        StreamImage::Keys => "KEYS_ONLY",
    };
    json!({ "StreamEnabled": true, "StreamViewType": view })
}

/// Returns the wire's name of a class.
pub fn class(class: TableClass) -> &'static str {
    match class {
        TableClass::Standard => "STANDARD",
        TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
    }
}

/// Returns tags.
pub fn tags(texts: &[String]) -> anyhow::Result<Value> {
    let tags = read_all("--tag", texts, grammar::pair)?;
    Ok(tags.into_iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect())
}
