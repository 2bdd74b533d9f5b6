//! Single values that were read, cached in memory and found in one look-up.
//!
//! A read of one key asks the memtable, the sealed memtables and one sorted file of each run; right
//! after many writes those are many. The cache holds a value that was read by its key, and replaces
//! it when a group of writes changes it, so that reads right after writes stay short.
//!
//! An entry has the value of its key after the entry's group, and after every later group until one
//! writes the key. These rules keep it so:
//! - before a group is published, the cache is told of each key that it writes: the entry gets the
//!   new value and the group's number, and the key's shard remembers the group as the last that
//!   touched it;
//! - a value is taken in only while no group later than its reader's has touched the key's shard. A
//!   group that touches the shard afterwards finds the entry and replaces it;
//! - the cache shows an entry only to readers of its group or of a later one.
//!
//! A writer that holds a key's lock and finds no unpublished value of the key may take the entry
//! whatever its group: the cache was told of the last group that wrote the key before that group
//! was published, and none can follow while the lock is held.
//!
//! Leaves to its owner the number of bytes that it may hold, and the moments to give them back.

#[cfg(test)]
mod tests;

use super::cache_budget::{CacheBudget, Excess, Passed, allocated_bytes};
use crate::planted::{Planted, is_planted};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{RandomState, RwLock, shards};
use bytes::Bytes;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Number of shards: readers and the committer rarely meet in one, and a group leaves most of them
/// untouched.
const SHARDS: usize = shards(256);

/// Largest value that is cached, in bytes: for larger ones the look-up is not the expensive part.
const VALUE_MAX_BYTES: usize = 16 << 10;

/// Approximate bytes of an entry beside key and value: its slot, its place in the table, both half
/// empty at times, and a count of references.
const ENTRY_BYTES: usize = 160;

/// While the cache is full, it takes in one read of so many: frequent reads get in all the same,
/// and rare ones cost little.
const KEPT_WHEN_FULL: usize = 8;

/// Most entries of a shard that are passed over at once.
const PASSED_AT_ONCE: usize = 16;

/// The cached values of a store; the module's text says why they are right.
pub(super) struct PointCache {
    shards: Box<[RwLock<Shard>]>,
    hasher: RandomState,
    budget: Arc<CacheBudget>,
    /// Number of reads that found the cache full.
    reads_when_full: AtomicUsize,
    /// Shard that gives bytes back next.
    hand: AtomicUsize,
}

#[derive(Default)]
struct Shard {
    /// Slot of a key, by the key's hash.
    places: HashTable<usize>,
    slots: Vec<Slot>,
    /// Position at which the search for an entry to drop goes on.
    hand: usize,
    /// The last group that wrote a key of this shard.
    touched: u64,
    /// Number of values found. Beside the lock, which each look writes to.
    hits: AtomicU64,
}

/// Entry: the value of `key` after `group`, `None` if there was none.
struct Slot {
    hash: u64,
    key: Box<[u8]>,
    value: Option<Bytes>,
    group: u64,
    /// True if it was read since the last search for one to drop.
    is_used: AtomicBool,
}

