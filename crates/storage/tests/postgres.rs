//! What only the store on PostgreSQL can show: several stores on one database, long keys, lost connections,
//! what is said of wrong URLs, and how many round trips an operation takes.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test looks again after a pause")]

mod numbers;
mod scratch;

use hashrange_storage::postgres::{OpenError, PostgresOptions};
use hashrange_storage::{
    Bytes, Direction, Error, Key, KeyRange, Keys, PostgresStore, Store, View, Wanted, block_on,
    counting_commits,
};
use numbers::{increment, number, text};
use scratch::{Server, server, shared};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

fn open(url: &str) -> PostgresStore {
    // As many as for a database on another machine.
    let options = PostgresOptions { groups: Some(4), ..PostgresOptions::default() };
    PostgresStore::open(url, &options).unwrap()
}

fn put(store: &PostgresStore, entries: &[(Key, Bytes)]) {
    block_on(store.commit(vec![b"guard".to_vec()], |_, batch| {
        for (key, value) in entries {
            batch.put(key.clone(), value.clone());
        }
    }))
    .unwrap();
}

fn get(store: &PostgresStore, key: &str) -> Option<Bytes> {
    block_on(store.get(key.as_bytes())).unwrap()
}

fn visit(
    store: &PostgresStore,
    range: &KeyRange,
    direction: Direction,
    wanted: Wanted,
) -> Vec<(Key, Bytes)> {
    let mut seen = Vec::new();
    let view = block_on(store.view()).unwrap();
    block_on(view.visit(range.clone(), direction, wanted, |key, value| {
        seen.push((key.to_vec(), value));
        ControlFlow::Continue(())
    }))
    .unwrap();
    seen
}

fn sum(store: &PostgresStore, key: &str) -> i64 {
    block_on(block_on(store.view()).unwrap().sums(&[key.into()])).unwrap()[0]
}

#[test]
fn two_stores_lose_no_update_of_one_key() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 25;
    let url = shared().url();
    let stores = [open(&url), open(&url)];
    thread::scope(|scope| {
        for store in &stores {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        increment(store, "n").unwrap();
                        block_on(store.commit(vec![b"g".to_vec()], |_, batch| {
                            batch.add(b"count".to_vec(), 1);
                        }))
                        .unwrap();
                    }
                });
            }
        }
    });
    let all = 2 * THREADS * ROUNDS;
    for store in &stores {
        assert_eq!(number(get(store, "n").as_ref()), all);
        assert_eq!(sum(store, "count"), i64::try_from(all).unwrap());
    }
}

