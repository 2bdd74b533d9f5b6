//! Templates of the table's own keys: filled where a put lacks them, and checked on every write.

use super::{create, declare, described, fill, get, indexed, key, memory, put, refused};
use hashrange_engine::{Mode, TemplateMode};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};

const SORT: &str = "sk = 'ORDER#{placedAt:iso:s}#{id}' when type = 'Order'";
const DERIVED: &str = "ORDER#2026-11-25T07:30:00Z#7";

fn item() -> Json {
    json!({
        "pk": {"S": "p"}, "type": {"S": "Order"}, "id": {"S": "7"},
        "placedAt": {"S": "2026-11-25T09:30:00+02:00"}, "GSI1PK": {"S": "all"}, "GSI1SK": {"S": "x"},
    })
}

fn table(mode: TemplateMode) -> Database {
    let database = memory();
    create(&database);
    declare(&database, SORT, mode);
    database
}

fn put_fails(database: &Database, item: &Json) -> String {
    database.fails("PutItem", &json!({"TableName": "orders", "Item": item}))
}

#[test]
fn a_put_may_leave_a_key_to_the_table() {
    let database = table(TemplateMode::Fill);
    let request = json!({
        "TableName": "orders", "Item": item(), "ReturnItemCollectionMetrics": "SIZE",
    });
    let answer = database.ok("PutItem", &request);
    let collection = &answer["ItemCollectionMetrics"]["ItemCollectionKey"];
    assert_eq!(*collection, json!({"pk": {"S": "p"}}));
    assert_eq!(get(&database, DERIVED)["id"]["S"], "7");
    assert_eq!(indexed(&database), [DERIVED]);
    // The same item by each way, so there is still one.
    let batch = json!({"RequestItems": {"orders": [{"PutRequest": {"Item": item()}}]}});
    database.ok("BatchWriteItem", &batch);
    let put = json!({"TransactItems": [{"Put": {"TableName": "orders", "Item": item()}}]});
    database.ok("TransactWriteItems", &put);
    assert_eq!(indexed(&database), [DERIVED]);
    let insert = "INSERT INTO orders VALUE {'pk': 'p', 'type': 'Order', 'id': '8', 'placedAt': '2026-11-25'}";
    database.ok("ExecuteStatement", &json!({"Statement": insert}));
    assert_eq!(get(&database, "ORDER#2026-11-25T00:00:00Z#8")["id"]["S"], "8");
    database.assert_sound();
}

/// EXPLAIN of a put names the key that is written, which the request leaves out.
#[test]
fn a_put_is_explained_with_the_key_that_is_derived() {
    let database = table(TemplateMode::Fill);
    let request = json!({"TableName": "orders", "Item": item()}).to_string();
    let explain = database.engine.explain(Operation::PutItem, request.as_bytes(), Mode::Plan);
    let told = block_on(explain).unwrap().to_json();
    let expected = format!("pk = 'p' AND sk = '{DERIVED}'");
    assert_eq!(told["Steps"][0]["Write"]["Key"], expected);
    assert!(get(&database, DERIVED).is_null(), "nothing is written");
}

#[test]
fn two_puts_of_one_derived_key_are_of_one_item() {
    let database = table(TemplateMode::Fill);
    let mut full = item();
    full["sk"] = json!({"S": DERIVED});
    let batch = json!({"RequestItems": {"orders": [
        {"PutRequest": {"Item": item()}}, {"PutRequest": {"Item": full}},
    ]}});
    assert_eq!(
        database.fails("BatchWriteItem", &batch),
        "ValidationException: Provided list of item keys contains duplicates"
    );
}

