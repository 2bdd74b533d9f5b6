//! The cache against a list of states, step by step.

use super::super::cache_budget::CacheBudget;
use super::{PointCache, VALUE_MAX_BYTES};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

const AMPLE_BYTES: usize = 64 << 20;

/// A cache above a map, and the states of the map by group.
struct Fixture {
    cache: PointCache,
    budget: Arc<CacheBudget>,
    states: Vec<BTreeMap<Vec<u8>, Bytes>>,
}

impl Fixture {
    fn new(capacity_bytes: usize) -> Self {
        let budget = Arc::new(CacheBudget::new(capacity_bytes));
        let cache = PointCache::new(Arc::clone(&budget));
        Self { cache, budget, states: vec![BTreeMap::new()] }
    }

    fn group(&self) -> usize {
        self.states.len() - 1
    }

    /// Makes the next state, durable and not yet told to the cache.
    fn write(&mut self, changes: &[(&[u8], Option<Bytes>)]) {
        let mut map = self.states[self.group()].clone();
        for (key, value) in changes {
            match value {
                Some(value) => map.insert(key.to_vec(), value.clone()),
                None => map.remove(*key),
            };
        }
        self.states.push(map);
    }

    fn tell(&self, changes: &[(&[u8], Option<Bytes>)]) {
        let group = self.group() as u64;
        let changes = changes.iter().map(|(key, value)| (*key, value.as_ref()));
        self.cache.replace(group, changes);
    }

    fn write_and_tell(&mut self, key: &[u8], value: Option<Bytes>) {
        self.write(&[(key, value.clone())]);
        self.tell(&[(key, value)]);
    }

    /// Reads as a reader of `group`, checks the answer and returns whether the cache gave it.
    fn read(&self, group: usize, key: &[u8]) -> bool {
        let expected = self.states[group].get(key);
        if let Some(kept) = self.cache.get(group as u64, key) {
            assert_eq!(kept.as_ref(), expected, "{key:?} after {group}");
            return true;
        }
        self.cache.keep(group as u64, key, expected);
        false
    }

    fn read_newest(&self, key: &[u8]) -> bool {
        self.read(self.group(), key)
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "tests compare it with what is read, which may be absent"
)]
fn value(text: &'static str) -> Option<Bytes> {
    Some(Bytes::from_static(text.as_bytes()))
}

#[test]
fn what_was_read_is_not_read_again_and_writes_replace_it() {
    let mut fixture = Fixture::new(AMPLE_BYTES);
    fixture.write_and_tell(b"k", value("1"));
    assert!(!fixture.read_newest(b"k"), "what was only written is not kept");
    assert!(fixture.read_newest(b"k"));
    fixture.write_and_tell(b"k", value("2"));
    assert!(fixture.read_newest(b"k"), "a read after a write needs the map no more");
    fixture.write_and_tell(b"k", None);
    assert!(fixture.read_newest(b"k"), "that there is nothing is kept too");
    fixture.write_and_tell(b"other", value("3"));
    assert!(fixture.read_newest(b"k"));
}

#[test]
fn readers_of_earlier_groups_get_nothing_and_leave_nothing() {
    let mut fixture = Fixture::new(AMPLE_BYTES);
    fixture.write_and_tell(b"k", value("1"));
    fixture.write_and_tell(b"k", value("2"));
    assert!(!fixture.read(1, b"k"), "nothing is here");
    assert!(!fixture.read(2, b"k"), "the reader of an earlier group left nothing");
    assert!(fixture.read(2, b"k"));
    assert!(!fixture.read(1, b"k"), "what a later group wrote is not shown");
}

