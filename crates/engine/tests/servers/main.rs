//! Several servers on one store: each may change what the others use.
//!
//! The store does what a shared one may: views show newer states as time goes by, commits are decided
//! again and lost to others ([`hashrange_testkit::contended`]).

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod background;
mod definitions;
mod writing;

use hashrange_engine::EngineOptions;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

/// Returns two servers whose jobs are done when the test says so.
fn two() -> [Database; 2] {
    let options = EngineOptions { jobs_run: false, ..EngineOptions::default() };
    Database::sharing(2, &options).try_into().unwrap()
}

/// Returns the request that creates a table with these key attributes, all strings.
fn creation(table: &str, key: &[&str]) -> Json {
    let definitions = key.iter().map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let schema = key.iter().zip(["HASH", "RANGE"]);
    let schema = schema.map(|(name, role)| json!({"AttributeName": name, "KeyType": role}));
    json!({
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions.collect::<Vec<_>>(),
        "KeySchema": schema.collect::<Vec<_>>(),
    })
}

fn put(table: &str, pk: &str) -> Json {
    json!({"TableName": table, "Item": {"pk": {"S": pk}, "other": {"S": pk}}})
}

fn get(table: &str, pk: &str) -> Json {
    json!({"TableName": table, "Key": {"pk": {"S": pk}}, "ConsistentRead": true})
}

/// Returns the request that adds an index by the attribute `other`.
fn index_creation(table: &str) -> Json {
    json!({
        "TableName": table,
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "other", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
        }}],
    })
}
