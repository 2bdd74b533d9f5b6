//! Transactions on tables with a history: how much they may write.

use super::{enable, memory};
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

const INDEXES: usize = 20;
const ITEMS: usize = 15;
const ITEM_BYTES: usize = 380_000;

/// Creates the table `orders` with a stream and as many indexes as there may be. No item has their keys, but
/// each counts as a copy.
fn create(database: &Database) {
    let name = |n: usize| format!("by{n}");
    let definition = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let index = |n: usize| {
        json!({
            "IndexName": name(n), "KeySchema": [{"AttributeName": name(n), "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        })
    };
    let mut definitions: Vec<_> = (0..INDEXES).map(|n| definition(&name(n))).collect();
    definitions.push(definition("pk"));
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": definitions,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": (0..INDEXES).map(index).collect::<Vec<_>>(),
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        }),
    );
}

fn fill(database: &Database) {
    for n in 0..ITEMS {
        let item = json!({"pk": {"S": n.to_string()}, "text": {"S": "x".repeat(ITEM_BYTES)}});
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
}

/// Returns a transaction of one action for each of the first items.
fn each(items: usize, action: impl Fn(&mut Json) -> Json) -> Json {
    let actions = (0..items)
        .map(|n| action(&mut json!({"TableName": "orders", "Key": {"pk": {"S": n.to_string()}}})));
    json!({"TransactItems": actions.collect::<Vec<_>>()})
}

fn delete(of_item: &mut Json) -> Json {
    json!({"Delete": of_item})
}

fn check(of_item: &mut Json) -> Json {
    of_item["ConditionExpression"] = json!("attribute_exists(pk)");
    json!({"ConditionCheck": of_item})
}

fn count(database: &Database) -> Json {
    database.ok("Scan", &json!({"TableName": "orders", "Select": "COUNT"}))["Count"].clone()
}

#[test]
fn what_a_history_keeps_counts_as_written() {
    let database = memory();
    create(&database);
    fill(&database);
    // Without a history it is not too much.
    database.ok("TransactWriteItems", &each(ITEMS, delete));
    assert_eq!(count(&database), 0);
    fill(&database);
    enable(&database, None);
    let too_large =
        "ValidationException: The aggregate size of the items in the transaction exceeds 4 MB";
    assert_eq!(database.fails("TransactWriteItems", &each(ITEMS, delete)), too_large);
    // What is not changed is not kept.
    database.ok("TransactWriteItems", &each(ITEMS, check));
    let items = database.ok("Scan", &json!({"TableName": "orders", "ProjectionExpression": "pk"}));
    assert!(!items["Items"].as_array().unwrap().is_empty());
    database.ok("TransactWriteItems", &each(ITEMS - 1, delete));
    assert_eq!(count(&database), 1);
}
