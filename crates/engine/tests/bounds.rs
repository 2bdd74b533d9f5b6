//! Memory and bytes of an explanation of a large request: values and names are cut while they are told, whatever the
//! request repeats. Bytes that are allocated are counted, not time.
#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, Mode};
use hashrange_scratch::allocated::{Counting, counted};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

#[global_allocator]
static COUNTING: Counting = Counting;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The most that an explanation of one step may be, as JSON and as text.
const TOLD_MAX_BYTES: usize = 150 * KIB;

fn table() -> Database {
    let database = Database::memory(EngineOptions::default());
    let index = |name: &str, partition: &str| {
        json!({
            "IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [
                {"AttributeName": partition, "KeyType": "HASH"},
                {"AttributeName": "a", "KeyType": "RANGE"},
            ],
        })
    };
    let of_text = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let definition = json!({
        "TableName": "ttt", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [of_text("pk"), of_text("b"), of_text("a")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [index("by-a", "pk"), index("by-b", "b")],
    });
    database.ok("CreateTable", &definition);
    for nth in 0..20 {
        let item = json!({"pk": {"S": format!("p{nth}")}, "c": {"S": "x"}});
        database.ok("PutItem", &json!({"TableName": "ttt", "Item": item}));
    }
    database
}

/// Explains a request; what is told of it, and what that takes beyond six times the request, is bounded.
fn check(database: &Database, operation: &str, request: &Json) {
    let body = request.to_string();
    let ((told, text, item), allocated) = counted(|| {
        let explained = database.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
        (explained.to_json().to_string(), explained.text(), explained.to_item())
    });
    assert!(told.len() < TOLD_MAX_BYTES, "{operation}: {} bytes of JSON", told.len());
    assert!(text.len() < TOLD_MAX_BYTES, "{operation}: {} bytes of text", text.len());
    assert!(item.size() < 2 * TOLD_MAX_BYTES, "{operation}: {} bytes of item", item.size());
    let most = 6 * body.len() + 8 * MIB;
    assert!(allocated < most, "{operation}: {allocated} bytes for {}", body.len());
}

fn repeated(one: &str, count: usize, between: &str) -> String {
    vec![one; count].join(between)
}

#[test]
fn a_value_that_is_compared_nine_hundred_times_is_told_once_and_in_part() {
    let database = table();
    let among = format!("#n IN ({})", repeated(":v", 100, ", "));
    let filter = repeated(&among, 9, " OR ");
    let long = "z".repeat(399 * KIB);
    for value in [
        json!({"S": long}),
        json!({"B": long}),
        json!({"L": [{"S": long}]}),
        json!({"M": {&long[..60_000]: {"S": &long[..300_000]}}}),
    ] {
        let request = json!({
            "TableName": "ttt", "FilterExpression": filter,
            "ExpressionAttributeNames": {"#n": "a"}, "ExpressionAttributeValues": {":v": value},
        });
        check(&database, "Scan", &request);
    }
    let condition = json!({
        "TableName": "ttt", "Item": {"pk": {"S": "p"}}, "ConditionExpression": filter,
        "ExpressionAttributeNames": {"#n": "a"}, "ExpressionAttributeValues": {":v": {"S": long}},
    });
    check(&database, "PutItem", &condition);
    let update = json!({
        "TableName": "ttt", "Key": {"pk": {"S": "p"}},
        "UpdateExpression": format!("SET {}", (0..300).map(|nth| format!("a{nth} = if_not_exists(b, :v)")).collect::<Vec<_>>()[..100].join(", ")),
        "ConditionExpression": "attribute_not_exists(pk)",
        "ExpressionAttributeValues": {":v": {"S": &long[..3000]}},
    });
    check(&database, "UpdateItem", &update);
}

#[test]
fn a_long_name_that_is_used_hundreds_of_times_is_told_in_part() {
    let database = table();
    let long = "n".repeat(65_535);
    let request = json!({
        "TableName": "ttt", "FilterExpression": repeated("#n=#m", 150, " OR "),
        "ProjectionExpression": (0..300).map(|nth| format!("#n.a{nth}")).collect::<Vec<_>>().join(","),
        "ExpressionAttributeNames": {"#n": long, "#m": &long[1..]},
    });
    check(&database, "Scan", &request);
    let query = json!({
        "TableName": "ttt", "IndexName": "by-b", "KeyConditionExpression": "b = :k",
        "FilterExpression": repeated("#n=:v", 140, " OR "),
        "ExpressionAttributeNames": {"#n": long},
        "ExpressionAttributeValues": {":k": {"S": "x"}, ":v": {"S": long}},
    });
    check(&database, "Query", &query);
    let moved = json!({
        "TableName": "ttt", "FilterExpression": "pk = :k AND a > :v",
        "ExpressionAttributeValues": {":k": {"S": "x"}, ":v": {"S": "z".repeat(399 * KIB)}},
    });
    check(&database, "Scan", &moved);
}

#[test]
fn statements_and_legacy_parameters_are_told_in_part() {
    let database = table();
    let long = "z".repeat(399 * KIB);
    let clause = format!("c IN ({})", repeated("?", 20, ","));
    let request = json!({
        "Statement": format!("SELECT * FROM \"ttt\" WHERE {clause}"),
        "Parameters": vec![json!({"S": long}); 20],
    });
    check(&database, "ExecuteStatement", &request);
    let names: serde_json::Map<String, Json> = (0..2000)
        .map(|nth| {
            let name = format!("{nth}{}", "n".repeat(1000));
            (name, json!({"ComparisonOperator": "NE", "AttributeValueList": [{"S": "x"}]}))
        })
        .collect();
    let legacy = json!({"TableName": "ttt", "ScanFilter": names});
    check(&database, "Scan", &legacy);
}

#[test]
fn each_part_of_a_batch_is_told_in_part() {
    let database = table();
    let long = "z".repeat(30 * KIB);
    let clause = repeated("c = :v", 100, " OR ");
    let update = |nth: usize| {
        json!({"Update": {
            "TableName": "ttt", "Key": {"pk": {"S": format!("p{nth}")}},
            "UpdateExpression": "SET c = :v", "ConditionExpression": clause,
            "ExpressionAttributeValues": {":v": {"S": long}},
        }})
    };
    let request = json!({"TransactItems": (0..100).map(update).collect::<Vec<_>>()}).to_string();
    let (told, allocated) = counted(|| {
        let explained = database.explain("TransactWriteItems", request.as_bytes(), Mode::Plan);
        explained.unwrap().to_json().to_string()
    });
    assert!(told.len() < 4 * MIB, "{}", told.len());
    assert!(allocated < 40 * MIB, "{allocated}");
}

#[test]
fn legacy_conditions_are_so_many_and_no_more() {
    let database = table();
    let put = |expected: Json| {
        let request = json!({"TableName": "ttt", "Item": {"pk": {"S": "p"}}, "Expected": expected});
        database.call("PutItem", &request).map_err(|error| error.to_string())
    };
    let absent = |count: usize| -> Json {
        (0..count).map(|nth| (nth.to_string(), json!({"Exists": false}))).collect()
    };
    put(absent(50_000)).unwrap();
    let refused = put(absent(50_001)).unwrap_err();
    assert!(refused.contains("Conditions and their values are more than 50000"), "{refused}");
    let values = vec![json!({"S": "x"}); 50_000];
    let listed = json!({"a": {"ComparisonOperator": "IN", "AttributeValueList": values}});
    let refused = put(listed).unwrap_err();
    assert!(refused.contains("Conditions and their values are more than 50000"), "{refused}");
}
