//! Keys of the history of tables.
//!
//! | key | value |
//! |---|---|
//! | `01 0e` table id | up to which moment versions may be gone, u64 BE |
//! | `22` table id, `00 00`, item, `00 00`, moment (u64 BE) | an old image, see `history/version.rs` |
//! | `23` table id, moment (u64 BE), item | empty |
//! | `24` table id, `00 00`, item | the moment of the item's last change, u64 BE |
//!
//! `item` is the item's key without its first seven bytes. In space `22` its bytes `00` are `00 FF`, so
//! that the versions of one item lie together and items are in the order of their keys. The two bytes `00`
//! stand where an item's key has its index: so history lies in the places in which its items lie.

use super::{ITEM_PREFIX_BYTES, SPACE_ITEM, SPACE_META, component, item_prefix};
use crate::schema::{IndexId, TableId};
use hashrange_storage::{Key, KeyRange};

const SPACE_VERSION: u8 = 0x22;
const SPACE_MOMENT: u8 = 0x23;
const SPACE_CHANGED: u8 = 0x24;
const META_HISTORY: u8 = 0x0e;

const MOMENT_BYTES: usize = 8;
/// Bytes before the moment in a key of space `23`.
const MOMENT_OFFSET: usize = 5;

/// Returns the key that says up to which moment versions of a table may be gone.
pub(crate) fn history_progress(table: TableId) -> Key {
    [&[SPACE_META, META_HISTORY][..], &table.0.to_be_bytes()].concat()
}

/// Returns the ranges of all that there is of a table's history.
pub(crate) fn histories(table: TableId) -> [KeyRange; 3] {
    [SPACE_VERSION, SPACE_MOMENT, SPACE_CHANGED]
        .map(|space| KeyRange::prefix(&[&[space][..], &table.0.to_be_bytes()].concat()))
}

/// Returns the ranges of the histories of all tables.
pub(crate) fn every_history() -> [KeyRange; 3] {
    [SPACE_VERSION, SPACE_MOMENT, SPACE_CHANGED].map(|space| KeyRange::prefix(&[space]))
}

/// Returns the table of a key of any of the three spaces.
pub(crate) fn parse_history_table(key: &[u8]) -> Option<TableId> {
    let id = key.get(1..MOMENT_OFFSET)?.try_into().ok()?;
    Some(TableId(u32::from_be_bytes(id)))
}

/// Returns the key of the version that an item had until a moment.
pub(crate) fn version(item_key: &[u8], at_ms: u64) -> Key {
    let mut key = versions_prefix(item_key);
    key.extend_from_slice(&at_ms.to_be_bytes());
    key
}

/// Returns what the keys of the versions of an item begin with.
pub(crate) fn versions_prefix(item_key: &[u8]) -> Key {
    let mut key = version_bound(item_key);
    key.extend_from_slice(&[0, 0]);
    key
}

/// Returns the range of the versions of the items in a range of item keys.
pub(crate) fn versions_of(items: &KeyRange) -> KeyRange {
    let end = items.end.as_deref().map(version_bound);
    KeyRange { start: version_bound(&items.start), end }
}

/// Returns the range of the items of which the last version, that which is so now, is in a range of space
/// `22`, where it has the last moment that there is.
pub(crate) fn items_of(versions: &KeyRange) -> KeyRange {
    let end = versions.end.as_deref().map(item_bound);
    KeyRange { start: item_bound(&versions.start), end }
}

/// Returns the first item whose last version is not before a key of space `22`.
fn item_bound(versions: &[u8]) -> Key {
    let prefix = versions.get(1..versions.len().min(ITEM_PREFIX_BYTES)).unwrap_or_default();
    let mut item = [&[SPACE_ITEM][..], prefix].concat();
    let mut rest = versions.get(ITEM_PREFIX_BYTES..).unwrap_or_default();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte != 0 {
            item.push(*byte);
            continue;
        }
        match behind.split_first() {
            Some((0xFF, behind)) => rest = behind,
            Some((0, moment)) => {
                // Behind the last moment comes the next item.
                if moment > &u64::MAX.to_be_bytes()[..] {
                    item.push(0);
                }
                return item;
            }
            _ => {}
        }
        item.push(0);
    }
    item
}

/// Returns the first key of space `22` that could be of an item with this key, or one that begins so.
fn version_bound(item_key: &[u8]) -> Key {
    let prefix = item_key.get(1..item_key.len().min(ITEM_PREFIX_BYTES)).unwrap_or_default();
    let item = item_key.get(ITEM_PREFIX_BYTES..).unwrap_or_default();
    let mut key = Key::with_capacity(item_key.len() + 24);
    key.push(SPACE_VERSION);
    key.extend_from_slice(prefix);
    component::escaped(&mut key, item);
    key
}

/// Returns the item's key and the moment of a key of space `22`.
pub(crate) fn parse_version(key: &[u8]) -> Option<(Key, u64)> {
    let (item, moment) = split_moment(key)?;
    let table = parse_history_table(key)?;
    let mut escaped = item.get(ITEM_PREFIX_BYTES..)?.strip_suffix(&[0, 0])?.iter();
    let mut item_key = item_prefix(table, IndexId::BASE).to_vec();
    while let Some(byte) = escaped.next() {
        item_key.push(*byte);
        if *byte == 0 && escaped.next() != Some(&0xFF) {
            return None;
        }
    }
    Some((item_key, moment))
}

/// Returns a key of space `22` without its moment, and the moment.
pub(crate) fn split_moment(key: &[u8]) -> Option<(&[u8], u64)> {
    let (item, moment) = key.split_last_chunk::<MOMENT_BYTES>()?;
    Some((item, u64::from_be_bytes(*moment)))
}

