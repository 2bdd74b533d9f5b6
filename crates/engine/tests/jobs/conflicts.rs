//! Commits that other writers are faster than, again and again: the client is told something to try
//! again on, never of a fault of the server, and nothing is written.

use crate::database::{Database, index_creation, time_to_live};
use hashrange_model::{ApiError, ErrorKind};
use serde_json::{Value as Json, json};

fn losing() -> Database {
    let database = Database::new();
    database.create();
    database.turn_time_to_live(true);
    database.pass(0);
    database.losing()
}

/// Returns the error of a request, which leaves everything as it is.
fn refused(operation: &str, request: &Json) -> ApiError {
    let database = losing();
    let before = database.store().entries(&[]);
    let error = database.call(operation, request).unwrap_err();
    assert_eq!(database.store().entries(&[]), before, "{operation}");
    error
}

#[test]
fn writes_of_one_item_conflict_with_a_transaction() {
    let item = json!({"pk": {"S": "a"}});
    let insert = json!({"Statement": "INSERT INTO \"table\" VALUE {'pk': 'new'}"});
    for (operation, request) in [
        ("PutItem", json!({"TableName": "table", "Item": item})),
        ("DeleteItem", json!({"TableName": "table", "Key": item})),
        ("UpdateItem", json!({"TableName": "table", "Key": item})),
        ("ExecuteStatement", insert),
    ] {
        let error = refused(operation, &request).to_string();
        let words = "TransactionConflictException: Transaction is ongoing for the item";
        assert!(error.starts_with(words), "{operation}: {error}");
    }
}

#[test]
fn members_of_a_batch_of_statements_conflict_each() {
    let statement = json!({"Statement": "INSERT INTO \"table\" VALUE {'pk': 'new'}"});
    let answer = losing().ok("BatchExecuteStatement", &json!({"Statements": [statement]}));
    assert_eq!(answer["Responses"][0]["Error"]["Code"], "TransactionConflict");
}

#[test]
fn a_batch_is_throttled() {
    let put = json!({"PutRequest": {"Item": {"pk": {"S": "a"}}}});
    let error = refused("BatchWriteItem", &json!({"RequestItems": {"table": [put]}}));
    assert_eq!(error.to_string(), "ThrottlingException: Rate exceeded");
}

#[test]
fn a_transaction_is_canceled() {
    let put = |name: &str| json!({"Put": {"TableName": "table", "Item": {"pk": {"S": name}}}});
    let request = json!({"TransactItems": [put("a"), put("b")], "ClientRequestToken": "token"});
    let error = refused("TransactWriteItems", &request);
    assert_eq!(error.kind(), ErrorKind::TransactionCanceled);
    assert!(error.to_string().ends_with("[TransactionConflict, TransactionConflict]"), "{error}");
}

#[test]
fn changes_of_tables_are_throttled() {
    let mut creation = json!({
        "TableName": "other", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    });
    creation["Tags"] = json!([{"Key": "a", "Value": "b"}]);
    for (operation, request) in [
        ("CreateTable", creation),
        ("UpdateTable", index_creation("table")),
        ("UpdateTimeToLive", time_to_live("table", false)),
        ("DeleteTable", json!({"TableName": "table"})),
    ] {
        let error = refused(operation, &request);
        assert_eq!(error.to_string(), "ThrottlingException: Rate exceeded", "{operation}");
    }
}

#[test]
fn background_work_waits_until_it_is_let_in() {
    let database = losing();
    database.pass(2 * 60 * 60 * 1000);
    assert_eq!(database.ok("Scan", &json!({"TableName": "table"}))["Count"], 3);
    let database = database.reopened();
    database.pass(0);
    assert_eq!(database.ok("Scan", &json!({"TableName": "table"}))["Count"], 0);
    database.assert_sound();
}
