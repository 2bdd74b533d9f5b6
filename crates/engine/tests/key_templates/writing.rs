//! Every way to write derives the keys of indexes from the item after the write, or checks them.

use super::{
    BY_STATUS, BY_TOTAL, create, declare, derived, fill, get, indexed, key, memory, order, put,
};
use hashrange_engine::TemplateMode;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

const OPEN: &str = "OPEN#2026-11-25T07:30:00Z";

fn filled() -> Database {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    fill(&database, BY_TOTAL);
    database
}

fn update(database: &Database, sk: &str, expression: &str, values: &Json) -> Json {
    let mut request = json!({
        "TableName": "orders", "Key": key(sk), "UpdateExpression": expression,
        "ReturnValues": "ALL_NEW",
    });
    if !values.is_null() {
        request["ExpressionAttributeValues"] = values.clone();
    }
    if expression.contains("#s") {
        request["ExpressionAttributeNames"] = json!({"#s": "status"});
    }
    database.ok("UpdateItem", &request)["Attributes"].clone()
}

#[test]
fn each_operation_that_writes_derives() {
    let database = filled();
    put(&database, &order("put", "OPEN", "12.5"));
    assert_eq!(derived(&database, "put"), format!("{OPEN} T#999987.49"));

    let batch = json!({"RequestItems": {"orders": [{"PutRequest": {"Item": order("batch", "PLACED", "1")}}]}});
    database.ok("BatchWriteItem", &batch);
    assert_eq!(derived(&database, "batch"), "PLACED#2026-11-25T07:30:00Z T#999998.99");

    let names = json!({"#s": "status"});
    let transaction = json!({"TransactItems": [
        {"Put": {"TableName": "orders", "Item": order("transacted", "OPEN", "2")}},
        {"Update": {
            "TableName": "orders", "Key": key("batch"), "UpdateExpression": "SET #s = :s",
            "ExpressionAttributeNames": names, "ExpressionAttributeValues": {":s": {"S": "OPEN"}},
        }},
    ]});
    database.ok("TransactWriteItems", &transaction);
    assert_eq!(derived(&database, "transacted"), format!("{OPEN} T#999997.99"));
    assert_eq!(derived(&database, "batch"), format!("{OPEN} T#999998.99"));

    for statement in [
        "INSERT INTO orders VALUE {'pk': 'p', 'sk': 'statement', 'GSI1PK': 'all', 'price': -3}",
        "UPDATE orders SET status = 'OPEN' SET placedAt = '2026-11-25T08:00:00Z' \
         WHERE pk = 'p' AND sk = 'statement'",
    ] {
        database.ok("ExecuteStatement", &json!({"Statement": statement}));
    }
    assert_eq!(derived(&database, "statement"), "OPEN#2026-11-25T08:00:00Z T#~000003.00");
    assert_eq!(indexed(&database), ["batch", "put", "transacted", "statement"]);
    database.assert_sound();
}

#[test]
fn an_index_is_sparse_without_the_client() {
    let database = filled();
    put(&database, &order("a", "OPEN", "1"));
    assert_eq!(indexed(&database), ["a"]);
    let new = update(&database, "a", "SET #s = :s REMOVE price", &json!({":s": {"S": "DONE"}}));
    // The condition is false, and a part is missing.
    assert_eq!((&new["GSI1SK"], &new["LSI1SK"]), (&Json::Null, &Json::Null));
    assert_eq!(derived(&database, "a"), "- -");
    assert!(indexed(&database).is_empty());
    let new = update(&database, "a", "SET #s = :s", &json!({":s": {"S": "PLACED"}}));
    assert_eq!(new["GSI1SK"]["S"], "PLACED#2026-11-25T07:30:00Z");
    assert_eq!(indexed(&database), ["a"]);
    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key("a")}));
    assert!(indexed(&database).is_empty());
    database.assert_sound();
}

#[test]
fn what_a_client_writes_into_an_owned_attribute_is_overwritten() {
    let database = memory();
    create(&database);
    fill(&database, &format!("owns {BY_STATUS}"));
    fill(&database, &format!("owns {BY_TOTAL}"));
    let mut item = order("a", "OPEN", "1");
    item["GSI1SK"] = json!({"S": "mine"});
    // Not even the type is looked at.
    item["LSI1SK"] = json!({"N": "1"});
    put(&database, &item);
    assert_eq!(derived(&database, "a"), format!("{OPEN} T#999998.99"));
    update(&database, "a", "SET GSI1SK = :mine", &json!({":mine": {"S": "mine"}}));
    update(&database, "a", "REMOVE LSI1SK", &Json::Null);
    assert_eq!(derived(&database, "a"), format!("{OPEN} T#999998.99"));
    database.assert_sound();
}

