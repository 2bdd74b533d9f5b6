//! States of tables under the profile `aws`, on a virtual clock: how long each change takes, what
//! is described meanwhile, and what else is admitted.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, Profile};
use hashrange_testkit::database;
use serde_json::{Value as Json, json};
use std::ops::Deref;

const IN_USE: &str = "ResourceInUseException: Attempt to change a resource which is still in use: ";
const ONE_INDEX: &str = "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

struct Database(database::Database);

impl Deref for Database {
    type Target = database::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    fn open() -> Self {
        Self(database::Database::memory(EngineOptions {
            profile: Profile::Aws,
            jobs_run: false,
            ..EngineOptions::default()
        }))
    }

    /// Opens a database with a table in use, provisioned or on demand, with one index.
    fn with_table(provisioned: bool) -> Self {
        let database = Self::open();
        let units = || if provisioned { units(5) } else { Json::Null };
        let mode = if provisioned { "PROVISIONED" } else { "PAY_PER_REQUEST" };
        database.ok(
            "CreateTable",
            &json!({
                "TableName": "tab",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": mode, "ProvisionedThroughput": units(),
                "GlobalSecondaryIndexes": [{
                    "IndexName": "old", "Projection": {"ProjectionType": "ALL"},
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "ProvisionedThroughput": units(),
                }],
            }),
        );
        database.clock.advance_ms(18_000);
        database
    }

    /// Calls an operation and does the jobs that it leaves behind.
    fn call(&self, operation: &str, request: &Json) -> Result<Json, String> {
        let answer = self.0.call(operation, request);
        self.run_jobs();
        answer.map_err(|error| error.to_string())
    }

    fn ok(&self, operation: &str, request: &Json) -> Json {
        self.call(operation, request).unwrap()
    }

    fn update(&self, change: &Json) -> Result<Json, String> {
        let mut request = json!({"TableName": "tab"});
        request.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        self.call("UpdateTable", &request).map(|answer| answer["TableDescription"].clone())
    }

    fn delete(&self) -> Result<Json, String> {
        self.call("DeleteTable", &json!({"TableName": "tab"}))
    }

    fn describe(&self) -> Json {
        self.ok("DescribeTable", &json!({"TableName": "tab"}))["Table"].clone()
    }

    /// Asserts that a status of the description lasts so long.
    fn lasts(&self, pointer: &str, meanwhile: &str, ms: u64, then: &Json) {
        let status = || self.describe().pointer(pointer).cloned().unwrap_or(Json::Null);
        assert_eq!(status(), meanwhile, "{pointer}");
        self.clock.advance_ms(ms - 1);
        assert_eq!(status(), meanwhile, "{pointer} after {ms} ms");
        self.clock.advance_ms(1);
        assert_eq!(status(), *then, "{pointer} at {ms} ms");
    }

    /// Asserts that each of these is refused with its words.
    fn refuses(&self, cases: &[(Json, &str)]) {
        for (change, words) in cases {
            let answer = if change.is_null() { self.delete() } else { self.update(change) };
            assert_eq!(answer, Err(format!("{IN_USE}{words}")), "{change}");
        }
    }
}

fn units(units: i64) -> Json {
    json!({"ReadCapacityUnits": units, "WriteCapacityUnits": units})
}

fn capacity(count: i64) -> Json {
    json!({"ProvisionedThroughput": units(count)})
}

fn stream(enabled: bool) -> Json {
    let mut specification = json!({"StreamEnabled": enabled});
    if enabled {
        specification["StreamViewType"] = json!("KEYS_ONLY");
    }
    json!({"StreamSpecification": specification})
}

fn class(name: &str) -> Json {
    json!({"TableClass": name})
}

fn encryption(enabled: bool) -> Json {
    json!({"SSESpecification": {"Enabled": enabled}})
}

fn new_index(name: &str) -> Json {
    json!({
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        }}],
    })
}

