//! Key templates of tables: derived on every way to write, checked, rewritten in the background, across
//! restarts and servers.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod clients;
mod declaring;
mod generated;
mod naming;
mod primary;
mod rewriting;
mod undo;
mod writing;

use hashrange_engine::{EngineOptions, KeyTemplateDescription, TemplateMode};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

const BY_STATUS: &str = r#"GSI1SK = "{status}#{placedAt:iso:s}" when status in [OPEN, PLACED]"#;
const BY_TOTAL: &str = "LSI1SK = 'T#{price:pad:6.2:desc}'";

fn memory() -> Database {
    Database::memory(EngineOptions::default())
}

fn without_jobs() -> EngineOptions {
    EngineOptions { jobs_run: false, ..EngineOptions::default() }
}

/// Creates the table `orders`: a global index of GSI1PK and GSI1SK, a local one of LSI1SK, and a stream.
fn create(database: &Database) {
    let names = ["pk", "sk", "GSI1PK", "GSI1SK", "LSI1SK"];
    let definitions = names.map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let key = |hash: &str, range: &str| {
        json!([
            {"AttributeName": hash, "KeyType": "HASH"},
            {"AttributeName": range, "KeyType": "RANGE"},
        ])
    };
    let all = json!({"ProjectionType": "ALL"});
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": definitions, "KeySchema": key("pk", "sk"),
            "LocalSecondaryIndexes": [
                {"IndexName": "local", "KeySchema": key("pk", "LSI1SK"), "Projection": all}
            ],
            "GlobalSecondaryIndexes": [
                {"IndexName": "global", "KeySchema": key("GSI1PK", "GSI1SK"), "Projection": all}
            ],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        }),
    );
}

fn declare(database: &Database, text: &str, mode: TemplateMode) -> KeyTemplateDescription {
    block_on(database.engine.put_key_template("orders", text, mode))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fill(database: &Database, text: &str) -> KeyTemplateDescription {
    declare(database, text, TemplateMode::Fill)
}

fn refused(database: &Database, text: &str, mode: TemplateMode) -> String {
    match block_on(database.engine.put_key_template("orders", text, mode)) {
        Ok(declared) => panic!("{text}: {declared:?}"),
        Err(error) => error.to_string(),
    }
}

fn described(database: &Database) -> Vec<KeyTemplateDescription> {
    block_on(database.engine.describe_key_templates("orders")).unwrap()
}

/// Returns the key of an item.
fn key(sk: &str) -> Json {
    json!({"pk": {"S": "p"}, "sk": {"S": sk}})
}

/// Returns an order without what is derived.
fn order(sk: &str, status: &str, price: &str) -> Json {
    json!({
        "pk": {"S": "p"}, "sk": {"S": sk}, "GSI1PK": {"S": "all"}, "status": {"S": status},
        "placedAt": {"S": "2026-11-25T09:30:00+02:00"}, "price": {"N": price},
    })
}

fn put(database: &Database, item: &Json) {
    database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
}

fn get(database: &Database, sk: &str) -> Json {
    let request = json!({"TableName": "orders", "Key": key(sk), "ConsistentRead": true});
    database.ok("GetItem", &request)["Item"].clone()
}

/// Returns GSI1SK and LSI1SK of an item, `-` for one that is absent.
fn derived(database: &Database, sk: &str) -> String {
    let item = get(database, sk);
    let text = |name: &str| item[name]["S"].as_str().unwrap_or("-").to_owned();
    format!("{} {}", text("GSI1SK"), text("LSI1SK"))
}

/// Returns the sort keys of the items in the global index, in its order.
fn indexed(database: &Database) -> Vec<String> {
    let request = json!({
        "TableName": "orders", "IndexName": "global", "KeyConditionExpression": "GSI1PK = :all",
        "ExpressionAttributeValues": {":all": {"S": "all"}},
    });
    let answer = database.ok("Query", &request);
    let items = answer["Items"].as_array().unwrap().iter();
    items.map(|item| item["sk"]["S"].as_str().unwrap().to_owned()).collect()
}
