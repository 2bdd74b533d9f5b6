//! The rows that a group writes, as arrays of columns, and the statements they are sent by.
//!
//! All arrays are in the order of the primary key. Leaves what is written to `group.rs`.

use super::group::Writes;
use super::keys::{Layout, Located, TAIL_BYTES, digest, stripe_key};
use super::known::Known;
use super::reads::CounterRanges;
use super::statements::LaneStatements;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};
use xxhash_rust::xxh3::xxh3_64;

/// Numbers for rows that a transaction writes. A row's number tells what it is from all that it, and every other row,
/// ever was: the numbers begin where the digest of the lane's name and its token says, which no other transaction
/// has, so that two are the same as seldom as two numbers of 64 bits by chance.
#[derive(Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn of(lane: &[u8], token: i64) -> Self {
        Self(xxh3_64(&[lane, &token.to_be_bytes()].concat()))
    }

    fn next(&mut self) -> i64 {
        self.0 = self.0.wrapping_add(1);
        self.0.cast_signed()
    }
}

pub(super) fn count(values: &[Bytes]) -> i64 {
    i64::try_from(values.len()).unwrap_or(i64::MAX)
}

/// Returns whether the database can tell the key of a record from its prefix and stamp alone.
pub(super) fn is_appended_directly(prefix: &[u8], layout: &Layout) -> bool {
    let key_bytes = prefix.len() + crate::STAMP_BYTES;
    prefix.len() >= layout.placement.leading_bytes && key_bytes <= layout.prefix_bytes
}

/// Returns the name under which the stamps of a prefix lie: the prefix, or of one that the index does not
/// take its beginning and the digest of the rest.
pub(super) fn stamp_row(prefix: &Bytes, layout: &Layout) -> Vec<u8> {
    let located = layout.locate(prefix.clone());
    let keep = layout.prefix_bytes - TAIL_BYTES;
    match located.tail() {
        [] => prefix.to_vec(),
        _ => {
            [prefix.get(..keep).unwrap_or(prefix), &digest(prefix.get(keep..).unwrap_or_default())]
                .concat()
        }
    }
}

/// Returns place, prefix and records of what is appended, in the order of the stamps' primary key.
pub(super) fn sorted_appends<'w>(
    writes: &'w Writes,
    layout: &Layout,
) -> Vec<(i16, &'w Bytes, &'w [Bytes])> {
    let mut appends: Vec<_> =
        writes.appends().map(|(prefix, values)| (layout.place(prefix), prefix, values)).collect();
    appends.sort_unstable_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    appends
}

pub(super) type Sending<'s> = Vec<BoxFuture<'s, Result<Option<Vec<Row>>, tokio_postgres::Error>>>;

/// Keys as arrays of columns.
#[derive(Debug, Default)]
pub(super) struct Columns<'k> {
    places: Vec<i16>,
    prefixes: Vec<&'k [u8]>,
    tails: Vec<&'k [u8]>,
}

impl<'k> Columns<'k> {
    pub(super) fn of(keys: impl Iterator<Item = &'k Located>) -> Self {
        let mut columns = Self::default();
        keys.for_each(|key| columns.push(key));
        columns
    }

