//! One transaction of a lane: two round trips in which the commits of a group are decided and written.
//!
//! First: `BEGIN`, the lane's token, and the declared keys, locked in the order of the primary key and read:
//! for update those that one of the group may write, for share the others. Then the group decides, in
//! waves (`group.rs`), on these values and on what earlier waves have written. Second: all writes as
//! statements over arrays, and `COMMIT`.
//!
//! Why a decision holds:
//! - A declared key that is there is locked from before its value was read until the end. A row that was
//!   changed while the lock was waited for is read again by the database.
//! - A declared key that is absent has no row to lock. If somebody writes something on its absence, the row is
//!   inserted without `ON CONFLICT`: with its value, or as a placeholder that the same transaction
//!   deletes. The insert waits for whoever inserts the same, and fails when it is there; then the
//!   transaction is rolled back and tried again.
//! - A commit that writes nothing but was shown absent keys beside others holds only if these are still
//!   absent while the others are locked: a look just before the end tells, and if not it alone decides again.
//! - The token's row is locked from the first round trip on, so that whoever reads it for update after a
//!   lost connection waits for the end of this transaction (`outcome.rs`).
//!
//! Stamps and counters come last, so that their rows are locked for the shortest time. All statements lock
//! rows of one kind in order, and kinds in one order, so transactions do not wait in a circle but for
//! rare cases, which the database resolves and we try again.
//!
//! A group in which nobody writes is rolled back, not committed: it has nothing to make durable, all that
//! it was shown is committed, and the locks' own commit would cost a sync of the log.

use super::connect::Connection;
use super::decided::{Decided, Values, Verdict};
use super::failure::{Failure, leaves_commit_open};
use super::group::{Writes, waves};
use super::keys::{Layout, Located, unreadable, value_of};
use super::known::Known;
use super::queue::Member;
use super::rows::{
    Appends, Columns, CounterRows, Numbers, Rows, Sending, count, is_appended_directly,
    sorted_appends, stamp_row,
};
use super::statements::LaneStatements;
use super::traffic::Counts;
use crate::{Batch, Error};
use bytes::Bytes;
use futures_util::future::{join_all, join3};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// How often the kind of lock may change along the keys of a group; more changes are avoided by locking
/// for update what would be locked for share.
const MAX_LOCK_STATEMENTS: usize = 6;

/// What a transaction needs of its lane.
pub(super) struct Setting<'l> {
    /// The group.
    pub(super) members: &'l [Member],
    pub(super) connection: &'l Connection,
    pub(super) statements: &'l LaneStatements,
    pub(super) layout: &'l Layout,
    pub(super) counts: &'l Counts,
    pub(super) known: &'l Known,
    pub(super) lane: &'l [u8],
    pub(super) token: i64,
    pub(super) stripe: u64,
    pub(super) decide_timeout: Duration,
    pub(super) group_bytes: usize,
}

/// How a transaction ended that failed.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) failure: Failure,
    /// When the commit may have been carried out: what was decided, should it have been.
    pub(super) open: Option<Decided>,
}

impl Broken {
    fn before_commit(failure: Failure) -> Self {
        Self { failure, open: None }
    }
}