/// Whoever sees a key absent and creates it is the only one, of both stores.
#[test]
fn an_absent_key_is_created_once() {
    let url = shared().url();
    let stores = [open(&url), open(&url)];
    for round in 0..30 {
        let created = AtomicU64::new(0);
        let (absent, name) = (format!("absent {round}"), format!("name {round}"));
        thread::scope(|scope| {
            for nth in 0..4 {
                let (store, created, absent, name) = (&stores[nth % 2], &created, &absent, &name);
                scope.spawn(move || {
                    // One key is written, the other one only has to stay absent.
                    let keys = Keys {
                        write: vec![name.clone().into()],
                        read: vec![absent.clone().into()],
                    };
                    let is_new = block_on(store.commit(keys, |values, batch| {
                        assert_eq!(values[1], None);
                        if values[0].is_none() {
                            batch.put(name.clone().into(), text(1));
                        }
                        values[0].is_none()
                    }));
                    created.fetch_add(u64::from(is_new.unwrap()), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(created.load(Ordering::Relaxed), 1);
        assert_eq!(get(&stores[0], &absent), None);
    }
    assert_eq!(visit(&stores[0], &KeyRange::all(), Direction::Forward, Wanted::ALL).len(), 30);
}

/// Two keys, of which each may only be put while the other is absent, are never both there.
#[test]
fn absence_of_a_key_that_is_only_read_holds_until_the_commit() {
    let url = shared().url();
    let stores = [open(&url), open(&url)];
    for round in 0..30 {
        let names = [format!("a{round}"), format!("b{round}")];
        thread::scope(|scope| {
            for nth in 0..2 {
                let (store, names) = (&stores[nth], &names);
                scope.spawn(move || {
                    let (own, other) = (&names[nth], &names[1 - nth]);
                    let keys =
                        Keys { write: vec![own.clone().into()], read: vec![other.clone().into()] };
                    let done = block_on(store.commit(keys, |values, batch| {
                        if values[1].is_none() {
                            batch.put(own.clone().into(), text(1));
                        }
                    }));
                    assert!(matches!(done, Ok(()) | Err(Error::Conflict)), "{done:?}");
                });
            }
        });
        let there = names.iter().filter(|name| get(&stores[0], name).is_some()).count();
        assert!(there <= 1, "both keys are there");
    }
}

#[test]
fn a_read_key_fences_writers_of_another_store() {
    let url = shared().url();
    let (writer, changer) = (open(&url), open(&url));
    put(&changer, &[(b"definition".to_vec(), text(0))]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for nth in 0..3 {
            let (writer, done) = (&writer, &done);
            scope.spawn(move || {
                let own: Key = format!("own {nth}").into();
                while !done.load(Ordering::Acquire) {
                    let keys =
                        Keys { write: vec![own.clone()], read: vec![b"definition".to_vec()] };
                    block_on(writer.commit(keys, |values, batch| {
                        batch.put(own.clone(), values[1].clone().unwrap());
                    }))
                    .unwrap();
                }
            });
        }
        let followed = |nth: u64| number(get(&changer, &format!("own {nth}")).as_ref());
        for change in 1..=30 {
            assert_eq!(increment(&changer, "definition").unwrap() + 1, change);
            let published: Vec<_> = (0..3).map(followed).collect();
            thread::yield_now();
            for (nth, published) in (0..3).zip(published) {
                let now = followed(nth);
                assert!(now == published || now >= change, "{now} was followed after {change}");
            }
        }
        done.store(true, Ordering::Release);
    });
}

#[test]
fn appends_of_two_stores_are_never_late() {
    const APPENDS: usize = 60;
    let url = shared().url();
    let stores = [open(&url), open(&url)];
    // One prefix whose keys the database makes, and one that is too short for that.
    let prefixes: [&[u8]; 2] = [b"a prefix of 18 byt", b"log"];
    thread::scope(|scope| {
        for nth in 0..4 {
            let store = &stores[nth % 2];
            scope.spawn(move || {
                for round in 0..APPENDS {
                    block_on(store.commit(vec![vec![u8::try_from(nth).unwrap()]], |_, batch| {
                        for prefix in prefixes {
                            batch.append(prefix.to_vec(), text(round as u64));
                            batch.append(prefix.to_vec(), text(round as u64));
                        }
                    }))
                    .unwrap();
                }
            });
        }
        for prefix in prefixes {
            let mut seen = Vec::new();
            while seen.len() < 8 * APPENDS {
                let range = KeyRange::prefix(prefix);
                let found = visit(&stores[0], &range, Direction::Forward, Wanted::ALL);
                assert_eq!(found[..seen.len()], seen[..], "what was seen stays the beginning");
                seen = found;
            }
        }
    });
}

#[test]
fn long_keys_are_in_order_in_both_directions() {
    let store = open(&shared().url());
    let mut entries = Vec::new();
    for (first, fill) in [(1, 0), (1, 255), (2, 7)] {
        for length in [10, 1_999, 2_000, 2_001, 3_000, 7_000, 19_000] {
            for last in [0, 9, 255] {
                let mut key = vec![fill; length];
                key[0] = first;
                key[length - 1] = last;
                entries.push((key, text(entries.len() as u64)));
            }
        }
    }
    entries.push((b"between".to_vec(), Bytes::new()));
    put(&store, &entries);
    entries.sort();
    entries.dedup_by(|one, other| one.0 == other.0);
    let mut bounds: Vec<Option<usize>> = (0..entries.len()).step_by(5).map(Some).collect();
    bounds.push(None);
    for start in (0..entries.len()).step_by(4) {
        for end in &bounds {
            let range = KeyRange {
                start: entries[start].0.clone(),
                end: end.map(|end| entries[end].0.clone()),
            };
            let expected = entries.get(start..end.unwrap_or(entries.len())).unwrap_or_default();
            let wanted = Wanted::entries(1 + start % 7);
            let mut found = visit(&store, &range, Direction::Forward, wanted);
            assert!(found == expected, "from {start} to {end:?} forward");
            found = visit(&store, &range, Direction::Backward, wanted);
            found.reverse();
            assert!(found == expected, "from {start} to {end:?} backward");
        }
    }
    let keys: Vec<Key> = entries.iter().map(|(key, _)| key.clone()).collect();
    let values = block_on(store.get_many(&keys)).unwrap();
    let expected: Vec<_> = entries.iter().map(|(_, value)| Some(value.clone())).collect();
    assert_eq!(values, expected);
}

/// Ranges that go over many regions and places, with pages that end anywhere.
#[test]
fn ranges_over_many_places_are_in_order() {
    let store = open(&shared().url());
    let mut entries: Vec<(Key, Bytes)> = Vec::new();
    for table in 0..4_u32 {
        for item in 0..300_u32 {
            let mut key = vec![0x10];
            key.extend(table.to_be_bytes());
            key.extend([0, 0]);
            key.extend(item.wrapping_mul(2_654_435_761).to_be_bytes());
            key.extend(item.to_be_bytes());
            entries.push((key, text(item.into())));
        }
        entries.push((table.to_be_bytes().to_vec(), Bytes::new()));
    }
    put(&store, &entries);
    entries.sort();
    let table = KeyRange::prefix(&[0x10, 0, 0, 0, 2]);
    let exact = KeyRange::prefix(&[0x10, 0, 0, 0, 2, 0, 0]);
    let inside = KeyRange { start: entries[500].0.clone(), end: Some(entries[900].0.clone()) };
    for range in [KeyRange::all(), table, exact, inside] {
        let is_in =
            |key: &Key| *key >= range.start && range.end.as_ref().is_none_or(|end| key < end);
        let expected: Vec<_> = entries.iter().filter(|(key, _)| is_in(key)).cloned().collect();
        for wanted in [Wanted::ALL, Wanted::entries(10), Wanted { entries: 1000, bytes: 50 }] {
            let found = visit(&store, &range, Direction::Forward, wanted);
            assert!(found == expected, "{} of {} {wanted:?}", found.len(), expected.len());
            let mut found = visit(&store, &range, Direction::Backward, wanted);
            found.reverse();
            assert!(found == expected, "{} of {} {wanted:?}", found.len(), expected.len());
        }
    }
}

#[test]
fn large_values_come_back_and_pages_are_bounded() {
    let store = open(&shared().url());
    let value = |nth: u8| Bytes::from(vec![nth; 400_000]);
    let entries: Vec<_> = (0..8).map(|nth| (vec![b'l', nth], value(nth))).collect();
    put(&store, &entries);
    assert_eq!(block_on(store.get(&entries[3].0)).unwrap(), Some(value(3)));
    let range = KeyRange::prefix(b"l");
    assert!(visit(&store, &range, Direction::Forward, Wanted::ALL) == entries);
}

#[test]
fn pages_are_bounded_when_values_have_grown() {
    const LARGE: usize = 400_000;
    let store = open(&shared().url());
    let key = |nth: u8| [&b"region7hash"[..], &[nth]].concat();
    let range = KeyRange::prefix(b"region7hash");
    for bytes in [10, LARGE] {
        let entries: Vec<_> =
            (0..40).map(|nth| (key(nth), Bytes::from(vec![nth; bytes]))).collect();
        put(&store, &entries);
        for direction in [Direction::Forward, Direction::Backward] {
            let before = store.traffic().read_round_trips;
            let mut seen = visit(&store, &range, direction, Wanted::ALL);
            if direction == Direction::Backward {
                seen.reverse();
            }
            assert!(seen == entries, "{bytes} {direction:?}");
            let pages = store.traffic().read_round_trips - before;
            let pages_min = 40 * bytes / ((1 << 20) + LARGE);
            assert!(pages >= pages_min as u64, "{pages} pages of {bytes}");
        }
    }
}

/// Pages of rows as most are leave columns out: a row that is not is shown all the same.
#[test]
fn a_page_with_a_rare_row_is_read_again_once() {
    let region = |rest: &[u8]| [&b"region7hash"[..], rest].concat();
    let range = KeyRange::prefix(b"region7hash");
    for is_counter in [false, true] {
        let store = open(&shared().url());
        let mut entries: Vec<_> = (0..20).map(|nth| (region(&[nth]), text(1))).collect();
        put(&store, &entries);
        let read = |direction| {
            let before = store.traffic().read_round_trips;
            let mut seen = visit(&store, &range, direction, Wanted::ALL);
            if direction == Direction::Backward {
                seen.reverse();
            }
            (seen, store.traffic().read_round_trips - before)
        };
        for direction in [Direction::Forward, Direction::Backward] {
            assert_eq!(read(direction), (entries.clone(), 1), "{direction:?}");
        }
        if is_counter {
            block_on(store.commit(Vec::new(), |_, batch| batch.add(region(&[3, 3]), 5))).unwrap();
            entries.insert(4, (region(&[3, 3]), Bytes::copy_from_slice(&5_i64.to_le_bytes())));
        } else {
            let long = (region(&[3; 2_500]), text(7));
            put(&store, std::slice::from_ref(&long));
            entries.insert(4, long);
        }
        for (direction, expected) in
            [(Direction::Backward, 2), (Direction::Backward, 1), (Direction::Forward, 1)]
        {
            let (mut seen, round_trips) = read(direction);
            if is_counter {
                // The number of its stripe follows.
                seen[4].0.truncate(entries[4].0.len());
            }
            assert!(seen == entries, "{direction:?}");
            assert_eq!(round_trips, expected, "{direction:?}");
        }
    }
}

#[test]
fn round_trips_are_as_few_as_promised() {
    let store = open(&shared().url());
    let region = |last: u8| [&b"region7hash"[..], &[last]].concat();
    let entries: Vec<_> = (0..50).map(|nth| (region(nth), text(1))).collect();
    put(&store, &entries);
    let reads = || store.traffic().read_round_trips;
    let before = reads();
    block_on(store.get(b"key")).unwrap();
    assert_eq!(reads() - before, 1, "get");
    block_on(store.get_many(&[b"a".to_vec(), b"b".to_vec()])).unwrap();
    assert_eq!(reads() - before, 2, "get_many");
    block_on(store.get_together(&[b"a".to_vec(), b"b".to_vec()])).unwrap();
    assert_eq!(reads() - before, 3, "get_together");
    let page = visit(&store, &KeyRange::prefix(b"region7hash"), Direction::Forward, Wanted::ALL);
    assert_eq!((page.len(), reads() - before), (50, 4), "a page");
    assert_eq!(sum(&store, "n"), 0);
    assert_eq!(reads() - before, 5, "sums");
    let commits = || store.traffic().commit_round_trips;
    let before = commits();
    let keys = Keys { write: vec![region(1), region(99)], read: vec![region(2)] };
    block_on(store.commit(keys.clone(), |_, batch| {
        batch.put(region(1), text(2));
        batch.put(region(99), text(3));
        batch.delete(region(7));
        batch.add(b"counter".to_vec(), 1);
        batch.append(b"a stream of records".to_vec(), text(1));
    }))
    .unwrap();
    assert_eq!(commits() - before, 2, "a commit that writes");
    block_on(store.commit(keys.clone(), |_, _| ())).unwrap();
    assert_eq!(commits() - before, 4, "a commit that writes nothing");
    let requests = Arc::default();
    let commit = store.commit(keys, |_, batch| batch.put(region(1), text(4)));
    block_on(counting_commits(&requests, commit)).unwrap();
    assert_eq!(requests.load(Ordering::Relaxed), 2, "who asks is told of its own");
    assert_eq!(commits() - before, 6, "which count as all do");
}

#[test]
fn concurrent_commits_share_transactions() {
    let store = open(&shared().url());
    thread::scope(|scope| {
        for nth in 0..16 {
            let store = &store;
            scope.spawn(move || {
                for _ in 0..20 {
                    assert!(increment(store, &format!("k{nth}")).unwrap() < 20);
                }
            });
        }
    });
    let traffic = store.traffic();
    assert_eq!(traffic.commits, 320);
    assert!(traffic.groups < 300, "{traffic:?}");
}

#[test]
fn a_panic_in_a_decision_harms_nobody_else() {
    let store = open(&shared().url());
    thread::scope(|scope| {
        for nth in 0..12 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..10 {
                    if nth % 4 == 0 {
                        let panicked = std::panic::catch_unwind(|| {
                            block_on(store.commit(vec![b"n".to_vec()], |_, batch| {
                                batch.put(b"n".to_vec(), text(9_999));
                                assert!(round > 10, "on purpose");
                            }))
                        });
                        assert!(panicked.is_err());
                    } else {
                        increment(store, "n").unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(number(get(&store, "n").as_ref()), 90);
}

/// A future that was polled and is dropped, at whatever moment, holds nobody up.
#[test]
fn a_dropped_future_holds_nobody_up() {
    let store = open(&shared().url());
    for round in 0..40 {
        {
            let mut dropped = pin!(store.commit(vec![b"n".to_vec()], |_, batch| {
                batch.put(b"other".to_vec(), text(1));
            }));
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..round % 8 {
                if dropped.as_mut().poll(&mut context).is_ready() {
                    break;
                }
                thread::yield_now();
            }
        }
        increment(&store, "n").unwrap();
    }
    assert_eq!(number(get(&store, "n").as_ref()), 40);
    block_on(store.sync()).unwrap();
}

/// A future that nobody polls is given up after a while; those in its group are not harmed, nor those that other
/// lanes take meanwhile, though one lane is to be at work at once.
#[test]
fn a_future_that_is_not_polled_is_given_up() {
    let options = PostgresOptions {
        decide_timeout: Duration::from_millis(200),
        groups: Some(1),
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(&shared().url(), &options).unwrap();
    // The key is there, so that it is locked for whoever was asked to decide.
    increment(&store, "n").unwrap();
    let mut silent = Box::pin(store.commit(vec![b"n".to_vec()], |_, batch| {
        batch.put(b"n".to_vec(), text(1_000));
    }));
    assert!(silent.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // Some come before the silent one has its key locked; then one waits until it is given up.
    (0..300).for_each(|_| assert!(increment(&store, "n").unwrap() < 1_000));
    let said = block_on(silent);
    assert!(matches!(said, Err(Error::Unavailable { .. })), "{said:?}");
    assert!((301..1_000).contains(&number(get(&store, "n").as_ref())));
}

/// While connections are killed under load no acknowledged commit is lost and none is applied twice: each
/// commit writes its own key, adds one to a counter and increments a number.
#[test]
fn killed_connections_lose_nothing_and_apply_nothing_twice() {
    let server = server();
    let url = format!("{}&application_name=killed", server.url());
    let store = open(&url);
    let done = AtomicBool::new(false);
    let (acknowledged, unknown) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..6)
            .map(|nth| {
                let (store, acknowledged, unknown) = (&store, &acknowledged, &unknown);
                scope.spawn(move || {
                    // Until enough were killed, and one in its commit.
                    let is_over = |round| {
                        let traffic = store.traffic();
                        round >= 60 && traffic.connects > 16 && traffic.resolved_outcomes > 0
                    };
                    for round in (0..3_000).take_while(|round| !is_over(*round)) {
                        let (name, own) = (format!("n{}", nth % 2), format!("own {nth} {round}"));
                        let keys: Vec<Key> = vec![name.clone().into(), own.clone().into()];
                        let written = block_on(store.commit(keys, |values, batch| {
                            assert_eq!(values[1], None, "a commit was applied twice");
                            let before = number(values[0].as_ref());
                            batch.put(name.clone().into(), text(before + 1));
                            batch.put(own.clone().into(), text(1));
                            batch.add(b"count".to_vec(), 1);
                        }));
                        match written {
                            Ok(()) => acknowledged.fetch_add(1, Ordering::Relaxed),
                            Err(Error::Unavailable { .. } | Error::Conflict) => {
                                unknown.fetch_add(1, Ordering::Relaxed)
                            }
                            Err(error) => panic!("{error}"),
                        };
                        assert!(get(store, &own).is_some() || unknown.load(Ordering::Relaxed) > 0);
                    }
                })
            })
            .collect();
        let done = &done;
        scope.spawn(move || {
            while !done.load(Ordering::Acquire) {
                kill_connections(server, "killed");
            }
        });
        let joined: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        assert!(joined.iter().all(Result::is_ok));
    });
    let traffic = store.traffic();
    assert!(traffic.connects > 16, "{traffic:?}");
    assert!(traffic.resolved_outcomes > 0, "some were killed in their commit: {traffic:?}");
    let store = open(&url);
    let own =
        visit(&store, &KeyRange::prefix(b"own "), Direction::Forward, Wanted::ALL).len() as u64;
    let numbers = number(get(&store, "n0").as_ref()) + number(get(&store, "n1").as_ref());
    assert_eq!(own, numbers);
    assert_eq!(i64::try_from(own).unwrap(), sum(&store, "count"));
    assert!(own >= acknowledged.load(Ordering::Relaxed), "an acknowledged commit is lost");
    assert_eq!(unknown.load(Ordering::Relaxed), 0, "a killed connection can always be asked about");
}

/// Kills two connections of the stores whose URL has this name; other tests have the same server.
fn kill_connections(server: &Server, name: &str) {
    server.sql(&format!(
        "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity \
         WHERE application_name = '{name}' ORDER BY random() LIMIT 2) killed",
    ));
}

fn refusal(url: &str) -> (OpenError, String) {
    let options =
        PostgresOptions { connect_timeout: Duration::from_secs(3), ..PostgresOptions::default() };
    let error = PostgresStore::open(url, &options).unwrap_err();
    let said = error.to_string();
    assert!(!said.contains("s3cret") && !format!("{error:?}").contains("s3cret"), "{said}");
    (error, said)
}

#[test]
fn wrong_urls_versions_and_rights_are_told_apart() {
    let server = server();
    let url = server.url();
    let port = server.port;
    drop(open(&url));
    let schema = url.split_once("schema=").unwrap().1;
    let (error, said) = refusal("postgres://owner:s3cret@127.0.0.1:1/postgres");
    assert!(matches!(error, OpenError::Unreachable { .. }), "{said}");
    let (error, said) = refusal(&format!("postgres://owner:s3cret@127.0.0.1:{port}/absent"));
    assert!(matches!(error, OpenError::NoDatabase { .. }), "{said}");
    let (error, said) = refusal(&format!("postgres://nobody:s3cret@127.0.0.1:{port}/postgres"));
    assert!(matches!(error, OpenError::Refused { .. }), "{said}");
    let (error, said) =
        refusal(&format!("{}&sslmode=verify-full&sslrootcert=/absent", server.url()));
    assert!(matches!(error, OpenError::Tls { .. }), "{said}");
    let (error, said) = refusal(&format!("{}&sslmode=require", server.url()));
    assert!(matches!(error, OpenError::Tls { .. }), "{said}");
    let (error, said) = refusal("http://owner:s3cret@127.0.0.1/postgres");
    assert!(matches!(error, OpenError::Url { .. }), "{said}");
    server.sql("CREATE ROLE stranger LOGIN");
    for name in [schema, "another"] {
        let stranger = format!("postgres://stranger@127.0.0.1:{port}/postgres?schema={name}");
        let (error, said) = refusal(&stranger);
        assert!(matches!(error, OpenError::Rights { .. }), "{said}");
    }
    for version in [0, 3] {
        server.sql(&format!("UPDATE {schema}.meta SET value = {version} WHERE name = 'version'"));
        let (error, said) = refusal(&url);
        assert!(matches!(error, OpenError::UnknownVersion { .. }), "{said}");
    }
    server.sql("ALTER ROLE stranger SET default_transaction_read_only = on");
    let (error, said) = refusal(&format!("postgres://stranger@127.0.0.1:{port}/postgres"));
    assert!(matches!(error, OpenError::ReadOnly { .. }), "{said}");
}

/// What a store does while the database is away ends in time, and it goes on by itself afterwards.
#[test]
fn a_stopped_server_is_waited_for_but_not_for_ever() {
    let server = Server::start();
    let options =
        PostgresOptions { patience: Duration::from_millis(500), ..PostgresOptions::default() };
    let store = PostgresStore::open(&server.url(), &options).unwrap();
    increment(&store, "n").unwrap();
    assert!(store.check_writable().is_ok());
    server.stop();
    let said = increment(&store, "n");
    assert!(matches!(said, Err(Error::Unavailable { .. })), "{said:?}");
    let said = block_on(store.get(b"n"));
    assert!(matches!(said, Err(Error::Unavailable { .. })), "{said:?}");
    assert!(store.check_writable().is_err());
    server.restart();
    let is_back = (0..100).any(|_| increment(&store, "n").is_ok());
    assert!(is_back);
    assert_eq!(number(get(&store, "n").as_ref()), 2);
}

#[test]
fn a_store_is_closed_and_dropped_in_time_and_leaves_no_lane() {
    let server = shared();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let store = open(&url);
    increment(&store, "n").unwrap();
    block_on(store.close()).unwrap();
    assert!(matches!(increment(&store, "n"), Err(Error::Closed)));
    assert_eq!(number(get(&store, "n").as_ref()), 1);
    // The close has waited for the lanes' last statements.
    let lanes = server.sql(&format!("SELECT count(*) FROM {schema}.writers"));
    assert_eq!(lanes, "0");
    let view = block_on(store.view()).unwrap();
    drop(store);
    assert!(matches!(block_on(view.get(b"n")), Err(Error::Closed)));
}

/// A store whose tasks run on a runtime of the caller does the same, and leaves nothing there.
#[test]
fn a_runtime_of_the_caller_drives_the_store() {
    let server = shared();
    let url = server.url();
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(1).enable_all().build().unwrap();
    let options =
        PostgresOptions { runtime: Some(runtime.handle().clone()), ..PostgresOptions::default() };
    // Opened on the only thread of the runtime, which must not wait for itself.
    let opened = runtime.spawn({
        let url = url.clone();
        async move { PostgresStore::open(&url, &options) }
    });
    let store = runtime.block_on(opened).unwrap().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25).for_each(|_| assert!(increment(&store, "n").unwrap() < 100)));
        }
    });
    runtime.block_on(async {
        let value = store.get(b"n").await.unwrap();
        assert_eq!(number(value.as_ref()), 100);
        store.close().await.unwrap();
    });
    drop(store);
    let ended = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        runtime.metrics().num_alive_tasks() == 0
    });
    assert!(ended, "{} tasks are left", runtime.metrics().num_alive_tasks());
}

/// Tables of an older program are changed while a server that knows only the old ones writes, and both go on. The
/// old one is a store whose user may not change tables: it uses them by the statements of the old program.
#[test]
fn tables_are_changed_while_an_older_server_writes() {
    let server = server();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let url = format!("{url}&application_name=changed");
    let as_before = |text: &str| server.sql(&text.replace("ITS", &schema));
    let newest = open(&url);
    put(&newest, &[(b"first".to_vec(), text(1))]);
    drop(newest);
    as_before(
        "CREATE TABLE ITS.lanes (lane bytea PRIMARY KEY, token bigint NOT NULL, \
         seen timestamptz NOT NULL DEFAULT now()); DROP TABLE ITS.writers, ITS.fence",
    );
    as_before("DELETE FROM ITS.meta WHERE name = 'revision'");
    as_before("UPDATE ITS.meta SET value = 1 WHERE name = 'version'");
    as_before("CREATE ROLE older LOGIN; GRANT USAGE ON SCHEMA ITS TO older");
    as_before("GRANT SELECT ON ITS.meta TO older");
    as_before(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ITS.entries, ITS.stamps, ITS.lanes TO older",
    );
    let older = open(&url.replace("owner@", "older@"));
    let done = AtomicBool::new(false);
    let written = thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|nth| {
                let (older, done) = (&older, &done);
                scope.spawn(move || {
                    let mut written = 0;
                    while !done.load(Ordering::Acquire) {
                        increment(older, &format!("n{nth}")).unwrap();
                        written += 1;
                    }
                    written
                })
            })
            .collect();
        // Each time as if nobody had changed them before.
        for _ in 0..3 {
            let newer = open(&url);
            increment(&newer, "newer").unwrap();
            let knows = "SELECT (SELECT max(knows) FROM ITS.lanes) || ' ' || (SELECT max(knows) FROM ITS.writers)";
            assert_eq!(as_before(knows), "1 4", "lanes of both are told apart");
            let meta =
                "SELECT value FROM ITS.meta WHERE name IN ('revision', 'version') ORDER BY 1";
            assert_eq!(as_before(meta), "1\n4", "the older one is at work");
            drop(newer);
            as_before("DELETE FROM ITS.meta WHERE name = 'revision'");
        }
        let newer = open(&url);
        kill_connections(server, "changed");
        done.store(true, Ordering::Release);
        let written: u64 = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        increment(&newer, "newer").unwrap();
        assert_eq!(number(get(&newer, "newer").as_ref()), 4);
        written
    });
    let kept: u64 = (0..4).map(|nth| number(get(&older, &format!("n{nth}")).as_ref())).sum();
    assert_eq!(kept, written);
}

