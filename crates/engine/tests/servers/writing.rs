//! Writes at one server while the other one changes the table: none follows an old definition after
//! the change.

use super::{creation, index_creation, put, two};
use hashrange_storage::{Store, block_on};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Lets a server write items, each once, until the other one has done its part. Returns how many.
fn while_writing(writer: &Database, change: impl FnOnce()) -> u64 {
    let (done, written) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                let nth = written.load(Ordering::Acquire);
                writer.ok("PutItem", &put("table", &format!("item {nth}")));
                written.fetch_add(1, Ordering::AcqRel);
            }
        });
        let wait_for = |count| {
            while written.load(Ordering::Acquire) < count {
                thread::yield_now();
            }
        };
        wait_for(50);
        change();
        wait_for(written.load(Ordering::Acquire) + 50);
        done.store(true, Ordering::Release);
    });
    written.load(Ordering::Acquire)
}

#[test]
fn an_index_added_at_one_server_holds_what_the_other_writes() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    let written = while_writing(&other, || {
        one.ok("UpdateTable", &index_creation("table"));
        one.run_jobs();
    });
    let scan = json!({"TableName": "table", "IndexName": "index", "Select": "COUNT"});
    assert_eq!(other.ok("Scan", &scan)["Count"], written);
    let described = other.ok("DescribeTable", &json!({"TableName": "table"}));
    let index = &described["Table"]["GlobalSecondaryIndexes"][0];
    assert_eq!(index["IndexStatus"], "ACTIVE");
    one.assert_sound();
}

/// What is stored when a server ends while it fills an index, see docs/format.md.
#[test]
fn a_claim_whose_owner_has_died_holds_up_nobody() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    for nth in 0..20 {
        one.ok("PutItem", &put("table", &format!("before {nth}")));
    }
    one.ok("UpdateTable", &index_creation("table"));
    let progress = vec![1, 9, 0, 0, 0, 1, 0, 1];
    let nothing_filled_all_claimed = [&[2, 0, 0, 0, 0][..], &[7; 16]].concat();
    let commit = other.engine.store().commit(vec![progress.clone()], |_, batch| {
        batch.put(progress.clone(), nothing_filled_all_claimed.clone().into());
    });
    block_on(commit).unwrap();
    other.ok("PutItem", &put("table", "after"));
    assert_eq!(other.stored(&progress)[0].1, [1], "the claim is gone, and nothing is filled");
    other.ok("DeleteItem", &json!({"TableName": "table", "Key": {"pk": {"S": "before 3"}}}));
    one.run_jobs();
    one.assert_sound();
    let described = other.ok("DescribeTable", &json!({"TableName": "table"}));
    assert_eq!(described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"], "ACTIVE");
    assert_eq!(described["Table"]["GlobalSecondaryIndexes"][0]["ItemCount"], 20);
    assert_eq!(other.stored(&progress), []);
}

#[test]
fn an_index_deleted_at_one_server_leaves_nothing_behind() {
    let [one, other] = two();
    let mut creation = creation("table", &["pk"]);
    creation["AttributeDefinitions"] = json!([
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "other", "AttributeType": "S"},
    ]);
    creation["GlobalSecondaryIndexes"] = json!([{
        "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}],
    }]);
    one.ok("CreateTable", &creation);
    while_writing(&other, || {
        let delete = json!([{"Delete": {"IndexName": "index"}}]);
        let request = json!({"TableName": "table", "GlobalSecondaryIndexUpdates": delete});
        one.ok("UpdateTable", &request);
        one.run_jobs();
    });
    one.assert_sound();
}

#[test]
fn a_stream_enabled_at_one_server_holds_what_the_other_writes() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    let mut arn = String::new();
    let mut before = 0;
    let written = while_writing(&other, || {
        let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        let request = json!({"TableName": "table", "StreamSpecification": stream});
        let answer = one.ok("UpdateTable", &request);
        before = one.ok("Scan", &json!({"TableName": "table"}))["Count"].as_u64().unwrap();
        arn.push_str(answer["TableDescription"]["LatestStreamArn"].as_str().unwrap());
    });
    let logged = records(&one, &arn);
    // What was there when the answer came may or may not have been written before the stream.
    assert!(logged >= written - before, "{logged} records, {written} items, {before} of before");
    one.assert_sound();
}

/// Returns the number of records in all shards of a stream.
fn records(database: &Database, arn: &str) -> u64 {
    let described = database.ok("DescribeStream", &json!({"StreamArn": arn}));
    let shards = described["StreamDescription"]["Shards"].as_array().unwrap();
    let count = |shard: &Json| {
        let request = json!({
            "StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON",
        });
        let iterator = database.ok("GetShardIterator", &request)["ShardIterator"].clone();
        let page = database.ok("GetRecords", &json!({"ShardIterator": iterator}));
        page["Records"].as_array().unwrap().len() as u64
    };
    shards.iter().map(count).sum()
}

#[test]
fn time_to_live_enabled_at_one_server_finds_what_the_other_writes() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    while_writing(&other, || {
        let ttl = json!({"Enabled": true, "AttributeName": "expires"});
        let request = json!({"TableName": "table", "TimeToLiveSpecification": ttl});
        one.ok("UpdateTimeToLive", &request);
        one.run_jobs();
    });
    one.assert_sound();
}
