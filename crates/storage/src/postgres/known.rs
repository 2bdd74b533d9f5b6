//! What a process knows of the values that commits decide on: those that it has read by their keys, or written.
//!
//! Others may have written since, so that nothing here is true by itself. What a commit decides on it holds only if
//! the transaction that writes it finds the same numbers of rows (`early.rs`; what a number tells: `rows.rs`). Nor is
//! it known of a key that it is absent: that is guessed where the keys that commits wrote last were all new ones.
//!
//! A guess that is wrong costs a round trip, and what the group did until then. So after each the next one is tried
//! after twice as many commits, and each that was right brings it nearer again.
//!
//! Invariant: what is kept has a bound in bytes.

use super::keys::Located;
use super::traffic::Count;
use bytes::Bytes;
use foldhash::fast::RandomState;
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of a key and a value, of most: how many to make room for is reckoned by it.
const USUAL_BYTES: u64 = 1 << 10;

/// What a value takes beside its bytes and its key's.
const BESIDE_BYTES: usize = 128;

/// So many written keys in a row that were absent and not known let others be guessed to be absent.
const ABSENT_IN_A_ROW: u32 = 64;

/// So many groups in a row in which only some could be decided early, or some wrote what others declared, are as bad as a
/// guess that was wrong.
const IN_VAIN_IN_A_ROW: u32 = 8;

/// Into so many steps all memory is divided when values leave some to pages.
const STEPS: u64 = 256;

/// The most commits that pass between a guess that was wrong and the next one.
const MAX_PAUSE: u32 = 1 << 16;

/// A value that was read or written, with its row's number.
#[derive(Debug, Clone)]
pub(super) struct KnownValue {
    pub(super) number: i64,
    pub(super) value: Bytes,
}

/// The values that are known, and how well guesses have gone.
#[derive(Debug)]
pub(super) struct Known {
    values: Cache<Bytes, KnownValue, Memory, RandomState>,
    capacity_bytes: u64,
    /// The most that all values may take.
    bound_bytes: AtomicU64,
    /// The fewest commits that pass after a guess that was wrong.
    least_pause: u32,
    /// The commits that pass after a guess that was wrong, and those that have passed.
    pause: AtomicU32,
    passed: AtomicU32,
    /// Written keys in a row that were absent and not known.
    absent: AtomicU32,
    /// Groups in a row of which some were decided early in vain.
    in_vain: AtomicU32,
    /// Transactions that were decided early, and of them those that found other values.
    pub(super) early: Count,
    pub(super) mistaken: Count,
}

/// Weighs values by the memory that they take.
#[derive(Debug, Clone)]
struct Memory;

impl Weighter<Bytes, KnownValue> for Memory {
    fn weight(&self, key: &Bytes, known: &KnownValue) -> u64 {
        (key.len() + known.value.len() + BESIDE_BYTES) as u64
    }
}

