//! Long pages are read in slices, between which others go first: what they answer is what short
//! pages answer together, and what is short is answered at once.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::EngineOptions;
use hashrange_storage::{Demand, take_demand};
use hashrange_testkit::database::{Database, is_left_out_on_postgres};
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Why slices are not counted on PostgreSQL.
const WAITS: &str = "each read waits for the database, and others go first meanwhile";

/// Together more than a page evaluates.
const ITEMS: usize = 1500;

/// Returns the answer and how often others could go first.
fn call(database: &Database, operation: Operation, request: &Json) -> (Json, usize) {
    let request = request.to_string();
    let mut call = pin!(database.engine.call(operation, request.as_bytes()));
    let mut context = Context::from_waker(Waker::noop());
    let mut pauses = 0;
    loop {
        match call.as_mut().poll(&mut context) {
            Poll::Ready(answer) => {
                return (serde_json::from_slice(&answer.unwrap()).unwrap(), pauses);
            }
            Poll::Pending => assert_eq!(take_demand(), Some(Demand::Long)),
        }
        pauses += 1;
    }
}

/// Returns all that a Query or Scan finds, with the number of items it evaluates.
fn read_all(
    database: &Database,
    operation: Operation,
    mut request: Json,
    limit: Option<usize>,
) -> (Vec<Json>, u64) {
    if let Some(limit) = limit {
        request["Limit"] = json!(limit);
    }
    let (mut items, mut scanned) = (Vec::new(), 0);
    loop {
        let (answer, pauses) = call(database, operation, &request);
        let evaluated = answer["ScannedCount"].as_u64().unwrap();
        assert_eq!(pauses > 0, evaluated > 150, "{evaluated} items, {pauses} pauses");
        items.extend(answer["Items"].as_array().unwrap().iter().cloned());
        scanned += evaluated;
        match answer.get("LastEvaluatedKey") {
            None => return (items, scanned),
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
        }
    }
}

/// Returns a table with one partition of items of 1 KiB, and a local index of their keys.
fn database() -> Database {
    let database = Database::memory(EngineOptions::default());
    let key = |name: &str, role: &str| json!({ "AttributeName": name, "KeyType": role });
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" },
                { "AttributeName": "sk", "AttributeType": "N" },
                { "AttributeName": "back", "AttributeType": "N" }
            ],
            "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
            "LocalSecondaryIndexes": [{
                "IndexName": "local", "KeySchema": [key("pk", "HASH"), key("back", "RANGE")],
                "Projection": { "ProjectionType": "KEYS_ONLY" }
            }]
        }),
    );
    for nth in 0..ITEMS {
        let item = json!({
            "pk": { "S": "p" }, "sk": { "N": nth.to_string() },
            "back": { "N": (ITEMS - nth).to_string() }, "third": { "N": (nth % 3).to_string() },
            "payload": { "S": "x".repeat(1000) }
        });
        database.ok("PutItem", &json!({ "TableName": "table", "Item": item }));
    }
    database
}

#[test]
fn slices_make_the_same_pages() {
    if is_left_out_on_postgres(WAITS) {
        return;
    }
    let database = database();
    let query = |forward: bool, index: Option<&str>| {
        let mut request = json!({
            "TableName": "table", "KeyConditionExpression": "pk = :p", "ScanIndexForward": forward,
            "ExpressionAttributeValues": { ":p": { "S": "p" } }
        });
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
        request
    };
    let mut filtered = query(false, None);
    filtered["FilterExpression"] = json!("third = :one OR third = :two");
    filtered["ExpressionAttributeValues"][":one"] = json!({ "N": "1" });
    filtered["ExpressionAttributeValues"][":two"] = json!({ "N": "2.0" });
    let reads = [
        (Operation::Query, query(true, None), ITEMS),
        (Operation::Query, query(false, None), ITEMS),
        (Operation::Query, query(true, Some("local")), ITEMS),
        (Operation::Query, filtered, ITEMS / 3 * 2),
        (Operation::Scan, json!({ "TableName": "table" }), ITEMS),
    ];
    for (operation, request, expected) in reads {
        let long = read_all(&database, operation, request.clone(), None);
        let short = read_all(&database, operation, request.clone(), Some(100));
        assert_eq!(long.0.len(), expected, "{request}");
        assert_eq!(long, short, "{request}");
    }
}

#[test]
fn items_of_an_index_that_are_read_from_the_table_are_read_in_slices() {
    if is_left_out_on_postgres(WAITS) {
        return;
    }
    let database = database();
    let request = json!({
        "TableName": "table", "IndexName": "local", "Select": "ALL_ATTRIBUTES",
        "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": { ":p": { "S": "p" } }
    });
    let (answer, pauses) = call(&database, Operation::Query, &request);
    let items = answer["Items"].as_array().unwrap();
    assert_eq!(items.len(), ITEMS);
    assert_eq!(items[0]["sk"]["N"], json!((ITEMS - 1).to_string()));
    assert!(pauses > 0);
}

#[test]
fn large_batches_of_items_pause_before_they_are_answered() {
    if is_left_out_on_postgres(WAITS) {
        return;
    }
    let database = database();
    let keys = |count: usize| -> Vec<Json> {
        let key = |nth: usize| json!({ "pk": { "S": "p" }, "sk": { "N": nth.to_string() } });
        (0..count).map(key).collect()
    };
    let batch = |count: usize| json!({ "RequestItems": { "table": { "Keys": keys(count) } } });
    assert_eq!(call(&database, Operation::BatchGetItem, &batch(100)).1, 0);
    let large = json!({ "S": "y".repeat(100_000) });
    for nth in 0..5 {
        let mut item = keys(nth + 1).swap_remove(nth);
        item["payload"] = large.clone();
        database.ok("PutItem", &json!({ "TableName": "table", "Item": item }));
    }
    let (answer, pauses) = call(&database, Operation::BatchGetItem, &batch(5));
    assert_eq!(answer["Responses"]["table"].as_array().unwrap().len(), 5);
    assert!(pauses > 0);
}
