//! A volume that is full: after deletes or DeleteTable its space comes back and writes go on.
//!
//! Each try has a volume of 300 MB of its own, in memory, in a mount namespace of its own: this test itself
//! is started again under `unshare`. The try fills the volume through the API until writes are refused,
//! removes items or a table at a moment of its choice, and writes again; what is acknowledged is there, what
//! is deleted stays deleted, also after the folder was opened again. `HASHRANGE_FULL_DISK_TRIES` asks for more
//! tries, `HASHRANGE_SEED` for other choices.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "the process on the volume gets its folder in the environment"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test: failures panic"
)]

use hashrange::{Blocking, Database, Operation, Options};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use tempfile::TempDir;

const FOLDER: &str = "HASHRANGE_FULL_DISK_FOLDER";
const SEED: &str = "HASHRANGE_SEED";
const TABLES: [&str; 2] = ["kept", "removed"];

/// So often a write is asked for again after space was made.
const MOST_REFUSALS: usize = 500_000;

/// Of the bytes that were removed so many can be written again at least, in percent.
const WRITTEN_AGAIN: usize = 50;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn a_full_volume_takes_writes_again_after_deletes() {
    let folder = TempDir::new().unwrap();
    let probe = on_a_volume(folder.path(), &["true"], 0);
    if !probe.status.success() {
        let why = String::from_utf8_lossy(&probe.stderr);
        eprintln!("skipped: this system gives a test no volume of its own: {}", why.trim());
        return;
    }
    let first = setting(SEED, 1);
    let this = std::env::current_exe().unwrap();
    for seed in first..first + setting("HASHRANGE_FULL_DISK_TRIES", 5) {
        let args = [this.to_str().unwrap(), "process_on_the_volume", "--exact", "--nocapture"];
        let output = on_a_volume(folder.path(), &args, seed);
        let said = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "seed {seed}\n{said}\n{failed}");
        assert!(said.contains("#done"), "seed {seed} tried nothing\n{said}\n{failed}");
        said.lines().filter(|line| line.contains('#')).for_each(|line| println!("{line}"));
    }
}

/// Runs a command in a mount namespace in which the folder is a volume of 300 MB.
fn on_a_volume(folder: &Path, command: &[&str], seed: u64) -> Output {
    Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=300m volume \"$0\" && exec \"$@\"")
        .arg(folder)
        .args(command)
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .output()
        .unwrap_or_else(|error| {
            let mut none = Command::new("false").output().unwrap();
            none.stderr = error.to_string().into_bytes();
            none
        })
}

/// The process on the volume.
#[test]
fn process_on_the_volume() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let mut run = Run::new(folder, setting(SEED, 1));
    println!();
    for _ in 0..=run.random.below(2) {
        run.fill();
        run.linger();
        let bytes = run.remove();
        run.write_again(bytes);
        run.compare("before the end");
    }
    let Run { database, known, .. } = run;
    drop(database);
    let report = Database::check(folder, &Options::default()).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let random = Random::new(0);
    let run = Run { database: open(folder), known, random, next: 0, value_bytes: 0 };
    run.compare("after the folder was opened again");
    println!("#done");
}

fn open(folder: &Path) -> Blocking {
    Database::open(folder, &Options::default()).unwrap().blocking()
}

/// One try.
struct Run {
    database: Blocking,
    random: Random,
    /// The values that were acknowledged last of all items that were ever written, `None` once deleted.
    known: BTreeMap<(&'static str, u64), Option<Written>>,
    /// What no item was called yet.
    next: u64,
    /// The most that a value has.
    value_bytes: usize,
}

/// A value, by what it is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Written {
    seed: u64,
    bytes: usize,
}

impl Written {
    /// Returns the value: text that hardly compresses.
    fn value(self) -> String {
        let mut random = Random::new(self.seed);
        let mut value = String::with_capacity(self.bytes + 16);
        while value.len() < self.bytes {
            write!(value, "{:016x}", random.bits()).unwrap();
        }
        value.truncate(self.bytes);
        value
    }
}

impl Run {
    fn new(folder: &Path, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let database = open(folder);
        let value_bytes = *random.pick(&[6_000, 20_000, 60_000, 300_000]);
        println!("#seed {seed}: values up to {value_bytes} bytes");
        let mut run = Self { database, random, known: BTreeMap::new(), next: 0, value_bytes };
        for table in TABLES {
            run.create(table);
        }
        run
    }

    fn call(&self, operation: Operation, body: &Json) -> Result<Json, String> {
        let answer = self.database.call(operation, body.to_string().as_bytes());
        answer.map(|body| serde_json::from_slice(&body).unwrap()).map_err(|error| error.to_string())
    }

