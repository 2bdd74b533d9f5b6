//! Kills a process that writes, again and again, and checks what is left on disk: every write that
//! was acknowledged is there, or a later one of the same item, and indexes and counters are true.
//!
//! The writing process is this test itself, started again with the data folder in its environment.
//! It prints a line when a write begins and one when it is acknowledged, and is killed with
//! SIGKILL after a random number of acknowledgements. `HASHRANGE_KILL_ROUNDS` asks for more rounds,
//! `HASHRANGE_SEED` for other choices.

#![expect(
    clippy::disallowed_methods,
    reason = "the process that is killed gets its folder in the environment"
)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test: failures panic")]

use hashrange::{Blocking, Database, Operation, Options};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use tempfile::TempDir;

const FOLDER: &str = "HASHRANGE_KILL_FOLDER";
const FIRST: &str = "HASHRANGE_KILL_FIRST_VERSION";
const WRITERS: usize = 6;
const KEYS: usize = 12;
const BATCH: usize = 5;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn open(folder: &Path) -> Blocking {
    Database::open(folder, &Options::default()).unwrap().blocking()
}

fn call(database: &Blocking, operation: Operation, body: &Json) -> Json {
    let answer = database.call(operation, body.to_string().as_bytes()).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn create_table(database: &Blocking) {
    let index = |name: &str, key: Json, projection: &str| {
        json!({
            "IndexName": name, "KeySchema": key, "Projection": { "ProjectionType": projection },
        })
    };
    let hash = |name: &str| json!({ "AttributeName": name, "KeyType": "HASH" });
    let range = |name: &str| json!({ "AttributeName": name, "KeyType": "RANGE" });
    let body = json!({
        "TableName": "table",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            { "AttributeName": "pk", "AttributeType": "S" },
            { "AttributeName": "sk", "AttributeType": "N" },
            { "AttributeName": "version", "AttributeType": "N" },
            { "AttributeName": "parity", "AttributeType": "S" },
        ],
        "KeySchema": [hash("pk"), range("sk")],
        "LocalSecondaryIndexes": [index("local", json!([hash("pk"), range("version")]), "ALL")],
        "GlobalSecondaryIndexes": [
            index("by-version", json!([hash("version"), range("sk")]), "KEYS_ONLY"),
            index("by-parity", json!([hash("parity"), range("version")]), "ALL"),
        ],
    });
    call(database, Operation::CreateTable, &body);
}

fn item(writer: usize, key: usize, version: u64) -> Json {
    json!({
        "pk": { "S": format!("w{writer}") },
        "sk": { "N": key.to_string() },
        "version": { "N": version.to_string() },
        "parity": { "S": if version.is_multiple_of(2) { "even" } else { "odd" } },
        "filling": { "S": "f".repeat(usize::try_from(version % 700).unwrap()) },
    })
}

/// Writes rising versions of the writer's items for ever. A deleted item has no version.
fn write(database: &Blocking, writer: usize, first: u64) {
    let mut random = Random::new(first * 1000 + writer as u64);
    for version in first.. {
        let key = random.below(KEYS);
        let keys: Vec<usize> = match random.below(10) {
            0..2 => (0..BATCH).map(|nth| (key + nth) % KEYS).collect(),
            _ => vec![key],
        };
        let is_delete = keys.len() == 1 && random.chance(10);
        say("begin", writer, &keys, version, is_delete);
        write_once(database, writer, &keys, version, is_delete, random.chance(50));
        say("done", writer, &keys, version, is_delete);
    }
}

fn write_once(
    database: &Blocking,
    writer: usize,
    keys: &[usize],
    version: u64,
    is_delete: bool,
    as_update: bool,
) {
    let new = item(writer, keys[0], version);
    let key = json!({ "pk": new["pk"], "sk": new["sk"] });
    if keys.len() > 1 {
        let puts: Vec<_> = keys
            .iter()
            .map(|key| json!({ "PutRequest": { "Item": item(writer, *key, version) } }))
            .collect();
        let body = json!({ "RequestItems": { "table": puts } });
        call(database, Operation::BatchWriteItem, &body);
    } else if is_delete {
        call(database, Operation::DeleteItem, &json!({ "TableName": "table", "Key": key }));
    } else if as_update {
        let body = json!({
            "TableName": "table",
            "Key": key,
            "UpdateExpression": "SET version = :v, parity = :p, filling = :f",
            "ExpressionAttributeValues": {
                ":v": new["version"], ":p": new["parity"], ":f": new["filling"],
            },
        });
        call(database, Operation::UpdateItem, &body);
    } else {
        call(database, Operation::PutItem, &json!({ "TableName": "table", "Item": new }));
    }
}