#[test]
fn a_key_that_is_given_must_be_as_derived() {
    for mode in [TemplateMode::Fill, TemplateMode::Check] {
        let database = table(mode);
        let mut item = item();
        item["sk"] = json!({"S": "ORDER#7"});
        assert_eq!(
            put_fails(&database, &item),
            format!(
                "ValidationException: The key template of the attribute sk refuses the item: it must be {DERIVED:?}"
            )
        );
        item["sk"] = json!({"S": DERIVED});
        put(&database, &item);
        item.as_object_mut().unwrap().remove("id");
        assert_eq!(
            put_fails(&database, &item),
            "ValidationException: The key template of the attribute sk refuses the item: id is missing in the item"
        );
        // Of another type nothing is derived.
        put(&database, &json!({"pk": {"S": "p"}, "sk": {"S": "PROFILE"}, "type": {"S": "User"}}));
        database.assert_sound();
    }
}

#[test]
fn where_nothing_is_derived_the_key_is_missing() {
    for (mode, kind) in [(TemplateMode::Fill, "User"), (TemplateMode::Check, "Order")] {
        let database = table(mode);
        let mut item = item();
        item["type"] = json!({"S": kind});
        assert_eq!(
            put_fails(&database, &item),
            "ValidationException: One or more parameter values were invalid: Missing the key sk in the item"
        );
    }
}

#[test]
fn an_update_may_not_leave_its_key_behind() {
    let database = table(TemplateMode::Fill);
    put(&database, &item());
    let update = |sk: &str, expression: &str| {
        json!({
            "TableName": "orders", "Key": key(sk), "UpdateExpression": expression,
            "ExpressionAttributeNames": {"#t": "type"},
            "ExpressionAttributeValues": {":id": {"S": "8"}, ":t": {"S": "Order"}},
        })
    };
    let moved = update(DERIVED, "SET id = :id, #t = :t");
    assert_eq!(
        database.fails("UpdateItem", &moved),
        "ValidationException: The key template of the attribute sk refuses the item: it must be \
         \"ORDER#2026-11-25T07:30:00Z#8\""
    );
    assert_eq!(
        database.fails("UpdateItem", &update("new", "SET id = :id, #t = :t")),
        "ValidationException: The key template of the attribute sk refuses the item: placedAt is missing in \
         the item"
    );
    database.ok("UpdateItem", &update(DERIVED, "SET extra = :id, #t = :t"));
    database.assert_sound();
}

#[test]
fn keys_that_exist_are_only_checked() {
    let database = memory();
    create(&database);
    let mut old = item();
    old["sk"] = json!({"S": "old"});
    put(&database, &old);
    assert_eq!(
        refused(&database, SORT, TemplateMode::Fill),
        "ValidationException: The key attribute sk of items that exist cannot be changed: use the mode \
         check, or an empty table"
    );
    let declared = declare(&database, SORT, TemplateMode::Check);
    let examined = declared.rewritten.unwrap();
    assert_eq!((examined.examined, examined.changed, examined.refused), (1, 0, 1));
    assert_eq!(
        examined.first_refused.unwrap(),
        format!(
            "ValidationException: The key template of the attribute sk refuses the item: it must be {DERIVED:?}"
        )
    );
    // What an update cannot mend it is not refused for; a put it is.
    let update = json!({
        "TableName": "orders", "Key": key("old"), "UpdateExpression": "SET a = :a",
        "ExpressionAttributeValues": {":a": {"S": "a"}},
    });
    database.ok("UpdateItem", &update);
    assert!(put_fails(&database, &old).contains("it must be"));
    assert_eq!(described(&database).len(), 1);
}

#[test]
fn both_keys_of_the_table_and_those_of_indexes_are_derived_together() {
    let database = table(TemplateMode::Fill);
    fill(&database, "owns GSI1SK = '{user:upper}#{id:esc}'");
    fill(&database, "pk = 'USER#{user}'");
    let mut item = item();
    item["user"] = json!({"S": "ann"});
    item.as_object_mut().unwrap().remove("pk");
    put(&database, &item);
    let read = json!({
        "TableName": "orders", "Key": {"pk": {"S": "USER#ann"}, "sk": {"S": DERIVED}},
    });
    assert_eq!(database.ok("GetItem", &read)["Item"]["GSI1SK"]["S"], "ANN#7");
    database.assert_sound();
}
