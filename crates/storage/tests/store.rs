//! What every engine must do: one list of facts, each run on each engine.
//!
//! What only an engine on disk can show is in `embedded.rs`; crashes are in `crash.rs`.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
use hashrange_storage::{
    AnyStore, AnyView, Batch, Bytes, Direction, EmbeddedOptions, EmbeddedStore, Error, Key,
    KeyRange, MemoryStore, Store, View, block_on,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Runs `fact` on a new, empty store of each engine.
fn on_every_engine(fact: impl Fn(&AnyStore)) {
    fact(&MemoryStore::new().into());
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap();
    fact(&store.into());
}

fn key(text: &str) -> Key {
    text.as_bytes().to_vec()
}

fn keys(texts: &[&str]) -> Vec<Key> {
    texts.iter().map(|text| key(text)).collect()
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// Commits `fill` under the lock of `guard`, ignoring current values.
fn write(store: &AnyStore, guard: &str, mut fill: impl FnMut(&mut Batch) + Send) {
    block_on(store.commit(vec![key(guard)], |_, batch| fill(batch))).unwrap();
}

fn put_all(store: &AnyStore, entries: &[(&str, &str)]) {
    write(store, "guard", |batch| {
        for (name, value) in entries {
            batch.put(key(name), bytes(value));
        }
    });
}

fn get(view: &AnyView, name: &str) -> Option<Bytes> {
    block_on(view.get(name.as_bytes())).unwrap()
}

fn counter(view: &AnyView, name: &str) -> Option<i64> {
    get(view, name).map(|value| i64::from_le_bytes(value[..].try_into().unwrap()))
}

/// Returns up to `limit` keys of a range.
fn visit(view: &AnyView, range: KeyRange, direction: Direction, limit: usize) -> Vec<String> {
    let mut seen = Vec::new();
    block_on(view.visit(range, direction, |key, value| {
        assert_eq!(&value[..], key, "entries are put with their key as value");
        seen.push(String::from_utf8(key.to_vec()).unwrap());
        if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }))
    .unwrap();
    seen
}

#[test]
fn get_returns_what_was_put_last_and_nothing_after_delete() {
    on_every_engine(|store| {
        assert_eq!(get(&store.view(), "a"), None);
        put_all(store, &[("a", "1"), ("b", "")]);
        assert_eq!(get(&store.view(), "a"), Some(bytes("1")));
        assert_eq!(get(&store.view(), "b"), Some(bytes("")));
        put_all(store, &[("a", "2")]);
        assert_eq!(get(&store.view(), "a"), Some(bytes("2")));
        write(store, "a", |batch| batch.delete(key("a")));
        assert_eq!(get(&store.view(), "a"), None);
        assert_eq!(get(&store.view(), ""), None);
    });
}

#[test]
fn get_many_answers_in_the_order_of_the_keys() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1"), ("c", "3")]);
        let values = block_on(store.view().get_many(&keys(&["c", "b", "a", "c"]))).unwrap();
        assert_eq!(values, [Some(bytes("3")), None, Some(bytes("1")), Some(bytes("3"))]);
    });
}

#[test]
fn visit_shows_a_range_in_both_directions_until_told_to_stop() {
    let range = |start: &str, end: &str| KeyRange { start: key(start), end: Some(key(end)) };
    let from = |start: &str| KeyRange { start: key(start), end: None };
    let cases: [(KeyRange, usize, &[&str], &[&str]); 10] = [
        (KeyRange::all(), 9, &["a", "b", "b1", "b2", "c"], &["c", "b2", "b1", "b", "a"]),
        (range("b", "c"), 9, &["b", "b1", "b2"], &["b2", "b1", "b"]),
        (range("b0", "b2"), 9, &["b1"], &["b1"]),
        (range("b", "b"), 9, &[], &[]),
        (range("c", "a"), 9, &[], &[]),
        (from("b2"), 9, &["b2", "c"], &["c", "b2"]),
        (from("d"), 9, &[], &[]),
        (KeyRange::prefix(b"b"), 9, &["b", "b1", "b2"], &["b2", "b1", "b"]),
        (KeyRange::prefix(b"b"), 2, &["b", "b1"], &["b2", "b1"]),
        (KeyRange::all(), 1, &["a"], &["c"]),
    ];
    on_every_engine(|store| {
        put_all(store, &["a", "b", "b1", "b2", "c"].map(|name| (name, name)));
        let view = store.view();
        for (range, limit, forward, backward) in cases.clone() {
            assert_eq!(visit(&view, range.clone(), Direction::Forward, limit), forward);
            assert_eq!(visit(&view, range, Direction::Backward, limit), backward);
        }
    });
}

