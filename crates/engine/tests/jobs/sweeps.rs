//! A sweep begins where the last one ended, so that it does not walk what is left of yesterday's; and
//! misses nothing for that: not what is put behind it, nor across a restart, nor when the clock is set
//! back.

use crate::database::Database;
use hashrange_storage::Key;
use hashrange_testkit::environment::NOW_MS;
use serde_json::json;

const HOUR_MS: u64 = 60 * 60 * 1000;
const EXPIRY: [u8; 5] = [0x21, 0, 0, 0, 1];
const TOKENS_BY_TIME: [u8; 2] = [0x04, 0x01];

fn with_time_to_live() -> Database {
    let database = Database::new();
    database.create();
    database.turn_time_to_live(true);
    database.pass(0);
    database
}

/// Puts an item that expires so many milliseconds after now, or before.
fn put(database: &Database, name: &str, after_ms: i64) {
    let until = database.clock.now_ms().saturating_add_signed(after_ms) / 1000;
    let item = json!({"pk": {"S": name}, "until": {"N": until.to_string()}});
    database.ok("PutItem", &json!({"TableName": "table", "Item": item}));
}

fn count(database: &Database) -> usize {
    database.store().entries(&EXPIRY).len()
}

/// Sweeps and returns where the sweep began, as a number behind a prefix.
fn start(database: &Database, prefix: &[u8]) -> u64 {
    database.store().take_visits(prefix);
    database.engine.sweep();
    let visits: Vec<Key> = database.store().take_visits(prefix);
    let place = visits[0].get(prefix.len()..prefix.len() + 8).unwrap_or(&[0; 8]);
    u64::from_be_bytes(place.try_into().unwrap())
}

#[test]
fn expired_items_are_swept_once() {
    let database = with_time_to_live();
    database.clock.advance_ms(2 * HOUR_MS);
    assert_eq!(start(&database, &EXPIRY), NOW_MS / 1000);
    assert_eq!(count(&database), 0);
    let now_s = database.clock.now_ms() / 1000;
    assert_eq!(start(&database, &EXPIRY), now_s);
    put(&database, "later", 10_000);
    assert_eq!(start(&database, &EXPIRY), now_s);
    database.clock.advance_ms(11_000);
    assert_eq!(start(&database, &EXPIRY), now_s);
    assert_eq!(count(&database), 0);
    assert_eq!(start(&database, &EXPIRY), now_s + 11);
    database.assert_sound();
}

#[test]
fn an_item_that_is_put_as_expired_goes_with_the_next_sweep() {
    let database = with_time_to_live();
    database.pass(2 * HOUR_MS);
    for ago_s in [1, 60, 100_000] {
        put(&database, "late", -1000 * ago_s);
        assert_eq!(count(&database), 1);
        let began = start(&database, &EXPIRY);
        assert_eq!(began, database.clock.now_ms() / 1000 - ago_s.unsigned_abs());
        assert_eq!(count(&database), 0, "{ago_s}");
    }
    database.assert_sound();
}

#[test]
fn nothing_is_missed_after_a_restart() {
    let database = with_time_to_live();
    database.pass(2 * HOUR_MS);
    put(&database, "late", -5000);
    let database = database.reopened();
    database.pass(0);
    assert_eq!(count(&database), 0);
}

#[test]
fn nothing_is_missed_when_the_clock_is_set_back() {
    const TEN_YEARS_MS: u64 = 10 * 365 * 24 * HOUR_MS;
    let database = Database::new();
    database.create();
    // By a clock that is wrong, everything is too old to be removed.
    database.clock.advance_ms(TEN_YEARS_MS);
    database.turn_time_to_live(true);
    database.pass(0);
    assert_eq!(count(&database), 3);
    database.clock.set_back_ms(TEN_YEARS_MS - 2 * HOUR_MS);
    database.pass(0);
    assert_eq!(count(&database), 0);
    // Nor is what is put while it is wrong.
    database.clock.set_back_ms(HOUR_MS);
    put(&database, "now", 1000);
    database.pass(0);
    assert_eq!(count(&database), 1);
    database.pass(2000);
    assert_eq!(count(&database), 0);
    database.assert_sound();
}

/// Time to live that is enabled anew on another attribute finds what lies before the last sweep.
#[test]
fn nothing_is_missed_when_time_to_live_is_enabled_anew() {
    let database = with_time_to_live();
    put(&database, "d", 3_600_000);
    database.turn_time_to_live(false);
    database.pass(0);
    database.pass(2 * HOUR_MS);
    assert_eq!(count(&database), 0);
    database.turn_time_to_live(true);
    database.pass(0);
    database.pass(1000);
    assert_eq!(count(&database), 0);
    assert_eq!(database.ok("Scan", &json!({"TableName": "table"}))["Count"], 0);
}

#[test]
fn tokens_are_swept_once_and_none_is_missed() {
    let database = Database::new();
    database.create();
    let write = |token: &str| {
        let put = json!({"Put": {"TableName": "table", "Item": {"pk": {"S": "a"}}}});
        let request = json!({"TransactItems": [put], "ClientRequestToken": token});
        database.ok("TransactWriteItems", &request);
    };
    let tokens = || database.store().entries(&[0x04]).len();
    write("first");
    database.clock.advance_ms(HOUR_MS);
    assert!(start(&database, &TOKENS_BY_TIME) <= NOW_MS);
    assert_eq!(tokens(), 0);
    let swept_to = database.clock.now_ms() - 10 * 60 * 1000;
    assert_eq!(start(&database, &TOKENS_BY_TIME), swept_to);
    // A token that is used by a clock that is wrong for a moment.
    database.clock.set_back_ms(HOUR_MS);
    write("second");
    database.clock.advance_ms(HOUR_MS);
    assert_eq!(start(&database, &TOKENS_BY_TIME), NOW_MS);
    assert_eq!(tokens(), 0);
    database.assert_sound();
}
