//! What every engine must do: one list of facts, each run on each engine.
//!
//! What only an engine on disk can show is in `embedded.rs`; crashes are in `crash.rs`.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
use hashrange_storage::{
    AnyStore, AnyView, Batch, Bytes, Direction, EmbeddedOptions, EmbeddedStore, Error, Key,
    KeyRange, Keys, MemoryStore, Store, View, Wanted, block_on,
};
#[cfg(feature = "postgres")]
mod scratch;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Runs `fact` on a new, empty store of each engine.
fn on_every_engine(fact: impl Fn(&AnyStore)) {
    fact(&MemoryStore::new().into());
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap();
    fact(&store.into());
    #[cfg(feature = "postgres")]
    if !scratch::is_left_out() {
        fact(&postgres_store().into());
    }
}

/// Returns a new, empty store on the server that tests share.
#[cfg(feature = "postgres")]
fn postgres_store() -> hashrange_storage::PostgresStore {
    let options = hashrange_storage::PostgresOptions::default();
    hashrange_storage::PostgresStore::open(&scratch::shared().url(), &options).unwrap()
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

fn counter(view: &AnyView, name: &str) -> i64 {
    block_on(view.sums(&[key(name)])).unwrap()[0]
}

/// Returns up to `limit` keys of a range.
fn visit(view: &AnyView, range: KeyRange, direction: Direction, limit: usize) -> Vec<String> {
    let mut seen = Vec::new();
    block_on(view.visit(range, direction, Wanted::ALL, |key, value| {
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
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), None);
        put_all(store, &[("a", "1"), ("b", "")]);
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), Some(bytes("1")));
        assert_eq!(get(&block_on(store.view()).unwrap(), "b"), Some(bytes("")));
        put_all(store, &[("a", "2")]);
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), Some(bytes("2")));
        write(store, "a", |batch| batch.delete(key("a")));
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), None);
        assert_eq!(get(&block_on(store.view()).unwrap(), ""), None);
    });
}

#[test]
fn a_store_is_read_without_a_view() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1"), ("c", "3")]);
        assert_eq!(block_on(store.get(b"a")).unwrap(), Some(bytes("1")));
        assert_eq!(block_on(store.get(b"b")).unwrap(), None);
        let names = keys(&["c", "b", "a"]);
        let expected = [Some(bytes("3")), None, Some(bytes("1"))];
        assert_eq!(block_on(store.get_many(&names)).unwrap(), expected);
        assert_eq!(block_on(store.get_together(&names)).unwrap(), expected);
    });
}

#[test]
fn get_many_answers_in_the_order_of_the_keys() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1"), ("c", "3")]);
        let values =
            block_on(block_on(store.view()).unwrap().get_many(&keys(&["c", "b", "a", "c"])))
                .unwrap();
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
        let view = block_on(store.view()).unwrap();
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
fn decide_sees_keys_that_it_only_reads_after_those_it_may_write() {
    on_every_engine(|store| {
        put_all(store, &[("a", "1"), ("c", "3"), ("d", "4")]);
        let declared = Keys { write: keys(&["c", "b"]), read: keys(&["d", "a", "e"]) };
        let seen = block_on(store.commit(declared, |values, _| values.to_vec())).unwrap();
        assert_eq!(seen, [Some(bytes("3")), None, Some(bytes("4")), Some(bytes("1")), None]);
    });
}

/// Those who only read a key decide at the same time: one sees another within its own decision.
/// Two keys may share a lock, so it need not be so at every try.
#[test]
fn keys_that_are_only_read_are_shared() {
    on_every_engine(|store| {
        let overlapped = (0..100).any(|round| decide_side_by_side(store, round));
        assert!(overlapped, "no two commits that read a key have met");
    });
}

/// Returns whether two commits that read one key were being decided at the same time.
fn decide_side_by_side(store: &AnyStore, round: usize) -> bool {
    let deciding = AtomicUsize::new(0);
    thread::scope(|scope| {
        let deciders = [0, 1].map(|nth| {
            let deciding = &deciding;
            scope.spawn(move || {
                let write = vec![key(&format!("own {round} {nth}"))];
                let declared = Keys { write, read: keys(&["definition"]) };
                let decided = store.commit(declared, |_, _| {
                    deciding.fetch_add(1, Ordering::AcqRel);
                    let meets = || deciding.load(Ordering::Acquire) == 2;
                    (0..10_000).any(|_| meets() || (thread::yield_now(), false).1)
                });
                block_on(decided).unwrap()
            })
        });
        deciders.into_iter().all(|decider| decider.join().unwrap())
    })
}

/// What follows a definition is decided before the definition changes or after, never on both sides.
#[test]
fn a_key_that_is_read_fences_those_who_read_it() {
    const WRITERS: usize = 4;
    const CHANGES: usize = 50;
    on_every_engine(|store| {
        let done = AtomicBool::new(false);
        put_all(store, &[("definition", "0")]);
        thread::scope(|scope| {
            for nth in 0..WRITERS {
                let done = &done;
                scope.spawn(move || {
                    let own = key(&format!("own {nth}"));
                    while !done.load(Ordering::Acquire) {
                        let read = keys(&["definition"]);
                        let declared = Keys { write: vec![own.clone()], read };
                        let written = store.commit(declared, |values, batch| {
                            batch.put(own.clone(), values[1].clone().unwrap());
                        });
                        block_on(written).unwrap();
                    }
                });
            }
            for change in 1..=CHANGES {
                let value = change.to_string();
                write(store, "definition", |batch| batch.put(key("definition"), bytes(&value)));
                // What was decided on an older definition is published before this answer.
                let published: Vec<_> = (0..WRITERS).map(|nth| followed(store, nth)).collect();
                thread::yield_now();
                for (nth, published) in published.into_iter().enumerate() {
                    let now = followed(store, nth);
                    assert!(now == published || now >= change, "{now} was followed after {change}");
                }
            }
            done.store(true, Ordering::Release);
        });
    });
}

