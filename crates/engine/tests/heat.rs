//! Heat equals what was done: by key, by item, by range and by minute, for every operation; and it is what
//! metering tells of the same requests.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_cost::UseKind;
use hashrange_engine::{EngineOptions, HeatInput, Profile, TemplateMode, metered};
use hashrange_heat::{HotKey, PlaceHeat, Sums};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_wire::{Operation, Service};
use serde_json::{Value as Json, json};

fn watched(profile: Profile) -> Database {
    let database = Database::memory(EngineOptions {
        heat: true,
        profile,
        table_delay_ms: Some(0),
        ..EngineOptions::default()
    });
    create(&database);
    database
}

/// Creates a table with the key `pk`, `sk`, a global index by `city` and `at`, and a local one by `at`.
fn create(database: &Database) {
    let key = |hash: &str, range: &str| json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
    let attribute =
        |(name, kind): (&str, &str)| json!({"AttributeName": name, "AttributeType": kind});
    let types = [("pk", "S"), ("sk", "S"), ("city", "S"), ("at", "N")].map(attribute);
    let index = |name: &str, hash: &str| json!([{"IndexName": name, "KeySchema": key(hash, "at"), "Projection": {"ProjectionType": "ALL"}}]);
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "orders", "KeySchema": key("pk", "sk"), "AttributeDefinitions": types,
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": index("by-city", "city"),
            "LocalSecondaryIndexes": index("by-time", "pk"),
        }),
    );
}

fn order(pk: &str, sk: &str) -> Json {
    json!({"pk": {"S": pk}, "sk": {"S": sk}, "city": {"S": "Delft"}, "at": {"N": "7"}})
}

fn key(pk: &str, sk: &str) -> Json {
    json!({"pk": {"S": pk}, "sk": {"S": sk}})
}

fn heat(database: &Database, index: Option<&str>) -> PlaceHeat {
    let input = HeatInput { table_name: Some("orders".to_owned()), ..HeatInput::default() };
    let page = block_on(database.engine.describe_heat(input)).unwrap();
    assert_eq!((page.last, page.untold), (None, Sums::default()));
    let place = page.places.into_iter().find(|place| place.index.as_deref() == index);
    let nothing = PlaceHeat { table: String::new(), index: None, minutes: Vec::new() };
    place.unwrap_or(nothing)
}

