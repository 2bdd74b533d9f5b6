//! Keys of the history of tables.
//!
//! | key | value |
//! |---|---|
//! | `01 0e` table id | moment up to which versions may be gone, u64 BE |
//! | `22` table id, `00 00`, item, `00 00`, stamp | an old image, see `history/version.rs` |
//! | `23` table id, moment (u64 BE), item | empty |
//! | `24` table id, `00 00`, item | the stamp of the item's last change |
//!
//! `item` is the item's key without its first seven bytes. In space `22` its bytes `00` are
//! `00 FF`, so that the versions of one item lie together and items are in the order of their keys.
//! The two bytes `00` stand where an item's key has its index, so a store that spreads keys over
//! places keeps the history of an item in the item's place.

use super::{ITEM_PREFIX_BYTES, SPACE_ITEM, SPACE_META, component, item_prefix};
use crate::schema::{IndexId, TableId};
use hashrange_storage::{Key, KeyRange};

const SPACE_VERSION: u8 = 0x22;
const SPACE_MOMENT: u8 = 0x23;
const SPACE_CHANGED: u8 = 0x24;
const META_HISTORY: u8 = 0x0e;

/// Bytes before the moment in a key of space `23`.
const MOMENT_OFFSET: usize = 5;

/// End of the key of an item's present version, in place of a stamp: sorts after every stamp.
const NOW: [u8; 8] = [0xFF; 8];
/// Bit that distinguishes a stamp from one of the first form, which is a moment alone.
const HAS_ERA: u32 = 1 << 31;

/// Position of a change in the order of the changes of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    /// One more than the number of times that a change of the item met a clock that had been set
    /// back; 0 in stamps of the first form, which come before all others.
    pub(crate) era: u32,
    /// Moment of the change, epoch milliseconds.
    pub(crate) at_ms: u64,
    /// Number of earlier changes of the item in this era and millisecond.
    pub(crate) nth: u32,
}

impl Stamp {
    /// Returns the first stamp that a change in an era can have after a moment.
    pub(crate) fn after(era: u32, at_ms: u64) -> Self {
        Self { era, at_ms: at_ms.saturating_add(1), nth: 0 }
    }

    /// Returns the stamp of a change at a moment, after the last change of its item.
    pub(crate) fn next(last: Option<Self>, at_ms: u64) -> Self {
        match last {
            None => Self { era: 1, at_ms, nth: 0 },
            Some(last) if last.era == 0 || at_ms < last.at_ms => {
                Self { era: last.era + 1, at_ms, nth: 0 }
            }
            Some(last) if at_ms == last.at_ms => Self { nth: last.nth + 1, ..last },
            Some(last) => Self { at_ms, nth: 0, ..last },
        }
    }

    /// Returns the stored form, which sorts like stamps.
    pub(crate) fn encode(self) -> Vec<u8> {
        let at_ms = self.at_ms.to_be_bytes();
        if self.era == 0 {
            return at_ms.to_vec();
        }
        [&(self.era | HAS_ERA).to_be_bytes()[..], &at_ms, &self.nth.to_be_bytes()].concat()
    }

    /// Decodes the stored form of a stamp.
    pub(crate) fn decode(stored: &[u8]) -> Option<Self> {
        let (first, rest) = stored.split_first_chunk::<4>()?;
        let first = u32::from_be_bytes(*first);
        if first & HAS_ERA == 0 {
            return Some(Self { era: 0, at_ms: decode_moment(stored)?, nth: 0 });
        }
        let era = first & !HAS_ERA;
        let (at_ms, nth) = rest.split_first_chunk::<8>()?;
        (era > 0).then_some(())?;
        Some(Self {
            era,
            at_ms: u64::from_be_bytes(*at_ms),
            nth: u32::from_be_bytes(nth.try_into().ok()?),
        })
    }
}

/// Returns the key of the moment up to which versions of a table may be gone.
pub(crate) fn history_progress(table: TableId) -> Key {
    [&[SPACE_META, META_HISTORY][..], &table.0.to_be_bytes()].concat()
}

/// Returns the ranges of a table's history.
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

/// Returns the key of the version that an item had until a change.
pub(crate) fn version(item_key: &[u8], until: Stamp) -> Key {
    version_after(&versions_prefix(item_key), Some(until))
}

