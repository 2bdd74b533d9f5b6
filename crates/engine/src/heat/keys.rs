//! Names of keys: the key condition that selects them, such as
//! `country = 'NL' AND place = '09#UTRECHT'`. The name of a key that the book has cut ends with
//! dots and a hash that distinguishes it from others.

use crate::layout;
use crate::schema::{Index, KeyAttribute, KeySchema, KeyType, Table};
use hashrange_expr::{name_text, value_text};
use hashrange_heat::{CutKey, KeyName};
use hashrange_model::{NumberRef, ValueRef};
use std::borrow::Cow;

/// Maximum of characters shown of the rest of a cut key.
const LEFT_MAX_CHARS: usize = 40;

/// Returns the name of a key in the book, of a table or of an index of it. `is_item` means that the
/// sort key is part of the key.
pub(super) fn name_of(
    key: CutKey<'_>,
    table: &Table,
    index: Option<&Index>,
    is_item: bool,
) -> KeyName {
    let schema = index.map_or(&table.key, |index| &index.key);
    let (values, cut) = values_of(key, schema, index.is_some(), is_item);
    let parts = values.iter().filter_map(|(attribute, payload)| {
        table.key_parts(&attribute.name, str::from_utf8(payload).ok()?, false)
    });
    let parts: Vec<String> = parts.collect();
    let texts = values.iter().map(|(attribute, payload)| equals(attribute, payload));
    let texts: Vec<String> = texts.chain(cut).collect();
    KeyName { key: texts.join(" AND "), parts: (!parts.is_empty()).then(|| parts.join(" AND ")) }
}

/// The payload of a key attribute.
type Named<'k> = (&'k KeyAttribute, Cow<'k, [u8]>);

/// Returns the complete values in a key, and the text for the value that was cut.
fn values_of<'k>(
    key: CutKey<'k>,
    schema: &'k KeySchema,
    is_index: bool,
    is_item: bool,
) -> (Vec<Named<'k>>, Option<String>) {
    let (values, left) = layout::payloads(key.bytes, schema, is_index);
    let next = schema.all().nth(values.len());
    let mut values: Vec<_> = schema.all().zip(values).collect();
    match (key.hash_if_cut, next) {
        (None, Some(attribute)) if is_item && !left.is_empty() => {
            values.push((attribute, Cow::Borrowed(left)));
            (values, None)
        }
        (Some(hash), next) => (values, Some(cut(next, left, hash))),
        (None, _) => (values, None),
    }
}

fn equals(attribute: &KeyAttribute, payload: &[u8]) -> String {
    let value = match attribute.key_type {
        KeyType::S => value_text(ValueRef::S(&String::from_utf8_lossy(payload))),
        KeyType::N if layout::number_bytes(payload) == Some(payload.len()) => {
            value_text(ValueRef::N(NumberRef::from_encoded(payload)))
        }
        KeyType::N | KeyType::B => value_text(ValueRef::B(payload)),
    };
    format!("{} = {value}", name_text(&attribute.name))
}

/// Returns the text for a cut value: its beginning, which is all that the book has kept.
fn cut(attribute: Option<&KeyAttribute>, left: &[u8], hash: u64) -> String {
    let name = attribute.map_or_else(String::new, |attribute| name_text(&attribute.name));
    let left: String = String::from_utf8_lossy(left)
        .chars()
        .filter(|one| !one.is_control())
        .take(LEFT_MAX_CHARS)
        .collect();
    format!("{name} = {left}... (#{hash:016x})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::partition_prefix;
    use crate::schema::{IndexId, TableId};
    use hashrange_model::{AttributeValue, Item};

    fn schema() -> KeySchema {
        let of = |name: &str, key_type| KeyAttribute { name: name.to_owned(), key_type };
        KeySchema {
            partition: vec![of("a", KeyType::S), of("b", KeyType::N)],
            sort: vec![of("c", KeyType::S), of("d", KeyType::N)],
        }
    }

    fn called(key: CutKey<'_>, is_index: bool, is_item: bool) -> String {
        let schema = schema();
        let (values, cut) = values_of(key, &schema, is_index, is_item);
        let texts = values.iter().map(|(attribute, payload)| equals(attribute, payload));
        texts.chain(cut).collect::<Vec<_>>().join(" AND ")
    }

    fn item() -> Item {
        Item::from_attributes([("a", "x'y".into()), ("b", (-12).into())])
    }

    #[test]
    fn a_key_is_called_as_it_is_asked_for() {
        let mut key = partition_prefix(TableId(1), IndexId(2), &schema(), &item()).unwrap();
        key.extend_from_slice(b"s\0\xFFt\0\0");
        AttributeValue::from(700).to_value().get().as_number().unwrap().encode(&mut key);
        let end = key.len();
        key.extend_from_slice(b"base key");
        let parts = layout::key_parts(&key, &schema(), true).unwrap();
        assert_eq!(parts.own, &key[7..end]);
        let name = |bytes, is_item| called(CutKey { bytes, hash_if_cut: None }, true, is_item);
        assert_eq!(name(parts.partition, false), "a = 'x''y' AND b = -12");
        assert_eq!(
            name(parts.own, true),
            "a = 'x''y' AND b = -12 AND c = \"s\\u0000t\" AND d = 700"
        );
    }

    #[test]
    fn a_cut_key_shows_what_is_left_of_it() {
        let key = partition_prefix(TableId(1), IndexId::BASE, &schema(), &item()).unwrap();
        let cut = CutKey { bytes: &key[7..15], hash_if_cut: Some(1) };
        let name = called(cut, false, true);
        assert!(name.ends_with("... (#0000000000000001)") && name.starts_with("a = "), "{name}");
    }
}
