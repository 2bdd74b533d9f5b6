//! A primary that was replaced and does not know: it goes on, takes writes and answers. Stores that can reach the new
//! one give no answer of it, also if they only read.

use super::proxy::Proxy;
use hashrange_scratch::Server;
use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{PostgresStore, Store, block_on};
use std::thread;
use std::time::{Duration, Instant};

const KEY: &[u8] = b"k";
/// So long a store may take until it has found the new primary.
const PATIENCE: Duration = Duration::from_secs(60);
/// More than there are readers, so that each of them is asked.
const CLIENTS: usize = 8;

/// A primary and its standby, each behind a proxy.
struct Pair {
    old: Server,
    new: Server,
    proxies: [Proxy; 2],
}

impl Pair {
    fn start() -> Self {
        let old = Server::start_primary();
        let new = old.start_standby();
        let proxies = [Proxy::start(old.port), Proxy::start(new.port)];
        Self { old, new, proxies }
    }

    /// Opens a store that knows both; all its connections are to the old primary.
    fn open(&self) -> PostgresStore {
        let [old, new] = &self.proxies;
        let hosts = format!("127.0.0.1:{},127.0.0.1:{}", old.port, new.port);
        let store = open(&format!("postgres://owner@{hosts}/postgres"));
        let begin = Instant::now();
        while store.traffic().readers.connected < store.traffic().readers.wanted {
            assert!(begin.elapsed() < PATIENCE, "all readers are connected");
            thread::sleep(Duration::from_millis(10));
        }
        store
    }

    /// Promotes the standby, and writes a value there by a store that knows no other host.
    fn replace(&self, value: &'static [u8]) {
        self.new.promote();
        put(&open(&self.new.base_url()), value);
    }

    /// Waits until the standby has what the primary has.
    fn wait_for_standby(&self) {
        let end: String = self.old.sql("SELECT pg_current_wal_lsn()");
        let has = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
        let begin = Instant::now();
        while self.new.sql(&has) != "t" {
            assert!(begin.elapsed() < PATIENCE, "the standby follows");
        }
    }
}

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, &PostgresOptions::default()).unwrap()
}

fn put(store: &PostgresStore, value: &'static [u8]) {
    block_on(store.commit(vec![KEY.to_vec()], |_, batch| {
        batch.put(KEY.to_vec(), value.into());
    }))
    .unwrap();
}

fn get(store: &PostgresStore) -> Vec<u8> {
    block_on(store.get(KEY)).unwrap().unwrap().to_vec()
}

/// Waits until a value is read.
fn wait_for(store: &PostgresStore, value: &[u8]) {
    let begin = Instant::now();
    while get(store) != value {
        assert!(begin.elapsed() < PATIENCE, "the store finds the new primary");
    }
}

/// Reads again and again by several clients at a time; none may have another value.
fn read_only(store: &PostgresStore, value: &[u8]) {
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| (0..100).for_each(|nth| assert_eq!(get(store), value, "read {nth}")));
        }
    });
}

#[test]
fn no_answer_comes_from_a_primary_that_was_replaced_while_it_was_paused() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let pair = Pair::start();
    let store = pair.open();
    put(&store, b"old");
    pair.wait_for_standby();
    let [old, _] = &pair.proxies;
    old.hold();
    thread::scope(|scope| {
        // Asked of the old primary, which is silent: answered by the new one.
        let asked: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| get(&store))).collect();
        pair.replace(b"new");
        for asked in asked {
            let value = asked.join().unwrap();
            assert!([&b"old"[..], b"new"].contains(&&value[..]), "{value:?}");
        }
    });
    put(&store, b"newer");
    assert_eq!(pair.old.sql("SELECT pg_is_in_recovery()"), "f", "it is there");
    old.release();
    read_only(&store, b"newer");
}

#[test]
fn a_store_that_only_reads_finds_the_new_primary() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let pair = Pair::start();
    put(&open(&pair.old.base_url()), b"old");
    pair.wait_for_standby();
    let store = pair.open();
    assert_eq!(get(&store), b"old");
    pair.replace(b"new");
    // The old one lives and answers.
    wait_for(&store, b"new");
    read_only(&store, b"new");
    // Also when the new one is away: no answer is better than an old one.
    let [_, new] = &pair.proxies;
    new.set_away(true);
    let is_refused = (0..1000).any(|_| match block_on(store.get(KEY)) {
        // A connection that is not cut yet.
        Ok(value) => {
            assert_eq!(value.as_deref(), Some(&b"new"[..]));
            false
        }
        Err(_) => true,
    });
    assert!(is_refused);
    new.set_away(false);
    wait_for(&store, b"new");
}

#[test]
fn a_store_that_is_opened_finds_the_newer_one_of_two() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let pair = Pair::start();
    put(&open(&pair.old.base_url()), b"old");
    pair.wait_for_standby();
    pair.replace(b"new");
    let store = pair.open();
    assert_eq!(get(&store), b"new");
}
