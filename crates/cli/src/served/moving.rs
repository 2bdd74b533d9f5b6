//! The database of a folder that a thread copies to another place while the server serves it. The
//! server serves the copy once it has every write.
//!
//! Requests go to the folder until then. Writes that arrive in the moment of the switch wait for
//! its end and run in the new place. If the copy fails, the server goes on serving the folder.
//!
//! Left to others: the copy (the library), and a database that was moved before this process began
//! ([`crate::commands`]).

use super::own_operations::{self, JobAnswer};
use crate::commands::copy::word;
use crate::commands::store;
use crate::config::StoreUrl;
use crate::surroundings;
use anyhow::Context;
use arc_swap::ArcSwap;
use bytes::Bytes;
use hashrange::copying::Place;
use hashrange::{
    ApiError, CopyPhase, Copying, Database, JobKind, JobSeen, Operation, Options, Reason,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::watch;

/// Longest time that a write waits for the end of the switch.
const SWITCH_MAX: Duration = Duration::from_secs(20);
/// Time between two lines of the log about the progress of the copy.
const LOGGED_EVERY: Duration = Duration::from_secs(10);
/// Time before the next try to open the new place.
const RETRIED_AFTER: Duration = Duration::from_secs(1);

/// Stage of the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The copy is under way.
    Copying,
    /// It refuses writes, for a moment.
    Switching,
    /// The move has ended, with either database in use.
    Ended,
}

/// A database that moves.
#[derive(Debug)]
pub struct Moving {
    now: ArcSwap<Database>,
    stage: watch::Sender<Stage>,
    /// Progress of the copy.
    seen: Mutex<Option<SeenCopy>>,
    /// True once the database in the new place is in use.
    is_moved: AtomicBool,
}

/// Progress of a copy, as it was last told.
#[derive(Debug, Clone, Copy)]
struct SeenCopy {
    now: Copying,
    /// Time when the move began, epoch milliseconds.
    started_at_ms: u64,
    /// Time when the phase began.
    phase_began_ms: u64,
}

impl Moving {
    /// Begins to move a database, and serves it. Callers are on a runtime, which drives the
    /// database in the new place.
    pub fn start(
        database: Database,
        target: StoreUrl,
        options: Options,
    ) -> anyhow::Result<Arc<Self>> {
        store::place_in(&target, "move-to")?;
        let moving = Arc::new(Self {
            now: ArcSwap::from_pointee(database),
            stage: watch::Sender::new(Stage::Copying),
            seen: Mutex::default(),
            is_moved: AtomicBool::new(false),
        });
        let mover =
            Mover { moving: Arc::clone(&moving), target, options, runtime: Handle::current() };
        thread::Builder::new()
            .name("mover".to_owned())
            .spawn(move || mover.run())
            .context("start the thread that moves the database")?;
        Ok(moving)
    }

    /// Returns the database in use.
    pub fn database(&self) -> Arc<Database> {
        self.now.load_full()
    }

    /// Returns whether the database in the new place is in use.
    pub fn is_moved(&self) -> bool {
        self.is_moved.load(Ordering::Relaxed)
    }

    /// Calls an operation of the database in use.
    pub async fn call(
        self: Arc<Self>,
        operation: Operation,
        body: Bytes,
    ) -> Result<Vec<u8>, ApiError> {
        self.run(|database| database.call_boxed(operation, body.clone())).await
    }

    /// Calls an own operation of the database in use.
    pub async fn call_own(&self, name: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        if name == "DescribeJobs" {
            let copy = self.copy_job();
            return own_operations::describe_jobs_with(&self.database(), body, copy).await;
        }
        self.run(|database| async move { own_operations::of_database(&database, name, body).await })
            .await
    }

    /// Returns the copy under way.
    fn copy_job(&self) -> Option<JobAnswer> {
        if *self.stage.borrow() == Stage::Ended {
            return None;
        }
        let seen = *self.seen();
        let now_ms = surroundings::now_ms();
        let rate = |seen: SeenCopy| JobSeen::rate(seen.now.keys, seen.phase_began_ms, now_ms);
        let phase = seen.map_or("prepared", |seen| word(seen.now.phase));
        Some(JobAnswer {
            done: seen.map(|seen| seen.now.keys),
            per_second: seen.and_then(rate),
            started_at_ms: seen.map(|seen| seen.started_at_ms),
            words: format!("The server copies the database to another place: {phase}."),
            ..JobAnswer::of(JobSeen::of_kind(JobKind::Copy))
        })
    }

