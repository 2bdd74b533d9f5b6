//! An undo puts back the values of before a rewriting, where they are still the rewriting's.

use super::{BY_STATUS, create, derived, described, fill, indexed, memory, order, put};
use hashrange_engine::UndonePage;
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::json;

/// Undoes the template of GSI1SK, in as many calls as it takes.
fn undo(database: &Database) -> UndonePage {
    let mut all = UndonePage::default();
    while !all.is_done {
        let page = block_on(database.engine.undo_key_template("orders", "GSI1SK")).unwrap();
        all.restored += page.restored;
        all.left.extend(page.left);
        all.is_done = page.is_done;
    }
    all
}

#[test]
fn values_of_before_come_back_and_the_rest_is_listed() {
    let database = memory();
    create(&database);
    for nth in 0..300 {
        put(&database, &order(&format!("{nth:03}"), "OPEN", "1"));
    }
    let mut edited = order("edited", "OPEN", "1");
    edited["GSI1SK"] = json!({"S": "mine"});
    put(&database, &edited);
    fill(&database, &format!("owns {BY_STATUS}"));
    assert!(described(&database)[0].can_undo);
    assert_eq!(derived(&database, "edited"), "OPEN#2026-11-25T07:30:00Z -");
    put(&database, &order("007", "PLACED", "1"));
    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": super::key("008")}));
    put(&database, &order("later", "OPEN", "1"));
    let undone = undo(&database);
    assert_eq!((undone.restored, undone.left.len()), (299, 1));
    let left = &undone.left[0];
    assert_eq!(left.before.as_deref(), Some("PLACED#2026-11-25T07:30:00Z"));
    assert_eq!((&left.after, &left.why), (&None, &None));
    assert_eq!(derived(&database, "edited"), "mine -");
    assert_eq!(derived(&database, "009"), "- -");
    // What was written under the template is no rewriting.
    assert_eq!(derived(&database, "later"), "OPEN#2026-11-25T07:30:00Z -");
    assert!(described(&database).is_empty());
    assert_eq!(indexed(&database).len(), 3);
    let again = block_on(database.engine.undo_key_template("orders", "GSI1SK"));
    assert!(again.is_err());
    database.assert_sound();
}

#[test]
fn the_replaced_template_is_in_force_again() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    put(&database, &order("a", "OPEN", "1"));
    fill(&database, "GSI1SK = 'X#{status}'");
    assert_eq!(derived(&database, "a"), "X#OPEN -");
    assert_eq!(undo(&database).restored, 1);
    assert_eq!(derived(&database, "a"), "OPEN#2026-11-25T07:30:00Z -");
    put(&database, &order("b", "PLACED", "1"));
    assert_eq!(derived(&database, "b"), "PLACED#2026-11-25T07:30:00Z -");
    assert_eq!(described(&database)[0].text, BY_STATUS);
    database.assert_sound();
}

#[test]
fn items_changed_under_the_undone_template_follow_the_one_that_is_put_back() {
    let database = memory();
    create(&database);
    fill(&database, "GSI1SK = '{status}'");
    for sk in ["1", "2", "3"] {
        put(&database, &order(sk, "OPEN", "1"));
    }
    fill(&database, "GSI1SK = 'P#{price:pad:4}'");
    put(&database, &order("4", "OPEN", "4"));
    put(&database, &order("2", "SENT", "1"));
    let undone = undo(&database);
    assert_eq!((undone.restored, undone.left.len()), (3, 0));
    let keys = ["1", "2", "3", "4"].map(|sk| derived(&database, sk));
    assert_eq!(keys, ["OPEN -", "SENT -", "OPEN -", "OPEN -"]);
    database.assert_sound();
}

#[test]
fn the_same_template_again_can_still_be_undone() {
    let database = memory();
    create(&database);
    let mut item = order("a", "OPEN", "1");
    item["GSI1SK"] = json!({"S": "mine"});
    put(&database, &item);
    let owns = format!("owns {BY_STATUS}");
    fill(&database, &owns);
    fill(&database, &owns);
    assert!(described(&database)[0].can_undo);
    assert_eq!(undo(&database).restored, 1);
    assert_eq!(derived(&database, "a"), "mine -");
    assert!(described(&database).is_empty());
    database.assert_sound();
}

#[test]
fn declarations_at_the_same_time_end() {
    let database = memory();
    create(&database);
    for nth in 0..300 {
        put(&database, &order(&format!("{nth:03}"), "OPEN", "1"));
    }
    std::thread::scope(|scope| {
        for name in ["X", "Y"] {
            let database = &database;
            scope.spawn(move || {
                for nth in 0..10 {
                    fill(database, &format!("GSI1SK = '{name}{nth}#{{status}}'"));
                }
            });
        }
    });
    let text = described(&database)[0].text.clone();
    let begins = text.trim_start_matches("GSI1SK = '").split('#').next().unwrap().to_owned();
    assert_eq!(derived(&database, "000"), format!("{begins}#OPEN -"));
    database.assert_sound();
}

#[test]
fn a_kept_template_and_a_new_one_forget_the_former_values() {
    let database = memory();
    create(&database);
    put(&database, &order("a", "OPEN", "1"));
    fill(&database, BY_STATUS);
    block_on(database.engine.keep_key_template("orders", "GSI1SK")).unwrap();
    assert!(!described(&database)[0].can_undo);
    fill(&database, "GSI1SK = 'X#{status}'");
    fill(&database, "GSI1SK = 'Y#{status}'");
    // Only the last rewriting comes back.
    assert_eq!(undo(&database).restored, 1);
    assert_eq!(derived(&database, "a"), "X#OPEN -");
    database.assert_sound();
}
