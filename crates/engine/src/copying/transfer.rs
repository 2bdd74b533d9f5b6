//! Writes pages of the source as commits of the target, a few at a time: first all entries, then
//! the writes since; in the end counters and stamps.
//!
//! Each commit may be done twice with the same result: puts repeat the same values, and a counter
//! is removed before its sum is added. So a commit of unknown outcome is tried again.

use super::commits::{COUNTERS_AT_ONCE, KEYS_AT_ONCE, commit, counters, put, remove, set, sums_of};
use super::origin::Origin;
use super::pages::{Pages, size_of};
use super::{Copied, CopyError, Counting};
use crate::change_log::decode_stream;
use crate::layout;
use hashrange_storage::{AnyStore, Batch, Bytes, Error, Key, KeyRange, Keys, Store};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// Commits under way at a time.
const COMMITS_AT_ONCE: usize = 4;
/// A copy under way.
pub(super) struct Transfer<'a> {
    source: &'a AnyStore,
    target: &'a AnyStore,
    pub(super) counting: Counting<'a>,
    /// Stamp of the last copied record, by the key prefix of each shard's records.
    shards: BTreeMap<Key, u64>,
}

type Committing<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

impl<'a> Transfer<'a> {
    pub(super) fn new(source: &'a AnyStore, target: &'a AnyStore, counting: Counting<'a>) -> Self {
        Self { source, target, counting, shards: BTreeMap::new() }
    }

    /// Copies all plain keys.
    pub(super) async fn copy_plain(&mut self, origin: &mut Origin<'_>) -> Result<(), CopyError> {
        self.copy_ranges(layout::plain_ranges(), origin).await.map(drop)
    }

    /// Copies some ranges and returns the number of their keys.
    async fn copy_ranges(
        &mut self,
        ranges: Vec<KeyRange>,
        origin: &mut Origin<'_>,
    ) -> Result<usize, CopyError> {
        let mut pages = Pages::new(self.source, ranges);
        let mut copied = 0;
        loop {
            origin.beat().await?;
            let (mut keys, mut bytes) = (0, 0);
            let mut commits: Vec<Committing<'_>> = Vec::with_capacity(COMMITS_AT_ONCE);
            while commits.len() < COMMITS_AT_ONCE {
                let Some(page) = pages.next().await.map_err(CopyError::Source)? else { break };
                for (prefix, stamp) in page.iter().filter_map(|(key, _)| layout::parse_record(key))
                {
                    let last = self.shards.entry(prefix.to_vec()).or_default();
                    *last = stamp.max(*last);
                }
                keys += page.len();
                bytes += size_of(&page);
                commits.push(Box::pin(put(self.target, page)));
            }
            if commits.is_empty() {
                return Ok(copied);
            }
            all(commits).await.map_err(CopyError::Target)?;
            self.counting.add(keys, bytes);
            copied += keys;
        }
    }

    /// Copies the current values of the keys that were noted in a generation that has ended, and
    /// removes the notes. Returns the number of keys.
    pub(super) async fn copy_noted(
        &mut self,
        generation: u64,
        origin: &mut Origin<'_>,
    ) -> Result<usize, CopyError> {
        let mut pages = Pages::new(self.source, vec![layout::notes_of(generation)]);
        let mut copied = 0;
        while let Some(page) = pages.next().await.map_err(CopyError::Source)? {
            origin.beat().await?;
            let noted = page.iter().filter_map(|(note, _)| layout::parse_note(note));
            let keys: Vec<Key> = noted.map(|(_, key)| key.to_vec()).collect();
            let mut bytes = 0;
            for keys in keys.chunks(KEYS_AT_ONCE * COMMITS_AT_ONCE) {
                let mut commits: Vec<Committing<'_>> = Vec::with_capacity(COMMITS_AT_ONCE);
                for keys in keys.chunks(KEYS_AT_ONCE) {
                    let values = self.source.get_many(keys).await.map_err(CopyError::Source)?;
                    bytes += values.iter().flatten().map(Bytes::len).sum::<usize>();
                    commits.push(Box::pin(set(self.target, keys, values)));
                }
                all(commits).await.map_err(CopyError::Target)?;
            }
            self.counting.add(keys.len(), bytes);
            copied += keys.len();
            let notes: Vec<Key> = page.into_iter().map(|(note, _)| note).collect();
            remove(self.source, &notes).await.map_err(CopyError::Source)?;
        }
        Ok(copied)
    }

    /// Copies the records of all shards that are newer than the copied ones, and returns their
    /// number.
    pub(super) async fn copy_records(
        &mut self,
        origin: &mut Origin<'_>,
    ) -> Result<usize, CopyError> {
        self.read_shards().await?;
        let newer = |(prefix, last): (&Key, &u64)| KeyRange {
            start: [&prefix[..], &last.saturating_add(1).to_be_bytes()].concat(),
            end: KeyRange::prefix(prefix).end,
        };
        let ranges = self.shards.iter().map(newer).collect();
        self.copy_ranges(ranges, origin).await
    }

    /// Copies counters; the source takes no more writes to them.
    pub(super) async fn copy_counters(&mut self) -> Result<(), CopyError> {
        let counters: Vec<Key> =
            counters(self.source).await.map_err(CopyError::Source)?.into_iter().collect();
        for keys in counters.chunks(COUNTERS_AT_ONCE) {
            let sums = sums_of(self.source, keys).await.map_err(CopyError::Source)?;
            let write = |_: &[Option<Bytes>], batch: &mut Batch| {
                for (key, sum) in keys.iter().zip(&sums) {
                    batch.remove_counter(key.clone());
                    batch.add(key.clone(), *sum);
                }
            };
            commit(self.target, &Keys::default(), write).await.map_err(CopyError::Target)?;
            self.counting.add(keys.len(), keys.iter().map(|key| key.len() + 8).sum());
        }
        Ok(())
    }

    /// Raises the stamps of all shards in the target, so that they continue after those of the
    /// source.
    pub(super) async fn raise_stamps(&mut self) -> Result<(), CopyError> {
        self.read_shards().await?;
        let last_stamp = self.source.last_stamp().await.map_err(CopyError::Source)?;
        let prefixes: Vec<Key> = self.shards.keys().cloned().collect();
        let raised = self.target.raise_stamps(&prefixes, last_stamp).await;
        if raised.map_err(CopyError::Target)? { Ok(()) } else { Err(CopyError::StampsBehind) }
    }

    pub(super) fn copied(&self) -> Copied {
        Copied { keys: self.counting.now.keys, bytes: self.counting.now.bytes }
    }

    /// Adds the shards of all streams to `shards`, also those whose records are all gone.
    async fn read_shards(&mut self) -> Result<(), CopyError> {
        let mut pages = Pages::new(self.source, vec![layout::streams()]);
        while let Some(page) = pages.next().await.map_err(CopyError::Source)? {
            for (key, stored) in page {
                let stream = decode_stream(&stored).map_err(|_| {
                    let key = key.escape_ascii();
                    CopyError::Unreadable(format!("the stream at key {key} cannot be read"))
                })?;
                for shard in &stream.shards {
                    self.shards.entry(stream.shard_prefix(shard)).or_default();
                }
            }
        }
        Ok(())
    }
}

/// Waits for all commits; returns the first failure.
async fn all(mut commits: Vec<Committing<'_>>) -> Result<(), Error> {
    let mut outcome = Ok(());
    std::future::poll_fn(|context| {
        commits.retain_mut(|commit| match commit.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(ended) => {
                if outcome.is_ok() {
                    outcome = ended;
                }
                false
            }
        });
        if commits.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outcome
}
