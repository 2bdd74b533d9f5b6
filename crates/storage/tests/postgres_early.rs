//! Commits on PostgreSQL that are decided before they are sent, on the guess that their keys are
//! absent: they are not asked, and whatever the database has, what they do is what they would have
//! done knowing it.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod numbers;
mod proxy;
mod scratch;

use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{
    Batch, Direction, Key, KeyRange, Keys, PostgresStore, Store, View, Wanted, block_on,
};
use numbers::{increment, number, text};
use proxy::{Fault, Proxy};
use scratch::{server, shared};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// A statement that is a whole transaction.
const WHOLE: &str = "AND token = $3";

/// A lane that decides early whenever it can.
fn eager() -> PostgresOptions {
    PostgresOptions { early_after: 0, lanes: 1, groups: Some(4), ..PostgresOptions::default() }
}

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, &eager()).unwrap()
}

/// Returns what the database has.
fn get(store: &PostgresStore, key: &str) -> u64 {
    number(block_on(store.get(key.as_bytes())).unwrap().as_ref())
}

fn put(store: &PostgresStore, key: &str, value: u64) {
    block_on(store.commit(vec![key.into()], |_, batch| batch.put(key.into(), text(value))))
        .unwrap();
}

fn count(store: &PostgresStore, prefix: &str) -> u64 {
    let mut count = 0;
    let view = block_on(store.view()).unwrap();
    let range = KeyRange::prefix(prefix.as_bytes());
    block_on(view.visit(range, Direction::Forward, Wanted::ALL, |_, _| {
        count += 1;
        ControlFlow::Continue(())
    }))
    .unwrap();
    count
}

fn sum(store: &PostgresStore, key: &str) -> i64 {
    block_on(block_on(store.view()).unwrap().sums(&[key.into()])).unwrap()[0]
}

/// Runs something, and returns how many round trips of commits it took, how many transactions of it
/// were decided early, and how many of them found a key.
fn took(store: &PostgresStore, work: impl FnOnce()) -> (u64, u64, u64) {
    let before = store.traffic();
    work();
    let after = store.traffic();
    (
        after.commit_round_trips - before.commit_round_trips,
        after.early_groups - before.early_groups,
        after.mistaken_groups - before.mistaken_groups,
    )
}

/// Whoever holds a key's lock may write another one and delete that one.
#[test]
fn what_was_written_under_a_lock_is_deleted_by_who_waited_for_it() {
    let server = server();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1;
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%{schema}.%'"
    );
    let (store, other) = (open(&url), open(&url));
    put(&store, "item", 1);
    let ((locked, is_locked), (go, goes_on)) = (mpsc::channel(), mpsc::channel());
    thread::scope(|scope| {
        let other = &other;
        scope.spawn(move || {
            let write = move |_: &[_], batch: &mut Batch| {
                locked.send(()).unwrap();
                goes_on.recv().unwrap();
                batch.delete("item".into());
                batch.put("entry".into(), text(1));
            };
            block_on(other.commit(vec!["item".into()], write)).unwrap();
        });
        is_locked.recv().unwrap();
        scope.spawn(|| {
            let write = |_: &[_], batch: &mut Batch| {
                batch.put("item".into(), text(2));
                batch.delete("entry".into());
            };
            block_on(store.commit(vec!["item".into()], write)).unwrap();
        });
        while server.sql(&waiting) == "0" {}
        go.send(()).unwrap();
    });
    assert_eq!(get(&store, "item"), 2);
    assert_eq!(block_on(store.get(b"entry")).unwrap(), None);
}

