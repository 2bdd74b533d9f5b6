//! The fence of a store on PostgreSQL: a key that all commits read and few write. Whoever reads it locks no row that
//! others lock too, and yet none follows an old value after a change; also beside programs that know nothing of it.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod numbers;
mod scratch;

use hashrange_storage::postgres::{OpenError, PostgresOptions};
use hashrange_storage::{Bytes, Keys, PostgresStore, Store, block_on};
use numbers::{increment, number, text};
use scratch::{Server, server};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

const FENCE: &[u8] = b"fence";

fn options() -> PostgresOptions {
    PostgresOptions {
        fence: Some(FENCE.to_vec()),
        groups: Some(4),
        early_after: 0,
        ..PostgresOptions::default()
    }
}

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, &options()).unwrap()
}

fn schema_of(url: &str) -> String {
    url.split_once("schema=").unwrap().1.to_owned()
}

/// Adds one to a key, and returns what the fence was then.
fn write_under(store: &PostgresStore, key: &str) -> u64 {
    let keys = || Keys { write: vec![key.into()], read: vec![FENCE.to_vec()] };
    let done = block_on(store.commit(keys(), |values, batch| {
        batch.put(key.into(), text(number(values[0].as_ref()) + 1));
        number(values[1].as_ref())
    }));
    done.unwrap()
}

/// Adds one to the fence, and returns what it is then.
fn raise(store: &PostgresStore) -> u64 {
    let raised = block_on(store.commit(vec![FENCE.to_vec()], |values, batch| {
        let next = number(values[0].as_ref()) + 1;
        batch.put(FENCE.to_vec(), text(next));
        next
    }));
    raised.unwrap()
}

fn get(store: &PostgresStore, key: &str) -> u64 {
    number(block_on(store.get(key.as_bytes())).unwrap().as_ref())
}

/// Makes of a store one as programs before the fence made it.
fn make_older(server: &Server, schema: &str) {
    server.sql(&format!(
        "CREATE TABLE {schema}.lanes (lane bytea PRIMARY KEY, token bigint NOT NULL,
            seen timestamptz NOT NULL DEFAULT now(), knows bigint NOT NULL DEFAULT 1);
         DROP TABLE {schema}.writers, {schema}.fence;
         UPDATE {schema}.meta SET value = 1 WHERE name = 'version';
         UPDATE {schema}.meta SET value = 3 WHERE name = 'revision'"
    ));
}

/// Opens a store as a program before the fence does: by its statements, as its user may not change tables.
fn open_as_older(server: &Server, url: &str, role: &str) -> PostgresStore {
    let schema = schema_of(url);
    server.sql(&format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT SELECT ON {schema}.meta TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.entries, {schema}.stamps, {schema}.lanes TO {role}"
    ));
    open(&url.replace("owner@", &format!("{role}@")))
}

/// Returns how many lockers of rows PostgreSQL has listed so far.
fn listed_lockers(server: &Server) -> u64 {
    server.sql("CHECKPOINT");
    server.sql("SELECT next_multi_offset FROM pg_control_checkpoint()").parse().unwrap()
}

/// A store that is not told of the fence locks its row as any other that is only read.
#[test]
fn commits_that_read_the_fence_make_no_list_of_lockers() {
    let server = Server::start();
    for fence in [Some(FENCE.to_vec()), None] {
        let url = server.url();
        let options = PostgresOptions { fence: fence.clone(), ..options() };
        let stores = [(); 3].map(|()| PostgresStore::open(&url, &options).unwrap());
        raise(&stores[0]);
        write_under(&stores[0], "first");
        // Lanes that begin together lock the table of the fence for share.
        let has_begun = |store: &PostgresStore| {
            let lanes = store.traffic().lanes;
            lanes.connected == lanes.wanted
        };
        while !stores.iter().all(has_begun) {
            thread::yield_now();
        }
        let before = listed_lockers(&server);
        thread::scope(|scope| {
            for (nth, store) in stores.iter().enumerate() {
                for writer in 0..4 {
                    scope.spawn(move || {
                        for _ in 0..100 {
                            assert_eq!(write_under(store, &format!("{nth} {writer}")), 1);
                        }
                    });
                }
            }
        });
        let listed = listed_lockers(&server) - before;
        assert_eq!(listed == 0, fence.is_some(), "{listed} in 1,200 commits, {fence:?}");
    }
}

