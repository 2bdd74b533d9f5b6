//! Models of NoSQL Workbench: tables, indexes and sample data.

use super::definition::{Definition, short};
use super::not_taken::{self, NotTaken};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Members of a table that are taken.
const TAKEN: [&str; 6] = [
    "TableName",
    "KeyAttributes",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "TableData",
    "BillingMode",
];

/// Returns the definition of a table of a model.
pub fn definition(table: Value) -> anyhow::Result<Definition> {
    let Value::Object(table) = table else { bail!("a table is an object, not {}", short(&table)) };
    let name = table.get("TableName").and_then(Value::as_str).context("TableName is missing")?;
    read(name, &table).with_context(|| format!("the table {name}"))
}

fn read(name: &str, table: &Map<String, Value>) -> anyhow::Result<Definition> {
    let mut types = BTreeMap::new();
    let mut request = Map::new();
    request.insert("TableName".to_owned(), json!(name));
    request.insert("KeySchema".to_owned(), key_schema(table.get("KeyAttributes"), &mut types)?);
    let units = units(table);
    let not_taken = not_taken(table, units.is_some());
    for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        let indexes = table.get(kind).and_then(Value::as_array).into_iter().flatten();
        let is_global = kind == "GlobalSecondaryIndexes";
        let read =
            indexes.map(|index| index_of(index, units.as_ref().filter(|_| is_global), &mut types));
        let read = read.collect::<anyhow::Result<Vec<_>>>()?;
        if !read.is_empty() {
            request.insert(kind.to_owned(), Value::Array(read));
        }
    }
    let attributes =
        types.iter().map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }));
    request.insert("AttributeDefinitions".to_owned(), attributes.collect());
    match units {
        Some(units) => request.insert("ProvisionedThroughput".to_owned(), units),
        None => request.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST")),
    };
    Ok(Definition {
        name: name.to_owned(),
        request,
        items: sample_data(table)?,
        not_taken,
        ..Definition::default()
    })
}

/// Returns the items of a table and of its facets, each once.
fn sample_data(table: &Map<String, Value>) -> anyhow::Result<Vec<Map<String, Value>>> {
    let data = |holder: &'_ Value| holder.as_array().cloned().unwrap_or_default();
    let mut all = table.get("TableData").map(data).unwrap_or_default();
    let facets = table.get("TableFacets").and_then(Value::as_array).into_iter().flatten();
    all.extend(facets.filter_map(|facet| facet.get("TableData")).flat_map(data));
    let mut items = Vec::new();
    let mut seen = BTreeSet::new();
    for item in all {
        let Value::Object(item) = item else {
            bail!("sample data: an item is an object, not {}", short(&item));
        };
        // A model may show an item in its table and in a facet.
        if seen.insert(Value::Object(item.clone()).to_string()) {
            items.push(item);
        }
    }
    Ok(items)
}

/// Returns the notes on members of a table that have no meaning here.
fn not_taken(table: &Map<String, Value>, has_units: bool) -> Vec<NotTaken> {
    let mut taken = TAKEN.to_vec();
    taken.extend(has_units.then_some("ProvisionedCapacitySettings"));
    let mut notes = not_taken::but(table, &taken, "");
    if has_units && let Some(Value::Object(settings)) = table.get("ProvisionedCapacitySettings") {
        notes.extend(not_taken::but(settings, &["ProvisionedThroughput"], "the settings"));
    }
    let mut keys_of = |holder: &Map<String, Value>| {
        for member in holder.get("KeyAttributes").and_then(Value::as_object).into_iter().flatten() {
            let (name, Value::Object(key)) = member else { continue };
            if ["PartitionKey", "SortKey"].contains(&name.as_str()) {
                notes.extend(not_taken::but(key, &["AttributeName", "AttributeType"], name));
            } else {
                notes.push(NotTaken::member(name, "KeyAttributes"));
            }
        }
    };
    keys_of(table);
    let mut indexes = Vec::new();
    for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        indexes.extend(table.get(kind).and_then(Value::as_array).into_iter().flatten());
    }
    let indexes: Vec<_> = indexes.into_iter().filter_map(Value::as_object).collect();
    indexes.iter().copied().for_each(keys_of);
    for index in indexes {
        let taken = ["IndexName", "KeyAttributes", "Projection"];
        notes.extend(not_taken::but(index, &taken, "an index"));
    }
    notes
}

