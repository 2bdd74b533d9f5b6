//! Reach of a key: the conditions of a request that a read by the key answers, and those that are left over.
//!
//! Left to others: use of capacity and money (`figures.rs`), and the choice of a key.

use crate::fit::Key;
use crate::need::Need;
use crate::report::Request;
use hashrange_cost::{KeyElement, Pattern, Tested, Used};

/// Conditions of a request by their place in a read by a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Conditions that the key answers.
    pub keys: Vec<Tested>,
    /// Conditions that are left as a filter.
    pub filter: Vec<Tested>,
    /// True if a Query can have this filter: no condition of it names an attribute of the key.
    pub is_query: bool,
    /// True if every attribute of the key has one value.
    pub is_whole: bool,
    /// Attributes of the key that no condition requires: an index lacks the items without them.
    pub untested: Vec<String>,
}

/// Returns the reach of a key for a request; none if the request does not give every attribute of its partition key
/// one value.
pub fn reach(request: &Request, key: &[KeyElement]) -> Option<Reach> {
    let Pattern { mut keys, filter, returns, .. } = request.pattern.clone();
    keys.extend(filter);
    let need = Need {
        request: request.clone(),
        used: Used::default(),
        conditions: keys,
        returns,
        is_statement: request.operation == "ExecuteStatement",
    };
    let key = Key::of(key);
    let (covered, rest) = key.covered(&need)?;
    let of = |offsets: &[usize]| -> Vec<Tested> {
        offsets.iter().filter_map(|nth| need.conditions.get(*nth)).cloned().collect()
    };
    let (keys, filter) = (of(&covered), of(&rest));
    let is_query = !filter.iter().flat_map(|it| &it.names).any(|name| key.has(name));
    let equal = need.equal();
    Some(Reach {
        is_query,
        is_whole: is_query && key.attributes().all(|name| equal.contains(&name)),
        untested: key.attributes().filter(|it| !need.requires(it)).map(str::to_owned).collect(),
        keys,
        filter,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_cost::Pattern;

    fn told(pattern: &str, operation: &str) -> String {
        let element = |name: &str, kind: &str| KeyElement {
            attribute_name: name.to_owned(),
            key_type: kind.to_owned(),
        };
        let request = Request {
            operation: operation.to_owned(),
            table: "orders".to_owned(),
            index: None,
            pattern: Pattern::read(pattern).unwrap(),
        };
        let texts = |tests: &[Tested]| {
            let texts: Vec<&str> = tests.iter().map(|it| it.text.as_str()).collect();
            texts.join(", ")
        };
        let key = [element("shop", "HASH"), element("placed", "RANGE")];
        match reach(&request, &key) {
            None => "no".to_owned(),
            Some(it) => format!(
                "{} | {}{}{} {}",
                texts(&it.keys),
                texts(&it.filter),
                if it.is_query { "" } else { " no query" },
                if it.is_whole { " whole" } else { "" },
                it.untested.join(", ")
            )
            .trim_end()
            .to_owned(),
        }
    }

    #[test]
    fn conditions_are_divided_between_the_key_and_the_filter() {
        for (pattern, expected) in [
            ("shop = ?", "shop = ? |  placed"),
            ("shop = ? AND placed = ?", "placed = ?, shop = ? |  whole"),
            ("FILTER shop = ? AND placed > ? AND total > ?", "shop = ?, placed > ? | total > ?"),
            ("FILTER placed = ?", "no"),
            ("FILTER shop IN (?)", "no"),
            (
                "shop = ? FILTER contains(placed, ?)",
                "shop = ? | contains(placed, ?) no query placed",
            ),
        ] {
            assert_eq!(told(pattern, "Query"), expected, "{pattern}");
        }
    }
}