fn no_index(name: &str) -> Json {
    json!({"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]})
}

fn index_units(name: &str, count: i64) -> Json {
    json!({"GlobalSecondaryIndexUpdates": [
        {"Update": {"IndexName": name, "ProvisionedThroughput": units(count)}},
    ]})
}

fn index_warm(name: &str, read: i64) -> Json {
    json!({"GlobalSecondaryIndexUpdates": [
        {"Update": {"IndexName": name, "WarmThroughput": {"ReadUnitsPerSecond": read}}},
    ]})
}

fn warm(read: i64) -> Json {
    json!({"WarmThroughput": {"ReadUnitsPerSecond": read}})
}

fn maxima(read: i64) -> Json {
    json!({"OnDemandThroughput": {"MaxReadRequestUnits": read}})
}

fn protection(on: bool) -> Json {
    json!({"DeletionProtectionEnabled": on})
}

#[test]
fn creation_and_deletion_take_their_time() {
    let database = Database::open();
    let create = json!({
        "TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    });
    database.ok("CreateTable", &create);
    assert_eq!(
        database.describe()["BillingModeSummary"],
        json!({"BillingMode": "PAY_PER_REQUEST"})
    );
    let words = "Table is being created: tab";
    database.refuses(&[(Json::Null, words), (warm(13_000), words), (encryption(true), words)]);
    assert_eq!(
        database.update(&protection(true)).unwrap_err(),
        "ResourceInUseException: Table needs to be in ACTIVE status to modify deletion protection setting."
    );
    assert_eq!(database.call("CreateTable", &create).unwrap_err(), format!("{IN_USE}{words}"));
    database.lasts("/TableStatus", "CREATING", 6000, &json!("ACTIVE"));
    assert!(
        database.describe()["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"].is_number()
    );
    database.delete().unwrap();
    let words = "Table is being deleted: tab";
    database.refuses(&[(Json::Null, words), (protection(true), words)]);
    assert_eq!(
        database.call("CreateTable", &create).unwrap_err(),
        "ResourceInUseException: Table already exists: tab"
    );
    database.clock.advance_ms(4999);
    assert_eq!(database.describe()["TableStatus"], "DELETING");
    database.clock.advance_ms(1);
    assert!(database.call("DescribeTable", &json!({"TableName": "tab"})).is_err());
    // The name begins anew, with states of its own.
    database.ok("CreateTable", &create);
    database.lasts("/TableStatus", "CREATING", 6000, &json!("ACTIVE"));
}

#[test]
fn units_show_the_old_values_until_they_are_there() {
    let database = Database::with_table(true);
    database.update(&capacity(7)).unwrap();
    assert_eq!(database.describe()["ProvisionedThroughput"]["ReadCapacityUnits"], 5);
    let busy = "Table IOPS are currently being updated. Table: tab";
    database.refuses(&[
        (Json::Null, "Table: tab is in the process of being updated."),
        (capacity(8), busy),
        (json!({"BillingMode": "PAY_PER_REQUEST"}), busy),
        (
            stream(true),
            "Can't enable or disable stream while table IOPS are being updated. Table: tab",
        ),
        (
            no_index("old"),
            "Can't create or delete indexes while table IOPS are being updated. Table: tab",
        ),
    ]);
    database.update(&protection(false)).unwrap();
    database.update(&encryption(true)).unwrap();
    database.lasts("/TableStatus", "UPDATING", 1500, &json!("ACTIVE"));
    assert_eq!(database.describe()["ProvisionedThroughput"]["ReadCapacityUnits"], 7);
}

#[test]
fn the_billing_mode_changes_slowly_and_then_faster() {
    let database = Database::with_table(false);
    let mut provisioned = capacity(5);
    provisioned["BillingMode"] = json!("PROVISIONED");
    provisioned["GlobalSecondaryIndexUpdates"] =
        index_units("old", 5)["GlobalSecondaryIndexUpdates"].clone();
    let on_demand = json!({"BillingMode": "PAY_PER_REQUEST"});
    for (change, ms) in
        [(&provisioned, 80_000), (&on_demand, 140_000), (&provisioned, 2000), (&on_demand, 3000)]
    {
        let answer = database.update(change).unwrap();
        assert_eq!(answer["BillingModeSummary"]["BillingMode"], change["BillingMode"]);
        database
            .refuses(&[(on_demand.clone(), "Table IOPS are currently being updated. Table: tab")]);
        database.lasts("/TableStatus", "UPDATING", ms, &json!("ACTIVE"));
    }
    database.update(&on_demand).unwrap();
    assert_eq!(database.describe()["TableStatus"], "ACTIVE");
}

#[test]
fn a_stream_and_a_class_change_one_after_the_other() {
    let database = Database::with_table(false);
    let answer = database.update(&stream(true)).unwrap();
    let place = format!(
        "Table: tab Stream: {} Operation: ENABLE",
        answer["LatestStreamLabel"].as_str().unwrap()
    );
    let with = |words: &str| format!("{words} {place}");
    database.refuses(&[
        (Json::Null, "Cannot delete table while stream is being enabled/disabled."),
        (stream(false), &with("A stream status change is currently in progress.")),
        (
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1)}),
            &with("Can't change table IOPS when stream status is being updated."),
        ),
        (
            class("STANDARD_INFREQUENT_ACCESS"),
            &with("Can't update table class when stream status is being updated."),
        ),
        (
            no_index("old"),
            &with("Can't create or delete an index when stream status is being updated."),
        ),
        (
            maxima(5),
            "OnDemandThroughput cannot be updated while stream status update is in progress",
        ),
    ]);
    database.update(&warm(13_000)).unwrap();
    database.lasts("/TableStatus", "UPDATING", 4000, &json!("ACTIVE"));
    database.update(&class("STANDARD_INFREQUENT_ACCESS")).unwrap();
    assert_eq!(database.describe()["TableClassSummary"], Json::Null);
    let place = "Table: tab TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS";
    let with = |words: &str| format!("{words} {place}");
    database.refuses(&[
        (Json::Null, "Table: tab is in the process of being updated."),
        (
            class("STANDARD"),
            &with("Can't update table class when a table class update is in progress."),
        ),
        (
            stream(false),
            &with("Can't change stream status when a table class update is in progress."),
        ),
        (
            new_index("new"),
            &with("Can't create or delete an index when a table class update is in progress."),
        ),
        (
            maxima(5),
            "OnDemandThroughput cannot be updated while TableClass update is in progress. \
             TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS",
        ),
    ]);
    database.update(&encryption(true)).unwrap();
    database.lasts("/TableStatus", "UPDATING", 4000, &json!("ACTIVE"));
    assert_eq!(
        database.describe()["TableClassSummary"]["TableClass"],
        "STANDARD_INFREQUENT_ACCESS"
    );
}

#[test]
fn encryption_and_warmth_leave_the_table_active() {
    let database = Database::with_table(false);
    database.update(&encryption(true)).unwrap();
    assert_eq!(database.describe()["TableStatus"], "ACTIVE");
    database.refuses(&[
        (encryption(false), "Server-Side Encryption is still being updated"),
        (Json::Null, "Table: tab is in the process of being updated."),
    ]);
    database.update(&maxima(5)).unwrap();
    database.lasts("/SSEDescription/Status", "UPDATING", 22_000, &json!("ENABLED"));
    database.update(&warm(13_000)).unwrap();
    assert_eq!(database.describe()["WarmThroughput"]["ReadUnitsPerSecond"], 12_000);
    assert_eq!(database.describe()["TableStatus"], "ACTIVE");
    database.refuses(&[(Json::Null, "Table: tab is in the process of being updated.")]);
    database.lasts("/WarmThroughput/Status", "UPDATING", 390_000, &json!("ACTIVE"));
    assert_eq!(database.describe()["WarmThroughput"]["ReadUnitsPerSecond"], 13_000);
    database.update(&warm(14_000)).unwrap();
    database.lasts("/WarmThroughput/Status", "UPDATING", 2000, &json!("ACTIVE"));
}

#[test]
fn an_index_waits_for_resources_and_is_then_filled() {
    let database = Database::with_table(false);
    database.update(&new_index("new")).unwrap();
    let index = "/GlobalSecondaryIndexes/1";
    let described = database.describe();
    assert_eq!(described.pointer(index).unwrap()["IndexStatus"], "CREATING");
    assert_eq!(described.pointer(index).unwrap()["Backfilling"], false);
    let words =
        "Can't change stream status when an index is being created. Table: tab Indexes: [new]";
    database.refuses(&[
        (Json::Null, "Cannot delete table while indexes are being created, updated, or deleted."),
        (stream(true), words),
        (
            maxima(5),
            "OnDemandThroughput cannot be updated while index creation is in progress for indexes: [new]",
        ),
        (
            no_index("new"),
            "Index creation is in resource allocation phase. Retry deletion during backfilling \
             phase or when the index is active. Table: tab Index: new",
        ),
        (
            index_warm("new", 13_000),
            "Index is being created but is not backfilling yet. Table: tab Index: new",
        ),
    ]);
    assert_eq!(database.update(&no_index("old")).unwrap_err(), ONE_INDEX);
    assert_eq!(database.update(&new_index("third")).unwrap_err(), ONE_INDEX);
    assert_eq!(
        database.update(&warm(13_000)).unwrap_err(),
        "ValidationException: Table is under system maintenance, please try again later"
    );
    database.update(&index_warm("old", 13_000)).unwrap();
    database.update(&encryption(true)).unwrap();
    database.lasts("/TableStatus", "UPDATING", 40_000, &json!("ACTIVE"));
    assert_eq!(database.describe().pointer(index).unwrap()["Backfilling"], true);
    let scan = json!({"TableName": "tab", "IndexName": "new"});
    let select = json!({"Statement": r#"SELECT * FROM "tab"."new""#});
    for (operation, request) in [("Scan", &scan), ("ExecuteStatement", &select)] {
        assert_eq!(
            database.call(operation, request).unwrap_err(),
            "ValidationException: Cannot read from backfilling global secondary index: new"
        );
    }
    assert_eq!(database.update(&no_index("old")).unwrap_err(), ONE_INDEX);
    database.refuses(&[(
        Json::Null,
        "Cannot delete table while indexes are being created, updated, or deleted.",
    )]);
    database.lasts(&format!("{index}/IndexStatus"), "CREATING", 480_000, &json!("ACTIVE"));
    assert_eq!(database.describe().pointer(index).unwrap()["Backfilling"], Json::Null);
    assert_eq!(database.ok("Scan", &scan)["Count"], 0);
}

#[test]
fn an_index_that_is_being_filled_can_be_deleted() {
    let database = Database::with_table(false);
    database.update(&new_index("new")).unwrap();
    database.clock.advance_ms(40_000);
    database.update(&no_index("new")).unwrap();
    let words = "Index is being deleted. Table: tab Index: new";
    database.refuses(&[(no_index("new"), words), (index_warm("new", 13_000), words)]);
    assert_eq!(database.update(&new_index("third")).unwrap_err(), ONE_INDEX);
    database.lasts("/GlobalSecondaryIndexes/1/IndexStatus", "DELETING", 4000, &Json::Null);
    assert_eq!(database.describe()["TableStatus"], "ACTIVE");
}

#[test]
fn the_units_of_an_index_change_by_themselves() {
    let database = Database::with_table(true);
    database.update(&index_units("old", 6)).unwrap();
    let described = database.describe();
    assert_eq!(described["TableStatus"], "ACTIVE");
    assert_eq!(
        described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"],
        5
    );
    database.refuses(&[
        (index_units("old", 7), "Index is being updated. Table: tab Index: old"),
        (Json::Null, "Cannot delete table while indexes are being created, updated, or deleted."),
    ]);
    database.lasts("/GlobalSecondaryIndexes/0/IndexStatus", "UPDATING", 3000, &json!("ACTIVE"));
}

#[test]
fn some_settings_change_only_so_often() {
    let database = Database::with_table(false);
    database.update(&protection(true)).unwrap();
    database.update(&protection(true)).unwrap();
    database.clock.advance_ms(2000);
    assert_eq!(
        database.update(&protection(false)).unwrap_err(),
        "ThrottlingException: Deletion protection setting for table tab modified within the \
         previous 15000 milliseconds. Please try again after 2026-01-01T00:00:33.000Z"
    );
    database.clock.advance_ms(13_000);
    database.update(&protection(false)).unwrap();
    for name in ["STANDARD_INFREQUENT_ACCESS", "STANDARD"] {
        database.update(&class(name)).unwrap();
        database.clock.advance_ms(4000);
    }
    database.update(&class("STANDARD")).unwrap();
    assert_eq!(
        database.update(&class("STANDARD_INFREQUENT_ACCESS")).unwrap_err(),
        "LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited to \
         2 times in 30 day(s)."
    );
    for nth in 0..4 {
        database.update(&encryption(nth % 2 == 0)).unwrap();
        database.clock.advance_ms(22_000);
    }
    let refused = database.update(&encryption(true)).unwrap_err();
    assert!(
        refused.starts_with(
            "LimitExceededException: Subscriber limit exceeded: Encryption mode changes are \
             limited in the 24h window ending at 2026-01-02T"
        ),
        "{refused}"
    );
    assert!(refused.contains("Number of updates today: 4."), "{refused}");
    database.clock.advance_ms(6 * 60 * 60 * 1000);
    database.update(&encryption(true)).unwrap();
    database.clock.advance_ms(30 * DAY_MS);
    database.update(&class("STANDARD_INFREQUENT_ACCESS")).unwrap();
}

#[test]
fn time_to_live_is_changed_again_after_half_an_hour() {
    let database = Database::with_table(false);
    let change = |enabled: bool| {
        let specification = json!({"Enabled": enabled, "AttributeName": "until"});
        json!({"TableName": "tab", "TimeToLiveSpecification": specification})
    };
    database.ok("UpdateTimeToLive", &change(true));
    assert_eq!(
        database.call("UpdateTimeToLive", &change(true)).unwrap_err(),
        "ValidationException: TimeToLive is already enabled"
    );
    let too_soon = "ValidationException: Time to live has been modified multiple times within a \
                    fixed interval";
    for after_ms in [0, 1_811_000] {
        database.clock.advance_ms(after_ms);
        assert_eq!(database.call("UpdateTimeToLive", &change(false)).unwrap_err(), too_soon);
    }
    database.clock.advance_ms(1_872_000 - 1_811_000);
    database.ok("UpdateTimeToLive", &change(false));
}

fn tags(pairs: &[(&str, &str)]) -> Json {
    pairs.iter().map(|(key, value)| json!({"Key": key, "Value": value})).collect()
}

impl Database {
    fn tag(&self, pairs: &[(&str, &str)]) -> Result<Json, String> {
        self.call("TagResource", &json!({"ResourceArn": ARN, "Tags": tags(pairs)}))
    }

    fn untag(&self, key: &str) -> Result<Json, String> {
        self.call("UntagResource", &json!({"ResourceArn": ARN, "TagKeys": [key]}))
    }

    fn listed(&self) -> Result<Json, String> {
        let listed = self.call("ListTagsOfResource", &json!({"ResourceArn": ARN}))?;
        Ok(listed["Tags"].clone())
    }
}

const ARN: &str = "arn:aws:dynamodb:us-east-1:314159265358:table/tab";

#[test]
#[expect(clippy::too_many_lines, reason = "the life of one table, moment by moment")]
fn other_operations_see_a_new_table_later_and_a_deleted_one_for_a_while() {
    let database = Database::open();
    let named = json!({"TableName": "tab"});
    let until = json!({"Enabled": true, "AttributeName": "until"});
    let until = json!({"TableName": "tab", "TimeToLiveSpecification": until});
    let no_recovery = json!({
        "TableName": "tab",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false},
    });
    let policy = json!({"ResourceArn": ARN});
    let fails = |operation: &str, request: &Json| database.call(operation, request).unwrap_err();
    let backups = || {
        let described = database.ok("DescribeContinuousBackups", &named);
        described["ContinuousBackupsDescription"]["ContinuousBackupsStatus"].clone()
    };
    let not_found = "ResourceNotFoundException: Requested resource not found: Table: tab not found";
    let no_arn = format!(
        "ResourceNotFoundException: Requested resource not found: ResourceArn: {ARN} not found"
    );
    let no_backups = "TableNotFoundException: Table not found: tab";
    let too_early = "ValidationException: Cannot describe time to live while table is in CREATING \
                     state: Current table state is CREATING";
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "Tags": tags(&[("team", "blue")]),
        }),
    );
    for after_ms in [0, 4999] {
        database.clock.advance_ms(after_ms);
        assert_eq!(database.tag(&[("a", "b")]).unwrap_err(), no_arn);
        assert_eq!(database.untag("a").unwrap_err(), no_arn);
        assert_eq!(database.listed().unwrap_err(), no_arn);
        assert_eq!(fails("UpdateTimeToLive", &until), not_found);
        assert_eq!(fails("DescribeTimeToLive", &named), too_early);
        assert_eq!(fails("DescribeContinuousBackups", &named), no_backups);
        assert_eq!(fails("UpdateContinuousBackups", &no_recovery), no_backups);
        assert_eq!(fails("GetResourcePolicy", &policy), not_found);
    }
    let no_backups_yet = "ContinuousBackupsUnavailableException: Backups are being enabled for the \
                          table: tab. Please retry later";
    for after_ms in [1, 999] {
        database.clock.advance_ms(after_ms);
        let created = format!("{IN_USE}Table is being created: tab");
        assert_eq!(database.tag(&[("a", "b")]).unwrap_err(), created);
        database.untag("a").unwrap();
        assert_eq!(database.listed().unwrap(), json!([]));
        assert_eq!(
            fails("UpdateTimeToLive", &until),
            format!("{IN_USE}Table tab is being created")
        );
        assert_eq!(fails("DescribeTimeToLive", &named), too_early);
        assert_eq!(backups(), "DISABLED");
        assert_eq!(fails("UpdateContinuousBackups", &no_recovery), no_backups_yet);
    }
    for after_ms in [1, 2999] {
        database.clock.advance_ms(after_ms);
        assert_eq!(database.listed().unwrap(), tags(&[("team", "blue")]));
        database.ok("DescribeTimeToLive", &named);
        assert_eq!(backups(), "DISABLED");
        assert_eq!(fails("UpdateContinuousBackups", &no_recovery), no_backups_yet);
    }
    database.clock.advance_ms(1);
    assert_eq!(backups(), "ENABLED");
    database.ok("UpdateContinuousBackups", &no_recovery);

    database.delete().unwrap();
    let deleted = format!("{IN_USE}Table is being deleted: tab");
    let too_late = "ValidationException: Cannot describe time to live while table is in DELETING \
                    state: Current table state is DELETING";
    assert_eq!(fails("DescribeTimeToLive", &named), too_late);
    database.clock.advance_ms(999);
    database.tag(&[("team", "blue")]).unwrap();
    assert_eq!(backups(), "ENABLED");
    database.clock.advance_ms(1);
    assert_eq!(database.tag(&[("team", "blue")]).unwrap_err(), deleted);
    assert_eq!(fails("DescribeContinuousBackups", &named), no_backups);
    database.clock.advance_ms(199);
    assert_eq!(database.listed().unwrap(), tags(&[("team", "blue")]));
    database.clock.advance_ms(1);
    assert_eq!(database.listed().unwrap_err(), no_arn);
    database.clock.advance_ms(399);
    assert_eq!(database.tag(&[("team", "red")]).unwrap_err(), deleted);
    assert_eq!(database.untag("team").unwrap_err(), deleted);
    database.clock.advance_ms(1);
    assert_eq!(database.tag(&[("team", "red")]).unwrap_err(), no_arn);
    assert_eq!(fails("DescribeTimeToLive", &named), too_late);
    database.clock.advance_ms(3400);
    assert_eq!(fails("DescribeTimeToLive", &named), not_found);
}

