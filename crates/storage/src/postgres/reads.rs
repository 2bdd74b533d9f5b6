//! Readers: each has a connection and answers waiting reads, one round trip after the other. The
//! reader that became free last is asked first, because the system has its process at hand.
//!
//! Reads of keys share statements: a reader that becomes free takes all that have come meanwhile,
//! and they gather while others are at work (`gathering.rs`). One statement is one snapshot, so a
//! read whose keys are in it sees one state. Engines without such a snapshot lock the keys of a
//! read that must see one state.
//!
//! Invariants: the waiting reads are bounded; a read that fails for a passing cause, such as a lost
//! connection, is tried again until its deadline, and then answered with an error.

use super::connect::Connection;
use super::counter_ranges::CounterRanges;
use super::failure::Failure;
use super::gathering::{Gathering, Group, Manner};
use super::health::Health;
use super::keys::{Located, unreadable, value_of};
use super::options::Sharding;
use super::page::PageRequest;
use super::pauses::Pauses;
use super::row::Row;
use super::shared::{GRACE, Shared};
use super::statements::ReaderStatements;
use crate::Error;
use bytes::Bytes;
use futures_util::future::{Either, join_all, select};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_postgres::types::ToSql;

/// Keys in one shared statement, at most, unless one read alone has more.
const SHARED_KEYS: usize = 256;

/// Time for which a newly opened store leaves the connections to its lanes: the database may have
/// only a few.
const LANES_FIRST: Duration = Duration::from_secs(5);

/// Number of the try whose pause precedes the repetition of failed reads on the same connection.
const RETRY_PAUSE: u32 = 4;

/// Most pages that a reader asks for at once while all readers are at work: the database goes from
/// one to the next without waiting for the reader.
const PAGES_TOGETHER: usize = 2;

/// Longest gathering of reads of keys while others are at work and another reader may be.
const GATHERING_MAX: Duration = Duration::from_millis(1);

/// Reason of failure of a read that a reader has taken.
const SILENT: &str = "the database has not answered the read in time";

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// Keys that are read.
#[derive(Debug)]
struct KeysJob {
    keys: Vec<Located>,
    deadline: Instant,
    reply: Reply<Vec<Option<Bytes>>>,
}

/// Read with a statement of its own.
#[derive(Debug)]
enum OwnJob {
    Page(PageRequest, Instant, Reply<Option<Vec<Row>>>),
    Sums(CounterRanges, Instant, Reply<Vec<i64>>),
    /// Keys that are locked while they are read.
    Locked(KeysJob),
}

/// Work of a reader in one round trip.
#[derive(Debug)]
enum Work {
    Keys(Vec<KeysJob>),
    Own(Vec<OwnJob>),
}

/// The reads that wait.
#[derive(Debug)]
pub(super) struct Reads {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// Health of the readers.
    pub(super) health: Health,
}

#[derive(Debug)]
struct Waiting {
    keys: VecDeque<KeysJob>,
    own: VecDeque<OwnJob>,
    /// No reader takes reads any more.
    is_closed: bool,
    /// True if keys were taken last, so that neither kind waits for the other without end.
    keys_were_last: bool,
    /// Gathering of the reads of keys.
    gathering: Gathering,
    /// The readers that have no work.
    idle: usize,
}

/// Result of a reader's poll of the waiting reads.
enum ReadsPoll {
    Nothing,
    /// Too few, which are to be taken at this time.
    Gathering(Instant),
    /// Work, with its group if it reads keys.
    Work(Work, Option<Group>),
}

/// Work that a reader has taken.
struct AtWork<'r> {
    reads: &'r Reads,
    keys: Option<Group>,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        // The reader looks for more itself, or else the waiting reads have gathered in a moment.
        let mut waiting = self.reads.waiting.lock();
        waiting.idle += 1;
        if let Some(group) = self.keys {
            waiting.gathering.end(group);
        }
    }
}

impl Reads {
    /// Returns reads of which none wait, for so many readers, with so many groups of keys that are
    /// usually at work at once.
    pub(super) fn new(readers: usize, groups: usize) -> Self {
        let manner = Manner { max: SHARED_KEYS, longest: GATHERING_MAX, groups };
        let waiting = Waiting {
            keys: VecDeque::new(),
            own: VecDeque::new(),
            is_closed: false,
            keys_were_last: false,
            gathering: Gathering::new(manner),
            idle: readers,
        };
        Self { waiting: Mutex::new(waiting), arrived: Notify::new(), health: Health::default() }
    }

