//! Background jobs: filling of new indexes and the removal of deleted tables and indexes.
//!
//! One thread, started with the first job. What is to be done is recorded in the store before a
//! job starts, so jobs survive a restart; each works in small commits, so writes go on between.
//! A job that fails, as while the disk is full, is tried again after a pause ([`retries`]); every
//! job goes on where it was, or does over what does no harm.
//!
//! A second thread, the [`timer`], does what is due by the clock ([`sweep`]): it removes what has
//! expired and moves streams to new shards.

mod backfill;
pub(crate) mod complaints;
mod expire;
mod expiry_index;
mod purge;
pub(crate) mod retries;
mod shards;
pub(crate) mod timer;
mod token_sweep;
mod trim;

use crate::engine::Core;
use crate::fault;
use crate::schema::{IndexId, TableId};
use hashrange_model::ApiError;
use hashrange_storage::{Error, Store, block_on};
use retries::Attempt;
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Something to do in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    /// Adds existing items to a new index.
    Backfill { table: TableId, index: IndexId },
    /// Removes every entry of an index; of the table and all its indexes if it is the base.
    Purge { table: TableId, index: IndexId },
    /// Fills or removes the expiry index of a table, whichever is under way.
    ExpiryIndex { table: TableId },
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
}

impl fmt::Display for Interruption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => formatter.write_str("stopped"),
            Self::Store(error) => error.fmt(formatter),
            Self::Definition(error) => error.fmt(formatter),
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
    fn subject(self) -> (&'static str, String) {
        match self {
            Self::Backfill { table, index } => {
                ("filling of an index", format!("table {} index {}", table.0, index.0))
            }
            Self::Purge { table, index } => {
                ("removal of deleted data", format!("table {} index {}", table.0, index.0))
            }
            Self::ExpiryIndex { table } => ("change of time to live", format!("table {}", table.0)),
        }
    }
}

/// The thread that does the jobs.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    worker: Mutex<Option<Worker>>,
    /// Jobs for which there is no thread.
    queued: Mutex<VecDeque<Attempt>>,
    stopping: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Worker {
    queue: Sender<Attempt>,
    thread: JoinHandle<()>,
}

impl Jobs {
    /// Queues a job.
    pub(crate) fn start<S: Store>(&self, core: &Arc<Core<S>>, job: Job) {
        self.queue(core, Attempt::first(job));
    }

    /// Queues the jobs that have failed and are due again.
    pub(crate) fn try_again<S: Store>(&self, core: &Arc<Core<S>>) {
        let due = core.retries.take_due((core.environment.now_ms)());
        due.into_iter().for_each(|attempt| self.queue(core, attempt));
    }

    fn queue<S: Store>(&self, core: &Arc<Core<S>>, attempt: Attempt) {
        if self.stopping.load(Ordering::Acquire) {
            return;
        }
        if !core.options.jobs_run {
            self.queued.lock().unwrap_or_else(PoisonError::into_inner).push_back(attempt);
            return;
        }
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = worker.get_or_insert_with(|| {
            let (queue, jobs) = channel();
            let (core, stopping) = (Arc::clone(core), Arc::clone(&self.stopping));
            let thread = std::thread::Builder::new()
                .name("hashrange-jobs".to_owned())
                .spawn(move || work(&core, &jobs, &stopping))
                .expect("a thread can be started");
            Worker { queue, thread }
        });
        if worker.queue.send(attempt).is_err() {
            tracing::error!(?attempt, "the job thread has ended; the job waits for a restart");
        }
    }

    /// Does the jobs for which there is no thread.
    pub(crate) async fn run_queued<S: Store>(&self, core: &Core<S>) {
        let next = || self.queued.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        while let Some(attempt) = next() {
            if make(core, attempt, &self.stopping).await.is_break() {
                return;
            }
        }
    }

    /// Interrupts the running job and waits for the thread.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Worker { queue, thread }) = worker {
            drop(queue);
            if thread.join().is_err() {
                tracing::error!("the job thread has panicked");
            }
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work<S: Store>(core: &Core<S>, attempts: &Receiver<Attempt>, stopping: &AtomicBool) {
    for attempt in attempts {
        if block_on(make(core, attempt, stopping)).is_break() {
            return;
        }
    }
}

/// Makes one attempt. Breaks if no other shall follow.
async fn make<S: Store>(
    core: &Core<S>,
    attempt: Attempt,
    stopping: &AtomicBool,
) -> ControlFlow<()> {
    let ended = match attempt.job {
        Job::Backfill { table, index } => backfill::run(core, table, index, stopping).await,
        Job::Purge { table, index } => purge::run(core, table, index, stopping).await,
        Job::ExpiryIndex { table } => expiry_index::run(core, table, stopping).await,
    };
    if matches!(ended, Err(Interruption::Stopped)) {
        return ControlFlow::Break(());
    }
    if ended.is_err() {
        core.retries.put_off(attempt, (core.environment.now_ms)());
    }
    let (work, place) = attempt.job.subject();
    core.complaints.note(work, &place, ended);
    ControlFlow::Continue(())
}

fn go_on(stopping: &AtomicBool) -> Result<(), Interruption> {
    if stopping.load(Ordering::Acquire) { Err(Interruption::Stopped) } else { Ok(()) }
}

/// Does everything that is due.
pub(crate) async fn sweep<S: Store>(core: &Core<S>, stopping: &AtomicBool) {
    if let Some(governor) = &core.governor {
        governor.sweep((core.environment.now_ms)());
    }
    shards::run(core).await;
    let expired = expire::run(core, stopping).await;
    report(core, "removal of expired items", expired);
    let forgotten = token_sweep::run(core, stopping).await;
    report(core, "removal of expired client request tokens", forgotten);
    if trim::is_due(core) {
        fault::log_anew();
        let trimmed = trim::run(core, stopping).await;
        report(core, "removal of expired stream records", trimmed);
    }
}

fn report<S: Store>(core: &Core<S>, work: &'static str, ended: Result<(), Interruption>) {
    if !matches!(ended, Err(Interruption::Stopped)) {
        core.complaints.note(work, "", ended);
    }
}
