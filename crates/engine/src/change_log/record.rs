//! Binary form of a record of the change log.
//!
//! | bytes | content |
//! |---|---|
//! | 1 | form version, 1 |
//! | 1 | kind: 0 opened, 1 INSERT, 2 MODIFY, 3 REMOVE, 4 closed |
//! | 1 | flags: 1 keys follow, 2 new image, 4 old image, 8 the change is the service's own |
//! | 8 | when, epoch milliseconds, LE |
//! | n | for each that the flags name, in their order: u32 LE length, item |
//!
//! Key attributes are stored only when the record has no image.

use crate::schema::StreamView;
use bytes::Bytes;
use hashrange_model::Item;

const FORM_VERSION: u8 = 1;
const HEAD_BYTES: usize = 11;
const HAS_KEYS: u8 = 1;
const HAS_NEW: u8 = 2;
const HAS_OLD: u8 = 4;
const BY_SERVICE: u8 = 8;

/// Kind of change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventName {
    /// The item is new.
    Insert,
    /// The item existed before and after.
    Modify,
    /// The item was removed.
    Remove,
}

/// Mark at either end of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// First record of the shard.
    Opened,
    /// Last record of the shard.
    Closed,
}

/// Logged change of an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChangeRecord {
    pub(crate) event: EventName,
    pub(crate) at_ms: u64,
    /// Key attributes; only if the record has no image.
    pub(crate) keys: Option<Item>,
    pub(crate) new: Option<Item>,
    pub(crate) old: Option<Item>,
    pub(crate) by_service: bool,
}

/// Entry of the log: a change, or a mark at an end of the shard.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Marked {
    Change(ChangeRecord),
    Mark { mark: Mark, at_ms: u64 },
}

/// Bytes that are no record of a known form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnreadableRecord;

/// Returns the stored form of a mark.
pub(super) fn encode_mark(mark: Mark, at_ms: u64) -> Bytes {
    let kind = match mark {
        Mark::Opened => 0,
        Mark::Closed => 4,
    };
    Bytes::from(head(kind, 0, at_ms, 0))
}

/// Returns the stored form of a change, with the images that `view` includes. `keys` returns the
/// key attributes of an image.
pub(super) fn encode_change(
    view: StreamView,
    keys: impl Fn(&Item) -> Item,
    (old, new): (Option<&Item>, Option<&Item>),
    at_ms: u64,
    by_service: bool,
) -> Bytes {
    let kind = match (old, new) {
        (None, _) => 1,
        (Some(_), Some(_)) => 2,
        (Some(_), None) => 3,
    };
    let (shown_new, shown_old) =
        (new.filter(|_| view.shows_new()), old.filter(|_| view.shows_old()));
    let bare = match (shown_new, shown_old) {
        (None, None) => new.or(old).map(keys),
        _ => None,
    };
    let parts = [(HAS_KEYS, bare.as_ref()), (HAS_NEW, shown_new), (HAS_OLD, shown_old)];
    let present = || parts.iter().filter_map(|(flag, item)| Some((*flag, (*item)?)));
    let flags =
        present().fold(if by_service { BY_SERVICE } else { 0 }, |all, (flag, _)| all | flag);
    let length = present().map(|(_, item)| 4 + item.as_bytes().len()).sum();
    let mut bytes = head(kind, flags, at_ms, length);
    for (_, item) in present() {
        let length = u32::try_from(item.as_bytes().len()).expect("an item is at most 400 KB");
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(item.as_bytes());
    }
    Bytes::from(bytes)
}

fn head(kind: u8, flags: u8, at_ms: u64, more_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + more_bytes);
    bytes.extend_from_slice(&[FORM_VERSION, kind, flags]);
    bytes.extend_from_slice(&at_ms.to_le_bytes());
    bytes
}

/// Reads a stored record.
pub(super) fn decode(stored: &Bytes) -> Result<Marked, UnreadableRecord> {
    read(stored).ok_or(UnreadableRecord)
}

/// Returns the time at which a stored record was written, without decoding the rest.
pub(super) fn time_of(stored: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(stored.get(3..HEAD_BYTES)?.try_into().ok()?))
}

