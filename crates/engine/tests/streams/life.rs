//! What becomes of shards, records and streams as time passes.

use super::consumer::{Consumer, contents};
use super::{Database, HOUR_MS};
use hashrange_engine::EngineOptions;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

fn ids(shards: &[Json], is_open: bool) -> BTreeSet<String> {
    let is_chosen = |shard: &&Json| {
        shard["SequenceNumberRange"].get("EndingSequenceNumber").is_none() == is_open
    };
    shards.iter().filter(is_chosen).map(|shard| text(&shard["ShardId"])).collect()
}

fn text(value: &Json) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn shards_are_closed_and_succeeded_by_children_after_their_period() {
    let database = Database::memory();
    let arn = database.create("table");
    let first = ids(&database.shards(&arn), true);
    assert_eq!(first.len(), 4);
    database.advance(4 * HOUR_MS - 1);
    assert_eq!(ids(&database.shards(&arn), true), first);
    database.advance(1);
    let shards = database.shards(&arn);
    assert_eq!(ids(&shards, false), first);
    let children: Vec<_> =
        shards.iter().filter(|shard| shard["ParentShardId"].is_string()).collect();
    let parents: BTreeSet<_> = children.iter().map(|shard| text(&shard["ParentShardId"])).collect();
    assert_eq!((children.len(), parents), (4, first.clone()));
    for parent in &first {
        let filter = json!({"Type": "CHILD_SHARDS", "ShardId": parent});
        let described =
            database.ok("DescribeStream", &json!({"StreamArn": arn, "ShardFilter": filter}));
        let found = described["StreamDescription"]["Shards"].as_array().unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(text(&found[0]["ParentShardId"]), *parent);
    }
}

#[test]
fn description_comes_in_pages_of_shards() {
    let database = Database::memory();
    let arn = database.create("table");
    database.advance(4 * HOUR_MS);
    let mut found = Vec::new();
    let mut request = json!({"StreamArn": arn, "Limit": 3});
    loop {
        let page = database.ok("DescribeStream", &request)["StreamDescription"].clone();
        found.extend(page["Shards"].as_array().unwrap().clone());
        match page.get("LastEvaluatedShardId") {
            None => break,
            Some(last) => request["ExclusiveStartShardId"] = last.clone(),
        }
    }
    assert_eq!(found, database.shards(&arn));
}

#[test]
fn records_go_after_a_day_and_readers_are_told() {
    let database = Database::memory();
    let arn = database.create("table");
    let shards = database.shards(&arn);
    let mut early = Vec::new();
    for nth in 0..20 {
        database.put("table", &format!("item {nth}"), 1);
    }
    for shard in &shards {
        let records =
            database.records(&database.iterator(&arn, &text(&shard["ShardId"]), "TRIM_HORIZON"));
        let numbers = records["Records"].as_array().unwrap().iter();
        early.extend(
            numbers.map(|record| {
                (text(&shard["ShardId"]), text(&record["dynamodb"]["SequenceNumber"]))
            }),
        );
    }
    assert_eq!(early.len(), 20);
    // An iterator that is still valid when its records go.
    database.advance(24 * HOUR_MS - 10 * 60 * 1000);
    let old = database.iterator(&arn, &early[0].0, "TRIM_HORIZON");
    assert!(!database.records(&old)["Records"].as_array().unwrap().is_empty());
    database.advance(10 * 60 * 1000);
    let trimmed = "TrimmedDataAccessException: The data you are trying to access has been trimmed";
    assert_eq!(database.fails("GetRecords", &json!({"ShardIterator": old})), trimmed);
    for (shard, number) in &early {
        for kind in ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"] {
            let request = json!({
                "StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind,
                "SequenceNumber": number,
            });
            assert_eq!(database.fails("GetShardIterator", &request), trimmed);
        }
        assert_eq!(
            database.records(&database.iterator(&arn, shard, "TRIM_HORIZON")),
            json!({"Records": []})
        );
    }
    database.assert_sound();
    // The shards of that time were closed when the first period after it ended, a day ago soon.
    database.advance(24 * HOUR_MS);
    let known = ids(&database.shards(&arn), false);
    assert!(early.iter().all(|(shard, _)| !known.contains(shard)), "{known:?}");
    database.assert_sound();
}

#[test]
fn an_open_shard_whose_records_are_gone_is_still_read_from_its_end() {
    let options = EngineOptions {
        stream_shards: 1,
        stream_shard_period_ms: u64::MAX,
        ..EngineOptions::default()
    };
    let database = Database::memory_with(options);
    let arn = database.create("table");
    let shard = text(&database.shards(&arn)[0]["ShardId"]);
    (0..10).for_each(|nth| database.put("table", "a", nth));
    let page = database.records(&database.iterator(&arn, &shard, "TRIM_HORIZON"));
    let last = page["Records"][9]["dynamodb"]["SequenceNumber"].clone();
    database.advance(24 * HOUR_MS);
    let latest = database.iterator(&arn, &shard, "LATEST");
    let oldest = database.iterator(&arn, &shard, "TRIM_HORIZON");
    database.put("table", "a", 10);
    for iterator in [latest, oldest] {
        assert_eq!(database.records(&iterator)["Records"].as_array().unwrap().len(), 1);
    }
    let after = json!({
        "StreamArn": arn, "ShardId": shard, "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
        "SequenceNumber": last,
    });
    assert!(database.fails("GetShardIterator", &after).starts_with("TrimmedDataAccessException"));
    database.assert_sound();
}

