//! A database: an engine on a store in memory, in a folder, or on PostgreSQL.

use crate::clock;
use crate::{Blocking, Clock, Error, Sharding};
use bytes::Bytes;
use hashrange_cost::{PriceList, Prices};
use hashrange_engine::{
    Engine, EngineOptions, Environment, Explanation, JobSeen, Mode, OpenError, Profile, Report,
    Running, ServerSeen, ServersSeen, SupposedIndex, TableSize, UnitPrice, UnitPrices, Verified,
    verify, verify_heard,
};
use hashrange_model::ApiResult;
use hashrange_storage::{
    AnyStore, EmbeddedOptions, EmbeddedStore, Examined, Image, MemoryStore, Stats, Store,
};
#[cfg(feature = "postgres")]
use hashrange_storage::{PostgresOptions, PostgresStore};
use hashrange_wire::{Call, Constrained, Encode, Operation, calls, check};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Options for opening a database.
#[derive(Debug, Clone)]
pub struct Options {
    /// Memory for cached data, in bytes: a third of it for blocks of sorted files, the rest for
    /// ranges that were read. On PostgreSQL all of it holds pages, which the database answers from
    /// again if PostgreSQL says that they are unchanged.
    pub cache_bytes: u64,
    /// Memory for writes to a folder that are not sorted into files yet, in bytes. While writes
    /// come faster than they can be sorted, they wait.
    pub write_bytes: u64,
    /// Region in ARNs.
    pub region: String,
    /// Account number in ARNs.
    pub account: String,
    /// Endpoint that DescribeEndpoints returns: host and port.
    pub endpoint: String,
    /// Interval of the sweep, which removes expired items (by their time-to-live attribute), stream
    /// records (at most once a minute) and client request tokens, and tries failed background jobs
    /// again after their pause.
    pub sweep_interval: Duration,
    /// Number of shards of new streams, and the period after which shards are closed.
    pub sharding: Sharding,
    /// Profile, which sets how closely the database keeps to the service's limits and delays.
    pub profile: Profile,
    /// Seed for the random choices of a profile: the same requests meet the same choices.
    pub seed: u64,
    /// Duration of every change of a table, in milliseconds, under every profile but the default
    /// one; if `None`, the service's durations under `aws`, and three seconds under `hostile`.
    pub table_delay_ms: Option<u64>,
    /// True if the database watches the keys of all tables for hot ones; else only the tables on
    /// which Contributor Insights is enabled. See [`heat`](crate::heat).
    pub heat: bool,
    /// A clock that tests can set; if `None`, the system's.
    pub clock: Option<Clock>,
}

impl Default for Options {
    fn default() -> Self {
        let engine = EngineOptions::default();
        Self {
            cache_bytes: EmbeddedOptions::default().cache_bytes,
            write_bytes: EmbeddedOptions::default().unsorted_bytes(),
            region: "us-east-1".to_owned(),
            account: "314159265358".to_owned(),
            endpoint: "dynamodb.us-east-1.amazonaws.com".to_owned(),
            sweep_interval: Duration::from_secs(1),
            sharding: Sharding::default(),
            profile: engine.profile,
            seed: engine.seed,
            table_delay_ms: engine.table_delay_ms,
            heat: engine.heat,
            clock: None,
        }
    }
}

/// A DynamoDB database in process. Cheap to clone; all clones are the same database.
#[derive(Debug, Clone)]
pub struct Database {
    pub(crate) engine: Arc<Engine<AnyStore>>,
}

impl Database {
    /// Returns an empty database in memory; it is gone when the last clone is dropped.
    pub fn memory() -> Self {
        Self::memory_with(&Options::default())
    }

    /// Returns an empty database in memory with options.
    pub fn memory_with(options: &Options) -> Self {
        Self::on(AnyStore::Memory(MemoryStore::new()), options)
            .expect("an empty store has no table that cannot be read")
    }

    /// Opens the database in a folder, which is created if it does not exist. Every acknowledged
    /// write is on disk. The folder is locked: no other process can open it meanwhile.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// use hashrange::{Database, Options};
    /// let database = Database::open(folder.path(), &Options::default())?;
    /// assert!(Database::open(folder.path(), &Options::default()).is_err());
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn open(folder: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        Self::open_folder(folder.as_ref(), options)
    }

    /// Opens a folder. Code without type parameters is compiled in this crate, not in each program.
    pub(crate) fn open_folder(folder: &Path, options: &Options) -> Result<Self, Error> {
        Self::on(AnyStore::Embedded(open_store(folder, options)?), options)
    }