impl Setting<'_> {
    /// Runs a group in one transaction, and returns whether it was committed: it is not when nobody writes.
    pub(super) async fn run(&self) -> Result<(Vec<Verdict>, bool), Broken> {
        let members = self.members;
        let values = self.begin().await.map_err(Broken::before_commit)?;
        let mut decided = self.decide(&values).await;
        if decided.writes.is_empty() {
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

    /// Counts a round trip, which all of the group share.
    pub(super) fn count_round_trip(&self) {
        self.counts.commit_round_trips.add(1);
        self.members.iter().for_each(Member::count_request);
    }

    /// Begins the transaction, locks the declared keys and returns their values.
    async fn begin(&self) -> Result<Values, Failure> {
        let runs = lock_runs(self.members);
        let columns: Vec<_> =
            runs.iter().map(|(_, keys)| Columns::of(keys.iter().copied())).collect();
        let client = &self.connection.client;
        let locks = runs.iter().zip(&columns).map(|((for_update, _), columns)| {
            let statement = if *for_update {
                &self.statements.lock_for_update
            } else {
                &self.statements.lock_for_share
            };
            columns.query(client, statement)
        });
        let locked = self.begin_with(locks).await?;
        let mut values = Values::new();
        for ((_, keys), rows) in runs.iter().zip(locked) {
            let rows = rows.map_err(|error| Failure::of(&error))?;
            take_values(keys, &rows, &mut values, self.known).map_err(Failure::Refused)?;
        }
        let written = self.members.iter().flat_map(|member| &member.write);
        let absent = written.filter(|key| !values.contains_key(&key.key)).count();
        self.known.missed(absent);
        Ok(values)
    }

    /// Begins the transaction, sets the lane's token, and returns the answers to what is sent together with that.
    pub(super) async fn begin_with<A>(
        &self,
        locks: impl IntoIterator<Item = impl Future<Output = A>>,
    ) -> Result<Vec<A>, Failure> {
        let client = &self.connection.client;
        self.count_round_trip();
        let token: [&(dyn ToSql + Sync); 2] = [&self.lane, &self.token];
        let all = join3(
            client.batch_execute("BEGIN"),
            client.execute(&self.statements.token, &token),
            join_all(locks),
        );
        let (tokens, locked) = self
            .connection
            .answer(async {
                let (begun, tokens, locked) = all.await;
                begun?;
                Ok((tokens?, locked))
            })
            .await?;
        if tokens != 1 {
            // The row is gone: a new connection puts it there again.
            return Err(Failure::Lost("the lane's row is gone".to_owned()));
        }
        Ok(locked)
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
            let asked: Vec<(usize, oneshot::Receiver<Batch>)> = (0..)
                .zip(members)
                .zip(&waves)
                .filter(|(_, nth)| **nth == wave)
                .map(|((nth, member), _)| (nth, member.ask(decided.shown(member, values))))
                .collect();
            for (nth, batch) in asked {
                let batch = timeout_at(deadline, batch).await;
                decided.take(nth, batch, self.group_bytes);
            }
        }
        decided
    }

    /// Ends a transaction in which nobody writes.
    async fn end_without_writes(
        &self,
        values: &Values,
        decided: &mut Decided,
    ) -> Result<(), Broken> {
        let members = self.members;
        let doubtful = decided.doubtful_keys(members, values);
        let columns = Columns::of(doubtful.iter().copied());
        let client = &self.connection.client;
        self.count_round_trip();
        let is_one_state = if doubtful.is_empty() {
            self.connection.answer(client.batch_execute("ROLLBACK")).await.map(|()| true)
        } else {
            let ended = futures_util::future::join(
                columns.query(client, &self.statements.present),
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
        let rows = Rows::of(writes, &is_there, held, raised, numbers, self.layout);
        let doubtful = Columns::of(doubtful.iter().copied());
        let mut sent: Sending<'_> = Vec::new();
        if !doubtful.is_empty() {
            let present = doubtful.query(&self.connection.client, &self.statements.present);
            sent.push(Box::pin(async { present.await.map(Some) }));
        }
        let answers = self.commit(sent, &rows, writes).await?;
        Ok(Sent { is_one_state: answers.iter().flatten().all(|rows| is_none_present(rows)) })
    }

    /// Sends all writes and the commit after what is `sent` first, and returns the rows of the answers.
    pub(super) async fn commit(
        &self,
        sent: Sending<'_>,
        rows: &Rows,
        writes: &Writes,
    ) -> Result<Vec<Option<Vec<Row>>>, Unsent> {
        let counters = CounterRows::of(writes, self.stripe, self.layout);
        let appends = Appends::of(writes, self.layout);
        let (client, statements) = (&self.connection.client, self.statements);
        let mut sent: Sending<'_> = sent;
        rows.send(client, statements, &mut sent);
        counters.send(client, statements, &mut sent);
        appends.send(client, &statements.append, &mut sent);
        sent.push(Box::pin(async { client.batch_execute("COMMIT").await.map(|()| None) }));
        self.count_round_trip();
        let answers = self.connection.answer(async { Ok(join_all(sent).await) }).await;
        let answers = answers.map_err(|failure| Unsent { failure, is_open: true })?;
        let mut left = answers.len();
        let mut told = Vec::with_capacity(left);
        for answer in answers {
            left -= 1;
            // The first error is the cause: after it, the others fail too and COMMIT rolls back.
            told.push(answer.map_err(|error| {
                let failure = Failure::of(&error);
                let is_open = match failure {
                    Failure::Lost(_) => true,
                    _ => left == 0 && leaves_commit_open(&error),
                };
                Unsent { failure, is_open }
            })?);
        }
        rows.teach(self.known);
        Ok(told)
    }

    /// Raises the stamps of the prefixes whose records' places or digests depend on the stamp, and
    /// returns the records. They are short or very long, and nobody's in a hurry.
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

/// Why there are no answers to the second round trip, or not those that were hoped for.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) failure: Failure,
    /// The commit may have been carried out.
    pub(super) is_open: bool,
}

/// What the answers to the second round trip tell.
#[derive(Debug)]
struct Sent {
    /// The keys that were absent at first are so at the end.
    is_one_state: bool,
}

/// Returns the keys of a group in the order of the primary key, each once, as runs that are locked the same
/// way: for update or not.
pub(super) fn lock_runs(members: &[Member]) -> Vec<(bool, Vec<&Located>)> {
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
        let is_last = runs.len() == MAX_LOCK_STATEMENTS;
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

/// Adds the values of locked rows to those of the group.
fn take_values(
    keys: &[&Located],
    rows: &[Row],
    values: &mut Values,
    known: &Known,
) -> Result<(), Error> {
    for row in rows {
        let read = || {
            Ok((
                row.try_get::<_, i16>(0)?,
                row.try_get::<_, &[u8]>(1)?,
                row.try_get::<_, &[u8]>(2)?,
            ))
        };
        let (place, prefix, tail) = read().map_err(unreadable)?;
        let found = keys.binary_search_by(|key| {
            (key.place, key.prefix(), key.tail()).cmp(&(place, prefix, tail))
        });
        let key = found.ok().and_then(|nth| keys.get(nth));
        let key =
            key.ok_or_else(|| Error::corrupt("a row that was not asked for", "the database"))?;
        let value = value_of(row, 3, 4)?;
        // Of a row without a value the sum is no number of the row's.
        let has_value = row.try_get::<_, Option<&[u8]>>(3).map_err(unreadable)?.is_some();
        let number: Option<i64> = row.try_get(4).map_err(unreadable)?;
        known.found(&key.key, number.filter(|_| has_value), &value);
        values.insert(key.key.clone(), value);
    }
    Ok(())
}

fn is_none_present(rows: &[Row]) -> bool {
    rows.first().is_some_and(|row| row.try_get::<_, i64>(0).is_ok_and(|present| present == 0))
}
