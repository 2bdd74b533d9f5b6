//! A client that creates and deletes an index of `things` while others write.

use super::server::{Answer, Server};
use super::tables::{THINGS, items, scan};
use hashrange_model::ErrorKind;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

const INDEX: &str = "by-kind";

/// Creates and deletes the index in turn.
pub(super) async fn change(server: Server, count: usize) {
    for _ in 0..count {
        let request = match status(&server).await {
            None => create(),
            Some(status) if status == "ACTIVE" => delete(),
            Some(_) => json!(null),
        };
        if !request.is_null() {
            match server.call(Operation::UpdateTable, &request).await {
                Answer::Done(_) | Answer::Unknown => {}
                Answer::Refused(error) => {
                    // An earlier request without an answer was faster.
                    let kinds = [
                        ErrorKind::ResourceInUse,
                        ErrorKind::LimitExceeded,
                        ErrorKind::Validation,
                        ErrorKind::ResourceNotFound,
                    ];
                    assert!(kinds.contains(&error.kind()), "{error}");
                }
            }
        }
        server.sleep(server.fate().below(500) as u64).await;
    }
}

/// Waits until no change is under way, and compares the index with the table.
pub(super) async fn check(server: Server) {
    while status(&server).await.is_some_and(|status| status != "ACTIVE") {
        server.sleep(20).await;
    }
    if status(&server).await.is_none() {
        return;
    }
    let expected: BTreeSet<_> = scan(&server, THINGS)
        .await
        .iter()
        .filter(|item| item.get("kind").is_some())
        .map(ToString::to_string)
        .collect();
    let request = json!({"TableName": THINGS, "IndexName": INDEX});
    let found = server.insist(Operation::Scan, &request).await;
    let found: BTreeSet<_> = items(&found).iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "the index and the table");
}

/// Returns the status of the index, if there is one.
async fn status(server: &Server) -> Option<String> {
    let request = json!({"TableName": THINGS});
    let described = server.insist(Operation::DescribeTable, &request).await;
    let indexes = described["Table"]["GlobalSecondaryIndexes"].as_array().cloned();
    let mut indexes = indexes.unwrap_or_default().into_iter();
    let index = indexes.find(|index| index["IndexName"] == INDEX);
    index.map(|index| index["IndexStatus"].as_str().unwrap_or("").to_owned())
}

fn create() -> Json {
    json!({
        "TableName": THINGS,
        "AttributeDefinitions": [{"AttributeName": "kind", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": INDEX, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
        }}],
    })
}

fn delete() -> Json {
    json!({
        "TableName": THINGS,
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": INDEX}}],
    })
}