    /// Opens the database on PostgreSQL that a URL names, such as `postgres://user@host/database`,
    /// and creates its tables if there are none. Other programs may use it at the same time. Waits
    /// a bounded time for the server's answer. Needs the feature `postgres`; works with any
    /// runtime, or none.
    ///
    /// Of [`Options`], `cache_bytes` bounds the pages that are kept, which are shown only after the
    /// server has said that they are still the same. A database that others use, too, has to be
    /// opened with the same `region` and `account` by all.
    #[cfg(feature = "postgres")]
    pub fn connect(url: &str, options: &Options) -> Result<Self, Error> {
        Self::connect_with(url, options, None)
    }

    /// Opens the database as [`connect`](Self::connect) does, but drives its connections with the
    /// caller's runtime, which has time, IO and threads of its own and outlives the database. For a
    /// server whose tasks call the database: a request then goes from task to task, not from thread
    /// to thread.
    #[cfg(feature = "postgres")]
    pub fn connect_on(
        runtime: tokio::runtime::Handle,
        url: &str,
        options: &Options,
    ) -> Result<Self, Error> {
        Self::connect_with(url, options, Some(runtime))
    }

    /// Returns the SQL statements that bring the tables of a store on PostgreSQL to this program's
    /// version, to be run by a role with the rights for it.
    ///
    /// # Errors
    /// The name cannot be that of a schema.
    #[cfg(feature = "postgres")]
    pub fn upgrade_statements(schema: &str) -> Result<String, String> {
        let fence = Some(hashrange_engine::fence());
        let schema = schema.to_owned();
        hashrange_storage::postgres::upgrade(&PostgresOptions {
            schema,
            fence,
            ..PostgresOptions::default()
        })
    }

    #[cfg(feature = "postgres")]
    fn connect_with(
        url: &str,
        options: &Options,
        runtime: Option<tokio::runtime::Handle>,
    ) -> Result<Self, Error> {
        let kept_bytes = options.cache_bytes;
        let fence = Some(hashrange_engine::fence());
        let of_store = PostgresOptions { runtime, kept_bytes, fence, ..PostgresOptions::default() };
        let store = PostgresStore::open(url, &of_store);
        Self::on(AnyStore::Postgres(store.map_err(Error::Store)?), options)
    }

    /// Returns a database in memory that begins with the content of an image.
    pub(crate) fn of_image(image: Image, options: &Options) -> Result<Self, Error> {
        Self::on(AnyStore::Memory(MemoryStore::of_image(image)), options)
    }

    /// Returns the present content of a database in memory; `None` for a folder or PostgreSQL.
    pub(crate) fn image(&self) -> Option<Image> {
        self.engine.store().image()
    }

    fn on(store: AnyStore, options: &Options) -> Result<Self, Error> {
        let period_ms = options.sharding.period().as_millis();
        let engine_options = EngineOptions {
            stream_shards: options.sharding.shards(),
            stream_shard_period_ms: u64::try_from(period_ms).unwrap_or(u64::MAX),
            profile: options.profile,
            seed: options.seed,
            table_delay_ms: options.table_delay_ms,
            heat: options.heat,
            ..EngineOptions::default()
        };
        let engine = Engine::open_with(store, environment(options), engine_options);
        let engine = hashrange_storage::block_on(engine);
        Ok(Self { engine: Arc::new(engine.map_err(Error::Tables)?) })
    }

    /// Verifies the database in a folder without serving it: items, indexes, counters. Nothing in
    /// the folder is changed.
    pub fn check(folder: impl AsRef<Path>, options: &Options) -> Result<Report, Error> {
        Self::check_heard(folder.as_ref(), options, &mut |_| {})
    }

    /// Verifies a folder as [`Database::check`] does and calls `heard` again and again with the
    /// progress.
    pub fn check_heard(
        folder: &Path,
        options: &Options,
        heard: &mut (dyn FnMut(Verified) + Send),
    ) -> Result<Report, Error> {
        let examined = Examined::open(folder, &store_options(options)).map_err(Error::Folder)?;
        let report = hashrange_storage::block_on(verify_heard(&examined.view(), heard));
        let report = report.map_err(Error::Tables)?;
        Ok(Report { torn_bytes: examined.torn_bytes(), ..report })
    }

    /// Verifies this database in its present state.
    pub async fn verify(&self) -> Result<Report, Error> {
        let unreadable = |error| Error::Tables(OpenError::Store(error));
        let view = self.engine.store().view().await.map_err(unreadable)?;
        verify(&view).await.map_err(Error::Tables)
    }