    fn seen(&self) -> MutexGuard<'_, Option<SeenCopy>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the progress of the copy.
    fn note(&self, now: Copying) {
        let now_ms = surroundings::now_ms();
        let mut seen = self.seen();
        let before =
            seen.unwrap_or(SeenCopy { now, started_at_ms: now_ms, phase_began_ms: now_ms });
        let is_same = before.now.phase == now.phase;
        let phase_began_ms = if is_same { before.phase_began_ms } else { now_ms };
        *seen = Some(SeenCopy { now, phase_began_ms, ..before });
    }

    /// Runs a call on the database in use. A call that the folder refuses because of the switch
    /// runs again in the new place.
    async fn run<F>(&self, call: impl Fn(Arc<Database>) -> F) -> Result<Vec<u8>, ApiError>
    where
        F: Future<Output = Result<Vec<u8>, ApiError>>,
    {
        let before = *self.stage.borrow();
        let answer = call(self.database()).await;
        let is_refused = |error: &ApiError| matches!(error.reason(), Reason::StoreUnavailable(_));
        if before == Stage::Ended || !answer.as_ref().is_err_and(is_refused) {
            return answer;
        }
        let mut stage = self.stage.subscribe();
        if *stage.borrow() == Stage::Copying {
            return answer;
        }
        let ended = async { stage.wait_for(|stage| *stage == Stage::Ended).await.is_ok() };
        match tokio::time::timeout(SWITCH_MAX, ended).await {
            Ok(_) => call(self.database()).await,
            Err(_) => answer,
        }
    }
}

/// The thread that moves a database.
struct Mover {
    moving: Arc<Moving>,
    target: StoreUrl,
    options: Options,
    runtime: Handle,
}

impl Mover {
    fn run(self) {
        let moved = self.move_away();
        if let Err(error) = moved {
            tracing::error!(
                error = format!("{error:#}"),
                "the database was not moved; it is served where it was"
            );
        }
        // However this thread ends, no request waits for it any longer.
    }

    fn move_away(&self) -> anyhow::Result<()> {
        let target = store::place_in(&self.target, "move-to")?;
        let database = self.moving.database();
        let mut told = Told::new(&self.moving);
        tracing::info!("the database is being moved");
        match database.move_to(target, true, &mut |now| told.hear(now)) {
            Ok(copied) => {
                let (keys, bytes) = (copied.keys, copied.bytes);
                tracing::info!(keys, bytes, "the database was moved and verified");
            }
            Err(error) => self.finish(&database, target).then_some(()).ok_or(error)?,
        }
        let moved = self.retried(|| store::open_at(&self.target, &self.options));
        self.moving.now.store(Arc::new(moved));
        self.moving.is_moved.store(true, Ordering::Relaxed);
        self.moving.stage.send_replace(Stage::Ended);
        tracing::info!("the database is served from its new place");
        if let Err(error) = hashrange_storage::block_on(database.close()) {
            tracing::warn!(%error, "the folder that was moved away could not be closed");
        }
        Ok(())
    }

    /// Returns true if the database was moved although the copy failed in the end; then the new
    /// place has everything.
    fn finish(&self, database: &Database, target: Place<'_>) -> bool {
        self.retried(|| Ok(database.finish_move(target)?))
    }

    /// Tries until it works: the moved data are nowhere else.
    fn retried<T>(&self, attempt: impl Fn() -> anyhow::Result<T>) -> T {
        let _entered = self.runtime.enter();
        // Nobody sends: the receiver only waits for the timeout.
        let (_sender, nobody) = mpsc::channel::<()>();
        loop {
            match attempt() {
                Ok(done) => return done,
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::error!(error, "the database cannot be opened in its new place yet");
                }
            }
            nobody.recv_timeout(RETRIED_AFTER).ok();
        }
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        if thread::panicking() {
            tracing::error!("the database was not moved: a panic; it is served where it was");
        }
        self.moving.stage.send_replace(Stage::Ended);
    }
}

/// Tells requests and the log the progress of the copy.
struct Told<'m> {
    moving: &'m Moving,
    logged: Instant,
}

impl<'m> Told<'m> {
    fn new(moving: &'m Moving) -> Self {
        Self { moving, logged: surroundings::stopwatch() }
    }

    fn hear(&mut self, now: Copying) {
        self.moving.note(now);
        if now.phase == CopyPhase::Switching {
            self.moving.stage.send_if_modified(|stage| {
                std::mem::replace(stage, Stage::Switching) != Stage::Switching
            });
        }
        if self.logged.elapsed() >= LOGGED_EVERY {
            self.logged = surroundings::stopwatch();
            tracing::info!(keys = now.keys, bytes = now.bytes, "{}", word(now.phase));
        }
    }
}
