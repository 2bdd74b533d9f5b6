//! Finds streams and reads the records of a shard.

use super::record::{ChangeRecord, Mark, Marked, decode, time_of};
use super::stream::{Shard, Stream};
use crate::{fault, layout};
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Direction, KeyRange, View, Wanted};
use std::ops::ControlFlow;

/// Returns the stream with a table name and a label.
pub(crate) async fn find_stream<V: View>(
    view: &V,
    table_name: &str,
    label: &str,
) -> ApiResult<Option<Stream>> {
    let stored = view.get(&layout::stream(table_name, label)).await.map_err(fault::of_store)?;
    stored.as_deref().map(decode_stream).transpose()
}

/// Returns the streams whose keys are in a range, at most `limit`.
pub(crate) async fn read_streams<V: View>(
    view: &V,
    range: KeyRange,
    limit: usize,
) -> ApiResult<Vec<Stream>> {
    let mut stored = Vec::new();
    view.visit(range, Direction::Forward, Wanted::entries(limit), |_, value| {
        stored.push(value);
        if stored.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .await
    .map_err(fault::of_store)?;
    stored.iter().map(|stored| decode_stream(stored)).collect()
}

/// Reads a stored stream.
pub(crate) fn decode_stream(stored: &[u8]) -> ApiResult<Stream> {
    let stream = serde_json::from_slice::<Stream>(stored);
    match stream {
        Ok(stream) if stream.version <= Stream::VERSION => Ok(stream),
        Ok(_) | Err(_) => {
            tracing::error!("a stored stream is damaged or from a newer release");
            Err(Reason::Internal.into())
        }
    }
}

/// Returns the stored form of a stream.
pub(crate) fn encode_stream(stream: &Stream) -> Bytes {
    Bytes::from(serde_json::to_vec(stream).expect("a stream has only string keys"))
}

/// First and last position of a shard, as commit stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardEnds {
    /// Stamp of the shard's first record.
    pub(crate) opened: u64,
    /// Stamp of the shard's last record, if the shard is closed.
    pub(crate) closed: Option<u64>,
    /// Next position: stamp after the last record, or stamp of the record that closes the shard.
    pub(crate) latest: u64,
}

/// Returns the ends of a shard.
pub(crate) async fn shard_ends<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
) -> ApiResult<ShardEnds> {
    let first = end_record(view, stream, shard, Direction::Forward).await?;
    let last = end_record(view, stream, shard, Direction::Backward).await?;
    let ((opened, _), (last, stored)) = first.zip(last).ok_or_else(unreadable)?;
    let is_closed = matches!(decode(&stored), Ok(Marked::Mark { mark: Mark::Closed, .. }));
    Ok(ShardEnds {
        opened,
        closed: is_closed.then_some(last),
        latest: if is_closed { last } else { last.max(shard.trimmed_to) + 1 },
    })
}

async fn end_record<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
    direction: Direction,
) -> ApiResult<Option<(u64, Bytes)>> {
    let range = KeyRange::prefix(&layout::shard_prefix(stream.table, stream.id, shard.number));
    first_of(view, range, direction).await
}

async fn first_of<V: View>(
    view: &V,
    range: KeyRange,
    direction: Direction,
) -> ApiResult<Option<(u64, Bytes)>> {
    let mut found = None;
    view.visit(range, direction, Wanted::entries(1), |key, value| {
        found = layout::stamp_of_change(key).map(|stamp| (stamp, value));
        ControlFlow::Break(())
    })
    .await
    .map_err(fault::of_store)?;
    Ok(found)
}

/// A page of a shard's records.
#[derive(Debug, Default)]
pub(crate) struct RecordsPage {
    /// Records with their commit stamps.
    pub(crate) records: Vec<(u64, ChangeRecord)>,
    /// Stamp at which the next page begins; `None` if the shard has ended.
    pub(crate) next: Option<u64>,
    /// Size of the records in their stored form.
    pub(crate) bytes: usize,
}