#[test]
fn new_keys_are_written_at_once_and_a_mistake_takes_one_round_trip_more() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    // Nothing is guessed until the last key was new.
    assert_eq!(took(&store, || put(&store, "a", 1)), (2, 0, 0));
    assert_eq!(took(&store, || put(&store, "b", 7)), (1, 1, 0));
    assert_eq!(took(&store, || assert_eq!(increment(&store, "c").unwrap(), 0)), (1, 1, 0));
    // Others have made one.
    put(&other, "d", 9);
    assert_eq!(took(&store, || assert_eq!(increment(&store, "d").unwrap(), 9)), (3, 1, 1));
    assert_eq!(took(&store, || put(&store, "e", 3)), (2, 0, 0));
    assert_eq!(took(&store, || put(&store, "f", 4)), (1, 1, 0));
    // What the store has met it asks for, and still guesses of others.
    assert_eq!(took(&store, || assert_eq!(increment(&store, "a").unwrap(), 1)), (2, 0, 0));
    assert_eq!(took(&store, || assert_eq!(increment(&store, "f").unwrap(), 4)), (2, 0, 0));
    assert_eq!(took(&store, || put(&store, "g", 5)), (1, 1, 0));
    assert_eq!(["a", "b", "c", "d", "e", "f"].map(|key| get(&store, key)), [2, 7, 1, 10, 3, 5]);
}

#[test]
fn all_that_a_commit_writes_is_there() {
    let store = open(&shared().url());
    put(&store, "before", 1);
    let write = |[key, beside]: [&str; 2], writes_both: bool, deleted: Option<&str>| {
        block_on(store.commit(vec![key.into(), beside.into()], |values, batch| {
            assert_eq!(values, [None, None]);
            if writes_both {
                batch.put(beside.into(), text(9));
            }
            batch.put(key.into(), text(5));
            batch.put(format!("index of {key}").into(), text(6));
            if let Some(key) = deleted {
                batch.delete(key.into());
            }
            batch.add(b"counter".to_vec(), 3);
            batch.append(b"a stream of records/".to_vec(), text(8));
        }))
        .unwrap();
    };
    // What it does not write has to be asked for, and what it deletes.
    assert_eq!(took(&store, || write(["a", "n"], false, None)), (2, 0, 0));
    assert_eq!(["a", "n", "index of a"].map(|key| get(&store, key)), [5, 0, 6]);
    assert_eq!(count(&store, "n"), 0, "what was only looked at is not left there");
    assert_eq!(took(&store, || write(["b", "m"], true, Some("index of a"))), (2, 0, 0));
    assert_eq!(["b", "m", "index of b", "index of a"].map(|key| get(&store, key)), [5, 9, 6, 0]);
    assert_eq!(took(&store, || write(["c", "k"], true, None)), (1, 1, 0));
    assert_eq!(["c", "k", "index of c"].map(|key| get(&store, key)), [5, 9, 6]);
    assert_eq!((sum(&store, "counter"), count(&store, "a stream of records/")), (9, 3));
}

#[test]
fn who_reads_a_key_is_asked() {
    let store = open(&shared().url());
    put(&store, "definition", 1);
    let keys = || Keys { write: vec![b"item".to_vec()], read: vec![b"definition".to_vec()] };
    let write = || {
        block_on(store.commit(keys(), |values, batch| {
            batch.put(b"item".to_vec(), values[1].clone().unwrap());
        }))
        .unwrap();
    };
    assert_eq!(took(&store, write), (2, 0, 0));
    assert_eq!(get(&store, "item"), 1);
}

#[test]
fn nothing_is_answered_that_was_decided_early_and_not_written() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    put(&store, "new", 1);
    put(&other, "a", 2);
    // By what is guessed it must not be written, by what is there it must.
    let put_if_two = || {
        block_on(store.commit(vec![b"a".to_vec()], |values, batch| {
            let is_two = number(values[0].as_ref()) == 2;
            if is_two {
                batch.put(b"a".to_vec(), text(3));
            }
            is_two
        }))
    };
    assert!(put_if_two().unwrap());
    assert!(!put_if_two().unwrap());
    assert_eq!(get(&store, "a"), 3);
}

