//! Requests of CreateTable from answers of DescribeTable.

use super::definition::{Definition, is_true};
use super::not_taken::{self, NotTaken};
use anyhow::Context;
use serde_json::{Map, Value, json};

/// Members that a request has as an answer has them.
const SAME: [&str; 6] = [
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "StreamSpecification",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
];
/// Members that a request has in another form.
const CHANGED: [&str; 7] = [
    "BillingModeSummary",
    "ProvisionedThroughput",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "TableClassSummary",
    "SSEDescription",
    "WarmThroughput",
];
/// Warm throughput of an on-demand table that has asked for none, in read and write units per second. Source:
/// developer guide, warm throughput.
const WARM_ON_DEMAND: [u64; 2] = [12_000, 4_000];
/// Ending of the name of the key that the service has for the account.
const USUAL_KEY: &str = "alias/aws/dynamodb";

/// Returns the definition of a described table.
pub fn definition(table: &Map<String, Value>) -> anyhow::Result<Definition> {
    let name = table.get("TableName").and_then(Value::as_str).context("TableName is missing")?;
    let mut request: Map<String, Value> = SAME
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), table.get(*name)?.clone())))
        .collect();
    if !table.get("StreamSpecification").is_some_and(|stream| is_true(&stream["StreamEnabled"])) {
        request.remove("StreamSpecification");
    }
    let is_on_demand = table
        .get("BillingModeSummary")
        .is_some_and(|summary| summary["BillingMode"] == "PAY_PER_REQUEST");
    if is_on_demand {
        request.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
    } else if let Some(units) = table.get("ProvisionedThroughput") {
        request.insert("ProvisionedThroughput".to_owned(), units_of(units));
    }
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        let indexes = table.get(kind).and_then(Value::as_array);
        let indexes: Vec<_> =
            indexes.into_iter().flatten().map(|index| index_of(index, is_on_demand)).collect();
        if !indexes.is_empty() {
            request.insert(kind.to_owned(), Value::Array(indexes));
        }
    }
    if let Some(class) =
        table.get("TableClassSummary").and_then(|summary| summary.get("TableClass"))
    {
        request.insert("TableClass".to_owned(), class.clone());
    }
    if table.get("SSEDescription").is_some_and(|encryption| encryption["Status"] == "ENABLED") {
        let key = table["SSEDescription"].get("KMSMasterKeyArn").and_then(Value::as_str);
        let mut encryption = json!({"Enabled": true, "SSEType": "KMS"});
        if let Some(key) = key.filter(|key| !key.ends_with(USUAL_KEY)) {
            encryption["KMSMasterKeyId"] = json!(key);
        }
        request.insert("SSESpecification".to_owned(), encryption);
    }
    request.extend(warm_of(table, is_on_demand));
    let not_taken = not_taken(table);
    Ok(Definition { name: name.to_owned(), request, not_taken, ..Definition::default() })
}

/// Returns the notes on members of a description that no request has.
fn not_taken(table: &Map<String, Value>) -> Vec<NotTaken> {
    const UNITS: [&str; 2] = ["ReadCapacityUnits", "WriteCapacityUnits"];
    const WARM: [&str; 2] = ["ReadUnitsPerSecond", "WriteUnitsPerSecond"];
    let taken: Vec<&str> = SAME.iter().chain(&CHANGED).copied().collect();
    let mut notes = not_taken::but(table, &taken, "");
    let inside = |name: &str, value: Option<&Value>, taken: &[&str]| {
        let members = value.and_then(Value::as_object);
        members.map(|members| not_taken::but(members, taken, name)).unwrap_or_default()
    };
    for (name, taken) in [
        ("BillingModeSummary", &["BillingMode"][..]),
        ("ProvisionedThroughput", &UNITS),
        ("TableClassSummary", &["TableClass"]),
        ("SSEDescription", &["Status", "SSEType", "KMSMasterKeyArn"]),
        ("WarmThroughput", &WARM),
    ] {
        notes.extend(inside(name, table.get(name), taken));
    }
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        for index in table.get(kind).and_then(Value::as_array).into_iter().flatten() {
            notes.extend(inside("an index", Some(index), &not_taken::INDEX));
            let units = index.get("ProvisionedThroughput");
            notes.extend(inside("ProvisionedThroughput", units, &UNITS));
            notes.extend(inside("WarmThroughput", index.get("WarmThroughput"), &WARM));
        }
    }
    notes
}

