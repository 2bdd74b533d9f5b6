//! A contract that is enforced: what it does not know is refused, on every way to read and write, and nothing
//! of it is done.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::cost::{Contract, Guard, Usage, metered};
use hashrange::{Database, Operation, block_on};
use serde_json::{Value, json};
use std::sync::Arc;

const CONTRACT: &str = r#"{"Version": 1, "Patterns": [
    {"Name": "an item", "Operation": "GetItem", "Table": "known"},
    {"Name": "by state", "Operation": "Query", "Table": "known", "Index": "by-state", "Pattern": "state = ?"},
    {"Name": "all", "Operation": "Scan", "Table": "known", "Pattern": ""},
    {"Name": "put", "Operation": "PutItem", "Table": "known", "Pattern": "IF attribute_not_exists(pk)"},
    {"Name": "change", "Operation": "UpdateItem", "Table": "known"},
    {"Name": "statement", "Operation": "ExecuteStatement", "Table": "known", "Pattern": "WHERE pk = ?"},
    {"Name": "batch", "Operation": "BatchWriteItem", "Table": "known"},
    {"Name": "reads", "Operation": "BatchGetItem", "Table": "known"},
    {"Name": "transaction", "Operation": "TransactWriteItems", "Table": "known"},
    {"Name": "one state", "Operation": "TransactGetItems", "Table": "known"}
]}"#;

struct Held {
    database: Database,
    guard: Arc<Guard>,
}

impl Held {
    fn new(is_enforced: bool) -> Self {
        Self::to(CONTRACT, is_enforced)
    }

