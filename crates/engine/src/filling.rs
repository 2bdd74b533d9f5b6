//! Progress of filling a new index, stored beside the index, and its effect on writes.
//!
//! A job fills an index range by range in the order of the table's keys. Writes maintain its
//! entries from its creation on, but count only those of items that lie in the filled range: the
//! job counts the others when it reaches them. To count each once, the job first claims a range: no
//! write to a key of the range is decided until the claim is gone. The job then lists the items of
//! the range, and the commit that gives up the claim fills and counts their entries.
//!
//! Every write to a table with such an index reads this value in its commit, so it decides on the
//! state that all servers share. A write that meets the claim of a dead owner again and again
//! breaks the claim (`write/claims.rs`); the owner, if it goes on, finds its claim gone and starts
//! the range again.
//!
//! | stored | |
//! |---|---|
//! | `00` | everything is filled |
//! | `01`, key | everything up to this key is filled; nothing if the key is empty |
//! | `02`, length of the key (u32 LE), key, token (u128 LE) | as `01`, and the rest is claimed |
//! | `03`, length of the key (u32 LE), key, token (u128 LE), end | as `01`; claimed up to `end` |

use crate::layout;
use crate::schema::{Index, IndexId, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_storage::Key;

const ALL: u8 = 0;
const UP_TO: u8 = 1;
const REST_CLAIMED: u8 = 2;
const RANGE_CLAIMED: u8 = 3;

/// Progress of filling an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filled<'k> {
    /// Last key of the filled range, empty if nothing is filled; `None` if everything is.
    pub(crate) to: Option<&'k [u8]>,
    /// Claim on the range that is being filled.
    pub(crate) claim: Option<Claim<'k>>,
}

/// Claim on a range that follows the filled one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim<'k> {
    /// Random number, different for every claim.
    pub(crate) token: u128,
    /// Last key of the claimed range; `None` if the range reaches to the end.
    pub(crate) end: Option<&'k [u8]>,
}

/// A stored value of an unknown form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl<'k> Filled<'k> {
    const NOTHING: Self = Self { to: Some(&[]), claim: None };

    /// Reads a stored value; a missing value means that nothing is filled.
    pub(crate) fn decode(stored: Option<&'k [u8]>) -> Result<Self, Unreadable> {
        let Some(stored) = stored else { return Ok(Self::NOTHING) };
        let (kind, rest) = stored.split_first().ok_or(Unreadable)?;
        match *kind {
            ALL if rest.is_empty() => Ok(Self { to: None, claim: None }),
            UP_TO => Ok(Self { to: Some(rest), claim: None }),
            REST_CLAIMED | RANGE_CLAIMED => {
                let (length, rest) = rest.split_first_chunk().ok_or(Unreadable)?;
                let length = usize::try_from(u32::from_le_bytes(*length)).or(Err(Unreadable))?;
                let (to, rest) = rest.split_at_checked(length).ok_or(Unreadable)?;
                let (token, end) = rest.split_first_chunk().ok_or(Unreadable)?;
                let token = u128::from_le_bytes(*token);
                let end = (*kind == RANGE_CLAIMED).then_some(end);
                Ok(Self { to: Some(to), claim: Some(Claim { token, end }) })
            }
            _ => Err(Unreadable),
        }
    }

    /// Returns the stored form.
    pub(crate) fn encode(&self) -> Bytes {
        let Some(to) = self.to else { return Bytes::from_static(&[ALL]) };
        let Some(claim) = self.claim else { return [&[UP_TO], to].concat().into() };
        let kind = if claim.end.is_some() { RANGE_CLAIMED } else { REST_CLAIMED };
        let length = u32::try_from(to.len()).expect("a key has some kilobytes").to_le_bytes();
        let token = claim.token.to_le_bytes();
        [&[kind], &length[..], to, &token, claim.end.unwrap_or_default()].concat().into()
    }

    /// Returns this progress without a claim.
    pub(crate) fn unclaimed(self) -> Self {
        Self { claim: None, ..self }
    }

    /// Returns whether a key of the table lies in the filled range.
    pub(crate) fn reaches(&self, key: &[u8]) -> bool {
        self.to.is_none_or(|to| key <= to)
    }

    /// Returns whether a key of the table lies in the claimed range.
    pub(crate) fn claims(&self, key: &[u8]) -> bool {
        let is_before_end = |claim: Claim<'_>| claim.end.is_none_or(|end| key <= end);
        !self.reaches(key) && self.claim.is_some_and(is_before_end)
    }
}

