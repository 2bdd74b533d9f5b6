//! The jobs under way as an operator sees them: their kind, their table, and how far they are as far as
//! this server knows it. A number that is not known is left out.

use super::{Background, Job};
use crate::core::Core;
use crate::fault;
use crate::index;
use crate::schema::{IndexId, Table, TimeToLiveState};
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shortest time for which a rate is told, milliseconds.
const RATE_AFTER_MS: u64 = 500;

/// Kind of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Adds existing items to a new index.
    IndexFill,
    /// Removes the entries of a deleted index.
    IndexRemoval,
    /// Removes the data of a deleted table.
    TableRemoval,
    /// Begins or ends time to live of a table.
    TimeToLive,
    /// Rewrites items by key templates.
    TemplateRewrite,
    /// Begins the history of a table, or removes it.
    History,
    /// Closes shards of a stream.
    StreamEnd,
    /// Removes what a copy of the database has left.
    CopyRemoval,
    /// Removes expired items.
    Expiry,
    /// Another process copies the database.
    Copy,
}

/// A job that waits, runs or is to be tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct JobSeen {
    /// The kind of work.
    pub kind: JobKind,
    /// Name of the table, if it is not deleted.
    pub table: Option<String>,
    /// Name of the index.
    pub index: Option<String>,
    /// Items, entries or keys done, if they are counted.
    pub done: Option<u64>,
    /// Number of all items, if it is known.
    pub of: Option<u64>,
    /// Items, entries or keys a second since the work began here.
    pub per_second: Option<f64>,
    /// Time when it was queued on this server, epoch milliseconds by the database's clock.
    pub started_at_ms: Option<u64>,
}

impl JobSeen {
    /// Returns a job of which nothing but its kind is known.
    pub fn of_kind(kind: JobKind) -> Self {
        let (table, index, done, of) = (None, None, None, None);
        Self { kind, table, index, done, of, per_second: None, started_at_ms: None }
    }

    /// Returns what was done a second between two moments; none if they are too near to each other.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub fn rate(done: u64, began_ms: u64, now_ms: u64) -> Option<f64> {
        let ms = now_ms.checked_sub(began_ms).filter(|ms| *ms >= RATE_AFTER_MS)?;
        Some(done as f64 * 1000.0 / ms as f64)
    }
}

/// Count of what a job has done.
#[derive(Debug, Default)]
pub(super) struct Tally {
    started_at_ms: u64,
    /// Time when the present attempt began; 0 before the first.
    began_at_ms: AtomicU64,
    /// Count at that time.
    base: AtomicU64,
    done: AtomicU64,
    /// True once something was counted.
    is_counted: AtomicBool,
    /// True if an earlier process did a part that is not counted.
    is_part: AtomicBool,
}

impl Tally {
    /// Returns the tally of a job that is queued now.
    pub(super) fn new(now_ms: u64) -> Self {
        Self { started_at_ms: now_ms, ..Self::default() }
    }

    /// Notes that an attempt begins.
    pub(super) fn begin(&self, now_ms: u64) {
        self.base.store(self.done.load(Relaxed), Relaxed);
        self.began_at_ms.store(now_ms, Relaxed);
    }

    /// Counts what was done.
    pub(super) fn add(&self, count: usize) {
        self.done.fetch_add(count as u64, Relaxed);
        self.is_counted.store(true, Relaxed);
    }

    /// Sets the count to a stored one, of which this attempt did a part.
    pub(super) fn set(&self, done: u64) {
        if !self.is_counted.swap(true, Relaxed) {
            self.base.store(done, Relaxed);
        }
        self.done.store(done, Relaxed);
    }

    /// Notes that the job goes on where another attempt ended whose count is not known.
    pub(super) fn goes_on(&self) {
        if !self.is_counted.load(Relaxed) {
            self.is_part.store(true, Relaxed);
        }
    }

    fn rate(&self, now_ms: u64) -> Option<f64> {
        let began_ms = self.began_at_ms.load(Relaxed);
        if began_ms == 0 || !self.is_counted.load(Relaxed) {
            return None;
        }
        let done = self.done.load(Relaxed).saturating_sub(self.base.load(Relaxed));
        JobSeen::rate(done, began_ms, now_ms)
    }
}

/// Tables whose expired items the sweep under way removes, and how many it has removed.
#[derive(Debug, Default)]
pub(super) struct Expired(Mutex<BTreeMap<String, (u64, u64)>>);

impl Expired {
    /// Counts removed items of a table.
    pub(super) fn add(&self, table: &str, count: usize, now_ms: u64) {
        if count > 0 {
            let mut tables = self.tables();
            let (_, done) = tables.entry(table.to_owned()).or_insert((now_ms, 0));
            *done += count as u64;
        }
    }

