//! Everything that depends on time follows the clock of a sandbox; nothing that a client has seen comes
//! again after the state was put back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::{Operation, Options, Profile, Sandbox};
use hashrange_storage::block_on;
use serde_json::{Value, json};
use std::time::Duration;

fn call(sandbox: &Sandbox, operation: Operation, request: &Value) -> Value {
    let database = sandbox.database();
    let answer = block_on(database.call(operation, request.to_string().as_bytes())).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

/// Stops the clock, so that nothing happens but by its steps.
fn stopped(options: &Options) -> Sandbox {
    let sandbox = Sandbox::memory(options);
    sandbox.clock().stop();
    sandbox
}

fn step(sandbox: &Sandbox, by: Duration) {
    sandbox.clock().advance(by).unwrap();
    block_on(sandbox.catch_up_with_clock());
}

fn create(sandbox: &Sandbox) -> String {
    let table = json!({"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}});
    let created = call(sandbox, Operation::CreateTable, &table);
    created["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned()
}

fn put(sandbox: &Sandbox, key: &str) {
    call(sandbox, Operation::PutItem, &json!({"TableName": "music", "Item": {"pk": {"S": key}}}));
}

/// Returns the keys and sequence numbers of all records of a stream.
fn records(sandbox: &Sandbox, arn: &str) -> Vec<(String, String)> {
    let described = call(sandbox, Operation::DescribeStream, &json!({"StreamArn": arn}));
    let mut found = Vec::new();
    for shard in described["StreamDescription"]["Shards"].as_array().unwrap() {
        let start = json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = call(sandbox, Operation::GetShardIterator, &start);
        let page = call(sandbox, Operation::GetRecords, &iterator);
        for record in page["Records"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let change = &record["dynamodb"];
            found.push((text(&change["Keys"]["pk"]["S"]), text(&change["SequenceNumber"])));
        }
    }
    found
}

#[test]
fn records_of_streams_are_trimmed_after_a_day_of_the_clock() {
    let sandbox = stopped(&Options::default());
    let arn = create(&sandbox);
    put(&sandbox, "first");
    step(&sandbox, Duration::from_secs(86_390));
    put(&sandbox, "second");
    // The logs were looked through ten seconds ago.
    step(&sandbox, Duration::from_secs(11));
    let keys: Vec<_> = records(&sandbox, &arn).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["second"]);
}

#[test]
fn records_that_follow_a_restore_have_greater_numbers_than_all_before() {
    let sandbox = stopped(&Options::default());
    let arn = create(&sandbox);
    put(&sandbox, "saved");
    sandbox.save("a").unwrap();
    put(&sandbox, "undone");
    let newest = records(&sandbox, &arn).into_iter().map(|(_, number)| number).max().unwrap();
    sandbox.restore("a").unwrap();
    put(&sandbox, "after");
    let mut again = records(&sandbox, &arn);
    again.sort_by(|one, other| one.1.cmp(&other.1));
    let keys: Vec<_> = again.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["saved", "after"]);
    assert!(again[1].1 > newest, "{} is not after {newest}", again[1].1);
}

#[test]
fn delays_of_a_profile_end_when_the_clock_has_passed_them() {
    let options =
        Options { profile: Profile::Aws, table_delay_ms: Some(3_600_000), ..Options::default() };
    let sandbox = stopped(&options);
    create(&sandbox);
    let status = || {
        let described = call(&sandbox, Operation::DescribeTable, &json!({"TableName": "music"}));
        described["Table"]["TableStatus"].as_str().unwrap().to_owned()
    };
    assert_eq!(status(), "CREATING");
    step(&sandbox, Duration::from_secs(3_599));
    assert_eq!(status(), "CREATING");
    step(&sandbox, Duration::from_secs(1));
    assert_eq!(status(), "ACTIVE");
}

/// Writers go on while the state is put back again and again: none is refused, each ends on one state.
#[test]
fn requests_beside_a_reset_are_answered() {
    let seed = Sandbox::memory(&Options::default());
    create(&seed);
    let sandbox = Sandbox::of_database(&seed.database(), &Options::default()).unwrap();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let sandbox = &sandbox;
                scope.spawn(move || {
                    for nth in 0..300 {
                        put(sandbox, &format!("{writer}-{nth}"));
                    }
                })
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            sandbox.reset().unwrap();
        }
    });
    sandbox.reset().unwrap();
    let count = call(&sandbox, Operation::Scan, &json!({"TableName": "music", "Select": "COUNT"}));
    assert_eq!(count["Count"], 0);
    assert_eq!(sandbox.background_panics(), 0);
}
