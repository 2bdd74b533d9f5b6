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
use super::failure::Failure;
use super::group::{Writes, waves};
use super::keys::{Layout, Located, TAIL_BYTES, digest, stripe_key, unreadable, value_of};
use super::queue::Member;
use super::statements::LaneStatements;
use super::traffic::Counts;
use crate::{Batch, Error};
use bytes::Bytes;
use futures_util::future::{BoxFuture, join3, join_all};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// How often the kind of lock may change along the keys of a group; more changes are avoided by locking
/// for update what would be locked for share.
const MAX_LOCK_STATEMENTS: usize = 6;

/// What a transaction needs of its lane.
pub(super) struct Setting<'l> {
    pub(super) connection: &'l Connection,
    pub(super) statements: &'l LaneStatements,
    pub(super) layout: &'l Layout,
    pub(super) counts: &'l Counts,
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
    /// When the commit may have been sent: what is to become of the members should it have been carried
    /// out.
    pub(super) in_commit: Option<Vec<Verdict>>,
}

/// What is to become of each member of a group whose transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its decision holds.
    Holds,
    /// It must decide again.
    Again,
    /// It did not decide in time.
    Silent,
}

/// Values of declared keys as the database has them.
type Values = BTreeMap<Bytes, Bytes>;

impl Broken {
    fn before_commit(failure: Failure) -> Self {
        Self { failure, in_commit: None }
    }
}