#[test]
fn iterator_expires_after_15_minutes_and_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path());
    let arn = database.create("table");
    database.put("table", "a", 1);
    let iterators: Vec<_> = database
        .shards(&arn)
        .iter()
        .map(|shard| database.iterator(&arn, &text(&shard["ShardId"]), "TRIM_HORIZON"))
        .collect();
    drop(database);
    let database = Database::folder(folder.path());
    let count = |iterator: &String| database.records(iterator)["Records"].as_array().unwrap().len();
    assert_eq!(iterators.iter().map(count).sum::<usize>(), 1);
    database.advance(15 * 60 * 1000);
    assert_eq!(iterators.iter().map(count).sum::<usize>(), 1);
    database.advance(1);
    assert_eq!(
        database.fails("GetRecords", &json!({"ShardIterator": iterators[0]})),
        "ExpiredIteratorException: The provided iterator exceeds the maximum age allowed"
    );
}

#[test]
fn iterator_at_a_time_begins_with_the_first_record_of_it() {
    let database = Database::memory();
    let arn = database.create("table");
    for second in 0..10 {
        database.put("table", "a", second);
        database.advance(1000);
    }
    let start = hashrange_testkit::environment::NOW_MS / 1000;
    for (after, expected) in [(0, 10), (1, 9), (9, 1), (10, 0)] {
        let found: usize = database
            .shards(&arn)
            .iter()
            .map(|shard| {
                let request = json!({
                    "StreamArn": arn, "ShardId": shard["ShardId"],
                    "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": start + after,
                });
                let iterator = text(&database.ok("GetShardIterator", &request)["ShardIterator"]);
                database.records(&iterator)["Records"].as_array().unwrap().len()
            })
            .sum();
        assert_eq!(found, expected, "{after}");
    }
}

/// A stream that is disabled and one whose table is deleted stay for a day, also over a restart;
/// a table of the same name begins a stream of its own.
#[test]
fn ended_streams_are_readable_for_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path());
    let (disabled, deleted) = (database.create("table"), database.create("deleted"));
    for table in ["table", "deleted"] {
        (0..10).for_each(|nth| database.put(table, &format!("item {nth}"), nth));
    }
    let expected = contents(&database, "table");
    let off = json!({"TableName": "table", "StreamSpecification": {"StreamEnabled": false}});
    database.ok("UpdateTable", &off);
    database.put("table", "unseen", 1);
    database.ok("DeleteTable", &json!({"TableName": "deleted"}));
    let again = database.create("deleted");
    assert_ne!(again, deleted);
    database.put("deleted", "other", 1);
    drop(database);
    let database = Database::folder(folder.path());
    for arn in [&disabled, &deleted] {
        let described = database.ok("DescribeStream", &json!({"StreamArn": arn}));
        assert_eq!(described["StreamDescription"]["StreamStatus"], "DISABLED");
        assert!(ids(&database.shards(arn), true).is_empty(), "all shards are closed");
        let mut consumer = Consumer::default();
        consumer.catch_up(&database, arn);
        assert_eq!(consumer.copy, expected);
    }
    let listed = database.ok("ListStreams", &json!({"TableName": "deleted"}));
    assert_eq!(listed["Streams"].as_array().unwrap().len(), 2);
    database.assert_sound();
    database.advance(24 * HOUR_MS);
    let listed = database.ok("ListStreams", &json!({}));
    let arns: Vec<_> =
        listed["Streams"].as_array().unwrap().iter().map(|one| text(&one["StreamArn"])).collect();
    assert_eq!(arns, [again]);
    assert_eq!(
        database.fails("DescribeStream", &json!({"StreamArn": disabled})),
        format!(
            "ResourceNotFoundException: Requested resource not found: Stream: {disabled} not found"
        )
    );
    database.assert_sound();
}

#[test]
fn more_records_than_one_commit_removes_are_removed() {
    let database = Database::memory();
    database.create("table");
    for nth in 0..2500 {
        database.put("table", "a", nth);
    }
    database.advance(28 * HOUR_MS);
    database.advance(24 * HOUR_MS);
    assert_eq!(database.stored_records(), 0);
}

#[test]
fn records_are_removed_within_a_minute_of_their_day() {
    let database = Database::memory();
    database.create("table");
    database.put("table", "a", 1);
    database.advance(24 * HOUR_MS - 1);
    assert_eq!(database.stored_records(), 1);
    database.advance(60 * 1000);
    assert_eq!(database.stored_records(), 0);
}

/// Sources: API reference, GetRecords: up to 1 MB or 1000 records.
#[test]
fn a_page_holds_a_mebibyte() {
    let options = EngineOptions { stream_shards: 1, ..EngineOptions::default() };
    let database = Database::memory_with(options);
    let arn = database.create("table");
    for (nth, size) in [300, 300, 300, 399, 399].into_iter().enumerate() {
        let value = "v".repeat(size * 1024);
        let item = json!({"pk": {"S": format!("item {nth}")}, "value": {"S": value}});
        database.ok("PutItem", &json!({"TableName": "table", "Item": item}));
    }
    let shard = text(&database.shards(&arn)[0]["ShardId"]);
    let mut iterator = database.iterator(&arn, &shard, "TRIM_HORIZON");
    for count in [3, 2, 0] {
        let page = database.records(&iterator);
        assert_eq!(page["Records"].as_array().unwrap().len(), count);
        iterator = text(&page["NextShardIterator"]);
    }
}

#[test]
fn a_provisioned_table_has_a_shard_for_each_partition_that_its_units_need() {
    let database = Database::memory();
    for (name, read, write, shards) in
        [("one", 3000, 1000, 1), ("two", 3001, 1, 2), ("four", 5, 9000, 4)]
    {
        let units = json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write});
        let arn = database.create_with(name, "ProvisionedThroughput", units);
        assert_eq!(database.shards(&arn).len(), shards, "{name}");
    }
}
