//! Many threads on one database, in memory and on disk: nothing is lost, nothing happens twice,
//! indexes and counters stay true while tables and indexes come and go.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange::{ApiError, Blocking, Database, ErrorKind, Operation, Options};
use serde_json::{Value as Json, json};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use tempfile::TempDir;

const THREADS: usize = 8;

/// A test on both stores.
fn on_every_store(test: impl Fn(&Blocking)) {
    test(&Database::memory().blocking());
    let folder = TempDir::new().unwrap();
    test(&Database::open(folder.path(), &Options::default()).unwrap().blocking());
}

fn call(database: &Blocking, operation: Operation, body: &Json) -> Result<Json, ApiError> {
    let answer = database.call(operation, body.to_string().as_bytes())?;
    Ok(serde_json::from_slice(&answer).unwrap())
}

fn create_table(database: &Blocking) {
    let body = json!({
        "TableName": "table",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            { "AttributeName": "pk", "AttributeType": "S" },
            { "AttributeName": "sk", "AttributeType": "N" },
            { "AttributeName": "group", "AttributeType": "S" },
        ],
        "KeySchema": [
            { "AttributeName": "pk", "KeyType": "HASH" },
            { "AttributeName": "sk", "KeyType": "RANGE" },
        ],
        "LocalSecondaryIndexes": [{
            "IndexName": "local",
            "KeySchema": [
                { "AttributeName": "pk", "KeyType": "HASH" },
                { "AttributeName": "group", "KeyType": "RANGE" },
            ],
            "Projection": { "ProjectionType": "ALL" },
        }],
    });
    call(database, Operation::CreateTable, &body).unwrap();
}

fn put(database: &Blocking, pk: &str, sk: usize, group: &str) -> Result<Json, ApiError> {
    let item = json!({
        "pk": { "S": pk }, "sk": { "N": sk.to_string() }, "group": { "S": group },
    });
    call(database, Operation::PutItem, &json!({ "TableName": "table", "Item": item }))
}

fn create_index(database: &Blocking) -> Result<Json, ApiError> {
    let body = json!({
        "TableName": "table",
        "AttributeDefinitions": [{ "AttributeName": "group", "AttributeType": "S" }],
        "GlobalSecondaryIndexUpdates": [{ "Create": {
            "IndexName": "by-group",
            "KeySchema": [{ "AttributeName": "group", "KeyType": "HASH" }],
            "Projection": { "ProjectionType": "KEYS_ONLY" },
        }}],
    });
    call(database, Operation::UpdateTable, &body)
}

/// Returns the status of the global index, nothing if there is none.
fn index_status(database: &Blocking) -> Option<String> {
    let body = json!({ "TableName": "table" });
    let description = call(database, Operation::DescribeTable, &body).unwrap();
    let index = &description["Table"]["GlobalSecondaryIndexes"][0];
    index["IndexStatus"].as_str().map(str::to_owned)
}

/// Tells writers to end, also when the test fails: its scope waits for them.
struct Finish<'d>(&'d AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn wait_until_active(database: &Blocking) {
    while index_status(database).as_deref() != Some("ACTIVE") {
        thread::yield_now();
    }
}

fn verify(database: &Blocking) {
    let report = hashrange_storage::block_on(database.database().verify()).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

fn count(database: &Blocking, index: Option<&str>) -> u64 {
    let mut body = json!({ "TableName": "table", "Select": "COUNT" });
    if let Some(index) = index {
        body["IndexName"] = index.into();
    }
    let mut count = 0;
    loop {
        let page = call(database, Operation::Scan, &body).unwrap();
        count += page["Count"].as_u64().unwrap();
        match page.get("LastEvaluatedKey") {
            Some(key) => body["ExclusiveStartKey"] = key.clone(),
            None => return count,
        }
    }
}

#[test]
fn increments_are_not_lost() {
    const INCREMENTS: usize = 100;
    on_every_store(|database| {
        create_table(database);
        let body = json!({
            "TableName": "table",
            "Key": { "pk": { "S": "counter" }, "sk": { "N": "0" } },
            "UpdateExpression": "ADD n :one SET m = if_not_exists(m, :zero) + :one",
            "ExpressionAttributeValues": { ":one": { "N": "1" }, ":zero": { "N": "0" } },
        });
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..INCREMENTS {
                        call(database, Operation::UpdateItem, &body).unwrap();
                    }
                });
            }
        });
        let body = json!({ "TableName": "table", "Key": body["Key"] });
        let item = call(database, Operation::GetItem, &body).unwrap();
        let total = (THREADS * INCREMENTS).to_string();
        assert_eq!(item["Item"]["n"]["N"], total);
        assert_eq!(item["Item"]["m"]["N"], total);
        verify(database);
    });
}