/// Returns requests, read units and write units by key.
fn figures(keys: &[HotKey]) -> Vec<(&str, u64, f64, f64)> {
    let mut figures: Vec<_> = keys
        .iter()
        .map(|key| {
            assert!(key.over.abs() < 1e-9);
            (&*key.key, key.sums.requests, key.sums.read_units, key.sums.write_units)
        })
        .collect();
    figures.sort_by(|one, other| one.0.cmp(other.0));
    figures
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of requests")]
fn every_operation_is_told_by_key_and_item() {
    let database = watched(Profile::Default);
    let read = |pk: &str, sk: &str| json!({"Get": {"TableName": "orders", "Key": key(pk, sk)}});
    let statement = |text: &str| json!({"Statement": text});
    let requests = [
        ("PutItem", json!({"TableName": "orders", "Item": order("a", "1")})),
        (
            "UpdateItem",
            json!({"TableName": "orders", "Key": key("a", "1"),
            "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}),
        ),
        (
            "BatchWriteItem",
            json!({"RequestItems": {"orders": [
            {"PutRequest": {"Item": key("b", "1")}}, {"PutRequest": {"Item": key("b", "2")}}]}}),
        ),
        (
            "TransactWriteItems",
            json!({"TransactItems": [
            {"Put": {"TableName": "orders", "Item": key("c", "1")}},
            {"ConditionCheck": {"TableName": "orders", "Key": key("b", "1"),
                "ConditionExpression": "attribute_exists(pk)"}}]}),
        ),
        ("GetItem", json!({"TableName": "orders", "Key": key("a", "1")})),
        (
            "GetItem",
            json!({"TableName": "orders", "Key": key("none", "1"), "ConsistentRead": true}),
        ),
        (
            "BatchGetItem",
            json!({"RequestItems": {"orders": {"Keys": [key("a", "1"), key("b", "2")]}}}),
        ),
        ("TransactGetItems", json!({"TransactItems": [read("b", "1"), read("c", "1")]})),
        (
            "Query",
            json!({"TableName": "orders", "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "b"}}}),
        ),
        (
            "Query",
            json!({"TableName": "orders", "IndexName": "by-time",
            "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}),
        ),
        (
            "Query",
            json!({"TableName": "orders", "IndexName": "by-city",
            "KeyConditionExpression": "city = :c", "ExpressionAttributeValues": {":c": {"S": "Delft"}}}),
        ),
        ("ExecuteStatement", statement("SELECT * FROM orders WHERE pk = 'b' AND sk = '1'")),
        ("ExecuteStatement", statement("INSERT INTO orders VALUE {'pk': 'd', 'sk': '1'}")),
        (
            "BatchExecuteStatement",
            json!({"Statements": [
            statement("SELECT * FROM orders WHERE pk = 'd' AND sk = '1'")]}),
        ),
        (
            "ExecuteTransaction",
            json!({"TransactStatements": [
            statement("SELECT * FROM orders WHERE pk = 'd' AND sk = '1'")]}),
        ),
        (
            "ExecuteTransaction",
            json!({"TransactStatements": [
            statement("DELETE FROM orders WHERE pk = 'd' AND sk = '1'")]}),
        ),
        ("DeleteItem", json!({"TableName": "orders", "Key": key("c", "1")})),
    ];
    for (operation, request) in requests {
        check_told(&database, operation, &request);
    }
    let failing = json!({"TableName": "orders", "Item": key("a", "1"),
        "ConditionExpression": "attribute_not_exists(pk)"});
    database.call("PutItem", &failing).unwrap_err();
    let table = heat(&database, None);
    let summary = table.summary();
    assert_eq!(
        figures(&summary.keys.accessed.keys),
        [
            // A local index is in the partition of its table: an entry more for each of two writes.
            ("pk = 'a'", 6, 1.5, 5.0),
            ("pk = 'b'", 7, 3.5, 4.0),
            ("pk = 'c'", 3, 2.0, 3.0),
            ("pk = 'd'", 4, 2.5, 3.0),
            ("pk = 'none'", 1, 1.0, 0.0),
        ]
    );
    assert_eq!(
        figures(&summary.items.accessed.keys),
        [
            ("pk = 'a' AND sk = '1'", 5, 1.0, 5.0),
            ("pk = 'b' AND sk = '1'", 4, 2.5, 3.0),
            ("pk = 'b' AND sk = '2'", 2, 0.5, 1.0),
            ("pk = 'c' AND sk = '1'", 3, 2.0, 3.0),
            ("pk = 'd' AND sk = '1'", 4, 2.5, 3.0),
            ("pk = 'none' AND sk = '1'", 1, 1.0, 0.0),
        ]
    );
    let of_index = heat(&database, Some("by-city")).summary();
    assert_eq!(figures(&of_index.keys.accessed.keys), [("city = 'Delft'", 3, 0.5, 2.0)]);
    assert_eq!(
        figures(&of_index.items.accessed.keys),
        [("city = 'Delft' AND at = 7", 2, 0.0, 2.0)]
    );
}

/// Runs a request, and checks that heat has grown by what metering tells.
fn check_told(database: &Database, operation: &str, request: &Json) {
    let units = || {
        let places = [heat(database, None), heat(database, Some("by-city"))];
        places.iter().fold((0.0, 0.0), |sum, place| {
            let whole = place.summary().whole;
            (sum.0 + whole.read_units, sum.1 + whole.write_units)
        })
    };
    let before = units();
    let body = request.to_string();
    let call = database
        .engine
        .call(Operation::from_name(Service::DynamoDb, operation).unwrap(), body.as_bytes());
    let (answer, usage) = block_on(metered(call));
    answer.unwrap_or_else(|error| panic!("{operation}: {error}"));
    let after = units();
    let of = |kind| usage.units(kind);
    assert!(
        (after.0 - before.0 - of(UseKind::Read)).abs() < 1e-9,
        "{operation}: {before:?} {after:?}"
    );
    assert!(
        (after.1 - before.1 - of(UseKind::Write)).abs() < 1e-9,
        "{operation}: {before:?} {after:?}"
    );
}

#[test]
fn scans_are_told_by_the_ranges_they_went_through() {
    let database = watched(Profile::Default);
    for nth in 0..40 {
        database
            .ok("PutItem", &json!({"TableName": "orders", "Item": key(&format!("k{nth}"), "1")}));
    }
    database.clock.advance_ms(60_000);
    let scan =
        |segment: u32| json!({"TableName": "orders", "Segment": segment, "TotalSegments": 2});
    check_told(&database, "Scan", &scan(0));
    check_told(&database, "Scan", &json!({"TableName": "orders", "Limit": 3}));
    check_told(
        &database,
        "ExecuteStatement",
        &json!({"Statement": "SELECT * FROM orders WHERE sk = '1'"}),
    );
    check_told(
        &database,
        "ExecuteStatement",
        &json!({"Statement": "SELECT * FROM orders WHERE pk IN ['k1', 'k2']"}),
    );
    let told = heat(&database, None);
    let [first, second] = &told.minutes[..] else { panic!("{:?}", told.minutes.len()) };
    assert_eq!(first.whole.requests, 40);
    let sum: f64 = second.ranges.iter().map(|range| range.read_units).sum();
    assert!((sum - second.whole.read_units).abs() < 1e-9);
    assert_eq!(figures(&second.keys.accessed.keys).len(), 2, "scans name no key");
    let (low, high) = second.ranges.split_at(second.ranges.len() / 2);
    let units = |ranges: &[Sums]| ranges.iter().map(|range| range.read_units).sum::<f64>();
    assert!(units(low) > units(high));
}

#[test]
fn throttled_requests_are_told_by_key() {
    let database = watched(Profile::Aws);
    let (put, get) = (
        json!({"TableName": "orders", "Item": order("hot", "1")}),
        json!({"TableName": "orders", "Key": key("hot", "1")}),
    );
    let throttled = |operation: &str, request: &Json| {
        (0..20_000).filter(|_| database.call(operation, request).is_err()).count()
    };
    let (puts, gets) = (throttled("PutItem", &put), throttled("GetItem", &get));
    assert!(puts > 0 && gets > 0, "{puts} {gets}");
    let places = [heat(&database, None), heat(&database, Some("by-city"))].map(|it| it.summary());
    let told: u64 = places.iter().map(|place| place.whole.throttles).sum();
    assert_eq!(told, u64::try_from(puts + gets).unwrap());
    let key = &places[0].keys.throttled.keys[0];
    assert_eq!((&*key.key, key.sums.throttles), ("pk = 'hot'", places[0].whole.throttles));
    assert_eq!(places[0].items.throttled.keys[0].key, "pk = 'hot' AND sk = '1'");
}

#[test]
fn throttled_keys_tell_the_parts_that_templates_derive() {
    let database = watched(Profile::Aws);
    let template = r#"pk = "{country}#{town}""#;
    block_on(database.engine.put_key_template("orders", template, TemplateMode::Check)).unwrap();
    let get = json!({"TableName": "orders", "Key": key("NL#Delft", "1")});
    assert!((0..20_000).any(|_| database.call("GetItem", &get).is_err()));
    let parts = Some("country = 'NL' AND town = 'Delft'");
    let told = heat(&database, None).summary();
    for throttled in [&told.keys.throttled, &told.items.throttled] {
        assert_eq!(throttled.keys[0].parts.as_deref(), parts);
    }
    for kind in ["throttled-keys", "throttled-items"] {
        let query = json!({
            "TableName": "sys.heat", "KeyConditionExpression": "#t = :t AND begins_with(heat, :k)",
            "ExpressionAttributeNames": {"#t": "table"},
            "ExpressionAttributeValues": {":t": {"S": "orders"}, ":k": {"S": format!("{kind}#")}},
        });
        let found = database.ok("Query", &query);
        assert_eq!(found["Items"][0]["parts"]["S"].as_str(), parts, "{found}");
    }
}

#[test]
fn only_what_contributor_insights_watches_is_told_and_also_after_a_restart() {
    let database = Database::memory(EngineOptions::default());
    create(&database);
    let put = || database.ok("PutItem", &json!({"TableName": "orders", "Item": order("a", "1")}));
    put();
    assert!(heat(&database, None).minutes.is_empty());
    let update = |more: Json| {
        let mut request = json!({"TableName": "orders"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        database.ok("UpdateContributorInsights", &request)
    };
    update(json!({"IndexName": "by-city", "ContributorInsightsAction": "ENABLE"}));
    put();
    assert!(heat(&database, None).minutes.is_empty());
    assert_eq!(heat(&database, Some("by-city")).minutes.len(), 0, "the entry is as it was");
    let mut other = order("b", "1");
    other["at"] = json!({"N": "8"});
    database.ok("PutItem", &json!({"TableName": "orders", "Item": other}));
    assert_eq!(heat(&database, Some("by-city")).summary().whole.requests, 1);
    update(
        json!({"ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"}),
    );
    put();
    assert!(heat(&database, None).minutes.is_empty(), "nothing was throttled");
    update(json!({"ContributorInsightsAction": "ENABLE"}));
    put();
    assert_eq!(heat(&database, None).summary().whole.requests, 1);
    update(json!({"ContributorInsightsAction": "DISABLE"}));
    put();
    assert_eq!(heat(&database, None).summary().whole.requests, 1);
}

fn insights(database: &Database) -> Json {
    database.ok("DescribeContributorInsights", &json!({"TableName": "orders"}))
}

#[test]
fn contributor_insights_is_seen_by_all_servers_and_each_has_its_own_heat() {
    let servers = Database::sharing(2, &EngineOptions::default());
    let [one, other] = &servers[..] else { panic!("two servers") };
    create(one);
    let enable = json!({"TableName": "orders", "ContributorInsightsAction": "ENABLE"});
    one.ok("UpdateContributorInsights", &enable);
    assert_eq!(insights(other)["ContributorInsightsStatus"], "ENABLED");
    for (server, times) in [(one, 1), (other, 2)] {
        for _ in 0..times {
            server.ok("PutItem", &json!({"TableName": "orders", "Item": key("a", "1")}));
        }
    }
    let requests = |place: &PlaceHeat| place.summary().whole.requests;
    let (mut sum, of_other) = (heat(one, None), heat(other, None));
    assert_eq!((requests(&sum), requests(&of_other)), (1, 2));
    sum.add(of_other);
    assert_eq!(figures(&sum.summary().keys.accessed.keys), [("pk = 'a'", 3, 0.0, 3.0)]);
}

#[test]
fn contributor_insights_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path(), EngineOptions::default());
    create(&database);
    let enable = json!({"TableName": "orders", "ContributorInsightsAction": "ENABLE",
        "ContributorInsightsMode": "THROTTLED_KEYS"});
    database.ok("UpdateContributorInsights", &enable);
    let before = insights(&database);
    block_on(database.engine.close()).unwrap();
    drop(database);
    let database = Database::folder(folder.path(), EngineOptions::default());
    assert_eq!(insights(&database), before);
    assert_eq!(before["ContributorInsightsMode"], "THROTTLED_KEYS");
}

#[test]
fn under_a_profile_contributor_insights_takes_its_time() {
    let profile = Profile::Aws;
    let database = Database::memory(EngineOptions { profile, ..EngineOptions::default() });
    create(&database);
    let enable = json!({"TableName": "orders", "ContributorInsightsAction": "ENABLE"});
    let refused =
        |database: &Database| database.call("UpdateContributorInsights", &enable).unwrap_err();
    assert!(
        refused(&database)
            .to_string()
            .ends_with("Requested resource not found: Table: orders not found")
    );
    database.clock.advance_ms(6000);
    assert!(
        refused(&database)
            .to_string()
            .ends_with("TableStatus must be ACTIVE to enable ContributorInsights.")
    );
    database.clock.advance_ms(14_000);
    database.ok("UpdateContributorInsights", &enable);
    assert_eq!(insights(&database)["ContributorInsightsStatus"], "ENABLING");
    database.clock.advance_ms(2000);
    assert_eq!(insights(&database)["ContributorInsightsStatus"], "ENABLED");
    database.ok("DeleteTable", &json!({"TableName": "orders"}));
    assert!(refused(&database).to_string().contains("TableStatus must be ACTIVE"));
}

#[test]
fn sys_heat_is_a_table_that_is_only_read() {
    let database = watched(Profile::Aws);
    for nth in 0..12 {
        let pk = format!("k{}", nth % 3);
        database
            .ok("PutItem", &json!({"TableName": "orders", "Item": order(&pk, &nth.to_string())}));
        database.ok("GetItem", &json!({"TableName": "orders", "Key": key("k0", "0")}));
        database.clock.advance_ms(10_000);
    }
    let hottest = json!({
        "TableName": "sys.heat", "ScanIndexForward": false, "Limit": 2,
        "KeyConditionExpression": "#t = :t AND begins_with(heat, :k)",
        "ExpressionAttributeNames": {"#t": "table"},
        "ExpressionAttributeValues": {":t": {"S": "orders"}, ":k": {"S": "keys#"}},
    });
    let answer = database.ok("Query", &hottest);
    let (first, second) = (&answer["Items"][0], &answer["Items"][1]);
    assert_eq!(first["key"]["S"], "pk = 'k0'");
    assert_eq!(first["minute"]["S"], "2026-01-01T00:01Z");
    assert_eq!(first["requests"]["N"], "8");
    assert_ne!(second["key"], first["key"]);
    let item = database.ok(
        "GetItem",
        &json!({"TableName": "sys.heat", "Key": {"table": first["table"], "heat": first["heat"]}}),
    );
    assert_eq!(item["Item"], *first);
    let selected = database.ok(
        "ExecuteStatement",
        &json!({"Statement":
        "SELECT \"key\" FROM \"sys.heat\" WHERE \"table\" = 'orders/by-city' AND kind = 'keys'"}),
    );
    assert_eq!(selected["Items"][0], json!({"key": {"S": "city = 'Delft'"}}));
    check_scan(&database);
    let described = database.ok("DescribeTable", &json!({"TableName": "sys.heat"}));
    assert_eq!(described["Table"]["KeySchema"][1]["AttributeName"], "heat");
    assert_eq!(database.ok("ListTables", &json!({})), json!({"TableNames": ["orders"]}));
    let put = json!({"TableName": "sys.heat", "Item": {"table": {"S": "a"}, "heat": {"S": "b"}}});
    let refused = database.call("PutItem", &put).unwrap_err().to_string();
    assert!(refused.contains("sys.heat is made by the server"), "{refused}");
}

/// Pages of a scan are all items, once each.
fn check_scan(database: &Database) {
    let (mut keys, mut start) = (Vec::new(), Json::Null);
    loop {
        let mut request = json!({"TableName": "sys.heat", "Limit": 7});
        if !start.is_null() {
            request["ExclusiveStartKey"] = start;
        }
        let mut page = database.ok("Scan", &request);
        let items = page["Items"].as_array().unwrap();
        keys.extend(
            items.iter().map(|item| (item["table"].to_string(), item["heat"]["S"].to_string())),
        );
        start = page["LastEvaluatedKey"].take();
        if start.is_null() {
            break;
        }
    }
    let scanned = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), scanned);
    let of = |kind: &str| {
        keys.iter().filter(|(_, heat)| heat.starts_with(&format!("\"{kind}#"))).count()
    };
    // Two minutes of a table and its index: three keys and one; six items, seven of the second minute, and one.
    assert_eq!((of("minutes"), of("ranges"), of("keys"), of("items")), (4, 128, 8, 15));
}

#[test]
fn a_table_named_sys_heat_is_that_table_and_elsewhere_there_is_none() {
    let database = Database::memory(EngineOptions::default());
    let get = json!({"TableName": "sys.heat", "Key": {"pk": {"S": "a"}}});
    let missing = |database: &Database| database.call("GetItem", &get).unwrap_err().to_string();
    assert!(missing(&database).ends_with("Requested resource not found"), "{}", missing(&database));
    let database = watched(Profile::Default);
    assert!(missing(&database).contains("key"), "{}", missing(&database));
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "sys.heat", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        }),
    );
    let item = json!({"pk": {"S": "a"}});
    database.ok("PutItem", &json!({"TableName": "sys.heat", "Item": item}));
    assert_eq!(database.ok("GetItem", &get)["Item"], item);
}

#[test]
fn hot_keys_tell_the_parts_that_templates_derive() {
    let database = watched(Profile::Default);
    let template = r#"owns city = "{country}#{town}""#;
    block_on(database.engine.put_key_template("orders", template, TemplateMode::Fill)).unwrap();
    let mut item = order("p", "s");
    item["country"] = json!({"S": "NL"});
    item["town"] = json!({"S": "Delft"});
    database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    database.ok(
        "Query",
        &json!({
            "TableName": "orders", "IndexName": "by-city", "KeyConditionExpression": "city = :c",
            "ExpressionAttributeValues": {":c": {"S": "NL#Delft"}},
        }),
    );
    let parts = |index| {
        let keys = heat(&database, index).summary().keys.accessed.keys;
        keys.into_iter().map(|key| (key.key, key.parts)).collect::<Vec<_>>()
    };
    let named = Some("country = 'NL' AND town = 'Delft'".to_owned());
    assert_eq!(parts(Some("by-city")), [("city = 'NL#Delft'".to_owned(), named)]);
    assert_eq!(parts(None), [("pk = 'p'".to_owned(), None)]);
}
