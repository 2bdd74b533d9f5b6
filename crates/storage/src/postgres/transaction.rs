//! One transaction of a lane: two round trips in which the commits of a group are decided and
//! written.
//!
//! First: `BEGIN`, the lane's token, and the declared keys, locked in the order of the primary key
//! and read: for update those that a member of the group may write, for share the others. Then the
//! group decides, in waves (`group.rs`), on these values and on the writes of earlier waves.
//! Second: all writes as statements over arrays, and `COMMIT`.
//!
//! Why a decision holds:
//! - A declared key that exists is locked from before its value was read until the end. If a row
//!   changed while the transaction waited for its lock, the database reads it again.
//! - A declared key that is absent has no row to lock. If a member writes something on its absence,
//!   the transaction inserts the row without `ON CONFLICT`: with its value, or as a placeholder
//!   that the same transaction deletes. The insert waits for another transaction that inserts the
//!   same row, and fails if the row exists then; the transaction is rolled back and tried again.
//! - A commit that writes nothing but was shown absent keys beside others holds only if these are
//!   still absent while the others are locked: the transaction checks that just before its end, and
//!   if they are not, that commit alone decides again.
//! - The token's row is locked from the first round trip on, so that a statement that reads it for
//!   update after a lost connection waits for the end of this transaction (`outcome.rs`).
//!
//! Stamps and counters come last, so that their rows are locked for the shortest time. All
//! statements lock rows of one kind in order, and kinds in one order, so transactions wait in a
//! circle only in rare cases, which the database resolves and the lane tries again.
//!
//! A group in which no member writes, and without a probe, is rolled back, not committed: it has
//! nothing to make durable, its members were shown only committed values, and the commit of the
//! locks themselves would cost a sync of the log.

use super::connect::Connection;
use super::decided::{Decided, MemberReply, Values, Verdict};
use super::failure::{Failure, leaves_commit_open};
use super::fence::{Fence, Fencing};
use super::forms::{Form, query_arrays};
use super::group::{Writes, waves};
use super::guesses::Guesses;
use super::keys::{Layout, Located, unreadable, value_of};
use super::queue::Member;
use super::rows::{
    Numbers, Rows, arrays_of, count, is_appended_directly, sorted_appends, stamp_row,
};
use super::statements::{Composed, Composition, LaneStatements};
use super::steps::{StatementStep, Taken};
use super::traffic::Counts;
use crate::{Batch, Error};
use bytes::Bytes;
use futures_util::future::{BoxFuture, join, join_all};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::{Instant, timeout_at};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Most changes of the kind of lock along the keys of a group; more are avoided by locking for
/// update what would be locked for share.
const MAX_LOCK_CHANGES: usize = 6;

/// Parts of a lane that a transaction needs.
pub(super) struct Setting<'l> {
    /// The group.
    pub(super) members: &'l [Member],
    pub(super) connection: &'l Connection,
    pub(super) statements: &'l LaneStatements,
    pub(super) layout: &'l Layout,
    pub(super) counts: &'l Counts,
    pub(super) guesses: &'l Guesses,
    pub(super) fence: &'l Fence,
    pub(super) lane: &'l [u8],
    pub(super) token: i64,
    pub(super) stripe: u64,
    pub(super) decide_timeout: Duration,
    pub(super) group_bytes: usize,
}

/// End of a transaction that failed.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) failure: Failure,
    /// The decisions, if the commit may have been carried out.
    pub(super) open: Option<Decided>,
}

impl Broken {
    fn before_commit(failure: Failure) -> Self {
        Self { failure, open: None }
    }
}