/// Returns the key of a version of an item: of the one until a change, or of the present one.
/// `versions` is the common key prefix of its versions.
pub(crate) fn version_after(versions: &[u8], until: Option<Stamp>) -> Key {
    match until {
        Some(until) => [versions, &until.encode()].concat(),
        None => [versions, &NOW].concat(),
    }
}

/// Returns the common key prefix of an item's versions.
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

/// Returns the range of the items whose present version lies in a range of space `22`.
pub(crate) fn items_of(versions: &KeyRange) -> KeyRange {
    let end = versions.end.as_deref().map(item_bound);
    KeyRange { start: item_bound(&versions.start), end }
}

/// Returns the first item whose present version is not before a key of space `22`.
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
            Some((0, stamp)) => {
                // After the present version comes the next item.
                if stamp > &NOW[..] {
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

/// Returns the first key of space `22` that can belong to an item whose key is, or begins with,
/// this key.
fn version_bound(item_key: &[u8]) -> Key {
    let prefix = item_key.get(1..item_key.len().min(ITEM_PREFIX_BYTES)).unwrap_or_default();
    let item = item_key.get(ITEM_PREFIX_BYTES..).unwrap_or_default();
    let mut key = Key::with_capacity(item_key.len() + 32);
    key.push(SPACE_VERSION);
    key.extend_from_slice(prefix);
    component::escaped(&mut key, item);
    key
}

/// Returns the item's key and the stamp of a key of space `22`.
pub(crate) fn parse_version(key: &[u8]) -> Option<(Key, Stamp)> {
    let (versions, stamp) = split_stamp(key)?;
    Some((item_of_versions(versions)?, stamp))
}

/// Returns the key of the item whose versions have this key prefix.
pub(crate) fn item_of_versions(versions: &[u8]) -> Option<Key> {
    let table = parse_history_table(versions)?;
    let mut escaped = versions.get(ITEM_PREFIX_BYTES..)?.strip_suffix(&[0, 0])?.iter();
    let mut item_key = item_prefix(table, IndexId::BASE).to_vec();
    while let Some(byte) = escaped.next() {
        item_key.push(*byte);
        if *byte == 0 && escaped.next() != Some(&0xFF) {
            return None;
        }
    }
    Some(item_key)
}

/// Returns a key of space `22` without its stamp, and the stamp.
pub(crate) fn split_stamp(key: &[u8]) -> Option<(&[u8], Stamp)> {
    let item = key.get(ITEM_PREFIX_BYTES..)?;
    // Within the item each 00 is followed by FF.
    let end = item.windows(2).position(|pair| pair == [0, 0])?;
    let (versions, stamp) = key.split_at(ITEM_PREFIX_BYTES + end + 2);
    Some((versions, Stamp::decode(stamp)?))
}

/// Returns the key in space `23` for a change of an item at a moment.
pub(crate) fn moment(item_key: &[u8], at_ms: u64) -> Key {
    let (prefix, item) = item_key.split_at(ITEM_PREFIX_BYTES.min(item_key.len()));
    let table = prefix.get(1..MOMENT_OFFSET).expect("an item key names its table");
    [&[SPACE_MOMENT][..], table, &at_ms.to_be_bytes(), item].concat()
}

/// Returns the range of the moments of a table from one to another, both included.
pub(crate) fn moments(table: TableId, from_ms: u64, to_ms: u64) -> KeyRange {
    let from =
        |at_ms: u64| [&[SPACE_MOMENT][..], &table.0.to_be_bytes(), &at_ms.to_be_bytes()].concat();
    KeyRange { start: from(from_ms), end: KeyRange::prefix(&from(to_ms)).end }
}

/// Returns the item's key and the moment of a key of space `23`.
pub(crate) fn parse_moment(key: &[u8]) -> Option<(Key, u64)> {
    let table = parse_history_table(key)?;
    let (moment, item) = key.get(MOMENT_OFFSET..)?.split_first_chunk::<8>()?;
    let item_key = [&item_prefix(table, IndexId::BASE)[..], item].concat();
    Some((item_key, u64::from_be_bytes(*moment)))
}

/// Returns the key of the stamp of an item's last change.
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

/// Decodes the stored form of a moment.
pub(crate) fn decode_moment(stored: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(stored.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESTS: [&[u8]; 8] = [b"", b"\0", b"\0\0", b"\0\x01", b"\0\xFF", b"a", b"a\0", b"a\0b"];

    fn item(rest: &[u8]) -> Key {
        [&item_prefix(TableId(7), IndexId::BASE)[..], rest].concat()
    }

    fn stamp(era: u32, at_ms: u64, nth: u32) -> Stamp {
        Stamp { era, at_ms, nth }
    }

    #[test]
    fn versions_are_in_the_order_of_items_and_stamps() {
        let mut keys = Vec::new();
        for rest in RESTS {
            let item = item(rest);
            let first = [0, 1, 0x00FF, u64::MAX >> 1].map(|at_ms| stamp(0, at_ms, 0));
            let later = [(1, 0, 0), (1, 0, 1), (1, 1, 0), (1, u64::MAX, 0), (2, 0, 0), (9, 5, 7)];
            let later = later.map(|(era, at_ms, nth)| stamp(era, at_ms, nth));
            let stamps = [&first[..], &later].concat();
            assert!(stamps.is_sorted());
            for stamp in stamps {
                let key = version(&item, stamp);
                assert_eq!(parse_version(&key), Some((item.clone(), stamp)));
                keys.push(key);
            }
            keys.push(version_after(&versions_prefix(&item), None));
        }
        assert!(keys.is_sorted_by(|one, other| one < other), "{keys:02x?}");
    }

    #[test]
    fn each_change_of_an_item_has_a_later_stamp_and_the_moment_of_the_clock() {
        let mut last = None;
        for (at_ms, expected) in [
            (5, stamp(1, 5, 0)),
            (5, stamp(1, 5, 1)),
            (6, stamp(1, 6, 0)),
            (2, stamp(2, 2, 0)),
            (2, stamp(2, 2, 1)),
            (9, stamp(2, 9, 0)),
        ] {
            let next = Stamp::next(last, at_ms);
            assert_eq!(next, expected);
            assert!(last < Some(next));
            last = Some(next);
        }
        assert_eq!(Stamp::next(Some(stamp(0, 5, 0)), 9), stamp(1, 9, 0));
    }

    #[test]
    fn what_is_no_stamp_is_none() {
        for stored in [&[][..], &[0; 7], &[0; 9], &NOW, &[0xFF; 15], &[0xFF; 17], &[0; 16]] {
            assert_eq!(Stamp::decode(stored), None, "{stored:?}");
        }
    }

    #[test]
    fn a_range_of_items_has_exactly_the_versions_of_its_items() {
        let contains = |range: &KeyRange, key: &[u8]| {
            &range.start[..] <= key && range.end.as_deref().is_none_or(|end| key < end)
        };
        for start in RESTS {
            for end in RESTS {
                let items = KeyRange { start: item(start), end: Some(item(end)) };
                let versions = versions_of(&items);
                assert_eq!(items_of(&versions), items, "{start:?} {end:?}");
                for rest in RESTS {
                    for until in [Some(stamp(0, 0, 0)), Some(stamp(1, u64::MAX, 0)), None] {
                        let key = version_after(&versions_prefix(&item(rest)), until);
                        let is_within = contains(&versions, &key);
                        assert_eq!(is_within, contains(&items, &item(rest)), "{start:?} {end:?}");
                    }
                }
            }
        }
        let all = versions_of(&super::super::keyspace(TableId(7), IndexId::BASE));
        assert!(contains(&all, &version_after(&versions_prefix(&item(&[0xFF; 9])), None)));
        let other = item_prefix(TableId(8), IndexId::BASE);
        assert!(!contains(&all, &version(&other, stamp(0, 0, 0))));
    }

    #[test]
    fn an_item_is_in_a_range_of_versions_with_its_last_one() {
        for rest in RESTS {
            let key = item(rest);
            let now = version_after(&versions_prefix(&key), None);
            for (bound, expected) in [
                (versions_prefix(&key), key.clone()),
                (version(&key, stamp(0, 7, 0)), key.clone()),
                (version(&key, stamp(1, 7, 0)), key.clone()),
                (now.clone(), key.clone()),
                ([&now[..], &[0]].concat(), item(&[rest, &[0]].concat())),
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
