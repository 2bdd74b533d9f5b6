//! Golden scripts: every operation's answers and errors, and the keys and values it writes.
//!
//! The scripts are in `scripts/OPERATION/FACT.txt`; their form is described at
//! [`hashrange_testkit::script`]. `HASHRANGE_SCRIPT` runs those whose path contains it.

#![expect(
    clippy::disallowed_methods,
    reason = "which scripts run, and whether to rewrite them, come from the environment"
)]

use hashrange_engine::{EngineOptions, Mode};
use hashrange_model::ApiError;
use hashrange_testkit::database::{Database, is_on_postgres};
use hashrange_testkit::script::{self, Bless, Contents, Subject};
use std::path::Path;

struct Scripted(Database);

impl Subject for Scripted {
    fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        match operation.split_once(':') {
            Some(("Explain", explained)) => self.0.explained(explained, body, Mode::Plan),
            Some(("Analyze", explained)) => self.0.explained(explained, body, Mode::Analyze),
            _ => self.0.call_bytes(operation, body),
        }
    }

    fn advance(&self, ms: u64) {
        self.0.clock.advance_ms(ms);
        self.0.engine.sweep();
    }

    fn contents(&self) -> Contents {
        self.0.stored(&[]).into_iter().collect()
    }

    fn comparable(&self, answer: &str) -> String {
        if is_on_postgres() { without_store(answer) } else { answer.to_owned() }
    }
}

/// What differs on a store that several servers share: ids, as each server has one of its own, and iterators,
/// which have ids in them; sequence numbers, which grow by shard; round trips, which others have none of.
const NOT_COMPARED: &[&str] =
    &["TableId\"", "ShardIterator\"", "eventID\"", "SequenceNumber", "RoundTrips\"", "\"  took  "];

/// Returns an answer without that, and without what is stored.
fn without_store(answer: &str) -> String {
    let is_stored = |line: &&str| ["+ ", "- ", "~ "].iter().any(|sign| line.starts_with(sign));
    let differs = |line: &&str| NOT_COMPARED.iter().any(|name| line.contains(name));
    let kept = answer.lines().filter(|line| !is_stored(line) && !differs(line));
    kept.map(without_round_trips).collect::<Vec<_>>().join("\n")
}

/// Returns a line without what an explanation in it says of round trips.
fn without_round_trips(line: &str) -> String {
    let Some((before, told)) = line.split_once("\\n  took  ") else { return line.to_owned() };
    let (_, after) = told.split_once(" to the database").expect("it says to what");
    format!("{before}{after}")
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
        let database = Scripted(Database::memory(options()));
        mismatches.extend(script::run(path, &folder.join("tables"), &database, bless));
        let problems = database.0.report().problems;
        assert!(problems.is_empty(), "{}: {problems:?}", path.display());
    }
    let failed: Vec<_> = mismatches
        .iter()
        .map(|mismatch| format!("{}\n{}", mismatch.path.display(), mismatch.report))
        .collect();
    assert!(failed.is_empty(), "{} scripts fail\n\n{}", failed.len(), failed.join("\n"));
}
