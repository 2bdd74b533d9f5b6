//! The parts of an item key: one key attribute each, in one of three forms.
//!
//! | form | bytes | where |
//! |---|---|---|
//! | counted | u16 BE length, payload | partition keys, where only equality counts |
//! | last | payload | the sort key at the end of a key |
//! | terminated | payload with `00` as `00 FF`, then `00 00`; numbers as they are | sort keys of indexes, before more bytes |
//!
//! The payload of S and B is the value's bytes, that of N its binary form; all sort like the
//! values.

use crate::schema::{KeyAttribute, KeyType};
use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
use hashrange_model::{AttributeType, Item, RawValue, Value};
use hashrange_storage::Key;

/// Fault of a key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyFault {
    /// The attribute is absent.
    Missing(String),
    /// The attribute has another type than declared.
    Type { attribute: String, expected: AttributeType, actual: AttributeType },
    /// The attribute is an empty string or binary.
    Empty { attribute: String, attribute_type: AttributeType },
    /// The partition key value is too long.
    PartitionTooLong { attribute: String, size_bytes: usize },
    /// The sort key value is too long.
    SortTooLong { attribute: String, size_bytes: usize },
}

/// Role of an attribute in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Partition,
    Sort,
}

/// Checks presence, type, emptiness and length of one key attribute.
pub(super) fn check(attribute: &KeyAttribute, item: &Item, role: Role) -> Result<(), KeyFault> {
    payload(attribute, item, role).map(|_| ())
}

pub(super) fn append_counted(
    key: &mut Key,
    attribute: &KeyAttribute,
    item: &Item,
) -> Result<(), KeyFault> {
    counted(key, payload(attribute, item, Role::Partition)?);
    Ok(())
}

/// Appends a checked value in the counted form.
pub(super) fn append_counted_value(key: &mut Key, value: &Value) {
    counted(key, scalar(value.get()).expect("key conditions are checked against the schema"));
}

fn counted(key: &mut Key, payload: &[u8]) {
    let length = u16::try_from(payload.len()).expect("a partition key is at most 2048 bytes");
    key.extend_from_slice(&length.to_be_bytes());
    key.extend_from_slice(payload);
}

pub(super) fn append_last(
    key: &mut Key,
    attribute: &KeyAttribute,
    item: &Item,
) -> Result<(), KeyFault> {
    key.extend_from_slice(payload(attribute, item, Role::Sort)?);
    Ok(())
}

pub(super) fn append_terminated(
    key: &mut Key,
    attribute: &KeyAttribute,
    item: &Item,
) -> Result<(), KeyFault> {
    terminated(key, attribute.key_type, payload(attribute, item, Role::Sort)?);
    Ok(())
}

/// Appends a payload in the terminated form.
pub(super) fn terminated(key: &mut Key, key_type: KeyType, payload: &[u8]) {
    match key_type {
        KeyType::N => key.extend_from_slice(payload),
        KeyType::S | KeyType::B => {
            escaped(key, payload);
            key.extend_from_slice(&[0, 0]);
        }
    }
}

/// Appends a payload escaped, without its terminator: a prefix of all values that begin with it.
pub(super) fn escaped(key: &mut Key, payload: &[u8]) {
    for byte in payload {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xFF);
        }
    }
}

/// Returns the bytes of a scalar value as they stand in keys; `None` for other types.
pub(super) fn scalar<'v>(value: impl Into<RawValue<'v>>) -> Option<&'v [u8]> {
    match value.into() {
        RawValue::S(bytes) | RawValue::B(bytes) => Some(bytes),
        RawValue::N(number) => Some(number.as_bytes()),
        _ => None,
    }
}

fn payload<'i>(attribute: &KeyAttribute, item: &'i Item, role: Role) -> Result<&'i [u8], KeyFault> {
    let name = || attribute.name.clone();
    let value =
        item.attributes().get_raw(&attribute.name).ok_or_else(|| KeyFault::Missing(name()))?;
    let expected = attribute.key_type.attribute_type();
    let actual = value.attribute_type();
    let payload = scalar(value).filter(|_| actual == expected).ok_or_else(|| KeyFault::Type {
        attribute: name(),
        expected,
        actual,
    })?;
    if payload.is_empty() {
        return Err(KeyFault::Empty { attribute: name(), attribute_type: actual });
    }
    match role {
        Role::Partition if payload.len() > PARTITION_KEY_MAX_BYTES => {
            Err(KeyFault::PartitionTooLong { attribute: name(), size_bytes: payload.len() })
        }
        Role::Sort if payload.len() > SORT_KEY_MAX_BYTES => {
            Err(KeyFault::SortTooLong { attribute: name(), size_bytes: payload.len() })
        }
        _ => Ok(payload),
    }
}
