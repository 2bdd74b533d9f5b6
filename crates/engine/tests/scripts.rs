//! Golden scripts: every operation's answers and errors, and the keys and values it writes.
//!
//! The scripts are in `scripts/OPERATION/FACT.txt`; their form is described at
//! [`hashrange_testkit::script`]. `HASHRANGE_SCRIPT` runs those whose path contains it.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::Engine;
use hashrange_model::{ApiError, Reason};
use hashrange_storage::{Direction, KeyRange, MemoryStore, Store, View, block_on};
use hashrange_testkit::environment::still_environment;
use hashrange_testkit::script::{self, Bless, Contents, Subject};
use hashrange_wire::{Operation, Service};
use std::ops::ControlFlow;
use std::path::Path;

struct Database(Engine<MemoryStore>);

impl Subject for Database {
    fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        let operation =
            Operation::from_name(Service::DynamoDb, operation).ok_or(Reason::UnknownOperation)?;
        block_on(self.0.call(operation, body))
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

#[test]
fn scripts_answer_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let filter = std::env::var("HASHRANGE_SCRIPT").unwrap_or_default();
    let bless = Bless::from_setting(std::env::var("HASHRANGE_BLESS").ok().as_deref());
    let scripts = script::find(&folder);
    assert!(!scripts.is_empty());
    let mut mismatches = Vec::new();
    for path in scripts.iter().filter(|path| path.to_string_lossy().contains(&filter)) {
        let engine = block_on(Engine::open(MemoryStore::new(), still_environment())).unwrap();
        let database = Database(engine);
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
