//! Time to live through time: expired items go and no others, whatever else happens to them, with
//! their index entries and under writers; enabling and disabling go on after a restart.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::EngineOptions;
use hashrange_storage::{Bytes, Store, block_on};
use hashrange_testkit::database;
use hashrange_testkit::environment::NOW_MS;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const NOW_S: u64 = NOW_MS / 1000;

struct Database(database::Database);

impl Deref for Database {
    type Target = database::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    fn memory() -> Self {
        Self(database::Database::memory(EngineOptions::default()))
    }

    fn folder(path: &Path) -> Self {
        Self(database::Database::folder(path, EngineOptions::default()))
    }

    /// Returns an empty database that does background jobs when it is told to.
    fn without_jobs() -> Self {
        Self(database::Database::memory(without_jobs()))
    }

    fn folder_without_jobs(path: &Path) -> Self {
        Self(database::Database::folder(path, without_jobs()))
    }

    /// Creates a table with a global and a local index.
    fn create(&self) {
        let all = json!({"ProjectionType": "ALL"});
        let names = ["pk", "sk", "other"];
        let definitions = names.map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
        let key = |hash: &str, range: &str| {
            json!([
                {"AttributeName": hash, "KeyType": "HASH"},
                {"AttributeName": range, "KeyType": "RANGE"},
            ])
        };
        self.ok(
            "CreateTable",
            &json!({
                "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": definitions, "KeySchema": key("pk", "sk"),
                "LocalSecondaryIndexes": [
                    {"IndexName": "local", "KeySchema": key("pk", "other"), "Projection": all}
                ],
                "GlobalSecondaryIndexes": [
                    {"IndexName": "global", "KeySchema": key("other", "pk"), "Projection": all}
                ],
            }),
        );
    }

    /// Puts an item that expires at a second.
    fn put(&self, name: &str, second: u64) {
        let item = json!({
            "pk": {"S": format!("partition {}", name.len() % 3)}, "sk": {"S": name},
            "other": {"S": name}, "until": {"N": second.to_string()},
        });
        self.ok("PutItem", &json!({"TableName": "table", "Item": item}));
    }

    fn switch(&self, enabled: bool) {
        self.ok("UpdateTimeToLive", &change(enabled, "until"));
    }

    fn status(&self) -> String {
        let described = self.ok("DescribeTimeToLive", &json!({"TableName": "table"}));
        described["TimeToLiveDescription"]["TimeToLiveStatus"].as_str().unwrap().to_owned()
    }

    fn wait(&self, status: &str) {
        while self.status() != status {
            thread::yield_now();
        }
    }

    fn advance_s(&self, seconds: u64) {
        self.clock.advance_ms(seconds * 1000);
        self.engine.sweep();
    }

    /// Returns the names of the items that are there, in order.
    fn names(&self) -> Vec<String> {
        let scan = |index: Json| {
            let mut request = json!({"TableName": "table"});
            if index.is_string() {
                request["IndexName"] = index;
            }
            let page = self.ok("Scan", &request);
            let items = page["Items"].as_array().unwrap().iter();
            let mut names: Vec<_> =
                items.map(|item| item["sk"]["S"].as_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        let names = scan(Json::Null);
        assert_eq!(scan(json!("global")), names);
        assert_eq!(scan(json!("local")), names);
        names
    }

    fn entries(&self) -> usize {
        self.stored(&[0x21]).len()
    }
}

fn without_jobs() -> EngineOptions {
    EngineOptions { jobs_run: false, ..EngineOptions::default() }
}

/// Returns a request that enables or disables time to live.
fn change(enabled: bool, attribute: &str) -> Json {
    let asked = json!({"Enabled": enabled, "AttributeName": attribute});
    json!({"TableName": "table", "TimeToLiveSpecification": asked})
}

#[test]
fn expired_items_go_with_their_index_entries_and_others_stay() {
    let database = Database::memory();
    database.create();
    (0..500).for_each(|nth| database.put(&format!("old {nth:03}"), NOW_S + nth));
    database.switch(true);
    database.wait("ENABLED");
    database.put("new", NOW_S + 10);
    assert_eq!(database.entries(), 501);
    database.advance_s(251);
    let expected: Vec<_> = (251..500).map(|nth| format!("old {nth:03}")).collect();
    assert_eq!(database.names(), expected);
    database.assert_sound();
    database.advance_s(1000);
    assert_eq!(database.names(), Vec::<String>::new());
    assert_eq!(database.entries(), 0);
    database.assert_sound();
}

/// Swept every second, an item is gone within two seconds of its time.
#[test]
fn an_item_goes_with_the_first_sweep_after_its_second() {
    let database = Database::memory();
    database.create();
    database.switch(true);
    database.wait("ENABLED");
    database.put("item", NOW_S + 5);
    for (passed_ms, left) in [(5999, 1), (1, 0)] {
        database.clock.advance_ms(passed_ms);
        database.engine.sweep();
        assert_eq!(database.names().len(), left);
    }
}

#[test]
fn an_item_that_is_written_again_lives_on() {
    let database = Database::memory();
    database.create();
    database.switch(true);
    database.wait("ENABLED");
    for (name, second) in [("later", NOW_S + 5), ("never", NOW_S + 5), ("gone", NOW_S + 5)] {
        database.put(name, second);
    }
    database.clock.advance_ms(6000);
    // Expired, but not yet removed: it may still be changed.
    database.put("later", NOW_S + 100);
    let key = json!({"pk": {"S": "partition 2"}, "sk": {"S": "never"}});
    database.ok(
        "UpdateItem",
        &json!({"TableName": "table", "Key": key, "UpdateExpression": "REMOVE #u",
                "ExpressionAttributeNames": {"#u": "until"}}),
    );
    database.engine.sweep();
    assert_eq!(database.names(), ["later", "never"]);
    database.advance_s(100);
    assert_eq!(database.names(), ["never"]);
    database.assert_sound();
}

#[test]
fn nothing_expires_while_it_is_being_disabled() {
    let database = Database::without_jobs();
    database.create();
    database.switch(true);
    database.run_jobs();
    database.put("before", NOW_S + 10);
    database.switch(false);
    database.put("meanwhile", NOW_S + 10);
    database.advance_s(100);
    assert_eq!(database.status(), "DISABLING");
    assert_eq!(database.names(), ["before", "meanwhile"]);
    database.run_jobs();
    assert_eq!(database.status(), "DISABLED");
    database.assert_sound();
}

#[test]
fn while_it_is_being_changed_no_other_change_is_admitted() {
    let database = Database::without_jobs();
    database.create();
    for (enabled, status) in [(true, "ENABLING"), (false, "DISABLING")] {
        database.switch(enabled);
        assert_eq!(database.status(), status);
        for refused in [change(true, "until"), change(false, "until"), change(true, "other")] {
            let error = database.call("UpdateTimeToLive", &refused).unwrap_err();
            assert_eq!(
                error.to_string(),
                "ValidationException: Time to live has been modified multiple times within a fixed \
                 interval"
            );
        }
        assert_eq!(database.status(), status);
        database.run_jobs();
    }
    assert_eq!(database.status(), "DISABLED");
}

#[test]
fn a_small_table_is_ready_when_the_change_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path());
    database.create();
    (0..100).for_each(|nth| database.put(&format!("item {nth}"), NOW_S + 1000));
    for _ in 0..20 {
        database.switch(true);
        assert_eq!(database.status(), "ENABLED");
        assert_eq!(database.entries(), 100);
        database.switch(false);
        assert_eq!(database.status(), "DISABLED");
        assert_eq!(database.entries(), 0);
    }
    database.assert_sound();
}

