//! A client that creates and deletes a table again and again, and knows what it may hold: nothing
//! that was put before its last deletion, in the table as in its indexes.
//!
//! It alone uses the table, one request after the other; but a request without an answer may be
//! done at any later moment until the server is started again.

use super::server::{Answer, Server};
use super::tables::{PASSING, items, n, number};
use hashrange_model::{ApiError, ErrorKind};
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const LOCAL: &str = "by-version";
const GLOBAL: &str = "by-sort-key";
const PARTITIONS: usize = 2;
const SORT_KEYS: usize = 3;

/// The client; clones share its knowledge.
#[derive(Debug, Clone)]
pub(super) struct Passing {
    server: Server,
    state: Rc<RefCell<State>>,
}

/// Partition key and sort key.
type Name = (String, u64);

#[derive(Debug, Default)]
struct State {
    /// The version of the newest put.
    newest: u64,
    /// Versions up to this one were put before a moment when the table was empty or absent.
    emptied_at: u64,
    /// The start of the server in which that moment was.
    emptied_in: u64,
    /// Items that are there, or have been overwritten by a put without an answer.
    items: BTreeMap<Name, u64>,
    /// Puts without an answer: the start of the server, and the version.
    loose: BTreeSet<(u64, u64)>,
    existence: Existence,
    /// The start of the server in which a creation got no answer.
    creation_lost_in: u64,
    /// The start of the server in which a deletion got no answer.
    deletion_lost_in: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Existence {
    #[default]
    Unknown,
    Present,
    Absent,
}

impl State {
    /// Notes that the table was seen empty or absent.
    fn is_emptied(&mut self, start: u64) {
        self.items.clear();
        (self.emptied_at, self.emptied_in) = (self.newest, start);
    }

    /// Notes that the table was seen; a deletion that is under way may end that.
    fn is_seen(&mut self, start: u64) {
        assert_ne!(self.existence, Existence::Absent, "the table is there");
        if self.deletion_lost_in != start {
            self.existence = Existence::Present;
        }
    }

    /// Notes that the table was seen absent; a creation that is under way may end that.
    fn is_missed(&mut self, start: u64) {
        assert_ne!(self.existence, Existence::Present, "the table is not there");
        self.is_gone(start);
    }

    fn is_gone(&mut self, start: u64) {
        self.is_emptied(start);
        let is_lost = self.creation_lost_in == start;
        self.existence = if is_lost { Existence::Unknown } else { Existence::Absent };
    }

    /// Panics unless an item may have this version.
    fn assert_possible(&self, version: u64) {
        let is_loose = |(start, loose): &(u64, u64)| *loose == version && *start >= self.emptied_in;
        let is_possible = version > self.emptied_at || self.loose.iter().any(is_loose);
        assert!(is_possible, "version {version} was put into a table that is gone: {self:?}");
    }

    /// Panics unless these may be the items, of one partition or of all.
    fn assert_holds(&self, found: &BTreeMap<Name, u64>, partition: Option<&str>) {
        for version in found.values() {
            self.assert_possible(*version);
        }
        for (name, version) in &self.items {
            if partition.is_some_and(|partition| partition != name.0) {
                continue;
            }
            let is_there = found.get(name).is_some_and(|found| {
                found == version || self.loose.iter().any(|(_, loose)| loose == found)
            });
            assert!(is_there, "{name:?} is not there: {found:?}, {self:?}");
        }
    }
}

impl Passing {
    pub(super) fn new(server: Server) -> Self {
        Self { server, state: Rc::default() }
    }

    /// Uses the table.
    pub(super) async fn use_table(self, count: usize) {
        for _ in 0..count {
            let fate = self.server.fate();
            match fate.below(12) {
                0 | 1 => self.create().await,
                2 => self.delete().await,
                3..8 => self.put().await,
                8 => self.read(Operation::Scan, json!({"TableName": PASSING}), None).await,
                9 => self.read(Operation::Scan, of_index(GLOBAL), None).await,
                _ => self.query().await,
            }
            self.server.sleep(fate.below(300) as u64).await;
        }
    }

    async fn create(&self) {
        let start = self.server.restarts();
        let answer = self.server.call(Operation::CreateTable, &definition()).await;
        let mut state = self.state.borrow_mut();
        match answer {
            Answer::Done(_) => {
                assert_ne!(state.existence, Existence::Present, "the table was there");
                state.is_emptied(start);
                state.existence = Existence::Unknown;
                state.is_seen(start);
            }
            Answer::Refused(error) => {
                assert_eq!(error.kind(), ErrorKind::ResourceInUse, "{error}");
                state.is_seen(start);
            }
            Answer::Unknown => {
                state.creation_lost_in = start;
                if state.existence == Existence::Absent {
                    state.existence = Existence::Unknown;
                }
            }
        }
    }

