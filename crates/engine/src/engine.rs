//! The engine: a store, the tables in it, and the environment. Its operations are in
//! [`crate::ops`], one file each.

use crate::arn;
use crate::catalog::Catalog;
use crate::change_log::{self, EndedShards};
use crate::environment::{Environment, table_name_of};
use crate::fault;
use crate::jobs::timer::Timer;
use crate::jobs::{Ended, Job, Jobs};
use crate::layout;
use crate::options::EngineOptions;
use crate::schema::{IndexState, KeyNames, Table, TableRecord, TimeToLiveState};
use crate::swept::Swept;
use crate::throughput::Governor;
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Direction, Error, Key, Store, View, block_on};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// DynamoDB's operations on one store.
///
/// Share it behind an [`Arc`]. Dropping it stops the background jobs; they go on where they were
/// when the store is opened again.
#[derive(Debug)]
pub struct Engine<S: Store> {
    core: Arc<Core<S>>,
    jobs: Arc<Jobs<S>>,
    timer: Mutex<Option<Timer>>,
}

/// What the operations and the background jobs share.
pub(crate) struct Core<S: Store> {
    /// What a profile other than the default one limits, delays and spoils. Before the store, of
    /// which it holds views.
    pub(crate) governor: Option<Box<Governor<S::View>>>,
    pub(crate) store: S,
    pub(crate) catalog: Catalog,
    pub(crate) environment: Environment,
    pub(crate) options: EngineOptions,
    /// How far the sweep of client request tokens has come, by the milliseconds of their use.
    pub(crate) tokens_swept: Swept,
    /// Held by whoever changes a table's definition, until the change is in use.
    pub(crate) definitions: tokio::sync::Mutex<()>,
}

impl<S: Store> fmt::Debug for Core<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Core")
            .field("catalog", &self.catalog)
            .field("environment", &self.environment)
            .field("options", &self.options)
            .field("governor", &self.governor)
            .finish_non_exhaustive()
    }
}

/// Why a store cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed.
    Store(Error),
    /// A table's record cannot be read: the data are from a newer release, or damaged.
    Record {
        /// The record's key.
        key: Key,
        /// What is wrong with it.
        problem: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(formatter, "{error}"),
            Self::Record { key, problem } => {
                write!(
                    formatter,
                    "the table record at key {} is unreadable: {problem}",
                    key.escape_ascii()
                )
            }
        }
    }
}

impl std::error::Error for OpenError {}

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
        let view = store.view();
        let tables = read_tables(&view).await?;
        let mut pending = unfinished_backfills(&tables);
        pending.extend(unfinished_expiry_indexes(&tables));
        view.visit(layout::purges(), Direction::Forward, |key, _| {
            pending
                .extend(layout::parse_purge(key).map(|(table, index)| Job::Purge { table, index }));
            ControlFlow::Continue(())
        })
        .await
        .map_err(OpenError::Store)?;
        let core = Arc::new(Core {
            governor: Governor::of(&options),
            store,
            catalog: Catalog::new(tables),
            environment,
            options,
            tokens_swept: Swept::default(),
            definitions: tokio::sync::Mutex::new(()),
        });
        let jobs = Arc::new(Jobs::new(Arc::clone(&core)));
        let engine = Self { core, jobs, timer: Mutex::default() };
        change_log::close_ended_shards(&engine.core).await?;
        engine.start_timer();
        for job in pending {
            engine.start_job(job);
        }
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

    pub(crate) fn core(&self) -> &Arc<Core<S>> {
        &self.core
    }

    pub(crate) fn start_job(&self, job: Job) {
        drop(self.begin_job(job));
    }

    /// Starts a job whose first attempt somebody may wait for.
    pub(crate) fn begin_job(&self, job: Job) -> Ended {
        self.jobs.start(job)
    }

    /// Closes shards that a change of definition has ended. The caller holds `definitions`.
    pub(crate) fn close_shards(&self, ended: Option<EndedShards>) {
        if let Some(ended) = ended {
            self.jobs.close_shards(ended);
        }
    }

    fn start_timer(&self) {
        let Some(interval) = self.core.environment.sweep_interval else { return };
        let jobs = Arc::clone(&self.jobs);
        let timer = Timer::start(interval, move |stopping| {
            block_on(jobs.log_panic(async {
                jobs.try_again();
                jobs.sweep(stopping).await;
            }));
        });
        *self.timer.lock().unwrap_or_else(PoisonError::into_inner) = Some(timer);
    }

    /// Does what is due by now, as the timer does at every interval: removes what has expired,
    /// moves streams to new shards and starts jobs again that have failed.
    pub fn sweep(&self) {
        block_on(self.sweep_when_polled());
    }

    /// Sweeps as [`Engine::sweep`] does, for callers with an executor of their own.
    pub async fn sweep_when_polled(&self) {
        self.jobs.try_again();
        self.jobs.sweep(&AtomicBool::new(false)).await;
    }

    /// Does what is due after the clock was moved, all of it and whatever was done a moment ago: when
    /// this returns, nothing is left that the sweeps of the time between would have done.
    pub async fn catch_up_with_clock(&self) {
        self.jobs.try_again();
        self.jobs.sweep_all().await;
    }

    /// Does the background jobs that have been started, where no thread does
    /// ([`EngineOptions::jobs_run`]).
    pub async fn run_jobs(&self) {
        self.jobs.run_queued().await;
    }

    /// Returns how often background work, of jobs or of a sweep, has panicked since the engine was
    /// opened. Such work is logged and tried again.
    pub fn background_panics(&self) -> u64 {
        self.jobs.panics()
    }

    /// Returns the table that a data operation names, by name or ARN.
    pub(crate) fn table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        let table =
            self.core.catalog.get(table_name_of(name_or_arn)).ok_or(Reason::TableNotFound)?;
        match &self.core.governor {
            Some(governor) if governor.is_creating(&table, (self.environment().now_ms)()) => {
                Err(Reason::TableNotFound.into())
            }
            _ => Ok(table),
        }
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
        if let Some(governor) = &self.core.governor {
            governor.close();
        }
        self.core.store.close().await
    }
}