/// Returns the key schema and notes the types of its attributes.
fn key_schema(keys: Option<&Value>, types: &mut BTreeMap<String, String>) -> anyhow::Result<Value> {
    let keys = keys.context("KeyAttributes is missing")?;
    let mut schema = Vec::new();
    for (member, kind) in [("PartitionKey", "HASH"), ("SortKey", "RANGE")] {
        let Some(key) = keys.get(member) else { continue };
        let text = |name: &str| {
            key[name].as_str().with_context(|| format!("{name} of {member} is missing"))
        };
        let (name, of_type) = (text("AttributeName")?, text("AttributeType")?);
        if let Some(known) = types.insert(name.to_owned(), of_type.to_owned())
            && known != of_type
        {
            bail!("the attribute {name} has the type {known} in one key and {of_type} in another");
        }
        schema.push(json!({ "AttributeName": name, "KeyType": kind }));
    }
    Ok(Value::Array(schema))
}

fn index_of(
    index: &Value,
    units: Option<&Value>,
    types: &mut BTreeMap<String, String>,
) -> anyhow::Result<Value> {
    let name = index["IndexName"].as_str().context("IndexName is missing")?;
    let keys = key_schema(index.get("KeyAttributes"), types);
    let keys = keys.with_context(|| format!("the index {name}"))?;
    let all = || json!({ "ProjectionType": "ALL" });
    let projection = index.get("Projection").cloned().unwrap_or_else(all);
    let mut read = json!({ "IndexName": name, "KeySchema": keys, "Projection": projection });
    if let (Some(units), Some(read)) = (units, read.as_object_mut()) {
        read.insert("ProvisionedThroughput".to_owned(), units.clone());
    }
    Ok(read)
}

/// Returns the provisioned units of a table that is not on demand.
fn units(table: &Map<String, Value>) -> Option<Value> {
    if table.get("BillingMode").and_then(Value::as_str) != Some("PROVISIONED") {
        return None;
    }
    let given = table.get("ProvisionedCapacitySettings")?.get("ProvisionedThroughput")?;
    Some(given.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_tables_indexes_and_data() {
        let key = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
        let model = json!({
            "TableName": "T",
            "KeyAttributes": {"PartitionKey": key("pk", "S"), "SortKey": key("sk", "N")},
            "NonKeyAttributes": [key("x", "S")],
            "GlobalSecondaryIndexes": [{"IndexName": "g", "KeyAttributes": {"PartitionKey": key("sk", "N")},
                "Projection": {"ProjectionType": "KEYS_ONLY"}}],
            "TableData": [{"pk": {"S": "a"}, "sk": {"N": "1"}}],
            "DataAccess": {"MySql": {}},
            "BillingMode": "PROVISIONED",
            "ProvisionedCapacitySettings": {"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}},
            "Novelty": 1,
        });
        let units = json!({"ReadCapacityUnits": 5, "WriteCapacityUnits": 6});
        let read = definition(model).unwrap();
        assert_eq!(
            Value::Object(read.request),
            json!({
                "TableName": "T",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                "GlobalSecondaryIndexes": [{"IndexName": "g", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"}, "ProvisionedThroughput": units}],
                "AttributeDefinitions": [key("pk", "S"), key("sk", "N")],
                "ProvisionedThroughput": units,
            })
        );
        assert_eq!(read.items.len(), 1);
        let mut whats: Vec<_> = read.not_taken.into_iter().map(|note| note.what).collect();
        whats.sort_unstable();
        assert_eq!(whats, ["DataAccess", "NonKeyAttributes", "Novelty"]);
    }

    #[test]
    fn a_broken_model_is_refused_with_its_place() {
        let key =
            |kind: &str| json!({"PartitionKey": {"AttributeName": "a", "AttributeType": kind}});
        for (model, expected) in [
            (json!(1), "a table is an object, not 1"),
            (json!({}), "TableName is missing"),
            (json!({"TableName": "T"}), "the table T: KeyAttributes is missing"),
            (
                json!({"TableName": "T", "KeyAttributes": {"PartitionKey": {}}}),
                "the table T: AttributeName of PartitionKey is missing",
            ),
            (
                json!({"TableName": "T", "KeyAttributes": key("S"), "GlobalSecondaryIndexes": [{"IndexName": "g", "KeyAttributes": key("N")}]}),
                "the table T: the index g: the attribute a has the type S in one key and N in another",
            ),
            (
                json!({"TableName": "T", "KeyAttributes": key("S"), "TableData": [1]}),
                "the table T: sample data: an item is an object, not 1",
            ),
        ] {
            assert_eq!(format!("{:#}", definition(model).unwrap_err()), expected);
        }
    }
}