fn units_of(described: &Value) -> Value {
    json!({
        "ReadCapacityUnits": described["ReadCapacityUnits"],
        "WriteCapacityUnits": described["WriteCapacityUnits"],
    })
}

/// Returns the member that asks for the warm throughput of a table or an index, if it is not what the service gives
/// unasked.
fn warm_of(described: &Map<String, Value>, is_on_demand: bool) -> Option<(String, Value)> {
    let warm = described.get("WarmThroughput")?;
    let [read, write] = ["ReadUnitsPerSecond", "WriteUnitsPerSecond"].map(|it| warm[it].as_u64());
    let usual = if is_on_demand {
        WARM_ON_DEMAND.map(Some)
    } else {
        let units = described.get("ProvisionedThroughput")?;
        ["ReadCapacityUnits", "WriteCapacityUnits"].map(|it| units[it].as_u64())
    };
    if [read, write] == usual {
        return None;
    }
    let asked = json!({ "ReadUnitsPerSecond": read?, "WriteUnitsPerSecond": write? });
    Some(("WarmThroughput".to_owned(), asked))
}

fn index_of(described: &Value, is_on_demand: bool) -> Value {
    let mut index = Map::new();
    for name in ["IndexName", "KeySchema", "Projection", "OnDemandThroughput"] {
        index.extend(described.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    if let Some(units) = described.get("ProvisionedThroughput").filter(|_| !is_on_demand) {
        index.insert("ProvisionedThroughput".to_owned(), units_of(units));
    }
    index.extend(described.as_object().and_then(|it| warm_of(it, is_on_demand)));
    Value::Object(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange::{Database, Operation};

    async fn call(database: &Database, operation: Operation, request: &Value) -> Value {
        let answer = database.call(operation, request.to_string().as_bytes()).await.unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    /// A described table is created again and described in the same way.
    #[tokio::test]
    async fn what_is_described_is_created_as_it_was() {
        let index = |name: &str| {
            json!({"IndexName": name, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "other", "KeyType": "RANGE"}]})
        };
        let base = json!({"TableName": "Tab",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"}, {"AttributeName": "other", "AttributeType": "B"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "LocalSecondaryIndexes": [index("local")]});
        let mut on_demand = base.clone();
        on_demand["BillingMode"] = json!("PAY_PER_REQUEST");
        on_demand["GlobalSecondaryIndexes"] = json!([index("global")]);
        on_demand["StreamSpecification"] =
            json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        on_demand["DeletionProtectionEnabled"] = json!(true);
        on_demand["TableClass"] = json!("STANDARD_INFREQUENT_ACCESS");
        on_demand["SSESpecification"] = json!({"Enabled": true, "SSEType": "KMS",
            "KMSMasterKeyId": "arn:aws:kms:us-east-1:123456789012:key/own"});
        on_demand["WarmThroughput"] =
            json!({"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000});
        let mut provisioned = base;
        let units = json!({"ReadCapacityUnits": 3, "WriteCapacityUnits": 4});
        provisioned["ProvisionedThroughput"] = units.clone();
        provisioned["GlobalSecondaryIndexes"] = json!([index("global")]);
        provisioned["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] = units;
        for request in [on_demand, provisioned] {
            let first = Database::memory();
            call(&first, Operation::CreateTable, &request).await;
            let described =
                call(&first, Operation::DescribeTable, &json!({"TableName": "Tab"})).await;
            let Value::Object(table) = described["Table"].clone() else { panic!("{described}") };
            let read = definition(&table).unwrap();
            for member in ["SSESpecification", "WarmThroughput"] {
                assert_eq!(read.request.get(member), request.get(member), "{member}");
            }
            let others = read.not_taken.iter().filter(|note| note.why != not_taken::STATE);
            assert_eq!(others.count(), 0, "{:?}", read.not_taken);
            let again = Database::memory();
            call(&again, Operation::CreateTable, &Value::Object(read.request)).await;
            let described_again =
                call(&again, Operation::DescribeTable, &json!({"TableName": "Tab"})).await;
            for member in SAME.iter().chain(&CHANGED) {
                let [mut one, mut other] =
                    [&described, &described_again].map(|d| d["Table"][member].clone());
                for value in [&mut one, &mut other] {
                    if let Some(summary) = value.as_object_mut() {
                        summary.retain(|name, _| !name.ends_with("DateTime"));
                    }
                }
                assert_eq!(one, other, "{member}");
            }
        }
    }
}
