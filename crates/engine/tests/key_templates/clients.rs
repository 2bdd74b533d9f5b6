//! Values of clients where a template derives another one, or none: they stay, unless the template owns its
//! attribute; what the template derived itself is replaced and removed.

use super::{
    BY_STATUS, create, declare, derived, described, fill, get, indexed, key, memory, order, put,
    without_jobs,
};
use hashrange_engine::TemplateMode;
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::{Value as Json, json};

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

/// Changes the status of an order.
fn set_status(database: &Database, sk: &str, status: &str) {
    let update = json!({
        "TableName": "orders", "Key": key(sk), "UpdateExpression": "SET #s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": status}},
    });
    database.ok("UpdateItem", &update);
}

#[test]
fn on_an_overloaded_index_the_keys_of_other_entities_stay() {
    let database = memory();
    create(&database);
    put_users_and_orders(&database, 30);
    let preview =
        block_on(database.engine.preview_key_template("orders", BY_STATUS, TemplateMode::Fill))
            .unwrap();
    let counts =
        [&preview.set, &preview.changed, &preview.kept, &preview.removed, &preview.refused];
    assert_eq!(counts.map(|count| count.items), [30, 0, 30, 0, 0]);
    assert!(preview.are_all && preview.warnings.is_empty(), "{preview:?}");
    assert!(described(&database).is_empty());
    let rewritten = fill(&database, BY_STATUS).rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.refused, rewritten.kept), (30, 0, 30));
    assert_eq!(derived(&database, "user07"), "EMAIL#user07@example.com -");
    assert_eq!(indexed(&database).len(), 60);
    // Later writes keep them, too, on every way to write.
    put(&database, &user("user31"));
    let batch = json!({"RequestItems": {"orders": [{"PutRequest": {"Item": user("user32")}}]}});
    database.ok("BatchWriteItem", &batch);
    let put_user = json!({"TableName": "orders", "Item": user("user33")});
    database.ok("TransactWriteItems", &json!({"TransactItems": [{"Put": put_user}]}));
    let statement = "INSERT INTO orders VALUE {'pk': 'p', 'sk': 'user34', 'GSI1PK': 'all', 'GSI1SK': 'EMAIL#user34@example.com'}";
    database.ok("ExecuteStatement", &json!({"Statement": statement}));
    for sk in ["user31", "user32", "user33", "user34"] {
        set_status(&database, sk, "NEW");
        assert_eq!(derived(&database, sk), format!("EMAIL#{sk}@example.com -"));
    }
    set_status(&database, "order07", "SENT");
    assert_eq!(derived(&database, "order07"), "- -");
    assert_eq!(indexed(&database).len(), 63);
    database.assert_sound();
}

#[test]
fn an_owner_sets_and_removes_what_others_wrote_and_says_so_before() {
    let database = memory();
    create(&database);
    put_users_and_orders(&database, 5);
    let owns = format!("owns {BY_STATUS}");
    let preview =
        block_on(database.engine.preview_key_template("orders", &owns, TemplateMode::Fill))
            .unwrap();
    assert_eq!((preview.set.items, preview.removed.items, preview.kept.items), (5, 5, 0));
    let first = &preview.removed.examples[0];
    assert_eq!(first.before.as_deref(), Some("EMAIL#user00@example.com"));
    assert_eq!(first.key.attributes().iter().count(), 2);
    let rewritten = fill(&database, &owns).rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.refused, rewritten.kept), (10, 0, 0));
    assert_eq!(derived(&database, "user03"), "- -");
    put(&database, &user("user03"));
    assert_eq!(derived(&database, "user03"), "- -");
    let mut edited = order("order03", "OPEN", "1");
    edited["GSI1SK"] = json!({"S": "mine"});
    put(&database, &edited);
    assert_eq!(derived(&database, "order03"), "OPEN#2026-11-25T07:30:00Z -");
    database.assert_sound();
}

#[test]
fn a_key_edited_by_hand_stays_until_it_is_the_templates_again() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    let mut edited = order("a", "OPEN", "1");
    edited["GSI1SK"] = json!({"S": "mine"});
    put(&database, &edited);
    assert_eq!(derived(&database, "a"), "mine -");
    set_status(&database, "a", "PLACED");
    assert_eq!(derived(&database, "a"), "mine -");
    // A client that writes what the template derives has given it back.
    edited["GSI1SK"] = json!({"S": "OPEN#2026-11-25T07:30:00Z"});
    put(&database, &edited);
    set_status(&database, "a", "PLACED");
    assert_eq!(derived(&database, "a"), "PLACED#2026-11-25T07:30:00Z -");
    let update = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET GSI1SK = :k",
        "ExpressionAttributeValues": {":k": {"S": "again"}},
    });
    database.ok("UpdateItem", &update);
    assert_eq!(derived(&database, "a"), "again -");
    let remove =
        json!({"TableName": "orders", "Key": key("a"), "UpdateExpression": "REMOVE GSI1SK"});
    database.ok("UpdateItem", &remove);
    assert_eq!(derived(&database, "a"), "PLACED#2026-11-25T07:30:00Z -");
    database.assert_sound();
}

#[test]
fn a_check_allows_keys_of_other_entities_unless_it_owns_the_attribute() {
    let database = memory();
    create(&database);
    declare(&database, BY_STATUS, TemplateMode::Check);
    put(&database, &user("user01"));
    let mut stale = order("a", "OPEN", "1");
    stale["GSI1SK"] = json!({"S": "OPEN#2026-11-25T07:30:00Z"});
    put(&database, &stale);
    let close = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET #s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "DONE"}},
    });
    let refused = database.fails("UpdateItem", &close);
    assert!(refused.ends_with("the item must not have it"), "{refused}");
    stale["GSI1SK"] = json!({"S": "mine"});
    let request = json!({"TableName": "orders", "Item": stale});
    let refused = database.fails("PutItem", &request);
    assert!(refused.ends_with("it must be \"OPEN#2026-11-25T07:30:00Z\""), "{refused}");
    declare(&database, &format!("owns {BY_STATUS}"), TemplateMode::Check);
    let refused =
        database.fails("PutItem", &json!({"TableName": "orders", "Item": user("user02")}));
    assert!(refused.ends_with("the item must not have it"), "{refused}");
    database.assert_sound();
}

