//! Locks on keys: a fixed number of stripes, taken in ascending order, so that no set of commits
//! can wait in a circle.
//!
//! Two keys may share a stripe; that costs waiting, never correctness. The hash is seeded per
//! store, so nobody can choose keys that share one.

use crate::Key;
use crate::planted::{Planted, is_planted};
use crate::sync::{Mutex, MutexGuard, RandomState, shards};
use std::hash::BuildHasher;

/// Enough that commits on different keys rarely meet.
const STRIPES: usize = shards(1024);

/// A mutex on a cache line of its own.
#[repr(align(64))]
#[derive(Debug, Default)]
struct Stripe(Mutex<()>);

/// The striped locks of one store.
#[derive(Debug)]
pub(crate) struct KeyLocks {
    stripes: Box<[Stripe]>,
    hasher: RandomState,
}

impl KeyLocks {
    pub(crate) fn new() -> Self {
        let stripes = (0..STRIPES).map(|_| Stripe::default()).collect();
        Self { stripes, hasher: RandomState::default() }
    }

    /// Locks all `keys` until the guards are dropped. Blocks the thread; a holder never waits for
    /// anything but other stripes, so the wait is as long as a few decisions.
    pub(crate) fn lock(&self, keys: &[Key]) -> Vec<MutexGuard<'_, ()>> {
        let mut stripes: Vec<usize> = keys.iter().map(|key| self.stripe(key)).collect();
        if !is_planted(Planted::StripesUnordered) {
            stripes.sort_unstable();
        }
        stripes.dedup();
        stripes.iter().filter_map(|&stripe| self.stripes.get(stripe)).map(|s| s.0.lock()).collect()
    }

    fn stripe(&self, key: &[u8]) -> usize {
        usize::try_from(self.hasher.hash_one(key) % STRIPES as u64)
            .expect("a remainder is less than the number of stripes")
    }
}