#[test]
fn enabling_and_disabling_go_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let database = Database::folder_without_jobs(folder.path());
        if round == 0 {
            database.create();
            (0..1000).for_each(|nth| database.put(&format!("item {nth}"), NOW_S + 1000));
        }
        database.switch(true);
        drop(database);
        let database = Database::folder(folder.path());
        database.wait("ENABLED");
        assert_eq!(database.entries(), 1000);
        database.assert_sound();
        drop(database);
        let database = Database::folder_without_jobs(folder.path());
        database.switch(false);
        drop(database);
        let database = Database::folder(folder.path());
        database.wait("DISABLED");
        assert_eq!(database.entries(), 0);
        database.assert_sound();
        database.advance_s(2000);
    }
    let database = Database::folder(folder.path());
    assert_eq!(database.names().len(), 1000, "nothing expires while it is disabled");
}

#[test]
fn index_of_a_deleted_table_is_removed() {
    let database = Database::memory();
    database.create();
    database.switch(true);
    database.wait("ENABLED");
    (0..10).for_each(|nth| database.put(&format!("item {nth}"), NOW_S));
    database.ok("DeleteTable", &json!({"TableName": "table"}));
    while database.entries() > 0 {
        thread::yield_now();
    }
    database.advance_s(10);
    database.assert_sound();
}

/// A view of a store that servers share may be of several moments, and show an item's entry before and after it moved.
#[test]
fn an_item_that_is_met_twice_is_removed_once() {
    let database = Database::without_jobs();
    database.create();
    database.switch(true);
    database.run_jobs();
    database.put("item", NOW_S + 5);
    database.put("other item", NOW_S + 1_000);
    let [entry, _] = &database.stored(&[0x21])[..] else { panic!("two items have an entry") };
    let mut moved = entry.0.clone();
    moved[5..13].copy_from_slice(&(NOW_S + 4).to_be_bytes());
    let store = database.engine.store().inner();
    block_on(store.commit(Vec::new(), |_, batch| batch.put(moved.clone(), Bytes::new()))).unwrap();
    database.advance_s(10);
    assert_eq!(database.names(), ["other item"]);
    let problems = database.report().problems;
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(
        (&problem.key, &*problem.what),
        (&moved, "an entry of the expiry index is of no item")
    );
}

/// Writers move the expiry of few items while time to live is switched on and off and items expire.
#[test]
fn index_is_true_under_writers() {
    let folder = tempfile::tempdir().unwrap();
    for database in [Database::memory(), Database::folder(folder.path())] {
        database.create();
        let is_running = AtomicBool::new(true);
        thread::scope(|scope| {
            for seed in 0..3 {
                let (database, is_running) = (&database, &is_running);
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    while is_running.load(Ordering::Acquire) {
                        let second = database.clock.now_ms() / 1000 + random.below(4) as u64;
                        database.put(&format!("item {}", random.below(30)), second);
                    }
                });
            }
            for _ in 0..10 {
                database.switch(true);
                database.wait("ENABLED");
                database.advance_s(2);
                database.switch(false);
                database.wait("DISABLED");
            }
            database.switch(true);
            database.wait("ENABLED");
            database.advance_s(2);
            is_running.store(false, Ordering::Release);
        });
        database.assert_sound();
        database.advance_s(10);
        assert_eq!(database.names(), Vec::<String>::new());
        database.assert_sound();
    }
}
