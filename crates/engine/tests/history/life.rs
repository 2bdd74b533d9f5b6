//! How a history begins, is kept for a while, and ends.

use super::{as_of, check, create, delete, describe, enable, get, memory, n_as_of, put, stored};
use hashrange_engine::{EngineOptions, HistoryState};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use serde_json::json;

const HOUR_MS: u64 = 60 * 60 * 1000;

#[test]
fn a_history_is_described() {
    let database = memory();
    create(&database);
    assert_eq!(describe(&database).state, None);
    let begun = enable(&database, Some(24));
    assert_eq!(begun.state, Some(HistoryState::Kept));
    assert_eq!(begun.retention_hours, Some(24));
    assert_eq!(begun.reaches_back_to_ms, Some(NOW_MS - 1));
    database.clock.advance_ms(25 * HOUR_MS);
    assert_eq!(describe(&database).reaches_back_to_ms, Some(NOW_MS + HOUR_MS));
    for hours in [0, 876_001] {
        let refused = block_on(database.engine.enable_history("orders", Some(hours)));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.ends_with("or without RetentionHours for ever"), "{refused}");
    }
}

#[test]
fn versions_older_than_the_retention_are_removed() {
    let database = memory();
    create(&database);
    enable(&database, Some(2));
    put(&database, "once", 1);
    put(&database, "often", 1);
    database.clock.advance_ms(HOUR_MS);
    put(&database, "often", 2);
    database.clock.advance_ms(HOUR_MS + HOUR_MS / 2);
    put(&database, "often", 3);
    assert_eq!(stored(&database), [4, 4, 2]);
    database.engine.sweep();
    assert_eq!(stored(&database), [2, 2, 1], "half an hour too old");
    check(&database);
    assert_eq!(n_as_of(&database, "often", NOW_MS + HOUR_MS), "2");
    assert_eq!(n_as_of(&database, "often", NOW_MS + HOUR_MS / 2), "1");
    let refused = database.fails("GetItem", &get(&as_of(NOW_MS + HOUR_MS / 3), "often"));
    assert!(refused.contains("reaches back to 2026-01-01T00:30:00.000Z"), "{refused}");
    database.clock.advance_ms(9 * HOUR_MS);
    database.engine.sweep();
    assert_eq!(stored(&database), [0, 0, 0]);
    put(&database, "once", 2);
    assert_eq!(n_as_of(&database, "once", NOW_MS + 11 * HOUR_MS), "1");
    check(&database);
}

#[test]
fn what_was_removed_is_not_told_of_though_the_clock_is_set_back() {
    let database = memory();
    create(&database);
    enable(&database, Some(1));
    put(&database, "a", 1);
    database.clock.advance_ms(3 * HOUR_MS);
    database.engine.sweep();
    database.clock.set_back_ms(3 * HOUR_MS - 1000);
    let refused = database.fails("GetItem", &get(&as_of(NOW_MS - 1), "a"));
    assert!(refused.contains("reaches back"), "{refused}");
    assert_eq!(n_as_of(&database, "a", NOW_MS + 500), "1");
}

#[test]
fn a_longer_retention_brings_nothing_back() {
    let database = memory();
    create(&database);
    enable(&database, Some(1));
    put(&database, "a", 1);
    database.clock.advance_ms(3 * HOUR_MS);
    let longer = enable(&database, Some(10));
    assert_eq!(longer.reaches_back_to_ms, Some(NOW_MS + 2 * HOUR_MS));
    let for_ever = enable(&database, None);
    assert_eq!(for_ever.reaches_back_to_ms, Some(NOW_MS + 2 * HOUR_MS));
    assert_eq!(for_ever.retention_hours, None);
}

#[test]
fn a_history_that_ends_is_removed_and_a_new_one_tells_nothing_of_it() {
    let database = memory();
    create(&database);
    enable(&database, None);
    for n in 1..=3 {
        put(&database, "a", n);
        database.clock.advance_ms(1000);
    }
    let ended = block_on(database.engine.disable_history("orders")).unwrap();
    assert_eq!((ended.state, stored(&database)), (None, [0, 0, 0]));
    put(&database, "a", 4);
    database.clock.advance_ms(1000);
    enable(&database, None);
    put(&database, "a", 5);
    let refused = database.fails("GetItem", &get(&as_of(NOW_MS + 1000), "a"));
    assert!(refused.contains("reaches back to 2026-01-01T00:00:03.999Z"), "{refused}");
    assert_eq!(n_as_of(&database, "a", NOW_MS + 3999), "4");
    assert_eq!(n_as_of(&database, "a", NOW_MS + 4000), "5");
    check(&database);
}

