//! The committer: one thread that makes groups of batches durable and publishes them.
//!
//! For each group the committer keeps the last write to each key, folds counters, stamps appends,
//! writes one atomic batch with one sync, publishes a snapshot, removes the overlay entries and
//! wakes the waiting writers. A failure or a panic poisons the store: nothing after it is
//! acknowledged.
//!
//! Invariant: this thread is the only writer, so it alone knows counters exactly.

use super::Shared;
use super::ordered_map::OrderedMap;
use super::sequencer::Group;
use crate::Error;
use crate::batch::{Change, Operation, decode_counter, encode_counter};
use crate::planted::{Planted, is_planted};
use crate::sync::RandomState;
use bytes::Bytes;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Most counters remembered between groups; beyond it all are forgotten and read again.
const MAX_CACHED_COUNTERS: usize = 4096;

/// A commit stamp is the group's number and, in this many low bits, the place within the group.
/// Enough for the batches that fit the queue, and for a thousand groups a second over 500 years.
pub(crate) const STAMP_NTH_BITS: u32 = 20;

/// Written bytes after which the committer notes the size of the data again.
const NOTE_DATA_BYTES: usize = 1 << 20;

/// The committer's own state.
#[derive(Debug)]
struct Committer {
    last_group: u64,
    counters: HashMap<Bytes, i64, RandomState>,
    unnoted_bytes: usize,
}

/// Returns the greatest stamp that a group may give out.
pub(crate) fn last_stamp_of(group: u64) -> u64 {
    (group << STAMP_NTH_BITS) | ((1 << STAMP_NTH_BITS) - 1)
}

/// Commits groups until the store is closed or fails; if it was closed, returns the last group.
pub(crate) fn run(shared: &Arc<Shared>, last_group: u64) -> Option<u64> {
    let mut committer = Committer { last_group, counters: HashMap::default(), unnoted_bytes: 0 };
    while let Some(mut group) = shared.sequencer.take_group() {
        let outcome = catch_unwind(AssertUnwindSafe(|| committer.commit(shared, &mut group)));
        let outcome = outcome
            .unwrap_or_else(|_| Err(Error::failed("commit group", "the committer panicked")));
        if let Err(error) = outcome {
            shared.sequencer.fail(shared.space.explain(error));
            return None;
        }
    }
    Some(committer.last_group)
}

impl Committer {
    fn commit(&mut self, shared: &Arc<Shared>, group: &mut Group) -> Result<(), Error> {
        shared.faults.before_group()?;
        let mut changes = self.resolve(shared, fold(group)?)?;
        self.last_group += 1;
        stamp(self.last_group, group, &mut changes)?;
        let written_keys = changes.len() as u64;
        shared.map.write_group(self.last_group, changes.clone(), group.size_bytes)?;
        if !is_planted(Planted::CachesToldLate) {
            shared.cache.tell(self.last_group, &changes);
        }
        if is_planted(Planted::AnsweredEarly) {
            shared.sequencer.publish(group);
        }
        group.garbage.iter().for_each(|range| shared.cache.forget_range(range));
        shared.publish_snapshot(self.last_group);
        if is_planted(Planted::CachesToldLate) {
            shared.cache.tell(self.last_group, &changes);
        }
        shared.counts.add_group(group.batches, written_keys, group.size_bytes as u64);
        if shared.tidy.note_written(written_keys, group.size_bytes as u64) {
            shared.tidy.look(shared);
        }
        shared.space.note_group();
        if !is_planted(Planted::AnsweredEarly) {
            shared.sequencer.publish(group);
        }
        shared.map.prepare();
        self.note_data(shared, group.size_bytes);
        Ok(())
    }

    /// Turns additions into puts of the new values.
    fn resolve(
        &mut self,
        shared: &Shared,
        folded: HashMap<Bytes, Change, RandomState>,
    ) -> Result<Vec<(Bytes, Option<Bytes>)>, Error> {
        let mut changes = Vec::with_capacity(folded.len());
        for (key, change) in folded {
            let value = match change {
                Change::Put(value) => {
                    self.counters.remove(&key);
                    Some(value)
                }
                Change::Delete => {
                    self.counters.remove(&key);
                    None
                }
                Change::Add(delta) => Some(encode_counter(self.add(shared, &key, delta)?)),
            };
            changes.push((key, value));
        }
        Ok(changes)
    }

    fn add(&mut self, shared: &Shared, key: &Bytes, delta: i64) -> Result<i64, Error> {
        if let Some(counter) = self.counters.get_mut(key) {
            *counter = counter.wrapping_add(delta);
            return Ok(*counter);
        }
        let stored = shared.map.get_newest(key)?;
        let counter = decode_counter(stored.as_deref(), key)?.wrapping_add(delta);
        if self.counters.len() >= MAX_CACHED_COUNTERS {
            self.counters.clear();
        }
        self.counters.insert(key.clone(), counter);
        Ok(counter)
    }

    fn note_data(&mut self, shared: &Shared, written_bytes: usize) {
        self.unnoted_bytes += written_bytes;
        if self.unnoted_bytes >= NOTE_DATA_BYTES {
            self.unnoted_bytes = 0;
            shared.note_data();
        }
    }
}

/// Takes the operations of a group and returns their effect on each key.
fn fold(group: &mut Group) -> Result<HashMap<Bytes, Change, RandomState>, Error> {
    let operations = group.operations.len();
    let mut folded = HashMap::with_capacity_and_hasher(operations, RandomState::default());
    for operation in group.operations.drain(..) {
        fold_operation(&mut folded, operation)?;
    }
    Ok(folded)
}

/// Adds the appends of a group to its changes.
fn stamp(
    number: u64,
    group: &mut Group,
    changes: &mut Vec<(Bytes, Option<Bytes>)>,
) -> Result<(), Error> {
    for (nth, append) in (0..).zip(group.appends.drain(..)) {
        if nth >> STAMP_NTH_BITS != 0 || number >> (u64::BITS - STAMP_NTH_BITS) != 0 {
            return Err(Error::failed("commit group", "there are no more commit stamps"));
        }
        changes.push((append.key((number << STAMP_NTH_BITS) | nth), Some(append.value)));
    }
    Ok(())
}

fn fold_operation(
    folded: &mut HashMap<Bytes, Change, RandomState>,
    operation: Operation,
) -> Result<(), Error> {
    match folded.entry(operation.key) {
        Entry::Vacant(vacant) => {
            vacant.insert(operation.change);
        }
        Entry::Occupied(mut occupied) => {
            let merged = merge(occupied.get(), &operation.change, occupied.key())?;
            occupied.insert(merged);
        }
    }
    Ok(())
}

/// Returns the effect of `first` and then `second`.
fn merge(first: &Change, second: &Change, key: &[u8]) -> Result<Change, Error> {
    Ok(match (first, second) {
        (_, Change::Put(_) | Change::Delete) => second.clone(),
        (Change::Delete, Change::Add(delta)) => Change::Put(encode_counter(*delta)),
        (Change::Add(before), Change::Add(delta)) => Change::Add(before.wrapping_add(*delta)),
        (Change::Put(value), Change::Add(delta)) => {
            let counter = decode_counter(Some(value), key)?;
            Change::Put(encode_counter(counter.wrapping_add(*delta)))
        }
    })
}
