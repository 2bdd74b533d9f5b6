//! Removes expired records of the change log, then the closed shards and the ended streams that
//! have no records left.
//!
//! Each commit removes a bounded number of records and stores in the stream how far it was trimmed,
//! so that readers know which records they missed and no sweep reads a range twice.

use super::{Background, Interruption, go_on};
use crate::change_log::{
    RETENTION_MS, Stream, decode_stream, encode_stream, expired_records, read_streams,
};
use crate::core::Core;
use crate::layout;
use hashrange_storage::{KeyRange, Store, View};
use std::sync::atomic::{AtomicBool, Ordering};

/// Interval at which the logs are searched, milliseconds.
const INTERVAL_MS: u64 = 60 * 1000;
const RECORDS_PER_COMMIT: usize = 1000;
const STREAMS_PER_READ: usize = 100;

/// Returns whether the logs are to be searched, once for each interval.
pub(super) fn is_due<S: Store>(background: &Background<S>) -> bool {
    let now_ms = (background.core.environment.now_ms)();
    let is_due = now_ms.abs_diff(background.trimmed_at_ms.load(Ordering::Acquire)) >= INTERVAL_MS;
    if is_due {
        background.trimmed_at_ms.store(now_ms, Ordering::Release);
    }
    is_due
}

/// Makes the next sweep search the logs, whatever the interval.
pub(super) fn make_due<S: Store>(background: &Background<S>) {
    // Differs from every time by more than the interval.
    background.trimmed_at_ms.store(u64::MAX, Ordering::Release);
}

pub(super) async fn run<S: Store>(
    background: &Background<S>,
    stopping: &AtomicBool,
) -> Result<(), Interruption> {
    let core = &*background.core;
    let now_ms = (core.environment.now_ms)();
    let expired_ms = now_ms.saturating_sub(RETENTION_MS);
    let mut range = layout::streams();
    loop {
        let view = core.store.view().await?;
        let streams = read_streams(&view, range.clone(), STREAMS_PER_READ).await;
        let streams = streams.map_err(Interruption::Definition)?;
        let Some(last) = streams.last() else { return Ok(()) };
        range.start = [&last.store_key()[..], &[0]].concat();
        for stream in streams.iter().filter(|stream| background.may_expire(stream.table)) {
            let view = core.store.view().await?;
            for shard in &stream.shards {
                // Mostly nothing has expired: found out without holding up changes of definitions.
                if expired_records(&view, stream, shard, expired_ms, 1).await?.is_nothing() {
                    continue;
                }
                while trim(core, stream, shard.number, expired_ms).await? {
                    go_on(stopping)?;
                }
            }
            go_on(stopping)?;
        }
    }
}

/// Removes some expired records of a shard. Returns whether there may be more.
async fn trim<S: Store>(
    core: &Core<S>,
    stream: &Stream,
    number: u32,
    expired_ms: u64,
) -> Result<bool, Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let view = core.store.view().await?;
    let key = stream.store_key();
    let Some(stored) = view.get(&key).await? else { return Ok(false) };
    let Ok(mut stream) = decode_stream(&stored) else { return Ok(false) };
    let Some(shard) = stream.shards.iter().find(|shard| shard.number == number) else {
        return Ok(false);
    };
    let expired = expired_records(&view, &stream, shard, expired_ms, RECORDS_PER_COMMIT).await?;
    let mut removed: Vec<_> = expired
        .stamps
        .iter()
        .map(|stamp| layout::change(stream.table, stream.id, number, *stamp))
        .collect();
    if expired.has_ended {
        let all = KeyRange::prefix(&stream.shard_prefix(shard));
        removed.extend(super::purge::first_keys(&view, &all, RECORDS_PER_COMMIT).await?);
        stream.shards.retain(|shard| shard.number != number);
    } else if let Some(last) = expired.stamps.last() {
        let trimmed = stream.shards.iter_mut().find(|shard| shard.number == number);
        trimmed.expect("the shard was found").trimmed_to = *last;
    } else {
        return Ok(false);
    }
    let is_over = stream.shards.is_empty() && !stream.enabled;
    // If another server has changed the stream since, the caller searches it again.
    core.commit(
        || vec![key.clone()],
        |current, batch| {
            if current[0].as_ref() != Some(&stored) {
                return;
            }
            for key in &removed {
                batch.delete(key.clone());
            }
            if is_over {
                batch.delete(key.clone());
            } else {
                batch.put(key.clone(), encode_stream(&stream));
            }
        },
    )
    .await?;
    Ok(!expired.has_ended)
}
