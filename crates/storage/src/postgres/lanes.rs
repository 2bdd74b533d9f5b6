//! Lanes: each has a connection and commits waiting commits, one transaction after the other.
//!
//! Leaves the transaction to `transaction.rs`, the messages to callers to `queue.rs` and lost
//! commits to `outcome.rs`.
//!
//! Invariants: every member that a lane has taken gets an outcome by its deadline, and no later
//! than [`GRACE`] after it was taken if that is later, whatever the lane waits for; the members of
//! a group that fails are tried again one by one, so that none fails because of another; a
//! transaction that may have been committed is never begun again before its outcome is known.

use super::cause::Cause;
use super::connect::{Connection, idle_timeout};
use super::decided::Verdict;
use super::early::EarlyGroup;
use super::early_decision::Early;
use super::failure::Failure;
use super::fence::Fencing;
use super::outcome::{self, CommitOutcome};
use super::pauses::Pauses;
use super::queue::{Bell, Member};
use super::revisions;
use super::shared::{GRACE, Shared};
use super::statements::LaneStatements;
use super::transaction::{Broken, Setting, Unsent};
use crate::Error;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Error of a lane whose last transaction has not ended.
const GOES_ON: &str = "a commit goes on in the database and does not end: \
     does it wait for a standby that is away (synchronous_standby_names)?";

/// Bytes of a lane's name.
pub(super) const LANE_BYTES: usize = 16;

/// Tries of one commit before it is a conflict.
const TRIES: u32 = 12;

/// Most transactions of a lane with the same row.
const MAX_TOKENS_OF_ROW: i64 = 2_000;

/// Most time that a lane at its end waits for its row to be removed.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// One lane.
pub(super) struct Lane {
    shared: Arc<Shared>,
    name: [u8; LANE_BYTES],
    stripe: u64,
    /// Token of the last transaction that was begun, and of the last that was committed.
    token: i64,
    committed: i64,
    /// Token with which its row was inserted.
    row_token: i64,
    line: Option<Line>,
    pauses: Pauses,
}

/// A connection with its prepared statements.
struct Line {
    connection: Connection,
    statements: LaneStatements,
}

impl Lane {
    /// Returns a lane without a connection.
    pub(super) fn new(shared: Arc<Shared>, name: [u8; LANE_BYTES], stripe: u64) -> Self {
        let pauses = Pauses::new(xxhash_rust::xxh3::xxh3_64(&name));
        shared.living.send_modify(|living| *living += 1);
        let (token, committed) = (outcome::FIRST_TOKEN, outcome::FIRST_TOKEN);
        Self { shared, name, stripe, token, committed, row_token: token, line: None, pauses }
    }