fn read(stored: &Bytes) -> Option<Marked> {
    let &[FORM_VERSION, kind, flags] = stored.get(..3)? else { return None };
    let at_ms = time_of(stored)?;
    let event = match kind {
        0 => return Some(Marked::Mark { mark: Mark::Opened, at_ms }),
        4 => return Some(Marked::Mark { mark: Mark::Closed, at_ms }),
        1 => EventName::Insert,
        2 => EventName::Modify,
        3 => EventName::Remove,
        _ => return None,
    };
    let mut offset = HEAD_BYTES;
    let mut next = |flag: u8| -> Option<Option<Item>> {
        if flags & flag == 0 {
            return Some(None);
        }
        let length = u32::from_le_bytes(stored.get(offset..offset + 4)?.try_into().ok()?);
        let start = offset + 4;
        offset = start.checked_add(usize::try_from(length).ok()?)?;
        let item = (offset <= stored.len()).then(|| stored.slice(start..offset))?;
        Some(Some(Item::from_stored(item).ok()?))
    };
    let (keys, new, old) = (next(HAS_KEYS)?, next(HAS_NEW)?, next(HAS_OLD)?);
    if offset != stored.len() || (keys.is_none() && new.is_none() && old.is_none()) {
        return None;
    }
    let by_service = flags & BY_SERVICE != 0;
    Some(Marked::Change(ChangeRecord { event, at_ms, keys, new, old, by_service }))
}

impl ChangeRecord {
    /// Returns the key attributes; `keys` extracts them from an image.
    pub(crate) fn keys(&self, keys: impl Fn(&Item) -> Item) -> Item {
        let image = self.new.as_ref().or(self.old.as_ref());
        self.keys.clone().or_else(|| image.map(keys)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(attributes: &[(&str, i64)]) -> Item {
        Item::from_attributes(attributes.iter().map(|(name, value)| (*name, (*value).into())))
    }

    fn keys(item: &Item) -> Item {
        item.retain(|name| name == "pk")
    }

    #[test]
    fn every_view_shows_its_part_of_every_change_and_always_the_keys() {
        let (first, second) = (item(&[("pk", 1), ("a", 1)]), item(&[("pk", 1), ("a", 2)]));
        let changes = [
            (None, Some(&first), EventName::Insert),
            (Some(&first), Some(&second), EventName::Modify),
            (Some(&second), None, EventName::Remove),
        ];
        for view in StreamView::ALL {
            for (old, new, event) in changes {
                let stored = encode_change(view, keys, (old, new), 77, event == EventName::Remove);
                assert_eq!(time_of(&stored), Some(77));
                let Ok(Marked::Change(record)) = decode(&stored) else { panic!("{view:?}") };
                assert_eq!(record.event, event);
                assert_eq!(record.new.as_ref(), new.filter(|_| view.shows_new()));
                assert_eq!(record.old.as_ref(), old.filter(|_| view.shows_old()));
                assert_eq!(record.keys(keys), item(&[("pk", 1)]));
                assert_eq!(record.by_service, event == EventName::Remove);
            }
        }
    }

    #[test]
    fn damaged_records_are_refused() {
        let image = item(&[("pk", 1)]);
        let view = StreamView::NewAndOldImages;
        let stored = encode_change(view, keys, (Some(&image), Some(&image)), 77, false);
        for length in 0..stored.len() {
            assert_eq!(decode(&stored.slice(..length)), Err(UnreadableRecord), "{length}");
        }
        let longer = [&stored[..], &[0]].concat();
        assert_eq!(decode(&Bytes::from(longer)), Err(UnreadableRecord));
        let other_version = [&[9][..], &stored[1..]].concat();
        assert_eq!(decode(&Bytes::from(other_version)), Err(UnreadableRecord));
    }

    #[test]
    fn marks_round_trip() {
        for mark in [Mark::Opened, Mark::Closed] {
            assert_eq!(decode(&encode_mark(mark, 5)), Ok(Marked::Mark { mark, at_ms: 5 }));
        }
    }
}
