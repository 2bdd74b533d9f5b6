//! The PostgreSQL engine: one ordered map in the tables of a database that many processes share.
//!
//! Each process commits through a few lanes, which put concurrent commits into one transaction
//! (`lanes.rs`, `transaction.rs`), and reads through a few readers, which put concurrent reads into
//! one statement (`reads.rs`). Keys lie in rows in the order of their bytes (`keys.rs`,
//! `placement.rs`, `visit.rs`). Leaves durability, replication and failover to the database.
//!
//! Invariants:
//! - the engine relies only on READ COMMITTED and locks of rows, not on features of one engine of
//!   the family;
//! - an answered commit was answered by the database, to `COMMIT` or to the statement that is the
//!   whole transaction, or found in its tables after a lost connection (`outcome.rs`);
//! - every wait has an end, and callers need no runtime (`driver.rs`);
//! - a view holds nothing: each of its reads is of one state, none older than the view.
//!
//! Two choices are not obvious. Stripes of counters are not new for each lane that ever was, or
//! their number would grow with every start: a store takes a random block of them, and if two
//! stores have the same block, they wait for each other and lose nothing. A walk over a range whose
//! places have no order merges places only where it must.

mod ages;
mod arriving_page;
mod cause;
mod connect;
mod counter_ranges;
mod decided;
mod driver;
mod early;
mod early_decision;
mod epochs;
mod failure;
mod fence;
mod forms;
mod gathering;
mod group;
mod guesses;
mod health;
mod hosts;
mod in_flight;
mod keys;
mod lanes;
mod late_answers;
mod look;
mod open_error;
mod options;
mod outcome;
mod own_connection;
mod page;
mod page_cache;
mod pauses;
mod placement;
mod probe;
mod queue;
mod reads;
mod revisions;
mod row;
mod rows;
mod schema;
mod shared;
mod sizes;
mod statements;
mod steps;
mod tls;
mod traffic;
mod transaction;
mod url;
mod visit;

pub use ages::Ages;
pub use cause::Cause;
pub use open_error::OpenError;
pub use options::{PostgresOptions, Sharding};
pub use placement::{Placement, Places};
pub use schema::{creation, upgrade};
pub use traffic::{Connections, Traffic};
pub use url::{place, processors_beside};

use crate::{
    Batch, Bytes, Direction, Error, Held, Key, KeyRange, Keys, Stats, Store, View, Wanted,
    block_on, counting,
};
use ages::AgesSeen;
use connect::Connector;
use counter_ranges::CounterRanges;
use driver::Driver;
use early_decision::Early;
use fence::{Fence, Fencing};
use futures_util::future::select;
use guesses::Guesses;
use health::Health;
use in_flight::InFlight;
use keys::{Layout, Located};
use lanes::{LANE_BYTES, Lane};
use page_cache::PageCache;
use probe::Probes;
use queue::{LaneMessage, Member, Queue};
use reads::{Reader, Reads};
use revisions::Tables;
use row::Row;
use schema::StoredSchema;
use shared::Shared;
use sizes::Sizes;
use std::future::Future;
use std::ops::ControlFlow;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use url::Address;
use visit::RowWalk;

/// Blocks of stripes; each has one for every lane there may be.
const STRIPE_BLOCKS: u64 = 64;

/// The most lanes a store can have.
const MAX_LANES: u64 = 64;

/// A store in a database that speaks the PostgreSQL protocol.
#[derive(Debug)]
pub struct PostgresStore {
    shared: Arc<Shared>,
    reads: Arc<Reads>,
    in_flight: Arc<InFlight>,
    probes: Probes,
    driver: Handle,
    is_closed: AtomicBool,
    /// Dropped last, which ends all tasks on the store's threads.
    _drivers: Vec<Driver>,
}

/// Reads of a [`PostgresStore`]; holds no connection.
#[derive(Debug, Clone)]
pub struct PostgresView {
    shared: Arc<Shared>,
    reads: Arc<Reads>,
    /// Count of its requests, if they are counted.
    requests: Option<Arc<AtomicU64>>,
}

