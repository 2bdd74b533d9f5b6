//! Numbers of tables and indexes: one that cannot be read is damage, one that has no successor is the
//! last; none is given twice.

use crate::database::{Database, index_creation};
use hashrange_model::ErrorKind;
use hashrange_storage::Bytes;
use serde_json::{Value as Json, json};

const NEXT_TABLE: [u8; 2] = [0x01, 0x02];

fn creation(name: &str) -> Json {
    json!({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    })
}

#[test]
fn a_damaged_number_of_the_next_table_is_no_number() {
    for damaged in [&[][..], &[1], &[2, 0, 0], &[1, 0, 0, 0], &[2, 0, 0, 0, 0]] {
        let database = Database::new();
        database.create();
        let keys = database.store().len();
        database.store().put(&NEXT_TABLE, Bytes::copy_from_slice(damaged));
        let error = database.call("CreateTable", &creation("other")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InternalServerError, "{damaged:?}");
        assert_eq!(database.store().len(), keys);
        database.store().put(&NEXT_TABLE, Bytes::from_static(&[2, 0, 0, 0]));
        database.ok("CreateTable", &creation("other"));
        assert_eq!(database.ok("Scan", &json!({"TableName": "other"}))["Count"], 0);
        database.assert_sound();
    }
}

#[test]
fn after_the_last_number_there_is_no_table() {
    let database = Database::new();
    database.store().put(&NEXT_TABLE, Bytes::copy_from_slice(&u32::MAX.to_le_bytes()));
    let error = database.call("CreateTable", &creation("other")).unwrap_err();
    assert_eq!(error.to_string(), "LimitExceededException: No number is left for new tables.");
    database.store().put(&NEXT_TABLE, Bytes::copy_from_slice(&(u32::MAX - 1).to_le_bytes()));
    database.ok("CreateTable", &creation("other"));
    database.call("CreateTable", &creation("one more")).unwrap_err();
}

#[test]
fn after_the_last_number_there_is_no_index() {
    let database = Database::new();
    database.create();
    let record = [0x01, 0x01, 0, 0, 0, 1];
    let (_, stored) = database.store().entries(&record).remove(0);
    let mut changed: Json = serde_json::from_slice(&stored).unwrap();
    changed["next_index_id"] = json!(u16::MAX);
    database.store().put(&record, Bytes::from(changed.to_string()));
    let database = database.reopened();
    let error = database.call("UpdateTable", &index_creation("table")).unwrap_err();
    let words = "LimitExceededException: No number is left for new indexes of this table.";
    assert_eq!(error.to_string(), words);
    assert_eq!(database.ok("Scan", &json!({"TableName": "table"}))["Count"], 3);
}
