//! Ranges of keys and the direction in which they are visited.

use crate::Key;
use std::ops::Bound;

/// The keys from `start` (included) to `end` (not included).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key that may be in the range.
    pub start: Key,
    /// The first key after the range; `None` = the range goes to the end of the store.
    pub end: Option<Key>,
}

/// The order in which a range is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// Part of a range that a visitor is likely to take: a hint for stores that fetch it from afar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Entries.
    pub entries: usize,
    /// Bytes of their values.
    pub bytes: usize,
}

impl Wanted {
    /// The whole range, however long it is.
    pub const ALL: Self = Self { entries: usize::MAX, bytes: usize::MAX };

    /// Returns the hint for so many entries of any size.
    pub fn entries(entries: usize) -> Self {
        Self { entries, ..Self::ALL }
    }
}

impl KeyRange {
    /// Returns the range of all keys.
    pub fn all() -> Self {
        Self { start: Key::new(), end: None }
    }

    /// Returns the range of all keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { start: prefix.to_vec(), end: successor_of_prefix(prefix) }
    }

    /// Returns whether no key can be in the range.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Returns the range as bounds for ordered maps.
    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = self.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        (Bound::Included(self.start.as_slice()), end)
    }
}

/// Returns the first key after all keys that begin with `prefix`, `None` when there is none.
fn successor_of_prefix(prefix: &[u8]) -> Option<Key> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut successor = prefix.get(..=last)?.to_vec();
    *successor.last_mut()? += 1;
    Some(successor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_ends_at_the_next_key_that_does_not_begin_with_it() {
        for (prefix, end) in [
            (&b"a"[..], Some(&b"b"[..])),
            (b"a\xff", Some(b"b")),
            (b"a\xff\xff\x00", Some(b"a\xff\xff\x01")),
            (b"\xff\xff", None),
            (b"", None),
        ] {
            let range = KeyRange::prefix(prefix);
            assert_eq!((range.start.as_slice(), range.end.as_deref()), (prefix, end));
        }
    }

    #[test]
    fn range_is_empty_when_its_end_is_not_after_its_start() {
        let range = |start: &[u8], end: Option<&[u8]>| KeyRange {
            start: start.to_vec(),
            end: end.map(<[u8]>::to_vec),
        };
        assert!(range(b"b", Some(b"a")).is_empty());
        assert!(range(b"b", Some(b"b")).is_empty());
        assert!(!range(b"b", Some(b"b\0")).is_empty());
        assert!(!range(b"b", None).is_empty());
    }
}
