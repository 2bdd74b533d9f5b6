//! The profiles of the service on a virtual clock: throttling in every form, states of tables,
//! stale reads, and what the hostile profile may do.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, Mode, Profile};
use hashrange_model::ApiError;
use hashrange_testkit::database::{self, is_left_out_on_postgres};
use hashrange_wire::Encode;
use serde_json::{Value as Json, json};
use std::ops::Deref;

const DELAY_MS: u64 = 3000;

struct Database(database::Database);

impl Deref for Database {
    type Target = database::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    fn open(profile: Profile, seed: u64) -> Self {
        let table_delay_ms = Some(DELAY_MS);
        let options = EngineOptions { profile, seed, table_delay_ms, ..EngineOptions::default() };
        Self(database::Database::memory(options))
    }

    /// Creates a table t with the key pk, provisioned with so many units, and waits for it.
    fn provisioned(&self, read: u64, write: u64, more: Json) {
        self.create(
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(read, write)}),
            more,
        );
    }

    fn create(&self, billing: Json, more: Json) {
        let mut request = json!({
            "TableName": "tab",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        });
        for part in [billing, more] {
            request.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        }
        self.ok("CreateTable", &request);
        self.clock.advance_ms(DELAY_MS);
    }

    fn put(&self, pk: &str) -> Result<Json, ApiError> {
        self.call("PutItem", &put(pk))
    }

    fn puts_until_throttled(&self) -> (usize, ApiError) {
        for nth in 0..100_000 {
            if let Err(error) = self.put(&format!("k{nth}")) {
                return (nth, error);
            }
        }
        panic!("nothing is throttled");
    }
}

fn units(read: u64, write: u64) -> Json {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn put(pk: &str) -> Json {
    json!({"TableName": "tab", "Item": {"pk": {"S": pk}}})
}

fn get(pk: &str) -> Json {
    json!({"TableName": "tab", "Key": {"pk": {"S": pk}}})
}

fn body(error: &ApiError) -> Json {
    let mut out = Vec::new();
    error.encode(&mut out);
    serde_json::from_slice(&out).unwrap()
}

const TABLE_EXCEEDED: &str = "ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.";

#[test]
fn provisioned_writes_are_throttled_and_served_again_when_time_has_passed() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(5, 2, json!({}));
    let (done, error) = database.puts_until_throttled();
    assert_eq!(done, 2);
    assert_eq!(error.to_string(), TABLE_EXCEEDED);
    assert_eq!(
        body(&error)["ThrottlingReasons"],
        json!([{
            "reason": "TableWriteProvisionedThroughputExceeded",
            "resource": "arn:aws:dynamodb:us-east-1:314159265358:table/tab",
        }])
    );
    database.clock.advance_ms(1000);
    assert_eq!(database.puts_until_throttled().0, 2);
    // Five minutes of unused capacity are kept.
    database.clock.advance_ms(3_600_000);
    assert_eq!(database.puts_until_throttled().0, 600);
}

#[test]
fn a_request_is_counted_by_what_it_used() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(1, 4, json!({}));
    let large =
        json!({"TableName": "tab", "Item": {"pk": {"S": "a"}, "v": {"S": "x".repeat(9000)}}});
    database.ok("PutItem", &large);
    assert_eq!(database.put("b").unwrap_err().to_string(), TABLE_EXCEEDED);
    database.clock.advance_ms(1000);
    // A read of 9 KB costs 1.5 units: it is let in, and paid back before the next one.
    database.ok("GetItem", &get("a"));
    assert_eq!(database.fails("GetItem", &get("a")), TABLE_EXCEEDED);
    assert_eq!(database.fails("Scan", &json!({"TableName": "tab"})), TABLE_EXCEEDED);
    assert_eq!(
        database.fails("ExecuteStatement", &json!({"Statement": "SELECT * FROM tab"})),
        TABLE_EXCEEDED
    );
    database.clock.advance_ms(1000);
    database.ok("Scan", &json!({"TableName": "tab"}));
}