#[test]
fn decide_sees_values_in_the_order_of_the_declared_keys() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1"), ("c", "3")]);
        let seen = block_on(store.commit(keys(&["c", "b", "a", "c"]), |values, _| values.to_vec()));
        let expected = [Some(bytes("3")), None, Some(bytes("1")), Some(bytes("3"))];
        assert_eq!(seen.unwrap(), expected);
    });
}

#[test]
fn last_write_to_a_key_in_a_batch_counts() {
    on_every_engine(|store| {
        write(store, "a", |batch| {
            batch.put(key("a"), bytes("1"));
            batch.delete(key("a"));
            batch.put(key("a"), bytes("2"));
            batch.put(key("b"), bytes("1"));
            batch.delete(key("b"));
        });
        assert_eq!(get(&store.view(), "a"), Some(bytes("2")));
        assert_eq!(get(&store.view(), "b"), None);
    });
}

#[test]
fn counters_add_up_and_follow_puts_and_deletes() {
    let value = |number: i64| Bytes::copy_from_slice(&number.to_le_bytes());
    on_every_engine(|store| {
        write(store, "a", |batch| batch.add(key("n"), 5));
        write(store, "a", |batch| {
            batch.add(key("n"), -7);
            batch.add(key("n"), 1);
        });
        assert_eq!(counter(&store.view(), "n"), Some(-1));
        write(store, "n", |batch| {
            batch.put(key("n"), value(100));
            batch.add(key("n"), 1);
        });
        assert_eq!(counter(&store.view(), "n"), Some(101));
        write(store, "n", |batch| batch.delete(key("n")));
        assert_eq!(counter(&store.view(), "n"), None);
        write(store, "a", |batch| batch.add(key("n"), 3));
        assert_eq!(counter(&store.view(), "n"), Some(3));
        write(store, "n", |batch| {
            batch.delete(key("n"));
            batch.add(key("n"), 4);
        });
        assert_eq!(counter(&store.view(), "n"), Some(4));
    });
}

/// Returns the stamps of what was appended to `prefix`, with the values.
fn appended(view: &AnyView, prefix: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    block_on(view.visit(KeyRange::prefix(prefix.as_bytes()), Direction::Forward, |key, value| {
        let stamp = key[prefix.len()..].try_into().unwrap();
        found.push((u64::from_be_bytes(stamp), String::from_utf8(value.to_vec()).unwrap()));
        ControlFlow::Continue(())
    }))
    .unwrap();
    found
}

#[test]
fn appends_are_in_the_order_of_commits_and_of_their_batch() {
    on_every_engine(|store| {
        for round in ["1", "2", "3"] {
            write(store, "guard", |batch| {
                for part in ["a", "b"] {
                    batch.append(key("log/"), bytes(&format!("{round}{part}")));
                    batch.append(key("other/"), bytes(part));
                }
                assert_eq!(batch.len(), 4);
            });
        }
        let found = appended(&store.view(), "log/");
        let values: Vec<_> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["1a", "1b", "2a", "2b", "3a", "3b"]);
        let mut stamps: Vec<_> = found.iter().map(|(stamp, _)| *stamp).collect();
        stamps.extend(appended(&store.view(), "other/").iter().map(|(stamp, _)| stamp));
        stamps.sort_unstable();
        stamps.dedup();
        assert_eq!(stamps.len(), 12, "no stamp is given twice");
    });
}

#[test]
fn batch_of_appends_alone_is_written_and_can_be_cleared() {
    on_every_engine(|store| {
        write(store, "guard", |batch| {
            batch.append(key("log/"), bytes("dropped"));
            batch.clear();
            assert!(batch.is_empty());
            batch.append(key("log/"), bytes("kept"));
            assert!(!batch.is_empty());
        });
        let found = appended(&store.view(), "log/");
        assert_eq!(found.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(), ["kept"]);
    });
}

