//! Lanes: each has a connection and commits what waits, one transaction after the other.
//!
//! Leaves the transaction to `transaction.rs`, the talk with callers to `queue.rs` and lost commits to
//! `outcome.rs`.
//!
//! Invariants: every member that a lane has taken is told an outcome, within its deadline and the time of a
//! few statements; a group that fails is tried again one by one, so that nobody fails for another; a
//! transaction that may have been committed is never begun again before its outcome is known.

use super::connect::{Connection, Connector};
use super::decided::Verdict;
use super::failure::Failure;
use super::keys::Layout;
use super::options::PostgresOptions;
use super::outcome::{self, Outcome};
use super::queue::{Member, Queue};
use super::statements::LaneStatements;
use super::traffic::Counts;
use super::transaction::{Broken, Setting};
use crate::Error;
use futures_util::future::{Either, select};
use parking_lot::Mutex;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

/// Bytes of a lane's name.
pub(super) const LANE_BYTES: usize = 16;

/// How often one commit is tried before it is a conflict.
const TRIES: u32 = 12;

/// The longest pause between two tries, and between two attempts to connect.
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// How long the database may be asked for an outcome beyond the server's idle timeout.
const ASK_TIMEOUT: Duration = Duration::from_secs(10);

/// What all lanes and readers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) connector: Connector,
    pub(super) options: PostgresOptions,
    pub(super) layout: Layout,
    pub(super) counts: Counts,
    pub(super) commits: Queue,
    /// Why commits would fail now.
    pub(super) ill: Mutex<Option<Error>>,
    /// Set when the lanes are to end.
    pub(super) ending: watch::Sender<bool>,
}

/// One lane.
pub(super) struct Lane {
    shared: Arc<Shared>,
    name: [u8; LANE_BYTES],
    stripe: u64,
    /// The last transaction that was begun, and the last that was committed.
    token: i64,
    committed: i64,
    line: Option<Line>,
    pauses: Pauses,
}

/// A connection with what is prepared on it.
struct Line {
    connection: Connection,
    statements: LaneStatements,
}

/// Pauses that grow and differ from lane to lane.
#[derive(Debug)]
pub(super) struct Pauses(u64);

impl Pauses {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Returns the pause before a try.
    pub(super) fn before(&mut self, tries: u32) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let longest = Duration::from_millis(1 << tries.min(10)).min(MAX_PAUSE);
        let part = u32::try_from(self.0 % 1024).unwrap_or(0);
        longest * part / 1024
    }
}

impl Shared {
    /// Notes that the database can be used, or why not.
    pub(super) fn note(&self, ill: Option<Error>) {
        *self.ill.lock() = ill;
    }
}

impl Lane {
    /// Returns a lane without a connection.
    pub(super) fn new(shared: Arc<Shared>, name: [u8; LANE_BYTES], stripe: u64) -> Self {
        let pauses = Pauses::new(xxhash_rust::xxh3::xxh3_64(&name));
        Self { shared, name, stripe, token: 0, committed: 0, line: None, pauses }
    }