/// Returns the key by which a version is found by its moment.
pub(crate) fn moment(item_key: &[u8], at_ms: u64) -> Key {
    let (prefix, item) = item_key.split_at(ITEM_PREFIX_BYTES.min(item_key.len()));
    let table = prefix.get(1..MOMENT_OFFSET).expect("an item key names its table");
    [&[SPACE_MOMENT][..], table, &at_ms.to_be_bytes(), item].concat()
}

/// Returns the range of the moments of a table from one up to and with another.
pub(crate) fn moments(table: TableId, from_ms: u64, to_ms: u64) -> KeyRange {
    let from =
        |at_ms: u64| [&[SPACE_MOMENT][..], &table.0.to_be_bytes(), &at_ms.to_be_bytes()].concat();
    KeyRange { start: from(from_ms), end: KeyRange::prefix(&from(to_ms)).end }
}

/// Returns the item's key and the moment of a key of space `23`.
pub(crate) fn parse_moment(key: &[u8]) -> Option<(Key, u64)> {
    let table = parse_history_table(key)?;
    let (moment, item) = key.get(MOMENT_OFFSET..)?.split_first_chunk::<MOMENT_BYTES>()?;
    let item_key = [&item_prefix(table, IndexId::BASE)[..], item].concat();
    Some((item_key, u64::from_be_bytes(*moment)))
}

/// Returns the key that says when an item was last changed.
pub(crate) fn changed(item_key: &[u8]) -> Key {
    let mut key = item_key.to_vec();
    *key.first_mut().expect("an item key names its space") = SPACE_CHANGED;
    key
}

/// Returns the item's key of a key of space `24`.
pub(crate) fn parse_changed(key: &[u8]) -> Option<Key> {
    let table = parse_history_table(key)?;
    let item = key.get(ITEM_PREFIX_BYTES..)?;
    Some([&item_prefix(table, IndexId::BASE)[..], item].concat())
}

/// Returns the stored form of a moment.
pub(crate) fn encode_moment(at_ms: u64) -> hashrange_storage::Bytes {
    hashrange_storage::Bytes::copy_from_slice(&at_ms.to_be_bytes())
}

/// Returns the moment of a stored form.
pub(crate) fn decode_moment(stored: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(stored.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(rest: &[u8]) -> Key {
        [&item_prefix(TableId(7), IndexId::BASE)[..], rest].concat()
    }

    #[test]
    fn versions_are_in_the_order_of_items_and_moments() {
        let rests: [&[u8]; 8] = [b"", b"\0", b"\0\0", b"\0\x01", b"\0\xFF", b"a", b"a\0", b"a\0b"];
        let mut keys = Vec::new();
        for rest in rests {
            for at_ms in [0, 1, 0x00FF, u64::MAX] {
                let key = version(&item(rest), at_ms);
                assert_eq!(parse_version(&key), Some((item(rest), at_ms)));
                keys.push(key);
            }
        }
        assert!(keys.is_sorted_by(|one, other| one < other), "{keys:02x?}");
    }

    #[test]
    fn a_range_of_items_has_exactly_the_versions_of_its_items() {
        let rests: [&[u8]; 8] = [b"", b"\0", b"\0\0", b"\0\x01", b"\0\xFF", b"a", b"a\0", b"a\0b"];
        let contains = |range: &KeyRange, key: &[u8]| {
            &range.start[..] <= key && range.end.as_deref().is_none_or(|end| key < end)
        };
        for start in rests {
            for end in rests {
                let items = KeyRange { start: item(start), end: Some(item(end)) };
                let versions = versions_of(&items);
                assert_eq!(items_of(&versions), items, "{start:?} {end:?}");
                for rest in rests {
                    for at_ms in [0, u64::MAX] {
                        let is_within = contains(&versions, &version(&item(rest), at_ms));
                        assert_eq!(is_within, contains(&items, &item(rest)), "{start:?} {end:?}");
                    }
                }
            }
        }
        let all = versions_of(&super::super::keyspace(TableId(7), IndexId::BASE));
        assert!(contains(&all, &version(&item(&[0xFF; 9]), u64::MAX)));
        assert!(!contains(&all, &version(&item_prefix(TableId(8), IndexId::BASE), 0)));
    }

    #[test]
    fn an_item_is_in_a_range_of_versions_with_its_last_one() {
        let rests: [&[u8]; 6] = [b"", b"\0", b"\0\xFF", b"a", b"a\0", b"a\0b"];
        for rest in rests {
            let key = item(rest);
            for (bound, expected) in [
                (versions_prefix(&key), key.clone()),
                (version(&key, 7), key.clone()),
                (version(&key, u64::MAX), key.clone()),
                ([&version(&key, u64::MAX)[..], &[0]].concat(), item(&[rest, &[0]].concat())),
            ] {
                let items = items_of(&KeyRange { start: bound.clone(), end: Some(bound) });
                assert_eq!((items.start, items.end), (expected.clone(), Some(expected)));
            }
        }
    }

    #[test]
    fn moments_and_marks_name_their_items() {
        let key = item(b"hash\0\0x");
        assert_eq!(parse_moment(&moment(&key, 9)), Some((key.clone(), 9)));
        assert_eq!(parse_changed(&changed(&key)), Some(key.clone()));
        let range = moments(TableId(7), 3, 9);
        assert!(range.start < moment(&key, 3) && moment(&key, 9) < range.end.unwrap());
    }
}