/// No commit that began after a change was acknowledged was shown an older value, and none that was shown one is left of when
/// the change was acknowledged.
#[test]
fn no_commit_follows_an_old_value_after_a_change() {
    let url = server().url();
    let stores = [(); 3].map(|()| open(&url));
    let acknowledged = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let (acknowledged, done) = (&acknowledged, &done);
        for (nth, store) in stores.iter().enumerate() {
            for writer in 0..3 {
                scope.spawn(move || {
                    let mut round = 0;
                    while !done.load(Ordering::Acquire) {
                        // All of one store are new, and decided early.
                        let key = format!("{nth} {writer} {round}");
                        round += u64::from(nth == 0);
                        let least = acknowledged.load(Ordering::Acquire);
                        let shown = write_under(store, &key);
                        assert!(shown >= least, "{shown} after {least}");
                    }
                });
            }
        }
        let changing: Vec<_> = (0..2)
            .map(|nth| {
                let store = &stores[nth];
                scope.spawn(move || {
                    for _ in 0..30 {
                        let raised = raise(store);
                        acknowledged.fetch_max(raised, Ordering::AcqRel);
                    }
                })
            })
            .collect();
        for one in changing {
            one.join().unwrap();
        }
        done.store(true, Ordering::Release);
    });
    assert_eq!(get(&stores[2], "fence"), 60);
    assert_eq!(write_under(&stores[2], "last"), 60);
}

/// What is written under the fence by somebody who was shown the old value is there when the change decides.
#[test]
fn a_change_waits_for_those_who_follow_the_old_value() {
    let server = server();
    let url = server.url();
    // One that guesses nothing is asked to decide when its lane has begun.
    let asked = PostgresOptions { early_after: u32::MAX, ..options() };
    let (store, other) = (PostgresStore::open(&url, &asked).unwrap(), open(&url));
    raise(&store);
    write_under(&store, "n");
    let (shown, is_shown) = std::sync::mpsc::channel();
    let (go, goes_on) = std::sync::mpsc::channel();
    let is_written = AtomicBool::new(false);
    thread::scope(|scope| {
        let (store, is_written) = (&store, &is_written);
        scope.spawn(move || {
            let keys = Keys { write: vec![b"late".to_vec()], read: vec![FENCE.to_vec()] };
            let mut goes_on = Some(goes_on);
            block_on(store.commit(keys, |values, batch| {
                if let Some(goes_on) = goes_on.take() {
                    shown.send(number(values[1].as_ref())).unwrap();
                    goes_on.recv().unwrap();
                }
                is_written.store(true, Ordering::Release);
                batch.put(b"late".to_vec(), text(1));
            }))
            .unwrap();
        });
        assert_eq!(is_shown.recv().unwrap(), 1);
        let changing = scope.spawn(|| {
            let keys = vec![FENCE.to_vec(), b"late".to_vec()];
            block_on(other.commit(keys, |values, batch| {
                batch.put(FENCE.to_vec(), text(2));
                (is_written.load(Ordering::Acquire), number(values[1].as_ref()))
            }))
            .unwrap()
        });
        let schema = schema_of(&url);
        let waiting = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%{schema}.writers%'"
        );
        while server.sql(&waiting) == "0" {}
        go.send(()).unwrap();
        assert_eq!(changing.join().unwrap(), (true, 1));
    });
    assert_eq!(write_under(&store, "n"), 2);
}

/// A key that is not there yet is shown as absent, and one that was deleted again.
#[test]
fn a_fence_may_be_absent() {
    let url = server().url();
    let (store, other) = (open(&url), open(&url));
    assert_eq!([write_under(&store, "n"), write_under(&other, "n")], [0, 0]);
    assert_eq!(raise(&store), 1);
    assert_eq!([write_under(&store, "n"), write_under(&other, "n")], [1, 1]);
    block_on(other.commit(vec![FENCE.to_vec()], |_, batch| batch.delete(FENCE.to_vec()))).unwrap();
    let shown = |store: &PostgresStore| -> Option<Bytes> {
        let keys = Keys { write: vec![b"n".to_vec()], read: vec![FENCE.to_vec()] };
        block_on(store.commit(keys, |values, batch| {
            batch.put(b"n".to_vec(), text(9));
            values[1].clone()
        }))
        .unwrap()
    };
    assert_eq!([shown(&store), shown(&other)], [None, None]);
}

/// As long as an older program may be at work, both follow each other's changes.
#[test]
fn an_older_program_and_this_one_follow_each_other() {
    let server = server();
    let url = server.url();
    let schema = schema_of(&url);
    drop(open(&url));
    make_older(server, &schema);
    let older = open_as_older(server, &url, "older_writer");
    assert_eq!(raise(&older), 1);
    // The first that knows better, while the other one is at work.
    let newer = open(&url);
    let version = format!("SELECT value FROM {schema}.meta WHERE name = 'version'");
    assert_eq!(server.sql(&version), "1");
    let mut value = 1;
    for round in 0..10 {
        let (one, other) = if round % 2 == 0 { (&older, &newer) } else { (&newer, &older) };
        assert_eq!([write_under(one, "n"), write_under(other, "n")], [value, value]);
        value = raise(one);
        assert_eq!([write_under(other, "n"), write_under(one, "n")], [value, value]);
    }
    assert_eq!(get(&newer, "n"), 40);
    assert_eq!(server.sql(&format!("SELECT DISTINCT knows FROM {schema}.writers")), "4");
}