/// While four threads append, nothing new ever stands before what a view has shown.
#[test]
fn new_stamps_are_greater_than_every_stamp_seen() {
    const APPENDS: usize = 100;
    on_every_engine(|store| {
        thread::scope(|scope| {
            for name in ["w1", "w2", "w3", "w4"] {
                scope.spawn(move || {
                    for _ in 0..APPENDS {
                        write(store, name, |batch| batch.append(key("log/"), bytes(name)));
                    }
                });
            }
            let mut seen: Vec<(u64, String)> = Vec::new();
            while seen.len() < 4 * APPENDS {
                let found = appended(&store.view(), "log/");
                assert_eq!(found[..seen.len()], seen[..], "what was seen stays the beginning");
                seen = found;
            }
        });
    });
}

#[test]
fn view_is_not_changed_by_later_commits() {
    on_every_engine(|store| {
        put_all(store, &[("a", "a"), ("b", "b")]);
        let before = store.view();
        write(store, "guard", |batch| {
            batch.put(key("a"), bytes("changed"));
            batch.delete(key("b"));
            batch.put(key("c"), bytes("c"));
        });
        assert_eq!(visit(&before, KeyRange::all(), Direction::Forward, 9), ["a", "b"]);
        assert_eq!(get(&before.clone(), "a"), Some(bytes("a")));
        assert_eq!(get(&store.view(), "b"), None);
    });
}

#[test]
fn concurrent_increments_of_one_key_lose_nothing() {
    const THREADS: u64 = 8;
    const ROUNDS: u64 = 50;
    on_every_engine(|store| {
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..ROUNDS).for_each(|_| increment(store)));
            }
        });
        assert_eq!(get(&store.view(), "n"), Some(bytes(&(THREADS * ROUNDS).to_string())));
        assert_eq!(counter(&store.view(), "merged"), i64::try_from(THREADS * ROUNDS).ok());
    });
}

/// Adds one to the decimal number at `n` by reading and writing, and to the counter `merged`.
fn increment(store: &AnyStore) {
    let written = block_on(store.commit(vec![key("n")], |values, batch| {
        let current = values[0]
            .as_ref()
            .map_or(0, |value| std::str::from_utf8(value).unwrap().parse::<u64>().unwrap());
        batch.put(key("n"), bytes(&(current + 1).to_string()));
        batch.add(key("merged"), 1);
        current + 1
    }))
    .unwrap();
    let seen = get(&store.view(), "n").unwrap();
    let seen: u64 = std::str::from_utf8(&seen).unwrap().parse().unwrap();
    assert!(seen >= written, "a view taken after the answer shows the write");
}

#[test]
fn views_see_batches_whole() {
    on_every_engine(|store| {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..200 {
                    let value = round.to_string();
                    put_all(store, &[("a", &value), ("m", &value), ("z", &value)]);
                }
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                let view = store.view();
                assert_eq!(get(&view, "a"), get(&view, "m"));
                assert_eq!(get(&view, "m"), get(&view, "z"));
            }
        });
    });
}

#[test]
fn panic_in_decide_writes_nothing_and_frees_the_locks() {
    on_every_engine(|store| {
        let panicked = thread::scope(|scope| {
            scope
                .spawn(|| {
                    block_on(store.commit(vec![key("a")], |_, batch| {
                        batch.put(key("a"), bytes("lost"));
                        panic!("on purpose");
                    }))
                })
                .join()
        });
        assert!(panicked.is_err());
        let seen = block_on(store.commit(vec![key("a")], |values, _| values[0].clone())).unwrap();
        assert_eq!(seen, None);
        block_on(store.sync()).unwrap();
    });
}

#[test]
fn empty_batch_writes_nothing() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1")]);
        let before = store.stats().commits;
        let answer = block_on(store.commit(vec![key("a")], |values, _| values[0].clone()));
        assert_eq!(answer.unwrap(), Some(bytes("1")));
        assert_eq!(store.stats().commits, before);
    });
}

#[test]
fn closed_store_refuses_commits_and_still_reads() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1")]);
        block_on(store.close()).unwrap();
        let refused = block_on(store.commit(vec![key("a")], |_, batch| batch.delete(key("a"))));
        assert!(matches!(refused, Err(Error::Closed)));
        assert_eq!(get(&store.view(), "a"), Some(bytes("1")));
    });
}