impl<S: Store> Core<S> {
    /// Changes a table's definition: stores the record that `change` makes of the current one and
    /// puts it in use. The caller holds `definitions`.
    ///
    /// Writes that were being decided may still follow the old definition. Whoever relies on there
    /// being none waits for [`Store::sync`] first, as every job does.
    pub(crate) fn change_table(
        &self,
        table: &Table,
        change: impl FnOnce(&mut TableRecord) -> ApiResult<()>,
    ) -> ApiResult<Arc<Table>> {
        let mut record = table.record.clone();
        change(&mut record)?;
        self.replace_table(table, record, Vec::new(), |_| {})
    }

    /// Changes a table's definition to `record`, as [`Core::change_table`] does, in one commit with
    /// what `also` writes to `keys` or without a guard.
    pub(crate) fn replace_table(
        &self,
        table: &Table,
        record: TableRecord,
        mut keys: Vec<Key>,
        mut also: impl FnMut(&mut Batch) + Send,
    ) -> ApiResult<Arc<Table>> {
        let (key, value) = (layout::table_record(record.id), encode_record(&record));
        keys.push(key.clone());
        self.commit_definition(keys, |_, batch| {
            batch.put(key.clone(), value.clone());
            also(batch);
        })?;
        Ok(self.catalog.put(table.successor(record)))
    }

    /// Commits a change of definitions and waits for it on this thread. Not a future: one that is
    /// dropped between the commit and the catalog's change would leave the two apart.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers make the keys for this commit alone; each try of it takes a copy"
    )]
    pub(crate) fn commit_definition<T: Send>(
        &self,
        keys: Vec<Key>,
        decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    ) -> ApiResult<T> {
        block_on(self.commit(|| keys.clone(), decide)).map_err(fault::of_store)
    }
}

/// Returns the stored form of a record.
pub(crate) fn encode_record(record: &TableRecord) -> Bytes {
    Bytes::from(serde_json::to_vec(record).expect("a record has only string keys"))
}

/// Reads every table.
pub(crate) async fn read_tables<V: View>(view: &V) -> Result<Vec<Table>, OpenError> {
    let mut records = Vec::new();
    view.visit(layout::table_records(), Direction::Forward, |key, value| {
        records.push((key.to_vec(), value.clone()));
        ControlFlow::Continue(())
    })
    .await
    .map_err(OpenError::Store)?;
    records.into_iter().map(|(key, value)| read_table(&key, &value)).collect()
}

fn read_table(key: &Key, value: &Bytes) -> Result<Table, OpenError> {
    let unreadable = |problem: String| OpenError::Record { key: key.clone(), problem };
    let record: TableRecord =
        serde_json::from_slice(value).map_err(|error| unreadable(error.to_string()))?;
    if record.version > TableRecord::VERSION {
        return Err(unreadable(format!("its version {} is of a newer release", record.version)));
    }
    let undeclared = std::iter::once(&record.key)
        .chain(record.visible_indexes().map(|index| &index.key))
        .flat_map(KeyNames::all)
        .find(|name| record.key_type(name).is_none());
    match undeclared {
        Some(name) => Err(unreadable(format!("the key attribute {name} has no type"))),
        None => Ok(Table::new(record)),
    }
}

fn unfinished_backfills(tables: &[Table]) -> Vec<Job> {
    tables
        .iter()
        .flat_map(|table| table.indexes.iter().map(move |index| (table, index)))
        .filter(|(_, index)| index.state == IndexState::Creating)
        .map(|(table, index)| Job::Backfill { table: table.id(), index: index.id })
        .collect()
}

fn unfinished_expiry_indexes(tables: &[Table]) -> impl Iterator<Item = Job> {
    let is_changing = |table: &&Table| {
        let record = table.record.time_to_live.as_ref();
        record.is_some_and(|record| record.state != TimeToLiveState::Enabled)
    };
    tables.iter().filter(is_changing).map(|table| Job::ExpiryIndex { table: table.id() })
}
