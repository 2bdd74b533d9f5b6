//! Random commits and reads on every engine against a `BTreeMap`, with reopening in between.
//!
//! Bounded by default; `HASHRANGE_MODEL_STEPS` and `HASHRANGE_MODEL_SEED` ask for more or for
//! one run again.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: failures panic, seeds are printed"
)]

#[cfg(feature = "postgres")]
mod scratch;

use hashrange_storage::{
    AnyStore, AnyView, Bytes, Direction, EmbeddedOptions, EmbeddedStore, Key, KeyRange,
    MemoryStore, Store, View, Wanted, block_on,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

type Model = BTreeMap<Key, Bytes>;

/// A small seeded generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn offset(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    /// Returns one of about a thousand keys, many of them prefixes of others.
    fn key(&mut self) -> Key {
        let length = 1 + self.below(5);
        (0..length).map(|_| [b'a', b'b', 0, 0xff][self.offset(4)]).collect()
    }

    fn value(&mut self) -> Bytes {
        let length = [0, 1, 20, 1000, 9000][self.offset(5)];
        Bytes::from(vec![u8::try_from(self.below(256)).unwrap(); length])
    }

    fn range(&mut self) -> KeyRange {
        match self.below(6) {
            0..2 => KeyRange::prefix(&self.key()),
            // Few and wide, so that much of what one visit sees was seen by another.
            2..4 => KeyRange { start: vec![b'a'], end: Some(vec![b'b', b'b']) },
            4 => KeyRange { start: self.key(), end: None },
            _ => KeyRange { start: self.key(), end: Some(self.key()) },
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Commits a few random writes to store and model after checking what `decide` is shown.
fn commit(store: &AnyStore, model: &mut Model, random: &mut Random) {
    let keys: Vec<Key> = (0..=random.below(12)).map(|_| random.key()).collect();
    let expected: Vec<_> = keys.iter().map(|key| model.get(key).cloned()).collect();
    let writes: Vec<_> =
        keys.iter().map(|key| (key.clone(), random.below(3), random.value())).collect();
    let shown = block_on(store.commit(keys, |values, batch| {
        for (key, kind, value) in &writes {
            match kind {
                0 => batch.delete(key.clone()),
                1 => batch.put(key.clone(), value.clone()),
                _ => {}
            }
        }
        values.to_vec()
    }));
    assert_eq!(shown.unwrap(), expected);
    for (key, kind, value) in writes {
        match kind {
            0 => drop(model.remove(&key)),
            1 => drop(model.insert(key, value)),
            _ => {}
        }
    }
}

/// Visits a range in both directions. What one visit leaves in memory the other one shows.
fn check_visits(view: &AnyView, model: &Model, random: &mut Random) {
    let (range, limit) = (random.range(), 1 + random.offset(40));
    let mut directions = [Direction::Forward, Direction::Backward];
    if random.below(2) == 0 {
        directions.reverse();
    }
    for direction in directions {
        check_visit(view, model, &range, direction, limit);
    }
}

fn check_visit(
    view: &AnyView,
    model: &Model,
    range: &KeyRange,
    direction: Direction,
    limit: usize,
) {
    let in_range =
        |key: &Key| *key >= range.start && range.end.as_ref().is_none_or(|end| key < end);
    let mut expected: Vec<_> = model
        .iter()
        .filter(|(key, _)| in_range(key))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    if direction == Direction::Backward {
        expected.reverse();
    }
    expected.truncate(limit);
    let mut seen = Vec::new();
    block_on(view.visit(range.clone(), direction, Wanted::ALL, |key, value| {
        seen.push((key.to_vec(), value.clone()));
        if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }))
    .unwrap();
    assert_eq!(seen, expected, "{range:?} {direction:?} {limit}");
}

fn check_get(view: &AnyView, model: &Model, random: &mut Random) {
    let keys: Vec<Key> = (0..random.below(5)).map(|_| random.key()).collect();
    let expected: Vec<_> = keys.iter().map(|key| model.get(key).cloned()).collect();
    assert_eq!(block_on(view.get_many(&keys)).unwrap(), expected);
}

/// Runs random steps; `reopen` is called now and then and may replace the store.
fn run(mut store: AnyStore, mut reopen: impl FnMut(AnyStore) -> AnyStore) {
    let seed = setting("HASHRANGE_MODEL_SEED", 42);
    println!("HASHRANGE_MODEL_SEED={seed}");
    let mut random = Random(seed.max(1));
    let mut model = Model::new();
    let mut old = (block_on(store.view()).unwrap(), model.clone());
    for _ in 0..setting("HASHRANGE_MODEL_STEPS", 3000) {
        match random.below(100) {
            0..50 => commit(&store, &mut model, &mut random),
            50..75 => check_visits(&block_on(store.view()).unwrap(), &model, &mut random),
            75..90 => check_get(&block_on(store.view()).unwrap(), &model, &mut random),
            // A view of a shared store shows what is newer.
            90..93 if store.is_shared() => {}
            90..93 => check_visits(&old.0, &old.1, &mut random),
            93..98 => old = (block_on(store.view()).unwrap(), model.clone()),
            _ => {
                drop(old);
                store = reopen(store);
                old = (block_on(store.view()).unwrap(), model.clone());
            }
        }
    }
}

#[test]
fn memory_store_equals_the_model() {
    run(MemoryStore::new().into(), |store| store);
}

fn run_embedded(cache_bytes: u64) {
    let folder = tempfile::tempdir().unwrap();
    let options =
        EmbeddedOptions { cache_bytes, memtable_bytes: 200_000, ..EmbeddedOptions::default() };
    let open = || EmbeddedStore::open(folder.path(), &options).unwrap().into();
    run(open(), |store| {
        drop(store);
        open()
    });
}

#[test]
fn embedded_store_equals_the_model() {
    run_embedded(EmbeddedOptions::default().cache_bytes);
}

#[test]
fn embedded_store_with_a_full_cache_equals_the_model() {
    run_embedded(400_000);
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_store_equals_the_model() {
    use hashrange_storage::{PostgresOptions, PostgresStore};
    let url = scratch::shared().url();
    // Also the smallest pages, so that they are asked about.
    let options = PostgresOptions { kept_page_bytes: 0, ..PostgresOptions::default() };
    let open = || PostgresStore::open(&url, &options).unwrap().into();
    run(open(), |store| {
        drop(store);
        open()
    });
}
