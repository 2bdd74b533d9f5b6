//! Streams as a consumer sees them: what it replays is the table, across shards, restarts and
//! writers that do not stop; and what becomes of records and shards as time passes.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod consumer;
mod life;
mod replay;

use hashrange_engine::{Engine, EngineOptions, verify};
use hashrange_model::ApiError;
use hashrange_storage::{AnyStore, EmbeddedOptions, EmbeddedStore, MemoryStore, Store, block_on};
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::{VirtualClock, virtual_environment};
use hashrange_wire::{Operation, Service};
use serde_json::{Value as Json, json};
use std::path::Path;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// An engine with a clock that only the test moves.
struct Database {
    engine: Engine<ContendedStore<AnyStore>>,
    clock: VirtualClock,
}

impl Database {
    fn memory() -> Self {
        Self::open(MemoryStore::new().into(), EngineOptions::default())
    }

    fn folder(path: &Path) -> Self {
        let store = EmbeddedStore::open(path, &EmbeddedOptions::default()).unwrap();
        Self::open(store.into(), EngineOptions::default())
    }

    fn open(store: AnyStore, options: EngineOptions) -> Self {
        let (environment, clock) = virtual_environment();
        let store = ContendedStore::new(store, 0);
        let engine = block_on(Engine::open_with(store, environment, options)).unwrap();
        Self { engine, clock }
    }

    fn call(&self, operation: &str, body: &Json) -> Result<Json, ApiError> {
        let operation = Operation::from_name(Service::DynamoDb, operation)
            .or_else(|| Operation::from_name(Service::Streams, operation))
            .unwrap();
        let answer = block_on(self.engine.call(operation, body.to_string().as_bytes()))?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    fn ok(&self, operation: &str, body: &Json) -> Json {
        self.call(operation, body).unwrap()
    }

    fn fails(&self, operation: &str, body: &Json) -> String {
        self.call(operation, body).unwrap_err().to_string()
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

    fn check(&self) {
        self.stored_records();
    }

    /// Returns how many records the store holds, in which everything must be sound.
    fn stored_records(&self) -> u64 {
        let report = block_on(verify(&self.engine.store().view())).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        report.changes
    }
}
