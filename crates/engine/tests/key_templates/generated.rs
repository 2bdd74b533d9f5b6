//! Parts that are generated: made when an item is inserted, kept by later writes, other for each item.

use super::{create, declare, derived, fill, get, key, memory, order, put, refused};
use hashrange_engine::TemplateMode;
use hashrange_testkit::database::Database;
use serde_json::json;
use std::collections::BTreeSet;

const BY_ULID: &str = "GSI1SK = '{status}#{ulid()}' when status in [OPEN, PLACED]";

/// Returns the generated part of an order's key.
fn id(database: &Database, sk: &str) -> String {
    derived(database, sk).trim_end_matches(" -").split('#').next_back().unwrap().to_owned()
}

#[test]
fn an_id_is_made_at_insert_and_kept_by_updates_and_puts() {
    let database = memory();
    create(&database);
    fill(&database, BY_ULID);
    put(&database, &order("a", "OPEN", "1"));
    let first = id(&database, "a");
    assert_eq!(first.len(), 26, "{first}");
    let place = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET #s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "PLACED"}},
    });
    database.ok("UpdateItem", &place);
    assert_eq!(derived(&database, "a"), format!("PLACED#{first} -"));
    put(&database, &order("a", "OPEN", "2"));
    assert_eq!(derived(&database, "a"), format!("OPEN#{first} -"));
    put(&database, &get(&database, "a"));
    assert_eq!(id(&database, "a"), first);
    // What is removed and made anew is another one.
    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key("a")}));
    put(&database, &order("b", "OPEN", "1"));
    assert_ne!(id(&database, "b"), first);
    database.assert_sound();
}

#[test]
fn items_of_one_commit_and_stored_items_get_ids_of_their_own() {
    let database = memory();
    create(&database);
    for nth in 0..10 {
        put(&database, &order(&format!("old{nth}"), "OPEN", "1"));
    }
    let rewritten = fill(&database, BY_ULID).rewritten.unwrap();
    assert_eq!(rewritten.changed, 10);
    let puts: Vec<_> = (0..10)
        .map(|nth| json!({"PutRequest": {"Item": order(&format!("new{nth}"), "OPEN", "1")}}))
        .collect();
    database.ok("BatchWriteItem", &json!({"RequestItems": {"orders": puts}}));
    let names = (0..10).flat_map(|nth| [format!("old{nth}"), format!("new{nth}")]);
    let ids: BTreeSet<String> = names.map(|sk| id(&database, &sk)).collect();
    assert_eq!(ids.len(), 20);
    // A change of the text around it keeps what was made.
    let before = id(&database, "old3");
    fill(&database, "GSI1SK = 'ORDER#{ulid()}' when status in [OPEN, PLACED]");
    assert_eq!(derived(&database, "old3"), format!("ORDER#{before} -"));
    database.assert_sound();
}

#[test]
fn a_plain_attribute_can_have_the_time_of_its_insert() {
    let database = memory();
    create(&database);
    fill(&database, "createdAt = '{now:iso:s}'");
    put(&database, &order("a", "OPEN", "1"));
    let made = get(&database, "a")["createdAt"]["S"].as_str().unwrap().to_owned();
    assert!(made.len() == 20 && made.ends_with('Z'), "{made}");
    put(&database, &order("a", "PLACED", "1"));
    assert_eq!(get(&database, "a")["createdAt"]["S"], made.as_str());
    // An import brings its own.
    let mut imported = order("b", "OPEN", "1");
    imported["createdAt"] = json!({"S": "1999-01-01T00:00:00Z"});
    put(&database, &imported);
    assert_eq!(get(&database, "b")["createdAt"]["S"], "1999-01-01T00:00:00Z");
    // So does a later write.
    imported["createdAt"] = json!({"S": "2001-01-01T00:00:00Z"});
    put(&database, &imported);
    assert_eq!(get(&database, "b")["createdAt"]["S"], "2001-01-01T00:00:00Z");
    database.assert_sound();
}

#[test]
fn nothing_is_generated_for_a_key_of_the_table_nor_by_a_check() {
    let database = memory();
    create(&database);
    let sentence = "ValidationException: ulid(), uuid7() and now:iso are made when an item is written: sk can have them \
        only in the mode fill, and not as a key of the table, which the answer of PutItem could not return";
    assert_eq!(refused(&database, "sk = '{ulid()}'", TemplateMode::Fill), sentence);
    let checked = refused(&database, BY_ULID, TemplateMode::Check);
    assert_eq!(checked, sentence.replace("sk can", "GSI1SK can"));
    let _templates_without = declare(&database, "GSI1SK = '{status}'", TemplateMode::Check);
}
