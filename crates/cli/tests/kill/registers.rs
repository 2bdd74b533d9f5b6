//! Single items that are read, put, deleted, and updated on a condition.
//!
//! Each life of the server has items of its own, which are used in the next life too: so few
//! operations on an item have an unknown outcome, and a check stays short.

use super::client::{Answer, Client};
use super::{Run, TABLE};
use hashrange_testkit::history::Span;
use hashrange_testkit::history::register::{Action, Event, Value, check as check_order};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Items of a life.
const REGISTERS: usize = 2;

/// The items.
pub struct Registers<'r> {
    run: &'r Run,
}

/// What was done, with the name of the item.
pub type Recorded = (String, Event);

impl<'r> Registers<'r> {
    pub fn new(run: &'r Run) -> Self {
        Self { run }
    }

    pub fn use_once(&self, client: &mut Client<'_>, random: &mut Random) -> Vec<Recorded> {
        let life = client.life() - random.below(2) as u64;
        let name = format!("register {life}-{}", random.below(REGISTERS));
        let events = match random.below(4) {
            0 => self.read(client, &name).into_iter().collect(),
            1 => vec![self.put(client, &name)],
            2 if random.chance(30) => vec![self.delete(client, &name)],
            _ => self.swap(client, &name),
        };
        events.into_iter().map(|event| (name.clone(), event)).collect()
    }

    fn read(&self, client: &mut Client<'_>, name: &str) -> Option<Event> {
        let body = json!({ "TableName": TABLE, "Key": key(name), "ConsistentRead": true });
        let (answer, span) = self.run.clock.observe(|| client.call("GetItem", &body));
        match answer {
            Answer::Done(answer) => {
                let value = answer["Item"]["v"]["N"].as_str().map(|text| text.parse().unwrap());
                Some(Event { span, action: Action::Read(value) })
            }
            Answer::Refused(kind) => panic!("a read is refused: {kind}"),
            Answer::Unknown => None,
        }
    }

    fn put(&self, client: &mut Client<'_>, name: &str) -> Event {
        let value = self.run.id();
        let mut item = key(name);
        item["v"] = number(value);
        let body = json!({ "TableName": TABLE, "Item": item });
        self.write(client, "PutItem", &body, |_| Action::Write(Some(value)))
    }

    fn delete(&self, client: &mut Client<'_>, name: &str) -> Event {
        let body = json!({ "TableName": TABLE, "Key": key(name) });
        self.write(client, "DeleteItem", &body, |_| Action::Write(None))
    }

    /// Writes on the condition that the value is still what was read.
    fn swap(&self, client: &mut Client<'_>, name: &str) -> Vec<Event> {
        let Some(read) = self.read(client, name) else { return Vec::new() };
        let Action::Read(expected) = read.action else { unreachable!("it was a read") };
        let new = Some(self.run.id());
        let body = swap_request(name, expected, new);
        let swap = |succeeded| Action::Swap { expected, new, succeeded };
        vec![read, self.write(client, "UpdateItem", &body, swap)]
    }

    /// Sends a write. `action` is told whether its condition held; without an answer it may have.
    fn write(
        &self,
        client: &mut Client<'_>,
        operation: &str,
        body: &Json,
        action: impl Fn(bool) -> Action,
    ) -> Event {
        let (answer, span) = self.run.clock.observe(|| client.call(operation, body));
        match answer {
            Answer::Done(_) => Event { span, action: action(true) },
            Answer::Refused(kind) => {
                assert_eq!(kind, "ConditionalCheckFailedException");
                Event { span, action: action(false) }
            }
            Answer::Unknown => {
                Event { span: Span { returned: None, ..span }, action: action(true) }
            }
        }
    }
}

fn key(name: &str) -> Json {
    json!({ "pk": { "S": name } })
}

fn number(value: u64) -> Json {
    json!({ "N": value.to_string() })
}

fn swap_request(name: &str, expected: Value, new: Value) -> Json {
    let mut body = json!({
        "TableName": TABLE, "Key": key(name),
        "UpdateExpression": "SET v = :new",
        "ConditionExpression": "attribute_not_exists(v)",
        "ExpressionAttributeValues": { ":new": new.map(number) },
    });
    if let Some(expected) = expected {
        body["ConditionExpression"] = "v = :old".into();
        body["ExpressionAttributeValues"][":old"] = number(expected);
    }
    body
}

/// Checks that some order of what was done with each item explains it.
pub fn check(recorded: &[Recorded]) {
    let mut histories: BTreeMap<&str, Vec<Event>> = BTreeMap::new();
    for (name, event) in recorded {
        histories.entry(name).or_default().push(event.clone());
    }
    for (name, history) in histories {
        assert_eq!(check_order(None, &history), Ok(()), "{name}");
    }
}