    /// Reads keys: values in their order.
    pub(super) async fn keys(
        &self,
        shared: &Shared,
        keys: Vec<Located>,
        of_one_state: bool,
    ) -> Result<Vec<Option<Bytes>>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let is_locked = of_one_state && keys.len() > 1 && shared.options.sharding != Sharding::None;
        self.ask(shared, |deadline, reply| {
            let job = KeysJob { keys, deadline, reply };
            if is_locked { Work::Own(vec![OwnJob::Locked(job)]) } else { Work::Keys(vec![job]) }
        })
        .await
    }

    /// Reads a page of a range.
    pub(super) async fn page(
        &self,
        shared: &Shared,
        page: PageRequest,
    ) -> Result<Option<Vec<Row>>, Error> {
        self.ask(shared, |deadline, reply| Work::Own(vec![OwnJob::Page(page, deadline, reply)]))
            .await
    }

    /// Reads the sums of counters.
    pub(super) async fn sums(
        &self,
        shared: &Shared,
        counters: CounterRanges,
    ) -> Result<Vec<i64>, Error> {
        if counters.is_empty() {
            return Ok(Vec::new());
        }
        self.ask(shared, |deadline, reply| Work::Own(vec![OwnJob::Sums(counters, deadline, reply)]))
            .await
    }

    async fn ask<T>(
        &self,
        shared: &Shared,
        job: impl FnOnce(Instant, Reply<T>) -> Work,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job = job(Instant::now() + shared.options.patience, reply);
        let is_news = {
            let mut waiting = self.waiting.lock();
            if waiting.is_closed {
                return Err(Error::Closed);
            }
            let jobs = waiting.keys.len() + waiting.own.len();
            if jobs >= shared.options.queue_reads {
                let what = format!("{jobs} reads wait for the database already");
                return Err(Error::Unavailable { what });
            }
            let is_own = matches!(job, Work::Own(_));
            waiting.put(job, false);
            // The first waiting keys make a reader wait for the others.
            is_own || waiting.keys.len() == 1 || waiting.has_enough_keys()
        };
        if is_news {
            self.arrived.notify_last();
        }
        // The sender is gone with the work: at the end, or because the read is late.
        answer.await.unwrap_or_else(|_| {
            let is_closed = self.waiting.lock().is_closed;
            let late = || Error::Unavailable { what: SILENT.to_owned() };
            Err(if is_closed { Error::Closed } else { late() })
        })
    }

    /// Waits for work and takes it.
    async fn take(&self) -> (Work, AtWork<'_>) {
        loop {
            let arrived = self.arrived.notified();
            let (found, is_left) = {
                let mut waiting = self.waiting.lock();
                let found = waiting.take();
                (found, !waiting.keys.is_empty() || !waiting.own.is_empty())
            };
            match found {
                ReadsPoll::Nothing => arrived.await,
                // In both cases it looks again.
                ReadsPoll::Gathering(until) => drop(timeout_at(until, arrived).await),
                ReadsPoll::Work(work, keys) => {
                    if is_left {
                        self.arrived.notify_last();
                    }
                    return (work, AtWork { reads: self, keys });
                }
            }
        }
    }

    /// Puts work back that could not be done, but answers reads that have waited too long.
    fn put_back(&self, work: Work, failure: &str) {
        let mut waiting = self.waiting.lock();
        // The work of a reader at the end is dropped, which the callers notice.
        if !waiting.is_closed {
            waiting.put(work, true);
        }
        drop(waiting);
        self.refuse_late(|| Error::Unavailable { what: failure.to_owned() });
        self.arrived.notify_last();
    }

    /// Returns the number of waiting reads.
    pub(super) fn len(&self) -> usize {
        let waiting = self.waiting.lock();
        waiting.keys.len() + waiting.own.len()
    }

    /// Refuses all new reads, and the waiting ones.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting.lock();
        waiting.is_closed = true;
        waiting.keys.clear();
        waiting.own.clear();
    }

    /// Answers reads that have waited too long, and returns their number. Reads that were put back
    /// stand first, the others in the order of arrival, so all stand in the order of their
    /// deadlines.
    pub(super) fn refuse_late(&self, error: impl Fn() -> Error) -> u64 {
        let now = Instant::now();
        let mut waiting = self.waiting.lock();
        let late = waiting.keys.iter().take_while(|job| job.deadline <= now).count();
        for job in waiting.keys.drain(..late) {
            drop(job.reply.send(Err(error())));
        }
        if waiting.keys.is_empty() {
            waiting.gathering.forget();
        }
        let late_own = waiting.own.iter().take_while(|job| job.deadline() <= now).count();
        for job in waiting.own.drain(..late_own) {
            job.fail(error());
        }
        (late + late_own) as u64
    }
}

