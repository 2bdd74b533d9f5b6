//! The requests that write a thing: by each operation that writes items, so that the checks look
//! for the effects of a write - streams, histories, indexes, derived attributes - behind each of
//! them. [`super::things`] knows what becomes of a thing.

use super::fate::Fate;
use super::tables::{THINGS, key, n};
use super::things::HOW;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};

/// The operations that write things.
pub const THING_WRITERS: [Operation; 5] = [
    Operation::PutItem,
    Operation::UpdateItem,
    Operation::BatchWriteItem,
    Operation::TransactWriteItems,
    Operation::ExecuteStatement,
];

/// New kind of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Is(String),
    /// The old kind; none, if the thing is put.
    Stays,
    IsRemoved,
}

impl Kind {
    pub(super) fn choose(fate: &Fate) -> Self {
        match fate.below(10) {
            0..6 => Self::Is(format!("kind {}", fate.below(3))),
            6..8 => Self::Stays,
            _ => Self::IsRemoved,
        }
    }
}

/// New state of a thing.
#[derive(Debug)]
pub(super) struct ThingWrite<'n> {
    pub(super) name: &'n str,
    pub(super) version: u64,
    pub(super) until: Option<u64>,
    pub(super) kind: Kind,
}

impl ThingWrite<'_> {
    /// Returns a request of an operation. Each puts the thing, or changes or creates it; but a
    /// statement changes only an existing one.
    pub(super) fn request(&self, operation: Operation, fate: &Fate) -> Json {
        let how = format!("{operation:?}");
        match operation {
            Operation::UpdateItem => self.update(&how),
            Operation::BatchWriteItem => {
                json!({"RequestItems": {THINGS: [{"PutRequest": {"Item": self.item(&how)}}]}})
            }
            Operation::TransactWriteItems if fate.chance(500) => {
                json!({"TransactItems": [{"Update": self.update(&how)}]})
            }
            Operation::TransactWriteItems => {
                json!({"TransactItems": [{"Put": self.put(&how)}]})
            }
            Operation::ExecuteStatement => self.statement(&how),
            _ => self.put(&how),
        }
    }

    fn item(&self, how: &str) -> Json {
        let mut item = key(self.name);
        item["version"] = n(self.version);
        item[HOW] = json!({"S": how});
        if let Kind::Is(kind) = &self.kind {
            item["kind"] = json!({"S": kind});
        }
        if let Some(until) = self.until {
            item["until"] = n(until);
        }
        item
    }

    fn put(&self, how: &str) -> Json {
        json!({"TableName": THINGS, "Item": self.item(how)})
    }

    /// Returns the attributes that a change sets, and those that it removes.
    fn changes(&self, how: &str) -> (Vec<(&'static str, Json)>, Vec<&'static str>) {
        let mut set = vec![("version", n(self.version)), (HOW, json!({"S": how}))];
        let mut removed = Vec::new();
        match self.until {
            Some(until) => set.push(("until", n(until))),
            None => removed.push("until"),
        }
        match &self.kind {
            Kind::Is(kind) => set.push(("kind", json!({"S": kind}))),
            Kind::Stays => {}
            Kind::IsRemoved => removed.push("kind"),
        }
        (set, removed)
    }

    fn update(&self, how: &str) -> Json {
        let (set, removed) = self.changes(how);
        let mut request = json!({"TableName": THINGS, "Key": key(self.name)});
        let names = set.iter().map(|(name, _)| *name).chain(removed.iter().copied());
        for name in names {
            request["ExpressionAttributeNames"][format!("#{name}")] = json!(name);
        }
        let sets: Vec<_> = set.iter().map(|(name, _)| format!("#{name} = :{name}")).collect();
        let removes: Vec<_> = removed.iter().map(|name| format!("#{name}")).collect();
        let mut expression = format!("SET {}", sets.join(", "));
        if !removes.is_empty() {
            expression = format!("{expression} REMOVE {}", removes.join(", "));
        }
        for (name, value) in set {
            request["ExpressionAttributeValues"][format!(":{name}")] = value;
        }
        request["UpdateExpression"] = expression.into();
        request
    }

    fn statement(&self, how: &str) -> Json {
        let (set, removed) = self.changes(how);
        let sets = set.iter().map(|(name, _)| format!(r#" SET "{name}" = ?"#));
        let removes = removed.iter().map(|name| format!(r#" REMOVE "{name}""#));
        let clauses: String = sets.chain(removes).collect();
        let mut parameters: Vec<Json> = set.into_iter().map(|(_, value)| value).collect();
        parameters.push(json!({"S": self.name}));
        let statement = format!(r#"UPDATE "{THINGS}"{clauses} WHERE pk = ?"#);
        json!({"Statement": statement, "Parameters": parameters})
    }
}
