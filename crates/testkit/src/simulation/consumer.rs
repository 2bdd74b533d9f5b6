//! A consumer of the stream of `things`, as the service's guide describes it: parents before
//! children, with checkpoints, to which it falls back when it crashes itself.
//!
//! The replica must hold each record's old image: so no record is missing, none comes twice and all
//! come in order. [`super::past`] compares the history with the changes that the stream has told.

use super::server::{Answer, Server};
use super::tables::{THINGS, scan};
use super::things::{Things, assert_ranked};
use hashrange_model::ErrorKind;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A consumer; clones share its state.
#[derive(Debug, Clone)]
pub(super) struct Consumer {
    server: Server,
    arn: String,
    state: Rc<RefCell<State>>,
    checkpoint: Rc<RefCell<State>>,
    /// True once it shall end.
    stopping: Rc<Cell<bool>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    replica: BTreeMap<String, Json>,
    /// All changes of each key.
    changes: BTreeMap<String, Vec<Change>>,
    /// The last sequence number read of each shard.
    positions: BTreeMap<String, String>,
    finished: BTreeSet<String>,
}

/// A change, from its record.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The item after the change, if it was there.
    pub(super) image: Option<Json>,
    /// True if the service removed it.
    pub(super) is_expiry: bool,
    /// Time of the change, whole epoch seconds.
    pub(super) at_s: f64,
}

impl Consumer {
    pub(super) async fn new(server: Server) -> Self {
        let request = json!({"TableName": THINGS});
        let described = server.insist(Operation::DescribeTable, &request).await;
        let arn = described["Table"]["LatestStreamArn"].as_str().unwrap_or("").to_owned();
        Self {
            server,
            arn,
            state: Rc::default(),
            checkpoint: Rc::default(),
            stopping: Rc::default(),
        }
    }

    pub(super) fn stop(&self) {
        self.stopping.set(true);
    }

    /// Reads until it is stopped.
    pub(super) async fn follow(self) {
        self.stopping.set(false);
        while !self.stopping.get() {
            self.pass().await;
            let fate = self.server.fate();
            if fate.chance(300) {
                let state = self.state.borrow().clone();
                *self.checkpoint.borrow_mut() = state;
            } else if fate.strikes(100) {
                fate.note("the consumer crashes");
                let checkpoint = self.checkpoint.borrow().clone();
                *self.state.borrow_mut() = checkpoint;
            }
            self.server.sleep(fate.below(200) as u64).await;
        }
    }

    /// Reads everything that there is and compares the replica with the table, which only the sweep
    /// writes to.
    pub(super) async fn check(&self) {
        while self.pass().await {}
        let found: BTreeMap<_, _> = scan(&self.server, THINGS)
            .await
            .into_iter()
            .map(|item| (json!({"pk": item["pk"]}).to_string(), item))
            .collect();
        assert_eq!(self.state.borrow().replica, found, "the replica and the table");
        let state = self.state.borrow().clone();
        *self.checkpoint.borrow_mut() = state;
    }

    /// Returns all changes of each key that were read.
    pub(super) fn changes(&self) -> BTreeMap<String, Vec<Change>> {
        self.state.borrow().changes.clone()
    }

    /// Reads a page of every shard that may be read. Returns whether there may be more.
    async fn pass(&self) -> bool {
        let request = json!({"StreamArn": self.arn});
        let described = match self.server.call(Operation::DescribeStream, &request).await {
            Answer::Done(described) => described,
            Answer::Unknown => return true,
            Answer::Refused(error) => panic!("DescribeStream is refused: {error}"),
        };
        let description = &described["StreamDescription"];
        assert_eq!(description.get("LastEvaluatedShardId"), None, "the shards fit one page");
        let shards = description["Shards"].as_array().cloned().unwrap_or_default();
        let mut is_more = false;
        for shard in &shards {
            let id = shard["ShardId"].as_str().unwrap_or("");
            if self.may_read(shard, &shards) {
                is_more |= self.read(id).await;
            }
        }
        is_more
    }

