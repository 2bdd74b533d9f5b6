//! Sequences of whole requests, each on a new database: what one request leaves, the next one meets.
//!
//! An input has a line for each request: the operation, a blank, the body; `advance MS` lets time
//! pass. No request may panic or be answered with a fault of the server's own, and afterwards the
//! store must be consistent.

use hashrange_engine::{Engine, EngineOptions, verify};
use hashrange_model::error::ErrorKind;
use hashrange_storage::{MemoryStore, Store, block_on};
use hashrange_testkit::environment::virtual_environment;
use hashrange_testkit::script::Answers;
use hashrange_wire::{Operation, Service};

/// Longer sequences only repeat what shorter ones do.
const REQUESTS_MAX: usize = 40;
/// Time passes by no more than a month at once.
const PASSING_MAX_MS: u64 = 31 * 24 * 60 * 60 * 1000;

/// Runs a sequence.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (environment, clock) = virtual_environment();
    let options = EngineOptions { stream_shards: 1, jobs_run: false, ..Default::default() };
    let engine = block_on(Engine::open_with(MemoryStore::new(), environment, options))
        .expect("an empty store can be opened");
    let mut answers = Answers::default();
    for line in text.lines().take(REQUESTS_MAX) {
        let (name, body) = line.split_once(' ').unwrap_or((line, ""));
        if name == "advance" {
            clock.advance_ms(body.parse().unwrap_or(0).min(PASSING_MAX_MS));
            engine.sweep();
        } else if let Some(operation) = operation(name) {
            let body = answers.insert(body).unwrap_or_else(|_| body.to_owned());
            match block_on(engine.call(operation, body.as_bytes())) {
                Ok(answer) => answers.add(&answer),
                Err(error) => assert_ne!(error.kind(), ErrorKind::InternalServerError, "{line}"),
            }
        }
        block_on(engine.run_jobs());
    }
    let report =
        block_on(verify(&block_on(engine.store().view()).expect("a store in memory can be read")))
            .expect("the store can be read");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

/// Returns the operation of either service that has this name.
pub fn operation(name: &str) -> Option<Operation> {
    Operation::from_name(Service::DynamoDb, name)
        .or_else(|| Operation::from_name(Service::Streams, name))
}
