//! Examples of a kind of request: its conditions with values of the table's items.
//!
//! Each example takes one item as a pattern, so that it finds that item. A condition that is no test of one attribute
//! with values of it (OR, `contains`, `size`, a part of an attribute) has no example.

use crate::expression::Placeholders;
use crate::format::item::value_text;
use hashrange::Number;
use hashrange::advisor::{Answered, Request};
use hashrange::cost::{Returns, Test, Tested};
use serde_json::{Map, Value, json};

/// Most examples of a kind of request.
const EXAMPLES_MAX: usize = 50;

type Item = Map<String, Value>;

/// An example: the request as it is, and that by the advised key, with the same values.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub now: Map<String, Value>,
    pub instead: Map<String, Value>,
}

/// Returns examples of a kind of request from items spread over all; none if no item gives values.
pub fn examples(answered: &Answered, items: &[Item]) -> Vec<Example> {
    let pattern = &answered.request.pattern;
    let tests = || pattern.keys.iter().chain(&pattern.filter);
    let gives = |item: &&Item| {
        tests().all(|test| test.names.iter().all(|name| item.get(name).is_some_and(is_scalar)))
    };
    let giving: Vec<&Item> = items.iter().filter(gives).collect();
    let step = giving.len().div_ceil(EXAMPLES_MAX).max(1);
    let example = |(nth, item): (usize, &&Item)| {
        // The upper end of a range is of another item.
        let other = giving.get((nth + step) % giving.len()).copied().unwrap_or(item);
        let now = request(&answered.request, item, other)?;
        let instead = request(&answered.instead, item, other)?;
        Some(Example { now, instead })
    };
    giving.iter().enumerate().step_by(step).filter_map(example).collect()
}

fn is_scalar(value: &Value) -> bool {
    ["S", "N", "B"].iter().any(|kind| value.get(kind).is_some())
}

fn request(request: &Request, item: &Item, other: &Item) -> Option<Map<String, Value>> {
    let mut placeholders = Placeholders::default();
    let mut members = Map::new();
    members.insert("TableName".to_owned(), json!(request.table));
    members.insert("ReturnConsumedCapacity".to_owned(), json!("TOTAL"));
    if let Some(index) = &request.index {
        members.insert("IndexName".to_owned(), json!(index));
    }
    let pattern = &request.pattern;
    for (member, tests) in
        [("KeyConditionExpression", &pattern.keys), ("FilterExpression", &pattern.filter)]
    {
        if tests.is_empty() {
            continue;
        }
        let filled: Option<Vec<String>> =
            tests.iter().map(|test| filled(test, item, other)).collect();
        let expression = placeholders.expression(&filled?.join(" AND ")).ok()?;
        members.insert(member.to_owned(), json!(expression));
    }
    match &pattern.returns {
        Returns::All => {}
        Returns::Count => {
            members.insert("Select".to_owned(), json!("COUNT"));
        }
        Returns::Names(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let expression = placeholders.expression(&names.join(", ")).ok()?;
            members.insert("ProjectionExpression".to_owned(), json!(expression));
        }
    }
    placeholders.add_to(&mut members);
    Some(members)
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Returns a test with literals in the place of its values.
fn filled(test: &Tested, item: &Item, other: &Item) -> Option<String> {
    if test.test == Test::Exists {
        return Some(test.text.clone());
    }
    let [name] = &test.names[..] else { return None };
    if test.test == Test::Other {
        return None;
    }
    let (own, others) = (item.get(name)?, other.get(name)?);
    let mut values = if test.text.starts_with("begins_with(") {
        vec![beginning(own)?]
    } else {
        let (low, high) = in_order(own, others);
        if test.text.contains(" BETWEEN ") { vec![low, high] } else { vec![own.clone()] }
    }
    .into_iter();
    let mut text = String::with_capacity(test.text.len());
    let mut is_quoted = false;
    for one in test.text.chars() {
        is_quoted ^= one == '`';
        if one == '?' && !is_quoted {
            text.push_str(&value_text(&values.next()?));
        } else {
            text.push(one);
        }
    }
    Some(text)
}

/// Returns the beginning of a text: up to its last delimiter, or its first half.
fn beginning(value: &Value) -> Option<Value> {
    let text = value["S"].as_str()?;
    let end = match text.rfind(['#', '/', ':', '|', '-', '_']) {
        Some(at) => at + 1,
        None => {
            text.char_indices().nth(text.chars().count().div_ceil(2)).map_or(text.len(), |it| it.0)
        }
    };
    text.get(..end).filter(|text| !text.is_empty()).map(|text| json!({ "S": text }))
}

/// Returns two values in their order; the first one twice if they have none that is told here.
fn in_order(one: &Value, other: &Value) -> (Value, Value) {
    let number = |value: &Value| value["N"].as_str().and_then(|text| Number::parse(text).ok());
    let is_after = match (number(one), number(other)) {
        (Some(one), Some(other)) => one > other,
        _ => match (one["S"].as_str(), other["S"].as_str()) {
            (Some(one), Some(other)) => one > other,
            _ => return (one.clone(), one.clone()),
        },
    };
    if is_after { (other.clone(), one.clone()) } else { (one.clone(), other.clone()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(test: Test, text: &str, name: &str) -> Tested {
        Tested { test, text: text.to_owned(), names: vec![name.to_owned()] }
    }

    #[test]
    fn values_of_items_stand_in_their_places() {
        let one = json!({"a": {"S": "TX#HOUSTON#1"}, "n": {"N": "10"}, "`?": {"S": "it's"}});
        let two = json!({"a": {"S": "NE#OMAHA#7"}, "n": {"N": "9"}, "`?": {"S": "y"}});
        let (one, two) = (one.as_object().unwrap(), two.as_object().unwrap());
        for (test, expected) in [
            (tested(Test::Equal, "a = ?", "a"), Some("a = \"TX#HOUSTON#1\"")),
            (
                tested(Test::Range, "begins_with(a, ?)", "a"),
                Some("begins_with(a, \"TX#HOUSTON#\")"),
            ),
            (tested(Test::Range, "n BETWEEN ? AND ?", "n"), Some("n BETWEEN 9 AND 10")),
            (tested(Test::Range, "n > ?", "n"), Some("n > 10")),
            (tested(Test::Exists, "attribute_exists(n)", "n"), Some("attribute_exists(n)")),
            (tested(Test::Other, "contains(a, ?)", "a"), None),
        ] {
            assert_eq!(filled(&test, one, two).as_deref(), expected, "{}", test.text);
        }
    }
}
