//! Long jobs hold up nobody: jobs of all tables take turns.

use crate::database::{Database, index_creation, time_to_live};
use serde_json::json;

/// Returns the offset of the last commit that declared a key with this prefix.
fn last_commit(database: &Database, prefix: &[u8]) -> usize {
    let commits = database.store().commits();
    commits.iter().rposition(|key| key.starts_with(prefix)).unwrap()
}

#[test]
fn a_long_filling_of_an_index_holds_up_no_other_job() {
    let database = Database::new();
    let names: Vec<_> = (0..5000).map(|nth| format!("item {nth}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    database.create_named("long", &names);
    for table in ["short", "gone"] {
        database.create_named(table, &["a", "b", "c"]);
    }
    database.ok("UpdateTable", &index_creation("long"));
    database.ok("UpdateTimeToLive", &time_to_live("long", true));
    database.ok("UpdateTimeToLive", &time_to_live("short", true));
    database.ok("DeleteTable", &json!({"TableName": "gone"}));
    let start = database.store().commits().len();
    database.pass(0);
    let items_of_long = last_commit(&database, &[0x10, 0, 0, 0, 1]);
    assert!(items_of_long - start > 30, "the index and the expiry index are filled in many steps");
    // What marks the purge of table 3, and the progress of table 2's expiry index.
    for done in [&[0x01, 0x03, 0, 0, 0, 3][..], &[0x01, 0x07, 0, 0, 0, 2]] {
        let offset = last_commit(&database, done) - start;
        assert!(offset < 15, "{done:?} is done by commit {offset}");
    }
    assert_eq!(database.store().entries(&[0x01, 0x03]), []);
    database.assert_sound();
}
