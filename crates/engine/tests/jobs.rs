//! Background jobs go on after a fault of the store, wherever it strikes, without a restart; what
//! depends on one is refused until it is done.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{Engine, EngineOptions, Environment, verify};
use hashrange_model::ApiError;
use hashrange_storage::{
    Batch, Bytes, Direction, Error, Key, KeyRange, MemoryStore, MemoryView, Stats, Store, View,
    block_on,
};
use hashrange_testkit::environment::{NOW_MS, VirtualClock, virtual_environment};
use hashrange_wire::{Operation, Service};
use serde_json::{Value as Json, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

const NEVER: i64 = i64::MAX;

/// A store that refuses one commit or sync; clones share it.
#[derive(Debug, Clone)]
struct Refusing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: MemoryStore,
    /// How many commits and syncs come before the one that is refused.
    left: AtomicI64,
}

impl Refusing {
    fn new() -> Self {
        Self(Arc::new(Inner { store: MemoryStore::new(), left: AtomicI64::new(NEVER) }))
    }

    fn refuse_after(&self, steps: i64) {
        self.0.left.store(steps, Ordering::Release);
    }

    fn has_refused(&self) -> bool {
        self.0.left.load(Ordering::Acquire) < 0
    }

    fn step(&self) -> Result<(), Error> {
        match self.0.left.fetch_sub(1, Ordering::AcqRel) {
            0 => Err(Error::Full),
            _ => Ok(()),
        }
    }

    /// Returns how many keys there are.
    fn len(&self) -> usize {
        let mut len = 0;
        let all = KeyRange { start: Vec::new(), end: None };
        block_on(self.view().visit(all, Direction::Forward, |_, _| {
            len += 1;
            ControlFlow::Continue(())
        }))
        .unwrap();
        len
    }
}

impl Store for Refusing {
    type View = MemoryView;

    fn view(&self) -> MemoryView {
        self.0.store.view()
    }

    async fn commit<T, F>(&self, keys: Vec<Key>, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        self.step()?;
        self.0.store.commit(keys, decide).await
    }

    async fn sync(&self) -> Result<(), Error> {
        self.step()?;
        self.0.store.sync().await
    }

    fn stats(&self) -> Stats {
        self.0.store.stats()
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.0.store.check_writable()
    }

    async fn close(&self) -> Result<(), Error> {
        self.0.store.close().await
    }
}

struct Database {
    engine: Engine<Refusing>,
    clock: VirtualClock,
}

impl Database {
    /// Opens a store with an engine that does jobs and sweeps when it is told to.
    fn open(store: Refusing) -> Self {
        let (environment, clock) = virtual_environment();
        let options = EngineOptions { jobs_run: false, ..EngineOptions::default() };
        let engine = block_on(Engine::open_with(store, environment, options)).unwrap();
        Self { engine, clock }
    }

