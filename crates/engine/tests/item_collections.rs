//! Item collections at their limit of 10 GB, which is set in the store instead of written.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::EngineOptions;
use hashrange_model::ErrorKind;
use hashrange_storage::{Bytes, Store, block_on};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

const LIMIT_BYTES: i64 = 10 * 1024 * 1024 * 1024;

fn item(sk: &str) -> Json {
    json!({ "pk": { "S": "p" }, "sk": { "S": sk }, "a": { "S": "x" } })
}

/// Returns a table with a local index whose one collection is as large as it may be.
fn with_full_collection() -> Database {
    let database = Database::memory(EngineOptions::default());
    let attribute = |name: &str| json!({ "AttributeName": name, "AttributeType": "S" });
    let keys = |sort: &str| {
        json!([
            { "AttributeName": "pk", "KeyType": "HASH" },
            { "AttributeName": sort, "KeyType": "RANGE" },
        ])
    };
    let definition = json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [attribute("pk"), attribute("sk"), attribute("a")],
        "KeySchema": keys("sk"),
        "LocalSecondaryIndexes": [{
            "IndexName": "local", "KeySchema": keys("a"),
            "Projection": { "ProjectionType": "ALL" },
        }],
    });
    database.ok("CreateTable", &definition);
    database.ok("PutItem", &json!({ "TableName": "table", "Item": item("0") }));
    let collections = database.stored(&[3]);
    let [(collection, _)] = &collections[..] else { unreachable!("one collection was written") };
    let full = Bytes::copy_from_slice(&LIMIT_BYTES.to_le_bytes());
    block_on(database.engine.store().commit(vec![collection.clone()], |_, batch| {
        batch.put(collection.clone(), full.clone());
    }))
    .unwrap();
    database
}

#[test]
fn a_full_collection_takes_no_more_and_may_shrink() {
    let database = with_full_collection();
    let put = json!({ "TableName": "table", "Item": item("1") });
    let error = database.call("PutItem", &put).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ItemCollectionSizeLimitExceeded);
    let delete = json!({
        "TableName": "table", "Key": { "pk": { "S": "p" }, "sk": { "S": "0" } },
    });
    database.ok("DeleteItem", &delete);
    database.ok("PutItem", &put);
}

#[test]
fn a_full_collection_cancels_a_transaction() {
    let database = with_full_collection();
    let put = |sk: &str| json!({ "Put": { "TableName": "table", "Item": item(sk) } });
    let mut elsewhere = put("1");
    elsewhere["Put"]["Item"]["pk"] = json!({ "S": "other" });
    let request = json!({ "TransactItems": [elsewhere, put("1")] });
    let error = database.call("TransactWriteItems", &request).unwrap_err();
    assert_eq!(
        error.message().unwrap(),
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, \
         ItemCollectionSizeLimitExceeded]"
    );
    let reasons = error.cancellation_reasons().unwrap();
    let messages: Vec<_> = reasons.iter().map(|reason| reason.as_ref()?.message()).collect();
    assert_eq!(messages, [None, Some("Collection size exceeded.".to_owned())]);
}