impl Known {
    /// Knows nothing, and never more than so many bytes of it: with none no commit is decided early. The first one is
    /// after so many others.
    pub(super) fn new(capacity_bytes: u64, early_after: u32) -> Self {
        let usual = usize::try_from(capacity_bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        let (hasher, life) = (RandomState::default(), DefaultLifecycle::default());
        Self {
            values: Cache::with(usual.clamp(16, 1 << 16), capacity_bytes, Memory, hasher, life),
            capacity_bytes,
            bound_bytes: AtomicU64::new(capacity_bytes),
            least_pause: early_after,
            pause: AtomicU32::new(early_after),
            passed: AtomicU32::new(0),
            absent: AtomicU32::new(0),
            in_vain: AtomicU32::new(0),
            early: Count::default(),
            mistaken: Count::default(),
        }
    }

    /// Bounds values and pages, which take so many bytes now, by the same memory, which is never more than at first.
    pub(super) fn bound(&self, all_bytes: u64, page_bytes: u64) {
        let all_bytes = all_bytes.min(self.capacity_bytes);
        let step = (all_bytes / STEPS).max(1);
        let bound_bytes = all_bytes.saturating_sub(page_bytes) / step * step;
        if self.bound_bytes.swap(bound_bytes, Ordering::Relaxed) != bound_bytes {
            self.values.set_capacity(bound_bytes);
        }
    }

    /// Returns the bytes that all values take.
    pub(super) fn size_bytes(&self) -> u64 {
        self.values.weight()
    }

    /// Returns what a commit of these keys is shown if it decides early: `None` = it does not.
    pub(super) fn of(
        &self,
        write: &[Located],
        read: &[Located],
    ) -> Option<Vec<Option<KnownValue>>> {
        let passed = self.passed.load(Ordering::Relaxed);
        if self.capacity_bytes == 0 || passed < self.pause.load(Ordering::Relaxed) {
            return None;
        }
        let least_absent = self.least_pause.clamp(1, ABSENT_IN_A_ROW);
        let may_be_absent = self.absent.load(Ordering::Relaxed) >= least_absent;
        let of_written = write.iter().map(|key| {
            let known = self.values.get(&key.key);
            (known.is_some() || may_be_absent).then_some(known)
        });
        let of_read = read.iter().map(|key| self.values.get(&key.key).map(Some));
        of_written.chain(of_read).collect()
    }

    /// Notes a value that was written.
    pub(super) fn learn(&self, key: &Bytes, number: i64, value: &Bytes) {
        if self.capacity_bytes > 0 {
            self.values.insert(key.clone(), KnownValue { number, value: value.clone() });
        }
    }

    /// Notes a value that was read for somebody else. If one is known already it may be newer.
    pub(super) fn seen(&self, key: &Bytes, number: i64, value: &Bytes) {
        // What is read again and again stays when others are written.
        if self.values.get(key).is_none() {
            self.learn(key, number, value);
        }
    }

    /// Forgets a value.
    pub(super) fn forget(&self, key: &Bytes) {
        self.values.remove(key);
    }

    /// Notes a value that was read for a commit, and its row's number if it has one.
    pub(super) fn found(&self, key: &Bytes, number: Option<i64>, value: &Bytes) {
        if self.values.peek(key).is_none() {
            self.absent.store(0, Ordering::Relaxed);
        }
        if let Some(number) = number {
            self.learn(key, number, value);
        }
    }

    /// Notes that so many keys that commits may write were absent.
    pub(super) fn missed(&self, keys: usize) {
        self.absent.fetch_add(u32::try_from(keys).unwrap_or(0), Ordering::Relaxed);
    }

    /// Notes commits that were not decided early.
    pub(super) fn pass(&self, commits: usize) {
        let commits = u32::try_from(commits).unwrap_or(u32::MAX);
        // Wraps after some billion commits, and then waits once more.
        self.passed.fetch_add(commits, Ordering::Relaxed);
    }

    /// Notes that a transaction found the values that it was decided on.
    pub(super) fn was_right(&self) {
        self.early.add(1);
        self.in_vain.store(0, Ordering::Relaxed);
        let pause = self.pause.load(Ordering::Relaxed);
        self.pause.store((pause - pause / 16).max(self.least_pause), Ordering::Relaxed);
    }

    /// Notes that a transaction found other values than those that it was decided on.
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

#[cfg(test)]
mod tests {
    use super::super::keys::Layout;
    use super::super::placement::Placement;
    use super::*;

    fn located(key: &'static str) -> Vec<Located> {
        let layout = Layout { placement: Placement::default(), places: 1, prefix_bytes: 2000 };
        vec![layout.locate(Bytes::from_static(key.as_bytes()))]
    }

    fn learn(known: &Known, key: &'static str, number: i64) {
        known.learn(&Bytes::from_static(key.as_bytes()), number, &Bytes::from_static(b"v"));
    }

    /// Whether each key is shown to be there; `None` = it is not decided early.
    fn shown(known: &Known, write: &'static str, read: &'static str) -> Option<Vec<bool>> {
        let values = known.of(&located(write), &located(read))?;
        Some(values.iter().map(Option::is_some).collect())
    }

    #[test]
    fn only_what_is_known_is_decided_on_unless_new_keys_are_usual() {
        let known = Known::new(1 << 20, 2);
        learn(&known, "a", 1);
        learn(&known, "d", 2);
        assert_eq!(shown(&known, "a", "d"), None, "too early");
        known.pass(2);
        assert_eq!(shown(&known, "a", "d"), Some(vec![true, true]));
        assert_eq!(shown(&known, "b", "d"), None);
        known.missed(2);
        assert_eq!(shown(&known, "b", "d"), Some(vec![false, true]));
        assert_eq!(shown(&known, "a", "e"), None, "what is read has to be known");
        known.found(&Bytes::from_static(b"a"), Some(3), &Bytes::from_static(b"w"));
        assert_eq!(shown(&known, "b", "d"), Some(vec![false, true]), "a was known");
        known.found(&Bytes::from_static(b"b"), None, &Bytes::from_static(b"w"));
        assert_eq!(shown(&known, "b", "d"), None, "one was there, of which no number is known");
        known.forget(&Bytes::from_static(b"d"));
        assert_eq!(shown(&known, "a", "d"), None);
    }

    #[test]
    fn a_mistake_doubles_the_pause_and_what_is_right_shortens_it() {
        let known = Known::new(1 << 20, 16);
        learn(&known, "a", 1);
        learn(&known, "d", 2);
        known.pass(16);
        assert!(shown(&known, "a", "d").is_some());
        known.was_mistaken();
        known.pass(31);
        assert_eq!(shown(&known, "a", "d"), None);
        known.pass(1);
        assert!(shown(&known, "a", "d").is_some());
        for _ in 0..40 {
            known.was_right();
        }
        known.was_mistaken();
        known.pass(32);
        assert!(shown(&known, "a", "d").is_some(), "it was as short as at first");
        for _ in 0..7 {
            known.was_in_vain();
        }
        assert!(shown(&known, "a", "d").is_some());
        known.was_in_vain();
        assert_eq!(shown(&known, "a", "d"), None);
        for _ in 0..40 {
            known.was_mistaken();
        }
        known.pass(1 << 16);
        assert!(shown(&known, "a", "d").is_some(), "a pause has an end");
        assert_eq!((known.early.get(), known.mistaken.get()), (82, 42));
    }

    #[test]
    fn values_take_what_pages_leave() {
        let known = Known::new(64 << 10, 0);
        let learn_all = || {
            for nth in 0..1000_u32 {
                let key = Bytes::from(nth.to_be_bytes().to_vec());
                known.learn(&key, 1, &Bytes::from_static(b"v"));
            }
            known.size_bytes()
        };
        assert!((60 << 10..=64 << 10).contains(&learn_all()));
        known.bound(64 << 10, 20 << 10);
        assert!(known.size_bytes() <= 44 << 10);
        assert!((40 << 10..=44 << 10).contains(&learn_all()));
        known.bound(128 << 10, 0);
        assert!((60 << 10..=64 << 10).contains(&learn_all()), "never more than at first");
        known.bound(0, 0);
        assert_eq!(learn_all(), 0);
    }

    #[test]
    fn what_is_read_again_stays_when_others_are_written() {
        let known = Known::new(64 << 10, 0);
        let learn_many = |from: u32| {
            for nth in from..from + 1000 {
                known.learn(&Bytes::from(nth.to_be_bytes().to_vec()), 1, &Bytes::from_static(b"v"));
            }
        };
        learn_many(0);
        let (read, once) = (Bytes::from_static(b"read"), Bytes::from_static(b"once"));
        for key in [&read, &once, &read] {
            known.seen(key, 1, &Bytes::from_static(b"v"));
        }
        learn_many(1000);
        assert!(known.values.peek(&read).is_some());
        assert!(known.values.peek(&once).is_none());
    }

    #[test]
    fn with_no_memory_nothing_is_known() {
        let known = Known::new(0, 0);
        learn(&known, "a", 1);
        assert_eq!(known.size_bytes(), 0);
        assert_eq!(known.of(&located("a"), &[]).map(|shown| shown.len()), None);
    }
}