#[test]
fn the_end_of_a_history_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let idle = || EngineOptions { jobs_run: false, ..EngineOptions::default() };
    let database = Database::folder(folder.path(), idle());
    create(&database);
    let begun = enable(&database, None);
    assert_eq!(begun.state, Some(HistoryState::Beginning));
    put(&database, "a", 1);
    let refused = database.fails("GetItem", &get(&as_of(NOW_MS), "a"));
    assert!(refused.ends_with("has not begun yet: try again in a moment"), "{refused}");
    drop(database);
    let database = Database::folder(folder.path(), idle());
    database.run_jobs();
    assert_eq!(describe(&database).state, Some(HistoryState::Kept));
    let ending = block_on(database.engine.disable_history("orders")).unwrap();
    assert_eq!(ending.state, Some(HistoryState::Ending));
    let refused = block_on(database.engine.enable_history("orders", None)).unwrap_err();
    assert!(refused.to_string().ends_with("is being removed: try again when it is gone"));
    put(&database, "a", 2);
    assert_eq!(stored(&database), [1, 1, 1]);
    drop(database);
    let database = Database::folder(folder.path(), idle());
    database.run_jobs();
    assert_eq!((describe(&database).state, stored(&database)), (None, [0, 0, 0]));
    check(&database);
}

#[test]
fn a_deleted_table_leaves_no_history() {
    let database = memory();
    create(&database);
    enable(&database, Some(1));
    put(&database, "a", 1);
    database.clock.advance_ms(3 * HOUR_MS);
    database.engine.sweep();
    put(&database, "a", 2);
    delete(&database, "a");
    database.ok("DeleteTable", &json!({"TableName": "orders"}));
    database.run_jobs();
    database.engine.sweep();
    while stored(&database) != [0, 0, 0] {
        std::thread::yield_now();
    }
    create(&database);
    check(&database);
}

#[test]
fn an_item_that_expires_was_there() {
    let database = memory();
    create(&database);
    enable(&database, None);
    let specification = json!({"Enabled": true, "AttributeName": "n"});
    database.ok(
        "UpdateTimeToLive",
        &json!({"TableName": "orders", "TimeToLiveSpecification": specification}),
    );
    put(&database, "a", i64::try_from(NOW_MS / 1000).unwrap() + 10);
    database.clock.advance_ms(20_000);
    database.engine.sweep();
    assert_eq!(database.ok("GetItem", &get("orders", "a")), json!({}));
    assert_eq!(n_as_of(&database, "a", NOW_MS + 19_999), (NOW_MS / 1000 + 10).to_string());
    assert_eq!(n_as_of(&database, "a", NOW_MS + 20_000), "-");
    check(&database);
}

#[test]
fn servers_that_share_a_store_share_the_history() {
    let servers = Database::sharing(2, &EngineOptions::default());
    let [one, other] = &servers[..] else { panic!("two servers") };
    create(one);
    enable(one, None);
    while describe(one).state != Some(HistoryState::Kept) {
        for server in &servers {
            server.engine.sweep();
            server.run_jobs();
        }
    }
    other.ok("DescribeTable", &json!({"TableName": "orders"}));
    one.clock.advance_ms(1000);
    for n in 0..10 {
        put(if n % 2 == 0 { one } else { other }, "a", n);
        one.clock.advance_ms(1);
    }
    assert_eq!(n_as_of(other, "a", NOW_MS + 999), "-");
    for n in 0..10 {
        assert_eq!(n_as_of(one, "a", NOW_MS + 1000 + n), n.to_string());
    }
    check(one);
}

#[test]
fn a_version_that_expires_takes_along_what_came_before_it() {
    let database = memory();
    create(&database);
    enable(&database, Some(2));
    for n in 0..3 {
        put(&database, "a", n);
    }
    database.clock.advance_ms(5 * HOUR_MS);
    put(&database, "a", 3);
    database.clock.set_back_ms(4 * HOUR_MS + HOUR_MS / 2);
    put(&database, "a", 4);
    database.clock.advance_ms(HOUR_MS / 2);
    put(&database, "a", 5);
    assert_eq!(stored(&database), [6, 4, 1]);
    // One and a half hours later the change to 4 has expired, and that to 3, dated ahead of it, goes along.
    database.clock.advance_ms(HOUR_MS + HOUR_MS / 2 + HOUR_MS / 4);
    database.engine.sweep();
    assert_eq!(stored(&database), [1, 1, 1]);
    check(&database);
    for (after_ms, n) in [(HOUR_MS - 1, "4"), (HOUR_MS, "5"), (2 * HOUR_MS, "5")] {
        assert_eq!(n_as_of(&database, "a", NOW_MS + after_ms), n, "{after_ms}");
    }
}

#[test]
fn many_versions_of_one_moment_are_removed() {
    let database = memory();
    create(&database);
    enable(&database, Some(1));
    for n in 0..450 {
        put(&database, "a", n);
    }
    put(&database, "b", 0);
    assert_eq!(stored(&database), [451, 2, 2]);
    database.clock.advance_ms(3 * HOUR_MS);
    put(&database, "a", 450);
    database.engine.sweep();
    assert_eq!(stored(&database), [1, 1, 1]);
    assert_eq!(n_as_of(&database, "a", NOW_MS + 3 * HOUR_MS - 1), "449");
    check(&database);
}