impl Setting<'_> {
    /// Runs a group in one transaction, and returns whether it was committed: it is not when nobody writes.
    pub(super) async fn run(&self, members: &[Member]) -> Result<(Vec<Verdict>, bool), Broken> {
        let values = self.begin(members).await.map_err(Broken::before_commit)?;
        let mut decided = self.decide(members, &values).await;
        if decided.writes.is_empty() {
            self.end_without_writes(members, &values, &mut decided).await?;
            return Ok((decided.verdicts, false));
        }
        let doubtful = decided.doubtful_keys(members, &values);
        let held = decided.held_keys(members, &values);
        let sent = self.write(&decided.writes, &held, &doubtful).await;
        let is_lost = matches!(&sent, Err(broken) if broken.in_commit.is_some());
        if matches!(&sent, Ok(Sent { is_one_state: false })) || is_lost {
            decided.send_doubtful_back(members, &values);
        }
        match sent {
            Ok(_) => {
                self.count(&decided.writes);
                Ok((decided.verdicts, true))
            }
            Err(Broken { failure, in_commit }) => {
                Err(Broken { failure, in_commit: in_commit.map(|_| decided.verdicts) })
            }
        }
    }

    fn count(&self, writes: &Writes) {
        self.counts.groups.add(1);
        self.counts.commits.add(writes.commits);
        self.counts.written_keys.add(writes.len() as u64);
        self.counts.written_bytes.add(writes.size_bytes as u64);
    }

    /// Begins the transaction, locks the declared keys and returns their values.
    async fn begin(&self, members: &[Member]) -> Result<Values, Failure> {
        let runs = lock_runs(members);
        let columns: Vec<_> = runs.iter().map(|(_, keys)| Columns::of(keys.iter().copied())).collect();
        let client = &self.connection.client;
        let locks = runs.iter().zip(&columns).map(|((for_update, _), columns)| {
            let statement = if *for_update {
                &self.statements.lock_for_update
            } else {
                &self.statements.lock_for_share
            };
            columns.query(client, statement)
        });
        self.counts.commit_round_trips.add(1);
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
        let mut values = Values::new();
        for ((_, keys), rows) in runs.iter().zip(locked) {
            let rows = rows.map_err(|error| Failure::of(&error))?;
            take_values(keys, &rows, &mut values).map_err(Failure::Refused)?;
        }
        Ok(values)
    }

    /// Lets the members decide and collects what they write.
    async fn decide(&self, members: &[Member], values: &Values) -> Decided {
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
        members: &[Member],
        values: &Values,
        decided: &mut Decided,
    ) -> Result<(), Broken> {
        let doubtful = decided.doubtful_keys(members, values);
        let columns = Columns::of(doubtful.iter().copied());
        let client = &self.connection.client;
        self.counts.commit_round_trips.add(1);
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
        held: &BTreeSet<&Located>,
        doubtful: &BTreeSet<&Located>,
    ) -> Result<Sent, Broken> {
        let raised = self.raise(writes).await.map_err(Broken::before_commit)?;
        let rows = Rows::of(writes, held, raised, self.layout);
        let counters = CounterRows::of(writes, self.stripe, self.layout);
        let appends = Appends::of(writes, self.layout);
        let doubtful = Columns::of(doubtful.iter().copied());
        let client = &self.connection.client;
        let statements = self.statements;
        let mut sent: Vec<BoxFuture<'_, Result<Option<Vec<Row>>, tokio_postgres::Error>>> = Vec::new();
        if !doubtful.is_empty() {
            let present = doubtful.query(client, &statements.present);
            sent.push(Box::pin(async { present.await.map(Some) }));
        }
        rows.send(client, statements, &mut sent);
        counters.send(client, statements, &mut sent);
        appends.send(client, &statements.append, &mut sent);
        sent.push(Box::pin(async { client.batch_execute("COMMIT").await.map(|()| None) }));
        self.counts.commit_round_trips.add(1);
        let answers = self.connection.answer(async { Ok(join_all(sent).await) }).await;
        let answers = answers.map_err(|failure| Broken { failure, in_commit: Some(Vec::new()) })?;
        let mut is_one_state = true;
        for answer in answers {
            // The first error is the cause: after it, the others fail too and COMMIT rolls back.
            let rows = answer.map_err(|error| {
                let failure = Failure::of(&error);
                let in_commit = matches!(failure, Failure::Lost(_)).then(Vec::new);
                Broken { failure, in_commit }
            })?;
            is_one_state &= rows.is_none_or(|rows| is_none_present(&rows));
        }
        Ok(Sent { is_one_state })
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
        self.counts.commit_round_trips.add(1);
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

/// What the answers to the second round trip tell.
#[derive(Debug)]
struct Sent {
    /// The keys that were absent at first are so at the end.
    is_one_state: bool,
}

/// The decisions of a group.
#[derive(Debug)]
struct Decided {
    writes: Writes,
    verdicts: Vec<Verdict>,
    /// Whether each member writes something.
    writers: Vec<bool>,
}

impl Decided {
    fn new(members: usize) -> Self {
        Self {
            writes: Writes::default(),
            verdicts: vec![Verdict::Holds; members],
            writers: vec![false; members],
        }
    }

    /// Returns what a member is shown: what the group has written, or else what the database has.
    fn shown(&self, member: &Member, values: &Values) -> Vec<Option<Bytes>> {
        let value = |key: &Located| match self.writes.value(&key.key) {
            Some(written) => written.clone(),
            None => values.get(&key.key).cloned(),
        };
        member.keys().map(value).collect()
    }

    fn take(
        &mut self,
        nth: usize,
        batch: Result<Result<Batch, oneshot::error::RecvError>, tokio::time::error::Elapsed>,
        group_bytes: usize,
    ) {
        let verdict = match batch {
            Ok(Ok(batch)) if batch.is_empty() => Verdict::Holds,
            Ok(Ok(batch)) => {
                let together = self.writes.size_bytes.saturating_add(batch.size_bytes());
                if !self.writes.is_empty() && together > group_bytes {
                    Verdict::Again
                } else {
                    self.writes.add(batch);
                    if let Some(writer) = self.writers.get_mut(nth) {
                        *writer = true;
                    }
                    Verdict::Holds
                }
            }
            // Nobody is there any more.
            Ok(Err(_)) => Verdict::Holds,
            Err(_) => Verdict::Silent,
        };
        if let Some(place) = self.verdicts.get_mut(nth) {
            *place = verdict;
        }
    }

    /// Returns the members that write nothing and were shown an absent key beside others.
    fn doubtful<'m>(
        &'m self,
        members: &'m [Member],
        values: &'m Values,
    ) -> impl Iterator<Item = (usize, &'m Member)> {
        (0..).zip(members).zip(&self.writers).filter_map(move |((nth, member), is_writer)| {
            let is_absent = |key: &Located| !values.contains_key(&key.key);
            let doubtful = !is_writer && member.keys().count() > 1 && member.keys().any(is_absent);
            doubtful.then_some((nth, member))
        })
    }

    /// Returns the absent keys of these members.
    fn doubtful_keys<'m>(&self, members: &'m [Member], values: &Values) -> BTreeSet<&'m Located> {
        let writers = self.writers.iter().copied();
        let members = members.iter().zip(writers).filter(|(_, is_writer)| !is_writer);
        let members = members.map(|(member, _)| member).filter(|member| member.keys().count() > 1);
        let is_absent = |key: &&Located| !values.contains_key(&key.key);
        members.flat_map(Member::keys).filter(is_absent).collect()
    }

    /// Returns the absent keys on whose absence somebody writes.
    fn held_keys<'m>(&self, members: &'m [Member], values: &Values) -> BTreeSet<&'m Located> {
        let writers = members.iter().zip(&self.writers).filter(|(_, is_writer)| **is_writer);
        let is_absent = |key: &&Located| !values.contains_key(&key.key);
        writers.flat_map(|(member, _)| member.keys()).filter(is_absent).collect()
    }

    /// Sends those back whose values may not be of one state.
    fn send_doubtful_back(&mut self, members: &[Member], values: &Values) {
        let doubtful: Vec<usize> = self.doubtful(members, values).map(|(nth, _)| nth).collect();
        for nth in doubtful {
            if let Some(verdict) = self.verdicts.get_mut(nth) {
                *verdict = Verdict::Again;
            }
        }
    }
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
fn take_values(keys: &[&Located], rows: &[Row], values: &mut Values) -> Result<(), Error> {
    for row in rows {
        let read = || Ok((row.try_get::<_, i16>(0)?, row.try_get::<_, &[u8]>(1)?, row.try_get::<_, &[u8]>(2)?));
        let (place, prefix, tail) = read().map_err(unreadable)?;
        let found = keys.binary_search_by(|key| (key.place, key.prefix(), key.tail()).cmp(&(place, prefix, tail)));
        let key = found.ok().and_then(|nth| keys.get(nth));
        let key = key.ok_or_else(|| Error::corrupt("a row that was not asked for", "the database"))?;
        values.insert(key.key.clone(), value_of(row, 3, 4)?);
    }
    Ok(())
}