    /// Commits what waits until the store ends.
    pub(super) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut ending = shared.ending.subscribe();
        let mut failures = 0;
        loop {
            let is_lost = self.line.as_ref().is_none_or(|line| line.connection.client.is_closed());
            if is_lost && let Err(failure) = self.connect().await {
                self.refuse_late(&failure.to_string());
                failures += 1;
                let pause = self.pauses.before(failures + 4);
                let end = ending.wait_for(|ending| *ending);
                if timeout(pause, end).await.is_ok() {
                    return;
                }
                continue;
            }
            failures = 0;
            let taken = {
                let take = pin!(shared.commits.take(shared.options.group_commits));
                let end = pin!(ending.wait_for(|ending| *ending));
                match select(take, end).await {
                    Either::Left((taken, _)) => taken,
                    Either::Right(_) => break,
                }
            };
            self.commit(taken).await;
        }
        if let Some(line) = &self.line {
            // A row that stays behind is 40 bytes that nobody reads.
            drop(outcome::unregister(&line.connection, &shared.options.schema, &self.name).await);
        }
    }

    /// Tells those who have waited too long that there is no connection.
    fn refuse_late(&self, what: &str) {
        for member in self.shared.commits.take_late() {
            member.end(Err(Error::Unavailable { what: what.to_owned() }));
        }
    }

    /// Connects anew.
    async fn connect(&mut self) -> Result<(), Failure> {
        self.line = None;
        let connected = self.connected().await;
        let ill = connected.as_ref().err();
        self.shared.note(ill.map(|failure| Error::Unavailable { what: failure.to_string() }));
        connected
    }

    async fn connected(&mut self) -> Result<(), Failure> {
        let schema = &self.shared.options.schema;
        let connected = self.shared.connector.connect().await;
        let connection = connected.map_err(|error| Failure::Lost(error.to_string()))?;
        self.shared.counts.connects.add(1);
        let prepared = LaneStatements::prepare(&connection.client, schema);
        let statements = connection.answer(prepared).await?;
        outcome::register(&connection, schema, &self.name).await?;
        self.line = Some(Line { connection, statements });
        Ok(())
    }

    /// Commits a group, and if that fails each of it for itself.
    async fn commit(&mut self, mut members: Vec<Member>) {
        members.retain(|member| !member.is_abandoned());
        if members.is_empty() {
            return;
        }
        if let [_, _, ..] = members.as_slice() {
            members = self.commit_together(members).await;
        }
        for member in members {
            let outcome = self.commit_alone(&member).await;
            if matches!(outcome, Err(Error::Conflict)) {
                self.shared.counts.conflicts.add(1);
            }
            member.end(outcome);
        }
    }

    /// Commits a group in one transaction, and returns those who are to be tried again.
    async fn commit_together(&mut self, members: Vec<Member>) -> Vec<Member> {
        let verdicts = match self.attempt(&members).await {
            Ok(verdicts) => verdicts,
            Err(Failure::Unknown(what)) => {
                for member in members {
                    member.end(Err(Error::Unavailable { what: what.clone() }));
                }
                return Vec::new();
            }
            Err(Failure::Retry | Failure::Lost(_) | Failure::Refused(_)) => {
                self.shared.counts.retries.add(1);
                return members;
            }
        };
        let mut again = Vec::new();
        for (member, verdict) in members.into_iter().zip(verdicts) {
            match verdict {
                Verdict::Holds => member.end(Ok(())),
                Verdict::Silent => member.end(Err(silent())),
                Verdict::Again => again.push(member),
            }
        }
        again
    }

    /// Commits one member, with several tries.
    async fn commit_alone(&mut self, member: &Member) -> Result<(), Error> {
        for tries in 0..TRIES {
            if tries > 0 {
                self.shared.counts.retries.add(1);
                sleep(self.pauses.before(tries)).await;
            }
            match self.attempt(std::slice::from_ref(member)).await {
                Ok(verdicts) => match verdicts.first() {
                    Some(Verdict::Holds) | None => return Ok(()),
                    Some(Verdict::Silent) => return Err(silent()),
                    Some(Verdict::Again) => {}
                },
                Err(Failure::Retry) => {}
                Err(Failure::Lost(what)) => self.wait_for_connection(member, what).await?,
                Err(failure @ (Failure::Refused(_) | Failure::Unknown(_))) => {
                    return Err(failure.into_error());
                }
            }
            if member.is_abandoned() {
                return Err(Error::Conflict);
            }
        }
        Err(Error::Conflict)
    }

    /// Connects anew, trying until the member's deadline.
    async fn wait_for_connection(
        &mut self,
        member: &Member,
        mut what: String,
    ) -> Result<(), Error> {
        let mut tries = 4;
        loop {
            match self.connect().await {
                Ok(()) => return Ok(()),
                Err(Failure::Refused(error)) => return Err(error),
                Err(Failure::Lost(why) | Failure::Unknown(why)) => what = why,
                Err(Failure::Retry) => {}
            }
            if Instant::now() >= member.deadline {
                return Err(Error::Unavailable { what });
            }
            tries += 1;
            sleep(self.pauses.before(tries)).await;
        }
    }

    /// Runs one transaction. When it fails it was not committed.
    async fn attempt(&mut self, members: &[Member]) -> Result<Vec<Verdict>, Failure> {
        let Some(line) = &self.line else {
            return Err(Failure::Lost("there is no connection".to_owned()));
        };
        self.token += 1;
        let options = &self.shared.options;
        let setting = Setting {
            connection: &line.connection,
            statements: &line.statements,
            layout: &self.shared.layout,
            counts: &self.shared.counts,
            lane: &self.name,
            token: self.token,
            stripe: self.stripe,
            decide_timeout: options.decide_timeout,
            group_bytes: options.group_bytes,
        };
        match setting.run(members).await {
            Ok((verdicts, is_committed)) => {
                if is_committed {
                    self.committed = self.token;
                }
                Ok(verdicts)
            }
            Err(Broken { failure: Failure::Lost(what), in_commit: Some(verdicts) }) => {
                self.resolve(what).await.map(|()| verdicts)
            }
            Err(Broken { failure: failure @ Failure::Lost(_), .. }) => {
                self.line = None;
                Err(failure)
            }
            Err(Broken { failure, .. }) => {
                self.shared.counts.commit_round_trips.add(1);
                let rolled_back =
                    line.connection.answer(line.connection.client.batch_execute("ROLLBACK"));
                if rolled_back.await.is_err() {
                    self.line = None;
                }
                Err(failure)
            }
        }
    }

    /// Finds out what has become of the last transaction, whose connection was lost in its commit.
    ///
    /// # Errors
    /// `Lost` when it was not committed, `Unknown` when nobody can tell.
    async fn resolve(&mut self, what: String) -> Result<(), Failure> {
        self.shared.counts.resolved_outcomes.add(1);
        let options = &self.shared.options;
        let deadline = Instant::now() + options.patience + options.decide_timeout * 2 + ASK_TIMEOUT;
        let mut tries = 4;
        loop {
            let asked = match self.connect().await {
                Ok(()) => self.ask().await,
                Err(failure) => Err(failure),
            };
            match asked {
                Ok(Outcome::Committed) => {
                    self.committed = self.token;
                    return Ok(());
                }
                Ok(Outcome::RolledBack) => return Err(Failure::Lost(what)),
                Ok(Outcome::Unknown) => break,
                Err(_) if Instant::now() >= deadline => break,
                Err(_) => {}
            }
            tries += 1;
            sleep(self.pauses.before(tries)).await;
        }
        self.rename();
        Err(Failure::Unknown(format!("whether the commit was carried out cannot be told: {what}")))
    }

    /// Takes a new row, as nobody knows what the old one says.
    fn rename(&mut self) {
        self.line = None;
        let digest =
            xxhash_rust::xxh3::xxh3_128(&[&self.name[..], &self.token.to_be_bytes()].concat());
        self.name = digest.to_be_bytes();
        self.committed = 0;
    }

    async fn ask(&self) -> Result<Outcome, Failure> {
        let Some(line) = &self.line else {
            return Err(Failure::Lost("there is no connection".to_owned()));
        };
        let schema = &self.shared.options.schema;
        outcome::ask(&line.connection, schema, &self.name, self.committed, self.token).await
    }
}

/// Returns the error for whoever did not decide in time, while others waited for the locked keys.
fn silent() -> Error {
    Error::Unavailable { what: "the commit was not decided in time".to_owned() }
}
