//! Background jobs: filling of new indexes, the removal of deleted tables and indexes, the closing of
//! shards that nothing is written to any more.
//!
//! What is to be done is recorded in the store in the commit that makes it due, so jobs survive a
//! restart; each works in small commits, so writes go on between. A job waits first until no write
//! follows the definition before the one that made it due. Jobs take turns on a few threads
//! ([`lanes`]). A job that fails, as while the disk is full, or that panics is tried again after a
//! pause ([`retries`]); every job goes on where it was, or does over what does no harm.
//!
//! One more thread, the [`timer`], does what is due by the clock ([`sweep`]): it removes what has
//! expired and moves streams to new shards. Each part of that work is done by itself: a panic in one
//! is logged and counted and leaves the others alone.

mod backfill;
mod caught;
mod close_shards;
pub(crate) mod complaints;
mod expire;
mod expiry_index;
mod lanes;
mod purge;
pub(crate) mod retries;
mod shards;
pub(crate) mod timer;
mod token_sweep;
mod trim;

use crate::engine::Core;
use crate::fault;
use crate::schema::{IndexId, TableId};
use caught::Panicked;
use hashrange_model::ApiError;
use hashrange_storage::{Error, Key, Store};
use lanes::{Lanes, Pace};
use retries::Attempt;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// Something to do in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Adds existing items to a new index.
    Backfill { table: TableId, index: IndexId },
    /// Removes every entry of an index; of the table and all its indexes if it is the base.
    Purge { table: TableId, index: IndexId },
    /// Fills or removes the expiry index of a table, whichever is under way.
    ExpiryIndex { table: TableId },
    /// Closes the shards of a stream that its table, which may be gone, does not write to.
    CloseShards { table: TableId, table_name: String, label: String },
}

/// Why a job ended early.
#[derive(Debug)]
enum Interruption {
    /// The jobs are being stopped.
    Stopped,
    /// The store failed.
    Store(Error),
    /// The table's definition could not be changed.
    Definition(ApiError),
    /// What is stored at a key cannot be read.
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
    /// Returns what it does, and for which table and index.
    fn subject(&self) -> (&'static str, String) {
        match self {
            Self::Backfill { table, index } => {
                ("filling of an index", format!("table {} index {}", table.0, index.0))
            }
            Self::Purge { table, index } => {
                ("removal of deleted data", format!("table {} index {}", table.0, index.0))
            }
            Self::ExpiryIndex { table } => ("change of time to live", format!("table {}", table.0)),
            Self::CloseShards { table_name, label, .. } => {
                ("closing of shards", format!("table {table_name} stream {label}"))
            }
        }
    }

    /// Returns the table whose turn it is when the job goes on.
    fn table(&self) -> TableId {
        match self {
            Self::Backfill { table, .. }
            | Self::Purge { table, .. }
            | Self::ExpiryIndex { table }
            | Self::CloseShards { table, .. } => *table,
        }
    }
}

/// Ready when an attempt has ended: done, failed or stopped.
pub(crate) type Ended = oneshot::Receiver<()>;

/// The jobs under way.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    lanes: Lanes,
}

impl Jobs {
    /// Queues a job. What it returns is ready when the first attempt has ended, in whatever way.
    pub(crate) fn start<S: Store>(&self, core: &Arc<Core<S>>, job: Job) -> Ended {
        let (ends, ended) = oneshot::channel();
        self.queue(core, Attempt::first(job), Some(ends));
        ended
    }

    /// Queues the jobs that have failed and are due again.
    pub(crate) fn try_again<S: Store>(&self, core: &Arc<Core<S>>) {
        let due = core.retries.take_due((core.environment.now_ms)());
        for attempt in due {
            self.queue(core, attempt, None);
        }
    }

    /// Dropping `ends`, with the job if that is not even begun, tells who waits.
    fn queue<S: Store>(
        &self,
        core: &Arc<Core<S>>,
        attempt: Attempt,
        ends: Option<oneshot::Sender<()>>,
    ) {
        let (table, core_of_job) = (attempt.job.table(), Arc::clone(core));
        let make = |pace: Arc<Pace>| async move {
            make(&core_of_job, attempt, &pace).await;
            drop(ends);
        };
        self.lanes.queue(table, make);
        if core.options.jobs_run {
            self.lanes.open();
        }
    }

    /// Does the jobs for which there is no thread.
    pub(crate) async fn run_queued(&self) {
        self.lanes.run().await;
    }

    /// Interrupts the jobs and waits for the threads.
    pub(crate) fn stop(&self) {
        self.lanes.stop();
    }
}

/// Makes one attempt.
async fn make<S: Store>(core: &Core<S>, attempt: Attempt, pace: &Pace) {
    let made = core.caught(async {
        // The job relies on all writes following the definition that made it due.
        core.store.sync().await?;
        match &attempt.job {
            Job::Backfill { table, index } => backfill::run(core, *table, *index, pace).await,
            Job::Purge { table, index } => purge::run(core, *table, *index, pace).await,
            Job::ExpiryIndex { table } => expiry_index::run(core, *table, pace).await,
            Job::CloseShards { table_name, label, .. } => {
                close_shards::run(core, table_name, label).await
            }
        }
    });
    let ended = made.await.unwrap_or_else(|panicked| Err(Interruption::Panicked(panicked)));
    if matches!(ended, Err(Interruption::Stopped)) {
        return;
    }
    let (work, place) = attempt.job.subject();
    if ended.is_err() {
        core.retries.put_off(attempt, (core.environment.now_ms)());
    }
    core.complaints.note(work, &place, ended);
}

fn go_on(stopping: &AtomicBool) -> Result<(), Interruption> {
    if stopping.load(Ordering::Acquire) { Err(Interruption::Stopped) } else { Ok(()) }
}

/// Does everything that is due, though the logs were looked through a moment ago.
pub(crate) async fn sweep_all<S: Store>(core: &Core<S>) {
    let _one = core.sweeping.lock().await;
    trim::make_due(core);
    sweep_alone(core, &AtomicBool::new(false)).await;
}

/// Does everything that is due, when no other sweep is under way.
pub(crate) async fn sweep<S: Store>(core: &Core<S>, stopping: &AtomicBool) {
    let _one = core.sweeping.lock().await;
    sweep_alone(core, stopping).await;
}

async fn sweep_alone<S: Store>(core: &Core<S>, stopping: &AtomicBool) {
    if let Some(governor) = &core.governor {
        governor.sweep((core.environment.now_ms)());
    }
    loop {
        do_part(core, "succession of shards", shards::run(core)).await;
        let tokens = token_sweep::run(core, stopping);
        do_part(core, "removal of expired client request tokens", tokens).await;
        if trim::is_due(core) {
            fault::log_anew();
            do_part(core, "removal of expired stream records", trim::run(core, stopping)).await;
        }
        let expired = do_part(core, "sweep of expired items", expire::run(core, stopping)).await;
        if expired != Some(true) {
            return;
        }
    }
}

/// Does a part of a sweep, whatever becomes of the others. Returns its answer, if it has one.
async fn do_part<S: Store, T>(
    core: &Core<S>,
    work: &'static str,
    part: impl Future<Output = Result<T, Interruption>>,
) -> Option<T> {
    let done = core.caught(part).await;
    match done.unwrap_or_else(|panicked| Err(Interruption::Panicked(panicked))) {
        Ok(answer) => {
            core.complaints.note(work, "", Ok::<(), Interruption>(()));
            Some(answer)
        }
        Err(Interruption::Stopped) => None,
        Err(error) => {
            core.complaints.note(work, "", Err::<(), _>(error));
            None
        }
    }
}
