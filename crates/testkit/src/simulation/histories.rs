//! Clients whose histories are checked afterwards: single items that are read, written and swapped
//! on a condition must be linearizable; transactions that read lists and append to them strictly
//! serializable.

use super::server::{Answer, Server};
use super::tables::{VALUES, key, n, number};
use crate::history::{Span, appends, register};
use hashrange_model::ErrorKind;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

const REGISTERS: usize = 2;
const LISTS: u32 = 3;

/// The histories of one round; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Histories {
    server: Server,
    round: usize,
    registers: Rc<RefCell<BTreeMap<usize, Vec<register::Event>>>>,
    lists: Rc<RefCell<Vec<appends::Transaction>>>,
    values: Rc<Cell<u64>>,
}

/// Outcome of a write; none if it is unknown.
type Done = Option<bool>;

impl Histories {
    pub(super) fn new(server: Server, round: usize) -> Self {
        Self {
            server,
            round,
            registers: Rc::default(),
            lists: Rc::default(),
            values: Rc::default(),
        }
    }

    fn value(&self) -> u64 {
        self.values.set(self.values.get() + 1);
        self.values.get()
    }

    /// Calls an operation and returns the answer with its span; an unknown outcome has no end.
    async fn call(&self, operation: Operation, request: &Json) -> (Answer, Span) {
        let called = self.server.fate().moment();
        let answer = self.server.call(operation, request).await;
        let returned = match &answer {
            Answer::Done(_) | Answer::Refused(_) => Some(self.server.fate().moment()),
            Answer::Unknown => None,
        };
        (answer, Span { called, returned })
    }

    /// Reads, writes and swaps single items.
    pub(super) async fn use_registers(self, count: usize) {
        for _ in 0..count {
            let nth = self.server.fate().below(REGISTERS);
            match self.server.fate().below(3) {
                0 => drop(self.read_register(nth).await),
                1 => self.write_register(nth).await,
                _ => {
                    if let Some(expected) = self.read_register(nth).await {
                        self.swap_register(nth, expected).await;
                    }
                }
            }
            self.server.sleep(self.server.fate().below(30) as u64).await;
        }
    }

    fn register(&self, nth: usize) -> Json {
        key(&format!("register {}-{nth}", self.round))
    }

    fn record(&self, nth: usize, span: Span, action: register::Action) {
        let event = register::Event { span, action };
        self.registers.borrow_mut().entry(nth).or_default().push(event);
    }

    async fn read_register(&self, nth: usize) -> Option<Option<u64>> {
        let request =
            json!({"TableName": VALUES, "Key": self.register(nth), "ConsistentRead": true});
        let (answer, span) = self.call(Operation::GetItem, &request).await;
        let Answer::Done(found) = answer else { return None };
        let value = number(&found["Item"]["v"]);
        self.record(nth, span, register::Action::Read(value));
        Some(value)
    }

    async fn write_register(&self, nth: usize) {
        let value = self.value();
        let mut item = self.register(nth);
        item["v"] = n(value);
        let put = json!({"TableName": VALUES, "Item": item});
        let (answer, span) = self.call(Operation::PutItem, &put).await;
        assert_ne!(done(answer), Some(false), "a write without a condition is refused");
        self.record(nth, span, register::Action::Write(Some(value)));
    }

    async fn swap_register(&self, nth: usize, expected: Option<u64>) {
        let new = self.value();
        let mut request = json!({
            "TableName": VALUES, "Key": self.register(nth), "UpdateExpression": "SET v = :new",
            "ConditionExpression": "attribute_not_exists(v)",
            "ExpressionAttributeValues": {":new": n(new)},
        });
        if let Some(expected) = expected {
            request["ConditionExpression"] = "v = :old".into();
            request["ExpressionAttributeValues"][":old"] = n(expected);
        }
        let (answer, span) = self.call(Operation::UpdateItem, &request).await;
        // A write with unknown outcome succeeds at some later moment, or never.
        let succeeded = done(answer).unwrap_or(true);
        self.record(nth, span, register::Action::Swap { expected, new: Some(new), succeeded });
    }

    /// Reads lists and appends to them, in transactions.
    pub(super) async fn use_lists(self, count: usize) {
        for _ in 0..count {
            if self.server.fate().chance(400) {
                self.read_lists().await;
            } else {
                self.append().await;
            }
            self.server.sleep(self.server.fate().below(30) as u64).await;
        }
    }

    fn list(&self, nth: u32) -> Json {
        key(&format!("list {}-{nth}", self.round))
    }

    async fn read_lists(&self) {
        let get = |nth| json!({"Get": {"TableName": VALUES, "Key": self.list(nth)}});
        let request = json!({"TransactItems": (0..LISTS).map(get).collect::<Vec<_>>()});
        let (answer, span) = self.call(Operation::TransactGetItems, &request).await;
        let Answer::Done(found) = answer else { return };
        let values = |nth: u32| {
            let list = found["Responses"][nth as usize]["Item"]["list"]["L"].as_array();
            list.into_iter().flatten().filter_map(number).collect()
        };
        let actions = (0..LISTS).map(|nth| appends::Action::Read(nth, values(nth))).collect();
        let outcome = appends::Outcome::Committed;
        self.lists.borrow_mut().push(appends::Transaction { span, actions, outcome });
    }

    async fn append(&self) {
        let first = self.server.fate().below(LISTS as usize);
        let count = 1 + self.server.fate().below(2);
        let lists = (0..LISTS).cycle().skip(first).take(count);
        let appended: Vec<(u32, u64)> = lists.map(|nth| (nth, self.value())).collect();
        let update = |(nth, value): &(u32, u64)| {
            json!({"Update": {
                "TableName": VALUES, "Key": self.list(*nth),
                "UpdateExpression": "SET #l = list_append(if_not_exists(#l, :none), :value)",
                "ExpressionAttributeNames": {"#l": "list"},
                "ExpressionAttributeValues": {":none": {"L": []}, ":value": {"L": [n(value)]}},
            }})
        };
        let request = json!({"TransactItems": appended.iter().map(update).collect::<Vec<_>>()});
        let (answer, span) = self.call(Operation::TransactWriteItems, &request).await;
        let outcome = match done(answer) {
            Some(true) => appends::Outcome::Committed,
            Some(false) => appends::Outcome::Aborted,
            None => appends::Outcome::Unknown,
        };
        let actions = appended.into_iter().map(|(nth, value)| appends::Action::Append(nth, value));
        let actions = actions.collect();
        self.lists.borrow_mut().push(appends::Transaction { span, actions, outcome });
    }

    /// Reads everything once more and checks the histories.
    pub(super) async fn check(&self) {
        for nth in 0..REGISTERS {
            self.read_register(nth).await;
        }
        self.read_lists().await;
        for (nth, events) in &*self.registers.borrow() {
            if let Err(problem) = register::check(None, events) {
                panic!("register {nth} is not linearizable: {problem}");
            }
        }
        if let Err(anomaly) = appends::check(&self.lists.borrow()) {
            panic!("the lists are not strictly serializable: {anomaly:?}");
        }
    }
}

/// Returns true if a write was done; a refusal must name its condition or a conflict.
fn done(answer: Answer) -> Done {
    match answer {
        Answer::Done(_) => Some(true),
        Answer::Unknown => None,
        Answer::Refused(error) => {
            let kinds = [ErrorKind::ConditionalCheckFailed, ErrorKind::TransactionCanceled];
            assert!(kinds.contains(&error.kind()), "{error}");
            Some(false)
        }
    }
}
