//! What one server does to a table is true for the others at once.

use super::{creation, get, put, two};
use hashrange_engine::EngineOptions;
use hashrange_storage::{Bytes, Store, block_on};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};
use std::thread;

const NOT_FOUND: &str = "ResourceNotFoundException: ";

#[test]
fn a_table_created_at_one_server_is_used_at_the_other() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    other.ok("PutItem", &put("table", "a"));
    assert_eq!(one.ok("GetItem", &get("table", "a"))["Item"]["pk"]["S"], "a");
    one.ok("CreateTable", &creation("another", &["pk"]));
    assert_eq!(other.ok("ListTables", &json!({}))["TableNames"], json!(["another", "table"]));
    let described = other.ok("DescribeTable", &json!({"TableName": "another"}));
    assert_eq!(described["Table"]["TableStatus"], "ACTIVE");
    one.ok("CreateTable", &creation("third", &["pk"]));
    assert_eq!(other.ok("Scan", &json!({"TableName": "third"}))["Count"], 0);
}

#[test]
fn the_key_of_an_encryption_is_the_same_for_all() {
    let of_account = "arn:aws:kms:us-east-1:314159265358:alias/aws/dynamodb";
    let named = "arn:aws:kms:us-east-1:000000000000:key/1";
    let asked = [
        (json!({"Enabled": false}), Json::Null),
        (json!({"Enabled": true}), json!(of_account)),
        (json!({"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": named}), json!(named)),
    ];
    let [one, other] = two();
    for (nth, (encryption, key)) in asked.iter().enumerate() {
        let table = format!("table{nth}");
        let mut request = creation(&table, &["pk"]);
        request["SSESpecification"] = encryption.clone();
        one.ok("CreateTable", &request);
        for server in [&one, &other] {
            let described = server.ok("DescribeTable", &json!({"TableName": table}));
            assert_eq!(described["Table"]["SSEDescription"]["KMSMasterKeyArn"], *key);
        }
    }
}

#[test]
fn one_of_two_servers_creates_a_name() {
    for _ in 0..20 {
        let servers = two();
        let created = thread::scope(|scope| {
            let create = |server| {
                scope.spawn(move || -> Result<Json, _> {
                    let server: &Database = server;
                    server.call("CreateTable", &creation("table", &["pk"]))
                })
            };
            servers.each_ref().map(create).map(|created| created.join().unwrap())
        });
        let refused: Vec<_> = created.into_iter().filter_map(Result::err).collect();
        let [refused] = &refused[..] else { panic!("both were created or none: {refused:?}") };
        let words = "ResourceInUseException: Table already exists: table";
        assert!(refused.to_string().starts_with(words), "{refused}");
        for server in &servers {
            server.ok("PutItem", &put("table", "a"));
            server.assert_sound();
        }
    }
}

#[test]
fn a_table_deleted_at_one_server_is_gone_at_the_other() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    other.ok("PutItem", &put("table", "a"));
    one.ok("DeleteTable", &json!({"TableName": "table"}));
    for (operation, request) in [
        ("PutItem", put("table", "b")),
        ("GetItem", get("table", "a")),
        ("Scan", json!({"TableName": "table"})),
        ("DescribeTable", json!({"TableName": "table"})),
        ("DeleteTable", json!({"TableName": "table"})),
    ] {
        let error = other.fails(operation, &request);
        assert!(error.starts_with(NOT_FOUND), "{operation}: {error}");
    }
    assert_eq!(other.ok("ListTables", &json!({}))["TableNames"], json!([]));
    one.run_jobs();
    one.assert_sound();
}

#[test]
fn a_table_made_anew_has_nothing_of_the_old_one() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    other.ok("PutItem", &put("table", "a"));
    one.ok("DeleteTable", &json!({"TableName": "table"}));
    one.ok("CreateTable", &creation("table", &["other"]));
    assert_eq!(other.ok("Scan", &json!({"TableName": "table"}))["Count"], 0);
    let error = other.fails("GetItem", &get("table", "a"));
    assert!(error.starts_with("ValidationException: "), "{error}");
    other.ok("PutItem", &put("table", "b"));
    one.run_jobs();
    one.assert_sound();
    assert_eq!(one.ok("Scan", &json!({"TableName": "table"}))["Count"], 1);
}

/// The change may have been made or not. Whichever it was, all servers agree on it, and so does what is
/// stored; whoever asks again is told.
#[test]
fn a_change_whose_answer_was_lost_was_made_for_all_or_for_none() {
    let options = EngineOptions { jobs_run: false, ..EngineOptions::default() };
    let servers = Database::sharing_badly(2, &options, 30);
    let (mut lost, mut made) = (0, 0);
    for round in 0..60 {
        let (one, other) = (&servers[round % 2], &servers[1 - round % 2]);
        let exists = |server: &Database| {
            let described = server.call("DescribeTable", &json!({"TableName": "table"}));
            described.is_ok_and(|answer| answer["Table"]["TableStatus"] == "ACTIVE")
        };
        let existed = exists(one);
        let mut creation = creation("table", &["pk"]);
        let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        creation["StreamSpecification"] = stream;
        let answer = if existed {
            one.call("DeleteTable", &json!({"TableName": "table"}))
        } else {
            one.call("CreateTable", &creation)
        };
        match answer {
            Ok(_) => assert_ne!(exists(one), existed, "round {round}: it was made"),
            Err(error) => {
                assert!(error.to_string().starts_with("InternalServerError"), "{error}");
                lost += 1;
                made += usize::from(exists(one) != existed);
            }
        }
        assert_eq!(exists(one), exists(other), "round {round}");
    }
    assert!(
        made > 2 && lost > made + 2,
        "{lost} answers were lost, {made} of changes that were made"
    );
    for _ in 0..40 {
        for server in &servers {
            server.clock.advance_ms(60_000);
            server.engine.sweep();
            server.run_jobs();
        }
    }
    assert_eq!(servers[0].stored(&[1, 3]), [], "what was deleted is purged");
    servers[0].assert_sound();
}