#[test]
fn a_value_that_comes_in_while_a_group_is_told_is_replaced() {
    let mut fixture = Fixture::new(AMPLE_BYTES);
    fixture.write_and_tell(b"k", value("1"));
    // Group 2 is durable but not told to the cache yet, and a reader of group 1 leaves its value.
    fixture.write(&[(b"k", value("2"))]);
    assert!(!fixture.read(1, b"k"));
    assert!(fixture.read(1, b"k"));
    fixture.tell(&[(b"k", value("2"))]);
    assert!(fixture.read(2, b"k"));
    assert_eq!(fixture.cache.get_newest(b"k"), Some(value("2")));
}

#[test]
fn large_values_are_not_kept() {
    let mut fixture = Fixture::new(AMPLE_BYTES);
    let large = || Some(Bytes::from(vec![0; VALUE_MAX_BYTES + 1]));
    fixture.write_and_tell(b"k", large());
    assert!(!fixture.read_newest(b"k"));
    assert!(!fixture.read_newest(b"k"));
    fixture.write_and_tell(b"k", value("small"));
    assert!(!fixture.read_newest(b"k"));
    fixture.write_and_tell(b"k", large());
    assert!(!fixture.read_newest(b"k"));
    assert_eq!(fixture.budget.size_bytes(), 0);
}

#[test]
fn values_stay_within_their_bytes_and_used_ones_stay_longest() {
    let mut fixture = Fixture::new(1 << 20);
    let kept = Some(Bytes::from(vec![0; 1000]));
    let keys: Vec<Vec<u8>> = (0..5000).map(|nth| format!("{nth:04}").into_bytes()).collect();
    let changes: Vec<(&[u8], Option<Bytes>)> =
        keys.iter().map(|key| (&key[..], kept.clone())).collect();
    fixture.write(&changes);
    fixture.tell(&changes);
    fixture.read_newest(&keys[0]);
    let mut missed = 0;
    for key in keys.iter().cycle().take(20 * keys.len()) {
        fixture.read_newest(key);
        missed += usize::from(!fixture.read_newest(&keys[0]));
        assert!(fixture.budget.size_bytes() <= 1 << 20);
    }
    assert!(fixture.budget.size_bytes() > 1 << 19);
    assert!(missed < 100, "{missed}");
    fixture.cache.shrink(1 << 19);
    assert!(fixture.budget.size_bytes() <= 1 << 19);
    fixture.cache.shrink(usize::MAX);
    assert_eq!(fixture.budget.size_bytes(), 0);
}

#[test]
fn a_cache_without_room_keeps_nothing() {
    let mut fixture = Fixture::new(0);
    fixture.write_and_tell(b"k", value("1"));
    for _ in 0..20 {
        assert!(!fixture.read_newest(b"k"));
    }
    assert_eq!(fixture.budget.size_bytes(), 0);
}

/// Random writes, tellings in their order at random moments, and reads as of every group that was
/// published by then or is old.
#[test]
fn random_readers_see_the_state_of_their_group() {
    let mut fixture = Fixture::new(40_000);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let keys: Vec<Vec<u8>> = (0..40).map(|nth| format!("key {nth}").into_bytes()).collect();
    let mut hits = 0;
    for step in 0..4000 {
        let mut changes: BTreeMap<&[u8], Option<Bytes>> = BTreeMap::new();
        for _ in 0..random(6) {
            let key = &keys[random(keys.len())];
            let value = vec![i32::to_le_bytes(step)[0]; random(2000)];
            changes.insert(key, (random(4) > 0).then(|| Bytes::from(value)));
        }
        let changes: Vec<_> = changes.into_iter().collect();
        let published = fixture.group();
        fixture.write(&changes);
        for _ in 0..random(8) {
            let group = published - random(published.min(3) + 1);
            hits += usize::from(fixture.read(group, &keys[random(keys.len())]));
        }
        fixture.tell(&changes);
        for _ in 0..random(8) {
            let group = fixture.group() - random(fixture.group().min(3) + 1);
            hits += usize::from(fixture.read(group, &keys[random(keys.len())]));
        }
    }
    assert!(hits > 5000, "{hits}");
}
