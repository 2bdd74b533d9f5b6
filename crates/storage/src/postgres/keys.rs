//! Form of byte keys in rows.
//!
//! | column | content |
//! |---|---|
//! | `place` | see `placement.rs` |
//! | `prefix` | the key's first bytes, at most `prefix_bytes` |
//! | `tail` | nothing, or 16 bytes of the SHA-256 of `rest` when there is a rest |
//! | `rest` | the bytes after the prefix |
//!
//! `(place, prefix, tail)` is the primary key. Prefixes are in the order of their keys, except keys
//! that share a whole prefix and go on: `visit.rs` brings these into the order of `rest`.

use super::placement::{Placement, Places};
use crate::{Error, Key, KeyRange};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Bytes of the digest of a rest.
pub(super) const TAIL_BYTES: usize = 16;

/// Bytes that tell the stripes of a counter apart, after its key.
pub(super) const STRIPE_BYTES: usize = 8;

/// Form of a store's tables when they were created, and the placement of its keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) placement: Placement,
    pub(super) places: u16,
    pub(super) prefix_bytes: usize,
}

/// A key and the columns of its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) key: Bytes,
    pub(super) place: i16,
    split: usize,
    tail: Option<[u8; TAIL_BYTES]>,
}

impl Layout {
    /// Returns the row of a key.
    pub(super) fn locate(&self, key: Bytes) -> Located {
        let place = self.place(&key);
        let split = key.len().min(self.prefix_bytes);
        let rest = key.get(split..).unwrap_or_default();
        let tail = (!rest.is_empty()).then(|| digest(rest));
        Located { key, place, split, tail }
    }

    /// Returns the row of each of `keys`.
    pub(super) fn locate_all<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) -> Vec<Located> {
        keys.into_iter().map(|key| self.locate(Bytes::copy_from_slice(key))).collect()
    }

    pub(super) fn place(&self, key: &[u8]) -> i16 {
        let place = (self.placement.of_key)(key, self.places);
        debug_assert!(place < self.places, "a place is less than the number of places");
        column(place)
    }

    /// Returns the places of a range, in the order of its keys, if they have that order.
    pub(super) fn places(&self, range: &KeyRange) -> Option<Places> {
        if self.places == 1 {
            return Some(Places { first: 0, more: 0 });
        }
        (self.placement.of_range)(range, self.places)
    }

    /// Returns all places that a range may have keys in, in any order.
    pub(super) fn every_place(&self, range: &KeyRange) -> impl Iterator<Item = i16> + use<> {
        let all = Places { first: 0, more: self.places - 1 };
        let Places { first, more } = self.places(range).unwrap_or(all);
        let places = u32::from(self.places);
        (0..=u32::from(more)).map(move |step| {
            let place = (u32::from(first) + step) % places;
            i16::try_from(place).expect("a place is a positive smallint")
        })
    }
}

impl Located {
    pub(super) fn prefix(&self) -> &[u8] {
        self.key.get(..self.split).unwrap_or_default()
    }

    pub(super) fn tail(&self) -> &[u8] {
        self.tail.as_ref().map_or(&[], |tail| &tail[..])
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.key.get(self.split..).unwrap_or_default()
    }
}

impl Ord for Located {
    /// The order of rows in the primary key, in which all of them are locked.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.place, self.prefix(), self.tail()).cmp(&(other.place, other.prefix(), other.tail()))
    }
}

impl PartialOrd for Located {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the content of the column for a place.
pub(super) fn column(place: u16) -> i16 {
    i16::try_from(place).unwrap_or(i16::MAX)
}

/// Returns the key of one stripe of a counter.
pub(super) fn stripe_key(counter_key: &[u8], stripe: u64) -> Bytes {
    Bytes::from([counter_key, &stripe.to_be_bytes()].concat())
}

/// Returns a copy of the value of a row, as [`bytes_of`] tells it.
pub(super) fn value_of(
    row: &tokio_postgres::Row,
    value: usize,
    sum: usize,
) -> Result<Bytes, Error> {
    Ok(Bytes::from(bytes_of(row, value, sum)?.into_owned()))
}

/// Returns the value of a row: its bytes, or the number of a counter's stripe.
pub(super) fn bytes_of(
    row: &tokio_postgres::Row,
    value: usize,
    sum: usize,
) -> Result<Cow<'_, [u8]>, Error> {
    let bytes: Option<&[u8]> = row.try_get(value).map_err(unreadable)?;
    if let Some(bytes) = bytes {
        return Ok(Cow::Borrowed(bytes));
    }
    let sum: Option<i64> = row.try_get(sum).map_err(unreadable)?;
    sum.map(|sum| Cow::Owned(sum.to_le_bytes().to_vec()))
        .ok_or_else(|| Error::corrupt("a row with neither value nor sum", "the table entries"))
}

/// Returns the error for a row without the store's columns.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn unreadable(error: tokio_postgres::Error) -> Error {
    Error::corrupt(format!("a row of another form: {error}"), "the database")
}

/// Returns the first bytes of the SHA-256 of a rest.
pub(super) fn digest(rest: &[u8]) -> [u8; TAIL_BYTES] {
    let whole = Sha256::digest(rest);
    whole.first_chunk().copied().expect("SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_cut_where_the_index_ends() {
        let layout = Layout { placement: Placement::default(), places: 256, prefix_bytes: 20 };
        let short = layout.locate(Bytes::from(vec![7; 20]));
        assert_eq!((short.prefix().len(), short.tail().len(), short.rest().len()), (20, 0, 0));
        let long = layout.locate(Bytes::from(vec![7; 21]));
        assert_eq!((long.prefix().len(), long.tail().len(), long.rest().len()), (20, 16, 1));
        assert_eq!(long.prefix(), short.prefix());
        assert!(short < long);
    }
}
