//! The entries of one item, and the entry with its state at a moment.
//!
//! An item's state at a moment is the result of its last change up to that moment: the change with
//! the greatest stamp. Within an era moments grow with stamps, so reading the end of each era, the
//! last era first, finds that change; mostly there is one era.

use super::Version;
use crate::layout::{self, Stamp};
use bytes::Bytes;
use hashrange_storage::{Demand, Direction, Error, Key, KeyRange, View, Wanted, give_way};
use std::cmp::Ordering;
use std::ops::ControlFlow;

const LOOKS_PER_TURN: u64 = 64;

/// State of an item until a change.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Common key prefix of the item's entries.
    pub(crate) versions: Key,
    pub(crate) until: Stamp,
    pub(crate) version: Version,
}

impl Entry {
    pub(super) fn parse(key: &[u8], stored: &Bytes) -> Result<Self, Error> {
        let (versions, until) = layout::split_stamp(key).ok_or_else(|| no_entry(key))?;
        Ok(Self { versions: versions.to_vec(), until, version: decode(key, stored)? })
    }
}

pub(super) fn no_entry(key: &[u8]) -> Error {
    Error::corrupt("a key is of no entry of a history", key.escape_ascii().to_string())
}

pub(super) fn decode(key: &[u8], stored: &Bytes) -> Result<Version, Error> {
    Version::decode(stored).ok_or_else(|| {
        Error::corrupt("an entry of a history has another form", key.escape_ascii().to_string())
    })
}

/// Returns the entry with the state of an item at a moment; `None` if that is its present state.
/// `versions` is the common key prefix of its entries.
pub(super) async fn entry_at<V: View>(
    view: &V,
    versions: &[u8],
    at_ms: u64,
) -> Result<Option<Entry>, Error> {
    let (_, Some(later)) = last_up_to(view, versions, at_ms).await? else { return Ok(None) };
    one(view, KeyRange { start: later, ..KeyRange::prefix(versions) }, Direction::Forward).await
}

/// Returns the entry of the last change of an item up to a moment, and a key between it and the
/// entry of the first later change, if there is one.
pub(crate) async fn last_up_to<V: View>(
    view: &V,
    versions: &[u8],
    at_ms: u64,
) -> Result<(Option<Entry>, Option<Key>), Error> {
    let (mut range, mut later) = (KeyRange::prefix(versions), None);
    let mut looks = 0_u64;
    loop {
        match one(view, range.clone(), Direction::Backward).await? {
            Some(entry) if entry.until.at_ms > at_ms => {
                let after = Stamp::after(entry.until.era, at_ms);
                later = Some(layout::version_after(versions, Some(after)));
                range.end.clone_from(&later);
            }
            last => return Ok((last, later)),
        }
        looks += 1;
        if looks.is_multiple_of(LOOKS_PER_TURN) {
            give_way(Demand::Long).await;
        }
    }
}

/// Returns whether an item has an entry at a moment with a stamp later than a given one.
pub(crate) async fn has_entry_of<V: View>(
    view: &V,
    versions: &[u8],
    later_than: Option<Stamp>,
    at_ms: u64,
) -> Result<bool, Error> {
    let mut range = KeyRange::prefix(versions);
    if let Some(stamp) = later_than {
        range.start = [&layout::version_after(versions, Some(stamp))[..], &[0]].concat();
    }
    while let Some(Entry { until, .. }) = one(view, range.clone(), Direction::Forward).await? {
        let next = match until.at_ms.cmp(&at_ms) {
            Ordering::Equal => return Ok(true),
            Ordering::Less => Stamp { at_ms, nth: 0, ..until },
            Ordering::Greater => Stamp { era: until.era + 1, at_ms: 0, nth: 0 },
        };
        range.start = layout::version_after(versions, Some(next));
    }
    Ok(false)
}

/// Returns the first or the last entry of a range.
pub(crate) async fn one<V: View>(
    view: &V,
    range: KeyRange,
    direction: Direction,
) -> Result<Option<Entry>, Error> {
    let mut found = None;
    view.visit(range, direction, Wanted::entries(1), |key, stored| {
        found = Some(Entry::parse(key, &stored));
        ControlFlow::Break(())
    })
    .await?;
    found.transpose()
}