/// Each change is made to what the other server has left, whatever this one remembers.
#[test]
fn changes_of_one_table_from_two_servers_are_all_kept() {
    let servers = two();
    servers[0].ok("CreateTable", &creation("table", &["pk"]));
    let arn = servers[1].ok("DescribeTable", &json!({"TableName": "table"}))["Table"]["TableArn"]
        .as_str()
        .unwrap()
        .to_owned();
    for round in 0..10 {
        let tag = json!({"Key": round.to_string(), "Value": "x"});
        servers[round % 2].ok("TagResource", &json!({"ResourceArn": arn, "Tags": [tag]}));
    }
    for server in &servers {
        let tags = server.ok("ListTagsOfResource", &json!({"ResourceArn": arn}));
        assert_eq!(tags["Tags"].as_array().unwrap().len(), 10);
    }
}

/// Reads and writes that no change precedes do not ask for changes by a commit or read of their own.
#[test]
fn operations_on_old_tables_run_again_on_the_new_ones() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    for round in 0..10 {
        // Each time the other server has yet to hear of the table.
        let table = format!("table-{round}");
        one.ok("CreateTable", &creation(&table, &["pk"]));
        let writes = [
            ("PutItem", put(&table, "a")),
            ("DeleteItem", json!({"TableName": table, "Key": {"pk": {"S": "b"}}})),
            ("UpdateItem", json!({"TableName": table, "Key": {"pk": {"S": "a"}}})),
            ("GetItem", get(&table, "a")),
            ("Scan", json!({"TableName": table})),
            ("BatchGetItem", json!({"RequestItems": {&table: {"Keys": [{"pk": {"S": "a"}}]}}})),
        ];
        let (operation, request) = &writes[round % writes.len()];
        other.ok(operation, request);
        one.ok("DeleteTable", &json!({"TableName": table}));
        let error = other.fails(operation, request);
        assert!(error.starts_with(NOT_FOUND), "{operation}: {error}");
    }
}

/// Whoever has not looked for longer than what has changed is listed reads all tables; whoever has looked reads those that
/// have changed.
#[test]
fn whoever_looks_again_finds_all_changes_however_many_there_were() {
    let [one, other] = two();
    for (from, to) in [(0, 3), (3, 4), (4, 5), (5, 300), (300, 301)] {
        for nth in from..to {
            one.ok("CreateTable", &creation(&format!("table{nth:03}"), &["pk"]));
        }
        let last = format!("table{:03}", to - 1);
        let start = json!({"ExclusiveStartTableName": "table000", "Limit": 100});
        let described = other.ok("DescribeTable", &json!({"TableName": last}));
        assert_eq!(described["Table"]["TableName"], last);
        let names = other.ok("ListTables", &start);
        assert_eq!(names["TableNames"].as_array().unwrap().len(), (to - 1).min(100));
        other.ok("PutItem", &put("table000", "a"));
        other.ok("PutItem", &put(&last, "a"));
        one.ok("DeleteTable", &json!({"TableName": "table001"}));
        one.ok("CreateTable", &creation("table001", &["pk", "other"]));
        let described = other.ok("DescribeTable", &json!({"TableName": "table001"}));
        assert_eq!(described["Table"]["KeySchema"].as_array().unwrap().len(), 2);
        other.ok("DeleteTable", &json!({"TableName": "table001"}));
        one.ok("CreateTable", &creation("table001", &["pk"]));
    }
    one.run_jobs();
    one.assert_sound();
}

/// A program that knows nothing of the list of changed tables raises the number alone.
#[test]
fn a_change_that_is_not_listed_is_found_and_so_are_those_after_it() {
    let [one, other] = two();
    one.ok("CreateTable", &creation("table", &["pk"]));
    other.ok("PutItem", &put("table", "a"));
    for round in 0_u64..3 {
        // Changes a table's record, at the next number.
        let (number, record) = (vec![1, 8], vec![1, 1, 0, 0, 0, 1]);
        let keys = vec![number.clone(), record.clone()];
        let changed = block_on(one.engine.store().commit(keys, |values, batch| {
            // The store may show older states first.
            let [Some(stored), Some(table)] = values else { return };
            let next = u64::from_le_bytes(stored[..].try_into().unwrap()) + 1;
            batch.put(number.clone(), Bytes::copy_from_slice(&next.to_le_bytes()));
            let mut json: Json = serde_json::from_slice(table).unwrap();
            json["protected"] = json!(round % 2 == 0);
            batch.put(record.clone(), Bytes::from(serde_json::to_vec(&json).unwrap()));
        }));
        changed.unwrap();
        for server in [&other, &one] {
            let described = server.ok("DescribeTable", &json!({"TableName": "table"}));
            let is_protected = &described["Table"]["DeletionProtectionEnabled"];
            assert_eq!(*is_protected, round % 2 == 0);
        }
        one.ok("CreateTable", &creation(&format!("listed{round}"), &["pk"]));
        other.ok("PutItem", &put(&format!("listed{round}"), "a"));
    }
    one.assert_sound();
}