/// Returns the definition that a writer has followed last.
fn followed(store: &AnyStore, nth: usize) -> usize {
    let stored = get(&block_on(store.view()).unwrap(), &format!("own {nth}"));
    stored.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap())
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
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), Some(bytes("2")));
        assert_eq!(get(&block_on(store.view()).unwrap(), "b"), None);
    });
}

#[test]
fn counters_add_up_and_can_be_removed() {
    on_every_engine(|store| {
        let view = || block_on(store.view()).unwrap();
        assert_eq!(counter(&view(), "n"), 0);
        write(store, "a", |batch| batch.add(key("n"), 5));
        write(store, "a", |batch| {
            batch.add(key("n"), -7);
            batch.add(key("m"), 3);
            batch.add(key("n"), 1);
        });
        assert_eq!(block_on(view().sums(&keys(&["m", "n", "o"]))).unwrap(), [3, -1, 0]);
        write(store, "guard", |batch| batch.remove_counter(key("n")));
        assert_eq!(counter(&view(), "n"), 0);
        write(store, "a", |batch| batch.add(key("n"), i64::MAX));
        write(store, "b", |batch| batch.add(key("n"), 1));
        assert_eq!(counter(&view(), "n"), i64::MIN);
        write(store, "guard", |batch| {
            batch.remove_counter(key("n"));
            batch.add(key("n"), 4);
        });
        assert_eq!(counter(&view(), "n"), 4);
    });
}

/// Whatever it shows as, a counter is gone when all that a visit shows of it is deleted.
#[test]
fn counters_are_visited_and_deleted_like_entries() {
    on_every_engine(|store| {
        for name in ["a", "b", "c"] {
            write(store, name, |batch| batch.add(key("n/1"), 1));
        }
        write(store, "a", |batch| batch.add(key("n/2"), 2));
        let mut shown = Vec::new();
        let view = block_on(store.view()).unwrap();
        let range = KeyRange::prefix(b"n/");
        block_on(view.visit(range, Direction::Forward, Wanted::ALL, |key, _| {
            shown.push(key.to_vec());
            ControlFlow::Continue(())
        }))
        .unwrap();
        assert!(shown.iter().any(|shown| shown.starts_with(b"n/1")));
        assert!(shown.iter().any(|shown| shown.starts_with(b"n/2")));
        write(store, "guard", |batch| shown.iter().for_each(|key| batch.delete(key.clone())));
        let view = block_on(store.view()).unwrap();
        assert_eq!(block_on(view.sums(&keys(&["n/1", "n/2"]))).unwrap(), [0, 0]);
    });
}

/// Returns the stamps of what was appended to `prefix`, with the values.
fn appended(view: &AnyView, prefix: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    block_on(view.visit(
        KeyRange::prefix(prefix.as_bytes()),
        Direction::Forward,
        Wanted::ALL,
        |key, value| {
            let stamp = key[prefix.len()..].try_into().unwrap();
            found.push((u64::from_be_bytes(stamp), String::from_utf8(value.to_vec()).unwrap()));
            ControlFlow::Continue(())
        },
    ))
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
        let found = appended(&block_on(store.view()).unwrap(), "log/");
        let values: Vec<_> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["1a", "1b", "2a", "2b", "3a", "3b"]);
        assert!(found.is_sorted_by(|(one, _), (next, _)| one < next), "no stamp is given twice");
        assert_eq!(appended(&block_on(store.view()).unwrap(), "other/").len(), 6);
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
        let found = appended(&block_on(store.view()).unwrap(), "log/");
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
                let found = appended(&block_on(store.view()).unwrap(), "log/");
                assert_eq!(found[..seen.len()], seen[..], "what was seen stays the beginning");
                seen = found;
            }
        });
    });
}

#[test]
fn view_is_not_changed_by_later_commits() {
    on_every_engine(|store| {
        if store.is_shared() {
            return;
        }
        put_all(store, &[("a", "a"), ("b", "b")]);
        let before = block_on(store.view()).unwrap();
        write(store, "guard", |batch| {
            batch.put(key("a"), bytes("changed"));
            batch.delete(key("b"));
            batch.put(key("c"), bytes("c"));
        });
        assert_eq!(visit(&before, KeyRange::all(), Direction::Forward, 9), ["a", "b"]);
        assert_eq!(get(&before.clone(), "a"), Some(bytes("a")));
        assert_eq!(get(&block_on(store.view()).unwrap(), "b"), None);
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
        assert_eq!(
            get(&block_on(store.view()).unwrap(), "n"),
            Some(bytes(&(THREADS * ROUNDS).to_string()))
        );
        assert_eq!(
            counter(&block_on(store.view()).unwrap(), "merged"),
            i64::try_from(THREADS * ROUNDS).unwrap()
        );
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
    let seen = get(&block_on(store.view()).unwrap(), "n").unwrap();
    let seen: u64 = std::str::from_utf8(&seen).unwrap().parse().unwrap();
    assert!(seen >= written, "a view taken after the answer shows the write");
}

#[test]
fn what_is_read_together_shows_batches_whole() {
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
                let values = block_on(store.get_together(&keys(&["a", "m", "z"]))).unwrap();
                assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
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
        assert_eq!(get(&block_on(store.view()).unwrap(), "a"), Some(bytes("1")));
    });
}
