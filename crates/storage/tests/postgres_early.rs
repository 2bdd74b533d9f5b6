//! Commits on PostgreSQL that are decided before they are sent, on values that the store knows: they are not
//! asked, and whoever has written meanwhile, what they do is what they would have done knowing it.

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

fn delete(store: &PostgresStore, key: &str) {
    block_on(store.commit(vec![key.into()], |_, batch| batch.delete(key.into()))).unwrap();
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

/// Runs something, and returns how many round trips of commits it took, how many transactions of it were decided early,
/// and how many of them found other values.
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

/// Whoever holds a key's lock may write another one and leave that one as it is.
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
fn what_is_known_is_written_at_once_and_a_mistake_takes_one_round_trip_more() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    // A key that was not there: nothing was known of it, and then what it was given.
    assert_eq!(took(&store, || put(&store, "a", 1)), (2, 0, 0));
    assert_eq!(took(&store, || put(&store, "a", 2)), (1, 1, 0));
    assert_eq!(took(&store, || assert_eq!(increment(&store, "a").unwrap(), 2)), (1, 1, 0));
    // So are others now, as the last one that was not known was new.
    assert_eq!(took(&store, || put(&store, "b", 7)), (1, 1, 0));
    put(&other, "a", 40);
    assert_eq!(took(&store, || assert_eq!(increment(&store, "a").unwrap(), 40)), (3, 1, 1));
    assert_eq!((get(&store, "a"), get(&store, "b")), (41, 7));
    // Others have deleted it, or made one that is guessed to be new.
    delete(&other, "b");
    put(&other, "c", 9);
    let calm = open(&url);
    put(&calm, "x", 1);
    put(&calm, "b", 3);
    assert_eq!(took(&calm, || assert_eq!(increment(&calm, "c").unwrap(), 9)), (3, 1, 1));
    assert_eq!((get(&calm, "b"), get(&calm, "c")), (3, 10));
}

#[test]
fn what_was_read_is_known_to_whoever_writes_it() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    for (nth, key) in ["a", "b", "c"].into_iter().enumerate() {
        put(&other, key, nth as u64);
    }
    assert_eq!(get(&store, "a"), 0);
    block_on(store.get_many(&[b"b".to_vec(), b"c".to_vec(), b"d".to_vec()])).unwrap();
    for (nth, key) in ["a", "b", "c"].into_iter().enumerate() {
        let add = || assert_eq!(increment(&store, key).unwrap(), nth as u64);
        assert_eq!(took(&store, add), (1, 1, 0), "{key}");
    }
    // A read may have begun before a write that has ended: what is known stays.
    put(&other, "a", 5);
    assert_eq!(get(&store, "a"), 5);
    assert_eq!(took(&store, || assert_eq!(increment(&store, "a").unwrap(), 5)), (3, 1, 1));
    // What is absent is not known to be.
    assert_eq!(took(&store, || assert_eq!(increment(&store, "d").unwrap(), 0)), (2, 0, 0));
}

#[test]
fn all_that_a_commit_writes_is_there() {
    let store = open(&shared().url());
    put(&store, "a", 1);
    put(&store, "d", 1);
    let keys =
        || Keys { write: vec![b"a".to_vec(), b"d".to_vec(), b"n".to_vec()], read: Vec::new() };
    let write = |writes_absent: bool| {
        block_on(store.commit(keys(), |values, batch| {
            assert_eq!(values.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
            if writes_absent {
                batch.put(b"n".to_vec(), text(9));
            }
            batch.put(b"a".to_vec(), text(5));
            batch.delete(b"d".to_vec());
            batch.put(b"index of a".to_vec(), text(6));
            batch.add(b"counter".to_vec(), 3);
            batch.append(b"a stream of records/".to_vec(), text(8));
        }))
        .unwrap();
    };
    // What it found absent and does not write has to be asked for.
    assert_eq!(took(&store, || write(false)), (2, 0, 0));
    assert_eq!((get(&store, "a"), get(&store, "d"), get(&store, "n")), (5, 0, 0));
    assert_eq!((get(&store, "index of a"), sum(&store, "counter")), (6, 3));
    assert_eq!(count(&store, "a stream of records/"), 1);
    assert_eq!(count(&store, "n"), 0, "what was only looked at is not left there");
    put(&store, "d", 1);
    assert_eq!(took(&store, || write(true)), (1, 1, 0));
    assert_eq!((get(&store, "a"), get(&store, "d"), get(&store, "n")), (5, 0, 9));
    assert_eq!((get(&store, "index of a"), sum(&store, "counter")), (6, 6));
    assert_eq!(count(&store, "a stream of records/"), 2);
    // What was deleted is not known to be anything else.
    assert_eq!(took(&store, || assert_eq!(increment(&store, "d").unwrap(), 0)), (1, 1, 0));
}

#[test]
fn who_only_reads_a_key_finds_out_that_it_has_changed() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    put(&store, "definition", 1);
    let keys = || Keys { write: vec![b"item".to_vec()], read: vec![b"definition".to_vec()] };
    let write = || {
        block_on(store.commit(keys(), |values, batch| {
            batch.put(b"item".to_vec(), values[1].clone().unwrap());
        }))
        .unwrap();
    };
    write();
    assert_eq!(took(&store, write), (1, 1, 0));
    put(&other, "definition", 2);
    assert_eq!(took(&store, write), (3, 1, 1));
    assert_eq!(get(&store, "item"), 2);
}

