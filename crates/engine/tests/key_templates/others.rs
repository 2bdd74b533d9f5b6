//! Keys that clients wrote where a template derives none: it is refused if it would remove them, unless it
//! says so, and a write that brings one is refused; what the template derived itself is removed.

use super::{
    BY_STATUS, create, declare, derived, described, fill, get, indexed, key, memory, order, put,
    refused,
};
use hashrange_engine::TemplateMode;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

const OF_CLIENT: &str = "ValidationException: The key template of the attribute GSI1SK refuses the item: no case \
    of it holds, or a part is missing, so it would remove the key that the request brings: leave that out, or \
    declare the template so that it removes keys of others";

fn user(sk: &str) -> Json {
    json!({
        "pk": {"S": "p"}, "sk": {"S": sk}, "GSI1PK": {"S": "all"}, "type": {"S": "User"},
        "GSI1SK": {"S": format!("EMAIL#{sk}@example.com")},
    })
}

/// Puts users, whose key of the global index clients write, and as many orders.
fn put_users_and_orders(database: &Database, count: usize) {
    for nth in 0..count {
        put(database, &user(&format!("user{nth:02}")));
        put(database, &order(&format!("order{nth:02}"), "OPEN", "1"));
    }
}

#[test]
fn a_template_that_would_remove_keys_of_clients_is_refused_and_tells_how_many() {
    let database = memory();
    create(&database);
    put_users_and_orders(&database, 30);
    assert_eq!(
        refused(&database, BY_STATUS, TemplateMode::Fill),
        "ValidationException: The key template would remove GSI1SK from 30 of 60 items, which clients wrote, such \
         as \"EMAIL#user00@example.com\", \"EMAIL#user01@example.com\", \"EMAIL#user02@example.com\": no case \
         of it holds for these items, or a part is missing. Change the condition, or say that keys of others are \
         to be removed (--remove-others, RemoveOthers)"
    );
    assert!(described(&database).is_empty());
    assert_eq!(indexed(&database).len(), 30);
    // One that has a key for each of them overwrites, which is what it is for; one that checks changes nothing.
    declare(&database, BY_STATUS, TemplateMode::Check);
    assert_eq!(derived(&database, "user07"), "EMAIL#user07@example.com -");
    let declared = declare(&database, BY_STATUS, TemplateMode::FillAndRemove);
    let rewritten = declared.rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.refused, rewritten.kept), (60, 0, 0));
    assert_eq!(derived(&database, "user07"), "- -");
    put(&database, &user("user07"));
    assert_eq!(derived(&database, "user07"), "- -");
    database.assert_sound();
}

#[test]
fn a_missing_part_and_a_local_index_are_told_as_well() {
    let database = memory();
    create(&database);
    let mut item = order("a", "OPEN", "1");
    item["LSI1SK"] = json!({"S": "by\u{1b}hand"});
    item.as_object_mut().unwrap().remove("price");
    put(&database, &item);
    let error = refused(&database, "LSI1SK = 'T#{price:pad:6}'", TemplateMode::Fill);
    let told =
        "would remove LSI1SK from 1 of 1 items, which clients wrote, such as \"by\\u{1b}hand\"";
    assert!(error.contains(told), "{error}");
}

#[test]
fn a_write_that_brings_a_key_where_none_is_derived_is_refused() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    put(&database, &order("a", "OPEN", "1"));
    let put_user = json!({"TableName": "orders", "Item": user("user")});
    assert_eq!(database.fails("PutItem", &put_user), OF_CLIENT);
    let batch = json!({"RequestItems": {"orders": [{"PutRequest": {"Item": user("user")}}]}});
    assert_eq!(database.fails("BatchWriteItem", &batch), OF_CLIENT);
    let cancelled =
        database.fails("TransactWriteItems", &json!({"TransactItems": [{"Put": put_user}]}));
    assert!(cancelled.contains("[ValidationError]"), "{cancelled}");
    let statement = "INSERT INTO orders VALUE {'pk': 'p', 'sk': 'user', 'GSI1SK': 'EMAIL#a'}";
    let answer = database.fails("ExecuteStatement", &json!({"Statement": statement}));
    assert_eq!(answer, OF_CLIENT);
    let close = json!({
        "TableName": "orders", "Key": key("a"),
        "UpdateExpression": "SET #s = :s, GSI1SK = :k", "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "DONE"}, ":k": {"S": "mine"}},
    });
    assert_eq!(database.fails("UpdateItem", &close), OF_CLIENT);
    assert_eq!(get(&database, "user"), Json::Null);
    assert_eq!(get(&database, "a")["status"]["S"], "OPEN");
    database.assert_sound();
}

#[test]
fn what_the_template_derived_goes_also_where_a_client_puts_back_what_it_read() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    put(&database, &order("a", "OPEN", "1"));
    let mut read = get(&database, "a");
    read["status"] = json!({"S": "DONE"});
    put(&database, &read);
    assert_eq!(derived(&database, "a"), "- -");
    assert!(indexed(&database).is_empty());
    database.assert_sound();
}

#[test]
fn what_a_client_wrote_before_stays() {
    let database = memory();
    create(&database);
    // The template refuses the item as it is, so that it has kept its key.
    let mut item = order("a", "OPEN", "1");
    item["placedAt"] = json!({"S": "soon"});
    item["GSI1SK"] = json!({"S": "by hand"});
    put(&database, &item);
    let rewritten = fill(&database, BY_STATUS).rewritten.unwrap();
    assert_eq!((rewritten.refused, rewritten.kept), (1, 0));
    let close = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET #s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "DONE"}},
    });
    database.ok("UpdateItem", &close);
    assert_eq!(derived(&database, "a"), "by hand -");
    // Put back as it is, too.
    let read = get(&database, "a");
    put(&database, &read);
    assert_eq!(derived(&database, "a"), "by hand -");
    // Another template is refused for it, and a walk that is under way for another attribute counts it.
    assert!(refused(&database, "GSI1SK = '{none}'", TemplateMode::Fill).contains("1 of 1 items"));
    let rewritten = fill(&database, "LSI1SK = '{price:pad:4}'").rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.kept), (1, 1));
    assert_eq!(derived(&database, "a"), "by hand 0001");
    let reopen = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET #s = :s, placedAt = :t",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "OPEN"}, ":t": {"S": "2026-11-25"}},
    });
    database.ok("UpdateItem", &reopen);
    assert_eq!(derived(&database, "a"), "OPEN#2026-11-25T00:00:00Z 0001");
    database.assert_sound();
}

#[test]
fn what_templates_before_derived_is_not_taken_for_a_clients() {
    let database = Database::memory(super::without_jobs());
    create(&database);
    for nth in 0..100 {
        put(&database, &order(&format!("{nth:04}"), "OPEN", "1"));
    }
    fill(&database, "GSI1SK = 'X#{status}'");
    database.run_jobs();
    // Neither of them is finished when the next one is declared.
    fill(&database, "GSI1SK = 'Y#{status}'");
    fill(&database, "GSI1SK = 'Z#{none}'");
    put(&database, &get(&database, "0001"));
    assert_eq!(derived(&database, "0001"), "- -");
    database.run_jobs();
    let rewritten = described(&database).pop().unwrap().rewritten.unwrap();
    assert_eq!((rewritten.examined, rewritten.changed, rewritten.kept), (100, 99, 0));
    assert!(indexed(&database).is_empty());
    database.assert_sound();
}
