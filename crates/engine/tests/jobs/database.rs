//! An engine on a [`Failing`] store, with the requests that the tests send.

use crate::failing::Failing;
use hashrange_engine::{Engine, EngineOptions, TemplateMode, verify};
use hashrange_model::ApiError;
use hashrange_storage::block_on;
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::{NOW_MS, VirtualClock, virtual_environment};
use hashrange_wire::{Operation, Service};
use serde_json::{Value as Json, json};

pub struct Database {
    pub engine: Engine<ContendedStore<Failing>>,
    pub clock: VirtualClock,
}

impl Database {
    /// Opens a store with an engine that does jobs and sweeps when it is told to.
    pub fn open(store: Failing) -> Self {
        Self::open_contended(ContendedStore::new(store, 0))
    }

    fn open_contended(store: ContendedStore<Failing>) -> Self {
        let (environment, clock) = virtual_environment();
        let options = EngineOptions { jobs_run: false, ..EngineOptions::default() };
        let engine = block_on(Engine::open_with(store, environment, options)).unwrap();
        Self { engine, clock }
    }

    pub fn new() -> Self {
        Self::open(Failing::new())
    }

    /// Returns the same on a store on which every commit is lost to others.
    pub fn losing(self) -> Self {
        let store = self.store().clone();
        drop(self.engine);
        Self::open_contended(ContendedStore::losing(store))
    }

    /// Returns the same after a restart.
    pub fn reopened(self) -> Self {
        let (store, clock) = (self.store().clone(), self.clock.now_ms());
        drop(self.engine);
        let database = Self::open(store);
        database.clock.advance_ms(clock - database.clock.now_ms());
        database
    }

    pub fn store(&self) -> &Failing {
        self.engine.store().inner()
    }

    pub fn call(&self, operation: &str, body: &Json) -> Result<Json, ApiError> {
        if operation == "PutKeyTemplate" {
            let text = body["Template"].as_str().unwrap();
            let declared = self.engine.put_key_template("table", text, TemplateMode::Fill);
            return block_on(declared).map(|_| Json::Null);
        }
        let operation = Operation::from_name(Service::DynamoDb, operation)
            .or_else(|| Operation::from_name(Service::Streams, operation))
            .unwrap();
        let answer = block_on(self.engine.call(operation, body.to_string().as_bytes()))?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    pub fn ok(&self, operation: &str, body: &Json) -> Json {
        self.call(operation, body).unwrap()
    }

    /// Creates a table with some items.
    pub fn create(&self) {
        self.create_named("table", &["a", "b", "c"]);
    }

    pub fn create_named(&self, table: &str, names: &[&str]) {
        self.ok(
            "CreateTable",
            &json!({
                "TableName": table, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }),
        );
        for name in names {
            let until = (NOW_MS / 1000 + 3600).to_string();
            let item = json!({"pk": {"S": name}, "other": {"S": name}, "until": {"N": until}});
            self.ok("PutItem", &json!({"TableName": table, "Item": item}));
        }
    }

    pub fn create_index(&self) {
        self.ok("UpdateTable", &index_creation("table"));
    }

    pub fn index_status(&self) -> Json {
        let described = self.ok("DescribeTable", &json!({"TableName": "table"}));
        described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"].clone()
    }

    pub fn turn_time_to_live(&self, on: bool) {
        self.ok("UpdateTimeToLive", &time_to_live("table", on));
    }

    pub fn time_to_live_status(&self) -> Json {
        let described = self.ok("DescribeTimeToLive", &json!({"TableName": "table"}));
        described["TimeToLiveDescription"]["TimeToLiveStatus"].clone()
    }

    /// Lets time pass, and does what is due.
    pub fn pass(&self, ms: u64) {
        self.clock.advance_ms(ms);
        self.engine.sweep();
        block_on(self.engine.run_jobs());
    }

    pub fn assert_sound(&self) {
        let view = block_on(hashrange_storage::Store::view(self.store())).unwrap();
        let report = block_on(verify(&view)).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
}

/// Returns the request that adds an index to a table.
pub fn index_creation(table: &str) -> Json {
    let create = json!({
        "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
    });
    json!({
        "TableName": table,
        "AttributeDefinitions": [{"AttributeName": "other", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": create}],
    })
}

/// Returns the request that enables or disables time to live.
pub fn time_to_live(table: &str, on: bool) -> Json {
    let asked = json!({"Enabled": on, "AttributeName": "until"});
    json!({"TableName": table, "TimeToLiveSpecification": asked})
}