/// Reads the records of a shard from a commit stamp on, at most `limit` and, but for the first,
/// `limit_bytes` in their stored form.
pub(crate) async fn read_page<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
    from: u64,
    (limit, limit_bytes): (usize, usize),
) -> ApiResult<RecordsPage> {
    let mut page = RecordsPage { records: Vec::new(), next: Some(from), bytes: 0 };
    let mut is_sound = true;
    let range = range_from(stream, shard, from);
    // One more entry than fits: the record after the page, or the one that closes the shard.
    let wanted = Wanted { entries: limit.saturating_add(1), bytes: limit_bytes };
    view.visit(range, Direction::Forward, wanted, |key, value| {
        page.bytes += value.len();
        let is_full = page.records.len() == limit || page.bytes > limit_bytes;
        match (layout::stamp_of_change(key), decode(&value)) {
            (_, Ok(Marked::Mark { mark: Mark::Opened, .. })) => return ControlFlow::Continue(()),
            (_, Ok(Marked::Mark { mark: Mark::Closed, .. })) => page.next = None,
            (Some(_), Ok(Marked::Change(_))) if is_full && !page.records.is_empty() => {}
            (Some(stamp), Ok(Marked::Change(record))) => {
                assert!(page.next <= Some(stamp), "records are in the order of their stamps");
                page.records.push((stamp, record));
                page.next = Some(stamp + 1);
                return ControlFlow::Continue(());
            }
            (None, _) | (_, Err(_)) => is_sound = false,
        }
        ControlFlow::Break(())
    })
    .await
    .map_err(fault::of_store)?;
    if is_sound { Ok(page) } else { Err(unreadable()) }
}

fn range_from(stream: &Stream, shard: &Shard, from: u64) -> KeyRange {
    let end = KeyRange::prefix(&layout::shard_prefix(stream.table, stream.id, shard.number)).end;
    // Skips the keys of records that the trimming removed.
    let from = from.max(shard.trimmed_to + 1);
    KeyRange { start: layout::change(stream.table, stream.id, shard.number, from), end }
}

/// Returns the commit stamp of the first record written at or after a time, or the next stamp if no
/// record is as new. Records are in the order of their times as far as the clock went forward, so a
/// binary search finds the place.
pub(crate) async fn oldest_since<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
    ends: ShardEnds,
    since_ms: u64,
) -> ApiResult<u64> {
    let (mut low, mut high) = (ends.opened.max(shard.trimmed_to) + 1, ends.latest);
    while low < high {
        let middle = low + (high - low) / 2;
        let found = first_of(view, range_from(stream, shard, middle), Direction::Forward).await?;
        match found.and_then(|(stamp, stored)| Some((stamp, time_of(&stored)?))) {
            Some((stamp, at_ms)) if stamp < high && at_ms < since_ms => low = stamp + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

fn unreadable() -> hashrange_model::ApiError {
    tracing::error!("the change log is damaged or from a newer release");
    Reason::Internal.into()
}

/// Expired part of a shard.
#[derive(Debug, Default)]
pub(crate) struct Expired {
    /// The commit stamps of changes, oldest first.
    pub(crate) stamps: Vec<u64>,
    /// True if the shard is closed, its closing is as old, and no other changes are left in it.
    pub(crate) has_ended: bool,
}

impl Expired {
    /// Returns whether nothing has expired.
    pub(crate) fn is_nothing(&self) -> bool {
        self.stamps.is_empty() && !self.has_ended
    }
}

/// Returns at most `limit` records of a shard that were written at or before a time.
pub(crate) async fn expired_records<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
    expired_ms: u64,
    limit: usize,
) -> Result<Expired, hashrange_storage::Error> {
    let mut expired = Expired::default();
    let wanted = Wanted::entries(limit.saturating_add(1));
    view.visit(range_from(stream, shard, 0), Direction::Forward, wanted, |key, value| {
        let is_expired = time_of(&value).is_some_and(|at_ms| at_ms <= expired_ms);
        if !is_expired || expired.stamps.len() == limit {
            return ControlFlow::Break(());
        }
        match (layout::stamp_of_change(key), decode(&value)) {
            (_, Ok(Marked::Mark { mark: Mark::Opened, .. })) => {}
            (_, Ok(Marked::Mark { mark: Mark::Closed, .. })) => expired.has_ended = true,
            (Some(stamp), _) => expired.stamps.push(stamp),
            (None, _) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    })
    .await?;
    Ok(expired)
}
