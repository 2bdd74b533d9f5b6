//! Rows that a group writes, as arrays of columns.
//!
//! All arrays are in the order of the primary key. Leaves the writes to `group.rs`, and the
//! statements to `steps.rs`.

use super::counter_ranges::CounterRanges;
use super::forms::{Argument, slices};
use super::group::Writes;
use super::keys::{Layout, Located, TAIL_BYTES, digest, stripe_key};
use super::steps::{StatementStep, Taken};
use bytes::Bytes;
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// Numbers for the rows that a transaction writes. A row's number tells this state from all others
/// that it, and every other row, ever had: the numbers begin at the digest of the lane's name and
/// its token, which no other transaction has, so that two are equal as rarely as two random numbers
/// of 64 bits.
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

/// Returns the name under which the stamps of a prefix lie: the prefix, or of one that the index
/// does not take its beginning and the digest of the rest.
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

/// Returns place, prefix and records of the appends, in the order of the stamps' primary key.
pub(super) fn sorted_appends<'w>(
    writes: &'w Writes,
    layout: &Layout,
) -> Vec<(i16, &'w Bytes, &'w [Bytes])> {
    let mut appends: Vec<_> =
        writes.appends().map(|(prefix, values)| (layout.place(prefix), prefix, values)).collect();
    appends.sort_unstable_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    appends
}

/// Returns keys as arrays.
pub(super) fn arrays_of<'k>(keys: impl Iterator<Item = &'k Located>) -> Vec<Argument<'k>> {
    let (mut places, mut prefixes, mut tails) = (Vec::new(), Vec::new(), Vec::new());
    for key in keys {
        places.push(key.place);
        prefixes.push(key.prefix());
        tails.push(key.tail());
    }
    vec![Box::new(places), Box::new(prefixes), Box::new(tails)]
}

/// Rows with values.
#[derive(Debug, Default)]
struct Puts {
    keys: Vec<Located>,
    values: Vec<Bytes>,
    numbers: Vec<i64>,
}

impl Puts {
    fn push(&mut self, key: Located, value: Bytes, number: i64) {
        self.keys.push(key);
        self.values.push(value);
        self.numbers.push(number);
    }

    /// Adds values and numbers.
    fn add_values<'p>(&'p self, arrays: &mut Vec<Argument<'p>>) {
        arrays.push(Box::new(slices(&self.values)));
        arrays.push(Box::new(&self.numbers[..]));
    }

    /// Returns existing rows as arrays.
    fn known_arrays(&self) -> Vec<Argument<'_>> {
        let mut arrays = arrays_of(self.keys.iter());
        self.add_values(&mut arrays);
        arrays
    }

    /// Returns rows that may have to be inserted as arrays.
    fn arrays(&self) -> Vec<Argument<'_>> {
        let mut arrays = arrays_of(self.keys.iter());
        let rests: Vec<&[u8]> = self.keys.iter().map(Located::rest).collect();
        arrays.push(Box::new(rests));
        self.add_values(&mut arrays);
        arrays
    }
}

/// Rows that a group writes: those of keys that it puts, holds and deletes, those of counters, and
/// its appends.
#[derive(Debug)]
pub(super) struct Rows {
    inserts: Puts,
    updates: Puts,
    upserts: Puts,
    deletes: Vec<Located>,
    counters: CounterRows,
    appends: Appends,
}

impl Rows {
    pub(super) fn of(
        writes: &Writes,
        is_there: &dyn Fn(&[u8]) -> bool,
        held: &BTreeSet<&Located>,
        raised: Vec<(Located, Bytes)>,
        mut numbers: Numbers,
        stripe: u64,
        layout: &Layout,
    ) -> Self {
        let mut rows = Self {
            inserts: Puts::default(),
            updates: Puts::default(),
            upserts: Puts::default(),
            deletes: Vec::new(),
            counters: CounterRows::of(writes, stripe, layout),
            appends: Appends::of(writes, layout),
        };
        let mut placeholders = held.clone();
        let mut inserts = Vec::new();
        for (key, value) in writes.rows(layout) {
            match value {
                Some(value) if placeholders.remove(&key) => inserts.push((key, value.clone())),
                // The row exists and is locked, so the step need not check that.
                Some(value) if is_there(&key.key) => {
                    rows.updates.push(key, value.clone(), numbers.next());
                }
                Some(value) => rows.upserts.push(key, value.clone(), numbers.next()),
                // A held key that is absent needs no deletion of its own.
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

    /// Adds the steps that write them.
    pub(super) fn take_steps<'r>(&'r self, steps: &mut Vec<Taken<'r>>) {
        if !self.inserts.keys.is_empty() {
            steps.push((StatementStep::Insert, self.inserts.arrays()));
        }
        if !self.updates.keys.is_empty() {
            steps.push((StatementStep::Update, self.updates.known_arrays()));
        }
        if !self.upserts.keys.is_empty() {
            steps.push((StatementStep::Upsert, self.upserts.arrays()));
        }
        if !self.deletes.is_empty() {
            steps.push((StatementStep::Delete, arrays_of(self.deletes.iter())));
        }
        self.counters.take_steps(steps);
        self.appends.take_steps(steps);
    }
}

/// The rows of counters that a group removes and adds to.
#[derive(Debug)]
struct CounterRows {
    removed: CounterRanges,
    keys: Vec<Located>,
    sums: Vec<i64>,
}

impl CounterRows {
    fn of(writes: &Writes, stripe: u64, layout: &Layout) -> Self {
        let removed = CounterRanges::of(writes.removed_counters().map(|key| &key[..]), layout);
        let mut added: Vec<_> =
            writes.sums().map(|(key, sum)| (layout.locate(stripe_key(key, stripe)), sum)).collect();
        added.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (keys, sums) = added.into_iter().unzip();
        Self { removed, keys, sums }
    }

    /// Adds the steps that write them.
    fn take_steps<'r>(&'r self, steps: &mut Vec<Taken<'r>>) {
        if !self.removed.is_empty() {
            steps.push((StatementStep::RemoveCounters, self.removed.arguments()));
        }
        if !self.keys.is_empty() {
            let mut arrays = arrays_of(self.keys.iter());
            let rests: Vec<&[u8]> = self.keys.iter().map(Located::rest).collect();
            arrays.push(Box::new(rests));
            arrays.push(Box::new(&self.sums[..]));
            steps.push((StatementStep::Add, arrays));
        }
    }
}

/// Appends of a group for which the database itself makes the keys.
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

    /// Adds the step that writes it.
    fn take_steps<'r>(&'r self, steps: &mut Vec<Taken<'r>>) {
        if self.places.is_empty() {
            return;
        }
        let arrays: Vec<Argument<'_>> = vec![
            Box::new(&self.places[..]),
            Box::new(slices(&self.prefixes)),
            Box::new(&self.counts[..]),
            Box::new(&self.record_places[..]),
            Box::new(slices(&self.record_prefixes)),
            Box::new(&self.following[..]),
            Box::new(slices(&self.values)),
        ];
        steps.push((StatementStep::Append, arrays));
    }
}
