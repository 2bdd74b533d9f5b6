//! Locks on keys, exclusive or shared: a fixed number of stripes, taken in one order, so that no
//! set of commits can wait in a circle.
//!
//! Two keys may share a stripe; that costs waiting, never correctness. The hash is seeded per
//! store, so no client can choose keys that share one.

use crate::Keys;
use crate::planted::{Planted, is_planted};
use crate::sync::{RandomState, RwLock, RwLockReadGuard, RwLockWriteGuard, shards};
use std::hash::BuildHasher;

/// Number of stripes: commits on different keys rarely meet.
const STRIPES: usize = shards(1024);

/// A lock on a cache line of its own.
#[repr(align(64))]
#[derive(Debug, Default)]
struct Stripe(RwLock<()>);

/// Guard of a stripe: exclusive for a writer of one of its keys, shared by readers.
#[derive(Debug)]
pub(crate) enum StripeGuard<'l> {
    Alone { _guard: RwLockWriteGuard<'l, ()> },
    Shared { _guard: RwLockReadGuard<'l, ()> },
}

/// Locked keys; dropping the guard releases them.
#[derive(Debug)]
pub(crate) enum LockedKeys<'l> {
    /// One key that may be written, as most commits have.
    One { _held: Option<StripeGuard<'l>> },
    /// Any keys.
    Some { _held: Vec<StripeGuard<'l>> },
}

impl LockedKeys<'_> {
    /// Releases the keys before the guard is dropped.
    pub(crate) fn give_back(&mut self) {
        *self = Self::One { _held: None };
    }
}

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

    /// Locks all `keys` until the guard is dropped. Blocks the thread; a holder never waits for
    /// anything but other stripes, so the wait is as long as a few decisions.
    pub(crate) fn lock(&self, keys: &Keys) -> LockedKeys<'_> {
        if let ([key], []) = (&keys.write[..], &keys.read[..]) {
            return LockedKeys::One { _held: self.hold(self.stripe(key), true) };
        }
        // A stripe of keys of both kinds is locked exclusively.
        let write = keys.write.iter().map(|key| (self.stripe(key), true));
        let read = keys.read.iter().map(|key| (self.stripe(key), false));
        let mut stripes: Vec<(usize, bool)> = write.chain(read).collect();
        if !is_planted(Planted::StripesUnordered) {
            stripes.sort_unstable_by(|one, other| other.cmp(one));
        }
        stripes.dedup_by_key(|(stripe, _)| *stripe);
        debug_assert!(
            stripes.is_sorted_by(|(one, _), (next, _)| one > next)
                || is_planted(Planted::StripesUnordered),
            "all take stripes in one order, each once"
        );
        let held = stripes.into_iter().filter_map(|(stripe, alone)| self.hold(stripe, alone));
        LockedKeys::Some { _held: held.collect() }
    }

    fn hold(&self, stripe: usize, alone: bool) -> Option<StripeGuard<'_>> {
        let Stripe(lock) = self.stripes.get(stripe)?;
        Some(if alone {
            StripeGuard::Alone { _guard: lock.write() }
        } else {
            StripeGuard::Shared { _guard: lock.read() }
        })
    }

    fn stripe(&self, key: &[u8]) -> usize {
        usize::try_from(self.hasher.hash_one(key) % STRIPES as u64)
            .expect("a remainder is less than the number of stripes")
    }
}
