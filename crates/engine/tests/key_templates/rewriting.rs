//! Items that exist are rewritten in the background: online, across restarts and servers, each by what it
//! is then.

use super::{
    BY_STATUS, create, derived, described, fill, indexed, memory, order, put, without_jobs,
};
use hashrange_engine::EngineOptions;
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::json;
use std::path::Path;

const OPEN: &str = "OPEN#2026-11-25T07:30:00Z -";

fn put_orders(database: &Database, count: usize) {
    for nth in 0..count {
        let status = if nth % 2 == 0 { "OPEN" } else { "DONE" };
        put(database, &order(&format!("{nth:04}"), status, "1"));
    }
}

#[test]
fn existing_items_are_rewritten_and_counted() {
    let database = memory();
    create(&database);
    put_orders(&database, 300);
    let mut bad = order("bad", "OPEN", "1");
    bad["placedAt"] = json!({"S": "soon"});
    put(&database, &bad);
    assert!(indexed(&database).is_empty());
    let declared = fill(&database, BY_STATUS);
    assert_eq!(declared.rewriting, None);
    let rewritten = declared.rewritten.unwrap();
    assert_eq!((rewritten.examined, rewritten.changed, rewritten.refused), (301, 150, 1));
    assert_eq!(
        rewritten.first_refused.unwrap(),
        "ValidationException: The key template of the attribute GSI1SK refuses the item: placedAt is no time in \
         the form of 2026-11-25, 2026-11-25T08:00, 2026-11-25T08:00:00.5+02:00 or 20261125T080000Z"
    );
    assert_eq!(indexed(&database).len(), 150);
    assert_eq!(derived(&database, "bad"), "- -");
    // A changed template turns some out and takes others in.
    let declared = fill(&database, "GSI1SK = '{status}' when status in [DONE]");
    let rewritten = declared.rewritten.unwrap();
    assert_eq!((rewritten.examined, rewritten.changed, rewritten.refused), (301, 300, 0));
    assert_eq!(indexed(&database).len(), 150);
    assert_eq!(derived(&database, "0001"), "DONE -");
    assert_eq!(derived(&database, "0000"), "- -");
    database.assert_sound();
}

#[test]
fn writes_go_on_meanwhile_and_follow_the_new_template() {
    let database = Database::memory(without_jobs());
    create(&database);
    put_orders(&database, 200);
    let declared = fill(&database, BY_STATUS);
    let rewriting = declared.rewriting.unwrap();
    assert_eq!((rewriting.so_far.examined, rewriting.items), (0, 200));
    assert_eq!(derived(&database, "0000"), "- -");
    put(&database, &order("0001", "OPEN", "1"));
    put(&database, &order("0002", "DONE", "1"));
    assert_eq!(derived(&database, "0001"), OPEN);
    database.run_jobs();
    let rewritten = described(&database).pop().unwrap().rewritten.unwrap();
    // Two of a hundred open ones were written meanwhile: one was none before, one is none now.
    assert_eq!((rewritten.examined, rewritten.changed), (200, 99));
    assert_eq!(indexed(&database).len(), 100);
    database.assert_sound();
}

#[test]
fn rewriting_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path, options| Database::folder(path, options);
    let database = open(folder.path(), without_jobs());
    create(&database);
    put_orders(&database, 150);
    fill(&database, BY_STATUS);
    database.close();
    let database = open(folder.path(), without_jobs());
    assert!(described(&database)[0].rewriting.is_some());
    assert!(indexed(&database).is_empty());
    database.run_jobs();
    let rewritten = described(&database).pop().unwrap().rewritten.unwrap();
    assert_eq!((rewritten.examined, rewritten.changed), (150, 75));
    assert_eq!(indexed(&database).len(), 75);
    database.assert_sound();
    database.close();
    // With nothing left to do.
    let database = open(folder.path(), EngineOptions::default());
    assert_eq!(described(&database)[0].rewriting, None);
    database.close();
}

#[test]
fn a_template_that_changes_meanwhile_begins_again() {
    let database = Database::memory(without_jobs());
    create(&database);
    put_orders(&database, 100);
    fill(&database, BY_STATUS);
    fill(&database, "GSI1SK = 'X#{status}'");
    database.run_jobs();
    let rewritten = described(&database).pop().unwrap().rewritten.unwrap();
    assert_eq!((rewritten.examined, rewritten.changed), (100, 100));
    assert_eq!(derived(&database, "0001"), "X#DONE -");
    // One that is dropped meanwhile leaves the items.
    fill(&database, BY_STATUS);
    block_on(database.engine.delete_key_template("orders", "GSI1SK")).unwrap();
    database.run_jobs();
    assert_eq!(derived(&database, "0001"), "X#DONE -");
    assert!(described(&database).is_empty());
    database.assert_sound();
}

#[test]
fn servers_on_one_store_follow_a_template_at_once() {
    let [one, other] = <[Database; 2]>::try_from(Database::sharing(2, &without_jobs())).unwrap();
    create(&one);
    put_orders(&one, 150);
    put(&other, &order("other", "OPEN", "1"));
    fill(&one, BY_STATUS);
    // The other server plans by the old definition, and is told to plan again.
    put(&other, &order("other", "PLACED", "1"));
    assert_eq!(derived(&one, "other"), "PLACED#2026-11-25T07:30:00Z -");
    for database in [&one, &other] {
        database.engine.sweep();
        database.run_jobs();
    }
    for database in [&one, &other] {
        assert_eq!(indexed(database).len(), 76);
        assert_eq!(derived(database, "0000"), OPEN);
    }
    assert_eq!(described(&one)[0].rewriting, None);
    one.assert_sound();
}

/// An item that does not fit an index which was added later is rewritten for another one, and written again by
/// a client when it is put right.
#[test]
fn an_item_that_fits_no_index_is_rewritten_all_the_same() {
    let database = memory();
    create(&database);
    let mut item = order("0000", "OPEN", "1");
    item["late"] = json!({"N": "1"});
    put(&database, &item);
    let added = json!({
        "TableName": "orders",
        "AttributeDefinitions": [{"AttributeName": "late", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "late", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "late", "KeyType": "HASH"}],
        }}],
    });
    database.ok("UpdateTable", &added);
    database.run_jobs();
    let rewritten = fill(&database, BY_STATUS).rewritten.unwrap();
    // A page that is begun again, because definitions changed meanwhile, finds the item changed already.
    assert_eq!((rewritten.examined, rewritten.refused), (1, 0));
    assert_eq!(derived(&database, "0000"), OPEN);
    let update = |expression: &str| {
        json!({
            "TableName": "orders", "Key": {"pk": {"S": "p"}, "sk": {"S": "0000"}},
            "UpdateExpression": expression, "ExpressionAttributeValues": {":s": {"S": "DONE"}},
            "ExpressionAttributeNames": {"#s": "status"},
        })
    };
    let refused = database.call("UpdateItem", &update("SET #s = :s")).unwrap_err();
    assert!(refused.to_string().contains("Type mismatch for Index Key late"), "{refused}");
    database.ok("UpdateItem", &update("SET #s = :s REMOVE late"));
    assert_eq!(derived(&database, "0000"), "- -");
    database.assert_sound();
}
