//! Background jobs: filling new indexes, removing deleted tables and indexes, rewriting items by
//! key templates, beginning and ending histories, and closing shards to which no table writes any
//! more.
//!
//! The commit that makes a job due also records it in the store, so jobs survive a restart; each
//! works in small commits, so writes go on between. A job first waits until no write follows the
//! definition before the one that made it due. Jobs take turns on a few threads ([`lanes`]). A job
//! that fails, as while the disk is full, or that panics is tried again after a pause
//! ([`retries`]); every job continues where it was, or repeats steps that do no harm. Where several
//! servers share the store each table's work belongs to one server ([`servers`]), which finds the
//! work that others left in the store ([`due`]).
//!
//! One more thread, the [`timer`], runs the sweeps that are due by the clock ([`Jobs::sweep`]): it
//! removes expired data and moves streams to new shards. The parts of a sweep are independent: a
//! panic in one is logged and counted and does not stop the others.

mod backfill;
mod caught;
mod close_shards;
mod due;
mod expire;
mod expiry_index;
mod failures;
mod forgotten_copy;
mod history;
mod history_sweep;
mod lanes;
mod purge;
mod retries;
mod rewrite;
mod seen;
mod servers;
mod shards;
pub(crate) mod timer;
mod token_sweep;
mod trim;

use crate::change_log::EndedShards;
use crate::core::Core;
use crate::fault;
use crate::schema::{IndexId, TableId};
use caught::Panicked;
use failures::Failures;
use forgotten_copy::CopySeen;
use hashrange_model::{ApiError, ApiResult};
use hashrange_storage::{Error, Key, Store};
use lanes::{Lanes, Pace};
pub(crate) use purge::{KEYS_PER_COMMIT, first_keys};
use retries::{Attempt, Retries};
pub(crate) use rewrite::RewriteProgress;
use seen::{Expired, Tally, Unfinished};
pub use seen::{JobKind, JobSeen};
use servers::Servers;
pub use servers::{ServerSeen, ServersSeen};
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Kind of background work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Adds existing items to a new index.
    Backfill { table: TableId, index: IndexId },
    /// Removes every entry of an index; of the table and all its indexes if it is the base.
    Purge { table: TableId, index: IndexId },
    /// Fills or removes the expiry index of a table, whichever is under way.
    ExpiryIndex { table: TableId },
    /// Rewrites the items of a table by its key templates.
    Rewrite { table: TableId },
    /// Begins the history of a table, or removes it, whichever is under way.
    History { table: TableId },
    /// Closes the shards of a stream that its table, which may be gone, does not write to.
    CloseShards(EndedShards),
    /// Removes the notes that a copy of the database has left, up to a generation.
    RemoveNotes { last: u64 },
}

/// Reason why a job ended early.
#[derive(Debug)]
enum Interruption {
    /// The jobs are being stopped.
    Stopped,
    /// The store failed.
    Store(Error),
    /// The table's definition could not be changed.
    Definition(ApiError),
    /// The value at a key cannot be decoded.
    Unreadable(Key),
    /// The work has panicked.
    Panicked(Panicked),
}

impl fmt::Display for Interruption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => formatter.write_str("stopped"),
            Self::Store(error) => error.fmt(formatter),
            Self::Definition(error) => error.fmt(formatter),
            Self::Unreadable(key) => {
                write!(formatter, "what is stored at key {} is unreadable", key.escape_ascii())
            }
            Self::Panicked(panicked) => panicked.fmt(formatter),
        }
    }
}

impl From<Error> for Interruption {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl Job {
    /// Returns the kind of work, and the table and index for the log.
    fn subject(&self) -> (&'static str, String) {
        match self {
            Self::Backfill { table, index } => {
                ("filling of an index", format!("table {} index {}", table.0, index.0))
            }
            Self::Purge { table, index } => {
                ("removal of deleted data", format!("table {} index {}", table.0, index.0))
            }
            Self::ExpiryIndex { table } => ("change of time to live", format!("table {}", table.0)),
            Self::Rewrite { table } => ("rewriting by key templates", format!("table {}", table.0)),
            Self::History { table } => ("change of a history", format!("table {}", table.0)),
            Self::CloseShards(EndedShards { table_name, label, .. }) => {
                ("closing of shards", format!("table {table_name} stream {label}"))
            }
            Self::RemoveNotes { last } => {
                ("removal of a copy's notes", format!("generation {last}"))
            }
        }
    }