/// Prints one line in one write.
fn say(what: &str, writer: usize, keys: &[usize], version: u64, is_delete: bool) {
    let keys: Vec<_> = keys.iter().map(ToString::to_string).collect();
    let line = format!("#{what} {writer} {} {version} {is_delete}\n", keys.join(","));
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

/// What is known of an item: versions from the last acknowledged one on may be stored.
#[derive(Debug, Default, Clone)]
struct Known {
    /// Possible states: a version, or nothing after a delete.
    possible: Vec<Option<u64>>,
}

/// The child: writes until it is killed.
#[test]
fn writer_process() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let database = open(Path::new(&folder));
    let first = setting(FIRST, 1);
    println!();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let database = &database;
            scope.spawn(move || write(database, writer, first));
        }
    });
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    let rounds = setting("HASHRANGE_KILL_ROUNDS", 4);
    let mut random = Random::new(setting("HASHRANGE_SEED", 1));
    let folder = TempDir::new().unwrap();
    let database = open(folder.path());
    create_table(&database);
    drop(database);
    let mut known: BTreeMap<(usize, usize), Known> = (0..WRITERS)
        .flat_map(|writer| (0..KEYS).map(move |key| ((writer, key), Known::initial())))
        .collect();
    let mut next_version = 1;
    for round in 0..rounds {
        let acknowledged = 1 + random.below(1500);
        let last = kill_after(folder.path(), next_version, acknowledged, &mut known);
        next_version = last + 1;
        let report = Database::check(folder.path(), &Options::default()).unwrap();
        assert!(report.problems.is_empty(), "round {round}: {:?}", report.problems);
        compare(folder.path(), round, &mut known);
    }
}

impl Known {
    fn initial() -> Self {
        Self { possible: vec![None] }
    }
}

/// Runs the child until it has acknowledged so many writes, kills it, and adds what it said to what
/// is known. Returns the last version it has begun to write.
fn kill_after(
    folder: &Path,
    first: u64,
    acknowledged: usize,
    known: &mut BTreeMap<(usize, usize), Known>,
) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["writer_process", "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let (mut done, mut last, mut line) = (0, first, String::new());
    // After the kill the pipe still holds lines: they were said, so they count.
    while lines.read_line(&mut line).unwrap() > 0 {
        if let Some(said) = line.trim_end().strip_prefix('#')
            && line.ends_with('\n')
        {
            let version = learn(said, known);
            last = last.max(version);
            done += usize::from(said.starts_with("done"));
            if done == acknowledged {
                child.kill().unwrap();
            }
        }
        line.clear();
    }
    child.wait().unwrap();
    assert!(done >= acknowledged, "the writing process ended by itself after {done} writes");
    last
}

fn learn(said: &str, known: &mut BTreeMap<(usize, usize), Known>) -> u64 {
    let [what, writer, keys, version, is_delete] = said.split(' ').collect::<Vec<_>>()[..] else {
        unreachable!("lines are written whole");
    };
    let version: u64 = version.parse().unwrap();
    let state = (is_delete == "false").then_some(version);
    for key in keys.split(',') {
        let known = known.get_mut(&(writer.parse().unwrap(), key.parse().unwrap())).unwrap();
        if what == "done" {
            known.possible = vec![state];
        } else {
            known.possible.push(state);
        }
    }
    version
}

/// Compares every item with what is known of it; what is stored is then certain.
fn compare(folder: &Path, round: u64, known: &mut BTreeMap<(usize, usize), Known>) {
    let database = open(folder);
    for ((writer, key), known) in known {
        let key = json!({ "pk": { "S": format!("w{writer}") }, "sk": { "N": key.to_string() } });
        let body = json!({ "TableName": "table", "Key": key, "ConsistentRead": true });
        let stored = call(&database, Operation::GetItem, &body);
        let version: Option<u64> =
            stored["Item"]["version"]["N"].as_str().map(|text| text.parse().unwrap());
        let is_possible = known.possible.contains(&version);
        assert!(is_possible, "round {round}: {key} is {stored} instead of {known:?}");
        known.possible = vec![version];
    }
}
