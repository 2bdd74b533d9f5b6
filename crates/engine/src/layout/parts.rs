//! Splits a byte key of an item or entry into partition key and sort key, and decodes their values.
//! The forms are those of `component.rs`.

use super::{HASH_BYTES, ITEM_PREFIX_BYTES, item_prefix, parse_keyspace};
use crate::schema::{IndexId, KeySchema, KeyType};
use hashrange_storage::KeyRange;
use std::borrow::Cow;

/// Bytes of the length before a counted part.
const LENGTH_BYTES: usize = 2;

/// Parts of an item's or entry's key after its keyspace: hash, partition key and, if the schema has
/// one, sort key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyParts<'k> {
    /// Hash and partition key.
    pub(crate) partition: &'k [u8],
    /// `partition` and the sort key of the table or index; of an entry, without the key of its
    /// item.
    pub(crate) own: &'k [u8],
}

/// Returns the parts of a key; `None` if it does not fit the schema.
pub(crate) fn key_parts<'k>(
    key: &'k [u8],
    schema: &KeySchema,
    is_index: bool,
) -> Option<KeyParts<'k>> {
    let key = key.get(ITEM_PREFIX_BYTES..)?;
    let mut rest = key.get(HASH_BYTES..)?;
    for _ in &schema.partition {
        (_, rest) = counted(rest)?;
    }
    let partition = key.get(..key.len() - rest.len())?;
    if !is_index {
        return Some(KeyParts { partition, own: key });
    }
    for attribute in &schema.sort {
        (_, rest) = terminated(rest, attribute.key_type)?;
    }
    Some(KeyParts { partition, own: key.get(..key.len() - rest.len())? })
}

/// Returns the length of a key up to its sort key, of the whole key if it does not fit the schema.
pub(crate) fn partition_bytes(key: &[u8], schema: &KeySchema) -> usize {
    let parts = key_parts(key, schema, false);
    parts.map_or(key.len(), |parts| ITEM_PREFIX_BYTES + parts.partition.len())
}

/// Returns the range of the table's items with the partition key of a range of one of its local indexes; `None` if the
/// range is not within one partition.
pub(crate) fn partition_in_table(range: &KeyRange, schema: &KeySchema) -> Option<KeyRange> {
    let parts = key_parts(&range.start, schema, false)?;
    let prefix = range.start.get(..ITEM_PREFIX_BYTES + parts.partition.len())?;
    let partition = KeyRange::prefix(prefix);
    range.end.as_ref().filter(|end| Some(*end) <= partition.end.as_ref())?;
    let (table, _) = parse_keyspace(prefix)?;
    let in_table = [&item_prefix(table, IndexId::BASE)[..], parts.partition].concat();
    Some(KeyRange::prefix(&in_table))
}

/// Returns the hash in a part.
pub(crate) fn hash_of_part(part: &[u8]) -> u32 {
    part.first_chunk().map_or(0, |hash| u32::from_be_bytes(*hash))
}

/// Returns the payloads of the complete values in a part, in the order of the schema, and the
/// remaining bytes.
pub(crate) fn payloads<'p>(
    part: &'p [u8],
    schema: &KeySchema,
    is_index: bool,
) -> (Vec<Cow<'p, [u8]>>, &'p [u8]) {
    let mut payloads = Vec::new();
    let mut rest = part.get(HASH_BYTES..).unwrap_or_default();
    for _ in &schema.partition {
        let Some((payload, behind)) = counted(rest) else { return (payloads, rest) };
        payloads.push(Cow::Borrowed(payload));
        rest = behind;
    }
    for attribute in schema.sort.iter().filter(|_| is_index) {
        let Some((payload, behind)) = terminated(rest, attribute.key_type) else { break };
        payloads.push(payload);
        rest = behind;
    }
    (payloads, rest)
}

fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// Returns the payload of a terminated part, and the bytes that follow it.
fn terminated(bytes: &[u8], key_type: KeyType) -> Option<(Cow<'_, [u8]>, &[u8])> {
    if key_type == KeyType::N {
        let (number, rest) = bytes.split_at_checked(number_bytes(bytes)?)?;
        return Some((Cow::Borrowed(number), rest));
    }
    let mut payload = Vec::new();
    let mut rest = bytes;
    loop {
        match rest {
            [0, 0, behind @ ..] => return Some((Cow::Owned(payload), behind)),
            [0, 0xFF, behind @ ..] => {
                payload.push(0);
                rest = behind;
            }
            [0, ..] | [] => return None,
            [byte, behind @ ..] => {
                payload.push(*byte);
                rest = behind;
            }
        }
    }
}

/// Returns the length in bytes of the number at the beginning; its form is in
/// [`hashrange_model::Number`].
pub(crate) fn number_bytes(bytes: &[u8]) -> Option<usize> {
    let end = match bytes.first()? {
        1 => 0xFF,
        2 => return Some(1),
        _ => 0,
    };
    let digits = bytes.get(2..)?;
    Some(2 + digits.iter().position(|byte| *byte == end)? + 1)
}