    /// Returns whether a shard is not finished, and its parent is finished or gone.
    fn may_read(&self, shard: &Json, all: &[Json]) -> bool {
        let state = self.state.borrow();
        let is_finished = |id: &Json| state.finished.contains(id.as_str().unwrap_or(""));
        let parent = &shard["ParentShardId"];
        let has_parent = all.iter().any(|other| other["ShardId"] == *parent);
        (!has_parent || is_finished(parent)) && !is_finished(&shard["ShardId"])
    }

    /// Reads a page of a shard. Returns whether there may be more.
    async fn read(&self, shard: &str) -> bool {
        let mut request = json!({"StreamArn": self.arn, "ShardId": shard});
        match self.state.borrow().positions.get(shard) {
            None => request["ShardIteratorType"] = json!("TRIM_HORIZON"),
            Some(number) => {
                request["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
                request["SequenceNumber"] = json!(number);
            }
        }
        let answer = self.server.call(Operation::GetShardIterator, &request).await;
        let Some(found) = known(answer) else { return true };
        let limit = 1 + self.server.fate().below(20);
        let request = json!({"ShardIterator": found["ShardIterator"], "Limit": limit});
        let Some(page) = known(self.server.call(Operation::GetRecords, &request).await) else {
            return true;
        };
        let records = page["Records"].as_array().map_or(&[][..], Vec::as_slice);
        let mut state = self.state.borrow_mut();
        for record in records {
            state.apply(shard, record);
        }
        if page.get("NextShardIterator").is_none() {
            state.finished.insert(shard.to_owned());
            return true;
        }
        !records.is_empty()
    }
}

/// Returns the answer if there is one; an iterator may have expired in a leap of the clock.
fn known(answer: Answer) -> Option<Json> {
    match answer {
        Answer::Done(answer) => Some(answer),
        Answer::Unknown => None,
        Answer::Refused(error) => {
            assert_eq!(error.kind(), ErrorKind::ExpiredIterator, "{error}");
            None
        }
    }
}

impl State {
    fn apply(&mut self, shard: &str, record: &Json) {
        let change = &record["dynamodb"];
        let number = change["SequenceNumber"].as_str().unwrap_or("").to_owned();
        if let Some(before) = self.positions.insert(shard.to_owned(), number.clone()) {
            assert!(before < number, "{before} is read before {number}");
        }
        let key = change["Keys"].to_string();
        let old = match change.get("NewImage") {
            Some(image) => self.replica.insert(key.clone(), image.clone()),
            None => self.replica.remove(&key),
        };
        assert_eq!(old.as_ref(), change.get("OldImage"), "{record} does not follow");
        assert_author(record);
        let image = change.get("NewImage").cloned();
        image.iter().for_each(assert_ranked);
        let at_s = change["ApproximateCreationDateTime"].as_f64().unwrap_or(0.0);
        let change = Change { image, is_expiry: is_by_service(record), at_s };
        self.changes.entry(key).or_default().push(change);
    }
}

fn is_by_service(record: &Json) -> bool {
    record["userIdentity"]["PrincipalId"] == "dynamodb.amazonaws.com"
        && record["userIdentity"]["Type"] == "Service"
}

/// Asserts that the author of the record is right: the service removes only items that have expired,
/// a client only those that clients may remove.
fn assert_author(record: &Json) {
    let change = &record["dynamodb"];
    if is_by_service(record) {
        assert_eq!(record["eventName"], "REMOVE", "{record}");
        let until = change["OldImage"]["until"]["N"].as_str().and_then(|text| text.parse().ok());
        let at = change["ApproximateCreationDateTime"].as_f64().unwrap_or(0.0);
        assert!(until.is_some_and(|until: f64| until < at + 1.0), "{record} is too early");
    } else {
        assert_eq!(record.get("userIdentity"), None, "{record}");
        let name = change["Keys"]["pk"]["S"].as_str().unwrap_or("");
        let may_be = record["eventName"] != "REMOVE" || Things::is_removed_by_clients(name);
        assert!(may_be, "{record} is not marked as the service's");
    }
}
