//! Quotas of an account under the profile `aws`, and that no other profile has them.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, Profile};
use hashrange_testkit::database::{self, is_left_out_on_postgres};
use serde_json::{Value as Json, json};
use std::ops::Deref;

const DELAY_MS: u64 = 3000;
const MINUTE_MS: u64 = 60 * 1000;

struct Database(database::Database);

impl Deref for Database {
    type Target = database::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    fn open(profile: Profile) -> Self {
        let table_delay_ms = Some(DELAY_MS);
        let options =
            EngineOptions { profile, jobs_run: false, table_delay_ms, ..EngineOptions::default() };
        Self(database::Database::memory(options))
    }

    fn call(&self, operation: &str, request: &Json) -> Result<(), String> {
        self.0.call(operation, request).map(drop).map_err(|error| error.to_string())
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({...}) in place")]
    fn create(&self, name: &str, more: Json) -> Result<(), String> {
        let mut request = json!({
            "TableName": name,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call("CreateTable", &request)
    }

    /// Creates a table with provisioned units and waits for it.
    fn provisioned(&self, name: &str, read: i64, write: i64) -> Result<(), String> {
        let billing =
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(read, write)});
        let created = self.create(name, billing);
        self.clock.advance_ms(DELAY_MS);
        created
    }

    /// Changes the units of a table and waits for it.
    fn change(&self, name: &str, read: i64, write: i64) -> Result<(), String> {
        let request = json!({"TableName": name, "ProvisionedThroughput": units(read, write)});
        let changed = self.call("UpdateTable", &request);
        self.clock.advance_ms(DELAY_MS);
        changed
    }
}

fn units(read: i64, write: i64) -> Json {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn with_index() -> Json {
    json!({
        "GlobalSecondaryIndexes": [{
            "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        }],
    })
}

fn exceeded(sentence: &str) -> Result<(), String> {
    Err(format!("LimitExceededException: Subscriber limit exceeded: {sentence}"))
}

#[test]
fn so_many_tables_change_at_once() {
    let database = Database::open(Profile::Aws);
    let simultaneously = "tables can be created, updated, or deleted simultaneously";
    let refused = exceeded(&format!("Only 500 {simultaneously}"));
    for nth in 0..250 {
        database.create(&format!("table-{nth}"), with_index()).unwrap();
    }
    assert_eq!(
        database.create("more", with_index()),
        exceeded(
            "You have exceeded the maximum number of indexed tables that can be created \
             simultaneously"
        )
    );
    for nth in 250..500 {
        database.create(&format!("table-{nth}"), json!({})).unwrap();
    }
    assert_eq!(database.create("more", json!({})), refused);
    database.clock.advance_ms(DELAY_MS);
    for nth in 0..300 {
        database.call("DeleteTable", &json!({"TableName": format!("table-{nth}")})).unwrap();
    }
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let enable = |nth| json!({"TableName": format!("table-{nth}"), "StreamSpecification": stream});
    for nth in 300..499 {
        database.call("UpdateTable", &enable(nth)).unwrap();
    }
    database.create("last", json!({})).unwrap();
    let table = json!({"TableName": "table-499"});
    let expires = json!({"Enabled": true, "AttributeName": "until"});
    for (operation, request) in [
        ("UpdateTable", enable(499)),
        ("DeleteTable", table.clone()),
        ("UpdateTimeToLive", json!({"TableName": "table-499", "TimeToLiveSpecification": expires})),
    ] {
        assert_eq!(database.call(operation, &request), refused, "{operation}");
    }
    database.clock.advance_ms(DELAY_MS);
    database.call("DeleteTable", &table).unwrap();
}

#[test]
fn an_account_has_so_many_tables() {
    if is_left_out_on_postgres("2,500 tables take minutes there") {
        return;
    }
    let database = Database::open(Profile::Aws);
    for nth in 0..2500 {
        if nth % 400 == 0 {
            database.clock.advance_ms(DELAY_MS);
        }
        database.create(&format!("table-{nth}"), json!({})).unwrap();
    }
    database.clock.advance_ms(DELAY_MS);
    let refused = exceeded("There is a limit of 2500 tables per subscriber");
    assert_eq!(database.create("more", json!({})), refused);
    database.call("DeleteTable", &json!({"TableName": "table-7"})).unwrap();
    assert_eq!(database.create("more", json!({})), refused);
    database.clock.advance_ms(DELAY_MS);
    database.create("more", json!({})).unwrap();
}

/// The clock begins at midnight.
#[test]
fn units_go_down_four_times_a_day_and_then_once_an_hour() {
    let database = Database::open(Profile::Aws);
    database.provisioned("tab", 100, 100).unwrap();
    for nth in 1..=4 {
        database.change("tab", 100 - nth, 100).unwrap();
    }
    let refused = exceeded(
        "Provisioned throughput decreases are limited within a given UTC day. After the first 4 \
         decreases, each subsequent decrease in the same UTC day can be performed at most once \
         every 3600 seconds. Number of decreases today: 4. Last decrease at Thursday, January 1, \
         2026 at 12:00:12 AM Coordinated Universal Time. Next decrease can be made at Thursday, \
         January 1, 2026 at 1:00:12 AM Coordinated Universal Time",
    );
    assert_eq!(database.change("tab", 90, 100), refused);
    assert_eq!(database.change("tab", 90, 200), refused);
    // Up as often as one likes.
    database.change("tab", 96, 200).unwrap();
    database.clock.advance_ms(59 * MINUTE_MS);
    assert_eq!(database.change("tab", 90, 200), refused);
    database.clock.advance_ms(MINUTE_MS);
    database.change("tab", 90, 200).unwrap();
    assert!(database.change("tab", 80, 200).is_err());
    // A new day.
    database.clock.advance_ms(23 * 60 * MINUTE_MS);
    for nth in 1..=4 {
        database.change("tab", 90 - nth, 200).unwrap();
    }
    assert!(database.change("tab", 80, 200).is_err());
}

#[test]
fn tables_and_accounts_have_so_many_units() {
    let database = Database::open(Profile::Aws);
    let refer = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request \
                 higher limits.";
    let of_table = |kind: &str, requested: i64| {
        Err(format!(
            "LimitExceededException: The requested {kind}CapacityUnits, {requested}, is above the \
             per table maximum for the account in us-east-1. Per table maximum: 40000. {refer}"
        ))
    };
    let of_account = |kind: &str, reserved: i64, requested: i64| {
        Err(format!(
            "LimitExceededException: This request would have caused the {kind}CapacityUnits limit \
             to be exceeded for the account in us-east-1. Current {kind}CapacityUnits reserved by \
             the account: {reserved}. Limit: 80000. Requested: {requested}. {refer}"
        ))
    };
    assert_eq!(database.provisioned("one", 40_001, 1), of_table("Read", 40_001));
    database.provisioned("one", 40_000, 10).unwrap();
    assert_eq!(database.change("one", 40_000, 40_001), of_table("Write", 40_001));
    database.provisioned("two", 30_000, 10).unwrap();
    assert_eq!(database.provisioned("three", 10_001, 10), of_account("Read", 70_000, 10_001));
    database.provisioned("three", 10_000, 10).unwrap();
    assert_eq!(database.change("two", 30_001, 10), of_account("Read", 80_000, 1));
    database.change("two", 20_000, 20).unwrap();
    database.change("three", 20_000, 10).unwrap();
    let index = json!({
        "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "ProvisionedThroughput": units(1, 40_001),
    });
    let more = json!({
        "BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1),
        "GlobalSecondaryIndexes": [index],
    });
    assert_eq!(
        database.create("four", more),
        Err(format!(
            "LimitExceededException: The requested WriteCapacityUnits for index index, 40001, is \
             above the per index maximum for the account in us-east-1. Per index maximum: 40000. \
             {refer}"
        ))
    );
    let more = json!({"OnDemandThroughput": {"MaxReadRequestUnits": 40_001}});
    assert_eq!(
        database.create("four", more),
        exceeded(
            "Requested MaxReadRequestUnits for OnDemandThroughput for table exceeds \
             TableMaxReadCapacityUnits of the account in region us-east-1"
        )
    );
    let index = json!({
        "IndexName": "index", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "OnDemandThroughput": {"MaxWriteRequestUnits": 40_001},
    });
    assert_eq!(
        database.create("four", json!({"GlobalSecondaryIndexes": [index]})),
        exceeded(
            "Requested MaxWriteRequestUnits for OnDemandThroughput for index : index exceeds \
             TableMaxWriteCapacityUnits of the account in region us-east-1"
        )
    );
}

#[test]
fn other_profiles_have_no_quotas() {
    for profile in [Profile::Default, Profile::Hostile] {
        let database = Database::open(profile);
        for nth in 0..510 {
            database.create(&format!("table-{nth}"), with_index()).unwrap();
        }
        database.provisioned("tab", 100_000, 100_000).unwrap();
        for nth in 1..=6 {
            database.change("tab", 100_000 - nth, 100_000).unwrap();
        }
    }
}
