//! Changes of definitions that fail or panic at any step are whole: what follows a change is done if
//! the change is, at once, by retries or after a restart.

use crate::database::{Database, index_creation, time_to_live};
use crate::failing::Fault;
use hashrange_engine::KeyTemplateDescription;
use hashrange_model::ApiError;
use hashrange_storage::block_on;
use serde_json::{Value as Json, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A change of a table's definition, and what is there when all that follows it is done.
struct Change {
    operation: &'static str,
    request: Json,
    prepare: fn(&Database),
    is_done: fn(&Database) -> bool,
}

impl Change {
    /// Makes the change, once for each of its steps, which fails or panics.
    fn assert_whole(&self) {
        for (fault, restarts) in
            Fault::ALL.into_iter().flat_map(|fault| [(fault, false), (fault, true)])
        {
            for steps in 0.. {
                let database = Database::new();
                database.create();
                (self.prepare)(&database);
                database.store().fail_after(steps, fault);
                let call = || database.call(self.operation, &self.request);
                let answer = catch_unwind(AssertUnwindSafe(call));
                if !database.store().has_failed() {
                    assert!(steps > 1, "the change has steps");
                    break;
                }
                let said_done = matches!(answer, Ok(Ok(_)));
                let at = format!("{} {fault:?} {restarts} {steps}", self.operation);
                self.settle(database, restarts, said_done, &at);
            }
        }
    }

    fn settle(&self, database: Database, restarts: bool, said_done: bool, at: &str) {
        let database = if restarts { database.reopened() } else { database };
        for ms in [0, 1000, 2000] {
            database.pass(ms);
            database.assert_sound();
        }
        if !(self.is_done)(&database) {
            assert!(!said_done, "{at}: answered, and not done");
            // Then it was not begun, and can be made.
            let again: Result<Json, ApiError> = database.call(self.operation, &self.request);
            assert!(again.is_ok(), "{at}: {again:?}");
            database.pass(0);
            assert!((self.is_done)(&database), "{at}: neither done nor undone");
        }
        database.assert_sound();
    }
}

fn enable_stream(database: &Database) {
    let asked = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    database.ok("UpdateTable", &json!({"TableName": "table", "StreamSpecification": asked}));
    let item = json!({"pk": {"S": "d"}});
    database.ok("PutItem", &json!({"TableName": "table", "Item": item}));
}

/// Returns whether the table's latest stream has been closed, all of it.
fn is_stream_closed(database: &Database) -> bool {
    let listed = database.ok("ListStreams", &json!({}));
    let arn = &listed["Streams"][0]["StreamArn"];
    let stream = database.ok("DescribeStream", &json!({"StreamArn": arn}));
    let stream = &stream["StreamDescription"];
    let shards = stream["Shards"].as_array().unwrap();
    let is_closed = |shard: &Json| shard["SequenceNumberRange"]["EndingSequenceNumber"].is_string();
    stream["StreamStatus"] == "DISABLED" && shards.iter().all(is_closed)
}

#[test]
fn deletion_of_a_table_is_whole() {
    Change {
        operation: "DeleteTable",
        request: json!({"TableName": "table"}),
        prepare: |database| {
            enable_stream(database);
            database.create_index();
            database.turn_time_to_live(true);
            database.pass(0);
        },
        is_done: |database| {
            let is_gone = database.call("DescribeTable", &json!({"TableName": "table"})).is_err();
            let is_empty = [&[0x02], &[0x03], &[0x10], &[0x21]]
                .iter()
                .all(|space| database.store().entries(*space).is_empty());
            let is_unmarked = database.store().entries(&[0x01, 0x03]).is_empty();
            is_gone && is_empty && is_unmarked && is_stream_closed(database)
        },
    }
    .assert_whole();
}

#[test]
fn disabling_of_a_stream_is_whole() {
    let off = json!({"StreamEnabled": false});
    Change {
        operation: "UpdateTable",
        request: json!({"TableName": "table", "StreamSpecification": off}),
        prepare: enable_stream,
        is_done: is_stream_closed,
    }
    .assert_whole();
}

#[test]
fn creation_of_an_index_is_whole() {
    Change {
        operation: "UpdateTable",
        request: index_creation("table"),
        prepare: |_| {},
        is_done: |database| {
            database.index_status() == "ACTIVE" && {
                let scan = json!({"TableName": "table", "IndexName": "index"});
                database.ok("Scan", &scan)["Count"] == 3
            }
        },
    }
    .assert_whole();
}

#[test]
fn deletion_of_an_index_is_whole() {
    Change {
        operation: "UpdateTable",
        request: json!({
            "TableName": "table",
            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "index"}}],
        }),
        prepare: |database| {
            database.create_index();
            database.pass(0);
        },
        is_done: |database| {
            let entries = database.store().entries(&[0x10, 0, 0, 0, 1, 0, 1]);
            let is_unmarked = database.store().entries(&[0x01, 0x03]).is_empty();
            database.index_status() == Json::Null && entries.is_empty() && is_unmarked
        },
    }
    .assert_whole();
}

