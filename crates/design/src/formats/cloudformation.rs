//! Templates of CloudFormation: a resource `AWS::DynamoDB::Table` for each table. Source: CloudFormation's reference.

use super::{Written, lost, yaml};
use crate::plan::TablePlan;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Properties that a request has as they are.
const SAME: [&str; 11] = [
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "TableClass",
    "DeletionProtectionEnabled",
    "Tags",
];

/// Returns a template in JSON.
pub fn json(tables: &[TablePlan]) -> Written {
    Written { text: format!("{:#}\n", template(tables)), lost: lost(tables, false) }
}

/// Returns a template in YAML.
pub fn yaml(tables: &[TablePlan]) -> Written {
    Written { text: yaml::text(&template(tables)), lost: lost(tables, false) }
}

fn template(tables: &[TablePlan]) -> Value {
    let mut resources = Map::new();
    let mut ids = BTreeSet::new();
    for table in tables {
        let properties = properties(table);
        let resource = json!({ "Type": "AWS::DynamoDB::Table", "Properties": properties });
        resources.insert(id(&table.name, &mut ids), resource);
    }
    json!({ "AWSTemplateFormatVersion": "2010-09-09", "Resources": resources })
}

/// Returns a logical id, which has letters and digits only, and which no other table has.
fn id(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id: String = name
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter_map(|word| {
            let (first, rest) = word.split_at_checked(1)?;
            Some(first.to_ascii_uppercase() + rest)
        })
        .collect();
    if id.is_empty() {
        "Table".clone_into(&mut id);
    }
    let base = id.clone();
    let mut nth = 1;
    while !taken.insert(id.clone()) {
        nth += 1;
        id = format!("{base}{nth}");
    }
    id
}

fn properties(table: &TablePlan) -> Map<String, Value> {
    let mut properties = Map::new();
    properties.insert("TableName".to_owned(), json!(table.name));
    for name in SAME {
        if let Some(value) = table.request.get(name) {
            properties.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(stream) = table.request.get("StreamSpecification")
        && stream["StreamEnabled"] != json!(false)
    {
        let view = json!({ "StreamViewType": stream["StreamViewType"] });
        properties.insert("StreamSpecification".to_owned(), view);
    }
    if let Some(encryption) = table.canonical().get("SSESpecification") {
        let mut told = Map::new();
        told.insert("SSEEnabled".to_owned(), encryption["Enabled"].clone());
        for name in ["SSEType", "KMSMasterKeyId"] {
            told.extend(encryption.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        properties.insert("SSESpecification".to_owned(), Value::Object(told));
    }
    if let Some(attribute) = &table.time_to_live {
        let told = json!({ "AttributeName": attribute, "Enabled": true });
        properties.insert("TimeToLiveSpecification".to_owned(), told);
    }
    properties
}