    /// Notes that the sweep has ended.
    pub(super) fn end(&self) {
        self.tables().clear();
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<String, (u64, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self, now_ms: u64) -> Vec<JobSeen> {
        let tables = self.tables();
        let seen = tables.iter().map(|(table, &(began_ms, done))| JobSeen {
            kind: JobKind::Expiry,
            table: Some(table.clone()),
            index: None,
            done: Some(done),
            of: None,
            per_second: JobSeen::rate(done, began_ms, now_ms),
            started_at_ms: Some(began_ms),
        });
        seen.collect()
    }
}

/// A job that has not ended, and its count.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) job: Job,
    pub(super) tally: Arc<Tally>,
}

/// Returns the jobs that have not ended, and the sweep and the copy under way.
pub(super) async fn jobs<S: Store>(background: &Background<S>) -> ApiResult<Vec<JobSeen>> {
    let core = &*background.core;
    let now_ms = (core.environment.now_ms)();
    let unfinished: Vec<(Job, Arc<Tally>)> = {
        let unfinished = background.unfinished();
        unfinished.iter().map(|one| (one.job.clone(), Arc::clone(&one.tally))).collect()
    };
    let tables = core.catalog.all();
    let mut seen = Vec::with_capacity(unfinished.len());
    for (job, tally) in unfinished {
        let table = tables.iter().find(|table| table.id() == job.table()).map(|table| &**table);
        let is_whole = !tally.is_part.load(Relaxed);
        let of = match table.filter(|table| is_whole && counts_items(&job, table)) {
            Some(table) => Some(items(core, table).await?),
            None => None,
        };
        seen.push(JobSeen {
            kind: kind(&job),
            table: name_of_table(&job, table),
            index: table.and_then(|table| index_name(&job, table)),
            done: tally.is_counted.load(Relaxed).then(|| tally.done.load(Relaxed)),
            of,
            per_second: tally.rate(now_ms),
            started_at_ms: Some(tally.started_at_ms),
        });
    }
    seen.extend(background.expired.seen(now_ms));
    if core.store.is_shared() && core.noting.is_on() {
        seen.push(JobSeen::of_kind(JobKind::Copy));
    }
    Ok(seen)
}

fn kind(job: &Job) -> JobKind {
    match job {
        Job::Backfill { .. } => JobKind::IndexFill,
        Job::Purge { index, .. } if *index == IndexId::BASE => JobKind::TableRemoval,
        Job::Purge { .. } => JobKind::IndexRemoval,
        Job::ExpiryIndex { .. } => JobKind::TimeToLive,
        Job::Rewrite { .. } => JobKind::TemplateRewrite,
        Job::History { .. } => JobKind::History,
        Job::CloseShards(_) => JobKind::StreamEnd,
        Job::RemoveNotes { .. } => JobKind::CopyRemoval,
    }
}

/// Returns whether a job counts each item of its table once.
fn counts_items(job: &Job, table: &Table) -> bool {
    match job {
        Job::Backfill { .. } | Job::Rewrite { .. } => true,
        Job::ExpiryIndex { .. } => {
            let record = table.record.time_to_live.as_ref();
            record.is_some_and(|record| record.state == TimeToLiveState::Enabling)
        }
        Job::Purge { .. } | Job::History { .. } | Job::CloseShards(_) | Job::RemoveNotes { .. } => {
            false
        }
    }
}

fn name_of_table(job: &Job, table: Option<&Table>) -> Option<String> {
    match job {
        Job::CloseShards(ended) => Some(ended.table_name.clone()),
        _ => table.map(|table| table.record.name.clone()),
    }
}

fn index_name(job: &Job, table: &Table) -> Option<String> {
    let (Job::Backfill { index, .. } | Job::Purge { index, .. }) = job else { return None };
    let known = table.record.indexes.iter().find(|known| known.id == *index);
    known.map(|known| known.name.clone())
}

async fn items<S: Store>(core: &Core<S>, table: &Table) -> ApiResult<u64> {
    let view = core.store.view().await.map_err(fault::of_store)?;
    let (items, _) = index::counts(&view, &table.record, IndexId::BASE).await?;
    Ok(u64::try_from(items).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_the_present_attempt() {
        let tally = Tally::new(1_000);
        assert_eq!(tally.rate(9_000), None, "it waits");
        tally.begin(10_000);
        assert_eq!(tally.rate(20_000), None, "nothing is counted");
        tally.add(300);
        assert_eq!(tally.rate(10_100), None, "too soon");
        assert_eq!(tally.rate(13_000), Some(100.0));
        tally.begin(20_000);
        tally.add(50);
        assert_eq!(tally.rate(21_000), Some(50.0));
        assert_eq!(tally.done.load(Relaxed), 350);
        assert_eq!(tally.rate(5), None, "the clock was set back");
    }

    #[test]
    fn a_job_that_goes_on_says_that_it_did_a_part() {
        let tally = Tally::new(0);
        tally.add(1);
        tally.goes_on();
        assert!(!tally.is_part.load(Relaxed), "this process did all");
        let tally = Tally::new(0);
        tally.goes_on();
        assert!(tally.is_part.load(Relaxed));
        let tally = Tally::new(0);
        tally.begin(1);
        tally.set(1_000);
        tally.set(1_500);
        assert_eq!(tally.rate(1_001), Some(500.0), "of what it did itself");
    }
}