#[test]
fn declarations_of_key_templates_are_whole() {
    Change {
        operation: "PutKeyTemplate",
        request: json!({"Template": "owns other = 'X#{pk}'"}),
        prepare: |database| {
            database.create_index();
            database.pass(0);
        },
        is_done: |database| {
            let scan = json!({"TableName": "table", "IndexName": "index"});
            let found = database.ok("Scan", &scan);
            let is_derived = |item: &Json| {
                let (other, pk) = (item["other"]["S"].as_str(), item["pk"]["S"].as_str());
                other == pk.map(|pk| format!("X#{pk}")).as_deref()
            };
            let described = database.engine.describe_key_templates("table");
            let is_active = |it: &KeyTemplateDescription| it.rewriting.is_none();
            let is_unmarked = database.store().entries(&[0x01, 0x0d]).is_empty();
            found["Count"] == 3
                && found["Items"].as_array().unwrap().iter().all(is_derived)
                && block_on(described).unwrap().iter().all(is_active)
                && is_unmarked
        },
    }
    .assert_whole();
}

/// A template that is put while items are rewritten by another one, however far that is, rewrites them all.
#[test]
fn a_key_template_that_follows_another_begins_again() {
    // More than a page of the walk.
    let names: Vec<String> = (0..70).map(|nth| format!("{nth}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let put = |database: &Database, text: &str| {
        database.ok("PutKeyTemplate", &json!({"Template": text}));
    };
    let mut was_under_way = false;
    for steps in 0.. {
        let database = Database::new();
        database.create_named("table", &names);
        database.create_index();
        database.pass(0);
        put(&database, "owns other = 'X#{pk}'");
        database.store().fail_after(steps, Fault::Full);
        database.pass(0);
        if !database.store().has_failed() {
            break;
        }
        let is_under_way =
            |database: &Database| !database.store().entries(&[0x01, 0x0d]).is_empty();
        was_under_way |= is_under_way(&database);
        put(&database, "owns other = 'Y#{pk}'");
        database.pass(0);
        database.pass(1000);
        let found = database.ok("Scan", &json!({"TableName": "table", "IndexName": "index"}));
        let items = found["Items"].as_array().unwrap();
        assert_eq!(items.len(), names.len(), "{steps}");
        assert!(
            items.iter().all(|it| it["other"]["S"].as_str().unwrap().starts_with("Y#")),
            "{steps}"
        );
        assert!(!is_under_way(&database), "{steps}");
        database.assert_sound();
    }
    assert!(was_under_way, "some step is between two pages");
}

#[test]
fn changes_of_time_to_live_are_whole() {
    Change {
        operation: "UpdateTimeToLive",
        request: time_to_live("table", true),
        prepare: |_| {},
        is_done: |database| {
            let entries = database.store().entries(&[0x21]);
            database.time_to_live_status() == "ENABLED" && entries.len() == 3
        },
    }
    .assert_whole();
    Change {
        operation: "UpdateTimeToLive",
        request: time_to_live("table", false),
        prepare: |database| {
            database.turn_time_to_live(true);
            database.pass(0);
        },
        is_done: |database| {
            let entries = database.store().entries(&[0x21]);
            database.time_to_live_status() == "DISABLED" && entries.is_empty()
        },
    }
    .assert_whole();
}

/// The succession of shards is made by a sweep, not by a request.
#[test]
fn succession_of_shards_is_whole() {
    const FOUR_HOURS_MS: u64 = 4 * 60 * 60 * 1000;
    for (fault, restarts) in
        Fault::ALL.into_iter().flat_map(|fault| [(fault, false), (fault, true)])
    {
        for steps in 0.. {
            let database = Database::new();
            database.create();
            enable_stream(&database);
            database.store().fail_after(steps, fault);
            database.pass(FOUR_HOURS_MS);
            if !database.store().has_failed() {
                assert!(steps > 3, "the succession has steps");
                break;
            }
            let database = if restarts { database.reopened() } else { database };
            database.pass(1000);
            database.pass(1000);
            database.assert_sound();
            let listed = database.ok("ListStreams", &json!({}));
            let arn = &listed["Streams"][0]["StreamArn"];
            let stream = database.ok("DescribeStream", &json!({"StreamArn": arn}));
            let shards = stream["StreamDescription"]["Shards"].as_array().unwrap();
            let closed = shards
                .iter()
                .filter(|shard| shard["SequenceNumberRange"]["EndingSequenceNumber"].is_string());
            assert_eq!((shards.len(), closed.count()), (8, 4), "{fault:?} {restarts} {steps}");
        }
    }
}