#[test]
fn what_a_check_let_in_is_the_templates_and_a_former_value_only_where_it_is_stored() {
    let database = memory();
    create(&database);
    fill(&database, "GSI1SK = 'A#{status}'");
    put(&database, &order("a", "OPEN", "1"));
    declare(&database, "GSI1SK = 'A#{status}'", TemplateMode::Check);
    fill(&database, "GSI1SK = 'B#{status}'");
    assert_eq!(derived(&database, "a"), "B#OPEN -");
    // An item is refused, so that former templates are remembered.
    let mut bad = order("bad", "OPEN", "1");
    bad["placedAt"] = json!({"S": "soon"});
    put(&database, &bad);
    fill(&database, "GSI1SK = 'C#{placedAt:iso:day}'");
    put(&database, &order("b", "OPEN", "1"));
    let update = json!({
        "TableName": "orders", "Key": key("b"), "UpdateExpression": "SET GSI1SK = :k",
        "ExpressionAttributeValues": {":k": {"S": "B#OPEN"}},
    });
    database.ok("UpdateItem", &update);
    assert_eq!(derived(&database, "b"), "B#OPEN -");
    database.assert_sound();
}

#[test]
fn a_rewriting_is_of_its_template_alone() {
    let database = memory();
    create(&database);
    let mut item = order("a", "OPEN", "1");
    item["GSI1SK"] = json!({"S": "mine"});
    put(&database, &item);
    let mut other = order("b", "OPEN", "2");
    other["placedAt"] = json!({"S": "soon"});
    put(&database, &other);
    assert_eq!(fill(&database, BY_STATUS).rewritten.unwrap().refused, 1);
    let rewritten = fill(&database, "LSI1SK = '{price:pad:4}'").rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.refused, rewritten.kept), (2, 0, 0));
    assert_eq!(derived(&database, "b"), "- 0002");
    database.assert_sound();
}

#[test]
fn mistakes_are_told_with_the_nearest_name() {
    let database = memory();
    create(&database);
    put_users_and_orders(&database, 3);
    for (text, warnings) in [
        (
            "GSI1SK = '{stauts}#{price:pad:3}'",
            &["none of the 6 items that were looked at has stauts; did you mean status?"][..],
        ),
        (
            "GSI1SK = '{sk}' when stauts = 'OPEN'",
            &["none of the 6 items that were looked at has stauts; did you mean status?"],
        ),
        (
            "GSI1SK = '{sk}' when status = 'CLOSED'",
            &["case 1 of the template holds for none of the 6 items that were looked at"],
        ),
        (
            "GSI1SK = 'A' when status = 'OPEN' else 'B' else 'C' when type = 'User'",
            &["case 3 of the template and what follows can never hold: case 2 has no condition"],
        ),
        ("GSI1SK = '{status}#{price:pad:3}' when status = 'OPEN' else '{type}'", &[]),
    ] {
        let preview =
            block_on(database.engine.preview_key_template("orders", text, TemplateMode::Fill))
                .unwrap();
        assert_eq!(preview.warnings, warnings, "{text}");
        assert_eq!(fill(&database, text).warnings, warnings, "{text}");
    }
}

#[test]
fn a_template_stays_in_force_while_no_index_has_its_attribute() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    put(&database, &order("a", "OPEN", "1"));
    database.ok("UpdateTable", &json!({"TableName": "orders", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "global"}}]}));
    let template = described(&database).pop().unwrap();
    assert!(!template.is_key);
    set_status(&database, "a", "PLACED");
    put(&database, &order("b", "OPEN", "1"));
    assert_eq!(derived(&database, "a"), "PLACED#2026-11-25T07:30:00Z -");
    let names =
        ["GSI1PK", "GSI1SK"].map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let key = json!([{"AttributeName": "GSI1PK", "KeyType": "HASH"}, {"AttributeName": "GSI1SK", "KeyType": "RANGE"}]);
    database.ok(
        "UpdateTable",
        &json!({"TableName": "orders", "AttributeDefinitions": names, "GlobalSecondaryIndexUpdates": [
            {"Create": {"IndexName": "global", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}}]}),
    );
    let is_active = || {
        let table = database.ok("DescribeTable", &json!({"TableName": "orders"}));
        table["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    };
    while !is_active() {
        std::thread::yield_now();
    }
    assert_eq!(indexed(&database), ["b", "a"]);
    assert!(described(&database).pop().unwrap().is_key);
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
    assert_eq!((rewritten.refused, rewritten.kept), (0, 1));
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
    let rewritten = fill(&database, "LSI1SK = '{price:pad:4}'").rewritten.unwrap();
    assert_eq!((rewritten.changed, rewritten.kept), (1, 0));
    assert_eq!(derived(&database, "a"), "by hand 0001");
    let reopen = json!({
        "TableName": "orders", "Key": key("a"), "UpdateExpression": "SET #s = :s, placedAt = :t",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "OPEN"}, ":t": {"S": "2026-11-25"}},
    });
    database.ok("UpdateItem", &reopen);
    assert_eq!(derived(&database, "a"), "by hand 0001");
    database.assert_sound();
}

#[test]
fn what_templates_before_derived_is_not_taken_for_a_clients() {
    let database = Database::memory(without_jobs());
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
