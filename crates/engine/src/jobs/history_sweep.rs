//! Removes the versions of items that are older than the retention of their table's history, a bounded
//! number in each commit.
//!
//! They are found by their moments, from the one up to which the last sweep came. That is noted in the
//! store in the commit that removes them, so that whoever reads the past learns how far back it reaches,
//! and no sweep walks over what was removed before.
//!
//! A version that is removed while another server puts one of the same item is guarded by the key of the
//! item's last change, which both declare. That key goes with the version of the last change: the next
//! change is later anyhow, as versions are removed a while after they have expired.

use super::{Background, Interruption, go_on};
use crate::core::Core;
use crate::layout;
use crate::schema::{HistoryState, Table};
use bytes::Bytes;
use hashrange_storage::{Batch, Direction, Error, Key, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const VERSIONS_PER_COMMIT: usize = 200;
/// So many commits a table has before others have their turn.
const TURNS: usize = 50;
/// For so long versions outlive their retention: a read that has begun goes on, and the clocks of servers
/// may differ.
const GRACE_MS: u64 = 5 * 60 * 1000;

/// Removes expired versions of all tables. Returns whether there are more.
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

/// Returns the moment up to which versions of a table are removed; none if it keeps all.
fn expired_ms<S: Store>(core: &Core<S>, table: &Table) -> Option<u64> {
    let record = table.record.history.as_ref();
    let record = record.filter(|record| record.state == HistoryState::Kept)?;
    let expired_ms = record.expired_ms((core.environment.now_ms)())?;
    expired_ms.checked_sub(GRACE_MS).filter(|at_ms| *at_ms >= record.since_ms)
}

/// Removes some expired versions, the oldest. Returns whether there may be more.
async fn remove_some<S: Store>(core: &Core<S>, table: &Arc<Table>) -> Result<bool, Interruption> {
    let progress = layout::history_progress(table.id());
    let Some(to_ms) = expired_ms(core, table) else { return Ok(false) };
    let view = core.store.view().await?;
    let from_ms = match view.get(&progress).await? {
        None => 0,
        Some(stored) => layout::decode_moment(&stored)
            .ok_or_else(|| Interruption::Unreadable(progress.clone()))?,
    };
    let expired = expired(&view, table, (from_ms, to_ms)).await?;
    let Some((_, last_ms)) = expired.last() else { return Ok(false) };
    let done = layout::encode_moment((*last_ms).max(from_ms));
    let mut marks: Vec<Key> = expired.iter().map(|(item, _)| layout::changed(item)).collect();
    marks.sort_unstable();
    marks.dedup();
    let keys = || marks.iter().cloned().chain([progress.clone()]).collect();
    let removed = core.commit_under(table, keys, |current, batch| {
        remove(&expired, &marks, current, batch);
        batch.put(progress.clone(), done.clone());
    });
    // A changed definition is followed by the next sweep.
    let is_removed = removed.await?.is_some();
    Ok(is_removed && expired.len() == VERSIONS_PER_COMMIT)
}

/// Returns the items and moments of some versions, the oldest first.
async fn expired<V: View>(
    view: &V,
    table: &Table,
    (from_ms, to_ms): (u64, u64),
) -> Result<Vec<(Key, u64)>, Error> {
    let mut expired = Vec::new();
    let range = layout::moments(table.id(), from_ms, to_ms);
    view.visit(range, Direction::Forward, Wanted::entries(VERSIONS_PER_COMMIT), |key, _| {
        expired.extend(layout::parse_moment(key));
        if expired.len() < VERSIONS_PER_COMMIT {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .await?;
    Ok(expired)
}

/// Removes versions, and of those that are the last ones of their items the marks, whose values are
/// `current`.
fn remove(expired: &[(Key, u64)], marks: &[Key], current: &[Option<Bytes>], batch: &mut Batch) {
    for (item, at_ms) in expired {
        batch.delete(layout::version(item, *at_ms));
        batch.delete(layout::moment(item, *at_ms));
        let mark = layout::changed(item);
        let stored = marks.binary_search(&mark).ok().and_then(|nth| current.get(nth));
        let changed_ms = stored.and_then(Option::as_deref).and_then(layout::decode_moment);
        if changed_ms == Some(*at_ms) {
            batch.delete(mark);
        }
    }
}