impl Setting<'_> {
    /// Runs a group in one transaction, and returns whether it was committed: it is not if no
    /// member writes.
    pub(super) async fn run(&self) -> Result<(Vec<Verdict>, bool), Broken> {
        let members = self.members;
        let values = self.begin().await.map_err(Broken::before_commit)?;
        let mut decided = self.decide(&values).await;
        if decided.writes.is_empty() && !members.iter().any(|member| member.is_probe) {
            self.end_without_writes(&values, &mut decided).await?;
            return Ok((decided.verdicts, false));
        }
        let doubtful = decided.doubtful_keys(members, &values);
        let held = decided.held_keys(members, &values);
        let sent = self.write(&decided.writes, &values, &held, &doubtful).await;
        match sent {
            Ok(Sent { is_one_state }) => {
                if !is_one_state {
                    decided.send_doubtful_back(members, &values);
                }
                self.counts.count_group(&decided.writes);
                Ok((decided.verdicts, true))
            }
            Err(Unsent { failure, is_open: true }) => {
                decided.send_doubtful_back(members, &values);
                Err(Broken { failure, open: Some(decided) })
            }
            Err(Unsent { failure, is_open: false }) => Err(Broken::before_commit(failure)),
        }
    }

    /// Counts a round trip, which all members of the group share.
    pub(super) fn count_round_trip(&self) {
        self.counts.commit_round_trips.add(1);
        self.members.iter().for_each(Member::count_request);
    }

    /// Returns whether a member of the group may write the fence.
    fn may_write_fence(&self) -> bool {
        self.members.iter().any(|member| member.fencing == Fencing::MayWrite)
    }

    /// Begins the transaction, sets the lane's token, locks the declared keys and returns their
    /// values.
    async fn begin(&self) -> Result<Values, Failure> {
        let runs = lock_runs(self.members);
        let steps: Vec<_> = runs
            .iter()
            .map(|(for_update, keys)| {
                let step = if *for_update { StatementStep::Lock } else { StatementStep::Share };
                (step, arrays_of(keys.iter().copied()))
            })
            .collect();
        let statement = self.composed(Composition::Locks, &steps).await?;
        let client = &self.connection.client;
        let first: [&(dyn ToSql + Sync); 2] = [&self.lane, &self.token];
        self.count_round_trip();
        let locked = statement.query(client, &first, &steps);
        let mut begin = "BEGIN".to_owned();
        if self.may_write_fence() {
            begin = format!("BEGIN; {}", self.fence.lock());
        }
        let all = join(client.batch_execute(&begin), locked);
        let locked = self.connection.answer(async {
            let (begun, locked) = all.await;
            begun?;
            locked
        });
        let values = self.take_values(&runs, &locked.await?)?;
        let written = self.members.iter().flat_map(|member| &member.write);
        self.guesses.found(written.map(|key| (key, values.contains_key(&key.key))));
        Ok(values)
    }

    /// Returns the values of locked rows, and of the fence if the lane tells it.
    fn take_values(&self, runs: &[(bool, Vec<&Located>)], rows: &[Row]) -> Result<Values, Failure> {
        let mut values = Values::default();
        let mut has_lane = false;
        for row in rows {
            let read = || Ok((row.try_get::<_, i32>(0)?, row.try_get::<_, i64>(1)?));
            let (step, nth) = read().map_err(|error| Failure::Refused(unreadable(error)))?;
            if step == 0 {
                has_lane = true;
                self.take_fence(row, &mut values)?;
                continue;
            }
            let at = |nth: i64| usize::try_from(nth - 1).ok();
            let run = at(step.into()).and_then(|step| runs.get(step));
            let key = run.zip(at(nth)).and_then(|((_, keys), nth)| keys.get(nth));
            let key = key.ok_or_else(|| {
                Failure::Refused(Error::corrupt("a row that was not asked for", "the database"))
            })?;
            let value = value_of(row, 2, 3).map_err(Failure::Refused)?;
            values.insert(key.key.clone(), value);
        }
        if !has_lane {
            // The row is gone, so a new connection has to insert it again.
            return Err(Failure::Lost("the lane's row is gone".to_owned()));
        }
        Ok(values)
    }

    /// Takes the copy of the fence from the lane's row, for the members that are shown it.
    fn take_fence(&self, row: &Row, values: &mut Values) -> Result<(), Failure> {
        let copy: Option<&[u8]> =
            row.try_get(2).map_err(|error| Failure::Refused(unreadable(error)))?;
        let key = self.members.iter().find_map(|member| match &member.fencing {
            Fencing::Reads { key, .. } => Some(key),
            Fencing::Ignores | Fencing::MayWrite => None,
        });
        if let Some((key, copy)) = key.zip(copy) {
            self.fence.learn(copy);
            if !copy.is_empty() {
                values.insert(key.clone(), Bytes::copy_from_slice(copy));
            }
        }
        Ok(())
    }

    /// Returns the statement of several steps.
    pub(super) async fn composed(
        &self,
        composition: Composition,
        steps: &[Taken<'_>],
    ) -> Result<Composed, Failure> {
        let is_alone = self.members.len() == 1;
        let form = |columns| if is_alone { Form::of_few(columns) } else { Form::Arrays };
        let steps = steps.iter().map(|(step, columns)| (*step, form(columns))).collect();
        let client = &self.connection.client;
        self.connection.answer(self.statements.composed(client, composition, steps)).await
    }

    /// Lets the members decide and collects what they write.
    async fn decide(&self, values: &Values) -> Decided {
        let members = self.members;
        let mut decided = Decided::new(members.len());
        let waves =
            waves(members.iter().map(|member| (member.write.as_slice(), member.read.as_slice())));
        let last = waves.iter().copied().max().unwrap_or(0);
        for wave in 0..=last {
            let deadline = Instant::now() + self.decide_timeout;
            let mut asked: Vec<(usize, oneshot::Receiver<Batch>)> = (0..)
                .zip(members)
                .zip(&waves)
                .filter(|(_, nth)| **nth == wave)
                .map(|((nth, member), _)| (nth, member.ask(decided.shown(member, values))))
                .collect();
            let mut answers = Vec::with_capacity(asked.len());
            let all = async {
                for (_, batch) in &mut asked {
                    answers.push(batch.await.map_or(MemberReply::Gone, MemberReply::Batch));
                }
            };
            // Others behind a late member may have answered.
            drop(timeout_at(deadline, all).await);
            for (_, batch) in asked.iter_mut().skip(answers.len()) {
                answers.push(match batch.try_recv() {
                    Ok(batch) => MemberReply::Batch(batch),
                    Err(TryRecvError::Closed) => MemberReply::Gone,
                    Err(TryRecvError::Empty) => MemberReply::Silent,
                });
            }
            for ((nth, _), answer) in asked.iter().zip(answers) {
                decided.take(*nth, answer, self.group_bytes);
            }
        }
        decided
    }

    /// Ends a transaction in which no member writes.
    async fn end_without_writes(
        &self,
        values: &Values,
        decided: &mut Decided,
    ) -> Result<(), Broken> {
        let members = self.members;
        let doubtful = decided.doubtful_keys(members, values);
        let present = arrays_of(doubtful.iter().copied());
        let client = &self.connection.client;
        self.count_round_trip();
        let is_one_state = if doubtful.is_empty() {
            self.connection.answer(client.batch_execute("ROLLBACK")).await.map(|()| true)
        } else {
            let ended = join(
                query_arrays(client, &self.statements.present, &present),
                client.batch_execute("ROLLBACK"),
            );
            let counted = self.connection.answer(async {
                let (counted, rolled_back) = ended.await;
                rolled_back?;
                counted
            });
            counted.await.map(|rows| is_none_present(&rows))
        };
        if !is_one_state.map_err(Broken::before_commit)? {
            decided.send_doubtful_back(members, values);
        }
        Ok(())
    }

    /// Sends all writes and the commit.
    async fn write(
        &self,
        writes: &Writes,
        values: &Values,
        held: &BTreeSet<&Located>,
        doubtful: &BTreeSet<&Located>,
    ) -> Result<Sent, Unsent> {
        let raised = self.raise(writes).await;
        let raised = raised.map_err(|failure| Unsent { failure, is_open: false })?;
        let numbers = Numbers::of(self.lane, self.token);
        let is_there = |key: &[u8]| values.contains_key(key);
        let rows = Rows::of(writes, &is_there, held, raised, numbers, self.stripe, self.layout);
        let mut steps = Vec::new();
        rows.take_steps(&mut steps);
        let (client, statements) = (&self.connection.client, self.statements);
        let present = arrays_of(doubtful.iter().copied());
        let fence = self.fence.write(|key| writes.value(key).cloned());
        let mut sent: Vec<BoxFuture<'_, Result<Option<Vec<Row>>, tokio_postgres::Error>>> =
            Vec::new();
        if !doubtful.is_empty() {
            let present = query_arrays(client, &statements.present, &present);
            sent.push(Box::pin(async { present.await.map(Some) }));
        }
        for (step, arrays) in &steps {
            let written = query_arrays(client, statements.alone(*step), arrays);
            sent.push(Box::pin(async { written.await.map(|_| None) }));
        }
        if let Some(fence) = &fence {
            debug_assert!(self.may_write_fence(), "the fence is written by who has declared it");
            // It stays forgotten for as long as the outcome is open, too.
            self.fence.forget();
            sent.push(Box::pin(async { client.batch_execute(&fence.text).await.map(|()| None) }));
        }
        sent.push(Box::pin(async { client.batch_execute("COMMIT").await.map(|()| None) }));
        self.count_round_trip();
        let answers = self.connection.answer(async { Ok(join_all(sent).await) }).await;
        let answers = answers.map_err(|failure| Unsent { failure, is_open: true })?;
        let mut left = answers.len();
        let mut is_one_state = true;
        for answer in answers {
            left -= 1;
            // The first error is the cause: after it, the others fail too and COMMIT rolls back.
            let present = answer.map_err(|error| match left {
                0 => Unsent::by_last(&error),
                _ => Unsent::by_an_earlier(&error),
            })?;
            is_one_state &= present.is_none_or(|rows| is_none_present(&rows));
        }
        if let Some(fence) = &fence {
            self.fence.learn(&fence.copy);
        }
        Ok(Sent { is_one_state })
    }

    /// Raises the stamps of the prefixes whose records' places or digests depend on the stamp, and
    /// returns the records. They are short or very long, and never urgent.
    async fn raise(&self, writes: &Writes) -> Result<Vec<(Located, Bytes)>, Failure> {
        let direct = |prefix: &[u8]| is_appended_directly(prefix, self.layout);
        let prefixes: Vec<_> = sorted_appends(writes, self.layout)
            .into_iter()
            .filter(|(_, prefix, _)| !direct(prefix))
            .collect();
        if prefixes.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<i16> = prefixes.iter().map(|(place, ..)| *place).collect();
        let names: Vec<Vec<u8>> =
            prefixes.iter().map(|(_, prefix, _)| stamp_row(prefix, self.layout)).collect();
        let counts: Vec<i64> = prefixes.iter().map(|(.., values)| count(values)).collect();
        self.count_round_trip();
        let client = &self.connection.client;
        let columns: [&(dyn ToSql + Sync); 3] = [&places, &names, &counts];
        let raised = client.query(&self.statements.raise, &columns);
        let raised = self.connection.answer(raised).await?;
        let mut last = BTreeMap::new();
        for row in &raised {
            let read = || Ok((row.try_get::<_, Vec<u8>>(0)?, row.try_get::<_, i64>(1)?));
            let (name, stamp) = read().map_err(|error| Failure::Refused(unreadable(error)))?;
            last.insert(name, stamp);
        }
        let mut records = Vec::new();
        for ((_, prefix, values), name) in prefixes.iter().zip(&names) {
            let last = last.get(name).copied().unwrap_or_default();
            for (stamp, value) in (last - count(values) + 1..).zip(values.iter()) {
                let key = Bytes::from([&prefix[..], &stamp.to_be_bytes()].concat());
                records.push((self.layout.locate(key), value.clone()));
            }
        }
        Ok(records)
    }
}