    fn to(contract: &str, is_enforced: bool) -> Self {
        let database = Database::memory();
        for name in ["known", "unknown"] {
            let request = json!({
                "TableName": name, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "state", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "GlobalSecondaryIndexes": [{
                    "IndexName": "by-state", "Projection": {"ProjectionType": "ALL"},
                    "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}]}],
            });
            block_on(database.call(Operation::CreateTable, request.to_string().as_bytes()))
                .unwrap();
            let put = json!({"TableName": name, "Item": item("a")});
            block_on(database.call(Operation::PutItem, put.to_string().as_bytes())).unwrap();
        }
        let contract = Contract::read(contract.as_bytes()).unwrap();
        Self { database, guard: Arc::new(Guard::new(contract, is_enforced)) }
    }

    fn run(&self, operation: Operation, request: &Value) -> (Result<Value, String>, Usage) {
        let body = request.to_string();
        let call = self.database.call(operation, body.as_bytes());
        let (answer, usage) = block_on(metered(self.guard.run(operation.name(), call)));
        let answer = answer.map(|body| serde_json::from_slice(&body).unwrap());
        (answer.map_err(|error| error.to_string()), usage)
    }

    /// Returns all that is stored.
    fn stored(&self) -> Vec<Vec<u8>> {
        let scan = |name: &str| {
            let request = json!({"TableName": name}).to_string();
            block_on(self.database.call(Operation::Scan, request.as_bytes())).unwrap()
        };
        ["known", "unknown"].map(scan).to_vec()
    }
}

fn item(key: &str) -> Value {
    json!({"pk": {"S": key}, "state": {"S": "OPEN"}})
}

fn key(key: &str) -> Value {
    json!({"pk": {"S": key}})
}

/// Each kind of request, as the contract knows it and as it does not, with what the refusal names.
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn cases() -> Vec<(Operation, Value, Value, &'static str)> {
    let values = json!({":v": {"S": "OPEN"}});
    let query = |index: bool| {
        let mut query = json!({"TableName": "known", "KeyConditionExpression": "#s = :v",
            "ExpressionAttributeNames": {"#s": if index { "state" } else { "pk" }},
            "ExpressionAttributeValues": values});
        if index {
            query["IndexName"] = json!("by-state");
        }
        query
    };
    let batch = |other: &str| {
        json!({"RequestItems": {"known": [{"PutRequest": {"Item": item("b")}}],
            other: [{"DeleteRequest": {"Key": key("a")}}]}})
    };
    let put = |table: &str, name: &str| json!({"Put": {"TableName": table, "Item": item(name)}});
    let get = |table: &str| json!({"Get": {"TableName": table, "Key": key("a")}});
    let update = |table: &str| {
        json!({"TableName": table, "Key": key("a"), "UpdateExpression": "SET note = :v",
            "ExpressionAttributeValues": values})
    };
    vec![
        (
            Operation::GetItem,
            json!({"TableName": "known", "Key": key("a")}),
            json!({"TableName": "unknown", "Key": key("a")}),
            "GetItem unknown",
        ),
        (Operation::Query, query(true), query(false), "Query known pk = ?"),
        (
            Operation::Scan,
            json!({"TableName": "known"}),
            json!({"TableName": "known", "IndexName": "by-state"}),
            "Scan known/by-state",
        ),
        (
            Operation::PutItem,
            json!({"TableName": "known", "Item": item("n"), "ConditionExpression": "attribute_not_exists(pk)"}),
            json!({"TableName": "known", "Item": item("b")}),
            "PutItem known",
        ),
        (
            Operation::UpdateItem,
            update("known"),
            update("unknown"),
            "UpdateItem unknown UPDATES note",
        ),
        (
            Operation::ExecuteStatement,
            json!({"Statement": "SELECT state FROM known WHERE pk = 'a'"}),
            json!({"Statement": "DELETE FROM known WHERE pk = 'a'"}),
            "ExecuteStatement known DELETE WHERE pk = ?",
        ),
        (
            Operation::BatchWriteItem,
            json!({"RequestItems": {"known": [{"PutRequest": {"Item": item("m")}}]}}),
            batch("unknown"),
            "BatchWriteItem unknown Put known; Delete unknown",
        ),
        (
            Operation::BatchGetItem,
            json!({"RequestItems": {"known": {"Keys": [key("a")]}}}),
            json!({"RequestItems": {"unknown": {"Keys": [key("a")]}}}),
            "BatchGetItem unknown Get unknown",
        ),
        (
            Operation::TransactWriteItems,
            json!({"TransactItems": [put("known", "o")]}),
            json!({"TransactItems": [put("known", "c"), put("unknown", "c")]}),
            "TransactWriteItems unknown Put known; Put unknown",
        ),
        (
            Operation::TransactGetItems,
            json!({"TransactItems": [get("known")]}),
            json!({"TransactItems": [get("known"), get("unknown")]}),
            "TransactGetItems unknown Get known; Get unknown",
        ),
    ]
}

#[test]
fn what_the_contract_does_not_know_is_refused_and_nothing_is_done() {
    let held = Held::new(true);
    for (operation, known, unknown, named) in cases() {
        let before = held.stored();
        let (answer, usage) = held.run(operation, &unknown);
        assert_eq!(
            answer.unwrap_err(),
            format!(
                "AccessDeniedException: The contract of access patterns does not allow this: {named}"
            )
        );
        assert_eq!(held.stored(), before, "{operation:?}");
        assert!(usage.uses().is_empty(), "{operation:?} {usage:?}");
        let (answer, usage) = held.run(operation, &known);
        answer.unwrap_or_else(|error| panic!("{operation:?} {error}"));
        let patterns = held.guard.patterns(operation.name(), &usage);
        assert!(!patterns.is_empty() && patterns.iter().all(Option::is_some), "{operation:?}");
    }
    let refused: u64 = held.guard.refused().iter().map(|row| row.used.requests).sum();
    assert_eq!(refused, 10);
}

#[test]
fn other_statements_and_transactions_of_statements_are_refused_too() {
    let held = Held::new(true);
    let before = held.stored();
    let delete = json!({"Statement": "DELETE FROM known WHERE pk = 'a'"});
    let select = json!({"Statement": "SELECT * FROM known WHERE pk = 'a'"});
    for (operation, member) in [
        (Operation::BatchExecuteStatement, "Statements"),
        (Operation::ExecuteTransaction, "TransactStatements"),
    ] {
        for statement in [&delete, &select] {
            let request = json!({ member: [statement] });
            let (answer, usage) = held.run(operation, &request);
            assert!(answer.unwrap_err().starts_with("AccessDenied"), "{request}");
            assert!(usage.uses().is_empty(), "{request}");
        }
    }
    // So is what EXPLAIN ANALYZE would do.
    let analyzed = json!({"Statement": "EXPLAIN ANALYZE DELETE FROM known WHERE pk = 'a'"});
    assert!(held.run(Operation::ExecuteStatement, &analyzed).0.is_err());
    assert_eq!(held.stored(), before);
}

#[test]
fn transactions_and_statements_are_told_apart() {
    let put = |condition: Option<&str>| {
        let mut put = json!({"TableName": "known", "Item": item("x")});
        if let Some(condition) = condition {
            put["ConditionExpression"] = json!(condition);
        }
        json!({"TransactItems": [{"Put": put}]})
    };
    let if_new = put(Some("attribute_not_exists(pk)"));
    let delete = json!({"Statement": "DELETE FROM known WHERE pk = 'x'"});
    let update = json!({"Statement": "UPDATE known SET note = 1 WHERE pk = 'x'"});
    let analyzed = json!({"Statement": "EXPLAIN ANALYZE DELETE FROM known WHERE pk = 'x'"});
    let [transact, statement] = [Operation::TransactWriteItems, Operation::ExecuteStatement];
    let requests = [
        (transact, if_new),
        (transact, put(None)),
        (statement, update),
        (statement, delete),
        (statement, analyzed),
    ];
    for (of_transactions, of_statements, allowed) in [
        (
            "Put known IF attribute_not_exists(pk)",
            "DELETE WHERE pk = ?",
            [true, false, false, true, true],
        ),
        ("Put known", "UPDATE WHERE pk = ?", [false, true, true, false, false]),
        // Of a contract that was written when these had no text.
        ("", "", [true; 5]),
        // That of a SELECT allows no write.
        ("Put unknown", "WHERE pk = ?", [false; 5]),
    ] {
        let contract = json!({"Version": 1, "Patterns": [
            {"Name": "a", "Operation": "TransactWriteItems", "Table": "known", "Pattern": of_transactions},
            {"Name": "b", "Operation": "ExecuteStatement", "Table": "known", "Pattern": of_statements},
        ]});
        for ((operation, request), allowed) in requests.iter().zip(allowed) {
            let held = Held::to(&contract.to_string(), true);
            let present = json!({"TableName": "known", "Item": item("x")}).to_string();
            if *operation == statement {
                block_on(held.database.call(Operation::PutItem, present.as_bytes())).unwrap();
            }
            let (answer, _) = held.run(*operation, request);
            assert_eq!(answer.is_ok(), allowed, "{contract} {request} {answer:?}");
        }
    }
}

#[test]
fn without_enforcement_all_is_done_and_told() {
    let held = Held::new(false);
    for (operation, _, unknown, _) in cases() {
        let (answer, usage) = held.run(operation, &unknown);
        answer.unwrap_or_else(|error| panic!("{operation:?} {error}"));
        assert!(held.guard.patterns(operation.name(), &usage).contains(&None), "{operation:?}");
    }
    assert!(held.guard.refused().is_empty());
}

#[test]
fn faults_of_the_request_itself_come_first() {
    let held = Held::new(true);
    let request = json!({"TableName": "unknown", "Key": {"no": {"S": "a"}}});
    let (answer, _) = held.run(Operation::GetItem, &request);
    assert!(answer.unwrap_err().starts_with("ValidationException"));
}
