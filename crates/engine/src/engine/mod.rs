//! The engine: the core with what surrounds it, the limiter of a profile, background jobs and their
//! timer. Its operations are in `ops/`, one file each; they read and write through `reading.rs` and
//! `writing.rs`, which ask the limiter.

mod past;
mod reading;
mod writing;

pub(crate) use past::removed_ms;
pub(crate) use reading::{GatherPlan, ItemWalk, ReadView, item_target};

use crate::arn;
use crate::change_log::EndedShards;
use crate::core::{Catalog, Core, OpenError, read_tables};
use crate::environment::{Environment, table_name_of};
use crate::fault;
use crate::heat;
use crate::index;
use crate::jobs::timer::Timer;
use crate::jobs::{Ended, Job, JobSeen, Jobs, ServerSeen, ServersSeen};
use crate::layout;
use crate::options::EngineOptions;
use crate::schema::Table;
use crate::throughput::Limiter;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::{Error, Store, block_on};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// DynamoDB's operations on one store.
///
/// Share it behind an [`Arc`]. Dropping it stops the background jobs; they go on where they were
/// when the store is opened again.
pub struct Engine<S: Store> {
    /// Limiter; `None` under the default profile. Dropped before the store, of which it holds views.
    limiter: Option<Arc<Limiter<S::View>>>,
    core: Arc<Core<S>>,
    jobs: Arc<Jobs<S>>,
    timer: Mutex<Option<Timer>>,
}

impl<S: Store> fmt::Debug for Engine<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Engine")
            .field("core", &self.core)
            .field("limiter", &self.limiter)
            .finish_non_exhaustive()
    }
}

impl<S: Store> Engine<S> {
    /// Opens the tables of a store and resumes the jobs that were under way.
    pub async fn open(store: S, environment: Environment) -> Result<Self, OpenError> {
        Self::open_with(store, environment, EngineOptions::default()).await
    }

    /// Opens a store as [`Engine::open`] does, with options.
    pub async fn open_with(
        store: S,
        environment: Environment,
        options: EngineOptions,
    ) -> Result<Self, OpenError> {
        let view = store.view().await.map_err(OpenError::Store)?;
        let tables = read_tables(&view).await?;
        let limiter = Limiter::of(&options).map(Arc::new);
        let core = Arc::new(Core::new(store, Catalog::new(tables), environment, options));
        let jobs = Arc::new(Jobs::new(Arc::clone(&core)));
        let engine = Self { limiter, core, jobs, timer: Mutex::default() };
        let unreadable = |error: ApiError| OpenError::Record {
            key: layout::definitions_number(),
            problem: error.to_string(),
        };
        engine.core.refresh().await.map_err(unreadable)?;
        if engine.core.store.is_shared() {
            engine.core.read_noting().await.map_err(OpenError::Store)?;
        }
        engine.jobs.join().await.map_err(unreadable)?;
        engine.core.raise_records().await;
        engine.start_timer();
        Ok(engine)
    }