#[test]
fn a_transaction_sent_many_times_under_one_token_is_done_once() {
    const ROUNDS: usize = 20;
    on_every_store(|database| {
        create_table(database);
        let key = json!({ "pk": { "S": "counter" }, "sk": { "N": "0" } });
        let request = |round: usize| {
            json!({
                "ClientRequestToken": format!("round-{round}"),
                "TransactItems": [{ "Update": {
                    "TableName": "table", "Key": key, "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": { ":one": { "N": "1" } },
                }}],
            })
        };
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for round in 0..ROUNDS {
                        barrier.wait();
                        call(database, Operation::TransactWriteItems, &request(round)).unwrap();
                    }
                });
            }
        });
        let body = json!({ "TableName": "table", "Key": key });
        let item = call(database, Operation::GetItem, &body).unwrap();
        assert_eq!(item["Item"]["n"]["N"], ROUNDS.to_string());
        verify(database);
    });
}

/// Sources: API reference, TransactWriteItems and UpdateItem: the service cancels some of these
/// transactions and refuses some of the single writes.
#[test]
fn single_writes_among_transactions_wait_and_are_not_lost() {
    const ROUNDS: usize = 100;
    on_every_store(|database| {
        create_table(database);
        let key = |sk: usize| json!({ "pk": { "S": "account" }, "sk": { "N": sk.to_string() } });
        let add = |sk: usize, by: i64| {
            json!({
                "TableName": "table", "Key": key(sk), "UpdateExpression": "ADD n :by",
                "ExpressionAttributeValues": { ":by": { "N": by.to_string() } },
            })
        };
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (add, barrier) = (&add, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    for round in 0..ROUNDS {
                        let (operation, request) = if thread % 2 == 0 {
                            let (from, to) = (round % 2, (round + 1) % 2);
                            let actions =
                                [add(from, -1), add(to, 1)].map(|add| json!({ "Update": add }));
                            (Operation::TransactWriteItems, json!({ "TransactItems": actions }))
                        } else {
                            (Operation::UpdateItem, add(round % 2, 1))
                        };
                        call(database, operation, &request).unwrap();
                    }
                });
            }
        });
        // Each account has got and lost as much by transactions.
        for sk in [0, 1] {
            let body = json!({ "TableName": "table", "Key": key(sk) });
            let item = call(database, Operation::GetItem, &body).unwrap();
            assert_eq!(item["Item"]["n"]["N"], (THREADS / 2 * ROUNDS / 2).to_string());
        }
        verify(database);
    });
}

#[test]
fn a_conditional_create_has_one_winner() {
    const ROUNDS: usize = 50;
    on_every_store(|database| {
        create_table(database);
        let winners: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (winners, barrier) = (&winners, &barrier);
                scope.spawn(move || {
                    for (round, winners) in winners.iter().enumerate() {
                        let body = json!({
                            "TableName": "table",
                            "Item": {
                                "pk": { "S": "lock" },
                                "sk": { "N": round.to_string() },
                                "owner": { "N": thread.to_string() },
                            },
                            "ConditionExpression": "attribute_not_exists(pk)",
                        });
                        barrier.wait();
                        match call(database, Operation::PutItem, &body) {
                            Ok(_) => drop(winners.fetch_add(1, Ordering::Relaxed)),
                            Err(error) => {
                                assert_eq!(error.kind(), ErrorKind::ConditionalCheckFailed);
                            }
                        }
                    }
                });
            }
        });
        assert!(winners.iter().all(|winners| winners.load(Ordering::Relaxed) == 1));
        assert_eq!(count(database, None), ROUNDS as u64);
    });
}