impl PostgresView {
    fn count(&self) {
        if let Some(requests) = &self.requests {
            requests.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reads again, with all its columns, the page that a walk has asked for.
    async fn whole_page(&self, walk: &RowWalk) -> Result<Vec<Row>, Error> {
        let lacks = || Error::failed("read a page", "its rows lack columns");
        let page = walk.again(&self.shared.sizes).ok_or_else(lacks)?;
        self.count();
        self.reads.page(&self.shared, page).await?.ok_or_else(lacks)
    }
}

// A panic in a caller's decision leaves nothing behind here; only the TLS library does not declare
// it.
impl UnwindSafe for PostgresStore {}
impl RefUnwindSafe for PostgresStore {}
impl UnwindSafe for PostgresView {}
impl RefUnwindSafe for PostgresView {}

impl PostgresStore {
    /// Opens the store at `url`, a `postgres://` URL, and creates its tables if there are none.
    /// Connects once before it answers, so blocks the thread for a bounded time.
    ///
    /// # Errors
    /// The URL is wrong, the database cannot be reached or refuses, or the tables are of another
    /// version.
    pub fn open(url: &str, options: &PostgresOptions) -> Result<Self, OpenError> {
        let mut options = options.clone();
        let address = Address::read(url, &mut options)?;
        let groups = options.groups.or(address.processors_beside()).unwrap_or(usize::MAX);
        let connector = Connector::new(address, &options)?;
        let no_thread = |error: std::io::Error| OpenError::Failed {
            action: "start the store's thread",
            why: error.to_string(),
        };
        let driver = Driver::start().map_err(no_thread)?;
        // On the store's own thread, because this one may be the only one of the caller's runtime.
        let (connector, found) = open_schema(&driver, connector, &options)?;
        let StoredSchema { places, prefix_bytes, version, revision } = found;
        let tables = Tables::new(&options.schema, revision);
        let fence = Fence::new(options.fence.as_ref(), tables.clone(), options.sharding);
        if version >= revisions::SINCE_FENCE {
            fence.trust();
        }
        let layout = Layout { placement: options.placement, places, prefix_bytes };
        let mut drivers = Vec::new();
        if options.runtime.is_none() {
            drivers.push(driver);
            if options.threads > 1 {
                drivers.push(Driver::start().map_err(no_thread)?);
            }
        }
        let mut handles: Vec<Handle> = options.runtime.iter().cloned().collect();
        handles.extend(drivers.iter().map(|driver| driver.handle().clone()));
        // Statements that ask about a page, or are a whole transaction, were run on no sharded
        // engine.
        let is_whole = options.sharding == Sharding::None;
        let kept_bytes = if is_whole { options.kept_bytes } else { 0 };
        let shared = Arc::new(Shared {
            connector,
            layout,
            tables,
            fence,
            counts: traffic::Counts::default(),
            commits: Queue::new(&options, groups),
            health: Health::default(),
            sizes: Sizes::default(),
            kept: PageCache::new(kept_bytes, options.kept_page_bytes),
            guesses: Guesses::new(is_whole, options.early_after),
            ages: AgesSeen::default(),
            ending: watch::Sender::new(false),
            living: watch::Sender::new(0),
            dropped: watch::Sender::new(false),
            options,
        });
        let reads = Arc::new(Reads::new(shared.options.readers, groups));
        let handle = start_tasks(&shared, &reads, &handles)?;
        Ok(Self {
            probes: Probes::new(handle.clone()),
            driver: handle,
            shared,
            reads,
            in_flight: Arc::default(),
            is_closed: AtomicBool::new(false),
            _drivers: drivers,
        })
    }

    /// Returns the counts of the store's work, and the numbers of waiting commits and reads and of
    /// connections.
    pub fn traffic(&self) -> Traffic {
        let Shared { counts, commits, health, options, kept, guesses, .. } = &*self.shared;
        let connections = |health: &Health, wanted: usize| Connections {
            connected: health.connected_now() as u64,
            wanted: wanted as u64,
        };
        Traffic {
            ages: self.shared.ages.get(),
            waiting_commits: commits.len() as u64,
            waiting_reads: self.reads.len() as u64,
            lanes: connections(health, options.lanes),
            readers: connections(&self.reads.health, options.readers),
            asked_pages: kept.asked.get(),
            same_pages: kept.same.get(),
            kept_bytes: kept.size_bytes(),
            early_groups: guesses.early.get(),
            mistaken_groups: guesses.mistaken.get(),
            ..counts.traffic()
        }
    }

    /// Bounds the bytes of the cache; see [`PostgresOptions::kept_bytes`].
    pub fn bound_cache(&self, cache_bytes: u64) {
        self.shared.kept.bound(cache_bytes);
    }

    /// Returns a number that is not below any commit stamp given out so far.
    pub async fn last_stamp(&self) -> Result<u64, Error> {
        own_connection::last_stamp(&self.shared, &self.driver).await
    }

    /// Makes the next commit stamps of these prefixes greater than `stamp`.
    pub async fn raise_stamps(&self, prefixes: &[Key], stamp: u64) -> Result<(), Error> {
        own_connection::raise_stamps(&self.shared, &self.driver, prefixes, stamp).await
    }

    /// Makes every commit that declares `key` wait, in all processes, until the returned guard is
    /// released or dropped. Holds nothing if the key is absent.
    pub async fn hold(&self, key: &[u8]) -> Result<Held, Error> {
        own_connection::hold(&self.shared, &self.driver, key).await
    }

    /// Returns the values and the copy of the fence that a commit is shown to decide early, on the guess that all its
    /// keys are absent: `None` = it does not decide early.
    fn guess(
        &self,
        [write, read]: &[Vec<Located>; 2],
        fencing: &Fencing,
    ) -> Option<(Vec<Option<Bytes>>, Option<Bytes>)> {
        if !read.is_empty() || !self.shared.guesses.are_made_of(write) {
            return None;
        }
        let mut values = vec![None; write.len()];
        let fence = match fencing {
            Fencing::Ignores => None,
            Fencing::Reads { at, .. } => {
                let copy = self.shared.fence.known()?;
                values.insert(*at, (!copy.is_empty()).then(|| copy.clone()));
                Some(copy)
            }
            Fencing::MayWrite => return None,
        };
        Some((values, fence))
    }

    fn lazy_view(&self) -> PostgresView {
        PostgresView {
            shared: Arc::clone(&self.shared),
            reads: Arc::clone(&self.reads),
            requests: None,
        }
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.is_closed.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }
}

/// Connects, checks the tables and returns their properties.
fn open_schema(
    driver: &Driver,
    connector: Connector,
    options: &PostgresOptions,
) -> Result<(Connector, StoredSchema), OpenError> {
    let options = options.clone();
    let (answer, opened) = oneshot::channel();
    driver.handle().spawn(async move {
        let opened = async {
            look::at_all(&connector).await;
            let connection = connector.connect().await?;
            let opened = schema::open(&connection.client, connector.hosts(), &options);
            let opened = connection.drive(opened);
            let wait = options.statement_timeout * 3;
            let late = |_| OpenError::Unreachable {
                host: connector.hosts().to_owned(),
                why: "no answer in time".to_owned(),
            };
            tokio::time::timeout(wait, opened).await.map_err(late)?
        };
        let opened = opened.await;
        // The caller waits for the answer.
        drop(answer.send(opened.map(|found| (connector, found))));
    });
    block_on(opened).unwrap_or_else(|_| {
        Err(OpenError::Failed {
            action: "open the store",
            why: "the store's thread has ended".to_owned(),
        })
    })
}

/// Starts lanes and readers, and returns the drivers of the lanes.
fn start_tasks(
    shared: &Arc<Shared>,
    reads: &Arc<Reads>,
    handles: &[Handle],
) -> Result<Handle, OpenError> {
    let failed = |why: &str| OpenError::Failed { action: "start the store", why: why.to_owned() };
    let random = random_bytes().map_err(|error| failed(&error.to_string()))?;
    let seed = u128::from_le_bytes(random);
    let (first, last) = handles.first().zip(handles.last()).ok_or_else(|| failed("no thread"))?;
    let block = u64::try_from(seed % u128::from(STRIPE_BLOCKS)).unwrap_or(0);
    for nth in 0..shared.options.lanes {
        let name = seed.wrapping_add(nth as u128).to_be_bytes();
        let stripe = block * MAX_LANES + nth as u64;
        first.spawn(Lane::new(Arc::clone(shared), name, stripe).run());
    }
    first.spawn(until_end(
        &shared.dropped,
        late_answers::answer_late(Arc::clone(shared), Arc::clone(reads)),
    ));
    for host in look::hosts(&shared.connector) {
        first.spawn(until_end(&shared.dropped, look::again_and_again(Arc::clone(shared), host)));
    }
    for nth in 0..shared.options.readers {
        let seed = u64::try_from(seed >> 64).unwrap_or(1).wrapping_add(nth as u64);
        let reader = Reader::new(Arc::clone(shared), Arc::clone(reads), seed);
        last.spawn(until_end(&shared.dropped, reader.run()));
    }
    Ok(first.clone())
}

/// Runs a task until the store is dropped.
fn until_end<F: Future<Output = ()> + Send>(
    dropped: &watch::Sender<bool>,
    task: F,
) -> impl Future<Output = ()> + Send + use<F> {
    let mut dropped = dropped.subscribe();
    async move {
        let dropped = pin!(async { drop(dropped.wait_for(|dropped| *dropped).await) });
        select(pin!(task), dropped).await;
    }
}

/// Returns a random number that no other store has.
#[expect(
    clippy::disallowed_methods,
    reason = "names of lanes differ between processes; nothing depends on them"
)]
fn random_bytes() -> Result<[u8; LANE_BYTES], getrandom::Error> {
    let mut bytes = [0; LANE_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

impl Store for PostgresStore {
    type View = PostgresView;

    fn is_shared(&self) -> bool {
        true
    }

    async fn view(&self) -> Result<PostgresView, Error> {
        Ok(self.lazy_view())
    }

    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.lazy_view().get(key).await
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.lazy_view().get_many(keys).await
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        let keys = self.shared.layout.locate_all(keys);
        self.reads.keys(&self.shared, keys, true).await
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, mut decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        let Keys { write, mut read } = keys.into();
        let ticket = self.in_flight.begin();
        self.check_open()?;
        let Shared { layout, options, fence, .. } = &*self.shared;
        let deadline = Instant::now() + options.patience;
        let fencing = fence.take(&write, &mut read);
        let keys = [write, read].map(|keys| layout.locate_all(&keys));
        let mut answer = None;
        let early = self.guess(&keys, &fencing).and_then(|(values, fence)| {
            let mut batch = Batch::new();
            answer = Some(decide(&values, &mut batch));
            // Only a guess with writes is found to be right or wrong.
            (!batch.is_empty()).then_some(Early { fence, batch })
        });
        let (member, mut messages) =
            Member::new(keys, fencing, deadline, ticket, counting::of_commits(), early);
        self.shared.commits.push(member)?;
        loop {
            match messages.recv().await {
                Some(LaneMessage::Decide(values, reply)) => {
                    let mut batch = Batch::new();
                    answer = Some(decide(&values, &mut batch));
                    // The lane reports why it waits no longer.
                    drop(reply.send(batch));
                }
                Some(LaneMessage::Ended(Ok(()))) => {
                    return answer.ok_or_else(|| Error::failed("commit", "nothing was decided"));
                }
                Some(LaneMessage::Ended(Err(error))) => return Err(error),
                None => {
                    let what = "the store's thread has ended".to_owned();
                    return Err(Error::Unavailable { what });
                }
            }
        }
    }

    async fn sync(&self) -> Result<(), Error> {
        self.in_flight.wait().await;
        Ok(())
    }

    fn stats(&self) -> Stats {
        let traffic = self.traffic();
        Stats {
            commits: traffic.commits,
            groups: traffic.groups,
            syncs: traffic.groups,
            written_keys: traffic.written_keys,
            written_bytes: traffic.written_bytes,
            queued_commits: self.in_flight.len() as u64,
            ..Stats::default()
        }
    }

    fn check_writable(&self) -> Result<(), Error> {
        self.check_open()?;
        self.shared.health.check()
    }

    async fn probe(&self) -> Result<(), Error> {
        self.check_writable()?;
        self.probes.ask(&self.shared, &self.reads, &self.in_flight).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.is_closed.store(true, Ordering::Release);
        self.in_flight.wait().await;
        self.shared.commits.close();
        self.shared.ending.send_replace(true);
        // Each lane has a limit for its last statement. The sender is the store's own, so this is
        // no error.
        drop(self.shared.living.subscribe().wait_for(|living| *living == 0).await);
        Ok(())
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.shared.commits.close();
        self.shared.ending.send_replace(true);
        self.shared.dropped.send_replace(true);
        self.reads.close();
    }
}

impl View for PostgresView {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let key = self.shared.layout.locate(Bytes::copy_from_slice(key));
        self.count();
        let mut values = self.reads.keys(&self.shared, vec![key], false).await?;
        Ok(values.pop().flatten())
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        let keys = self.shared.layout.locate_all(keys);
        self.count();
        self.reads.keys(&self.shared, keys, false).await
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        self.count();
        let counters = CounterRanges::of(keys.iter().map(Vec::as_slice), &self.shared.layout);
        self.reads.sums(&self.shared, counters).await
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        mut visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let mut walk = RowWalk::new(range, direction, wanted, &self.shared.layout);
        let sizes = &self.shared.sizes;
        while let Some(page) = walk.next(sizes) {
            self.count();
            let rows = match self.reads.page(&self.shared, page).await? {
                Some(rows) => rows,
                None => self.whole_page(&walk).await?,
            };
            for row in walk.take(rows, sizes) {
                if visitor(&row.key, row.value).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn counting(&self, requests: &Arc<AtomicU64>) -> Self {
        Self { requests: Some(Arc::clone(requests)), ..self.clone() }
    }
}