#[test]
fn nothing_is_answered_that_was_decided_early_and_not_written() {
    let url = shared().url();
    let (store, other) = (open(&url), open(&url));
    put(&store, "a", 1);
    put(&other, "a", 2);
    // By what is known it must not be written, by what is there it must.
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

/// Stores that know what the others have changed lose no update, create nothing twice, and end: each commit adds one
/// to a number that some share, puts a key of its own that nobody else may have made, and counts.
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
                    // Three stores share a number for some rounds, then each has its own.
                    let name = if round % 20 < 5 { "n".to_owned() } else { format!("n{nth}") };
                    let shared = format!("made {}", round * WRITERS / 2 + nth % 3);
                    let keys: Vec<Key> = vec![name.clone().into(), shared.clone().into()];
                    let is_new = block_on(store.commit(keys, |values, batch| {
                        let before = number(values[0].as_ref());
                        batch.put(name.clone().into(), text(before + 1));
                        batch.add(b"count".to_vec(), 1);
                        if values[1].is_none() {
                            batch.put(shared.clone().into(), text(nth));
                        }
                        values[1].is_none()
                    }));
                    created.fetch_add(u64::from(is_new.unwrap()), Ordering::Relaxed);
                }
            });
        }
    });
    let numbers = get(&stores[0], "n")
        + (0..WRITERS).map(|nth| get(&stores[0], &format!("n{nth}"))).sum::<u64>();
    assert_eq!(numbers, WRITERS * ROUNDS);
    assert_eq!(sum(&stores[0], "count"), i64::try_from(WRITERS * ROUNDS).unwrap());
    assert_eq!(count(&stores[0], "made "), created.load(Ordering::Relaxed));
    let traffic = stores.each_ref().map(PostgresStore::traffic);
    assert!(
        traffic.iter().any(|traffic| traffic.early_groups > traffic.mistaken_groups),
        "{traffic:?}"
    );
    assert!(traffic.iter().any(|traffic| traffic.mistaken_groups > 0), "{traffic:?}");
}

/// Increments numbers of their own by a store behind a proxy that has a fault for statements with this text, and
/// checks that each counts once.
fn increment_with(text: &'static str, fault: Fault) {
    const WRITERS: u64 = 4;
    const ROUNDS: u64 = 100;
    let (server, url) = (server(), server().url());
    let proxy = Proxy::start(server.port);
    let store = PostgresStore::open(&proxy.url(&url, server.port), &eager()).unwrap();
    proxy.plan(text, 8, 6, fault);
    thread::scope(|scope| {
        for nth in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    match increment(store, &format!("n{nth}")) {
                        Ok(before) => assert_eq!(before, round, "{fault:?}"),
                        Err(error) => panic!("{fault:?}: {error}"),
                    }
                }
            });
        }
    });
    assert_eq!(proxy.faults(), 6, "{fault:?}");
    let traffic = store.traffic();
    assert!(traffic.early_groups > traffic.mistaken_groups, "{fault:?}: {traffic:?}");
    drop((store, proxy));
    let store = open(&url);
    for nth in 0..WRITERS {
        assert_eq!(get(&store, &format!("n{nth}")), ROUNDS, "{fault:?}");
    }
}

#[test]
fn a_commit_that_was_decided_early_counts_once_whatever_happens_to_it() {
    increment_with(WHOLE, Fault::CutAfter);
    increment_with(WHOLE, Fault::CutBefore);
    increment_with(WHOLE, Fault::CutLate(30));
    increment_with(WHOLE, Fault::Fail("40001"));
    increment_with(WHOLE, Fault::Fail("40003"));
    increment_with(WHOLE, Fault::Fail("40P01"));
    increment_with(WHOLE, Fault::Fail("55P03"));
}

/// A statement that comes to the server after it was found that it was not carried out never is, also if the rows that it
/// was decided on are as they were.
#[test]
fn what_comes_late_is_not_written() {
    let (server, url) = (server(), server().url());
    let proxy = Proxy::start(server.port);
    let store = PostgresStore::open(&proxy.url(&url, server.port), &eager()).unwrap();
    put(&store, "definition", 1);
    let add = || {
        let keys = Keys { write: Vec::new(), read: vec![b"definition".to_vec()] };
        block_on(store.commit(keys, |_, batch| batch.add(b"count".to_vec(), 1))).unwrap();
    };
    proxy.plan(WHOLE, 1, 1, Fault::CutLate(300));
    add();
    assert_eq!((proxy.faults(), store.traffic().resolved_outcomes), (1, 1));
    assert_eq!(sum(&store, "count"), 1);
    proxy.wait_for_late(1);
    assert_eq!(sum(&store, "count"), 1);
}