impl Waiting {
    fn put(&mut self, work: Work, to_front: bool) {
        match work {
            Work::Keys(jobs) if to_front => {
                jobs.into_iter().rev().for_each(|job| self.keys.push_front(job));
            }
            Work::Keys(jobs) => self.keys.extend(jobs),
            Work::Own(jobs) if to_front => {
                jobs.into_iter().rev().for_each(|job| self.own.push_front(job));
            }
            Work::Own(jobs) => self.own.extend(jobs),
        }
    }

    fn has_enough_keys(&self) -> bool {
        self.gathering.is_enough(self.keys.len(), Instant::now())
    }

    fn take(&mut self) -> ReadsPoll {
        let now = Instant::now();
        let gathers = match self.keys.len() {
            0 => None,
            jobs => self.gathering.until(jobs, now),
        };
        let no_keys = self.keys.is_empty() || gathers.is_some();
        if (no_keys || self.keys_were_last)
            && let Some(job) = self.own.pop_front()
        {
            self.keys_were_last = false;
            self.idle -= 1;
            return ReadsPoll::Work(Work::Own(self.with_pages(job)), None);
        }
        if no_keys {
            return gathers.map_or(ReadsPoll::Nothing, ReadsPoll::Gathering);
        }
        self.keys_were_last = true;
        let mut taken = Vec::new();
        let mut keys = 0;
        while let Some(job) = self.keys.front() {
            keys += job.keys.len();
            if keys > SHARED_KEYS && !taken.is_empty() {
                break;
            }
            taken.extend(self.keys.pop_front());
        }
        self.idle -= 1;
        let group = self.gathering.take(taken.len(), now);
        ReadsPoll::Work(Work::Keys(taken), Some(group))
    }

    /// Returns the work of a reader that has taken `job`: if that is a page and no reader is left,
    /// the next pages, too.
    fn with_pages(&mut self, job: OwnJob) -> Vec<OwnJob> {
        let is_page = |job: &OwnJob| matches!(job, OwnJob::Page(..));
        let most = if self.idle == 0 && is_page(&job) { PAGES_TOGETHER } else { 1 };
        let mut jobs = vec![job];
        while jobs.len() < most && self.own.front().is_some_and(is_page) {
            jobs.extend(self.own.pop_front());
        }
        jobs
    }
}

impl Work {
    /// Returns the last deadline of the reads.
    fn last_deadline(&self) -> Instant {
        let last = match self {
            Self::Keys(jobs) => jobs.iter().map(|job| job.deadline).max(),
            Self::Own(jobs) => jobs.iter().map(OwnJob::deadline).max(),
        };
        last.unwrap_or_else(Instant::now)
    }
}

impl OwnJob {
    fn deadline(&self) -> Instant {
        match self {
            Self::Page(_, deadline, _) | Self::Sums(_, deadline, _) => *deadline,
            Self::Locked(job) => job.deadline,
        }
    }

    /// Answers with an error. The caller may be gone.
    fn fail(self, error: Error) {
        match self {
            Self::Page(.., reply) => drop(reply.send(Err(error))),
            Self::Sums(.., reply) => drop(reply.send(Err(error))),
            Self::Locked(job) => drop(job.reply.send(Err(error))),
        }
    }
}

/// One reader.
pub(super) struct Reader {
    shared: Arc<Shared>,
    reads: Arc<Reads>,
    line: Option<(Connection, ReaderStatements)>,
    pauses: Pauses,
}

impl Reader {
    /// Returns a reader without a connection.
    pub(super) fn new(shared: Arc<Shared>, reads: Arc<Reads>, seed: u64) -> Self {
        Self { shared, reads, line: None, pauses: Pauses::new(seed) }
    }

