//! What a copy of a whole store does beside requests: stamps that go on from another store's, and a key that
//! is held.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test looks again after a pause")]

mod scratch;

use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{
    Bytes, Direction, Error, Key, KeyRange, Keys, PostgresStore, Store, View, Wanted, block_on,
};
use scratch::shared;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, &PostgresOptions::default()).unwrap()
}

/// Appends to a prefix and returns the stamp.
fn append(store: &PostgresStore, prefix: &[u8]) -> u64 {
    block_on(store.commit(vec![], |_, batch| {
        batch.append(prefix.to_vec(), Bytes::from_static(b"x"));
    }))
    .unwrap();
    let mut last = 0;
    let view = block_on(store.view()).unwrap();
    let (range, wanted) = (KeyRange::prefix(prefix), Wanted::entries(1));
    block_on(view.visit(range, Direction::Backward, wanted, |key, _| {
        last = u64::from_be_bytes(*key.last_chunk().unwrap());
        ControlFlow::Break(())
    }))
    .unwrap();
    last
}

fn put(store: &PostgresStore, key: &str) {
    let keys: Vec<Key> = vec![key.into()];
    block_on(store.commit(keys, |_, batch| batch.put(key.into(), Bytes::from_static(b"1"))))
        .unwrap();
}

#[test]
fn stamps_go_on_after_those_of_another_store() {
    const STAMP: u64 = 123_456_789_012_345;
    let store = open(&shared().url());
    assert_eq!(block_on(store.last_stamp()).unwrap(), 0);
    // One whose keys the database makes, one that is too short for that, one that the index does not take.
    let prefixes: [Key; 3] = [b"a prefix of 18 byt".to_vec(), b"log".to_vec(), vec![7; 2_100]];
    assert_eq!(append(&store, &prefixes[0]), 1);
    block_on(store.raise_stamps(&prefixes, STAMP)).unwrap();
    for prefix in &prefixes {
        assert_eq!([append(&store, prefix), append(&store, prefix)], [STAMP + 1, STAMP + 2]);
    }
    // Nothing goes back.
    block_on(store.raise_stamps(&prefixes, STAMP)).unwrap();
    assert_eq!(append(&store, &prefixes[0]), STAMP + 3);
    assert_eq!(append(&store, b"another prefix of this store"), 1);
    assert_eq!(block_on(store.last_stamp()).unwrap(), STAMP + 3);
    assert!(block_on(store.raise_stamps(&prefixes, u64::MAX)).is_err());
}

#[test]
fn who_declares_a_held_key_waits_until_it_is_released() {
    let url = shared().url();
    let (holder, writer) = (open(&url), open(&url));
    block_on(block_on(holder.hold(b"number")).unwrap().release()).unwrap();
    put(&holder, "number");
    for is_dropped in [false, true] {
        let held = block_on(holder.hold(b"number")).unwrap();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let keys = Keys { write: vec![b"a".to_vec()], read: vec![b"number".to_vec()] };
                block_on(writer.commit(keys, |_, batch| batch.delete(b"a".to_vec()))).unwrap();
                is_done.store(true, Ordering::Release);
            });
            put(&holder, "others go on");
            thread::sleep(Duration::from_millis(300));
            assert!(!is_done.load(Ordering::Acquire));
            if is_dropped { drop(held) } else { block_on(held.release()).unwrap() }
        });
        assert!(is_done.load(Ordering::Acquire));
    }
}

#[test]
fn a_key_that_was_lost_while_it_was_held_is_told() {
    let url = format!("{}&application_name=holder", shared().url());
    let store = open(&url);
    put(&store, "number");
    let held = block_on(store.hold(b"number")).unwrap();
    shared().sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE application_name = 'holder' AND state = 'idle in transaction'",
    );
    let released = block_on(held.release());
    assert!(matches!(released, Err(Error::Unavailable { .. })), "{released:?}");
}
