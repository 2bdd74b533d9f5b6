//! Changes of definitions are one commit each, so that a crash leaves all of a change or nothing.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{Engine, EngineOptions};
use hashrange_storage::{MemoryStore, Store, block_on};
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::still_environment;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};

fn commits(
    engine: &Engine<ContendedStore<MemoryStore>>,
    operation: Operation,
    request: &Json,
) -> u64 {
    let before = engine.store().stats().commits;
    block_on(engine.call(operation, request.to_string().as_bytes())).unwrap();
    engine.store().stats().commits - before
}

#[test]
fn index_is_deleted_and_marked_for_removal_at_once() {
    let options = EngineOptions { jobs_run: false, ..EngineOptions::default() };
    let opened =
        Engine::open_with(ContendedStore::new(MemoryStore::new(), 0), still_environment(), options);
    let engine = block_on(opened).unwrap();
    let index = json!({
        "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
    });
    let name = |name| json!({"AttributeName": name, "AttributeType": "S"});
    let create = json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [name("pk"), name("other")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [index],
    });
    assert_eq!(commits(&engine, Operation::CreateTable, &create), 1);
    let delete = json!({
        "TableName": "table",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "index"}}],
    });
    assert_eq!(commits(&engine, Operation::UpdateTable, &delete), 1);
}
