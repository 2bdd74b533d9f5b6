//! Rust types of shapes, and the places where shapes are used.
//!
//! A structure that only requests use borrows its strings from the body (`Cow<'a, str>`); one
//! that responses use too, or only, owns them. Maps whose values are attribute values are items.

use std::collections::BTreeSet;

use super::facts::{Facts, Member, Shape};
use super::service_limits::TABLE_REFERENCE;

/// The shapes that requests and responses reach.
pub struct Usage {
    requests: BTreeSet<String>,
    responses: BTreeSet<String>,
    exceptions: BTreeSet<String>,
    borrowing: BTreeSet<String>,
}

/// Use of a structure, which decides its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// In requests only: borrows.
    Request,
    /// In responses (or exceptions) only: owns, and is only written.
    Response,
    /// In both: owns, is read and written.
    Shared,
}

impl Usage {
    /// Finds the uses of each shape.
    pub fn of(facts: &Facts) -> Self {
        let mut usage = Self {
            requests: BTreeSet::new(),
            responses: BTreeSet::new(),
            exceptions: BTreeSet::new(),
            borrowing: BTreeSet::new(),
        };
        for operation in facts.operations() {
            reach(facts, &operation.input, &mut usage.requests);
            if let Some(output) = &operation.output {
                reach(facts, output, &mut usage.responses);
            }
            for error in &operation.errors {
                reach(facts, error, &mut usage.exceptions);
            }
        }
        usage.find_borrowing(facts);
        usage
    }

    /// Returns the use of a shape.
    pub fn side(&self, name: &str) -> Side {
        let answered = self.responses.contains(name) || self.exceptions.contains(name);
        match (self.requests.contains(name), answered) {
            (true, true) => Side::Shared,
            (true, false) => Side::Request,
            (false, _) => Side::Response,
        }
    }

    /// Returns whether a shape occurs in a request.
    pub fn in_requests(&self, name: &str) -> bool {
        self.requests.contains(name)
    }

    /// Returns the structures to generate for one side, exceptions left out.
    pub fn structures<'f>(&self, facts: &'f Facts, side: Side) -> Vec<(&'f str, &'f Shape)> {
        facts
            .shapes
            .iter()
            .filter(|(name, shape)| {
                shape.kind == "structure"
                    && !shape.exception
                    && *name != "AttributeValue"
                    && self.side(name) == side
            })
            .map(|(name, shape)| (name.as_str(), shape))
            .collect()
    }

    /// Returns `<'a>` for a structure that borrows from the body, else nothing.
    pub fn lifetime(&self, structure: &str) -> &'static str {
        if self.borrowing.contains(structure) { "<'a>" } else { "" }
    }

    /// Marks the request structures that hold a string, directly or below.
    fn find_borrowing(&mut self, facts: &Facts) {
        loop {
            let found: Vec<String> = self
                .structures(facts, Side::Request)
                .into_iter()
                .filter(|(name, shape)| {
                    !self.borrowing.contains(*name)
                        && shape.members.iter().any(|member| self.borrows(facts, &member.shape))
                })
                .map(|(name, _)| name.to_owned())
                .collect();
            if found.is_empty() {
                return;
            }
            self.borrowing.extend(found);
        }
    }

    fn borrows(&self, facts: &Facts, name: &str) -> bool {
        let shape = facts.shape(name);
        match shape.kind.as_str() {
            TABLE_REFERENCE => true,
            "string" => shape.values.is_empty(),
            "list" => self.borrows(facts, element(shape)),
            "map" => !is_item(shape),
            "structure" => self.borrowing.contains(name),
            _ => false,
        }
    }
}

fn reach(facts: &Facts, name: &str, seen: &mut BTreeSet<String>) {
    if !seen.insert(name.to_owned()) {
        return;
    }
    let shape = facts.shape(name);
    let below = shape.members.iter().map(|member| &member.shape);
    for next in below.chain(&shape.element).chain(&shape.key).chain(&shape.value) {
        reach(facts, next, seen);
    }
}

/// Returns the shape of a list's elements.
pub fn element(shape: &Shape) -> &str {
    shape.element.as_deref().expect("a list has an element shape")
}

/// Returns whether values of a shape are or hold structures of the model with members of their own.
pub fn holds_structures(facts: &Facts, name: &str) -> bool {
    let shape = facts.shape(name);
    match shape.kind.as_str() {
        "structure" => name != "AttributeValue",
        "list" => holds_structures(facts, element(shape)),
        "map" => holds_structures(facts, entry(shape).1),
        _ => false,
    }
}

/// Returns the shapes of a map's keys and values.
pub fn entry(shape: &Shape) -> (&str, &str) {
    let key = shape.key.as_deref().expect("a map has a key shape");
    (key, shape.value.as_deref().expect("a map has a value shape"))
}

/// Returns whether a map is an item (or a key): attribute names to attribute values.
pub fn is_item(shape: &Shape) -> bool {
    shape.kind == "map"
        && shape.key.as_deref() == Some("AttributeName")
        && shape.value.as_deref() == Some("AttributeValue")
}

/// Returns the type of a member's value, inside a structure used on `side`.
pub fn rust_type(facts: &Facts, usage: &Usage, member: &Member, side: Side) -> String {
    of_shape(facts, usage, &member.shape, side)
}

fn of_shape(facts: &Facts, usage: &Usage, name: &str, side: Side) -> String {
    let shape = facts.shape(name);
    match shape.kind.as_str() {
        "string" if !shape.values.is_empty() => name.to_owned(),
        "string" | TABLE_REFERENCE if side == Side::Request => "Cow<'a, str>".to_owned(),
        "string" | TABLE_REFERENCE => "String".to_owned(),
        "integer" => "i32".to_owned(),
        "long" => "i64".to_owned(),
        "double" => "f64".to_owned(),
        "timestamp" => "Timestamp".to_owned(),
        "boolean" => "bool".to_owned(),
        "list" => format!("Vec<{}>", of_shape(facts, usage, element(shape), side)),
        "map" if is_item(shape) => item_type(side).to_owned(),
        "map" => {
            let (key, value) = entry(shape);
            let key = of_shape(facts, usage, key, side);
            format!("Map<{key}, {}>", of_shape(facts, usage, value, side))
        }
        "structure" if name == "AttributeValue" => value_type(side).to_owned(),
        "structure" => format!("{name}{}", usage.lifetime(name)),
        other => panic!("no Rust type for a {other} ({name})"),
    }
}

fn item_type(side: Side) -> &'static str {
    if side == Side::Response { "Item" } else { "DecodedItem" }
}

fn value_type(side: Side) -> &'static str {
    if side == Side::Response { "Value" } else { "DecodedValue" }
}
