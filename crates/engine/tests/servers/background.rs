//! Who does the background work: servers divide it, and what one that has died was to do falls to others.

use super::{creation, index_creation, put, two};
use hashrange_engine::EngineOptions;
use hashrange_testkit::database::Database;
use serde_json::json;

/// Heartbeats after which a silent server is dead to all others, and its work theirs.
const BEATS: usize = 10;

/// Lets the heart of a server beat for long enough that it knows the dead, and does its work.
fn work(server: &Database) {
    for _ in 0..BEATS {
        server.engine.sweep();
        server.run_jobs();
    }
}

fn names() -> impl Iterator<Item = String> {
    (0..8).map(|nth| format!("table-{nth}"))
}

fn create_all(server: &Database) {
    for table in names() {
        server.ok("CreateTable", &creation(&table, &["pk"]));
        for pk in ["a", "b", "c"] {
            server.ok("PutItem", &put(&table, pk));
        }
    }
}

/// Returns two servers that know of each other, and tables whose new indexes are to be filled by them.
fn with_indexes_to_fill() -> [Database; 2] {
    let [one, other] = two();
    for server in [&one, &other] {
        server.engine.sweep();
    }
    create_all(&one);
    for table in names() {
        one.ok("UpdateTable", &index_creation(&table));
    }
    [one, other]
}

/// Returns how many tables have an index that a server does not describe as active.
fn unfilled(server: &Database) -> usize {
    let is_unfilled = |table: &String| {
        let described = server.ok("DescribeTable", &json!({"TableName": table}));
        described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] != "ACTIVE"
    };
    names().filter(is_unfilled).count()
}

#[test]
fn servers_divide_the_work_whoever_asked_for_it() {
    let [one, other] = with_indexes_to_fill();
    // It takes the tables in that the first one has created.
    other.ok("ListTables", &json!({}));
    let seen = [&one, &other].map(|server| server.engine.servers_seen().unwrap());
    for seen in seen {
        assert_eq!((seen.alive, seen.tables), (2, names().count() as u64), "{seen:?}");
        assert!(seen.trusts_clock && seen.clock_difference_ms == 0, "{seen:?}");
        assert!(seen.own_tables > 0, "{seen:?}");
    }
    assert_eq!(seen[0].own_tables + seen[1].own_tables, seen[0].tables, "each table has one");
    one.run_jobs();
    let left = unfilled(&one);
    assert!(left > 0 && left < names().count(), "one has filled all but {left}");
    other.engine.sweep();
    other.run_jobs();
    assert_eq!(unfilled(&one), 0);
    one.assert_sound();
}

#[test]
fn what_a_server_that_died_was_to_do_is_done_by_others() {
    let [one, other] = with_indexes_to_fill();
    for table in ["gone", "gone-too", "and-gone"] {
        one.ok("CreateTable", &creation(table, &["pk"]));
        one.ok("PutItem", &put(table, "a"));
        one.ok("DeleteTable", &json!({"TableName": table}));
    }
    assert_eq!(other.stored(&[1, 3]).len(), 3, "they are to be purged");
    one.engine.store().kill();
    other.engine.sweep();
    other.run_jobs();
    assert!(unfilled(&other) > 0, "nobody knows yet that one has died");
    work(&other);
    assert_eq!(unfilled(&other), 0);
    assert_eq!(other.stored(&[1, 3]), [], "what was deleted is gone");
    other.assert_sound();
}

#[test]
fn a_server_that_leaves_hands_its_work_over() {
    let [one, other] = with_indexes_to_fill();
    other.run_jobs();
    one.close();
    other.engine.sweep();
    other.run_jobs();
    assert_eq!(unfilled(&other), 0);
    assert_eq!(other.stored(&[1, 10]).len(), 1, "one server is left");
}

/// A process that was stopped for long, as by a debugger or a paused machine.
#[test]
fn a_server_taken_for_dead_joins_anew() {
    let [one, other] = two();
    work(&other);
    assert_eq!(other.stored(&[1, 10]).len(), 1, "one is dead to the other");
    assert_eq!(other.engine.servers_seen().map(|seen| seen.alive), Some(1));
    one.engine.sweep();
    other.engine.sweep();
    assert_eq!(other.stored(&[1, 10]).len(), 2);
    create_all(&one);
    for table in names() {
        other.ok("UpdateTable", &index_creation(&table));
    }
    for server in [&one, &other] {
        server.engine.sweep();
        server.run_jobs();
    }
    assert_eq!(unfilled(&other), 0);
    one.assert_sound();
}

#[test]
fn items_expire_once_whoever_sweeps() {
    let servers =
        Database::sharing(3, &EngineOptions { jobs_run: false, ..EngineOptions::default() });
    let [one, other, third] = servers.try_into().unwrap();
    for server in [&one, &other, &third] {
        server.engine.sweep();
    }
    let mut creation = creation("table", &["pk"]);
    creation["StreamSpecification"] = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    one.ok("CreateTable", &creation);
    let ttl = json!({"Enabled": true, "AttributeName": "expires"});
    one.ok("UpdateTimeToLive", &json!({"TableName": "table", "TimeToLiveSpecification": ttl}));
    let now_s = one.clock.now_ms() / 1000;
    for round in 0..4 {
        for (nth, server) in [&one, &other, &third].into_iter().enumerate() {
            let pk = format!("item {round} {nth}");
            let expires = (now_s + round * 100 + 10).to_string();
            let item = json!({"pk": {"S": pk}, "expires": {"N": expires}});
            server.ok("PutItem", &json!({"TableName": "table", "Item": item}));
        }
        one.clock.advance_ms(100_000);
        for server in [&one, &other, &third] {
            server.engine.sweep();
            server.run_jobs();
        }
        for server in [&one, &other, &third] {
            server.engine.sweep();
        }
        let left = other.ok("Scan", &json!({"TableName": "table", "Select": "COUNT"}));
        assert_eq!(left["Count"], 0, "round {round}");
    }
    one.assert_sound();
    assert_eq!(one.report().changes, 24, "each item was put once and removed once");
}
