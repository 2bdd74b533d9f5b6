//! Groups of items of two tables, each written by BatchWriteItem alone: at every moment and after
//! every crash a group is whole, as one batch has left it.

use super::server::{Answer, Server};
use super::tables::{RECEIPTS, VALUES, key, n, number};
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

const GROUPS: usize = 2;
/// Items of a group.
const COUNT: usize = 6;

/// Writers and readers of the groups; clones share their knowledge.
#[derive(Debug, Clone)]
pub(super) struct Batches {
    server: Server,
    versions: Rc<Cell<u64>>,
    /// For each group, true if a batch is known to be done.
    written: Rc<[Cell<bool>; GROUPS]>,
}

/// An item of a group: its table and its name.
fn item(group: usize, nth: usize) -> (&'static str, String) {
    ([VALUES, RECEIPTS][nth % 2], format!("batch {group}-{nth}"))
}

/// Returns whether a batch of this version puts an item; otherwise it deletes it.
fn is_put(version: u64, nth: usize) -> bool {
    !(version + nth as u64).is_multiple_of(3)
}

impl Batches {
    pub(super) fn new(server: Server) -> Self {
        Self { server, versions: Rc::default(), written: Rc::default() }
    }

    /// Writes and reads groups.
    pub(super) async fn use_groups(self, count: usize) {
        for _ in 0..count {
            let group = self.server.fate().below(GROUPS);
            if self.server.fate().chance(500) {
                self.write(group).await;
            } else {
                self.read(group).await;
            }
            self.server.sleep(self.server.fate().below(30) as u64).await;
        }
    }

    /// Reads all groups.
    pub(super) async fn check(&self) {
        for group in 0..GROUPS {
            self.read(group).await;
        }
    }

    async fn write(&self, group: usize) {
        self.versions.set(self.versions.get() + 1);
        let version = self.versions.get();
        let mut parts: BTreeMap<_, Vec<Json>> = BTreeMap::new();
        for nth in 0..COUNT {
            let (table, name) = item(group, nth);
            let mut item = key(&name);
            parts.entry(table).or_default().push(if is_put(version, nth) {
                item["version"] = n(version);
                json!({"PutRequest": {"Item": item}})
            } else {
                json!({"DeleteRequest": {"Key": item}})
            });
        }
        let request = json!({"RequestItems": parts});
        match self.server.call(Operation::BatchWriteItem, &request).await {
            Answer::Done(answer) => {
                assert_eq!(answer["UnprocessedItems"], json!({}));
                self.written[group].set(true);
            }
            Answer::Unknown => {}
            Answer::Refused(error) => panic!("a batch is refused: {error}"),
        }
    }

    /// Returns a request for all items of a group: with several servers only a transaction shows
    /// one moment.
    fn request(&self, group: usize) -> (Operation, Json) {
        let items = (0..COUNT).map(|nth| item(group, nth));
        if self.server.are_several() {
            let get =
                |(table, name): (&str, String)| json!({"TableName": table, "Key": key(&name)});
            let gets: Vec<_> = items.map(|item| json!({"Get": get(item)})).collect();
            return (Operation::TransactGetItems, json!({"TransactItems": gets}));
        }
        let mut parts = json!({VALUES: {"Keys": []}, RECEIPTS: {"Keys": []}});
        for (table, name) in items {
            parts[table]["Keys"].as_array_mut().expect("it is one").push(key(&name));
        }
        (Operation::BatchGetItem, json!({"RequestItems": parts}))
    }

    async fn read(&self, group: usize) {
        let is_written = self.written[group].get();
        let (operation, request) = self.request(group);
        let answer = match self.server.call(operation, &request).await {
            Answer::Done(answer) => answer,
            Answer::Unknown => return,
            Answer::Refused(error) => panic!("a batch is refused: {error}"),
        };
        let tables = [VALUES, RECEIPTS].map(|table| answer["Responses"][table].as_array());
        let items = tables.into_iter().flatten().flatten();
        let responses = answer["Responses"].as_array().into_iter().flatten();
        let found: BTreeMap<_, _> = items
            .chain(responses.filter_map(|response| response.get("Item")))
            .map(|item| (item["pk"]["S"].as_str().unwrap_or(""), number(&item["version"])))
            .collect();
        let Some(version) = found.values().next().copied().flatten() else {
            assert!(!is_written, "batch {group} is gone");
            return;
        };
        for nth in 0..COUNT {
            let expected = is_put(version, nth).then_some(version);
            let (_, name) = item(group, nth);
            let found = found.get(name.as_str()).copied().flatten();
            assert_eq!(found, expected, "part of a batch: {name} beside version {version}");
        }
    }
}