    /// Returns counts and sizes of the store.
    pub fn stats(&self) -> Stats {
        self.engine.store().stats()
    }

    /// Bounds the bytes for cached data from now on, at most to the size that the database was
    /// opened with, and frees the rest. The third for blocks of sorted files does not shrink.
    pub fn bound_cache(&self, cache_bytes: u64) {
        self.engine.store().bound_cache(cache_bytes);
    }

    /// Returns an error if the store refuses writes now: it failed and has to be opened again, or
    /// its disk is full.
    pub fn check_writable(&self) -> Result<(), hashrange_storage::Error> {
        self.engine.store().check_writable()
    }

    /// Returns an error if the store refuses writes now or does not answer. On PostgreSQL the store
    /// asks the server and waits at most two seconds for the answer.
    pub async fn probe(&self) -> Result<(), hashrange_storage::Error> {
        self.engine.store().probe().await
    }

    /// Returns the state of the other servers on the same PostgreSQL; `None` in memory and in a
    /// folder.
    pub fn servers_seen(&self) -> Option<ServersSeen> {
        self.engine.servers_seen()
    }

    /// Returns the servers on the same PostgreSQL one by one; none in memory and in a folder.
    pub fn servers_list(&self) -> Vec<ServerSeen> {
        self.engine.servers_list()
    }

    /// Returns name, number of items and bytes of each table, of the first `most` by name.
    pub fn table_sizes(&self, most: usize) -> Calling<'_, Vec<TableSize>> {
        Box::pin(self.engine.table_sizes(most))
    }

    /// Returns the number of tables.
    pub fn table_count(&self) -> usize {
        self.engine.table_count()
    }

    /// Returns the background work of this process that has not ended, and how far it is.
    pub fn jobs_seen(&self) -> Calling<'_, Vec<JobSeen>> {
        Box::pin(self.engine.jobs_seen())
    }

    /// Returns the counts of work on PostgreSQL; `None` in memory and in a folder.
    #[cfg(feature = "postgres")]
    pub fn traffic(&self) -> Option<hashrange_storage::postgres::Traffic> {
        self.engine.store().traffic()
    }

    /// Returns the number of panics in background work since the database was opened: filling
    /// indexes, removing deleted or expired items. The database logs the panic and tries such work
    /// again.
    pub fn background_panics(&self) -> u64 {
        self.engine.background_panics()
    }

    /// Does the work that is due after the clock was moved ([`Options::clock`]): removes items that
    /// have expired by then, starts postponed jobs again. Without this call the next sweep does it,
    /// within [`Options::sweep_interval`].
    pub async fn catch_up_with_clock(&self) {
        self.engine.catch_up_with_clock().await;
    }

    /// Returns the time in milliseconds since 1970, by the database's clock.
    pub(crate) fn now_ms(&self) -> u64 {
        (self.engine.environment().now_ms)()
    }

    /// Returns the same database with methods that wait.
    pub fn blocking(&self) -> Blocking {
        Blocking::new(self.clone())
    }

    /// Runs one operation on a JSON request and returns the JSON response, both as on the wire.
    pub async fn call(&self, operation: Operation, body: &[u8]) -> ApiResult<Vec<u8>> {
        self.engine.call(operation, body).await
    }

    /// Explains a JSON request of an operation: the items that it reads, its cost, and other
    /// meanings that it may have. With [`Mode::Analyze`] the request runs and its work is counted;
    /// else the database reads a sample of at most 1,000 of the items that the request would read,
    /// and writes nothing.
    ///
    /// # Errors
    /// The errors of the request itself, or a refusal: operations on tables cannot be explained.
    pub fn explain<'a>(
        &'a self,
        operation: Operation,
        request: &'a [u8],
        mode: Mode,
    ) -> Calling<'a, Explanation> {
        Box::pin(self.engine.explain(operation, request, mode))
    }

    /// Explains a Query, a Scan or a SELECT of an index that does not exist, by a bounded sample of
    /// the table: the items that it would read, the size of the index, the added cost of writes.
    /// A SELECT that names no index reads this one.
    ///
    /// # Errors
    /// The errors of the request and of creating the index, or a refusal: the request does not read
    /// the index.
    pub fn explain_what_if<'a>(
        &'a self,
        operation: Operation,
        request: &'a [u8],
        index: &'a SupposedIndex<'a>,
    ) -> Calling<'a, Explanation> {
        Box::pin(self.engine.explain_what_if(operation, request, index))
    }

    /// Runs one operation as [`Database::call`] does, in a future on the heap.
    ///
    /// A future is compiled by the crate that waits for it, with all that it waits for. What this
    /// returns is compiled here, once: a program that waits for it takes half as long to build.
    pub fn call_boxed(&self, operation: Operation, body: Bytes) -> Calling<'static, Vec<u8>> {
        let database = self.clone();
        Box::pin(async move { database.call(operation, &body).await })
    }

    /// Stops background jobs, refuses further writes and waits until all writes are on disk.
    pub async fn close(&self) -> Result<(), hashrange_storage::Error> {
        self.engine.close().await
    }
}

