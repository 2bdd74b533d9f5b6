//! Concurrent clients on one database, in memory and on disk, whose histories are checked: single
//! items are linearizable, transactions strictly serializable.
//!
//! Bounded by default; `HASHRANGE_HISTORY_ROUNDS` asks for more runs, each on fresh databases,
//! `HASHRANGE_SEED` is the seed of the first.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: failures panic, seeds are told"
)]

use hashrange::{ApiError, Blocking, Database, ErrorKind, Operation, Options};
use hashrange_testkit::history::{Clock, Span, appends, register};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tempfile::TempDir;

const CLIENTS: u64 = 6;
const OPERATIONS: u64 = 150;
const REGISTERS: usize = 3;
const LISTS: usize = 5;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn on_every_store(test: impl Fn(&Run)) {
    let first = setting("HASHRANGE_SEED", 1);
    for seed in first..first + setting("HASHRANGE_HISTORY_ROUNDS", 1) {
        println!("HASHRANGE_SEED={seed}");
        test(&Run::new(Database::memory(), seed));
        let folder = TempDir::new().unwrap();
        let database = Database::open(folder.path(), &Options::default()).unwrap();
        test(&Run::new(database, seed));
    }
}

/// A database with one table, and what all clients share.
struct Run {
    database: Blocking,
    seed: u64,
    clock: Clock,
    /// Every value written is another.
    next_value: AtomicU64,
}