/// Once no older program is at work its table of lanes goes: one that was overlooked commits nothing any more, and those that
/// were opened before trust the fence when they connect anew.
#[test]
fn an_older_program_that_was_overlooked_commits_nothing() {
    let server = server();
    let url = server.url();
    let schema = schema_of(&url);
    drop(open(&url));
    make_older(server, &schema);
    let older = open_as_older(server, &url, "overlooked");
    assert_eq!(raise(&older), 1);
    let between = open(&url);
    assert_eq!(raise(&older), 2);
    server.sql(&format!("UPDATE {schema}.lanes SET seen = now() - interval '6 minutes'"));
    let newer = open(&url);
    let version = format!("SELECT value FROM {schema}.meta WHERE name = 'version'");
    assert_eq!(server.sql(&version), "2");
    assert_eq!([write_under(&newer, "n"), write_under(&between, "n")], [2, 2]);
    assert!(increment(&older, "n").is_err());
    assert_eq!(raise(&between), 3);
    assert_eq!([write_under(&newer, "n"), write_under(&between, "n")], [3, 3]);
    assert_eq!(raise(&newer), 4);
    assert_eq!([write_under(&newer, "n"), write_under(&between, "n")], [4, 4]);
    assert_eq!(get(&newer, "n"), 6);
    // One that knows what this one does not know is left alone.
    server.sql(&format!("UPDATE {schema}.meta SET value = 3 WHERE name = 'version'"));
    let refused = PostgresStore::open(&url, &options()).unwrap_err();
    assert!(matches!(refused, OpenError::UnknownVersion { found: 3, known: 2, .. }), "{refused}");
}

/// What is printed for whoever has the rights lets the servers' user use what is new.
#[test]
fn the_printed_upgrade_shuts_older_programs_out() {
    let server = server();
    let url = server.url();
    let schema = schema_of(&url);
    drop(open(&url));
    make_older(server, &schema);
    let older = open_as_older(server, &url, "app");
    assert_eq!(raise(&older), 1);
    block_on(older.close()).unwrap();
    drop(older);
    let options = PostgresOptions { schema: schema.clone(), ..options() };
    let upgrade = hashrange_storage::postgres::upgrade(&options).unwrap();
    for _ in 0..2 {
        server.sql(&upgrade);
        let meta =
            format!("SELECT string_agg(name || value, ' ' ORDER BY name) FROM {schema}.meta");
        assert_eq!(server.sql(&meta), "places256 prefix_bytes2000 revision4 version2");
    }
    let newer = open(&url.replace("owner@", "app@"));
    assert_eq!(write_under(&newer, "n"), 1);
    assert_eq!(raise(&newer), 2);
    assert_eq!(write_under(&newer, "n"), 2);
}

/// Whoever holds the fence keeps all waiting who read it.
#[test]
fn a_held_fence_keeps_commits_waiting() {
    let url = server().url();
    let patience = std::time::Duration::from_millis(500);
    let lock_timeout = std::time::Duration::from_millis(100);
    let hasty = PostgresOptions { patience, lock_timeout, ..options() };
    let store = PostgresStore::open(&url, &hasty).unwrap();
    assert_eq!(write_under(&store, "n"), 0);
    let held = block_on(store.hold(FENCE)).unwrap();
    let keys = Keys { write: vec![b"n".to_vec()], read: vec![FENCE.to_vec()] };
    let said = block_on(store.commit(keys, |_, batch| batch.put(b"n".to_vec(), text(7))));
    assert!(said.is_err());
    block_on(held.release()).unwrap();
    assert_eq!(write_under(&store, "n"), 0);
    assert_eq!(get(&store, "n"), 2);
}

#[test]
fn a_store_tells_how_far_postgresql_is_from_a_forced_vacuum() {
    let store = open(&server().url());
    assert_eq!(store.traffic().ages, None);
    while store.traffic().ages.is_none() {
        increment(&store, "n").unwrap();
    }
    assert!(store.traffic().ages.unwrap().transaction_ids > 0);
}

/// A lane goes on to a new row after some thousand transactions, and leaves none behind.
#[test]
fn a_lane_takes_a_new_row_now_and_then() {
    let server = server();
    let url = server.url();
    let schema = schema_of(&url);
    let options = PostgresOptions { lanes: 1, ..options() };
    let store = PostgresStore::open(&url, &options).unwrap();
    let rows = format!("SELECT string_agg(lane::text, ',') FROM {schema}.writers");
    write_under(&store, "n");
    let first = server.sql(&rows);
    for _ in 0..2_100 {
        increment(&store, "n").unwrap();
    }
    let second = server.sql(&rows);
    assert_ne!(first, second);
    assert_eq!(first.len(), second.len(), "one row");
    raise(&store);
    assert_eq!(write_under(&store, "n"), 1);
}