/// Failure of the second round trip, or answers other than the hoped-for ones.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) failure: Failure,
    /// The commit may have been carried out.
    pub(super) is_open: bool,
}

impl Unsent {
    /// Returns the failure in the error of the statement that commits.
    pub(super) fn by_last(error: &tokio_postgres::Error) -> Self {
        Self { failure: Failure::of(error), is_open: leaves_commit_open(error) }
    }

    /// Returns the failure in the error of a statement before that.
    fn by_an_earlier(error: &tokio_postgres::Error) -> Self {
        let failure = Failure::of(error);
        let is_open = matches!(failure, Failure::Lost(_));
        Self { failure, is_open }
    }
}

/// Result of the second round trip.
#[derive(Debug)]
struct Sent {
    /// The keys that were absent at first are still absent at the end.
    is_one_state: bool,
}

/// Returns the keys of a group in the order of the primary key, each once, as runs that are locked the same
/// way: for update or not.
fn lock_runs(members: &[Member]) -> Vec<(bool, Vec<&Located>)> {
    let mut keys: BTreeMap<&Located, bool> = BTreeMap::new();
    for member in members {
        for key in &member.write {
            keys.insert(key, true);
        }
        for key in &member.read {
            keys.entry(key).or_insert(false);
        }
    }
    let mut runs: Vec<(bool, Vec<&Located>)> = Vec::new();
    for (key, for_update) in keys {
        let is_last = runs.len() == MAX_LOCK_CHANGES;
        match runs.last_mut() {
            Some((run, keys)) if *run == for_update => keys.push(key),
            Some((run, keys)) if is_last => {
                *run = true;
                keys.push(key);
            }
            _ => runs.push((for_update, vec![key])),
        }
    }
    runs
}

fn is_none_present(rows: &[Row]) -> bool {
    rows.first().is_some_and(|row| row.try_get::<_, i64>(0).is_ok_and(|present| present == 0))
}
