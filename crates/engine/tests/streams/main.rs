//! Streams as a consumer sees them: what it replays is the table, across shards, restarts and
//! writers that do not stop; and what becomes of records and shards as time passes.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod consumer;
mod life;
mod replay;

use hashrange_engine::EngineOptions;
use hashrange_testkit::database;
use serde_json::{Value as Json, json};
use std::ops::Deref;
use std::path::Path;

const HOUR_MS: u64 = 60 * 60 * 1000;

struct Database(database::Database);

impl Deref for Database {
    type Target = database::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    fn memory() -> Self {
        Self::memory_with(EngineOptions::default())
    }

    fn memory_with(options: EngineOptions) -> Self {
        Self(database::Database::memory(options))
    }

    fn folder(path: &Path) -> Self {
        Self(database::Database::folder(path, EngineOptions::default()))
    }

    /// Creates an on-demand table with a stream and returns the stream's ARN.
    fn create(&self, table: &str) -> String {
        self.create_with(table, "BillingMode", json!("PAY_PER_REQUEST"))
    }

    /// Creates a table with a stream and one more member, and returns the stream's ARN.
    fn create_with(&self, table: &str, member: &str, value: Json) -> String {
        let mut request = json!({
            "TableName": table,
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        });
        request[member] = value;
        let answer = self.ok("CreateTable", &request);
        answer["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned()
    }

    fn put(&self, table: &str, pk: &str, value: u64) {
        let item = json!({"pk": {"S": pk}, "value": {"N": value.to_string()}});
        self.ok("PutItem", &json!({"TableName": table, "Item": item}));
    }

    fn delete(&self, table: &str, pk: &str) {
        self.ok("DeleteItem", &json!({"TableName": table, "Key": {"pk": {"S": pk}}}));
    }

    /// Lets time pass and does what is due.
    fn advance(&self, ms: u64) {
        self.clock.advance_ms(ms);
        self.engine.sweep();
    }

    fn shards(&self, arn: &str) -> Vec<Json> {
        let described = self.ok("DescribeStream", &json!({"StreamArn": arn}));
        described["StreamDescription"]["Shards"].as_array().unwrap().clone()
    }

    /// Returns an iterator at the oldest record or after the newest.
    fn iterator(&self, arn: &str, shard: &str, kind: &str) -> String {
        let request = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind});
        let answer = self.ok("GetShardIterator", &request);
        answer["ShardIterator"].as_str().unwrap().to_owned()
    }

    fn records(&self, iterator: &str) -> Json {
        self.ok("GetRecords", &json!({"ShardIterator": iterator}))
    }

    /// Returns how many records the store holds, in which everything must be sound.
    fn stored_records(&self) -> u64 {
        self.assert_sound();
        self.report().changes
    }
}
