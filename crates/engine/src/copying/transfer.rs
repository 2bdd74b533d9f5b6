//! Pages of the source become commits of the target, a few at a time; then counters, then stamps.
//!
//! Each commit may be done twice: puts are the same again, a counter is removed before its sum is added. So
//! one whose outcome nobody knows is tried again.

use super::pages::{Page, Pages, size_of};
use super::{Copied, CopyError, Counting};
use crate::change_log::decode_stream;
use crate::layout;
use hashrange_storage::{AnyStore, Batch, Bytes, Error, Key, KeyRange, Keys, Store, View};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// Commits under way at a time.
const COMMITS_AT_ONCE: usize = 4;
/// Counters read and written at once.
pub(super) const COUNTERS_AT_ONCE: usize = 200;
/// How often a commit is tried.
const ATTEMPTS_MAX: usize = 5;

/// A copy under way.
pub(super) struct Transfer<'a> {
    target: &'a AnyStore,
    counting: Counting<'a>,
    /// What the keys of records begin with.
    prefixes: BTreeSet<Key>,
}

type Committing<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

impl<'a> Transfer<'a> {
    pub(super) fn new(target: &'a AnyStore, counting: Counting<'a>) -> Self {
        Self { target, counting, prefixes: BTreeSet::new() }
    }

    /// Copies all that `from` shows. Stamps of the target go on after `last_stamp`.
    pub(super) async fn run<V: View>(
        &mut self,
        from: &V,
        last_stamp: u64,
    ) -> Result<Copied, CopyError> {
        self.copy_plain(from).await?;
        self.copy_counters(from).await?;
        self.read_shards(from).await?;
        let prefixes: Vec<Key> = std::mem::take(&mut self.prefixes).into_iter().collect();
        let raised = self.target.raise_stamps(&prefixes, last_stamp).await;
        if !raised.map_err(CopyError::Target)? {
            return Err(CopyError::StampsBehind);
        }
        Ok(Copied { keys: self.counting.now.keys, bytes: self.counting.now.bytes })
    }

    async fn copy_plain<V: View>(&mut self, from: &V) -> Result<(), CopyError> {
        let mut pages = Pages::new(from, layout::plain_ranges());
        loop {
            let (mut keys, mut bytes) = (0, 0);
            let mut commits: Vec<Committing<'_>> = Vec::with_capacity(COMMITS_AT_ONCE);
            while commits.len() < COMMITS_AT_ONCE {
                let Some(page) = pages.next().await.map_err(CopyError::Source)? else { break };
                keys += page.len();
                bytes += size_of(&page);
                commits.push(Box::pin(put(self.target, page)));
            }
            if commits.is_empty() {
                return Ok(());
            }
            all(commits).await.map_err(CopyError::Target)?;
            self.counting.add(keys, bytes);
        }
    }

    async fn copy_counters<V: View>(&mut self, from: &V) -> Result<(), CopyError> {
        let counters: Vec<Key> =
            counters(from).await.map_err(CopyError::Source)?.into_iter().collect();
        for keys in counters.chunks(COUNTERS_AT_ONCE) {
            let sums = from.sums(keys).await.map_err(CopyError::Source)?;
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

    /// Notes the shards of all streams, also those whose records are gone.
    async fn read_shards<V: View>(&mut self, from: &V) -> Result<(), CopyError> {
        let mut pages = Pages::new(from, vec![layout::streams()]);
        while let Some(page) = pages.next().await.map_err(CopyError::Source)? {
            for (key, stored) in page {
                let stream = decode_stream(&stored).map_err(|_| {
                    let key = key.escape_ascii();
                    CopyError::Unreadable(format!("the stream at key {key} cannot be read"))
                })?;
                let shards = stream.shards.iter();
                self.prefixes.extend(shards.map(|shard| stream.shard_prefix(shard)));
            }
        }
        Ok(())
    }
}

/// Returns the keys of all counters.
pub(super) async fn counters<V: View>(view: &V) -> Result<BTreeSet<Key>, Error> {
    let mut keys = BTreeSet::new();
    let range: KeyRange = layout::counters();
    let mut pages = Pages::new(view, vec![range]);
    while let Some(page) = pages.next().await? {
        keys.extend(page.iter().filter_map(|(shown, _)| layout::counter_of(shown)));
    }
    Ok(keys)
}

/// Puts the entries of a page.
async fn put(target: &AnyStore, page: Page) -> Result<(), Error> {
    commit(target, &Keys::default(), |_, batch| {
        for (key, value) in &page {
            batch.put(key.clone(), value.clone());
        }
    })
    .await
}

/// Commits what may be done twice: tries again what has failed for the moment.
pub(super) async fn commit(
    target: &AnyStore,
    keys: &Keys,
    mut write: impl FnMut(&[Option<Bytes>], &mut Batch) + Send,
) -> Result<(), Error> {
    for _ in 1..ATTEMPTS_MAX {
        match target.commit(keys.clone(), &mut write).await {
            Err(Error::Conflict | Error::Unavailable { .. }) => {}
            ended => return ended,
        }
    }
    target.commit(keys.clone(), &mut write).await
}

/// Waits for all commits; the first failure is the answer.
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
