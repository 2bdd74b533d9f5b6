//! Changes of definitions are one commit each, so that a crash leaves all of a change or nothing.

use hashrange_engine::EngineOptions;
use hashrange_storage::Store;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

/// Calls an operation and returns how many commits it took.
fn commits(database: &Database, operation: &str, request: &Json) -> u64 {
    let commits = || database.engine.store().stats().commits;
    let before = commits();
    database.ok(operation, request);
    commits() - before
}

#[test]
fn index_is_deleted_and_marked_for_removal_at_once() {
    let database = Database::memory(EngineOptions { jobs_run: false, ..EngineOptions::default() });
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
    assert_eq!(commits(&database, "CreateTable", &create), 1);
    let delete = json!({
        "TableName": "table",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "index"}}],
    });
    assert_eq!(commits(&database, "UpdateTable", &delete), 1);
}
