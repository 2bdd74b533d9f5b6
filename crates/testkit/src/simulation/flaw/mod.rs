//! Faults planted to see that a simulation finds them: the effect of a commit on the store is
//! changed into its effect with the fault. Those of histories are in `history.rs`, those of key
//! templates in `derived.rs`.

mod derived;
mod history;

use derived::{kept_key, left_key, skipped_item};
use hashrange_storage::{Batch, Bytes, Image, Key};
use hashrange_wire::Operation;
use history::{greedy_sweep, lost_version, wrong_moment};

/// A fault planted to see that a simulation finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Some groups are acknowledged and published although they are not durable.
    Amnesia,
    /// A crash leaves half of a commit.
    TornCommit,
    /// Commits decide on published values, not on the newest.
    StaleDecision,
    /// A read that fails finds nothing, instead of saying so.
    BlindRead,
    /// A walk over a range misses its last entry now and then.
    ShortWalk,
    /// A read of several entries shows the first ones as they were when it began, the others as they
    /// are when it ends.
    TornView,
    /// The removal in the background, of deleted tables and indexes and of time to live that is
    /// turned off, leaves something behind.
    LeftBehind,
    /// The server's clock goes wrong now and then, by some minutes.
    HastyClock,
    /// A server never hears that others have changed definitions.
    StaleCatalogue,
    /// The heart of a server that has died goes on beating.
    UndyingHeart,
    /// A record of the change log takes its place before one that was there already.
    LateStamp,
    /// A change leaves no version of the item before it in its table's history.
    LostVersion,
    /// The version that a change leaves ends later than the change.
    WrongMoment,
    /// The sweep of expired versions removes those of the same item that have not expired, too.
    GreedySweep,
    /// Writes by one operation leave a derived attribute as it was.
    KeptKey(Operation),
    /// Writes by one operation leave a derived attribute where nothing is derived any more.
    LeftKey(Operation),
    /// The walk that rewrites the items of a table by a new template misses some.
    SkippedItem,
}

/// Effect with a fault of a commit that leads from one image to another, given the keys that it
/// declared.
type Leaves = Box<dyn Fn(&Image, &Image, &[Key]) -> Image>;

impl Flaw {
    /// Returns the number of commits of a thousand in which the fault shows, and its effect on
    /// them, if it is a fault of commits.
    pub(super) fn of_commits(self) -> Option<(usize, Leaves)> {
        let (per_mille, leaves): (usize, Leaves) = match self {
            Self::LeftBehind => (1000, Box::new(left_behind)),
            Self::GreedySweep => (1000, undeclared(greedy_sweep)),
            Self::LateStamp => (100, undeclared(late)),
            Self::LostVersion => (100, undeclared(lost_version)),
            Self::WrongMoment => (100, undeclared(wrong_moment)),
            Self::KeptKey(operation) => {
                (100, undeclared(move |before, after| kept_key(before, after, operation)))
            }
            Self::LeftKey(operation) => {
                (100, undeclared(move |before, after| left_key(before, after, operation)))
            }
            Self::SkippedItem => (100, undeclared(skipped_item)),
            Self::Amnesia
            | Self::TornCommit
            | Self::StaleDecision
            | Self::BlindRead
            | Self::ShortWalk
            | Self::TornView
            | Self::HastyClock
            | Self::StaleCatalogue
            | Self::UndyingHeart => return None,
        };
        Some((per_mille, leaves))
    }
}

/// Returns an effect that looks at the images alone.
fn undeclared(leaves: impl Fn(&Image, &Image) -> Image + 'static) -> Leaves {
    Box::new(move |before, after, _| leaves(before, after))
}

/// First byte of the keys of the change log, see docs/format.md.
const CHANGE_LOG: u8 = 0x20;

/// Returns `after`; a new record in the change log has changed places with the one before it in its
/// shard.
fn late(before: &Image, after: &Image) -> Image {
    let is_record = |key: &[u8]| key.first() == Some(&CHANGE_LOG);
    let mut new = after.entries().filter(|(key, _)| is_record(key) && before.get(key).is_none());
    let mut batch = Batch::new();
    if let Some((key, value)) = new.next() {
        let (shard, stamp) = key.split_at(key.len() - 8);
        let stamp = stamp.try_into().map(u64::from_be_bytes).unwrap_or_default();
        let earlier = before.entries().filter(|(other, _)| {
            other.starts_with(shard) && other.len() == key.len() && *other < key
        });
        if let Some((last, old)) = earlier.last().filter(|_| stamp > 0) {
            batch.put(last.to_vec(), Bytes::clone(value));
            batch.put(key.to_vec(), Bytes::clone(old));
        }
    }
    with(after, batch)
}

/// Returns `before` with half of the changes that lead to `after`.
pub(super) fn half_way(before: &Image, after: &Image) -> Image {
    let mut batch = Batch::new();
    let put = after.entries().filter(|(key, value)| before.get(key).as_ref() != Some(*value));
    let put: Vec<_> = put.collect();
    for (key, value) in put.iter().take(put.len().div_ceil(2)) {
        batch.put(key.to_vec(), Bytes::clone(value));
    }
    with(before, batch)
}

/// Returns `after`; of a commit with nothing but removals, one that no declared key names is
/// undone.
fn left_behind(before: &Image, after: &Image, declared: &[Key]) -> Image {
    let has_new = after.entries().any(|(key, value)| before.get(key).as_ref() != Some(value));
    let mut removed = before.entries().filter(|(key, _)| {
        after.get(key).is_none() && declared.iter().all(|declared| declared[..] != key[..])
    });
    let mut batch = Batch::new();
    if let Some((key, value)) = removed.next().filter(|_| !has_new) {
        batch.put(key.to_vec(), Bytes::clone(value));
    }
    with(after, batch)
}

/// Returns the new keys of a space in a commit.
fn put_in<'a>(
    space: u8,
    before: &'a Image,
    after: &'a Image,
) -> impl Iterator<Item = (&'a Bytes, &'a Bytes)> {
    let is_new = move |(key, value): &(&Bytes, &Bytes)| {
        key.first() == Some(&space) && before.get(key).as_ref() != Some(*value)
    };
    after.entries().filter(is_new)
}

fn with(image: &Image, batch: Batch) -> Image {
    let mut changed = image.clone();
    changed.apply(batch).expect("no counter is added to");
    changed
}