/// An index that is being filled.
pub(crate) type FillingIndex = (TableId, IndexId);

/// Returns the store key of an index's progress.
pub(crate) fn key_of((table, index): FillingIndex) -> Key {
    layout::filling(table, index)
}

/// Progress of indexes, as a commit read it.
#[derive(Debug)]
pub(crate) struct Fillings<'c> {
    /// Indexes that are being filled, in order.
    places: &'c [FillingIndex],
    /// Stored value for each place.
    stored: &'c [Option<Bytes>],
    /// Decoded value for each place.
    filled: Vec<Filled<'c>>,
}

impl<'c> Fillings<'c> {
    /// Decodes the values of the keys of some places, which are in order. Fails with the first key
    /// whose value is unreadable.
    pub(crate) fn read(
        places: &'c [FillingIndex],
        stored: &'c [Option<Bytes>],
    ) -> Result<Self, Key> {
        assert_eq!(places.len(), stored.len(), "each place has a key");
        let filled = places.iter().zip(stored).map(|(place, stored)| {
            Filled::decode(stored.as_deref()).map_err(|Unreadable| key_of(*place))
        });
        Ok(Self { places, stored, filled: filled.collect::<Result<_, Key>>()? })
    }

    /// Returns the claim on the item at a key of a table: the key and the value that hold the
    /// claim.
    pub(crate) fn claim_on(&self, table: TableId, item_key: &[u8]) -> Option<(Key, Bytes)> {
        let mut known = self.places.iter().zip(&self.filled);
        let nth = known.position(|(place, filled)| place.0 == table && filled.claims(item_key))?;
        let stored = self.stored[nth].clone()?;
        Some((key_of(self.places[nth]), stored))
    }

    /// Returns whether a write of the item at a key has to count its entry in an index of its
    /// table.
    pub(crate) fn counts(&self, table: &Table, index: &Index, item_key: &[u8]) -> bool {
        let known = || self.places.binary_search(&(table.id(), index.id));
        index.state == IndexState::Active
            || known().is_ok_and(|nth| self.filled[nth].reaches(item_key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_as_it_was_written() {
        for to in [Some(&b""[..]), Some(b"m"), Some(&[0; 9000])] {
            for end in [None, Some(&b"t"[..])] {
                for claim in [None, Some(Claim { token: 7, end })] {
                    let filled = Filled { to, claim };
                    assert_eq!(Filled::decode(Some(&filled.encode())), Ok(filled));
                }
            }
        }
        let all = Filled { to: None, claim: None };
        assert_eq!(Filled::decode(Some(&all.encode())), Ok(all));
        assert_eq!(Filled::decode(None), Ok(Filled::NOTHING));
    }

    #[test]
    fn no_bytes_are_read_as_what_they_are_not() {
        let claimed = Filled { to: Some(b"m"), claim: Some(Claim { token: 7, end: None }) };
        let whole = claimed.encode();
        for cut in 2..whole.len() {
            assert_eq!(Filled::decode(Some(&whole[..cut])), Err(Unreadable), "{cut}");
        }
        for wrong in [&[][..], &[ALL, 0], &[4], &[255, 1]] {
            assert_eq!(Filled::decode(Some(wrong)), Err(Unreadable), "{wrong:?}");
        }
    }

    #[test]
    fn a_key_is_filled_claimed_or_neither() {
        let keys = [&b"a"[..], b"m", b"n", b"t", b"u"];
        let cases = [
            (Filled::NOTHING, "-----"),
            (Filled { to: None, claim: None }, "fffff"),
            (Filled { to: Some(b"m"), claim: None }, "ff---"),
            (Filled { to: Some(b"m"), claim: Some(Claim { token: 1, end: None }) }, "ffccc"),
            (Filled { to: Some(b"m"), claim: Some(Claim { token: 1, end: Some(b"t") }) }, "ffcc-"),
            (Filled { to: Some(b""), claim: Some(Claim { token: 1, end: Some(b"m") }) }, "cc---"),
        ];
        for (filled, expected) in cases {
            let state = |key: &&[u8]| match (filled.reaches(key), filled.claims(key)) {
                (true, false) => 'f',
                (false, true) => 'c',
                (false, false) => '-',
                (true, true) => '!',
            };
            assert_eq!(keys.iter().map(state).collect::<String>(), expected, "{filled:?}");
        }
    }
}
