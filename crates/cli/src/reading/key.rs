//! The primary key of an item on the wire, in a form that is the same for the same key.

use crate::format::WireItem;
use hashrange::Number;

/// A primary key; equal for items of which the later replaces the earlier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

/// Returns the key of an item, or nothing if it has none that a table could take.
pub fn of(item: &WireItem, names: &[String]) -> Option<Key> {
    let mut key = Vec::new();
    for name in names {
        let (tag, value) = item.get(name)?.as_object()?.iter().next()?;
        let text = value.as_str()?;
        let mut bytes = Vec::new();
        match tag.as_str() {
            "S" | "B" => bytes.extend(text.as_bytes()),
            // 1 and 1.0 are one number.
            "N" => Number::parse(text).ok()?.encode(&mut bytes),
            _ => return None,
        }
        key.extend((bytes.len() as u64).to_be_bytes());
        key.extend(bytes);
    }
    Some(Key(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_keys_are_one_key() {
        let names = ["a".to_owned(), "b".to_owned()];
        let key = |value: serde_json::Value| of(value.as_object().unwrap(), &names);
        let one = key(json!({"a": {"S": "x"}, "b": {"N": "1"}, "c": {"S": "1"}}));
        assert!(one.is_some());
        assert_eq!(one, key(json!({"b": {"N": "10e-1"}, "a": {"S": "x"}})));
        assert_ne!(one, key(json!({"a": {"S": "x"}, "b": {"N": "-1"}})));
        assert_ne!(
            key(json!({"a": {"S": "xy"}, "b": {"S": "z"}})),
            key(json!({"a": {"S": "x"}, "b": {"S": "yz"}}))
        );
        assert_eq!(key(json!({"a": {"S": "x"}})), None);
        assert_eq!(key(json!({"a": {"S": "x"}, "b": {"L": []}})), None);
        assert_eq!(key(json!({"a": {"S": "x"}, "b": {"N": "x"}})), None);
    }
}
