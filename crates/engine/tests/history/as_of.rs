//! What reads of a table as it was answer and refuse.

use super::{
    as_of, check, create, delete, describe, enable, get, item, memory, n_as_of, put, stored,
};
use hashrange_engine::Mode;
use hashrange_model::ValueRef;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use serde_json::{Value as Json, json};

/// Returns a database in which `a` was 0 before the history began, then 1, gone, and 3, at intervals of a
/// second, and `b` came last.
fn changed() -> Database {
    let database = memory();
    create(&database);
    put(&database, "a", 0);
    enable(&database, None);
    for n in [1, 2, 3] {
        database.clock.advance_ms(1000);
        if n == 2 { delete(&database, "a") } else { put(&database, "a", n) }
    }
    database.clock.advance_ms(1000);
    put(&database, "b", 4);
    database.clock.advance_ms(1000);
    database
}

fn ns(answer: &Json) -> String {
    let items = answer["Items"].as_array().unwrap().iter();
    items.map(|item| item["n"]["N"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_item_is_read_as_it_was() {
    let database = changed();
    for (after_ms, a, b) in [
        (0, "0", "-"),
        (999, "0", "-"),
        (1000, "1", "-"),
        (2000, "-", "-"),
        (2999, "-", "-"),
        (3000, "3", "-"),
        (4000, "3", "4"),
        (5000, "3", "4"),
    ] {
        assert_eq!(n_as_of(&database, "a", NOW_MS + after_ms), a, "{after_ms}");
        assert_eq!(n_as_of(&database, "b", NOW_MS + after_ms), b, "{after_ms}");
    }
    assert_eq!(stored(&database), [4, 4, 2]);
    check(&database);
}

#[test]
fn every_way_to_read_reads_the_past() {
    let database = changed();
    let table = as_of(NOW_MS + 1500);
    let condition = json!({
        "TableName": table, "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    });
    assert_eq!(ns(&database.ok("Query", &condition)), "1");
    assert_eq!(ns(&database.ok("Scan", &json!({"TableName": table}))), "1");
    let key = json!({"pk": {"S": "p"}, "sk": {"S": "a"}});
    let batch = json!({"RequestItems": {
        table.clone(): {"Keys": [key]}, "orders": {"Keys": [key]}, as_of(NOW_MS + 2000): {"Keys": [key]},
    }});
    let responses = &database.ok("BatchGetItem", &batch)["Responses"];
    assert_eq!(responses[&table], json!([item("a", 1)]));
    assert_eq!(responses["orders"], json!([item("a", 3)]));
    assert_eq!(responses[&as_of(NOW_MS + 2000)], json!([]));
    let gets = json!({"TransactItems": [
        {"Get": {"TableName": table, "Key": key}},
        {"Get": {"TableName": "orders", "Key": {"pk": {"S": "p"}, "sk": {"S": "b"}}}},
    ]});
    let responses = &database.ok("TransactGetItems", &gets)["Responses"];
    assert_eq!(responses, &json!([{"Item": item("a", 1)}, {"Item": item("b", 4)}]));
    for clause in ["", "WHERE pk = 'p' AND sk = 'a'", "WHERE pk = 'p' AND n < 5"] {
        let statement = format!("SELECT * FROM \"{table}\" {clause}");
        let answer = database.ok("ExecuteStatement", &json!({"Statement": statement}));
        assert_eq!(ns(&answer), "1", "{statement}");
    }
    let statement = format!("SELECT * FROM \"{table}\" WHERE pk = 'p' AND sk = 'a'");
    let batch = json!({"Statements": [{"Statement": statement}]});
    let answer = database.ok("BatchExecuteStatement", &batch);
    assert_eq!(answer["Responses"][0]["Item"], item("a", 1));
    let batch = json!({"TransactStatements": [{"Statement": statement}]});
    let answer = database.ok("ExecuteTransaction", &batch);
    assert_eq!(answer["Responses"][0]["Item"], item("a", 1));
    let explained = database.explain("Query", condition.to_string().as_bytes(), Mode::Analyze);
    assert!(explained.unwrap().text().contains('1'));
}

#[test]
fn a_moment_is_written_in_several_forms() {
    let database = changed();
    for name in ["20260101T000001Z", "20260101T000001.000Z", "1767225601", "1767225601000"] {
        let answer = database.ok("GetItem", &get(&format!("orders.asof.{name}"), "a"));
        assert_eq!(answer["Item"], item("a", 1), "{name}");
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let database = changed();
    let refused = |table: &str| database.fails("GetItem", &get(table, "a"));
    assert_eq!(
        refused(&as_of(NOW_MS - 2)),
        "ValidationException: The history of the table orders reaches back to \
         2025-12-31T23:59:59.999Z, and 2025-12-31T23:59:59.998Z is before that"
    );
    assert_eq!(
        refused(&as_of(NOW_MS + 6000)),
        "ValidationException: 2026-01-01T00:00:06.000Z is in the future: it is \
         2026-01-01T00:00:05.000Z"
    );
    assert_eq!(
        refused("orders.asof.noon"),
        "ValidationException: \"noon\" is no moment: write 20261121T100000Z, \
         20261121T100000.250Z or seconds since 1970"
    );
    for missing in ["order.asof.20260101T000001Z", "order.history", "orders.as.of"] {
        assert!(refused(missing).starts_with("ResourceNotFoundException"), "{missing}");
    }
}

#[test]
fn the_past_is_never_written() {
    let database = changed();
    let name = as_of(NOW_MS + 1000);
    let sentence =
        format!("{name} is the past of a table: it is read, and never written or changed");
    let key = json!({"pk": {"S": "p"}, "sk": {"S": "a"}});
    let writes = [
        ("PutItem", json!({"TableName": name, "Item": item("a", 1)})),
        ("DeleteItem", json!({"TableName": name, "Key": key})),
        ("UpdateItem", json!({"TableName": name, "Key": key})),
        (
            "BatchWriteItem",
            json!({"RequestItems": {&name: [{"PutRequest": {"Item": item("a", 1)}}]}}),
        ),
        (
            "TransactWriteItems",
            json!({"TransactItems": [{"Put": {"TableName": name, "Item": item("a", 1)}}]}),
        ),
        (
            "ExecuteStatement",
            json!({"Statement": format!("DELETE FROM \"{name}\" WHERE pk = 'p' AND sk = 'a'")}),
        ),
    ];
    for (operation, request) in writes {
        let refused = database.fails(operation, &request);
        assert!(refused.contains(&sentence), "{operation}: {refused}");
    }
    assert_eq!(n_as_of(&database, "a", NOW_MS + 5000), "3");
}

#[test]
fn a_real_table_of_that_name_is_the_one_that_is_read() {
    let database = changed();
    let name = as_of(NOW_MS + 1000);
    database.ok(
        "CreateTable",
        &json!({
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        }),
    );
    let read = json!({"TableName": name, "Key": {"pk": {"S": "a"}}});
    assert_eq!(database.ok("GetItem", &read), json!({}));
}

#[test]
fn moments_are_those_of_the_clock_however_many_changes_there_are() {
    let database = memory();
    create(&database);
    enable(&database, None);
    for n in 0..300 {
        put(&database, "fast", n);
    }
    assert_eq!(n_as_of(&database, "fast", NOW_MS), "299");
    assert_eq!(n_as_of(&database, "fast", NOW_MS - 1), "-");
    database.clock.advance_ms(1);
    put(&database, "fast", 300);
    assert_eq!(n_as_of(&database, "fast", NOW_MS), "299");
    assert_eq!(n_as_of(&database, "fast", NOW_MS + 1), "300");
    assert_eq!(stored(&database), [301, 2, 1]);
    check(&database);
}

#[test]
fn a_clock_that_jumped_ahead_does_not_move_what_is_changed_afterwards() {
    const HOUR_MS: u64 = 60 * 60 * 1000;
    let database = memory();
    create(&database);
    enable(&database, None);
    put(&database, "a", 1);
    database.clock.advance_ms(HOUR_MS);
    put(&database, "a", 2);
    put(&database, "gone", 2);
    delete(&database, "gone");
    put(&database, "only ahead", 2);
    database.clock.set_back_ms(HOUR_MS - 1000);
    let dated = |sk: &str| (sk.to_owned(), NOW_MS + HOUR_MS);
    let ahead = |database: &Database| {
        let ahead = describe(database).ahead;
        let sort_key = |key: &hashrange_model::Item| match key.get("sk") {
            Some(ValueRef::S(text)) => text.to_owned(),
            other => panic!("{other:?}"),
        };
        assert!(!ahead.is_more);
        ahead.changes.iter().map(|(key, at_ms)| (sort_key(key), *at_ms)).collect::<Vec<_>>()
    };
    assert_eq!(ahead(&database), ["a", "gone", "only ahead"].map(dated));
    put(&database, "a", 3);
    database.clock.advance_ms(1000);
    put(&database, "a", 4);
    put(&database, "b", 4);
    for (after_ms, a) in [(0, "1"), (999, "1"), (1000, "3"), (1999, "3"), (2000, "4")] {
        assert_eq!(n_as_of(&database, "a", NOW_MS + after_ms), a, "{after_ms}");
        assert_eq!(n_as_of(&database, "only ahead", NOW_MS + after_ms), "-");
    }
    assert_eq!(n_as_of(&database, "b", NOW_MS + 1999), "-");
    let refused = database.fails("GetItem", &get(&as_of(NOW_MS + HOUR_MS), "a"));
    assert!(refused.contains("is in the future"), "{refused}");
    database.clock.advance_ms(HOUR_MS);
    assert_eq!(ahead(&database), []);
    assert_eq!(n_as_of(&database, "a", NOW_MS + HOUR_MS), "4");
    assert_eq!(n_as_of(&database, "only ahead", NOW_MS + HOUR_MS), "2");
    check(&database);
}

#[test]
fn a_clock_that_is_a_little_behind_begins_no_era() {
    let database = memory();
    create(&database);
    enable(&database, None);
    database.clock.advance_ms(1000);
    for n in 0..4 {
        put(&database, "a", n);
        if n % 2 == 0 {
            database.clock.set_back_ms(100);
        } else {
            database.clock.advance_ms(100);
        }
    }
    let versions = database.ok("Scan", &json!({"TableName": "orders.history"}));
    let orders = versions["Items"].as_array().unwrap().iter();
    let orders: Vec<_> =
        orders.map(|item| item["hashrange:order"]["S"].as_str().unwrap()).collect();
    assert_eq!(orders, ["1.0-1.1", "1.1-1.2", "1.2-1.3", "1.3-"]);
    assert_eq!(n_as_of(&database, "a", NOW_MS + 1000), "3");
    assert_eq!(n_as_of(&database, "a", NOW_MS + 999), "-");
}
