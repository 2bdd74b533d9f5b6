//! Jobs that fail or panic at any of their steps are done in the end, by retries or by a restart.

use crate::database::Database;
use crate::failing::Fault;
use hashrange_engine::{Engine, Environment};
use hashrange_storage::block_on;
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::virtual_environment;
use serde_json::{Value as Json, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

/// Does what `prepare` leaves to a job, once for each step of it and of a sweep, which fails or
/// panics; a second later, or after a restart, `assert_done` must find it done.
fn assert_goes_on(prepare: impl Fn(&Database), assert_done: impl Fn(&Database)) {
    for (fault, restarts) in
        Fault::ALL.into_iter().flat_map(|fault| [(fault, false), (fault, true)])
    {
        for steps in 0.. {
            let database = Database::new();
            database.create();
            prepare(&database);
            database.store().fail_after(steps, fault);
            database.pass(0);
            if !database.store().has_failed() {
                assert!(steps > 3, "there was no job");
                break;
            }
            assert_eq!(database.engine.background_panics(), u64::from(fault == Fault::Panic));
            database.assert_sound();
            let database = if restarts { database.reopened() } else { database };
            database.pass(1000);
            assert_done(&database);
            database.assert_sound();
        }
    }
}

#[test]
fn filling_of_an_index_goes_on() {
    let is_filled = |database: &Database| {
        assert_eq!(database.index_status(), "ACTIVE");
        let scan = json!({"TableName": "table", "IndexName": "index"});
        assert_eq!(database.ok("Scan", &scan)["Count"], 3);
        // Nothing holds back writes.
        let item = json!({"pk": {"S": "d"}, "other": {"S": "d"}});
        database.ok("PutItem", &json!({"TableName": "table", "Item": item}));
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
    let database = Database::new();
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
    for (operation, request) in &reads {
        drop(database.ok(operation, request));
    }
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
    let empty = Database::new().store().len();
    let delete = |database: &Database| {
        database.create_index();
        database.turn_time_to_live(true);
        database.pass(0);
        database.ok("DeleteTable", &json!({"TableName": "table"}));
    };
    // Left over is the number of the next table.
    assert_goes_on(delete, |database| assert_eq!(database.store().len(), empty + 1));
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

/// Expired items, tokens and stream records go, whatever part of which sweep fails.
#[test]
fn sweeps_go_on() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let prepare = |database: &Database| {
        database.turn_time_to_live(true);
        database.pass(0);
        let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        database.ok("UpdateTable", &json!({"TableName": "table", "StreamSpecification": stream}));
        let item = json!({"pk": {"S": "d"}});
        let write = json!({
            "ClientRequestToken": "token",
            "TransactItems": [{"Put": {"TableName": "table", "Item": item}}],
        });
        database.ok("TransactWriteItems", &write);
        let off = json!({"StreamEnabled": false});
        database.ok("UpdateTable", &json!({"TableName": "table", "StreamSpecification": off}));
        database.clock.advance_ms(2 * DAY_MS);
    };
    let is_swept = |database: &Database| {
        database.pass(60_000);
        assert_eq!(database.ok("Scan", &json!({"TableName": "table"}))["Count"], 1);
        assert_eq!(database.store().entries(&[0x04]), []);
        assert_eq!(database.store().entries(&[0x20]), []);
    };
    assert_goes_on(prepare, is_swept);
}

#[test]
fn a_job_waits_before_it_is_tried_again() {
    let database = Database::new();
    database.create();
    database.create_index();
    database.engine.sweep();
    database.store().fail_after(0, Fault::Full);
    block_on(database.engine.run_jobs());
    assert!(database.store().has_failed());
    database.pass(999);
    assert_eq!(database.index_status(), "CREATING");
    database.pass(1);
    assert_eq!(database.index_status(), "ACTIVE");
}

/// The same with the engine's own threads, while the clock runs.
#[test]
fn the_threads_try_again() {
    for fault in Fault::ALL {
        for steps in 0..12 {
            let database = Database::new();
            database.create();
            database.create_index();
            let store = database.store().clone();
            drop(database);
            let (environment, clock) = virtual_environment();
            let interval = Some(Duration::from_millis(1));
            let environment = Environment { sweep_interval: interval, ..environment };
            let contended = ContendedStore::new(store.clone(), 0);
            let engine = block_on(Engine::open(contended, environment)).unwrap();
            store.fail_after(steps, fault);
            let database = Database { engine, clock };
            let status = || -> Option<Json> {
                // It may be this request that fails or panics.
                let call = || database.call("DescribeTable", &json!({"TableName": "table"}));
                let described = catch_unwind(AssertUnwindSafe(call)).ok()?.ok()?;
                Some(described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"].clone())
            };
            while status() != Some(json!("ACTIVE")) {
                database.clock.advance_ms(100);
                thread::yield_now();
            }
        }
    }
}