    async fn delete(&self) {
        let start = self.server.restarts();
        let request = json!({"TableName": PASSING});
        let answer = self.server.call(Operation::DeleteTable, &request).await;
        let mut state = self.state.borrow_mut();
        match answer {
            Answer::Done(_) => {
                state.is_seen(start);
                state.is_gone(start);
            }
            Answer::Refused(error) => missed(&mut state, start, &error),
            Answer::Unknown => {
                state.deletion_lost_in = start;
                state.items.clear();
                if state.existence == Existence::Present {
                    state.existence = Existence::Unknown;
                }
            }
        }
    }

    async fn put(&self) {
        let start = self.server.restarts();
        let name = self.name();
        let version = {
            let mut state = self.state.borrow_mut();
            state.newest += 1;
            state.newest
        };
        let item = json!({
            "pk": {"S": name.0}, "sk": n(name.1), "version": n(version),
        });
        let request = json!({"TableName": PASSING, "Item": item});
        let answer = self.server.call(Operation::PutItem, &request).await;
        let mut state = self.state.borrow_mut();
        match answer {
            Answer::Done(_) => {
                state.is_seen(start);
                if state.existence == Existence::Present {
                    state.items.insert(name, version);
                }
            }
            Answer::Refused(error) => missed(&mut state, start, &error),
            Answer::Unknown => {
                state.loose.insert((start, version));
            }
        }
    }

    async fn query(&self) {
        let (partition, _) = self.name();
        let mut request = if self.server.fate().chance(500) {
            of_index(LOCAL)
        } else {
            json!({"TableName": PASSING})
        };
        request["ConsistentRead"] = json!(true);
        request["KeyConditionExpression"] = json!("pk = :pk");
        request["ExpressionAttributeValues"] = json!({":pk": {"S": partition}});
        self.read(Operation::Query, request, Some(partition)).await;
    }

    async fn read(&self, operation: Operation, request: Json, partition: Option<String>) {
        let start = self.server.restarts();
        let answer = self.server.call(operation, &request).await;
        let mut state = self.state.borrow_mut();
        match answer {
            Answer::Done(page) => {
                state.is_seen(start);
                state.assert_holds(&contents(&page), partition.as_deref());
            }
            Answer::Refused(error) => missed(&mut state, start, &error),
            Answer::Unknown => {}
        }
    }

    fn name(&self) -> Name {
        let fate = self.server.fate();
        (format!("partition {}", fate.below(PARTITIONS)), fate.below(SORT_KEYS) as u64)
    }

    /// Compares the table with its indexes and with the client's knowledge. Nothing is under way.
    pub(super) async fn check(&self) {
        if !self.is_there().await {
            return;
        }
        let base = self.all(json!({"TableName": PASSING})).await;
        for index in [LOCAL, GLOBAL] {
            assert_eq!(self.all(of_index(index)).await, base, "{index} and the table");
        }
        let mut state = self.state.borrow_mut();
        state.assert_holds(&base, None);
        state.items = base;
    }

    /// Returns whether there is a table. All requests have ended.
    async fn is_there(&self) -> bool {
        let listed = self.server.insist(Operation::ListTables, &json!({})).await;
        let names = listed["TableNames"].as_array().cloned().unwrap_or_default();
        let is_there = names.contains(&json!(PASSING));
        let mut state = self.state.borrow_mut();
        (state.creation_lost_in, state.deletion_lost_in) = (0, 0);
        let start = self.server.restarts();
        if is_there {
            state.is_seen(start);
        } else {
            state.is_missed(start);
        }
        is_there
    }

    async fn all(&self, request: Json) -> BTreeMap<Name, u64> {
        contents(&self.server.insist(Operation::Scan, &request).await)
    }
}

/// Notes an answer that there is no table.
fn missed(state: &mut State, start: u64, error: &ApiError) {
    assert_eq!(error.kind(), ErrorKind::ResourceNotFound, "{error}");
    state.is_missed(start);
}

fn contents(page: &Json) -> BTreeMap<Name, u64> {
    let text = |value: &Json| value["S"].as_str().unwrap_or("").to_owned();
    let number = |value: &Json| number(value).unwrap_or(0);
    let named = |item: &Json| ((text(&item["pk"]), number(&item["sk"])), number(&item["version"]));
    items(page).iter().map(named).collect()
}

fn of_index(index: &str) -> Json {
    json!({"TableName": PASSING, "IndexName": index})
}

fn definition() -> Json {
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    json!({
        "TableName": PASSING, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions":
            [attribute("pk", "S"), attribute("sk", "N"), attribute("version", "N")],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "LocalSecondaryIndexes": [{
            "IndexName": LOCAL, "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [key("pk", "HASH"), key("version", "RANGE")],
        }],
        "GlobalSecondaryIndexes": [{
            "IndexName": GLOBAL, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [key("sk", "HASH"), key("version", "RANGE")],
        }],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
    })
}
