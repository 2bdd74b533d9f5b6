//! What one server does to a table is true for the others at once.

use super::{creation, get, put, two};
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
fn one_of_two_servers_creates_a_name() {
    for _ in 0..20 {
        let servers = two();
        let created = thread::scope(|scope| {
            let create = |server| {
                scope.spawn(move || -> Result<Json, _> {
                    let server: &hashrange_testkit::database::Database = server;
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