fn is_none_present(rows: &[Row]) -> bool {
    rows.first().is_some_and(|row| row.try_get::<_, i64>(0).is_ok_and(|present| present == 0))
}

fn count(values: &[Bytes]) -> i64 {
    i64::try_from(values.len()).unwrap_or(i64::MAX)
}

/// Returns whether the database can tell the key of a record from its prefix and stamp alone.
fn is_appended_directly(prefix: &[u8], layout: &Layout) -> bool {
    let key_bytes = prefix.len() + crate::STAMP_BYTES;
    prefix.len() >= layout.placement.leading_bytes && key_bytes <= layout.prefix_bytes
}

/// Returns the name under which the stamps of a prefix lie: the prefix, or of one that the index does not
/// take its beginning and the digest of the rest.
fn stamp_row(prefix: &Bytes, layout: &Layout) -> Vec<u8> {
    let located = layout.locate(prefix.clone());
    let keep = layout.prefix_bytes - TAIL_BYTES;
    match located.tail() {
        [] => prefix.to_vec(),
        _ => [prefix.get(..keep).unwrap_or(prefix), &digest(prefix.get(keep..).unwrap_or_default())].concat(),
    }
}

/// Returns place, prefix and records of what is appended, in the order of the stamps' primary key.
fn sorted_appends<'w>(writes: &'w Writes, layout: &Layout) -> Vec<(i16, &'w Bytes, &'w [Bytes])> {
    let mut appends: Vec<_> =
        writes.appends().map(|(prefix, values)| (layout.place(prefix), prefix, values)).collect();
    appends.sort_unstable_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    appends
}

type Sending<'s> = Vec<BoxFuture<'s, Result<Option<Vec<Row>>, tokio_postgres::Error>>>;

/// Keys as arrays of columns.
#[derive(Debug, Default)]
struct Columns<'k> {
    places: Vec<i16>,
    prefixes: Vec<&'k [u8]>,
    tails: Vec<&'k [u8]>,
}

impl<'k> Columns<'k> {
    fn of(keys: impl Iterator<Item = &'k Located>) -> Self {
        let mut columns = Self::default();
        keys.for_each(|key| columns.push(key));
        columns
    }

    fn push(&mut self, key: &'k Located) {
        self.places.push(key.place);
        self.prefixes.push(key.prefix());
        self.tails.push(key.tail());
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    async fn query(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        client.query(statement, &[&self.places, &self.prefixes, &self.tails]).await
    }
}

/// Rows with values.
#[derive(Debug, Default)]
struct Puts {
    keys: Vec<Located>,
    values: Vec<Bytes>,
}

impl Puts {
    fn push(&mut self, key: Located, value: Bytes) {
        self.keys.push(key);
        self.values.push(value);
    }

    async fn send(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Option<Vec<Row>>, tokio_postgres::Error> {
        let columns = Columns::of(self.keys.iter());
        let rests: Vec<&[u8]> = self.keys.iter().map(Located::rest).collect();
        let values: Vec<&[u8]> = self.values.iter().map(|value| &value[..]).collect();
        client
            .execute(
                statement,
                &[&columns.places, &columns.prefixes, &columns.tails, &rests, &values],
            )
            .await
            .map(|_| None)
    }
}

/// The rows of keys that a group puts, holds and deletes.
#[derive(Debug, Default)]
struct Rows {
    inserts: Puts,
    upserts: Puts,
    deletes: Vec<Located>,
}

impl Rows {
    fn of(
        writes: &Writes,
        held: &BTreeSet<&Located>,
        raised: Vec<(Located, Bytes)>,
        layout: &Layout,
    ) -> Self {
        let mut rows = Self::default();
        let mut placeholders = held.clone();
        let mut inserts = Vec::new();
        for (key, value) in writes.rows(layout) {
            match value {
                Some(value) if placeholders.remove(&key) => inserts.push((key, value.clone())),
                Some(value) => rows.upserts.push(key, value.clone()),
                // What is held and absent needs no deletion of its own.
                None if held.contains(&key) => {}
                None => rows.deletes.push(key),
            }
        }
        for key in placeholders {
            inserts.push((key.clone(), Bytes::new()));
            rows.deletes.push(key.clone());
        }
        inserts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        inserts.into_iter().for_each(|(key, value)| rows.inserts.push(key, value));
        raised.into_iter().for_each(|(key, value)| rows.upserts.push(key, value));
        rows.deletes.sort_unstable();
        rows
    }