    /// Answers waiting reads until the store is dropped.
    pub(super) async fn run(mut self) {
        let reads = Arc::clone(&self.reads);
        let mut failures: u32 = 0;
        drop(tokio::time::timeout(LANES_FIRST, self.shared.health.any_connected()).await);
        loop {
            let is_lost =
                self.line.as_ref().is_none_or(|(connection, _)| connection.client.is_closed());
            if is_lost && self.connect().await.is_err() {
                failures = failures.saturating_add(1);
                sleep(self.pauses.before_connecting(failures, &reads.health)).await;
                continue;
            }
            failures = 0;
            let taken = {
                let take = pin!(reads.take());
                let lost = pin!(async {
                    match &mut self.line {
                        Some((connection, _)) => connection.ended().await,
                        None => unreachable!("it was connected above"),
                    }
                });
                match select(take, lost).await {
                    Either::Left((taken, _)) => Some(taken),
                    Either::Right(_) => None,
                }
            };
            match taken {
                Some((work, _at_work)) => self.answer_in_time(work).await,
                // Another reader looks at the gathering reads.
                None => reads.arrived.notify_last(),
            }
        }
    }

    async fn connect(&mut self) -> Result<(), Failure> {
        self.give_up();
        let connector = &self.shared.connector;
        let connected = async {
            let connected = connector.connect().await;
            let connection = connected.map_err(|error| Failure::Lost(error.to_string()))?;
            let schema = &self.shared.options.schema;
            let prepared = ReaderStatements::prepare(&connection.client, schema);
            let statements = connection.answer(prepared).await?;
            Ok((connection, statements))
        };
        let line = tokio::time::timeout(connector.limit(), connected).await;
        let line = line.unwrap_or_else(|_| Err(connector.unanswered()));
        if let Err(failure) = &line {
            self.reads.health.failed(failure);
        }
        self.line = Some(line?);
        self.shared.counts.connects.add(1);
        self.reads.health.connected();
        Ok(())
    }

    /// Gives up the connection.
    fn give_up(&mut self) {
        if self.line.take().is_some() {
            self.reads.health.lost();
        }
    }

    /// Answers work, but gives it up with its connection when it is late, which the callers notice.
    async fn answer_in_time(&mut self, work: Work) {
        let last = work.last_deadline().max(Instant::now() + GRACE);
        if timeout_at(last, self.answer(work)).await.is_err() {
            self.give_up();
            self.reads.health.failed(&Failure::Lost(SILENT.to_owned()));
            self.shared.counts.late_reads.add(1);
        }
    }

    async fn answer(&mut self, work: Work) {
        let Some((connection, statements)) = &self.line else {
            self.reads.put_back(work, "there is no connection");
            return;
        };
        self.shared.counts.read_round_trips.add(1);
        let failed = match work {
            Work::Keys(jobs) => self.answer_keys(connection, statements, jobs).await,
            Work::Own(jobs) => {
                let answers =
                    jobs.into_iter().map(|job| self.answer_own(connection, statements, job));
                let failed = join_all(answers).await.into_iter().flatten();
                let (jobs, failures): (Vec<_>, Vec<_>) = failed.unzip();
                // A lost connection is lost for all of them.
                let worst = failures.into_iter().max_by_key(Failure::ends_connection);
                worst.map(|failure| (Work::Own(jobs), failure))
            }
        };
        if let Some((work, failure)) = failed {
            self.shared.counts.read_retries.add(1);
            if failure.ends_connection() {
                self.give_up();
            } else {
                sleep(self.pauses.before(RETRY_PAUSE)).await;
            }
            self.reads.put_back(work, &failure.to_string());
        }
    }

    /// Answers one read by a statement of its own; returns it with the reason if it has to be tried
    /// again.
    async fn answer_own(
        &self,
        connection: &Connection,
        statements: &ReaderStatements,
        job: OwnJob,
    ) -> Option<(OwnJob, Failure)> {
        self.shared.counts.reads.add(1);
        match job {
            OwnJob::Page(page, deadline, reply) => {
                match page.read(connection, statements, &self.shared).await {
                    Err(failure) if failure.may_pass() => {
                        Some((OwnJob::Page(page, deadline, reply), failure))
                    }
                    read => (drop(reply.send(read.map_err(Failure::into_error))), None).1,
                }
            }
            OwnJob::Sums(counters, deadline, reply) => {
                match counters.read(connection, &statements.sums).await {
                    Err(failure) if failure.may_pass() => {
                        Some((OwnJob::Sums(counters, deadline, reply), failure))
                    }
                    read => (drop(reply.send(read.map_err(Failure::into_error))), None).1,
                }
            }
            OwnJob::Locked(job) => {
                match self.read_locked(connection, statements, &job.keys).await {
                    Err(failure) if failure.may_pass() => Some((OwnJob::Locked(job), failure)),
                    read => (drop(job.reply.send(read.map_err(Failure::into_error))), None).1,
                }
            }
        }
    }

