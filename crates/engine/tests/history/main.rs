//! The history of tables: what was so at a moment, whoever wrote and whatever the clock said, across
//! restarts, retention and its end.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod as_of;
mod life;
mod model;
mod numbered;
mod older_form;
mod past_indexes;
mod transactions;
mod versions;

use hashrange_engine::{EngineOptions, HistoryDescription, verify};
use hashrange_model::moment;
use hashrange_storage::{Store, block_on};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

fn memory() -> Database {
    Database::memory(EngineOptions::default())
}

/// Creates the table `orders` with a sort key and two indexes.
fn create(database: &Database) {
    let names = ["pk", "sk", "by", "local"];
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
                {"IndexName": "local", "KeySchema": key("pk", "local"), "Projection": all}
            ],
            "GlobalSecondaryIndexes": [
                {"IndexName": "by-by", "KeySchema": key("by", "sk"), "Projection": all}
            ],
        }),
    );
}

fn enable(database: &Database, retention_hours: Option<u32>) -> HistoryDescription {
    block_on(database.engine.enable_history("orders", retention_hours)).unwrap()
}

fn describe(database: &Database) -> HistoryDescription {
    block_on(database.engine.describe_history("orders")).unwrap()
}

fn item(sk: &str, n: i64) -> Json {
    json!({"pk": {"S": "p"}, "sk": {"S": sk}, "n": {"N": n.to_string()}})
}

fn put(database: &Database, sk: &str, n: i64) {
    database.ok("PutItem", &json!({"TableName": "orders", "Item": item(sk, n)}));
}

fn delete(database: &Database, sk: &str) {
    let key = json!({"pk": {"S": "p"}, "sk": {"S": sk}});
    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key}));
}

/// Returns the name of the table as it was.
fn as_of(at_ms: u64) -> String {
    format!("orders.asof.{}", moment::basic(at_ms))
}

/// Returns a read of one item of a table.
fn get(table: &str, sk: &str) -> Json {
    json!({"TableName": table, "Key": {"pk": {"S": "p"}, "sk": {"S": sk}}})
}

/// Returns the number in an item as it was, `-` if there was none.
fn n_as_of(database: &Database, sk: &str, at_ms: u64) -> String {
    let answer = database.ok("GetItem", &get(&as_of(at_ms), sk));
    answer["Item"]["n"]["N"].as_str().unwrap_or("-").to_owned()
}

/// Reads all pages of a Query or Scan.
fn read(database: &Database, operation: &str, mut request: Json) -> Vec<Json> {
    let mut items = Vec::new();
    loop {
        let answer = database.ok(operation, &request);
        items.extend(answer["Items"].as_array().unwrap().iter().cloned());
        match answer.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return items,
        }
    }
}

/// Returns how many keys of history there are in each of its spaces.
fn stored(database: &Database) -> [usize; 3] {
    [0x22, 0x23, 0x24].map(|space| database.stored(&[space]).len())
}

fn check(database: &Database) {
    let view = block_on(database.engine.store().view()).unwrap();
    let report = block_on(verify(&view)).unwrap();
    assert_eq!(report.problems, []);
}