    /// Returns the table in whose turn the job runs.
    fn table(&self) -> TableId {
        match self {
            Self::Backfill { table, .. }
            | Self::Purge { table, .. }
            | Self::ExpiryIndex { table }
            | Self::Rewrite { table }
            | Self::History { table }
            | Self::CloseShards(EndedShards { table, .. }) => *table,
            // Work on the whole database, by one of the servers.
            Self::RemoveNotes { .. } => TableId(0),
        }
    }
}

/// Ready when an attempt has ended: done, failed or stopped.
pub(crate) type Ended = oneshot::Receiver<()>;

/// State that all background work shares: the core, and the records of failures, retries and
/// servers.
#[derive(Debug)]
pub(crate) struct Background<S: Store> {
    core: Arc<Core<S>>,
    failures: Failures,
    /// Jobs that have failed and are to be tried again.
    retries: Retries,
    /// Jobs that wait, run or are to be tried again; each as often as it was started.
    unfinished: Mutex<Vec<Unfinished>>,
    /// Items that the sweep under way has removed.
    expired: Expired,
    /// The other servers on the store.
    servers: Servers,
    /// The copy of the database by another process, as last seen.
    copy_seen: CopySeen,
    /// Time of the last search of the change logs for expired records, epoch milliseconds.
    trimmed_at_ms: AtomicU64,
    /// Held by the sweep under way: there is one at a time.
    sweeping: tokio::sync::Mutex<()>,
    /// Number of panics in background work.
    panics: AtomicU64,
}

/// The jobs under way.
#[derive(Debug)]
pub(crate) struct Jobs<S: Store> {
    lanes: Lanes,
    background: Arc<Background<S>>,
}

impl<S: Store> Jobs<S> {
    /// Returns the jobs of a core: none yet.
    pub(crate) fn new(core: Arc<Core<S>>) -> Self {
        let background = Background {
            core,
            failures: Failures::default(),
            retries: Retries::default(),
            unfinished: Mutex::default(),
            expired: Expired::default(),
            servers: Servers::default(),
            copy_seen: CopySeen::default(),
            trimmed_at_ms: AtomicU64::new(0),
            sweeping: tokio::sync::Mutex::new(()),
            panics: AtomicU64::new(0),
        };
        Self { lanes: Lanes::default(), background: Arc::new(background) }
    }

    /// Queues a job, or leaves it to the server to which its table belongs. The returned future is
    /// ready when the first attempt has ended, whatever its outcome, or when another server has the
    /// job.
    pub(crate) fn start(&self, job: Job) -> Ended {
        let (ends, ended) = oneshot::channel();
        if !self.background.servers.is_mine(&self.background.core, job.table()) {
            return ended;
        }
        let tally = Arc::new(Tally::new(self.now_ms()));
        self.background.unfinished().push(Unfinished { job: job.clone(), tally });
        self.queue(Attempt::first(job), Some(ends));
        ended
    }

    /// Queues the jobs that are recorded in the store, not yet queued here, and belong to this
    /// server.
    pub(crate) async fn look_for_work(&self) -> ApiResult<()> {
        let background = &self.background;
        for job in due::jobs(&background.core).await? {
            let is_known = background.unfinished().iter().any(|known| known.job == job);
            if !is_known {
                drop(self.start(job));
            }
        }
        Ok(())
    }

    /// Joins the servers that share the store, and queues the jobs that are due.
    pub(crate) async fn join(&self) -> ApiResult<()> {
        let background = &self.background;
        background.servers.beat(&background.core).await.map_err(fault::of_store)?;
        self.look_for_work().await
    }

