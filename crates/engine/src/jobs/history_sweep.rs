//! Removes the versions of items that are older than the retention of their table's history, a
//! bounded number in each commit.
//!
//! The sweep finds them by their moments, from the one up to which the last sweep came. The commit
//! that removes versions stores that moment, so that readers of the past learn how far back the
//! history reaches, and no sweep walks over removed versions again.
//!
//! With a version the sweep removes all earlier versions of the item, whatever their moments are:
//! none of them is the item's state at a moment that can still be read.
//!
//! Another server may put a version of an item while a version of it is removed: the key of the
//! item's last change, which both commits declare, guards that. The sweep removes this key with the
//! version of the last change.

use super::{Background, Interruption, go_on};
use crate::core::Core;
use crate::history::entries::{self, Entry};
use crate::layout::{self, Stamp};
use crate::schema::{HistoryState, Table};
use bytes::Bytes;
use hashrange_storage::{Batch, Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const VERSIONS_PER_COMMIT: usize = 200;
/// Commits for a table before other tables have their turn.
const TURNS: usize = 50;
/// Time for which versions outlive their retention: a read under way goes on, and the clocks of
/// servers may differ.
const GRACE_MS: u64 = 5 * 60 * 1000;

/// Removes expired versions of all tables. Returns whether more are left.
pub(super) async fn run<S: Store>(
    background: &Background<S>,
    stopping: &AtomicBool,
) -> Result<bool, Interruption> {
    let core = &*background.core;
    let mut is_more = false;
    for table in core.catalog.all() {
        if expired_ms(core, &table).is_none() || !background.may_expire(table.id()) {
            continue;
        }
        let mut turns = 0;
        while remove_some(core, &table).await? {
            go_on(stopping)?;
            turns += 1;
            if turns == TURNS {
                is_more = true;
                break;
            }
        }
    }
    Ok(is_more)
}

/// Returns the moment up to which versions of a table are removed; `None` if it keeps all.
fn expired_ms<S: Store>(core: &Core<S>, table: &Table) -> Option<u64> {
    let record = table.record.history.as_ref();
    let record = record.filter(|record| record.state == HistoryState::Kept)?;
    let expired_ms = record.expired_ms((core.environment.now_ms)())?;
    expired_ms.checked_sub(GRACE_MS).filter(|at_ms| *at_ms >= record.since_ms)
}

/// Removes some expired versions, the oldest. Returns whether more may be left.
async fn remove_some<S: Store>(core: &Core<S>, table: &Arc<Table>) -> Result<bool, Interruption> {
    let progress = layout::history_progress(table.id());
    let Some(to_ms) = expired_ms(core, table) else { return Ok(false) };
    let view = core.store.view().await?;
    let from_ms = match view.get(&progress).await? {
        None => 0,
        Some(stored) => layout::decode_moment(&stored)
            .ok_or_else(|| Interruption::Unreadable(progress.clone()))?,
    };
    let Some(expired) = Expired::read(&view, table, (from_ms, to_ms)).await? else {
        return Ok(false);
    };
    let keys = || expired.last.keys().cloned().chain([progress.clone()]).collect();
    let removed = core.commit_under(table, keys, |marks, batch| {
        expired.remove(marks, batch);
        // Another server's sweep may have stored a later moment since.
        let noted = marks.last().and_then(|stored| layout::decode_moment(stored.as_deref()?));
        let done = expired.up_to_ms.max(noted.unwrap_or(0));
        batch.put(progress.clone(), layout::encode_moment(done));
    });
    // After a change of the definition the next sweep goes on.
    let is_removed = removed.await?.is_some();
    Ok(is_removed && expired.is_more)
}

/// Versions that a commit removes.
#[derive(Debug, Default)]
struct Expired {
    /// Keys of versions, and of their moments.
    keys: Vec<Key>,
    versions: usize,
    /// Stamp of the last removed version of each item, by the key of the item's last change.
    last: BTreeMap<Key, Stamp>,
    /// Moment after which no read needs a removed version.
    up_to_ms: u64,
    is_more: bool,
}

impl Expired {
    /// Reads some versions that expired between two moments, the oldest first; `None` if there are
    /// none.
    async fn read<V: View>(
        view: &V,
        table: &Table,
        (from_ms, to_ms): (u64, u64),
    ) -> Result<Option<Self>, Error> {
        let moments = some_keys(view, layout::moments(table.id(), from_ms, to_ms)).await?;
        let mut expired = Self { is_more: moments.len() == VERSIONS_PER_COMMIT, ..Self::default() };
        for key in &moments {
            let Some((item, at_ms)) = layout::parse_moment(key) else { continue };
            expired.up_to_ms = at_ms;
            if !expired.add(view, &item, at_ms).await? {
                expired.is_more = true;
                break;
            }
        }
        Ok((!moments.is_empty()).then_some(expired))
    }

    /// Adds the versions of an item up to that of its last change up to a moment. Returns false if
    /// one commit cannot take them all: then some are left.
    async fn add<V: View>(&mut self, view: &V, item: &Key, at_ms: u64) -> Result<bool, Error> {
        let (versions, mark) = (layout::versions_prefix(item), layout::changed(item));
        let (Some(Entry { until: last, .. }), _) =
            entries::last_up_to(view, &versions, at_ms).await?
        else {
            self.keys.push(layout::moment(item, at_ms));
            return Ok(true);
        };
        let removed = self.last.get(&mark).copied();
        let first = removed.map_or_else(|| versions.clone(), |last| behind(&versions, last));
        let range = KeyRange { start: first, end: Some(behind(&versions, last)) };
        let mut stamps: Vec<Stamp> = Vec::new();
        for key in some_keys(view, range).await? {
            stamps.extend(layout::split_stamp(&key).map(|(_, stamp)| stamp));
            self.keys.push(key);
        }
        let Some(removed) = stamps.last().copied().or(removed) else { return Ok(true) };
        self.versions += stamps.len();
        self.last.insert(mark, removed);
        let moments: BTreeSet<u64> = stamps.iter().map(|stamp| stamp.at_ms).collect();
        for at_ms in moments {
            if !entries::has_entry_of(view, &versions, Some(removed), at_ms).await? {
                self.keys.push(layout::moment(item, at_ms));
            }
        }
        Ok(removed == last && self.versions < VERSIONS_PER_COMMIT)
    }

    /// Removes the versions, and the marks of items whose last version is among them; `marks` are
    /// the stored values of the marks.
    fn remove(&self, marks: &[Option<Bytes>], batch: &mut Batch) {
        for key in &self.keys {
            batch.delete(key.clone());
        }
        for ((mark, last), stored) in self.last.iter().zip(marks) {
            if stored.as_deref().and_then(Stamp::decode) == Some(*last) {
                batch.delete(mark.clone());
            }
        }
    }
}

fn behind(versions: &[u8], stamp: Stamp) -> Key {
    [&layout::version_after(versions, Some(stamp))[..], &[0]].concat()
}

/// Returns the first keys of a range.
async fn some_keys<V: View>(view: &V, range: KeyRange) -> Result<Vec<Key>, Error> {
    let mut keys = Vec::new();
    view.visit(range, Direction::Forward, Wanted::entries(VERSIONS_PER_COMMIT), |key, _| {
        keys.push(key.to_vec());
        if keys.len() < VERSIONS_PER_COMMIT {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .await?;
    Ok(keys)
}