fn open_store(folder: &Path, options: &Options) -> Result<EmbeddedStore, Error> {
    EmbeddedStore::open(folder, &store_options(options)).map_err(Error::Folder)
}

fn store_options(options: &Options) -> EmbeddedOptions {
    let Options { cache_bytes, write_bytes, .. } = *options;
    EmbeddedOptions { cache_bytes, ..EmbeddedOptions::default() }.with_unsorted_bytes(write_bytes)
}

fn environment(options: &Options) -> Environment {
    let now_ms: Arc<dyn Fn() -> u64 + Send + Sync> = match options.clock.clone() {
        None => Arc::new(clock::system_ms),
        Some(clock) => Arc::new(move || clock.now_ms()),
    };
    Environment {
        now_ms,
        random: Arc::new(random),
        region: options.region.clone(),
        account: options.account.clone(),
        endpoint: options.endpoint.clone(),
        sweep_interval: Some(options.sweep_interval),
        prices: prices(&options.region),
    }
}

/// Returns the prices of a region, if they come with the program.
fn prices(region: &str) -> Option<UnitPrices> {
    let list = PriceList::of_region(region)?;
    let of_class = |prices: &Prices| UnitPrice {
        read_million: prices.read_million,
        write_million: prices.write_million,
    };
    Some(UnitPrices {
        standard: of_class(&list.standard),
        infrequent_access: of_class(&list.infrequent_access),
        region: list.region,
        currency: list.currency,
    })
}

#[expect(clippy::disallowed_methods, reason = "the chance that the engine gets as a parameter")]
pub(crate) fn random() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u128::from_le_bytes(bytes)
}

/// Refuses input that violates the model's constraints, as the wire does.
fn check_constraints<'a, C: Call>(input: &C::Input<'a>) -> ApiResult<()>
where
    C::Input<'a>: Constrained + Encode,
{
    check::check_value(C::OPERATION, input).map_or(Ok(()), |violations| Err(violations.into()))
}

/// A call of an operation with typed input, to be awaited.
///
/// The future is boxed, because the crate that awaits a future compiles it, with all futures inside
/// it: a program would compile the engine again for each operation that it calls.
pub type Calling<'a, T> = Pin<Box<dyn Future<Output = ApiResult<T>> + Send + 'a>>;

/// The typed operations for this crate, whose futures are compiled here anyway.
pub(crate) struct Unboxed<'a>(&'a Database);

/// Runs the engine's method on input after checking it.
macro_rules! on_newest {
    ($self:expr, $call:ident, $method:ident, $input:expr) => {{
        let (engine, input) = (&$self.0.engine, $input);
        check_constraints::<calls::$call>(&input)?;
        if engine.store().is_shared() {
            let run = || -> Running<'_, _> { Box::pin(engine.$method(input.clone())) };
            return engine.on_newest(calls::$call::OPERATION, run).await;
        }
        engine.$method(input).await
    }};
}

