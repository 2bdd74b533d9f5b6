//! Guesses that the keys of a commit are absent, and how often they were right.
//!
//! The store guesses where the keys that commits met last were all new, but for those that it has
//! met before: of each of these it asks. A decision on a guess holds only if the transaction that
//! writes it finds none of the keys (`early.rs`).
//!
//! A wrong guess costs a round trip, and what the group did until then. So after a wrong guess
//! twice as many commits pass before the next one, and each right guess shortens that pause.

use super::keys::Located;
use super::traffic::Count;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// So many written keys in a row that were absent, or met before, let others be guessed to be
/// absent.
const ABSENT_IN_A_ROW: u32 = 64;

/// Keys whose digests are remembered, at most. A power of two.
const MET: usize = 1 << 14;

/// Groups in a row that count as one wrong guess: only some of each could be decided early, or some wrote what others
/// declared.
const IN_VAIN_IN_A_ROW: u32 = 8;

/// Most commits that pass between a wrong guess and the next one.
const MAX_PAUSE: u32 = 1 << 16;

/// Guesses of a store, and how often they were right.
#[derive(Debug)]
pub(super) struct Guesses {
    is_allowed: bool,
    /// The fewest commits that pass after a guess that was wrong.
    least_pause: u32,
    /// Commits that pass after a wrong guess, and number of them so far.
    pause: AtomicU32,
    passed: AtomicU32,
    /// Written keys that were absent since one was there that had not been met before.
    absent: AtomicU32,
    /// Digests of keys that commits were to write, each where its last bits say.
    met: Box<[AtomicU32]>,
    /// Groups in a row of which some were decided early in vain.
    in_vain: AtomicU32,
    /// Transactions that were decided early, and of them those that found a key or another fence.
    pub(super) early: Count,
    pub(super) mistaken: Count,
}

impl Guesses {
    /// Makes the first guess after so many commits, or never.
    pub(super) fn new(is_allowed: bool, early_after: u32) -> Self {
        Self {
            is_allowed,
            least_pause: early_after,
            pause: AtomicU32::new(early_after),
            passed: AtomicU32::new(0),
            absent: AtomicU32::new(0),
            met: (0..MET).map(|_| AtomicU32::new(0)).collect(),
            in_vain: AtomicU32::new(0),
            early: Count::default(),
            mistaken: Count::default(),
        }
    }

    /// Returns whether a commit is to guess that the keys which it may write are absent.
    pub(super) fn are_made_of(&self, keys: &[Located]) -> bool {
        self.is_allowed
            && self.passed.load(Ordering::Relaxed) >= self.pause.load(Ordering::Relaxed)
            && self.absent.load(Ordering::Relaxed) >= self.least_pause.clamp(1, ABSENT_IN_A_ROW)
            && !keys.iter().any(|key| self.has_met(key))
    }

    /// Notes keys that commits may write, and whether each was there.
    pub(super) fn found<'k>(&self, keys: impl Iterator<Item = (&'k Located, bool)>) {
        let (mut absent, mut is_surprised) = (0, false);
        for (key, is_there) in keys {
            is_surprised |= is_there && !self.has_met(key);
            absent += u32::from(!is_there);
            self.meet(key);
        }
        if is_surprised {
            self.absent.store(0, Ordering::Relaxed);
        }
        self.absent.fetch_add(absent, Ordering::Relaxed);
    }

    /// Notes a key that was written.
    pub(super) fn meet(&self, key: &Located) {
        let (place, digest) = place_of(key);
        if let Some(met) = self.met.get(place) {
            met.store(digest, Ordering::Relaxed);
        }
    }

    fn has_met(&self, key: &Located) -> bool {
        let (place, digest) = place_of(key);
        self.met.get(place).is_some_and(|met| met.load(Ordering::Relaxed) == digest)
    }

    /// Notes commits that were not decided early.
    pub(super) fn pass(&self, commits: usize) {
        let commits = u32::try_from(commits).unwrap_or(u32::MAX);
        // Wraps after some billion commits, and then waits once more.
        self.passed.fetch_add(commits, Ordering::Relaxed);
    }

    /// Notes a right guess of a transaction.
    pub(super) fn was_right(&self) {
        self.early.add(1);
        self.in_vain.store(0, Ordering::Relaxed);
        let pause = self.pause.load(Ordering::Relaxed);
        self.pause.store((pause - pause / 16).max(self.least_pause), Ordering::Relaxed);
    }

    /// Notes a wrong guess of a transaction.
    pub(super) fn was_mistaken(&self) {
        self.early.add(1);
        self.mistaken.add(1);
        self.rest();
    }

    /// Notes a group that has to be asked to decide although some have decided early.
    pub(super) fn was_in_vain(&self) {
        if self.in_vain.fetch_add(1, Ordering::Relaxed) + 1 >= IN_VAIN_IN_A_ROW {
            self.rest();
        }
    }

    /// Lets more commits pass than the last time.
    fn rest(&self) {
        self.in_vain.store(0, Ordering::Relaxed);
        let pause = self.pause.load(Ordering::Relaxed).max(1);
        self.pause.store(pause.saturating_mul(2).min(MAX_PAUSE), Ordering::Relaxed);
        self.passed.store(0, Ordering::Relaxed);
    }
}