/// EXPLAIN ANALYZE of a batch runs it: it is let in as the batch is, and charged.
#[test]
fn a_batch_that_is_explained_and_run_is_throttled_as_it_is() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(5, 2, json!({}));
    let puts: Vec<_> = ["a", "b", "c", "d"]
        .iter()
        .map(|pk| json!({"PutRequest": {"Item": {"pk": {"S": pk}}}}))
        .collect();
    let request = json!({"RequestItems": {"tab": puts}}).to_string();
    let explain = |mode| database.explain("BatchWriteItem", request.as_bytes(), mode);
    let planned = explain(Mode::Plan).unwrap().together.unwrap();
    assert_eq!((planned.unprocessed, planned.items), (0, 4), "a plan asks nobody");
    let told = explain(Mode::Analyze).unwrap();
    let together = told.together.as_ref().unwrap();
    assert_eq!((together.unprocessed, together.refused.as_ref()), (2, None), "{}", told.text());
    assert!((together.units[0].on.units - 2.0).abs() < f64::EPSILON, "{}", told.text());
    assert_eq!(explain(Mode::Analyze).unwrap_err().to_string(), TABLE_EXCEEDED);
    assert_eq!(database.put("e").unwrap_err().to_string(), TABLE_EXCEEDED);
}

#[test]
fn a_condition_that_fails_is_charged() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(1, 2, json!({}));
    database.put("a").unwrap();
    let mut request = put("a");
    request["ConditionExpression"] = json!("attribute_not_exists(pk)");
    assert!(database.fails("PutItem", &request).starts_with("ConditionalCheckFailed"));
    assert_eq!(database.fails("PutItem", &request), TABLE_EXCEEDED);
}

#[test]
fn an_index_without_capacity_throttles_the_writes_that_change_it() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(
        10,
        100,
        json!({
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "a", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by_a",
                "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": units(1, 1),
            }],
        }),
    );
    let indexed =
        |pk: &str| json!({"TableName": "tab", "Item": {"pk": {"S": pk}, "a": {"S": "x"}}});
    database.ok("PutItem", &indexed("1"));
    let error = database.call("PutItem", &indexed("2")).unwrap_err();
    assert_eq!(
        error.message().unwrap(),
        "The level of configured provisioned throughput for one or more global secondary indexes \
         of the table was exceeded. Consider increasing your provisioning level for the \
         under-provisioned global secondary indexes with the UpdateTable API."
    );
    assert_eq!(
        body(&error)["ThrottlingReasons"][0],
        json!({
            "reason": "IndexWriteProvisionedThroughputExceeded",
            "resource": "arn:aws:dynamodb:us-east-1:314159265358:table/tab/index/by_a",
        })
    );
    // The refused write has left nothing, and one that is not in the index goes on.
    let item = database.ok(
        "GetItem",
        &json!({"TableName": "tab", "Key": {"pk": {"S": "2"}}, "ConsistentRead": true}),
    );
    assert_eq!(item, json!({}));
    database.put("3").unwrap();
}