    fn send<'s>(
        &'s self,
        client: &'s Client,
        statements: &'s LaneStatements,
        sending: &mut Sending<'s>,
    ) {
        if !self.inserts.keys.is_empty() {
            sending.push(Box::pin(self.inserts.send(client, &statements.insert)));
        }
        if !self.upserts.keys.is_empty() {
            sending.push(Box::pin(self.upserts.send(client, &statements.upsert)));
        }
        if !self.deletes.is_empty() {
            sending.push(Box::pin(async {
                let columns = Columns::of(self.deletes.iter());
                let keys = [&columns.places as &(dyn ToSql + Sync), &columns.prefixes, &columns.tails];
                client.execute(&statements.delete, &keys).await.map(|_| None)
            }));
        }
    }
}

/// The rows of counters that a group removes and adds to.
#[derive(Debug)]
struct CounterRows {
    removed: super::reads::CounterRanges,
    keys: Vec<Located>,
    sums: Vec<i64>,
}

impl CounterRows {
    fn of(writes: &Writes, stripe: u64, layout: &Layout) -> Self {
        let removed = super::reads::CounterRanges::of(writes.removed_counters().map(|key| &key[..]), layout);
        let mut added: Vec<_> = writes
            .sums()
            .map(|(key, sum)| (layout.locate(stripe_key(key, stripe)), sum))
            .collect();
        added.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (keys, sums) = added.into_iter().unzip();
        Self { removed, keys, sums }
    }

    fn send<'s>(
        &'s self,
        client: &'s Client,
        statements: &'s LaneStatements,
        sending: &mut Sending<'s>,
    ) {
        if !self.removed.is_empty() {
            sending.push(Box::pin(async {
                self.removed.execute(client, &statements.remove_counters).await.map(|()| None)
            }));
        }
        if !self.keys.is_empty() {
            sending.push(Box::pin(async {
                let columns = Columns::of(self.keys.iter());
                let rests: Vec<&[u8]> = self.keys.iter().map(Located::rest).collect();
                let rows = [
                    &columns.places as &(dyn ToSql + Sync),
                    &columns.prefixes,
                    &columns.tails,
                    &rests,
                    &self.sums,
                ];
                client.execute(&statements.add, &rows).await.map(|_| None)
            }));
        }
    }
}

/// What a group appends where the database itself makes the keys.
#[derive(Debug, Default)]
struct Appends {
    places: Vec<i16>,
    prefixes: Vec<Bytes>,
    counts: Vec<i64>,
    record_places: Vec<i16>,
    record_prefixes: Vec<Bytes>,
    following: Vec<i64>,
    values: Vec<Bytes>,
}

impl Appends {
    fn of(writes: &Writes, layout: &Layout) -> Self {
        let mut appends = Self::default();
        for (place, prefix, values) in sorted_appends(writes, layout) {
            if !is_appended_directly(prefix, layout) {
                continue;
            }
            appends.places.push(place);
            appends.prefixes.push(prefix.clone());
            appends.counts.push(count(values));
            for (following, value) in (0..count(values)).rev().zip(values) {
                appends.record_places.push(place);
                appends.record_prefixes.push(prefix.clone());
                appends.following.push(following);
                appends.values.push(value.clone());
            }
        }
        appends
    }

    fn send<'s>(
        &'s self,
        client: &'s Client,
        statement: &'s Statement,
        sending: &mut Sending<'s>,
    ) {
        if self.places.is_empty() {
            return;
        }
        sending.push(Box::pin(async {
            let slices = |bytes: &'s [Bytes]| -> Vec<&'s [u8]> { bytes.iter().map(|b| &b[..]).collect() };
            let (prefixes, records) = (slices(&self.prefixes), slices(&self.record_prefixes));
            let values = slices(&self.values);
            let columns = [
                &self.places as &(dyn ToSql + Sync),
                &prefixes,
                &self.counts,
                &self.record_places,
                &records,
                &self.following,
                &values,
            ];
            client.execute(statement, &columns).await.map(|_| None)
        }));
    }
}