impl Run {
    #[expect(clippy::needless_pass_by_value, reason = "the run is the only one to use it")]
    fn new(database: Database, seed: u64) -> Self {
        let run = Self {
            database: database.blocking(),
            seed,
            clock: Clock::default(),
            next_value: AtomicU64::new(1),
        };
        let definition = json!({
            "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "N" }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        });
        run.call(Operation::CreateTable, &definition).unwrap();
        run
    }

    fn call(&self, operation: Operation, body: &Json) -> Result<Json, ApiError> {
        let answer = self.database.call(operation, body.to_string().as_bytes())?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    fn value(&self) -> u64 {
        self.next_value.fetch_add(1, Ordering::Relaxed)
    }

    /// Runs `client` in several threads and returns all that they recorded.
    fn clients<T: Send>(&self, client: impl Fn(&mut Random) -> T + Sync) -> Vec<T> {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..CLIENTS)
                .map(|nth| {
                    let client = &client;
                    scope.spawn(move || {
                        let mut random = Random::new(self.seed * 1000 + nth);
                        (0..OPERATIONS).map(|_| client(&mut random)).collect::<Vec<T>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }
}

fn key(nth: usize) -> Json {
    json!({ "pk": { "N": nth.to_string() } })
}

fn number(value: &Json) -> Option<u64> {
    value["N"].as_str().map(|digits| digits.parse().unwrap())
}

/// Returns whether a write was done; it may only be refused for its condition.
fn is_done(answer: Result<Json, ApiError>) -> bool {
    match answer {
        Ok(_) => true,
        Err(error) => {
            let kinds = [ErrorKind::ConditionalCheckFailed, ErrorKind::TransactionCanceled];
            assert!(kinds.contains(&error.kind()), "{error}");
            false
        }
    }
}

// ---- single items

fn read_register(run: &Run, nth: usize) -> (register::Action, Span) {
    let body = json!({ "TableName": "table", "Key": key(nth), "ConsistentRead": true });
    let (answer, span) = run.clock.observe(|| run.call(Operation::GetItem, &body).unwrap());
    (register::Action::Read(number(&answer["Item"]["v"])), span)
}

fn write_register(run: &Run, nth: usize, random: &mut Random) -> (register::Action, Span) {
    let value = run.value();
    let mut item = key(nth);
    item["v"] = json!({ "N": value.to_string() });
    let put = json!({ "TableName": "table", "Item": item });
    let (operation, body, written) = match random.below(3) {
        0 => (Operation::PutItem, put, Some(value)),
        1 => {
            let body = json!({ "TransactItems": [{ "Put": put }] });
            (Operation::TransactWriteItems, body, Some(value))
        }
        _ => (Operation::DeleteItem, json!({ "TableName": "table", "Key": key(nth) }), None),
    };
    let (done, span) = run.clock.observe(|| is_done(run.call(operation, &body)));
    assert!(done);
    (register::Action::Write(written), span)
}

/// Writes on the condition that the value is still what was read, in one of three ways.
fn swap_register(
    run: &Run,
    nth: usize,
    expected: Option<u64>,
    random: &mut Random,
) -> (register::Action, Span) {
    let new = run.value();
    let mut write = json!({
        "TableName": "table", "Key": key(nth),
        "UpdateExpression": "SET v = :new",
        "ConditionExpression": "attribute_not_exists(v)",
        "ExpressionAttributeValues": { ":new": { "N": new.to_string() } },
    });
    if let Some(expected) = expected {
        write["ConditionExpression"] = "v = :old".into();
        write["ExpressionAttributeValues"][":old"] = json!({ "N": expected.to_string() });
    }
    let (operation, body) = if random.chance(50) {
        (Operation::UpdateItem, write)
    } else {
        (Operation::TransactWriteItems, json!({ "TransactItems": [{ "Update": write }] }))
    };
    let (succeeded, span) = run.clock.observe(|| is_done(run.call(operation, &body)));
    (register::Action::Swap { expected, new: Some(new), succeeded }, span)
}

#[test]
fn single_items_are_linearizable() {
    on_every_store(|run| {
        let events = run.clients(|random| {
            let nth = random.below(REGISTERS);
            let mut events = Vec::new();
            match random.below(3) {
                0 => events.push(read_register(run, nth)),
                1 => events.push(write_register(run, nth, random)),
                _ => {
                    let read = read_register(run, nth);
                    let register::Action::Read(expected) = read.0 else { unreachable!() };
                    events.push(read);
                    events.push(swap_register(run, nth, expected, random));
                }
            }
            events.into_iter().map(move |event| (nth, event)).collect::<Vec<_>>()
        });
        for register in 0..REGISTERS {
            let of_register = events.iter().flatten().filter(|(nth, _)| *nth == register);
            let history: Vec<_> = of_register
                .map(|(_, (action, span))| register::Event { span: *span, action: action.clone() })
                .collect();
            let swaps = history.iter().filter(|event| {
                matches!(event.action, register::Action::Swap { succeeded: true, .. })
            });
            assert!(swaps.count() > 0, "the history is empty of swaps");
            assert_eq!(register::check(None, &history), Ok(()));
        }
    });
}

// ---- transactions

fn list_of(item: &Json) -> Vec<u64> {
    let values = item["list"]["L"].as_array().cloned().unwrap_or_default();
    values.iter().filter_map(number).collect()
}

fn distinct_lists(random: &mut Random, most: usize) -> Vec<usize> {
    let lists: BTreeSet<_> = (0..=random.below(most)).map(|_| random.below(LISTS)).collect();
    lists.into_iter().collect()
}

/// Reads lists as of one moment.
fn read_lists(run: &Run, lists: &[usize]) -> (Vec<Vec<u64>>, Span) {
    let get = |nth: &usize| json!({ "Get": { "TableName": "table", "Key": key(*nth) } });
    let gets: Vec<_> = lists.iter().map(get).collect();
    let body = json!({ "TransactItems": gets });
    let (answer, span) =
        run.clock.observe(|| run.call(Operation::TransactGetItems, &body).unwrap());
    let responses = answer["Responses"].as_array().unwrap();
    (responses.iter().map(|response| list_of(&response["Item"])).collect(), span)
}

/// Returns the condition that a list is as it was read: lists only grow.
fn unchanged(values: &[u64], body: &mut Json) {
    if values.is_empty() {
        body["ConditionExpression"] = "attribute_not_exists(#l)".into();
    } else {
        body["ConditionExpression"] = "size(#l) = :size".into();
        body["ExpressionAttributeValues"][":size"] = json!({ "N": values.len().to_string() });
    }
    body["ExpressionAttributeNames"] = json!({ "#l": "list" });
}

fn append(nth: usize, value: u64) -> Json {
    json!({
        "TableName": "table", "Key": key(nth),
        "UpdateExpression": "SET #l = list_append(if_not_exists(#l, :none), :value)",
        "ExpressionAttributeNames": { "#l": "list" },
        "ExpressionAttributeValues": {
            ":none": { "L": [] },
            ":value": { "L": [{ "N": value.to_string() }] },
        },
    })
}

fn list_key(nth: usize) -> appends::Key {
    appends::Key::try_from(nth).unwrap()
}

fn read_actions(lists: &[usize], found: &[Vec<u64>]) -> Vec<appends::Action> {
    lists
        .iter()
        .zip(found)
        .map(|(nth, values)| appends::Action::Read(list_key(*nth), values.clone()))
        .collect()
}

fn read_only(run: &Run, random: &mut Random) -> appends::Transaction {
    let lists = distinct_lists(random, LISTS);
    let (found, span) = read_lists(run, &lists);
    let actions = read_actions(&lists, &found);
    appends::Transaction { span, actions, outcome: appends::Outcome::Committed }
}

/// Appends to some lists without reading; a third of these is doomed by a condition that fails.
fn append_only(run: &Run, random: &mut Random) -> appends::Transaction {
    let lists = distinct_lists(random, 3);
    let values: Vec<_> = lists.iter().map(|_| run.value()).collect();
    let mut members: Vec<_> = lists
        .iter()
        .zip(&values)
        .map(|(nth, value)| json!({ "Update": append(*nth, *value) }))
        .collect();
    if random.chance(33) {
        members.push(json!({ "ConditionCheck": {
            "TableName": "table", "Key": key(LISTS + 1),
            "ConditionExpression": "attribute_exists(pk)",
        }}));
    }
    let (operation, body) = match &members[..] {
        [single] if random.chance(50) => (Operation::UpdateItem, single["Update"].clone()),
        members => (Operation::TransactWriteItems, json!({ "TransactItems": members })),
    };
    let (done, span) = run.clock.observe(|| is_done(run.call(operation, &body)));
    let appended = lists.iter().zip(values);
    appends::Transaction {
        span,
        actions: appended
            .map(|(nth, value)| appends::Action::Append(list_key(*nth), value))
            .collect(),
        outcome: outcome(done),
    }
}

/// Reads lists, then appends to one of them if none has changed: the others are only checked.
fn read_and_append(run: &Run, random: &mut Random) -> appends::Transaction {
    let lists = distinct_lists(random, 3);
    let (found, _) = read_lists(run, &lists);
    let target = random.below(lists.len());
    let value = run.value();
    let members: Vec<_> = lists
        .iter()
        .zip(&found)
        .enumerate()
        .map(|(nth, (list, values))| {
            let (verb, mut body) = if nth == target {
                ("Update", append(*list, value))
            } else {
                ("ConditionCheck", json!({ "TableName": "table", "Key": key(*list) }))
            };
            unchanged(values, &mut body);
            json!({ verb: body })
        })
        .collect();
    let body = json!({ "TransactItems": members });
    let (done, span) =
        run.clock.observe(|| is_done(run.call(Operation::TransactWriteItems, &body)));
    let mut actions = read_actions(&lists, &found);
    actions.push(appends::Action::Append(list_key(lists[target]), value));
    appends::Transaction { span, actions, outcome: outcome(done) }
}

fn outcome(done: bool) -> appends::Outcome {
    if done { appends::Outcome::Committed } else { appends::Outcome::Aborted }
}

#[test]
fn transactions_are_strictly_serializable() {
    on_every_store(|run| {
        let mut history = run.clients(|random| match random.below(3) {
            0 => read_only(run, random),
            1 => append_only(run, random),
            _ => read_and_append(run, random),
        });
        let all: Vec<_> = (0..LISTS).collect();
        let (found, span) = read_lists(run, &all);
        history.push(appends::Transaction {
            span,
            actions: read_actions(&all, &found),
            outcome: appends::Outcome::Committed,
        });
        let committed = history.iter().filter(|one| one.outcome == appends::Outcome::Committed);
        let (committed, all) = (committed.count(), history.len());
        assert!(committed > all / 4 && committed < all, "{committed} of {all} are committed");
        assert_eq!(appends::check(&history), Ok(()));
    });
}
