//! Writers of items that expire: each has items of its own and knows what they may be. Nothing is
//! removed before its time, and in the calm no expired item stays. Every thing seen has the rank
//! that the template of its table derives, whichever operation wrote it.

use super::server::{Answer, Server};
use super::tables::{THINGS, key, number, scan};
use super::thing_writes::{Kind, THING_WRITERS, ThingWrite};
use hashrange_model::{ApiError, ErrorKind};
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Items of one writer.
const COUNT: usize = 4;
/// The attribute of things that a template derives.
pub(super) const RANK: &str = "rank";
/// The attribute of things that names the operation which wrote it last.
pub(super) const HOW: &str = "how";
/// The template of the rank.
pub(super) const RANK_TEMPLATE: &str = r#"rank = "{kind}#{version:pad:6}""#;

/// All writers' knowledge; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Things {
    server: Server,
    known: Rc<RefCell<BTreeMap<String, Known>>>,
    versions: Rc<Cell<u64>>,
}

/// State of an item: its version, and the time at which it expires.
type Thing = Option<(u64, Option<u64>)>;

#[derive(Debug, Clone, Default)]
struct Known {
    possible: Vec<Thing>,
    /// States that it may take at any moment until the server is started again.
    under_way: Vec<Thing>,
    /// Number of that start of the server.
    start: u64,
}

impl Known {
    /// Takes into account that requests end with the server they were sent to.
    fn at(&mut self, start: u64) {
        if self.start != start {
            self.start = start;
            self.possible.append(&mut self.under_way);
        }
    }

    fn candidates(&self) -> impl Iterator<Item = &Thing> {
        self.possible.iter().chain(&self.under_way)
    }

    /// Returns whether an item may be found like this.
    fn admits(&self, found: Thing, now_ms: u64) -> bool {
        let is_expired =
            |thing: &Thing| matches!(thing, Some((_, Some(until))) if *until < now_ms / 1000);
        self.candidates().any(|thing| *thing == found)
            || (found.is_none() && self.candidates().any(is_expired))
    }
}

fn thing(item: &Json) -> Thing {
    number(&item["version"]).map(|version| (version, number(&item["until"])))
}

/// Panics unless a thing has its derived rank.
pub(super) fn assert_ranked(item: &Json) {
    let kind = item["kind"]["S"].as_str();
    let rank = kind.zip(number(&item["version"])).map(|(kind, nth)| format!("{kind}#{nth:06}"));
    assert_eq!(item[RANK]["S"].as_str(), rank.as_deref(), "the rank of {item}");
}

/// Returns whether an error says that there is no thing that a statement could change.
fn is_of_absence(operation: Operation, error: &ApiError) -> bool {
    operation == Operation::ExecuteStatement && error.kind() == ErrorKind::ConditionalCheckFailed
}

impl Things {
    pub(super) fn new(server: Server) -> Self {
        Self { server, known: Rc::default(), versions: Rc::default() }
    }

    /// Returns whether clients remove an item of this name: only those whose last digit is odd.
    pub(super) fn is_removed_by_clients(name: &str) -> bool {
        name.ends_with(['1', '3', '5', '7', '9'])
    }

    /// Writes and reads the items of one writer.
    pub(super) async fn write(self, writer: usize, count: usize) {
        for _ in 0..count {
            let fate = self.server.fate();
            let name = format!("thing {writer}-{}", fate.below(COUNT));
            match fate.below(10) {
                0..7 => self.put(&name).await,
                7 if Self::is_removed_by_clients(&name) => self.delete(&name).await,
                _ => self.read(&name).await,
            }
            self.server.sleep(fate.below(400) as u64).await;
        }
    }

    async fn put(&self, name: &str) {
        self.versions.set(self.versions.get() + 1);
        let (version, fate) = (self.versions.get(), self.server.fate());
        let now_s = fate.now_ms() / 1000;
        let until = match fate.below(4) {
            0 => None,
            1 => Some(now_s + 1_000_000),
            _ => Some(now_s + fate.below(6) as u64),
        };
        let operation = THING_WRITERS[fate.below(THING_WRITERS.len())];
        let write = ThingWrite { name, version, until, kind: Kind::choose(fate) };
        let request = write.request(operation, fate);
        self.change(name, operation, &request, Some((version, until))).await;
    }

    async fn delete(&self, name: &str) {
        let request = json!({"TableName": THINGS, "Key": key(name)});
        self.change(name, Operation::DeleteItem, &request, None).await;
    }

    async fn change(&self, name: &str, operation: Operation, request: &Json, new: Thing) {
        let start = self.server.restarts();
        let before = self.known(name);
        let answer = self.server.call(operation, request).await;
        let mut known = before;
        known.at(start);
        match answer {
            Answer::Done(_) => known.possible = vec![new],
            Answer::Unknown => known.under_way.push(new),
            Answer::Refused(error) if is_of_absence(operation, &error) => {
                return self.assert_admitted(name, None);
            }
            Answer::Refused(error) => panic!("{operation:?} {request} is refused: {error}"),
        }
        self.known.borrow_mut().insert(name.to_owned(), known);
    }

    fn known(&self, name: &str) -> Known {
        let mut known = self.known.borrow().get(name).cloned().unwrap_or_else(|| Known {
            possible: vec![None],
            under_way: Vec::new(),
            start: self.server.restarts(),
        });
        known.at(self.server.restarts());
        known
    }

    async fn read(&self, name: &str) {
        let request = json!({"TableName": THINGS, "Key": key(name), "ConsistentRead": true});
        match self.server.call(Operation::GetItem, &request).await {
            Answer::Done(found) => {
                assert_ranked(&found["Item"]);
                self.assert_admitted(name, thing(&found["Item"]));
            }
            Answer::Unknown => {}
            Answer::Refused(error) => {
                assert_eq!(error.kind(), ErrorKind::InternalServerError, "{error}");
            }
        }
    }

    fn assert_admitted(&self, name: &str, found: Thing) {
        let (known, now_ms) = (self.known(name), self.server.fate().now_ms());
        assert!(known.admits(found, now_ms), "{name} is {found:?}, not one of {known:?}");
    }

    /// Compares all items with the writers' knowledge. Nothing is under way, and sweeps go on;
    /// after it they find nothing for long.
    pub(super) async fn check(&self) {
        let due_s = self.server.fate().now_ms() / 1000;
        self.server.sleep(10_000).await;
        let things = scan(&self.server, THINGS).await;
        things.iter().for_each(assert_ranked);
        let found: BTreeMap<_, _> = things
            .iter()
            .map(|item| (item["pk"]["S"].as_str().unwrap_or("").to_owned(), thing(item)))
            .collect();
        let names: Vec<_> = self.known.borrow().keys().cloned().collect();
        for name in names {
            let found = found.get(&name).copied().flatten();
            self.assert_admitted(&name, found);
            let until = found.and_then(|(_, until)| until);
            assert!(until.is_none_or(|until| until >= due_s), "{name} has not expired: {found:?}");
            let mut known = self.known(&name);
            known.possible = vec![found];
            known.under_way.clear();
            self.known.borrow_mut().insert(name, known);
        }
    }
}