    async fn answer_keys(
        &self,
        connection: &Connection,
        statements: &ReaderStatements,
        jobs: Vec<KeysJob>,
    ) -> Option<(Work, Failure)> {
        let keys: Vec<&Located> = jobs.iter().flat_map(|job| &job.keys).collect();
        self.shared.counts.reads.add(keys.len() as u64);
        match read_keys(connection, statements, &keys).await {
            Err(failure) if failure.may_pass() => return Some((Work::Keys(jobs), failure)),
            Err(failure) => {
                let error = failure.into_error();
                for job in jobs {
                    drop(job.reply.send(Err(error.clone())));
                }
            }
            Ok(values) => {
                let mut values = values.into_iter();
                for job in jobs {
                    let own = values.by_ref().take(job.keys.len()).collect();
                    drop(job.reply.send(Ok(own)));
                }
            }
        }
        None
    }

    /// Reads keys that are locked for share, in order, until all are read.
    async fn read_locked(
        &self,
        connection: &Connection,
        statements: &ReaderStatements,
        keys: &[Located],
    ) -> Result<Vec<Option<Bytes>>, Failure> {
        let client = &connection.client;
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by_key(|nth| keys.get(*nth));
        let read = async {
            let begin = client.batch_execute("BEGIN");
            let reads =
                join_all(order.iter().filter_map(|nth| keys.get(*nth)).map(|key| async move {
                    client
                        .query(&statements.lock_one, &[&key.place, &key.prefix(), &key.tail()])
                        .await
                }));
            // Rolled back, not committed, because it wrote nothing.
            let (begun, rows, ended) =
                futures_util::future::join3(begin, reads, client.batch_execute("ROLLBACK")).await;
            begun?;
            ended?;
            rows.into_iter().collect::<Result<Vec<_>, _>>()
        };
        let rows = connection.answer(read).await?;
        let mut values = vec![None; keys.len()];
        for (nth, rows) in order.into_iter().zip(rows) {
            if let (Some(place), Some(row)) = (values.get_mut(nth), rows.first()) {
                *place = Some(value_of(row, 0, 1).map_err(Failure::Refused)?);
            }
        }
        Ok(values)
    }
}

/// Reads keys by one statement.
async fn read_keys(
    connection: &Connection,
    statements: &ReaderStatements,
    keys: &[&Located],
) -> Result<Vec<Option<Bytes>>, Failure> {
    let client = &connection.client;
    let mut values = vec![None; keys.len()];
    if let ([key], [value]) = (keys, values.as_mut_slice()) {
        let columns: [&(dyn ToSql + Sync); 3] = [&key.place, &key.prefix(), &key.tail()];
        let rows = connection.answer(client.query(&statements.one, &columns)).await?;
        if let Some(row) = rows.first() {
            *value = Some(value_of(row, 0, 1).map_err(Failure::Refused)?);
        }
        return Ok(values);
    }
    let places: Vec<i16> = keys.iter().map(|key| key.place).collect();
    let prefixes: Vec<&[u8]> = keys.iter().map(|key| key.prefix()).collect();
    let tails: Vec<&[u8]> = keys.iter().map(|key| key.tail()).collect();
    let columns: [&(dyn ToSql + Sync); 3] = [&places, &prefixes, &tails];
    for row in connection.answer(client.query(&statements.many, &columns)).await? {
        let nth: i64 = row.try_get(0).map_err(|error| Failure::Refused(unreadable(error)))?;
        let nth = usize::try_from(nth - 1).ok();
        if let Some(place) = nth.and_then(|nth| values.get_mut(nth)) {
            *place = Some(value_of(&row, 1, 2).map_err(Failure::Refused)?);
        }
    }
    Ok(values)
}