#[test]
fn tags_are_listed_late_and_changed_one_after_the_other() {
    let database = Database::with_table(false);
    let locked =
        "LimitExceededException: Subscriber limit exceeded: Table tags are being updated: tab";
    database.tag(&[("a", "1"), ("b", "2")]).unwrap();
    for after_ms in [0, 1649] {
        database.clock.advance_ms(after_ms);
        assert_eq!(database.listed().unwrap(), json!([]));
        assert_eq!(database.tag(&[("a", "1")]).unwrap_err(), locked);
        assert_eq!(database.tag(&[("a", "2"), ("b", "2")]).unwrap_err(), locked);
        assert_eq!(database.untag("absent").unwrap_err(), locked);
        database.tag(&[("a", "1"), ("b", "2")]).unwrap();
        database.refuses(&[(Json::Null, "Table tags are being updated: tab")]);
        database.update(&protection(false)).unwrap();
    }
    // What changes nothing keeps nobody out.
    database.clock.advance_ms(1);
    database.untag("absent").unwrap();
    database.tag(&[("a", "1")]).unwrap();
    database.tag(&[("b", "2"), ("c", "3")]).unwrap();
    database.clock.advance_ms(249);
    assert_eq!(database.listed().unwrap(), json!([]));
    database.clock.advance_ms(1);
    assert_eq!(database.listed().unwrap(), tags(&[("a", "1"), ("b", "2")]));
    assert_eq!(database.untag("a").unwrap_err(), locked);
    // One that repeats what is under way may add to it.
    database.tag(&[("b", "2"), ("c", "3"), ("d", "4")]).unwrap();
    database.clock.advance_ms(1650);
    database.untag("a").unwrap();
    assert_eq!(database.tag(&[("a", "1")]).unwrap_err(), locked);
    database.clock.advance_ms(1900);
    assert_eq!(database.listed().unwrap(), tags(&[("b", "2"), ("c", "3"), ("d", "4")]));
    database.delete().unwrap();
}
