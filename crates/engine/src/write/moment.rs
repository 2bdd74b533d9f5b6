//! The moment of a commit that changes items of tables with a history: one moment for all of them,
//! and for each item the stamp that follows that of its last change, which is read under the lock
//! of its key. So stamps are in the order of an item's changes, whichever servers made them and
//! whatever their clocks show.
//!
//! The moment is the time of the server's clock. If the clock is a little behind the last change of
//! an item, as clocks of several servers are, the moment is that of the change: otherwise two
//! servers that change one item in turn would begin an era with each change.

use super::Write;
use super::numbered::Numbered;
use crate::layout::{self, Stamp};
use crate::schema::Table;
use bytes::Bytes;
use hashrange_storage::Key;

/// Milliseconds by which a clock can be behind without beginning an era.
const SKEW_MS: u64 = 100;

/// Returns the keys of the last changes of the items that keep a history, in the order of the
/// writes, followed by their versions.
pub(super) fn changed_keys<'w>(
    writes: &'w [(&Table, Write<'_>)],
    numbered: &'w Numbered<'_>,
) -> impl Iterator<Item = Key> + 'w {
    keeping(writes, numbered).map(|key| layout::changed(key))
}

/// Stamps of the changes in a commit.
#[derive(Debug)]
pub(super) struct Stamps<'w>(Vec<(&'w Key, Stamp)>);

impl<'w> Stamps<'w> {
    /// Returns the stamps of the writes of a commit. `current` has the values of the declared keys.
    ///
    /// Fails with the key of a value that is no stamp.
    pub(super) fn of_commit(
        writes: &'w [(&Table, Write<'_>)],
        numbered: &'w Numbered<'_>,
        current: &[Option<Bytes>],
        now_ms: impl FnOnce() -> u64,
    ) -> Result<Self, Key> {
        if keeping(writes, numbered).next().is_none() {
            return Ok(Self(Vec::new()));
        }
        let sized = writes.iter().filter(|(table, _)| table.has_local_index).count();
        let changed = current.get(writes.len() + sized..).unwrap_or_default();
        let mut last = Vec::with_capacity(writes.len());
        for (key, stored) in keeping(writes, numbered).zip(changed) {
            let stamp = stored
                .as_deref()
                .map(|stored| Stamp::decode(stored).ok_or_else(|| layout::changed(key)));
            last.push((key, stamp.transpose()?));
        }
        let now_ms = now_ms();
        let near = now_ms..=now_ms.saturating_add(SKEW_MS);
        let moments = last.iter().filter_map(|(_, stamp)| stamp.map(|stamp| stamp.at_ms));
        let at_ms = moments.filter(|at_ms| near.contains(at_ms)).max().unwrap_or(now_ms);
        let stamps = last.into_iter().map(|(key, last)| (key, Stamp::next(last, at_ms)));
        Ok(Self(stamps.collect()))
    }

    /// Returns the stamp of the change of an item that keeps a history.
    pub(super) fn of(&self, item_key: &Key) -> Stamp {
        let stamp = self.0.iter().find(|(key, _)| *key == item_key);
        stamp.expect("a write that history keeps has a stamp").1
    }
}

/// Returns the keys of the items that keep a history.
fn keeping<'w>(
    writes: &'w [(&Table, Write<'_>)],
    numbered: &'w Numbered<'_>,
) -> impl Iterator<Item = &'w Key> {
    let own = writes.iter().map(|(table, write)| (*table, &write.key.bytes));
    own.chain(numbered.keys()).filter(|(table, _)| table.keeps_history).map(|(_, key)| key)
}