/// Defines the typed operations: on [`Unboxed`], async on [`Database`] and blocking on
/// [`Blocking`].
macro_rules! operations {
    ($($(#[$doc:meta])* $method:ident: $call:ident($input:ty) -> $output:ty;)*) => {
        impl<'a> Unboxed<'a> {
            $(
                pub(crate) async fn $method(self, input: $input) -> ApiResult<$output> {
                    on_newest!(self, $call, $method, input)
                }
            )*
        }

        impl<'a> Database {
            $(
                $(#[$doc])*
                pub fn $method(&'a self, input: $input) -> Calling<'a, $output> {
                    Box::pin(self.unboxed().$method(input))
                }
            )*
        }

        impl<'a> Blocking {
            $(
                $(#[$doc])*
                pub fn $method(&self, input: $input) -> ApiResult<$output> {
                    hashrange_storage::block_on(self.database().unboxed().$method(input))
                }
            )*
        }
    };
}

use hashrange_wire as wire;

impl<'a> Unboxed<'a> {
    pub(crate) async fn query_page(
        self,
        input: wire::QueryInput<'a>,
    ) -> ApiResult<wire::QueryOutput> {
        on_newest!(self, Query, query, input)
    }

    pub(crate) async fn scan_page(self, input: wire::ScanInput<'a>) -> ApiResult<wire::ScanOutput> {
        on_newest!(self, Scan, scan, input)
    }
}

impl Database {
    pub(crate) fn unboxed(&self) -> Unboxed<'_> {
        Unboxed(self)
    }

    /// Reads a page of the items with one partition key value: the operation Query, of which
    /// [`query`](Self::query) is the short call.
    pub fn query_page<'a>(&'a self, input: wire::QueryInput<'a>) -> Calling<'a, wire::QueryOutput> {
        Box::pin(self.unboxed().query_page(input))
    }

    /// Reads a page of all write shards of a partition key, merged in the order of the sort key: a
    /// Query whose partition key has `{shard}`, `{shard:8}` or `{shard:1..8}` in it. The page goes
    /// on from one key, as that of a Query does.
    ///
    /// ```
    /// use hashrange::{Database, item};
    /// let database = Database::memory().blocking();
    /// database.create("visits", "day:S at:S").run()?;
    /// for (day, at) in [("1#2", "09:00"), ("1#0", "10:00"), ("1#1", "09:30")] {
    ///     database.put("visits", item! { "day": day, "at": at }).run()?;
    /// }
    /// let request = br##"{"TableName": "visits", "KeyConditionExpression": "#d = :d",
    ///     "ExpressionAttributeNames": {"#d": "day"},
    ///     "ExpressionAttributeValues": {":d": {"S": "1#{shard:3}"}}}"##;
    /// let page = database.gather(request)?;
    /// let page = String::from_utf8_lossy(&page);
    /// let at = |text: &str| page.find(text).expect("all are found");
    /// assert!(at("09:00") < at("09:30") && at("09:30") < at("10:00"));
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn gather<'a>(&'a self, request: &'a [u8]) -> Calling<'a, Vec<u8>> {
        Box::pin(self.engine.gather_json(request))
    }

    /// Reads a page of a whole table or index: the operation Scan, of which [`scan`](Self::scan) is
    /// the short call.
    pub fn scan_page<'a>(&'a self, input: wire::ScanInput<'a>) -> Calling<'a, wire::ScanOutput> {
        Box::pin(self.unboxed().scan_page(input))
    }
}

impl Blocking {
    /// Reads a page of the items with one partition key value: the operation Query, of which
    /// [`query`](Self::query) is the short call.
    pub fn query_page(&self, input: wire::QueryInput<'_>) -> ApiResult<wire::QueryOutput> {
        hashrange_storage::block_on(self.database().unboxed().query_page(input))
    }

    /// Reads a page of all write shards of a partition key; see [`Database::gather`].
    pub fn gather(&self, request: &[u8]) -> ApiResult<Vec<u8>> {
        hashrange_storage::block_on(self.database().gather(request))
    }

    /// Reads a page of a whole table or index: the operation Scan, of which [`scan`](Self::scan) is
    /// the short call.
    pub fn scan_page(&self, input: wire::ScanInput<'_>) -> ApiResult<wire::ScanOutput> {
        hashrange_storage::block_on(self.database().unboxed().scan_page(input))
    }
}

operations! {
    /// Runs up to 25 PartiQL statements, each by itself.
    batch_execute_statement:
        BatchExecuteStatement(wire::BatchExecuteStatementInput<'a>) -> wire::BatchExecuteStatementOutput;
    /// Reads up to 100 items of several tables.
    batch_get_item: BatchGetItem(wire::BatchGetItemInput<'a>) -> wire::BatchGetItemOutput;
    /// Puts and deletes up to 25 items of several tables.
    batch_write_item: BatchWriteItem(wire::BatchWriteItemInput<'a>) -> wire::BatchWriteItemOutput;
    /// Creates a table.
    create_table: CreateTable(wire::CreateTableInput<'a>) -> wire::CreateTableOutput;
    /// Removes one item.
    delete_item: DeleteItem(wire::DeleteItemInput<'a>) -> wire::DeleteItemOutput;
    /// Deletes a table.
    delete_table: DeleteTable(wire::DeleteTableInput<'a>) -> wire::DeleteTableOutput;
    /// Returns the endpoint.
    describe_endpoints:
        DescribeEndpoints(wire::DescribeEndpointsRequest) -> wire::DescribeEndpointsResponse;
    /// Returns the quotas.
    describe_limits: DescribeLimits(wire::DescribeLimitsInput) -> wire::DescribeLimitsOutput;
    /// Describes a stream and its shards.
    describe_stream: DescribeStream(wire::DescribeStreamInput<'a>) -> wire::DescribeStreamOutput;
    /// Describes a table.
    describe_table: DescribeTable(wire::DescribeTableInput<'a>) -> wire::DescribeTableOutput;
    /// Describes time to live of a table.
    describe_time_to_live:
        DescribeTimeToLive(wire::DescribeTimeToLiveInput<'a>) -> wire::DescribeTimeToLiveOutput;
    /// Runs one PartiQL statement.
    ///
    /// ```
    /// use hashrange::{Database, ExecuteStatementInput, create_table, item};
    ///
    /// let database = Database::memory().blocking();
    /// database.create_table(create_table("Music", ("Artist", "S"), Some(("Song", "S"))))?;
    /// let run = |statement: &'static str| {
    ///     database.execute_statement(ExecuteStatementInput {
    ///         statement: Some(statement.into()),
    ///         ..ExecuteStatementInput::default()
    ///     })
    /// };
    /// run("INSERT INTO Music VALUE {'Artist': 'Nina Simone', 'Song': 'Sinnerman', 'Year': 1965}")?;
    /// let found = run("SELECT Song FROM Music WHERE Artist = 'Nina Simone' AND \"Year\" < 1970")?;
    /// assert_eq!(found.items, Some(vec![item! { "Song": "Sinnerman" }]));
    /// # Ok::<(), hashrange::ApiError>(())
    /// ```
    execute_statement: ExecuteStatement(wire::ExecuteStatementInput<'a>) -> wire::ExecuteStatementOutput;
    /// Runs up to 100 PartiQL statements, all or none.
    execute_transaction:
        ExecuteTransaction(wire::ExecuteTransactionInput<'a>) -> wire::ExecuteTransactionOutput;
    /// Reads one item by its primary key.
    get_item: GetItem(wire::GetItemInput<'a>) -> wire::GetItemOutput;
    /// Reads records of a stream from where an iterator stands.
    ///
    /// ```
    /// use hashrange::{
    ///     Database, DescribeStreamInput, GetRecordsInput, GetShardIteratorInput, OperationType,
    ///     PutItemInput, ShardIteratorType, StreamSpecification, StreamViewType, create_table, item,
    /// };
    ///
    /// let database = Database::memory().blocking();
    /// let mut table = create_table("Music", ("Artist", "S"), Some(("Song", "S")));
    /// table.stream_specification = Some(StreamSpecification {
    ///     stream_enabled: Some(true),
    ///     stream_view_type: Some(StreamViewType::NewImage),
    /// });
    /// let stream_arn = database.create_table(table)?.table_description.unwrap().latest_stream_arn.unwrap();
    /// let song = item! { "Artist": "Nina Simone", "Song": "Sinnerman", "Year": 1965 };
    /// database.put_item(PutItemInput {
    ///     table_name: Some("Music".into()),
    ///     item: Some(song.clone().into()),
    ///     ..PutItemInput::default()
    /// })?;
    ///
    /// let described = database.describe_stream(DescribeStreamInput {
    ///     stream_arn: Some(stream_arn.as_str().into()),
    ///     ..DescribeStreamInput::default()
    /// })?;
    /// let mut found = Vec::new();
    /// for shard in described.stream_description.unwrap().shards.unwrap() {
    ///     let iterator = database.get_shard_iterator(GetShardIteratorInput {
    ///         stream_arn: Some(stream_arn.as_str().into()),
    ///         shard_id: shard.shard_id.map(Into::into),
    ///         shard_iterator_type: Some(ShardIteratorType::TrimHorizon),
    ///         ..GetShardIteratorInput::default()
    ///     })?;
    ///     let page = database.get_records(GetRecordsInput {
    ///         shard_iterator: iterator.shard_iterator.map(Into::into),
    ///         ..GetRecordsInput::default()
    ///     })?;
    ///     found.extend(page.records.unwrap());
    /// }
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(found[0].event_name, Some(OperationType::Insert));
    /// assert_eq!(found[0].dynamodb.as_ref().unwrap().new_image, Some(song));
    /// # Ok::<(), hashrange::ApiError>(())
    /// ```
    get_records: GetRecords(wire::GetRecordsInput<'a>) -> wire::GetRecordsOutput;
    /// Returns a position in a shard of a stream.
    get_shard_iterator:
        GetShardIterator(wire::GetShardIteratorInput<'a>) -> wire::GetShardIteratorOutput;
    /// Lists streams, also of deleted tables while records are left.
    list_streams: ListStreams(wire::ListStreamsInput<'a>) -> wire::ListStreamsOutput;
    /// Lists table names.
    list_tables: ListTables(wire::ListTablesInput<'a>) -> wire::ListTablesOutput;
    /// Lists the tags of a table.
    list_tags_of_resource:
        ListTagsOfResource(wire::ListTagsOfResourceInput<'a>) -> wire::ListTagsOfResourceOutput;
    /// Creates or replaces one item.
    put_item: PutItem(wire::PutItemInput<'a>) -> wire::PutItemOutput;
    /// Tags a table.
    tag_resource: TagResource(wire::TagResourceInput<'a>) -> wire::TagResourceOutput;
    /// Reads up to 100 items of several tables as of one moment.
    transact_get_items:
        TransactGetItems(wire::TransactGetItemsInput<'a>) -> wire::TransactGetItemsOutput;
    /// Writes and checks up to 100 items of several tables together, or not at all.
    ///
    /// ```
    /// use hashrange::{Database, Put, Update, TransactWriteItem, TransactWriteItemsInput};
    /// use hashrange::{AttributeValue, create_table, item};
    ///
    /// let database = Database::memory().blocking();
    /// database.create_table(create_table("Orders", ("id", "S"), None))?;
    /// let order = || TransactWriteItem {
    ///     put: Some(Put {
    ///         table_name: Some("Orders".into()),
    ///         item: Some(item! { "id": "ORDER#1", "total": 129 }.into()),
    ///         condition_expression: Some("attribute_not_exists(id)".into()),
    ///         ..Put::default()
    ///     }),
    ///     ..TransactWriteItem::default()
    /// };
    /// let count = || TransactWriteItem {
    ///     update: Some(Update {
    ///         table_name: Some("Orders".into()),
    ///         key: Some(item! { "id": "COUNT" }.into()),
    ///         update_expression: Some("ADD orders :one".into()),
    ///         expression_attribute_values: Some(
    ///             [(":one".into(), AttributeValue::from(1).to_value().into())].into_iter().collect(),
    ///         ),
    ///         ..Update::default()
    ///     }),
    ///     ..TransactWriteItem::default()
    /// };
    /// let place = || TransactWriteItemsInput {
    ///     transact_items: Some(vec![order(), count()]),
    ///     ..TransactWriteItemsInput::default()
    /// };
    /// database.transact_write_items(place())?;
    /// // The order exists now, so nothing of the second transaction is done.
    /// let error = database.transact_write_items(place()).unwrap_err();
    /// let reasons = error.cancellation_reasons().unwrap();
    /// assert!(reasons[0].is_some() && reasons[1].is_none());
    /// # Ok::<(), hashrange::ApiError>(())
    /// ```
    transact_write_items:
        TransactWriteItems(wire::TransactWriteItemsInput<'a>) -> wire::TransactWriteItemsOutput;
    /// Removes tags of a table.
    untag_resource: UntagResource(wire::UntagResourceInput<'a>) -> wire::UntagResourceOutput;
    /// Changes or creates one item.
    update_item: UpdateItem(wire::UpdateItemInput<'a>) -> wire::UpdateItemOutput;
    /// Changes a table.
    update_table: UpdateTable(wire::UpdateTableInput<'a>) -> wire::UpdateTableOutput;
    /// Enables or disables time to live of a table.
    update_time_to_live:
        UpdateTimeToLive(wire::UpdateTimeToLiveInput<'a>) -> wire::UpdateTimeToLiveOutput;
    /// Refuses global tables of version 2017.11.29, as the service does.
    create_global_table:
        CreateGlobalTable(wire::CreateGlobalTableInput<'a>) -> wire::CreateGlobalTableOutput;
    /// Finds no bulk operation to cancel: there are none.
    cancel_bulk_operation:
        CancelBulkOperation(wire::CancelBulkOperationInput<'a>) -> wire::CancelBulkOperationOutput;
    /// Finds no bulk operation: there are none.
    describe_bulk_operation:
        DescribeBulkOperation(wire::DescribeBulkOperationInput<'a>) -> wire::DescribeBulkOperationOutput;
    /// Lists no bulk operation.
    list_bulk_operations:
        ListBulkOperations(wire::ListBulkOperationsInput<'a>) -> wire::ListBulkOperationsOutput;
    /// Finds no backup: there are none.
    delete_backup:
        DeleteBackup(wire::DeleteBackupInput<'a>) -> wire::DeleteBackupOutput;
    /// Deletes the policy that a table does not have, which is no error.
    delete_resource_policy:
        DeleteResourcePolicy(wire::DeleteResourcePolicyInput<'a>) -> wire::DeleteResourcePolicyOutput;
    /// Finds no backup: there are none.
    describe_backup:
        DescribeBackup(wire::DescribeBackupInput<'a>) -> wire::DescribeBackupOutput;
    /// Says that point-in-time recovery is off.
    describe_continuous_backups:
        DescribeContinuousBackups(wire::DescribeContinuousBackupsInput<'a>) -> wire::DescribeContinuousBackupsOutput;
    /// Describes Contributor Insights of a table or global index.
    describe_contributor_insights:
        DescribeContributorInsights(wire::DescribeContributorInsightsInput<'a>) -> wire::DescribeContributorInsightsOutput;
    /// Finds no export: there were none.
    describe_export:
        DescribeExport(wire::DescribeExportInput<'a>) -> wire::DescribeExportOutput;
    /// Finds no global table: there are none.
    describe_global_table:
        DescribeGlobalTable(wire::DescribeGlobalTableInput<'a>) -> wire::DescribeGlobalTableOutput;
    /// Finds no global table: there are none.
    describe_global_table_settings:
        DescribeGlobalTableSettings(wire::DescribeGlobalTableSettingsInput<'a>) -> wire::DescribeGlobalTableSettingsOutput;
    /// Finds no import: there were none.
    describe_import:
        DescribeImport(wire::DescribeImportInput<'a>) -> wire::DescribeImportOutput;
    /// Lists no destination of a table.
    describe_kinesis_streaming_destination:
        DescribeKinesisStreamingDestination(wire::DescribeKinesisStreamingDestinationInput<'a>) -> wire::DescribeKinesisStreamingDestinationOutput;
    /// Finds no replica: there are none.
    describe_table_replica_auto_scaling:
        DescribeTableReplicaAutoScaling(wire::DescribeTableReplicaAutoScalingInput<'a>) -> wire::DescribeTableReplicaAutoScalingOutput;
    /// Finds no active destination to disable.
    disable_kinesis_streaming_destination:
        DisableKinesisStreamingDestination(wire::KinesisStreamingDestinationInput<'a>) -> wire::KinesisStreamingDestinationOutput;
    /// Finds no policy of a table or stream.
    get_resource_policy:
        GetResourcePolicy(wire::GetResourcePolicyInput<'a>) -> wire::GetResourcePolicyOutput;
    /// Lists no backup.
    list_backups:
        ListBackups(wire::ListBackupsInput<'a>) -> wire::ListBackupsOutput;
    /// Lists the tables and global indexes with Contributor Insights.
    list_contributor_insights:
        ListContributorInsights(wire::ListContributorInsightsInput<'a>) -> wire::ListContributorInsightsOutput;
    /// Lists no export.
    list_exports:
        ListExports(wire::ListExportsInput<'a>) -> wire::ListExportsOutput;
    /// Lists no global table.
    list_global_tables:
        ListGlobalTables(wire::ListGlobalTablesInput<'a>) -> wire::ListGlobalTablesOutput;
    /// Lists no import.
    list_imports:
        ListImports(wire::ListImportsInput<'a>) -> wire::ListImportsOutput;
    /// Leaves point-in-time recovery off; it cannot be enabled.
    update_continuous_backups:
        UpdateContinuousBackups(wire::UpdateContinuousBackupsInput<'a>) -> wire::UpdateContinuousBackupsOutput;
    /// Enables or disables Contributor Insights of a table or global index.
    update_contributor_insights:
        UpdateContributorInsights(wire::UpdateContributorInsightsInput<'a>) -> wire::UpdateContributorInsightsOutput;
    /// Finds no global table: there are none.
    update_global_table:
        UpdateGlobalTable(wire::UpdateGlobalTableInput<'a>) -> wire::UpdateGlobalTableOutput;
    /// Finds no global table: there are none.
    update_global_table_settings:
        UpdateGlobalTableSettings(wire::UpdateGlobalTableSettingsInput<'a>) -> wire::UpdateGlobalTableSettingsOutput;
    /// Finds no active destination to change.
    update_kinesis_streaming_destination:
        UpdateKinesisStreamingDestination(wire::UpdateKinesisStreamingDestinationInput<'a>) -> wire::UpdateKinesisStreamingDestinationOutput;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/compat.md promises this interval for expired items.
    #[test]
    fn what_has_expired_is_looked_for_every_second() {
        let options = Options::default();
        assert_eq!(environment(&options).sweep_interval, Some(Duration::from_secs(1)));
    }
}
