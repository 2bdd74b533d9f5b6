//! Names of indexes and attributes that a request has and the table does not have, and the nearest
//! ones.

use super::in_own_words;
use crate::client::{Client, Refused};
use crate::commands::table_keys::TableKeys;
use crate::shell::token::{Kind, Token, meaningful};
use hashrange::nearest::nearest;
use serde_json::Value;

/// Words of conditions that are no names of attributes.
const NO_ATTRIBUTES: [&str; 9] = [
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "begins_with",
    "contains",
    "attribute_exists",
    "attribute_not_exists",
];

/// Returns the index that a request names, and the attributes of its condition and of its item.
pub fn named(request: &Value) -> (Option<String>, Vec<String>) {
    let index = request["IndexName"].as_str().map(str::to_owned);
    let condition = request["KeyConditionExpression"].as_str();
    let mut names = condition.map(|text| attributes(&in_own_words(text, request)));
    let item = || request["Item"].as_object().map(|item| item.keys().cloned().collect());
    (index, names.take().or_else(item).unwrap_or_default())
}

/// Returns the names of attributes in an expression.
pub fn attributes(expression: &str) -> Vec<String> {
    let tokens = meaningful(expression);
    let names = tokens.iter().filter(|token| match token.kind {
        Kind::Word => !NO_ATTRIBUTES.iter().any(|word| token.is(word)),
        Kind::Name => token.text.starts_with('`'),
        _ => false,
    });
    names.filter_map(Token::name).collect()
}

/// Returns hints about names in a condition that found nothing: those that the table is not known
/// to have but nearly has.
pub fn unknown(written: &[String], known: &[String]) -> Vec<String> {
    let strange = written.iter().filter(|name| !known.contains(name));
    let hint = |name: &String| {
        let near = near_attribute(name, known)?;
        Some(format!("no item that was seen has {name}; did you mean {near}?"))
    };
    strange.filter_map(hint).collect()
}

/// Returns the attributes that a statement's condition compares.
pub fn compared(condition: &[Token<'_>]) -> Vec<String> {
    let pairs = condition
        .windows(2)
        .filter(|pair| pair[1].compares() || pair[1].is("IN") || pair[1].is("BETWEEN"));
    pairs.filter_map(|pair| pair[0].name()).collect()
}

/// Returns the mistake in a refused request that the keys of the table show.
pub fn hint(client: &mut Client, refused: &Refused) -> Option<String> {
    const MISSED: &str = "missed key schema element: ";
    const NO_INDEX: &str = "does not have the specified index";
    const NOT_IN_ITEM: &str = "Missing the key ";
    const INDEX_NOT_FOUND: &str = "not found: Index ";
    let message = refused.message.as_deref()?;
    let told = ["missed key schema element", NO_INDEX, NOT_IN_ITEM, INDEX_NOT_FOUND];
    if !told.iter().any(|it| message.contains(it)) {
        return None;
    }
    if let Some((_, rest)) = message.split_once(NOT_IN_ITEM) {
        let wanted = rest.split(" in the item").next()?;
        return near_attribute(wanted, &refused.names)
            .map(|near| format!("the key is {wanted}, and the item has {near}"));
    }
    let keys = TableKeys::of(client, refused.table.as_deref()?).ok()?;
    if let Some((_, rest)) = message.split_once(INDEX_NOT_FOUND) {
        return index_hint(rest.split(" for table").next()?, &keys);
    }
    if message.contains(NO_INDEX) {
        return index_hint(refused.index.as_deref()?, &keys);
    }
    let (_, missed) = message.split_once(MISSED)?;
    key_hint(missed, refused, &keys)
}

/// Returns the hint about the name of an index that a table does not have.
pub fn index_hint(wanted: &str, keys: &TableKeys) -> Option<String> {
    let indexes: Vec<String> = keys.indexes().into_iter().map(|(name, _)| name).collect();
    if indexes.iter().any(|name| name == wanted) {
        return None;
    }
    Some(match nearest(wanted, indexes.iter().map(String::as_str)) {
        Some(near) => format!("there is no index {wanted}; did you mean {near}?"),
        None if indexes.is_empty() => "the table has no indexes".to_owned(),
        None => format!("there is no index {wanted}; there are {}", indexes.join(", ")),
    })
}

/// Returns the index whose partition key the condition has, or the nearest name.
fn key_hint(missed: &str, refused: &Refused, keys: &TableKeys) -> Option<String> {
    if let Some(near) = near_attribute(missed, &refused.names) {
        return Some(format!("{near} is no key; did you mean {missed}?"));
    }
    let mut indexes = keys.indexes().into_iter();
    let (index, key) = indexes.find(|(index, key)| {
        refused.index.as_ref() != Some(index) && refused.names.contains(key) && key != missed
    })?;
    Some(format!("{key} is the key of the index {index}: --index {index}"))
}

/// Returns the name among the written ones that is nearly the wanted one.
pub fn near_attribute<'a>(wanted: &str, written: &'a [String]) -> Option<&'a str> {
    let near = nearest(wanted, written.iter().map(String::as_str))?;
    // A short name is near to nearly every other.
    let is_short = wanted.chars().count() < 4;
    (!is_short || near.eq_ignore_ascii_case(wanted)).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn attributes_are_the_names_in_a_condition() {
        let found =
            attributes("country = 'NL' AND begins_with(`first name`, \"x\") AND n BETWEEN 1 AND 2");
        assert_eq!(found, ["country", "first name", "n"]);
    }

    #[test]
    fn short_names_differ_in_case_only() {
        let written = ["pk", "g", "contry"].map(str::to_owned);
        assert_eq!(near_attribute("PK", &written), Some("pk"));
        assert_eq!(near_attribute("gg", &written), None);
        assert_eq!(near_attribute("country", &written), Some("contry"));
    }

    #[test]
    fn a_name_that_is_not_known_has_a_nearest_one() {
        let condition = meaningful("\"contry\" = 'NL' AND n.m IN [1] AND rank BETWEEN 1 AND 2");
        let written = compared(&condition);
        assert_eq!(written, ["contry", "m", "rank"]);
        let hints = unknown(&written, &["country", "rank"].map(str::to_owned));
        assert_eq!(hints, ["no item that was seen has contry; did you mean country?"]);
    }

    #[test]
    fn a_key_of_an_index_names_it() {
        let element = |name: &str| json!([{"AttributeName": name, "KeyType": "HASH"}]);
        let keys = TableKeys::described(json!({
            "KeySchema": element("PK"),
            "GlobalSecondaryIndexes": [{"IndexName": "GSI1", "KeySchema": element("g")}],
        }));
        let refused = |names: &[&str]| Refused {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            ..Refused::default()
        };
        let hint = key_hint("PK", &refused(&["g"]), &keys);
        assert_eq!(hint.as_deref(), Some("g is the key of the index GSI1: --index GSI1"));
        let hint = key_hint("PK", &refused(&["pk"]), &keys);
        assert_eq!(hint.as_deref(), Some("pk is no key; did you mean PK?"));
        assert_eq!(key_hint("PK", &refused(&["x"]), &keys), None);
        let cases = [
            ("gsi1", Some("there is no index gsi1; did you mean GSI1?")),
            ("other", Some("there is no index other; there are GSI1")),
            ("GSI1", None),
        ];
        for (wanted, expected) in cases {
            assert_eq!(index_hint(wanted, &keys).as_deref(), expected);
        }
    }
}