    pub(super) fn push(&mut self, key: &'k Located) {
        self.places.push(key.place);
        self.prefixes.push(key.prefix());
        self.tails.push(key.tail());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(super) async fn query(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        client.query(statement, &[&self.places, &self.prefixes, &self.tails]).await
    }

    /// Sends a statement that fails unless the rows have these numbers.
    pub(super) async fn query_same(
        &self,
        client: &Client,
        statement: &Statement,
        numbers: &[i64],
    ) -> Result<(), tokio_postgres::Error> {
        let columns: [&(dyn ToSql + Sync); 4] =
            [&self.places, &self.prefixes, &self.tails, &numbers];
        client.query(statement, &columns).await.map(drop)
    }
}

/// Rows with values.
#[derive(Debug, Default)]
pub(super) struct Puts {
    keys: Vec<Located>,
    values: Vec<Bytes>,
    numbers: Vec<i64>,
}

impl Puts {
    pub(super) fn push(&mut self, key: Located, value: Bytes, number: i64) {
        self.keys.push(key);
        self.values.push(value);
        self.numbers.push(number);
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Takes the rows up to a key.
    pub(super) fn take_to(&mut self, last: &Located) -> Self {
        let rest = self.keys.partition_point(|key| key <= last);
        let keys = self.keys.drain(..rest).collect();
        let values = self.values.drain(..rest).collect();
        Self { keys, values, numbers: self.numbers.drain(..rest).collect() }
    }

    /// Adds rows that follow.
    pub(super) fn extend(&mut self, more: Self) {
        self.keys.extend(more.keys);
        self.values.extend(more.values);
        self.numbers.extend(more.numbers);
    }

    /// Notes what was written.
    pub(super) fn teach(&self, known: &Known) {
        for ((key, value), number) in self.keys.iter().zip(&self.values).zip(&self.numbers) {
            known.learn(&key.key, *number, value);
        }
    }

    /// Sends the values of rows that are to have other numbers until then.
    pub(super) async fn send_same(
        &self,
        client: &Client,
        statement: &Statement,
        before: &[i64],
    ) -> Result<Option<Vec<Row>>, tokio_postgres::Error> {
        let columns = Columns::of(self.keys.iter());
        let values: Vec<&[u8]> = self.values.iter().map(|value| &value[..]).collect();
        let Columns { places, prefixes, tails } = &columns;
        let rows: [&(dyn ToSql + Sync); 6] =
            [places, prefixes, tails, &values, &self.numbers, &before];
        client.query(statement, &rows).await.map(|_| None)
    }

    /// Sends the values of rows that are there.
    pub(super) async fn send_values(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Option<Vec<Row>>, tokio_postgres::Error> {
        let columns = Columns::of(self.keys.iter());
        let values: Vec<&[u8]> = self.values.iter().map(|value| &value[..]).collect();
        let rows: [&(dyn ToSql + Sync); 5] =
            [&columns.places, &columns.prefixes, &columns.tails, &values, &self.numbers];
        client.execute(statement, &rows).await.map(|_| None)
    }

    pub(super) async fn send(
        &self,
        client: &Client,
        statement: &Statement,
    ) -> Result<Option<Vec<Row>>, tokio_postgres::Error> {
        let columns = Columns::of(self.keys.iter());
        let rests: Vec<&[u8]> = self.keys.iter().map(Located::rest).collect();
        let values: Vec<&[u8]> = self.values.iter().map(|value| &value[..]).collect();
        let rows: [&(dyn ToSql + Sync); 6] =
            [&columns.places, &columns.prefixes, &columns.tails, &rests, &values, &self.numbers];
        client.execute(statement, &rows).await.map(|_| None)
    }
}

/// The rows of keys that a group puts, holds and deletes.
#[derive(Debug, Default)]
pub(super) struct Rows {
    inserts: Puts,
    updates: Puts,
    upserts: Puts,
    deletes: Vec<Located>,
}

impl Rows {
    pub(super) fn of(
        writes: &Writes,
        is_there: &dyn Fn(&[u8]) -> bool,
        held: &BTreeSet<&Located>,
        raised: Vec<(Located, Bytes)>,
        mut numbers: Numbers,
        layout: &Layout,
    ) -> Self {
        let mut rows = Self::default();
        let mut placeholders = held.clone();
        let mut inserts = Vec::new();
        for (key, value) in writes.rows(layout) {
            match value {
                Some(value) if placeholders.remove(&key) => inserts.push((key, value.clone())),
                // It is there and locked, so it needs no look whether it is.
                Some(value) if is_there(&key.key) => {
                    rows.updates.push(key, value.clone(), numbers.next());
                }
                Some(value) => rows.upserts.push(key, value.clone(), numbers.next()),
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
        for (key, value) in inserts {
            rows.inserts.push(key, value, numbers.next());
        }
        for (key, value) in raised {
            rows.upserts.push(key, value, numbers.next());
        }
        rows.deletes.sort_unstable();
        rows
    }

    /// Returns the rows that are there and declared.
    pub(super) fn updates(&mut self) -> &mut Puts {
        &mut self.updates
    }

    /// Notes what was written of the keys that were declared.
    pub(super) fn teach(&self, known: &Known) {
        self.inserts.teach(known);
        self.updates.teach(known);
        // Placeholders among them.
        self.deletes.iter().for_each(|key| known.forget(&key.key));
    }

    pub(super) fn send<'s>(
        &'s self,
        client: &'s Client,
        statements: &'s LaneStatements,
        sending: &mut Sending<'s>,
    ) {
        if !self.inserts.keys.is_empty() {
            sending.push(Box::pin(self.inserts.send(client, &statements.insert)));
        }
        if !self.updates.keys.is_empty() {
            sending.push(Box::pin(self.updates.send_values(client, &statements.update)));
        }
        if !self.upserts.keys.is_empty() {
            sending.push(Box::pin(self.upserts.send(client, &statements.upsert)));
        }
        if !self.deletes.is_empty() {
            sending.push(Box::pin(async {
                let columns = Columns::of(self.deletes.iter());
                let keys =
                    [&columns.places as &(dyn ToSql + Sync), &columns.prefixes, &columns.tails];
                client.execute(&statements.delete, &keys).await.map(|_| None)
            }));
        }
    }
}

/// The rows of counters that a group removes and adds to.
#[derive(Debug)]
pub(super) struct CounterRows {
    removed: CounterRanges,
    keys: Vec<Located>,
    sums: Vec<i64>,
}

impl CounterRows {
    pub(super) fn of(writes: &Writes, stripe: u64, layout: &Layout) -> Self {
        let removed = CounterRanges::of(writes.removed_counters().map(|key| &key[..]), layout);
        let mut added: Vec<_> =
            writes.sums().map(|(key, sum)| (layout.locate(stripe_key(key, stripe)), sum)).collect();
        added.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (keys, sums) = added.into_iter().unzip();
        Self { removed, keys, sums }
    }

    pub(super) fn send<'s>(
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
pub(super) struct Appends {
    places: Vec<i16>,
    prefixes: Vec<Bytes>,
    counts: Vec<i64>,
    record_places: Vec<i16>,
    record_prefixes: Vec<Bytes>,
    following: Vec<i64>,
    values: Vec<Bytes>,
}

impl Appends {
    pub(super) fn of(writes: &Writes, layout: &Layout) -> Self {
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

    pub(super) fn send<'s>(
        &'s self,
        client: &'s Client,
        statement: &'s Statement,
        sending: &mut Sending<'s>,
    ) {
        if self.places.is_empty() {
            return;
        }
        sending.push(Box::pin(async {
            let slices =
                |bytes: &'s [Bytes]| -> Vec<&'s [u8]> { bytes.iter().map(|b| &b[..]).collect() };
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