#[test]
fn a_scan_of_an_on_demand_table_reads_each_of_its_partitions() {
    let database = Database::open(Profile::Aws, 0);
    database.create(json!({"BillingMode": "PAY_PER_REQUEST"}), json!({}));
    database.put("1").unwrap();
    let units = |database: &Database, more: Json| {
        let mut request = json!({"TableName": "tab", "ReturnConsumedCapacity": "TOTAL"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        database.ok("Scan", &request)["ConsumedCapacity"]["CapacityUnits"].clone()
    };
    database.clock.advance_ms(DELAY_MS);
    assert_eq!(units(&database, json!({"ConsistentRead": true})), json!(4.0));
    assert_eq!(units(&database, json!({})), json!(2.0));
    // A page that ends early, or a part of the table, has not read them all.
    assert_eq!(units(&database, json!({"Limit": 1})), json!(0.5));
    assert_eq!(units(&database, json!({"Segment": 0, "TotalSegments": 2})), json!(0.5));
    let provisioned = Database::open(Profile::Aws, 0);
    provisioned.provisioned(10, 10, json!({}));
    assert_eq!(units(&provisioned, json!({})), json!(0.5));
}

#[test]
fn on_demand_tables_keep_to_their_maximum() {
    let database = Database::open(Profile::Aws, 0);
    let billing = json!({
        "BillingMode": "PAY_PER_REQUEST",
        "OnDemandThroughput": {"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 3},
    });
    database.create(billing, json!({}));
    let (done, error) = database.puts_until_throttled();
    assert_eq!(done, 3);
    assert_eq!(
        error.to_string(),
        "ThrottlingException: Throughput exceeds the maximum OnDemandThroughput configured on table or index"
    );
    assert_eq!(
        body(&error)["throttlingReasons"][0]["reason"],
        "TableWriteMaxOnDemandThroughputExceeded"
    );
}

#[test]
fn a_hot_partition_is_throttled_by_itself() {
    let on_demand = json!({"BillingMode": "PAY_PER_REQUEST"});
    let provisioned =
        json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 5000)});
    for (billing, exception, reasons) in [
        (on_demand, "ThrottlingException: ", "throttlingReasons"),
        (provisioned, "ProvisionedThroughputExceededException: ", "ThrottlingReasons"),
    ] {
        let database = Database::open(Profile::Aws, 0);
        database.create(billing, json!({}));
        let error = (0..1001).find_map(|_| database.put("hot").err()).unwrap();
        assert!(error.to_string().starts_with(exception), "{error}");
        assert_eq!(body(&error)[reasons][0]["reason"], "TableWriteKeyRangeThroughputExceeded");
        database.put("cold").unwrap();
    }
}

#[test]
fn batches_leave_what_does_not_fit_and_fail_only_whole() {
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(2, 3, json!({}));
    let members: Vec<_> =
        (0..5).map(|nth| json!({"PutRequest": {"Item": {"pk": {"S": nth.to_string()}}}})).collect();
    let request = json!({"RequestItems": {"tab": members}});
    let answer = database.ok("BatchWriteItem", &request);
    assert_eq!(answer["UnprocessedItems"], json!({"tab": members[3..]}));
    assert_eq!(database.fails("BatchWriteItem", &request), TABLE_EXCEEDED);
    let keys: Vec<_> = (0..6).map(|nth| json!({"pk": {"S": nth.to_string()}})).collect();
    let request = json!({"RequestItems": {"tab": {"Keys": keys, "ProjectionExpression": "pk"}}});
    let answer = database.ok("BatchGetItem", &request);
    assert_eq!(
        answer["UnprocessedKeys"],
        json!({"tab": {"Keys": keys[4..], "ProjectionExpression": "pk"}})
    );
    assert_eq!(database.fails("BatchGetItem", &request), TABLE_EXCEEDED);
    let statement = json!({"Statement": "INSERT INTO tab VALUE {'pk': 'p'}"});
    let answer = database.ok("BatchExecuteStatement", &json!({"Statements": [statement]}));
    assert_eq!(answer["Responses"][0]["Error"]["Code"], "ProvisionedThroughputExceeded");
}

#[test]
fn transactions_are_cancelled_with_the_reason() {
    if is_left_out_on_postgres("both actions were found throttled there, and it is not known why") {
        return;
    }
    let database = Database::open(Profile::Aws, 0);
    database.provisioned(1, 2, json!({}));
    let actions: Vec<_> = ["a", "b"].iter().map(|pk| json!({"Put": put(pk)})).collect();
    let error =
        database.call("TransactWriteItems", &json!({"TransactItems": actions})).unwrap_err();
    assert_eq!(
        error.message().unwrap(),
        "Transaction cancelled, please refer cancellation reasons for specific reasons \
         [None, ProvisionedThroughputExceeded]"
    );
    database.clock.advance_ms(10_000);
    database.ok("TransactWriteItems", &json!({"TransactItems": actions}));
    let reads: Vec<_> = ["a", "b"].iter().map(|pk| json!({"Get": get(pk)})).collect();
    let request = json!({"TransactItems": reads});
    database.clock.advance_ms(10_000);
    let answers: Vec<_> = (0..9).map(|_| database.call("TransactGetItems", &request)).collect();
    let error = answers.iter().find_map(|answer| answer.as_ref().err()).unwrap();
    assert_eq!(body(error)["CancellationReasons"][0]["Code"], "ProvisionedThroughputExceeded");
}