    /// Shows the other servers that this one is alive, settles definitions in doubt, looks for
    /// recorded work that this server may not know of, and queues the failed jobs that are due
    /// again.
    pub(crate) async fn beat(&self) {
        let background = &self.background;
        let core = &background.core;
        let beaten = background.servers.beat(core).await;
        let is_divided_anew = *beaten.as_ref().unwrap_or(&false);
        background.failures.note("beat of the heart", "", beaten.map(drop));
        let given_up = forgotten_copy::give_up(background).await;
        background.failures.note("look at a copy", "", given_up);
        let settled = core.settle_definitions().await.and(core.refresh().await);
        background.failures.note("look at the definitions", "", settled);
        if core.may_lack_work() || is_divided_anew {
            let looked = self.look_for_work().await;
            if looked.is_err() {
                core.doubt_work();
            }
            background.failures.note("look for work", "", looked);
        }
        self.try_again();
    }

    /// Returns this server's knowledge of the servers that share the store.
    pub(crate) fn servers_seen(&self) -> Option<ServersSeen> {
        self.background.servers.servers_seen(&self.background.core)
    }

    /// Returns the servers that share the store, one by one.
    pub(crate) fn servers_list(&self) -> Vec<ServerSeen> {
        self.background.servers.list(&self.background.core)
    }

    /// Returns the jobs that have not ended.
    pub(crate) async fn seen(&self) -> ApiResult<Vec<JobSeen>> {
        seen::jobs(&self.background).await
    }

    /// Removes this server from those that share the store.
    pub(crate) async fn leave(&self) {
        let left = self.background.servers.leave(&self.background.core).await;
        self.background.failures.note("leave of the other servers", "", left);
    }

    /// Queues the jobs that have failed and are due again.
    fn try_again(&self) {
        let due = self.background.retries.take_due((self.background.core.environment.now_ms)());
        for attempt in due {
            self.queue(attempt, None);
        }
    }

    /// Queues an attempt. Dropping `ends`, even with a job that never begins, wakes the waiting
    /// caller.
    fn queue(&self, attempt: Attempt, ends: Option<oneshot::Sender<()>>) {
        let (table, background) = (attempt.job.table(), Arc::clone(&self.background));
        let tally = background.tally(&attempt.job);
        let make = |pace: Arc<Pace>| async move {
            make(&background, attempt, &pace).await;
            drop(ends);
        };
        self.lanes.queue(table, tally, make);
        if self.background.core.options.jobs_run {
            self.lanes.open();
        }
    }

    /// Runs the queued jobs where no thread does.
    pub(crate) async fn run_queued(&self) {
        self.lanes.run().await;
    }

    /// Interrupts the jobs and waits for the threads.
    pub(crate) fn stop(&self) {
        self.lanes.stop();
    }

    /// Closes shards that a change of definition has ended, at once or as a job. The caller holds
    /// `definitions`.
    pub(crate) async fn close_shards(&self, ended: EndedShards) {
        self.background.close_shards(ended).await;
    }

    /// Returns the time of the environment's clock.
    pub(crate) fn now_ms(&self) -> u64 {
        (self.background.core.environment.now_ms)()
    }

    /// Returns the number of panics in background work.
    pub(crate) fn panics(&self) -> u64 {
        self.background.panics.load(Ordering::Relaxed)
    }

    /// Runs some work to its end, or logs its panic.
    pub(crate) async fn log_panic(&self, work: impl Future<Output = ()>) {
        if let Err(panicked) = self.background.caught(work).await {
            tracing::error!(%panicked, "a sweep has failed; the next one follows");
        }
    }

    /// Sweeps everything that is due, and the change logs even if they were searched a moment ago.
    pub(crate) async fn sweep_all(&self) {
        let _one = self.background.sweeping.lock().await;
        trim::make_due(&self.background);
        sweep_alone(&self.background, &AtomicBool::new(false)).await;
    }