/// What somebody with the rights runs is what servers do, and changes nothing a second time.
#[test]
fn the_printed_upgrade_is_what_servers_do() {
    let server = server();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let options_of_tables = format!(
        "SELECT c.relname, o.* FROM pg_class c, unnest(c.reloptions) o \
         WHERE c.relnamespace = '{schema}'::regnamespace ORDER BY 1, 2"
    );
    drop(open(&url));
    let created = server.sql(&options_of_tables);
    assert!(created.contains("entries|fillfactor=90"), "{created}");
    assert!(created.contains("writers|autovacuum_vacuum_threshold="), "{created}");
    server.sql(&format!(
        "ALTER TABLE {schema}.entries RESET (fillfactor, autovacuum_vacuum_threshold); \
         DELETE FROM {schema}.meta WHERE name = 'revision'"
    ));
    let options = PostgresOptions { schema: schema.clone(), ..PostgresOptions::default() };
    let upgrade = hashrange_storage::postgres::upgrade(&options).unwrap();
    for _ in 0..2 {
        server.sql(&upgrade);
        let revision = format!("SELECT value FROM {schema}.meta WHERE name = 'revision'");
        assert_eq!(server.sql(&revision), "4");
        assert_eq!(server.sql(&options_of_tables), created);
    }
    // Nor does it take back what a newer program has done.
    server.sql(&format!("UPDATE {schema}.meta SET value = 7 WHERE name = 'revision'"));
    server.sql(&upgrade);
    let found = server.sql(&format!("SELECT value FROM {schema}.meta WHERE name = 'revision'"));
    assert_eq!(found, "7");
    let store = open(&url);
    increment(&store, "n").unwrap();
    let knows = server.sql(&format!("SELECT DISTINCT knows FROM {schema}.writers"));
    assert_eq!(knows, "4");
}
