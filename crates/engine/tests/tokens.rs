//! Client request tokens through time: they count for ten minutes, across a restart, and are removed
//! afterwards.

use hashrange_engine::{EngineOptions, Environment};
use hashrange_model::{ApiError, ErrorKind};
use hashrange_testkit::database::{Database, embedded};
use hashrange_testkit::environment::virtual_environment;
use serde_json::json;
use std::time::Duration;

const TEN_MINUTES_MS: u64 = 10 * 60 * 1000;

fn create_table(database: &Database) {
    let definition = json!({
        "TableName": "counts", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    });
    database.ok("CreateTable", &definition);
}

/// Adds `by` to the one item under a token.
fn add(database: &Database, by: u32, token: &str) -> Result<(), ApiError> {
    let request = json!({
        "ClientRequestToken": token,
        "TransactItems": [{"Update": {
            "TableName": "counts", "Key": {"pk": {"S": "a"}},
            "UpdateExpression": "ADD n :by",
            "ExpressionAttributeValues": {":by": {"N": by.to_string()}},
        }}],
    });
    database.call("TransactWriteItems", &request).map(drop)
}

fn count(database: &Database) -> String {
    let answer = database.ok("GetItem", &json!({"TableName": "counts", "Key": {"pk": {"S": "a"}}}));
    answer["Item"]["n"]["N"].as_str().unwrap_or_default().to_owned()
}

/// Returns the number of keys in the space of tokens.
fn token_keys(database: &Database) -> usize {
    database.stored(&[4]).len()
}

#[test]
fn a_token_counts_for_ten_minutes_and_is_removed_afterwards() {
    let database = Database::memory(EngineOptions::default());
    create_table(&database);
    add(&database, 1, "t").unwrap();
    database.clock.advance_ms(TEN_MINUTES_MS);
    add(&database, 1, "t").unwrap();
    assert_eq!(count(&database), "1");
    let error = add(&database, 2, "t").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IdempotentParameterMismatch);
    database.engine.sweep();
    assert_eq!(token_keys(&database), 2, "it is still in use");

    database.clock.advance_ms(1);
    add(&database, 2, "t").unwrap();
    assert_eq!(count(&database), "3");
    assert_eq!(token_keys(&database), 2, "the new use has taken the place of the old one");
    database.assert_sound();

    database.clock.advance_ms(TEN_MINUTES_MS);
    database.engine.sweep();
    assert_eq!(token_keys(&database), 2);
    database.clock.advance_ms(1);
    database.engine.sweep();
    assert_eq!(token_keys(&database), 0);
}

#[test]
fn a_sweep_takes_many_tokens_and_only_old_ones() {
    let database = Database::memory(EngineOptions::default());
    create_table(&database);
    (0..1203).for_each(|nth| add(&database, 1, &format!("old-{nth}")).unwrap());
    database.clock.advance_ms(1000);
    (0..3).for_each(|nth| add(&database, 1, &format!("new-{nth}")).unwrap());
    database.clock.advance_ms(TEN_MINUTES_MS);
    database.engine.sweep();
    assert_eq!(token_keys(&database), 6);
    database.assert_sound();
}

#[test]
fn tokens_survive_a_restart_and_the_timer_removes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (environment, clock) = virtual_environment();
    let reopen = |environment: Environment| {
        let store = embedded(folder.path());
        Database::open(store, (environment, clock.clone()), EngineOptions::default())
    };
    let database = reopen(environment.clone());
    create_table(&database);
    add(&database, 1, "t").unwrap();
    database.close();

    let database = reopen(environment.clone());
    add(&database, 1, "t").unwrap();
    assert_eq!(count(&database), "1");
    database.close();

    clock.advance_ms(TEN_MINUTES_MS + 1);
    let sweep_interval = Some(Duration::from_millis(1));
    let database = reopen(Environment { sweep_interval, ..environment });
    while token_keys(&database) > 0 {
        std::thread::yield_now();
    }
    database.assert_sound();
    database.close();
}