    fn call(&self, operation: &str, body: &Json) -> Result<Json, ApiError> {
        let operation = Operation::from_name(Service::DynamoDb, operation).unwrap();
        let answer = block_on(self.engine.call(operation, body.to_string().as_bytes()))?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    fn ok(&self, operation: &str, body: &Json) -> Json {
        self.call(operation, body).unwrap()
    }

    /// Creates a table with some items.
    fn create(&self) {
        self.ok(
            "CreateTable",
            &json!({
                "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }),
        );
        for name in ["a", "b", "c"] {
            let until = (NOW_MS / 1000 + 3600).to_string();
            let item = json!({"pk": {"S": name}, "other": {"S": name}, "until": {"N": until}});
            self.ok("PutItem", &json!({"TableName": "table", "Item": item}));
        }
    }

    fn create_index(&self) {
        let create = json!({
            "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
        });
        let request = json!({
            "TableName": "table",
            "AttributeDefinitions": [{"AttributeName": "other", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [{"Create": create}],
        });
        self.ok("UpdateTable", &request);
    }

    fn index_status(&self) -> Json {
        let described = self.ok("DescribeTable", &json!({"TableName": "table"}));
        described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"].clone()
    }

    fn turn_time_to_live(&self, on: bool) {
        let asked = json!({"Enabled": on, "AttributeName": "until"});
        let request = json!({"TableName": "table", "TimeToLiveSpecification": asked});
        self.ok("UpdateTimeToLive", &request);
    }

    fn time_to_live_status(&self) -> Json {
        let described = self.ok("DescribeTimeToLive", &json!({"TableName": "table"}));
        described["TimeToLiveDescription"]["TimeToLiveStatus"].clone()
    }

    /// Lets time pass, and does what is due.
    fn pass(&self, ms: u64) {
        self.clock.advance_ms(ms);
        self.engine.sweep();
        block_on(self.engine.run_jobs());
    }

    fn assert_sound(&self) {
        let report = block_on(verify(&self.engine.store().view())).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
}

/// Does what `prepare` leaves to a job, once for each commit and sync of the job, which is refused;
/// a second later `assert_done` must find it done.
fn assert_goes_on(prepare: impl Fn(&Database), assert_done: impl Fn(&Database)) {
    for steps in 0.. {
        let database = Database::open(Refusing::new());
        database.create();
        prepare(&database);
        database.engine.store().refuse_after(steps);
        database.pass(0);
        if !database.engine.store().has_refused() {
            assert!(steps > 0, "there was no job");
            return;
        }
        database.assert_sound();
        database.pass(1000);
        assert_done(&database);
        database.assert_sound();
    }
}

#[test]
fn filling_of_an_index_goes_on() {
    let is_filled = |database: &Database| {
        assert_eq!(database.index_status(), "ACTIVE");
        let scan = json!({"TableName": "table", "IndexName": "index"});
        assert_eq!(database.ok("Scan", &scan)["Count"], 3);
    };
    assert_goes_on(Database::create_index, is_filled);
}

#[test]
fn an_index_is_not_read_before_it_is_filled() {
    let query = json!({
        "TableName": "table", "IndexName": "index", "KeyConditionExpression": "#o = :a",
        "ExpressionAttributeNames": {"#o": "other"}, "ExpressionAttributeValues": {":a": {"S": "a"}},
    });
    let statement = r#"SELECT * FROM "table"."index" WHERE other = 'a'"#;
    let reads = [
        ("Query", query),
        ("Scan", json!({"TableName": "table", "IndexName": "index"})),
        ("ExecuteStatement", json!({"Statement": statement})),
    ];
    let database = Database::open(Refusing::new());
    database.create();
    database.create_index();
    for (operation, request) in &reads {
        let error = database.call(operation, request).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ValidationException: Cannot read from backfilling global secondary index: index"
        );
    }
    database.pass(0);
    reads.iter().for_each(|(operation, request)| drop(database.ok(operation, request)));
}

#[test]
fn removal_of_an_index_goes_on() {
    let delete = |database: &Database| {
        database.create_index();
        database.pass(0);
        let delete = json!({"Delete": {"IndexName": "index"}});
        let request = json!({"TableName": "table", "GlobalSecondaryIndexUpdates": [delete]});
        database.ok("UpdateTable", &request);
    };
    assert_goes_on(delete, |database| assert_eq!(database.index_status(), Json::Null));
}

#[test]
fn removal_of_a_table_goes_on() {
    let empty = Database::open(Refusing::new()).engine.store().len();
    let delete = |database: &Database| {
        database.create_index();
        database.turn_time_to_live(true);
        database.pass(0);
        database.ok("DeleteTable", &json!({"TableName": "table"}));
    };
    // Left over is the number of the next table.
    assert_goes_on(delete, |database| assert_eq!(database.engine.store().len(), empty + 1));
}

#[test]
fn changes_of_time_to_live_go_on() {
    assert_goes_on(
        |database| database.turn_time_to_live(true),
        |database| assert_eq!(database.time_to_live_status(), "ENABLED"),
    );
    let turn_off = |database: &Database| {
        database.turn_time_to_live(true);
        database.pass(0);
        database.turn_time_to_live(false);
    };
    assert_goes_on(turn_off, |database| assert_eq!(database.time_to_live_status(), "DISABLED"));
}

#[test]
fn a_job_waits_before_it_is_tried_again() {
    let database = Database::open(Refusing::new());
    database.create();
    database.create_index();
    database.engine.store().refuse_after(0);
    database.pass(0);
    database.pass(999);
    assert_eq!(database.index_status(), "CREATING");
    database.pass(1);
    assert_eq!(database.index_status(), "ACTIVE");
}

/// The same with the engine's own threads, while the clock runs.
#[test]
fn the_threads_try_again() {
    let store = Refusing::new();
    let database = Database::open(store.clone());
    database.create();
    database.create_index();
    drop(database);
    store.refuse_after(0);
    let (environment, clock) = virtual_environment();
    let interval = Some(Duration::from_millis(1));
    let environment = Environment { sweep_interval: interval, ..environment };
    let engine = block_on(Engine::open(store.clone(), environment)).unwrap();
    let database = Database { engine, clock };
    while database.index_status() != "ACTIVE" {
        database.clock.advance_ms(100);
        thread::yield_now();
    }
    assert!(store.has_refused());
}