    fn create(&mut self, table: &str) {
        let body = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "N" }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        });
        // A name is free once the table before is gone.
        let created = (0..MOST_REFUSALS).any(|_| self.call(Operation::CreateTable, &body).is_ok());
        assert!(created, "{:?}", self.call(Operation::CreateTable, &body));
    }

    /// Writes an item, new or one that is there; tells what was refused.
    fn put(&mut self, table: &'static str) -> Result<usize, String> {
        let key = if self.next > 0 && self.random.chance(20) {
            self.random.bits() % self.next
        } else {
            self.next += 1;
            self.next
        };
        let bytes = 100 + self.random.below(self.value_bytes);
        let written = Written { seed: self.random.bits(), bytes };
        let item = json!({ "pk": { "N": key.to_string() }, "value": { "S": written.value() } });
        self.call(Operation::PutItem, &json!({ "TableName": table, "Item": item }))?;
        self.known.insert((table, key), Some(written));
        Ok(bytes)
    }

    /// Writes until the volume is full; returns how many bytes.
    fn fill(&mut self) -> usize {
        let mut bytes = 0;
        loop {
            let table = *self.random.pick(&TABLES);
            match self.put(table) {
                Ok(more) => bytes += more,
                Err(error) => {
                    assert!(error.contains("no space"), "{error}");
                    println!("# full after {bytes} bytes");
                    return bytes;
                }
            }
        }
    }

    /// Lets some time go by, as long as some more writes take that are refused or not.
    fn linger(&mut self) {
        let most = *self.random.pick(&[1, 100, 3000]);
        for _ in 0..self.random.below(most) {
            let _refused = self.put(TABLES[0]);
        }
    }

    /// Deletes a part of a table, or the table, or one after the other; returns how many bytes.
    fn remove(&mut self) -> usize {
        let table = TABLES[1];
        let mut items: Vec<(u64, usize)> = self
            .known
            .range((table, 0)..=(table, u64::MAX))
            .filter_map(|((_, key), written)| written.map(|written| (*key, written.bytes)))
            .collect();
        if self.random.chance(50) {
            for nth in 1..items.len() {
                items.swap(nth, self.random.below(nth + 1));
            }
        }
        let deletes_table = self.random.chance(60);
        let percent =
            if deletes_table { self.random.below(90) } else { 50 + self.random.below(51) };
        let percent = if deletes_table && self.random.chance(60) { 0 } else { percent };
        let all: usize = items.iter().map(|(_, bytes)| bytes).sum();
        items.truncate(items.len() * percent / 100);
        let deleted: usize = items.iter().map(|(_, bytes)| bytes).sum();
        for (key, _) in &items {
            let body = json!({ "TableName": table, "Key": { "pk": { "N": key.to_string() } } });
            self.until_taken(Operation::DeleteItem, &body);
            self.known.insert((table, *key), None);
        }
        if !deletes_table {
            println!("# {} items deleted, {deleted} bytes", items.len());
            return deleted;
        }
        self.until_taken(Operation::DeleteTable, &json!({ "TableName": table }));
        self.known.retain(|(of, _), _| *of != table);
        println!("# {} items deleted, then their table, {all} bytes", items.len());
        all
    }

    fn until_taken(&self, operation: Operation, body: &Json) {
        let mut answer = self.call(operation, body);
        for _ in 0..MOST_REFUSALS {
            if answer.is_ok() {
                return;
            }
            thread::yield_now();
            answer = self.call(operation, body);
        }
        answer.unwrap();
    }

    /// Writes a part of what was removed, however often writes are refused meanwhile.
    fn write_again(&mut self, removed: usize) {
        let (mut bytes, mut refusals, mut all_refusals) = (0, 0, 0);
        while bytes < removed * WRITTEN_AGAIN / 100 {
            match self.put(TABLES[0]) {
                Ok(more) => (bytes, refusals) = (bytes + more, 0),
                Err(error) => {
                    refusals += 1;
                    all_refusals += 1;
                    assert!(refusals < MOST_REFUSALS, "after {bytes} of {removed} bytes: {error}");
                    thread::yield_now();
                }
            }
        }
        println!("# {bytes} bytes written again, {all_refusals} refusals");
        let is_there =
            self.call(Operation::DescribeTable, &json!({ "TableName": TABLES[1] })).is_ok();
        if !is_there {
            self.create(TABLES[1]);
        }
    }

    fn compare(&self, when: &str) {
        for ((table, key), written) in &self.known {
            let key = json!({ "pk": { "N": key.to_string() } });
            let body = json!({ "TableName": table, "Key": key, "ConsistentRead": true });
            let answer = self.call(Operation::GetItem, &body).unwrap();
            let stored = answer["Item"]["value"]["S"].as_str();
            let expected = written.map(Written::value);
            assert!(stored == expected.as_deref(), "{when}: {table} {key} should be {written:?}");
        }
    }
}