#[test]
fn an_index_created_under_writes_holds_every_item() {
    on_every_store(|database| {
        create_table(database);
        for sk in 0..500 {
            put(database, "old", sk, "g0").unwrap();
        }
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let _finish = Finish(&done);
            for thread in 0..4 {
                let done = &done;
                scope.spawn(move || {
                    let mut nth = 0;
                    while !done.load(Ordering::Acquire) {
                        // New items, items that move in the index, items that leave it.
                        put(database, &format!("new{thread}"), nth % 300, "g1").unwrap();
                        put(database, "old", nth % 500, &format!("g{}", nth % 7)).unwrap();
                        let key = json!({
                            "pk": { "S": format!("new{thread}") },
                            "sk": { "N": (nth / 2 % 300).to_string() },
                        });
                        let body = json!({ "TableName": "table", "Key": key });
                        call(database, Operation::DeleteItem, &body).unwrap();
                        nth += 1;
                    }
                });
            }
            for _ in 0..3 {
                create_index(database).unwrap();
                wait_until_active(database);
                verify(database);
                let delete = json!([{ "Delete": { "IndexName": "by-group" } }]);
                let body = json!({ "TableName": "table", "GlobalSecondaryIndexUpdates": delete });
                call(database, Operation::UpdateTable, &body).unwrap();
                while index_status(database).is_some() {
                    thread::yield_now();
                }
            }
            create_index(database).unwrap();
            wait_until_active(database);
        });
        verify(database);
        assert_eq!(count(database, Some("by-group")), count(database, None));
        assert_eq!(count(database, Some("local")), count(database, None));
    });
}

#[test]
fn a_table_deleted_under_writes_leaves_nothing() {
    on_every_store(|database| {
        create_table(database);
        create_index(database).unwrap();
        wait_until_active(database);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let _finish = Finish(&done);
            for thread in 0..4 {
                let done = &done;
                scope.spawn(move || {
                    let mut nth = 0;
                    while !done.load(Ordering::Acquire) {
                        if let Err(error) = put(database, &format!("p{thread}"), nth, "g") {
                            assert_eq!(error.kind(), ErrorKind::ResourceNotFound, "{error}");
                        }
                        nth += 1;
                    }
                });
            }
            let body = json!({ "TableName": "table" });
            for _ in 0..5 {
                while count(database, None) < 20 {
                    thread::yield_now();
                }
                call(database, Operation::DeleteTable, &body).unwrap();
                create_table(database);
            }
        });
        verify(database);
        assert_eq!(count(database, Some("local")), count(database, None));
    });
}

#[test]
fn a_backfill_goes_on_after_a_restart() {
    const ITEMS: usize = 3000;
    let folder = TempDir::new().unwrap();
    let open = || Database::open(folder.path(), &Options::default()).unwrap().blocking();
    let database = open();
    create_table(&database);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let database = &database;
            scope.spawn(move || {
                for nth in 0..ITEMS / THREADS {
                    put(database, &format!("p{thread}"), nth, "g").unwrap();
                }
            });
        }
    });
    create_index(&database).unwrap();
    drop(database);
    // Each restart interrupts the job again, a little later, until it is done.
    let mut added = 0;
    for restart in 0.. {
        let database = open();
        for _ in 0..restart * 2 {
            put(&database, "between", added, "g").unwrap();
            added += 1;
        }
        if index_status(&database).as_deref() == Some("ACTIVE") || restart == 15 {
            wait_until_active(&database);
            verify(&database);
            assert_eq!(count(&database, Some("by-group")), (ITEMS + added) as u64);
            return;
        }
    }
}