/// Returns where a key's digest is remembered, and the digest.
fn place_of(key: &Located) -> (usize, u32) {
    let digest = xxh3_64(&key.key);
    let rest = u32::try_from(digest >> 32).unwrap_or(0);
    (usize::try_from(digest).unwrap_or(0) % MET, rest)
}

#[cfg(test)]
mod tests {
    use super::super::keys::Layout;
    use super::super::placement::Placement;
    use super::*;
    use bytes::Bytes;

    fn located(key: u32) -> Located {
        let layout = Layout { placement: Placement::default(), places: 1, prefix_bytes: 2000 };
        layout.locate(Bytes::from(key.to_be_bytes().to_vec()))
    }

    fn found(guesses: &Guesses, keys: impl IntoIterator<Item = u32>, is_there: bool) {
        let keys: Vec<_> = keys.into_iter().map(located).collect();
        guesses.found(keys.iter().map(|key| (key, is_there)));
    }

    fn is_made_of(guesses: &Guesses, key: u32) -> bool {
        guesses.are_made_of(&[located(key)])
    }

    #[test]
    fn keys_are_guessed_to_be_absent_where_new_ones_are_usual() {
        let guesses = Guesses::new(true, 2);
        found(&guesses, [1, 2], false);
        assert!(!is_made_of(&guesses, 9), "too early");
        guesses.pass(2);
        assert!(is_made_of(&guesses, 9));
        found(&guesses, [3], true);
        assert!(!is_made_of(&guesses, 9), "one was there");
        found(&guesses, [4], false);
        assert!(!is_made_of(&guesses, 9));
        found(&guesses, [5], false);
        assert!(is_made_of(&guesses, 9));
        found(&guesses, [3, 5], true);
        assert!(is_made_of(&guesses, 9), "they had been met");
        assert!(!is_made_of(&guesses, 3) && !is_made_of(&guesses, 4));
        guesses.meet(&located(9));
        assert!(!is_made_of(&guesses, 9));
        let never = Guesses::new(false, 0);
        found(&never, 0..100, false);
        assert!(!is_made_of(&never, 1000));
    }

    #[test]
    fn a_mistake_doubles_the_pause_and_what_is_right_shortens_it() {
        let guesses = Guesses::new(true, 16);
        found(&guesses, 0..64, false);
        guesses.pass(16);
        assert!(is_made_of(&guesses, 1000));
        guesses.was_mistaken();
        guesses.pass(31);
        assert!(!is_made_of(&guesses, 1000));
        guesses.pass(1);
        assert!(is_made_of(&guesses, 1000));
        for _ in 0..40 {
            guesses.was_right();
        }
        guesses.was_mistaken();
        guesses.pass(32);
        assert!(is_made_of(&guesses, 1000), "it was as short as at first");
        for _ in 0..7 {
            guesses.was_in_vain();
        }
        assert!(is_made_of(&guesses, 1000));
        guesses.was_in_vain();
        assert!(!is_made_of(&guesses, 1000));
        for _ in 0..40 {
            guesses.was_mistaken();
        }
        guesses.pass(1 << 16);
        assert!(is_made_of(&guesses, 1000), "a pause has an end");
        assert_eq!((guesses.early.get(), guesses.mistaken.get()), (82, 42));
    }
}
