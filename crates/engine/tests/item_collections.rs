//! Item collections at their limit of 10 GB, which is set in the store instead of written.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::Engine;
use hashrange_model::{ApiError, ErrorKind};
use hashrange_storage::{Bytes, Direction, KeyRange, MemoryStore, Store, View, block_on};
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::still_environment;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::ops::ControlFlow;

const LIMIT_BYTES: i64 = 10 * 1024 * 1024 * 1024;

fn call(
    engine: &Engine<ContendedStore<MemoryStore>>,
    operation: Operation,
    request: &Json,
) -> Result<(), ApiError> {
    block_on(engine.call(operation, request.to_string().as_bytes())).map(drop)
}

fn item(sk: &str) -> Json {
    json!({ "pk": { "S": "p" }, "sk": { "S": sk }, "a": { "S": "x" } })
}

/// Returns a table with a local index whose one collection is as large as it may be.
fn with_full_collection() -> Engine<ContendedStore<MemoryStore>> {
    let engine =
        block_on(Engine::open(ContendedStore::new(MemoryStore::new(), 0), still_environment()))
            .unwrap();
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
    call(&engine, Operation::CreateTable, &definition).unwrap();
    call(&engine, Operation::PutItem, &json!({ "TableName": "table", "Item": item("0") })).unwrap();
    let mut collections = Vec::new();
    let view = engine.store().view();
    block_on(view.visit(KeyRange::prefix(&[3]), Direction::Forward, |key, _| {
        collections.push(key.to_vec());
        ControlFlow::Continue(())
    }))
    .unwrap();
    let [collection] = &collections[..] else { unreachable!("one collection was written") };
    let full = Bytes::copy_from_slice(&LIMIT_BYTES.to_le_bytes());
    block_on(engine.store().commit(collections.clone(), |_, batch| {
        batch.put(collection.clone(), full.clone());
    }))
    .unwrap();
    engine
}

#[test]
fn a_full_collection_takes_no_more_and_may_shrink() {
    let engine = with_full_collection();
    let put = json!({ "TableName": "table", "Item": item("1") });
    let error = call(&engine, Operation::PutItem, &put).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ItemCollectionSizeLimitExceeded);
    let delete = json!({
        "TableName": "table", "Key": { "pk": { "S": "p" }, "sk": { "S": "0" } },
    });
    call(&engine, Operation::DeleteItem, &delete).unwrap();
    call(&engine, Operation::PutItem, &put).unwrap();
}

#[test]
fn a_full_collection_cancels_a_transaction() {
    let engine = with_full_collection();
    let put = |sk: &str| json!({ "Put": { "TableName": "table", "Item": item(sk) } });
    let mut elsewhere = put("1");
    elsewhere["Put"]["Item"]["pk"] = json!({ "S": "other" });
    let request = json!({ "TransactItems": [elsewhere, put("1")] });
    let error = call(&engine, Operation::TransactWriteItems, &request).unwrap_err();
    assert_eq!(
        error.message().unwrap(),
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, \
         ItemCollectionSizeLimitExceeded]"
    );
    let reasons = error.cancellation_reasons().unwrap();
    let messages: Vec<_> = reasons.iter().map(|reason| reason.as_ref()?.message()).collect();
    assert_eq!(messages, [None, Some("Collection size exceeded.".to_owned())]);
}