impl PointCache {
    /// Returns an empty cache.
    pub(super) fn new(budget: Arc<CacheBudget>) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| RwLock::default()).collect(),
            hasher: RandomState::default(),
            budget,
            reads_when_full: AtomicUsize::new(0),
            hand: AtomicUsize::new(0),
        }
    }

    /// Returns the value of `key` after `group`, if it is cached; `Some(None)` means that there is
    /// none.
    #[expect(clippy::option_option, reason = "not kept, and kept as absent, are two answers")]
    pub(super) fn get(&self, group: u64, key: &[u8]) -> Option<Option<Bytes>> {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard(hash).read();
        let slot = shard.slot(hash, key).filter(|slot| slot.group <= group)?;
        shard.hits.fetch_add(1, Ordering::Relaxed);
        if !slot.is_used.load(Ordering::Relaxed) {
            slot.is_used.store(true, Ordering::Relaxed);
        }
        Some(slot.value.clone())
    }

    /// Returns whether the value of `key` after `group` is cached, without counting as a use of it.
    pub(super) fn keeps(&self, group: u64, key: &[u8]) -> bool {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard(hash).read();
        shard.slot(hash, key).is_some_and(|slot| slot.group <= group)
    }

    /// Returns the number of values found.
    pub(super) fn hits(&self) -> u64 {
        self.shards.iter().map(|shard| shard.read().hits.load(Ordering::Relaxed)).sum()
    }

    /// Returns the newest value of `key`, if it is cached. Only for a writer that holds the key's
    /// lock and has found no unpublished value of it.
    #[expect(clippy::option_option, reason = "not kept, and kept as absent, are two answers")]
    pub(super) fn get_newest(&self, key: &[u8]) -> Option<Option<Bytes>> {
        self.get(u64::MAX, key)
    }

    /// Caches the value that a reader of `group` found at `key`, unless a later group may have
    /// changed it or there is no room.
    pub(super) fn keep(&self, group: u64, key: &[u8], value: Option<&Bytes>) {
        if value.is_some_and(|value| value.len() > VALUE_MAX_BYTES) || !self.has_room() {
            return;
        }
        // The value may be a part of a much larger block.
        let value = value.map(|value| Bytes::copy_from_slice(value));
        let hash = self.hasher.hash_one(key);
        let slot = Slot { hash, key: key.into(), value, group, is_used: AtomicBool::new(false) };
        let added_bytes = slot.size_bytes();
        if added_bytes > self.budget.capacity_bytes() {
            return;
        }
        let mut shard = self.shard(hash).write();
        // Another reader may have come first.
        let is_newest = shard.touched <= group || is_planted(Planted::ValueKeptLate);
        if is_newest && shard.place(hash, key).is_none() {
            shard.insert(slot);
            self.add_bytes(added_bytes);
        }
        drop(shard);
        if let Excess::Points(excess_bytes) = self.budget.excess() {
            self.shrink(excess_bytes);
        }
    }

    /// Gives the entries of the keys that `group` writes their new values. To be called
    /// when the group is durable and before it is published.
    pub(super) fn replace<'c>(
        &self,
        group: u64,
        changes: impl Iterator<Item = (&'c [u8], Option<&'c Bytes>)>,
    ) {
        for (key, value) in changes {
            let hash = self.hasher.hash_one(key);
            let mut shard = self.shard(hash).write();
            assert!(shard.touched <= group, "groups are told in their order");
            shard.touched = group;
            let Some(place) = shard.place(hash, key) else { continue };
            if value.is_some_and(|value| value.len() > VALUE_MAX_BYTES) {
                let removed = shard.remove(place);
                self.remove_bytes(removed);
            } else if let Some(slot) = shard.slots.get_mut(place) {
                let size_bytes = slot.size_bytes();
                slot.value = value.cloned();
                slot.group = group;
                let grown_bytes = slot.size_bytes();
                self.remove_bytes(size_bytes);
                self.add_bytes(grown_bytes);
            }
        }
    }

    /// Drops entries of at least so many bytes, or all; those not read for longest go first.
    pub(super) fn shrink(&self, bytes: usize) {
        let mut freed_bytes = 0;
        let mut barren_shards = 0;
        // In the second round no entry counts as read.
        while freed_bytes < bytes && barren_shards < 2 * SHARDS {
            let nth = self.hand.fetch_add(1, Ordering::Relaxed) % SHARDS;
            let Some(shard) = self.shards.get(nth) else { continue };
            let mut shard = shard.write();
            match shard.drop_one() {
                0 => barren_shards += 1,
                dropped_bytes => {
                    freed_bytes += dropped_bytes;
                    barren_shards = 0;
                    self.remove_bytes(dropped_bytes);
                }
            }
        }
        self.budget.dropped_point_bytes.fetch_add(freed_bytes, Ordering::Relaxed);
    }

    /// Passes over entries of about so many bytes, at most all, and drops those not read since the
    /// last time.
    pub(super) fn pass_over(&self, bytes: usize) {
        let bytes = bytes.min(self.budget.point_bytes.load(Ordering::Relaxed));
        let mut passed_bytes = 0;
        let mut empty_shards = 0;
        while passed_bytes < bytes && empty_shards < SHARDS {
            let nth = self.hand.fetch_add(1, Ordering::Relaxed) % SHARDS;
            let Some(shard) = self.shards.get(nth) else { continue };
            let (passed, dropped) = shard.write().pass_over();
            self.remove_bytes(dropped);
            passed_bytes += passed;
            empty_shards = if passed == 0 { empty_shards + 1 } else { 0 };
        }
    }

    fn has_room(&self) -> bool {
        self.budget.has_room()
            || self.budget.capacity_bytes() > 0
                && self
                    .reads_when_full
                    .fetch_add(1, Ordering::Relaxed)
                    .is_multiple_of(KEPT_WHEN_FULL)
    }

    fn shard(&self, hash: u64) -> &RwLock<Shard> {
        // These bits are other ones than those by which a shard's table finds a place.
        let nth = usize::try_from((hash >> 32) % SHARDS as u64).ok();
        let shard = nth.and_then(|nth| self.shards.get(nth));
        shard.expect("a remainder is less than the number of shards")
    }

    fn add_bytes(&self, bytes: usize) {
        self.budget.point_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn remove_bytes(&self, bytes: usize) {
        let before = self.budget.point_bytes.fetch_sub(bytes, Ordering::Relaxed);
        assert!(before >= bytes, "entries take as many bytes as were counted for them");
    }
}

