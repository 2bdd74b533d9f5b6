//! Models of NoSQL Workbench: tables, global indexes, facets and sample data. Source: models that NoSQL Workbench
//! exports, version 3.0.

use super::{Written, key_of, lost};
use crate::plan::{Facet, TablePlan};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a model of tables. An index whose key has several attributes for one role is left out and told; a table
/// with such a key is refused, in a sentence.
pub fn write(tables: &[TablePlan], model: &str) -> Result<Written, String> {
    let mut told = lost(tables, true);
    let written: Vec<Value> =
        tables.iter().map(|it| table(it, &mut told)).collect::<Result<_, _>>()?;
    let model = json!({
        "ModelName": model,
        "ModelMetadata": {
            "Author": "", "DateCreated": "", "DateLastModified": "", "Description": "",
            "AWSService": "Amazon DynamoDB", "Version": "3.0",
        },
        "DataModel": written,
    });
    Ok(Written { text: format!("{model:#}\n"), lost: told })
}

fn table(plan: &TablePlan, lost: &mut Vec<String>) -> Result<Value, String> {
    let request = Value::Object(plan.request.clone());
    let types = types(&request);
    let keys = keys(&request, &types)
        .ok_or_else(|| format!("{}: a model has no key of several attributes", plan.name))?;
    let mut table = Map::new();
    table.insert("TableName".to_owned(), json!(plan.name));
    table.insert("KeyAttributes".to_owned(), keys);
    table.insert("NonKeyAttributes".to_owned(), Value::Array(non_keys(plan, &request)));
    let facets: Vec<Value> = plan.facets.iter().map(|it| facet(plan, it)).collect();
    table.insert("TableFacets".to_owned(), Value::Array(facets));
    for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        let mut written = Vec::new();
        for it in request[kind].as_array().into_iter().flatten() {
            match index(it, &types) {
                Some(index) => written.push(index),
                None => lost.push(several(&plan.name, it)),
            }
        }
        if !written.is_empty() || kind == "GlobalSecondaryIndexes" {
            table.insert(kind.to_owned(), Value::Array(written));
        }
    }
    // Items of facets stand in the facets.
    let of_facets: BTreeSet<usize> =
        plan.facets.iter().flat_map(|it| it.rows.iter().copied()).collect();
    let others = plan.items.iter().enumerate().filter(|(row, _)| !of_facets.contains(row));
    let others: Vec<Value> = others.map(|(_, item)| Value::Object(item.clone())).collect();
    table.insert("TableData".to_owned(), Value::Array(others));
    table.insert("DataAccess".to_owned(), json!({ "MySql": {} }));
    billing(&request, &mut table);
    tell_lost(plan, &request, lost);
    Ok(Value::Object(table))
}

fn billing(request: &Value, table: &mut Map<String, Value>) {
    let units = request
        .get("ProvisionedThroughput")
        .filter(|_| request["BillingMode"] != "PAY_PER_REQUEST");
    let mode = if units.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" };
    table.insert("BillingMode".to_owned(), json!(mode));
    if let Some(units) = units {
        let settings = json!({ "ProvisionedThroughput": units });
        table.insert("ProvisionedCapacitySettings".to_owned(), settings);
    }
}

/// Adds what a model cannot say of a table.
fn tell_lost(plan: &TablePlan, request: &Value, lost: &mut Vec<String>) {
    let name = &plan.name;
    if let Some(attribute) = &plan.time_to_live {
        lost.push(format!("{name}: time to live by {attribute}, which a model has not"));
    }
    for member in [
        "StreamSpecification",
        "SSESpecification",
        "TableClass",
        "Tags",
        "DeletionProtectionEnabled",
        "OnDemandThroughput",
        "WarmThroughput",
    ] {
        if plan.canonical().contains_key(member) {
            lost.push(format!("{name}: {member}, which a model has not"));
        }
    }
    let of_table = request.get("ProvisionedThroughput");
    let indexes = request["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
    let written = indexes.filter(|index| keys(index, &types(request)).is_some());
    for index in written.filter(|index| index.get("ProvisionedThroughput") != of_table) {
        let index = index["IndexName"].as_str().unwrap_or_default();
        lost.push(format!(
            "{name}: units of the index {index}; in a model it has those of the table"
        ));
    }
}

fn types(request: &Value) -> BTreeMap<String, Value> {
    let definitions = request["AttributeDefinitions"].as_array().into_iter().flatten();
    let pairs = definitions.filter_map(|it| {
        Some((it["AttributeName"].as_str()?.to_owned(), it["AttributeType"].clone()))
    });
    pairs.collect()
}

fn several(table: &str, index: &Value) -> String {
    let name = index["IndexName"].as_str().unwrap_or_default();
    format!("{table}: the index {name}, because a model has no key of several attributes")
}

/// Returns the key of a table or an index; none if it has several attributes for one role.
fn keys(holder: &Value, types: &BTreeMap<String, Value>) -> Option<Value> {
    let (partition, sort) = key_of(holder);
    if partition.len() != 1 || sort.len() > 1 {
        return None;
    }
    let attribute = |name: &String| {
        let kind = types.get(name).cloned().unwrap_or_else(|| json!("S"));
        json!({ "AttributeName": name, "AttributeType": kind })
    };
    let mut keys = Map::new();
    keys.extend(partition.first().map(|name| ("PartitionKey".to_owned(), attribute(name))));
    keys.extend(sort.first().map(|name| ("SortKey".to_owned(), attribute(name))));
    Some(Value::Object(keys))
}

fn index(index: &Value, types: &BTreeMap<String, Value>) -> Option<Value> {
    let keys = keys(index, types)?;
    let projection =
        index.get("Projection").cloned().unwrap_or_else(|| json!({ "ProjectionType": "ALL" }));
    Some(
        json!({ "IndexName": index["IndexName"], "KeyAttributes": keys, "Projection": projection }),
    )
}

/// Returns the other attributes of the sample items, each with the type of its first value.
fn non_keys(plan: &TablePlan, request: &Value) -> Vec<Value> {
    const NAMES_MAX: usize = 1000;
    let (partition, sort) = key_of(request);
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, value) in plan.items.iter().flatten() {
        let is_key = partition.contains(name) || sort.contains(name);
        let kind = value.as_object().and_then(|value| value.keys().next());
        if let Some(kind) = kind.filter(|_| !is_key && types.len() < NAMES_MAX) {
            types.entry(name).or_insert(kind);
        }
    }
    let attribute = |(name, kind)| json!({ "AttributeName": name, "AttributeType": kind });
    types.into_iter().map(attribute).collect()
}

fn facet(plan: &TablePlan, facet: &Facet) -> Value {
    let mut alias = Map::new();
    alias.insert("PartitionKeyAlias".to_owned(), json!(facet.partition));
    alias.extend(facet.sort.as_ref().map(|sort| ("SortKeyAlias".to_owned(), json!(sort))));
    let items: Vec<&Map<String, Value>> =
        facet.rows.iter().filter_map(|row| plan.items.get(*row)).collect();
    json!({
        "FacetName": facet.name, "KeyAttributeAlias": alias, "TableData": items,
        "NonKeyAttributes": facet.attributes, "DataAccess": { "MySql": {} },
    })
}