    /// Returns the store, for its statistics.
    pub fn store(&self) -> &S {
        &self.core.store
    }

    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.core.environment
    }

    /// Returns the time of the environment, in epoch milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        (self.core.environment.now_ms)()
    }

    pub(crate) fn core(&self) -> &Arc<Core<S>> {
        &self.core
    }

    /// Returns the limiter; none under the default profile.
    pub(crate) fn limiter(&self) -> Option<&Limiter<S::View>> {
        self.limiter.as_deref()
    }

    pub(crate) fn start_job(&self, job: Job) {
        drop(self.begin_job(job));
    }

    /// Starts a job whose first attempt somebody may wait for.
    pub(crate) fn begin_job(&self, job: Job) -> Ended {
        self.jobs.start(job)
    }

    /// Closes shards that a change of definition has ended. The caller holds `definitions`.
    pub(crate) async fn close_shards(&self, ended: Option<EndedShards>) {
        if let Some(ended) = ended {
            self.jobs.close_shards(ended).await;
        }
    }

    fn start_timer(&self) {
        let Some(interval) = self.core.environment.sweep_interval else { return };
        let sweeper = Sweeper { limiter: self.limiter.clone(), jobs: Arc::clone(&self.jobs) };
        let timer = Timer::start(interval, move |stopping| sweeper.tick(stopping));
        *self.timer.lock().unwrap_or_else(PoisonError::into_inner) = Some(timer);
    }

    /// Sweeps as the timer does at every interval: removes expired data, moves streams to new shards and starts
    /// failed jobs again.
    pub fn sweep(&self) {
        block_on(self.sweep_when_polled());
    }

    /// Sweeps as [`Engine::sweep`] does, for callers with an executor of their own.
    pub async fn sweep_when_polled(&self) {
        self.jobs.beat().await;
        self.forget_old();
        self.jobs.sweep(&AtomicBool::new(false)).await;
    }

    /// Sweeps everything that is due after the clock was moved, whatever was swept a moment ago: when this returns,
    /// all sweeps of the time between are made up for.
    pub async fn catch_up_with_clock(&self) {
        self.jobs.beat().await;
        self.forget_old();
        self.jobs.sweep_all().await;
    }

    fn forget_old(&self) {
        if let Some(limiter) = self.limiter() {
            limiter.sweep((self.environment().now_ms)());
        }
    }

    /// Runs the started background jobs, where no thread does ([`EngineOptions::jobs_run`]).
    pub async fn run_jobs(&self) {
        self.jobs.run_queued().await;
    }

    /// Returns the number of panics in jobs and sweeps since the engine was opened. Such work is logged and tried
    /// again.
    pub fn background_panics(&self) -> u64 {
        self.jobs.panics()
    }

    /// Returns the state of the servers that share the store, as of the last beat; `None` if it is not shared.
    pub fn servers_seen(&self) -> Option<ServersSeen> {
        self.jobs.servers_seen()
    }

    /// Returns the servers that share the store one by one, as of the last beat; none if it is not shared.
    pub fn servers_list(&self) -> Vec<ServerSeen> {
        self.jobs.servers_list()
    }

    /// Returns name, number of items and bytes of each table, of the first `most` by name.
    pub async fn table_sizes(&self, most: usize) -> ApiResult<Vec<TableSize>> {
        let mut tables = self.core.catalog.all();
        tables.truncate(most);
        let view = self.core.view().await?;
        let ids = tables.iter().map(|table| table.id());
        let counts = index::counts_of(&view, ids).await.map_err(fault::of_store)?;
        let size = |(table, (items, bytes)): (&Arc<Table>, (u64, u64))| TableSize {
            name: table.record.name.clone(),
            items,
            bytes,
        };
        Ok(tables.iter().zip(counts).map(size).collect())
    }

    /// Returns the number of tables.
    pub fn table_count(&self) -> usize {
        self.core.catalog.all().len()
    }

    /// Returns the jobs that have not ended on this server, and how far they are.
    pub async fn jobs_seen(&self) -> ApiResult<Vec<JobSeen>> {
        self.jobs.seen().await
    }

    /// Returns the table that a data operation names, by name or ARN; one that only reads asks
    /// [`Engine::readable_table`].
    pub(crate) fn table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        arn::check_data_name(name_or_arn)?;
        let name = table_name_of(name_or_arn);
        let table = self.core.catalog.get(name).ok_or_else(|| self.no_table(name))?;
        match self.limiter() {
            Some(limiter) if limiter.is_creating(&table, (self.environment().now_ms)()) => {
                Err(Reason::TableNotFound.into())
            }
            _ => Ok(table),
        }
    }

    /// Returns the table `sys.heat` if `name` is its name and it exists.
    pub(crate) fn heat_table(&self, name: &str) -> Option<Arc<Table>> {
        if name != heat::TABLE_NAME || self.core.catalog.get(name).is_some() {
            return None;
        }
        self.core.heat.table_if_on(&self.core.catalog.all())
    }

    /// Returns the table that a control operation names, by name or ARN.
    pub(crate) fn named_table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        let name = arn::control_table_name(self.environment(), name_or_arn)?;
        self.core
            .catalog
            .get(name)
            .ok_or_else(|| Reason::NamedTableNotFound(name.to_owned()).into())
    }

    /// Stops background jobs, refuses further writes and waits until all is on disk.
    pub async fn close(&self) -> Result<(), Error> {
        self.jobs.stop();
        drop(self.timer.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.jobs.leave().await;
        if let Some(limiter) = self.limiter() {
            limiter.close();
        }
        self.core.store.close().await
    }
}

/// Size of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// Number of its items.
    pub items: u64,
    /// Bytes of its items.
    pub bytes: u64,
}

/// Sweeps at each tick of the timer.
struct Sweeper<S: Store> {
    limiter: Option<Arc<Limiter<S::View>>>,
    jobs: Arc<Jobs<S>>,
}

impl<S: Store> Sweeper<S> {
    fn tick(&self, stopping: &AtomicBool) {
        block_on(self.jobs.log_panic(async {
            self.jobs.beat().await;
            if let Some(limiter) = &self.limiter {
                limiter.sweep(self.jobs.now_ms());
            }
            self.jobs.sweep(stopping).await;
        }));
    }
}
