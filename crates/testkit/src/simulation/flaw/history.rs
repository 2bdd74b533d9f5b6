//! Faults of the versions that changes leave in the history of a table. Each leaves a history that
//! is whole by itself, so that only a client that knows the past can tell. The bytes are in
//! docs/format.md.

use super::{put_in, with};
use hashrange_storage::{Batch, Bytes, Image, Key};

/// First byte of the keys of versions.
const VERSIONS: u8 = 0x22;
/// First byte of the keys by which versions are found in the order of their moments.
const MOMENTS: u8 = 0x23;
/// First byte of the keys of the stamps of last changes.
const MARKS: u8 = 0x24;

/// Milliseconds by which a wrong moment is late.
const LATER_MS: u64 = 7_000;

/// A version of an item, from its key.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    table: [u8; 4],
    /// The item's key without its first seven bytes.
    item: Vec<u8>,
    /// Era, moment and number of the change that ended it.
    until: Stamp,
}

type Stamp = (u32, u64, u32);

fn stamp_bytes((era, at_ms, nth): Stamp) -> Vec<u8> {
    [&era.to_be_bytes()[..], &at_ms.to_be_bytes(), &nth.to_be_bytes()].concat()
}

impl Version {
    fn parse(key: &[u8]) -> Option<Self> {
        let (item, stamp) = key.split_last_chunk::<16>()?;
        let (era, rest) = stamp.split_first_chunk()?;
        let (at_ms, nth) = rest.split_first_chunk()?;
        let escaped = item.get(7..)?.strip_suffix(&[0, 0])?;
        let is_filler = |nth: &usize| *nth > 0 && escaped[*nth] == 0xFF && escaped[*nth - 1] == 0;
        let bytes = (0..escaped.len()).filter(|nth| !is_filler(nth));
        Some(Self {
            table: key.get(1..5)?.try_into().ok()?,
            item: bytes.map(|nth| escaped[nth]).collect(),
            until: (
                u32::from_be_bytes(*era),
                u64::from_be_bytes(*at_ms),
                u32::from_be_bytes(nth.try_into().ok()?),
            ),
        })
    }

    fn key(&self) -> Key {
        let mut key = [&[VERSIONS][..], &self.table, &[0, 0]].concat();
        for byte in &self.item {
            key.push(*byte);
            key.extend((*byte == 0).then_some(0xFF));
        }
        key.extend([0, 0]);
        key.extend(stamp_bytes(self.until));
        key
    }

    fn moment_key(&self) -> Key {
        [&[MOMENTS][..], &self.table, &self.until.1.to_be_bytes(), &self.item].concat()
    }

    fn mark_key(&self) -> Key {
        [&[MARKS][..], &self.table, &[0, 0], &self.item].concat()
    }

    fn is_of_item_of(&self, other: &Self) -> bool {
        self.table == other.table && self.item == other.item
    }
}

/// Returns the versions that a commit has added.
fn left<'a>(before: &'a Image, after: &'a Image) -> impl Iterator<Item = Version> + use<'a> {
    put_in(VERSIONS, before, after).filter_map(|(key, _)| Version::parse(key))
}

/// Returns `after` without the versions that the commit has added.
pub(super) fn lost_version(before: &Image, after: &Image) -> Image {
    let mut batch = Batch::new();
    for version in left(before, after) {
        batch.delete(version.key());
        batch.delete(version.moment_key());
        match before.get(&version.mark_key()) {
            Some(mark) => batch.put(version.mark_key(), mark),
            None => batch.delete(version.mark_key()),
        }
    }
    with(after, batch)
}

/// Returns `after` with a later moment of the first version that the commit has added.
pub(super) fn wrong_moment(before: &Image, after: &Image) -> Image {
    let Some(version) = left(before, after).next() else { return after.clone() };
    let stored = after.get(&version.key()).unwrap_or_default();
    let mut batch = Batch::new();
    batch.delete(version.key());
    batch.delete(version.moment_key());
    let (era, at_ms, nth) = version.until;
    let late = Version { until: (era, at_ms + LATER_MS, nth), ..version };
    batch.put(late.key(), stored);
    batch.put(late.moment_key(), Bytes::new());
    batch.put(late.mark_key(), stamp_bytes(late.until).into());
    with(after, batch)
}

/// Returns `after`; if the commit has removed a version and kept others of its item, without the
/// others.
pub(super) fn greedy_sweep(before: &Image, after: &Image) -> Image {
    let versions = before.entries().filter(|(key, _)| key.first() == Some(&VERSIONS));
    let parsed = versions.filter_map(|(key, _)| Some((key, Version::parse(key)?)));
    let all: Vec<(&Bytes, Version)> = parsed.collect();
    let removed = all.iter().find(|(key, _)| after.get(key).is_none());
    let mut batch = Batch::new();
    if let Some((_, removed)) = removed {
        for (_, version) in all.iter().filter(|(_, version)| version.is_of_item_of(removed)) {
            batch.delete(version.key());
            batch.delete(version.moment_key());
            batch.delete(version.mark_key());
        }
    }
    with(after, batch)
}
