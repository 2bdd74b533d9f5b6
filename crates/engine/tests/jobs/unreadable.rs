//! An item that cannot be read fails what would leave it out: an index is not complete without it.

use crate::database::Database;
use hashrange_engine::verify;
use hashrange_storage::{Bytes, Store, block_on};

/// Damages one item while `prepare`'s job runs, which must not be done before it is whole again.
fn assert_waits(prepare: impl Fn(&Database), is_done: impl Fn(&Database) -> bool, index: u8) {
    for nth in 0..3 {
        let database = Database::new();
        database.create();
        let (key, whole) = database.store().entries(&[0x10]).remove(nth);
        database.store().put(&key, Bytes::from_static(b"\xffno item"));
        prepare(&database);
        for ms in [0, 1000, 2000, 4000] {
            database.pass(ms);
            assert!(!is_done(&database), "item {nth} is left out");
        }
        database.store().put(&key, whole);
        database.pass(60_000);
        assert!(is_done(&database));
        let entries = match index {
            0 => database.store().entries(&[0x21]),
            index => database.store().entries(&[0x10, 0, 0, 0, 1, 0, index]),
        };
        assert_eq!(entries.len(), 3);
        database.assert_sound();
    }
}

#[test]
fn an_index_is_not_complete_without_every_item() {
    assert_waits(Database::create_index, |database| database.index_status() == "ACTIVE", 1);
}

#[test]
fn an_expiry_index_is_not_complete_without_every_item() {
    let turn_on = |database: &Database| database.turn_time_to_live(true);
    assert_waits(turn_on, |database| database.time_to_live_status() == "ENABLED", 0);
}

#[test]
fn an_item_with_another_size_than_its_attributes_is_found() {
    let database = Database::new();
    database.create();
    database.assert_sound();
    let (key, stored) = database.store().entries(&[0x10]).remove(0);
    let mut changed = stored.to_vec();
    changed[1] += 1; // the size, after the form's version
    database.store().put(&key, changed.into());
    let report = block_on(verify(&block_on(Store::view(database.store())).unwrap())).unwrap();
    let found = report.problems.iter().find(|problem| problem.key == key).unwrap();
    assert_eq!(found.what, "an item has another size than its attributes");
}