#[test]
fn an_item_that_has_no_key_is_refused_and_nothing_written() {
    let database = filled();
    let refusal = |sentence: &str| {
        format!("ValidationException: The key template of the attribute {sentence}")
    };
    for (member, value, sentence) in [
        (
            "placedAt",
            json!({"S": "yesterday"}),
            "GSI1SK refuses the item: placedAt is no time in the form of 2026-11-25, 2026-11-25T08:00, 2026-11-25T08:00:00.5+02:00 or 20261125T080000Z",
        ),
        (
            "placedAt",
            json!({"N": "1"}),
            "GSI1SK refuses the item: placedAt must be a string; the encoders epoch_s and epoch_ms take numbers, not N",
        ),
        (
            "price",
            json!({"N": "1000000"}),
            "LSI1SK refuses the item: price has more than 6 digits before the point",
        ),
        (
            "price",
            json!({"N": "0.001"}),
            "LSI1SK refuses the item: price has more than 2 digits after the point",
        ),
        ("price", json!({"S": "1"}), "LSI1SK refuses the item: price must be a number, not S"),
    ] {
        let mut item = order("a", "OPEN", "1");
        item[member] = value;
        let put = json!({"TableName": "orders", "Item": item});
        assert_eq!(database.fails("PutItem", &put), refusal(sentence));
        let cancelled =
            database.fails("TransactWriteItems", &json!({"TransactItems": [{"Put": put}]}));
        assert!(cancelled.starts_with("TransactionCanceledException"), "{cancelled}");
        assert!(cancelled.contains("[ValidationError]"), "{cancelled}");
    }
    assert_eq!(get(&database, "a"), Json::Null);
    put(&database, &order("a", "OPEN", "1"));
    let request = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET price = :t",
        "ExpressionAttributeValues": {":t": {"N": "-1000000"}},
    });
    let sentence = "LSI1SK refuses the item: price has more than 6 digits before the point";
    assert_eq!(database.fails("UpdateItem", &request), refusal(sentence));
    assert_eq!(get(&database, "a")["price"]["N"], "1");
    database.assert_sound();
}

#[test]
fn a_derived_key_is_no_longer_than_its_index_allows() {
    let database = memory();
    create(&database);
    fill(&database, "GSI1SK = '{a}#{b}'");
    fill(&database, "GSI1PK = '{b}'");
    let item = |a: usize, b: usize| {
        json!({
            "pk": {"S": "p"}, "sk": {"S": "a"},
            "a": {"S": "a".repeat(a)}, "b": {"S": "b".repeat(b)},
        })
    };
    put(&database, &item(500, 523));
    let put = |item: Json| database.fails("PutItem", &json!({"TableName": "orders", "Item": item}));
    assert_eq!(
        put(item(500, 524)),
        "ValidationException: The key template of the attribute GSI1SK refuses the item: it would have \
         more than 1024 bytes"
    );
    assert_eq!(
        put(item(0, 0)),
        "ValidationException: The key template of the attribute GSI1PK refuses the item: it would be empty"
    );
    database.assert_sound();
}

#[test]
fn an_item_that_grows_over_the_limit_is_refused() {
    let database = memory();
    create(&database);
    fill(&database, "GSI1SK = '{a}'");
    let mut item = json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "a": {"S": "x".repeat(100)}});
    item["b"] = json!({"S": "b".repeat(400 * 1024 - 110)});
    let answer = database.fails("PutItem", &json!({"TableName": "orders", "Item": item}));
    assert_eq!(answer, "ValidationException: Item size has exceeded the maximum allowed size");
    item["b"] = json!({"S": "b".repeat(400 * 1024 - 300)});
    put(&database, &item);
    let request = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET a = :a",
        "ExpressionAttributeValues": {":a": {"S": "x".repeat(200)}},
    });
    let answer = database.fails("UpdateItem", &request);
    assert_eq!(
        answer,
        "ValidationException: Item size to update has exceeded the maximum allowed size"
    );
    database.assert_sound();
}

#[test]
fn checked_attributes_are_refused_unless_they_are_as_derived() {
    let database = memory();
    create(&database);
    declare(&database, BY_STATUS, TemplateMode::Check);
    let differs = |derived: &str| {
        format!(
            "ValidationException: The key template of the attribute GSI1SK refuses the item: {derived}"
        )
    };
    let mut item = order("a", "OPEN", "1");
    let put_of = |item: &Json| json!({"TableName": "orders", "Item": item});
    let expected = differs(&format!("it must be {OPEN:?}"));
    assert_eq!(database.fails("PutItem", &put_of(&item)), expected);
    item["GSI1SK"] = json!({"S": "OPEN#2026-11-25T09:30:00Z"});
    assert_eq!(database.fails("PutItem", &put_of(&item)), expected);
    item["GSI1SK"] = json!({"S": OPEN});
    put(&database, &item);
    let close = |expression: &str| {
        json!({
            "TableName": "orders", "Key": key("a"), "UpdateExpression": expression,
            "ExpressionAttributeNames": {"#s": "status"},
            "ExpressionAttributeValues": {":s": {"S": "DONE"}},
        })
    };
    assert_eq!(
        database.fails("UpdateItem", &close("SET #s = :s")),
        differs("the item must not have it")
    );
    database.ok("UpdateItem", &close("SET #s = :s REMOVE GSI1SK"));
    assert!(indexed(&database).is_empty());
    database.assert_sound();
}

#[test]
fn the_stream_shows_what_is_derived() {
    let database = filled();
    put(&database, &order("a", "OPEN", "1"));
    update(&database, "a", "SET #s = :s", &json!({":s": {"S": "DONE"}}));
    let table = database.ok("DescribeTable", &json!({"TableName": "orders"}));
    let stream = &table["Table"]["LatestStreamArn"];
    let described = database.ok("DescribeStream", &json!({"StreamArn": stream}));
    let shards = described["StreamDescription"]["Shards"].as_array().unwrap();
    let mut keys = Vec::new();
    for shard in shards {
        let iterator = database.ok(
            "GetShardIterator",
            &json!({
                "StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON",
            }),
        );
        let answer = database.ok("GetRecords", &iterator);
        for record in answer["Records"].as_array().unwrap() {
            let image = |name: &str| record["dynamodb"][name]["GSI1SK"]["S"].as_str();
            keys.push((image("OldImage").map(str::to_owned), image("NewImage").map(str::to_owned)));
        }
    }
    assert_eq!(keys, [(None, Some(OPEN.to_owned())), (Some(OPEN.to_owned()), None)]);
}