    /// Sweeps everything that is due; waits for another sweep under way first.
    pub(crate) async fn sweep(&self, stopping: &AtomicBool) {
        let _one = self.background.sweeping.lock().await;
        sweep_alone(&self.background, stopping).await;
    }
}

impl<S: Store> Background<S> {
    fn unfinished(&self) -> MutexGuard<'_, Vec<Unfinished>> {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tally of an unfinished job.
    fn tally(&self, job: &Job) -> Arc<Tally> {
        let unfinished = self.unfinished();
        let known = unfinished.iter().find(|known| known.job == *job);
        known.map(|known| Arc::clone(&known.tally)).unwrap_or_default()
    }

    /// Returns whether this server removes expired data of a table.
    fn may_expire(&self, table: TableId) -> bool {
        self.servers.trust_clock() && self.servers.is_mine(&self.core, table)
    }

    /// Removes a finished job from the unfinished ones.
    fn finish(&self, job: &Job) {
        let mut unfinished = self.unfinished();
        if let Some(nth) = unfinished.iter().position(|known| known.job == *job) {
            unfinished.swap_remove(nth);
        }
    }
}

/// Makes one attempt.
async fn make<S: Store>(background: &Background<S>, attempt: Attempt, pace: &Pace) {
    let core = &*background.core;
    pace.tally().begin((core.environment.now_ms)());
    let made = background.caught(async {
        // The job relies on all writes following the definition that made it due.
        core.store.sync().await?;
        match &attempt.job {
            Job::Backfill { table, index } => backfill::run(core, *table, *index, pace).await,
            Job::Purge { table, index } => purge::run(core, *table, *index, pace).await,
            Job::ExpiryIndex { table } => expiry_index::run(core, *table, pace).await,
            Job::Rewrite { table } => rewrite::run(core, *table, pace).await,
            Job::History { table } => history::run(core, *table, pace).await,
            Job::CloseShards(ended) => close_shards::run(core, ended).await,
            Job::RemoveNotes { last } => forgotten_copy::remove_notes(core, *last, pace).await,
        }
    });
    let ended = made.await.unwrap_or_else(|panicked| Err(Interruption::Panicked(panicked)));
    if matches!(ended, Err(Interruption::Stopped)) {
        return;
    }
    let (work, place) = attempt.job.subject();
    match ended {
        Ok(()) => background.finish(&attempt.job),
        Err(_) => background.retries.put_off(attempt, (core.environment.now_ms)()),
    }
    background.failures.note(work, &place, ended);
}

fn go_on(stopping: &AtomicBool) -> Result<(), Interruption> {
    if stopping.load(Ordering::Acquire) { Err(Interruption::Stopped) } else { Ok(()) }
}

async fn sweep_alone<S: Store>(background: &Background<S>, stopping: &AtomicBool) {
    loop {
        do_part(background, "succession of shards", shards::run(background)).await;
        let tokens = token_sweep::run(background, stopping);
        do_part(background, "removal of expired client request tokens", tokens).await;
        if trim::is_due(background) {
            fault::log_anew();
            let trimmed = trim::run(background, stopping);
            do_part(background, "removal of expired stream records", trimmed).await;
        }
        let expired =
            do_part(background, "sweep of expired items", expire::run(background, stopping)).await;
        let versions = history_sweep::run(background, stopping);
        let versions = do_part(background, "removal of expired versions", versions).await;
        if expired != Some(true) && versions != Some(true) {
            background.expired.end();
            return;
        }
    }
}

/// Runs a part of a sweep, whatever the outcome of the others. Returns its result, or `None` if it
/// failed.
async fn do_part<S: Store, T>(
    background: &Background<S>,
    work: &'static str,
    part: impl Future<Output = Result<T, Interruption>>,
) -> Option<T> {
    let done = background.caught(part).await;
    match done.unwrap_or_else(|panicked| Err(Interruption::Panicked(panicked))) {
        Ok(answer) => {
            background.failures.note(work, "", Ok::<(), Interruption>(()));
            Some(answer)
        }
        Err(Interruption::Stopped) => None,
        Err(error) => {
            background.failures.note(work, "", Err::<(), _>(error));
            None
        }
    }
}
