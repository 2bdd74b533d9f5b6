//! How far a new index is filled, as stored beside it, and what that means for a write.
//!
//! An index is filled range by range in the order of the table's keys. Writes maintain its entries from
//! its creation on, but count only those of items that lie in what is filled: the filling counts the
//! others when it comes to them. To count each once, the filling claims a range first: no write to a
//! key of the range is decided until the claim is gone. What is then listed is all that there is, and
//! is filled and counted by the commit that gives the range back.
//!
//! Every write to a table with such an index reads this value in its commit, so it decides on what is
//! true of all servers. A claim whose owner has died is broken by a write that meets it again and again
//! (`write/claims.rs`); the owner, should it go on, finds its claim gone and begins the range anew.
//!
//! | stored | |
//! |---|---|
//! | `00` | everything is filled |
//! | `01`, key | everything up to this key, which may be empty: nothing yet |
//! | `02`, length of the key (u32 LE), key, token (u128 LE) | the same, and all that follows is claimed |
//! | `03`, length of the key (u32 LE), key, token (u128 LE), end | the same, up to this key |

use crate::layout;
use crate::schema::{Index, IndexId, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_storage::Key;

const ALL: u8 = 0;
const UP_TO: u8 = 1;
const REST_CLAIMED: u8 = 2;
const RANGE_CLAIMED: u8 = 3;

/// How far an index is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filled<'k> {
    /// The last key of what is filled, empty before the first; `None` when all is.
    pub(crate) to: Option<&'k [u8]>,
    /// The range that is being filled.
    pub(crate) claim: Option<Claim<'k>>,
}

/// A claim on what follows the filled range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim<'k> {
    /// Different for every claim.
    pub(crate) token: u128,
    /// Its last key; `None` when it reaches to the end.
    pub(crate) end: Option<&'k [u8]>,
}

/// A stored value that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl<'k> Filled<'k> {
    const NOTHING: Self = Self { to: Some(&[]), claim: None };

    /// Reads a stored value; without one nothing is filled yet.
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

    /// Returns it without a claim.
    pub(crate) fn unclaimed(self) -> Self {
        Self { claim: None, ..self }
    }

    /// Returns whether a key of the table lies in what is filled.
    pub(crate) fn reaches(&self, key: &[u8]) -> bool {
        self.to.is_none_or(|to| key <= to)
    }

    /// Returns whether a key of the table is claimed.
    pub(crate) fn claims(&self, key: &[u8]) -> bool {
        let is_before_end = |claim: Claim<'_>| claim.end.is_none_or(|end| key <= end);
        !self.reaches(key) && self.claim.is_some_and(is_before_end)
    }
}

/// An index that is being filled.
pub(crate) type Place = (TableId, IndexId);

/// Returns the key that says how far an index is filled.
pub(crate) fn key_of((table, index): Place) -> Key {
    layout::filling(table, index)
}

/// How far indexes are filled, as a commit found it.
#[derive(Debug)]
pub(crate) struct Fillings<'c> {
    /// In order.
    places: &'c [Place],
    /// One for each place.
    stored: &'c [Option<Bytes>],
    /// The same, read.
    filled: Vec<Filled<'c>>,
}

impl<'c> Fillings<'c> {
    /// Reads the values of the keys of some places, which are in order. Fails with the first key whose
    /// value is none.
    pub(crate) fn read(places: &'c [Place], stored: &'c [Option<Bytes>]) -> Result<Self, Key> {
        assert_eq!(places.len(), stored.len(), "each place has a key");
        let filled = places.iter().zip(stored).map(|(place, stored)| {
            Filled::decode(stored.as_deref()).map_err(|Unreadable| key_of(*place))
        });
        Ok(Self { places, stored, filled: filled.collect::<Result<_, Key>>()? })
    }

    /// Returns a claim on the item at a key of a table, with its key and as stored.
    pub(crate) fn claim_on(&self, table: TableId, item_key: &[u8]) -> Option<(Key, Bytes)> {
        let mut known = self.places.iter().zip(&self.filled);
        let nth = known.position(|(place, filled)| place.0 == table && filled.claims(item_key))?;
        let stored = self.stored[nth].clone()?;
        Some((key_of(self.places[nth]), stored))
    }

    /// Returns whether a write of the item at a key counts its entry in an index of its table.
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
