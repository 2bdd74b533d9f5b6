//! Faults planted to see that a simulation finds them.

use hashrange_storage::{Batch, Bytes, Image, Key};

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
    /// What is removed in the background, of deleted tables and indexes and of time to live that is
    /// turned off, is not removed whole.
    LeftBehind,
    /// The server's clock goes wrong now and then, by some minutes.
    HastyClock,
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

/// Returns `after`; if it comes of nothing but removals, with one that no declared key names undone.
pub(super) fn left_behind(before: &Image, after: &Image, declared: &[Key]) -> Image {
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

fn with(image: &Image, batch: Batch) -> Image {
    let mut changed = image.clone();
    changed.apply(batch).expect("no counter is added to");
    changed
}