impl Shard {
    fn place(&self, hash: u64, key: &[u8]) -> Option<usize> {
        let has_key = |slot: &Slot| slot.hash == hash && *slot.key == *key;
        self.places.find(hash, |place| self.slots.get(*place).is_some_and(has_key)).copied()
    }

    fn slot(&self, hash: u64, key: &[u8]) -> Option<&Slot> {
        self.place(hash, key).and_then(|place| self.slots.get(place))
    }

    fn insert(&mut self, slot: Slot) {
        let (hash, place) = (slot.hash, self.slots.len());
        self.slots.push(slot);
        self.places.insert_unique(hash, place, hash_at(&self.slots));
    }

    /// Removes the entry at `place` and returns its bytes.
    fn remove(&mut self, place: usize) -> usize {
        let removed = self.slots.swap_remove(place);
        let last = self.slots.len();
        let entry = self.places.find_entry(removed.hash, |it| *it == place);
        entry.expect("each slot has its place").remove();
        if let Some(moved) = self.slots.get(place) {
            let moved = self.places.find_mut(moved.hash, |it| *it == last);
            *moved.expect("each slot has its place") = place;
        }
        if self.slots.len() < self.slots.capacity() / 4 {
            self.slots.shrink_to(self.slots.len() * 2);
            self.places.shrink_to(self.slots.len() * 2, hash_at(&self.slots));
        }
        assert!(self.places.len() == self.slots.len(), "each slot has its place");
        removed.size_bytes()
    }

    /// Drops the next entry that was not read since the last search and returns its bytes; 0 if
    /// there is none.
    fn drop_one(&mut self) -> usize {
        let passed = (0..self.slots.len()).map_while(|_| self.pass_one());
        passed.map(|passed| passed.dropped_bytes()).find(|bytes| *bytes > 0).unwrap_or(0)
    }

    /// Passes over some entries and drops those not read since the last search; returns the bytes
    /// of all and of those.
    fn pass_over(&mut self) -> (usize, usize) {
        let (mut passed_bytes, mut dropped_bytes) = (0, 0);
        let count = self.slots.len().min(PASSED_AT_ONCE);
        for passed in (0..count).map_while(|_| self.pass_one()) {
            passed_bytes += passed.size_bytes();
            dropped_bytes += passed.dropped_bytes();
        }
        (passed_bytes, dropped_bytes)
    }

    /// Passes over the next entry, if there is any, and drops it if it was not read since the last
    /// search.
    fn pass_one(&mut self) -> Option<Passed> {
        let place = if self.hand < self.slots.len() { self.hand } else { 0 };
        let slot = self.slots.get_mut(place)?;
        if std::mem::take(slot.is_used.get_mut()) {
            self.hand = place + 1;
            return Some(Passed::Kept(slot.size_bytes()));
        }
        self.hand = place;
        Some(Passed::Dropped(self.remove(place)))
    }
}

/// Returns the function that gives a shard's table the hash of a place.
fn hash_at(slots: &[Slot]) -> impl Fn(&usize) -> u64 {
    |place| slots.get(*place).expect("each place has its slot").hash
}

impl Slot {
    fn size_bytes(&self) -> usize {
        ENTRY_BYTES
            + allocated_bytes(self.key.len())
            + self.value.as_ref().map_or(0, |value| allocated_bytes(value.len()))
    }
}