#[test]
fn tables_take_their_time() {
    let database = Database::open(Profile::Aws, 0);
    let named = json!({"TableName": "tab"});
    let status = || {
        database.call("DescribeTable", &named).map_or_else(
            |error| error.to_string(),
            |answer| answer["Table"]["TableStatus"].as_str().unwrap().to_owned(),
        )
    };
    let in_use = "ResourceInUseException: Attempt to change a resource which is still in use: Table is being";
    let create = json!({
        "TableName": "tab",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let update = json!({"TableName": "tab", "StreamSpecification": stream});
    database.ok("CreateTable", &create);
    assert_eq!(status(), "CREATING");
    let unknown = "ResourceNotFoundException: Requested resource not found";
    assert_eq!(database.put("a").unwrap_err().to_string(), unknown);
    assert_eq!(database.fails("DeleteTable", &named), format!("{in_use} created: tab"));
    assert_eq!(database.fails("UpdateTable", &update), format!("{in_use} created: tab"));
    database.clock.advance_ms(DELAY_MS);
    assert_eq!(status(), "ACTIVE");
    database.put("a").unwrap();
    database.ok("UpdateTable", &update);
    assert_eq!(status(), "UPDATING");
    assert_eq!(
        database.fails("DeleteTable", &named),
        "ResourceInUseException: Attempt to change a resource which is still in use: Cannot delete \
         table while stream is being enabled/disabled."
    );
    database.put("b").unwrap();
    database.clock.advance_ms(DELAY_MS);
    database.ok("DeleteTable", &named);
    assert_eq!(status(), "DELETING");
    assert_eq!(database.fails("DeleteTable", &named), format!("{in_use} deleted: tab"));
    assert_eq!(database.ok("ListTables", &json!({}))["TableNames"], json!(["tab"]));
    assert_eq!(
        database.fails("CreateTable", &create),
        "ResourceInUseException: Table already exists: tab"
    );
    assert_eq!(database.fails("UpdateTable", &update), format!("{in_use} deleted: tab"));
    assert_eq!(database.fails("GetItem", &get("a")), unknown);
    database.clock.advance_ms(DELAY_MS);
    assert_eq!(database.ok("ListTables", &json!({}))["TableNames"], json!([]));
    assert_eq!(status(), format!("{unknown}: Table: tab not found"));
    database.ok("CreateTable", &create);
}

/// Writes the versions 1 to 9 of an item and returns what reads saw after each.
fn versions_seen(database: &Database, consistent: bool) -> Vec<(u64, Option<u64>)> {
    let mut seen = Vec::new();
    for version in 1..10 {
        let mut item = put("a");
        item["Item"]["v"] = json!({"N": version.to_string()});
        while database.call("PutItem", &item).is_err() {}
        database.clock.advance_ms(60);
        for _ in 0..10 {
            let mut request = get("a");
            request["ConsistentRead"] = json!(consistent);
            if let Ok(answer) = database.call("GetItem", &request) {
                let text = answer["Item"]["v"]["N"].as_str();
                seen.push((version, text.map(|text| text.parse().unwrap())));
            }
        }
    }
    seen
}

fn is_new((version, seen): &(u64, Option<u64>)) -> bool {
    *seen == Some(*version)
}

#[test]
fn the_default_profile_has_no_stale_reads() {
    let database = Database::open(Profile::Default, 7);
    database.create(json!({"BillingMode": "PAY_PER_REQUEST"}), json!({}));
    let seen = versions_seen(&database, false);
    assert!(seen.len() == 90 && seen.iter().all(is_new), "{seen:?}");
}

#[test]
fn only_consistent_reads_always_see_the_last_write() {
    if is_left_out_on_postgres("a view there shows the newest state, so no read is stale") {
        return;
    }
    for profile in [Profile::Aws, Profile::Hostile] {
        let database = Database::open(profile, 7);
        database.create(json!({"BillingMode": "PAY_PER_REQUEST"}), json!({}));
        assert!(versions_seen(&database, true).iter().all(is_new));
        let seen = versions_seen(&database, false);
        let stale = seen.iter().filter(|seen| !is_new(seen)).count();
        assert!(stale > 0 && stale < seen.len() * 3 / 4, "{stale} of {} are stale", seen.len());
        // Sooner or later everybody sees it.
        database.clock.advance_ms(20_000);
        database.engine.sweep();
        let answers = (0..50).filter_map(|_| database.call("GetItem", &get("a")).ok());
        assert!(answers.into_iter().all(|answer| answer["Item"]["v"]["N"] == "9"));
    }
}

/// What a client meets that does many things, as text.
fn history(seed: u64) -> Vec<String> {
    let database = Database::open(Profile::Hostile, seed);
    database.create(json!({"BillingMode": "PAY_PER_REQUEST"}), json!({}));
    let mut history = Vec::new();
    let mut call = |operation: &str, request: Json| {
        history.push(match database.call(operation, &request) {
            Ok(answer) => answer.to_string(),
            Err(error) => body(&error).to_string(),
        });
    };
    for round in 0..40 {
        let pk = round.to_string();
        call("PutItem", put(&pk));
        call("GetItem", get(&pk));
        call("Scan", json!({"TableName": "tab"}));
        let puts: Vec<_> = (0..9)
            .map(|nth| json!({"PutRequest": {"Item": {"pk": {"S": format!("{round}.{nth}")}}}}))
            .collect();
        call("BatchWriteItem", json!({"RequestItems": {"tab": puts}}));
        let keys: Vec<_> = (0..9).map(|nth| json!({"pk": {"S": nth.to_string()}})).collect();
        call("BatchGetItem", json!({"RequestItems": {"tab": {"Keys": keys}}}));
        let token = format!("token {round}");
        let actions = json!([{"Put": put(&pk)}]);
        call("TransactWriteItems", json!({"TransactItems": actions, "ClientRequestToken": token}));
        call("TransactGetItems", json!({"TransactItems": [{"Get": get(&pk)}]}));
    }
    history
}

#[test]
fn hostile_histories_have_everything_and_depend_on_the_seed_alone() {
    let one = history(7);
    assert_eq!(one, history(7));
    assert_ne!(one, history(8));
    let all = one.join("\n");
    for expected in [
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "Transaction from previous request is still in progress",
        r#"{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item."}"#,
        "ThrottlingError",
        r#""LastEvaluatedKey":"#,
        r#""UnprocessedItems":{"tab":"#,
        r#""UnprocessedKeys":{"tab":"#,
    ] {
        assert!(all.contains(expected), "there is no {expected}");
    }
}

#[test]
fn a_client_that_retries_and_goes_on_gets_everything_from_a_hostile_server() {
    let database = Database::open(Profile::Hostile, 3);
    database.create(json!({"BillingMode": "PAY_PER_REQUEST"}), json!({}));
    for nth in 0..100 {
        while database.put(&format!("{nth:03}")).is_err() {}
    }
    let (mut found, mut pages) = (Vec::new(), 0);
    let mut start = Json::Null;
    loop {
        let mut request = json!({"TableName": "tab", "ConsistentRead": true});
        if !start.is_null() {
            request["ExclusiveStartKey"] = start.clone();
        }
        let Ok(page) = database.call("Scan", &request) else { continue };
        pages += 1;
        let items = page["Items"].as_array().unwrap();
        found.extend(items.iter().map(|item| item["pk"]["S"].as_str().unwrap().to_owned()));
        start = page["LastEvaluatedKey"].clone();
        if start.is_null() {
            break;
        }
    }
    found.sort();
    assert_eq!(found, (0..100).map(|nth| format!("{nth:03}")).collect::<Vec<_>>());
    assert!(pages > 20, "{pages} pages");
}

#[test]
fn the_default_profile_throttles_nothing() {
    let database = Database::open(Profile::Default, 0);
    database.provisioned(1, 1, json!({}));
    for nth in 0..2000 {
        database.put(&nth.to_string()).unwrap();
    }
}
