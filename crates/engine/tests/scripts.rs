//! Golden scripts: every operation's answers and errors, and the keys and values it writes.
//!
//! The scripts are in `scripts/OPERATION/FACT.txt`; their form is described at
//! [`hashrange_testkit::script`]. `HASHRANGE_SCRIPT` runs those whose path contains it.

#![expect(
    clippy::disallowed_methods,
    reason = "which scripts run, and whether to rewrite them, come from the environment"
)]
#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{Engine, EngineOptions};
use hashrange_model::{ApiError, Reason};
use hashrange_storage::{Direction, KeyRange, MemoryStore, Store, View, block_on};
use hashrange_testkit::contended::ContendedStore;
use hashrange_testkit::environment::{VirtualClock, virtual_environment};
use hashrange_testkit::script::{self, Bless, Contents, Subject};
use hashrange_wire::{Operation, Service};
use std::ops::ControlFlow;
use std::path::Path;

struct Database(Engine<ContendedStore<MemoryStore>>, VirtualClock);

impl Subject for Database {
    fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        let operation = Operation::from_name(Service::DynamoDb, operation)
            .or_else(|| Operation::from_name(Service::Streams, operation))
            .ok_or(Reason::UnknownOperation)?;
        block_on(self.0.call(operation, body))
    }

    fn advance(&self, ms: u64) {
        self.1.advance_ms(ms);
        self.0.sweep();
    }

    fn contents(&self) -> Contents {
        let mut contents = Contents::new();
        let all = KeyRange { start: Vec::new(), end: None };
        let visited = self.0.store().view();
        block_on(visited.visit(all, Direction::Forward, |key, value| {
            contents.insert(key.to_vec(), value.to_vec());
            ControlFlow::Continue(())
        }))
        .unwrap();
        contents
    }
}

/// With one shard, so that scripts know where a record is.
fn options() -> EngineOptions {
    EngineOptions { stream_shards: 1, ..EngineOptions::default() }
}

#[test]
fn scripts_answer_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let filter = std::env::var("HASHRANGE_SCRIPT").unwrap_or_default();
    let bless = Bless::from_setting(std::env::var("HASHRANGE_BLESS").ok().as_deref());
    let scripts = script::find(&folder);
    assert!(!scripts.is_empty());
    let mut mismatches = Vec::new();
    for path in scripts.iter().filter(|path| path.to_string_lossy().contains(&filter)) {
        let (environment, clock) = virtual_environment();
        let engine =
            Engine::open_with(ContendedStore::new(MemoryStore::new(), 0), environment, options());
        let database = Database(block_on(engine).unwrap(), clock);
        mismatches.extend(script::run(path, &folder.join("tables"), &database, bless));
        let report = block_on(hashrange_engine::verify(&database.0.store().view())).unwrap();
        assert!(report.problems.is_empty(), "{}: {:?}", path.display(), report.problems);
    }
    let failed: Vec<_> = mismatches
        .iter()
        .map(|mismatch| format!("{}\n{}", mismatch.path.display(), mismatch.report))
        .collect();
    assert!(failed.is_empty(), "{} scripts fail\n\n{}", failed.len(), failed.join("\n"));
}