/// Stores that make keys which others make, too, create none twice, lose no update between, and
/// end.
#[test]
fn stores_that_decide_early_lose_and_repeat_nothing() {
    const WRITERS: u64 = 6;
    const ROUNDS: u64 = 60;
    let url = shared().url();
    let stores = [open(&url), open(&url), open(&url)];
    let created = AtomicU64::new(0);
    thread::scope(|scope| {
        for nth in 0..WRITERS {
            let (store, created) = (&stores[usize::try_from(nth % 3).unwrap()], &created);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    if round % 20 == 0 {
                        increment(store, "n").unwrap();
                    }
                    // Two writers, of two stores, make the same key.
                    let made: Key = format!("made {round} {}", nth / 2).into();
                    let is_new = block_on(store.commit(vec![made.clone()], |values, batch| {
                        batch.add(b"count".to_vec(), 1);
                        if values[0].is_none() {
                            batch.put(made.clone(), text(nth));
                        }
                        values[0].is_none()
                    }));
                    created.fetch_add(u64::from(is_new.unwrap()), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(get(&stores[0], "n"), WRITERS * ROUNDS / 20);
    assert_eq!(sum(&stores[0], "count"), i64::try_from(WRITERS * ROUNDS).unwrap());
    assert_eq!(count(&stores[0], "made "), created.load(Ordering::Relaxed));
    let traffic = stores.each_ref().map(PostgresStore::traffic);
    assert!(
        traffic.iter().any(|traffic| traffic.early_groups > traffic.mistaken_groups),
        "{traffic:?}"
    );
    assert!(traffic.iter().any(|traffic| traffic.mistaken_groups > 0), "{traffic:?}");
}

/// Makes keys by a store behind a proxy that has a fault for statements with this text, and checks
/// that each counts once.
fn make_with(text_of: &'static str, fault: Fault) {
    const WRITERS: u64 = 4;
    const ROUNDS: u64 = 100;
    let (server, url) = (server(), server().url());
    let proxy = Proxy::start(server.port);
    let store = PostgresStore::open(&proxy.url(&url, server.port), &eager()).unwrap();
    proxy.plan(text_of, 8, 6, fault);
    thread::scope(|scope| {
        for nth in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let made: Key = format!("made {nth} {round}").into();
                    let is_new = block_on(store.commit(vec![made.clone()], |values, batch| {
                        batch.add(b"count".to_vec(), 1);
                        batch.put(made.clone(), text(round));
                        values[0].is_none()
                    }));
                    assert!(is_new.unwrap(), "{fault:?}");
                }
            });
        }
    });
    assert_eq!(proxy.faults(), 6, "{fault:?}");
    let traffic = store.traffic();
    assert!(traffic.early_groups > traffic.mistaken_groups, "{fault:?}: {traffic:?}");
    drop((store, proxy));
    let store = open(&url);
    assert_eq!(count(&store, "made "), WRITERS * ROUNDS, "{fault:?}");
    assert_eq!(sum(&store, "count"), i64::try_from(WRITERS * ROUNDS).unwrap(), "{fault:?}");
}

#[test]
fn a_commit_that_was_decided_early_counts_once_whatever_happens_to_it() {
    make_with(WHOLE, Fault::CutAfter);
    make_with(WHOLE, Fault::CutBefore);
    make_with(WHOLE, Fault::CutLate(30));
    make_with(WHOLE, Fault::Fail("40001"));
    make_with(WHOLE, Fault::Fail("40003"));
    make_with(WHOLE, Fault::Fail("40P01"));
    make_with(WHOLE, Fault::Fail("55P03"));
}

/// A statement that comes to the server after it was found that it was not carried out never is,
/// also if no key keeps it from that.
#[test]
fn what_comes_late_is_not_written() {
    let (server, url) = (server(), server().url());
    let proxy = Proxy::start(server.port);
    let store = PostgresStore::open(&proxy.url(&url, server.port), &eager()).unwrap();
    put(&store, "new", 1);
    let add = || {
        let no_keys: Vec<Key> = Vec::new();
        block_on(store.commit(no_keys, |_, batch| batch.add(b"count".to_vec(), 1))).unwrap();
    };
    proxy.plan(WHOLE, 1, 1, Fault::CutLate(300));
    add();
    assert_eq!((proxy.faults(), store.traffic().resolved_outcomes), (1, 1));
    assert_eq!(sum(&store, "count"), 1);
    proxy.wait_for_late(1);
    assert_eq!(sum(&store, "count"), 1);
}
