//! Client request tokens through time: they count for ten minutes, across a restart, and are removed
//! afterwards.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{Engine, Environment};
use hashrange_model::{ApiError, ErrorKind};
use hashrange_storage::{
    Direction, EmbeddedOptions, EmbeddedStore, KeyRange, MemoryStore, Store, View, block_on,
};
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::{NOW_MS, still_environment};
use hashrange_wire::Operation;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const TEN_MINUTES_MS: u64 = 10 * 60 * 1000;

/// A clock that a test sets.
#[derive(Clone)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(NOW_MS)))
    }

    fn advance(&self, by_ms: u64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    fn environment(&self) -> Environment {
        let clock = Arc::clone(&self.0);
        Environment {
            now_ms: Arc::new(move || clock.load(Ordering::SeqCst)),
            ..still_environment()
        }
    }
}

fn open<S: Store>(store: S, clock: &Clock) -> Engine<S> {
    block_on(Engine::open(store, clock.environment())).unwrap()
}

fn create_table<S: Store>(engine: &Engine<S>) {
    let definition = json!({
        "TableName": "counts", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    });
    block_on(engine.call(Operation::CreateTable, definition.to_string().as_bytes())).unwrap();
}

/// Adds `by` to the one item under a token.
fn add<S: Store>(engine: &Engine<S>, by: u32, token: &str) -> Result<(), ApiError> {
    let request = json!({
        "ClientRequestToken": token,
        "TransactItems": [{"Update": {
            "TableName": "counts", "Key": {"pk": {"S": "a"}},
            "UpdateExpression": "ADD n :by",
            "ExpressionAttributeValues": {":by": {"N": by.to_string()}},
        }}],
    });
    block_on(engine.call(Operation::TransactWriteItems, request.to_string().as_bytes())).map(drop)
}

fn count<S: Store>(engine: &Engine<S>) -> String {
    let request = json!({"TableName": "counts", "Key": {"pk": {"S": "a"}}}).to_string();
    let answer = block_on(engine.call(Operation::GetItem, request.as_bytes())).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    answer["Item"]["n"]["N"].as_str().unwrap_or_default().to_owned()
}

/// Returns the number of keys in the space of tokens.
fn token_keys<S: Store>(engine: &Engine<S>) -> usize {
    let mut keys = 0;
    let visited = engine.store().view();
    block_on(visited.visit(KeyRange::prefix(&[4]), Direction::Forward, |_, _| {
        keys += 1;
        ControlFlow::Continue(())
    }))
    .unwrap();
    keys
}

fn assert_sound<S: Store>(engine: &Engine<S>) {
    let report = block_on(hashrange_engine::verify(&engine.store().view())).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn a_token_counts_for_ten_minutes_and_is_removed_afterwards() {
    let clock = Clock::new();
    let engine = open(ContendedStore::new(MemoryStore::new(), 0), &clock);
    create_table(&engine);
    add(&engine, 1, "t").unwrap();
    clock.advance(TEN_MINUTES_MS);
    add(&engine, 1, "t").unwrap();
    assert_eq!(count(&engine), "1");
    let error = add(&engine, 2, "t").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IdempotentParameterMismatch);
    engine.sweep();
    assert_eq!(token_keys(&engine), 2, "it is still in use");

    clock.advance(1);
    add(&engine, 2, "t").unwrap();
    assert_eq!(count(&engine), "3");
    assert_eq!(token_keys(&engine), 2, "the new use has taken the place of the old one");
    assert_sound(&engine);

    clock.advance(TEN_MINUTES_MS);
    engine.sweep();
    assert_eq!(token_keys(&engine), 2);
    clock.advance(1);
    engine.sweep();
    assert_eq!(token_keys(&engine), 0);
}

#[test]
fn a_sweep_takes_many_tokens_and_only_old_ones() {
    let clock = Clock::new();
    let engine = open(ContendedStore::new(MemoryStore::new(), 0), &clock);
    create_table(&engine);
    (0..1203).for_each(|nth| add(&engine, 1, &format!("old-{nth}")).unwrap());
    clock.advance(1000);
    (0..3).for_each(|nth| add(&engine, 1, &format!("new-{nth}")).unwrap());
    clock.advance(TEN_MINUTES_MS);
    engine.sweep();
    assert_eq!(token_keys(&engine), 6);
    assert_sound(&engine);
}

#[test]
fn tokens_survive_a_restart_and_the_timer_removes_them() {
    let folder = tempfile::tempdir().unwrap();
    let reopen = || {
        let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default());
        ContendedStore::new(store.unwrap(), 0)
    };
    let clock = Clock::new();
    let engine = open(reopen(), &clock);
    create_table(&engine);
    add(&engine, 1, "t").unwrap();
    block_on(engine.close()).unwrap();
    drop(engine);

    let engine = open(reopen(), &clock);
    add(&engine, 1, "t").unwrap();
    assert_eq!(count(&engine), "1");
    block_on(engine.close()).unwrap();
    drop(engine);

    clock.advance(TEN_MINUTES_MS + 1);
    let environment =
        Environment { sweep_interval: Some(Duration::from_millis(1)), ..clock.environment() };
    let engine = block_on(Engine::open(reopen(), environment)).unwrap();
    while token_keys(&engine) > 0 {
        std::thread::yield_now();
    }
    assert_sound(&engine);
    block_on(engine.close()).unwrap();
}