    /// Commits waiting commits until the store ends.
    pub(super) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut ending = shared.ending.subscribe();
        let mut failures: u32 = 0;
        loop {
            let is_lost = self.line.as_ref().is_none_or(|line| line.connection.client.is_closed());
            // Also when an idle connection has ended, so that its loss is known.
            if is_lost {
                shared.commits.wake();
                let connected = self.connect_before(&mut ending).await;
                if connected.is_err() {
                    failures = failures.saturating_add(1);
                    let pause = self.pauses.before_connecting(failures, &shared.health);
                    let end = ending.wait_for(|ending| *ending);
                    if timeout(pause, end).await.is_ok() {
                        return;
                    }
                    continue;
                }
            }
            failures = 0;
            let taken = {
                let take = pin!(shared.commits.take());
                let lost = pin!(async {
                    match &mut self.line {
                        Some(line) => line.connection.ended().await,
                        None => unreachable!("it was connected above"),
                    }
                });
                let end = pin!(ending.wait_for(|ending| *ending));
                match select(take, select(lost, end)).await {
                    Either::Left((taken, _)) => Some(taken),
                    Either::Right((Either::Left(_), _)) => None,
                    Either::Right((Either::Right(_), _)) => break,
                }
            };
            if let Some(mut taken) = taken {
                self.commit(std::mem::take(&mut taken.members)).await;
                if let Some(line) = &self.line {
                    shared.ages.look(&line.connection).await;
                }
                self.take_new_row().await;
            }
        }
        if let Some(line) = &self.line {
            // If the row stays behind, another store removes it after a while.
            let gone = outcome::unregister(&line.connection, &shared.tables, &self.name);
            drop(timeout(END_TIMEOUT, gone).await);
        }
    }

    /// Connects anew, but gives up a while after the end.
    async fn connect_before(&mut self, ending: &mut watch::Receiver<bool>) -> Result<(), Failure> {
        let shared = Arc::clone(&self.shared);
        let connect = pin!(self.connect());
        let end = pin!(async { drop(ending.wait_for(|ending| *ending).await) });
        match select(connect, end).await {
            Either::Left((connected, _)) => connected,
            // The attempt may have inserted the lane's row, which is then removed.
            Either::Right(((), connect)) => timeout(END_TIMEOUT, connect)
                .await
                .unwrap_or_else(|_| Err(shared.connector.unanswered())),
        }
    }

    /// Connects anew.
    async fn connect(&mut self) -> Result<(), Failure> {
        self.give_up();
        let connected = match self.line().await {
            Ok(line) => self.use_line(line).await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = &connected {
            self.shared.health.failed(failure);
        }
        connected
    }

    /// Gives up the connection.
    fn give_up(&mut self) {
        if self.line.take().is_some() {
            self.shared.health.lost();
        }
    }

    /// Returns a new connection.
    async fn line(&self) -> Result<Line, Failure> {
        let connected = async {
            let connected = self.shared.connector.connect().await;
            let connection = connected.map_err(|error| Failure::Lost(error.to_string()))?;
            let prepared = LaneStatements::prepare(&connection.client, &self.shared.tables);
            let statements = connection.answer(prepared).await?;
            Ok(Line { connection, statements })
        };
        let line = timeout(self.shared.connector.limit(), connected).await;
        let line = line.map_err(|_| self.shared.connector.unanswered())??;
        self.shared.counts.connects.add(1);
        Ok(line)
    }

    /// Goes on with a connection; the lane's row is there.
    async fn use_line(&mut self, line: Line) -> Result<(), Failure> {
        let tables = &self.shared.tables;
        outcome::register(&line.connection, tables, &self.name, self.committed).await?;
        self.look_for_older(&line.connection).await?;
        self.line = Some(line);
        self.shared.health.connected();
        Ok(())
    }

    /// Trusts the fence once no program of an older version can be running any more.
    async fn look_for_older(&self, connection: &Connection) -> Result<(), Failure> {
        let Shared { tables, fence, .. } = &*self.shared;
        if fence.is_in_doubt() {
            let version = revisions::version(&connection.client, &tables.schema);
            if connection.answer(version).await? >= revisions::SINCE_FENCE {
                fence.trust();
            }
        }
        Ok(())
    }

    /// Takes a new row if the lane has had its own for many transactions (`outcome.rs`). Between
    /// two groups no outcome is in doubt.
    async fn take_new_row(&mut self) {
        let Some(line) =
            self.line.as_ref().filter(|_| self.token - self.row_token >= MAX_TOKENS_OF_ROW)
        else {
            return;
        };
        let new = self.next_name();
        let names = [&self.name[..], &new[..]];
        let taken = async {
            let tables = &self.shared.tables;
            outcome::exchange(&line.connection, tables, names, self.committed).await?;
            self.look_for_older(&line.connection).await
        };
        let taken = taken.await;
        // Tries again after as many transactions.
        self.row_token = self.token;
        match taken {
            Ok(()) => self.name = new,
            Err(failure) => {
                // The old row may be gone, and the new one not inserted yet: a new connection
                // inserts it.
                self.name = new;
                self.give_up();
                self.shared.health.failed(&failure);
            }
        }
    }

    /// Commits a group, and answers late members with an error.
    async fn commit(&mut self, mut members: Vec<Member>) {
        members.retain(|member| !member.is_abandoned());
        if members.is_empty() {
            return;
        }
        let bells: Vec<Bell> = members.iter().map(Member::bell).collect();
        let shared = Arc::clone(&self.shared);
        let late = pin!(ring_late(&shared, &bells));
        // The group goes on after all were answered.
        if let Either::Right(((), commit)) = select(pin!(self.commit_all(members)), late).await {
            commit.await;
        }
    }

    /// Commits a group, and if that fails each member by itself.
    async fn commit_all(&mut self, mut members: Vec<Member>) {
        self.count_wait(&members);
        members = self.commit_early(members).await;
        self.shared.guesses.pass(members.len());
        // Other members would have to decide on its writes.
        let is_alone = |member: &mut Member| member.fencing == Fencing::MayWrite;
        let alone: Vec<_> = members.extract_if(.., is_alone).collect();
        let mut failed = None;
        if let [_, _, ..] = members.as_slice() {
            (members, failed) = self.commit_together(members).await;
        }
        let members = members.into_iter().map(|member| (member, failed.clone()));
        for (member, failed) in members.chain(alone.into_iter().map(|member| (member, None))) {
            let outcome = self.commit_alone(&member, failed).await;
            if matches!(outcome, Err(Error::Conflict)) {
                self.shared.counts.conflicts.add(1);
            }
            member.end(outcome);
        }
    }

    /// Commits a group if all its members were decided early, and returns the members that have to
    /// be asked to decide.
    async fn commit_early(&mut self, mut members: Vec<Member>) -> Vec<Member> {
        let early: Vec<Early> =
            members.iter_mut().filter_map(|member| member.early.take()).collect();
        if early.is_empty() {
            return members;
        }
        self.token += 1;
        let Some(setting) = self.setting(&members) else { return members };
        let group = (early.len() == members.len()).then(|| EarlyGroup::of(&setting, early));
        let Some(group) = group.flatten() else {
            self.shared.guesses.was_in_vain();
            return members;
        };
        let failure = match setting.run_early(&group, self.committed).await {
            Ok(()) => {
                self.has_committed();
                return self.end_early(&group, members);
            }
            Err(Unsent { failure: Failure::Retry(Cause::Conflict, _), .. }) => {
                self.shared.fence.forget();
                self.shared.guesses.was_mistaken();
                return members;
            }
            Err(Unsent { failure, is_open: true }) => match self.resolve(failure).await {
                Ok(()) => return self.end_early(&group, members),
                Err(Failure::Unknown(what)) => {
                    for member in members {
                        member.end(Err(Error::Unavailable { what: what.clone() }));
                    }
                    return Vec::new();
                }
                Err(failure) => failure,
            },
            Err(Unsent { failure, .. }) => {
                self.give_up_if_useless(&failure);
                failure
            }
        };
        if let Failure::Refused(_) = failure {
            // A server that refuses such a statement refuses the next one.
            self.shared.guesses.was_mistaken();
        }
        self.shared.counts.count_retry(failure.cause());
        members
    }

    /// Answers the members of a group that was committed as decided early.
    fn end_early(&self, group: &EarlyGroup, members: Vec<Member>) -> Vec<Member> {
        self.shared.guesses.was_right();
        let keys = members.iter().flat_map(Member::keys);
        keys.for_each(|key| self.shared.guesses.meet(key));
        self.shared.counts.count_group(&group.writes);
        for member in members {
            member.end(Ok(()));
        }
        Vec::new()
    }

    fn count_wait(&self, members: &[Member]) {
        let Shared { options, counts, .. } = &*self.shared;
        let now = Instant::now();
        let waited = |member: &Member| options.patience.saturating_sub(member.deadline - now);
        let us: u128 = members.iter().map(waited).map(|waited| waited.as_micros()).sum();
        counts.commit_wait_us.add(u64::try_from(us).unwrap_or(u64::MAX));
    }

    /// Commits a group in one transaction, and returns the members to be tried again, with the
    /// reason.
    async fn commit_together(&mut self, members: Vec<Member>) -> (Vec<Member>, Option<Error>) {
        let verdicts = match self.attempt(&members).await {
            Ok(verdicts) => verdicts,
            Err(Failure::Unknown(what)) => {
                for member in members {
                    member.end(Err(Error::Unavailable { what: what.clone() }));
                }
                return (Vec::new(), None);
            }
            Err(failure) => {
                self.shared.counts.count_retry(failure.cause());
                return (members, Some(failure.into_error()));
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
        if !again.is_empty() {
            self.shared.counts.count_retry(Cause::Conflict);
        }
        (again, None)
    }

    /// Commits one member, with several tries until its deadline. `failed` is the reason of an
    /// earlier failure.
    async fn commit_alone(
        &mut self,
        member: &Member,
        mut failed: Option<Error>,
    ) -> Result<(), Error> {
        let (mut tries, mut losses) = (0, 0);
        loop {
            if let Some(error) = failed
                && (tries >= TRIES || Instant::now() >= member.deadline || member.is_abandoned())
            {
                return Err(error);
            }
            if tries + losses > 0 {
                sleep(self.pauses.before(tries + losses)).await;
            }
            let attempted = self.attempt(std::slice::from_ref(member)).await;
            if let Err(failure) = &attempted
                && failure.may_pass()
            {
                self.shared.counts.count_retry(failure.cause());
            }
            failed = match attempted {
                Ok(verdicts) => match verdicts.first() {
                    Some(Verdict::Holds) | None => return Ok(()),
                    Some(Verdict::Silent) => return Err(silent()),
                    Some(Verdict::Again) => {
                        self.shared.counts.count_retry(Cause::Conflict);
                        tries += 1;
                        Some(Error::Conflict)
                    }
                },
                Err(Failure::Retry(_, error)) => {
                    tries += 1;
                    Some(error)
                }
                // Bounded by the deadline alone, because the database may be away for long.
                Err(Failure::Lost(what) | Failure::Standby(what)) => {
                    losses += 1;
                    self.wait_for_connection(member, what.clone()).await?;
                    Some(Error::Unavailable { what })
                }
                Err(failure @ (Failure::Refused(_) | Failure::Unknown(_))) => {
                    return Err(failure.into_error());
                }
            };
        }
    }

    /// Connects anew, trying until the member's deadline.
    async fn wait_for_connection(
        &mut self,
        member: &Member,
        mut what: String,
    ) -> Result<(), Error> {
        let mut tries = 4;
        loop {
            if Instant::now() >= member.deadline {
                return Err(Error::Unavailable { what });
            }
            match self.connect().await {
                Ok(()) => return Ok(()),
                Err(Failure::Refused(error)) => return Err(error),
                Err(failure) => what = failure.to_string(),
            }
            tries += 1;
            sleep(self.pauses.before(tries)).await;
        }
    }

    /// Runs one transaction. If it fails, it was not committed.
    async fn attempt(&mut self, members: &[Member]) -> Result<Vec<Verdict>, Failure> {
        self.token += 1;
        let Some(setting) = self.setting(members) else {
            return Err(Failure::Lost("there is no connection".to_owned()));
        };
        match setting.run().await {
            Ok((verdicts, is_committed)) => {
                if is_committed {
                    self.has_committed();
                }
                Ok(verdicts)
            }
            Err(Broken { failure, open: Some(decided) }) => {
                self.resolve(failure).await?;
                self.shared.counts.count_group(&decided.writes);
                Ok(decided.verdicts)
            }
            Err(Broken { failure, .. }) => {
                self.end_failed(members, &failure).await;
                Err(failure)
            }
        }
    }

    /// Ends a transaction that failed before its commit.
    async fn end_failed(&mut self, members: &[Member], failure: &Failure) {
        self.give_up_if_useless(failure);
        if let Some(setting) = self.setting(members) {
            setting.count_round_trip();
            let connection = setting.connection;
            let rolled_back = connection.answer(connection.client.batch_execute("ROLLBACK"));
            if rolled_back.await.is_err() {
                self.give_up();
            }
        }
    }

    /// Gives up the connection if this failure makes it useless.
    fn give_up_if_useless(&mut self, failure: &Failure) {
        if failure.ends_connection() {
            self.give_up();
            self.shared.health.failed(failure);
        }
    }

    /// Returns the parts that the next transaction needs, if there is a connection.
    fn setting<'l>(&'l self, members: &'l [Member]) -> Option<Setting<'l>> {
        let Shared { options, layout, counts, guesses, fence, .. } = &*self.shared;
        let line = self.line.as_ref()?;
        Some(Setting {
            members,
            connection: &line.connection,
            statements: &line.statements,
            layout,
            counts,
            guesses,
            fence,
            lane: &self.name,
            token: self.token,
            stripe: self.stripe,
            decide_timeout: options.decide_timeout,
            group_bytes: options.group_bytes,
        })
    }

    /// Notes that the lane's row has the last token.
    fn has_committed(&mut self) {
        self.committed = self.token;
    }

    /// Finds out whether the last transaction was committed, after an answer that leaves it open. Waits while it goes
    /// on in the database, such as for a standby.
    ///
    /// # Errors
    /// The failure itself if it was not committed, `Unknown` if the outcome cannot be found.
    async fn resolve(&mut self, failure: Failure) -> Result<(), Failure> {
        self.shared.counts.resolved_outcomes.add(1);
        let options = &self.shared.options;
        let limit = options.patience + idle_timeout(options) + options.statement_timeout;
        let mut deadline = Instant::now() + limit;
        let mut tries = 4;
        loop {
            match self.ask().await {
                Ok(CommitOutcome::Committed) => {
                    self.has_committed();
                    return Ok(());
                }
                Ok(CommitOutcome::RolledBack) => {
                    self.token += 1;
                    self.has_committed();
                    return Err(failure);
                }
                Ok(CommitOutcome::Unknown) => break,
                Err(Failure::Retry(Cause::Lock, _)) if !*self.shared.ending.borrow() => {
                    deadline = Instant::now() + limit;
                    self.shared.health.failed(&Failure::Lost(GOES_ON.to_owned()));
                }
                Err(_) if Instant::now() >= deadline || *self.shared.ending.borrow() => break,
                Err(failure) => self.shared.health.failed(&failure),
            }
            tries += 1;
            sleep(self.pauses.before(tries)).await;
        }
        self.rename();
        self.shared.counts.unknown_outcomes.add(1);
        Err(Failure::Unknown(format!(
            "whether the commit was carried out cannot be told: {failure}"
        )))
    }

    /// Takes a new row, because the state of the old one is unknown.
    fn rename(&mut self) {
        self.give_up();
        self.name = self.next_name();
        (self.committed, self.row_token) = (outcome::FIRST_TOKEN, self.token);
    }

    /// Returns a name that no other lane has had.
    fn next_name(&self) -> [u8; LANE_BYTES] {
        let parts = [&self.name[..], &self.token.to_be_bytes()].concat();
        xxhash_rust::xxh3::xxh3_128(&parts).to_be_bytes()
    }

    /// Asks for the outcome of the last transaction by a new connection, which is used for nothing
    /// else before: a missing row must not be inserted before it was looked for.
    async fn ask(&mut self) -> Result<CommitOutcome, Failure> {
        self.give_up();
        let line = self.line().await?;
        let tokens = [self.committed, self.token, self.token + 1];
        let tables = &self.shared.tables;
        let told = outcome::ask(&line.connection, tables, &self.name, tokens).await?;
        // If this fails, the next transaction connects anew.
        drop(self.use_line(line).await);
        Ok(told)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.living.send_modify(|living| *living -= 1);
    }
}

/// Returns the error for a commit that did not decide in time, while others waited for the locked
/// keys.
fn silent() -> Error {
    Error::Unavailable { what: "the commit was not decided in time".to_owned() }
}

/// Answers members as late one after the other, in the order of their deadlines.
async fn ring_late(shared: &Shared, bells: &[Bell]) {
    let first = Instant::now() + GRACE;
    for bell in bells {
        sleep_until(bell.deadline.max(first)).await;
        shared.counts.late_commits.add(1);
        let what = "the database has not answered the commit in time: whether it was or will be \
                    carried out cannot be told";
        bell.ring(Error::Unavailable { what: what.to_owned() });
    }
}
