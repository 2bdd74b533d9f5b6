//! Versions kept as items: the documents-with-versions patterns, whoever writes and however often at once.

use super::{check, create, enable, memory};
use hashrange_engine::{EngineOptions, VersionsRecord};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

fn audits() -> VersionsRecord {
    VersionsRecord::new("v{n:pad:3}_{name}", "v0_{name}")
}

fn keeping(versions: VersionsRecord) -> Database {
    let database = memory();
    create(&database);
    set(&database, versions);
    database
}

fn set(database: &Database, versions: VersionsRecord) {
    block_on(database.engine.set_versions("orders", Some(versions))).unwrap();
}

fn refused(database: &Database, versions: VersionsRecord) -> String {
    block_on(database.engine.set_versions("orders", Some(versions))).unwrap_err().to_string()
}

fn state(sk: &str, state: &str) -> Json {
    json!({"pk": {"S": "p"}, "sk": {"S": sk}, "state": {"S": state}})
}

fn put(database: &Database, sk: &str, value: &str) -> Json {
    let request =
        json!({"TableName": "orders", "Item": state(sk, value), "ReturnConsumedCapacity": "TOTAL"});
    database.ok("PutItem", &request)
}

fn update(sk: &str, value: &str) -> Json {
    json!({"TableName": "orders", "Key": {"pk": {"S": "p"}, "sk": {"S": sk}},
        "UpdateExpression": "SET #s = :s", "ExpressionAttributeNames": {"#s": "state"},
        "ExpressionAttributeValues": {":s": {"S": value}}, "ReturnValues": "ALL_NEW"})
}

/// Returns sort key, state and number of the items of the collection.
fn collection(database: &Database, condition: &str, values: &Json) -> Vec<String> {
    let mut all = json!({":p": {"S": "p"}});
    all.as_object_mut().unwrap().extend(values.as_object().unwrap().clone());
    let answer = database.ok(
        "Query",
        &json!({"TableName": "orders", "ConsistentRead": true,
            "KeyConditionExpression": format!("pk = :p{condition}"), "ExpressionAttributeValues": all}),
    );
    let items = answer["Items"].as_array().unwrap();
    let text = |item: &Json| {
        let text = |value: &Json| value.as_str().unwrap_or("-").to_owned();
        let number = item.get("LatestVersion").map(|number| format!(" {}", text(&number["N"])));
        let (sk, state) = (text(&item["sk"]["S"]), text(&item["state"]["S"]));
        format!("{sk} {state}{}", number.unwrap_or_default())
    };
    items.iter().map(text).collect()
}

fn all(database: &Database) -> Vec<String> {
    collection(database, "", &json!({}))
}

/// The audit pattern of the guide: a program writes the pointer and nothing else.
#[test]
fn the_audit_pattern_needs_no_code_for_writing() {
    let database = keeping(audits());
    put(&database, "metadata", "x");
    put(&database, "v0_Audit", "INIT");
    database.ok("UpdateItem", &update("v0_Audit", "ONGOING"));
    let answer = database.ok("UpdateItem", &update("v0_Audit", "COMPLETE"));
    assert_eq!(answer["Attributes"]["LatestVersion"], json!({"N": "3"}));
    let (newest, versions) =
        (["v0_Audit COMPLETE 3"], ["v001_Audit INIT", "v002_Audit ONGOING", "v003_Audit COMPLETE"]);
    let begins = json!({":s": {"S": "v0_"}});
    assert_eq!(collection(&database, " AND begins_with(sk, :s)", &begins), newest);
    let between = json!({":a": {"S": "v001_"}, ":b": {"S": "v099_~"}});
    assert_eq!(collection(&database, " AND sk BETWEEN :a AND :b", &between), versions);
    assert_eq!(
        collection(&database, " AND sk = :s", &json!({":s": {"S": "v002_Audit"}})),
        versions[1..2]
    );
    assert_eq!(all(&database).len(), 5);
    check(&database);
}

/// The pattern of the article: `v_0` is the newest of `v_1`, `v_2`; the form that was declared decides.
#[test]
fn unpadded_numbers_are_kept_as_declared_and_told() {
    let database = memory();
    create(&database);
    let versions = VersionsRecord::new("v_{n}", "v_0");
    let told = block_on(database.engine.set_versions("orders", Some(versions))).unwrap();
    assert_eq!(told.warnings.len(), 2, "{told:?}");
    for nth in 1..=11 {
        put(&database, "v_0", &nth.to_string());
    }
    let all = all(&database);
    assert_eq!(all[..4], ["v_0 11 11", "v_1 1", "v_10 10", "v_11 11"]);
    assert_eq!(all.len(), 12);
    check(&database);
}

/// A program that writes `Audit` and knows nothing of versions.
#[test]
fn a_plain_key_has_its_versions_beside_it() {
    let database = keeping(VersionsRecord::new("v{n:pad:3}_{name}", "{name}"));
    put(&database, "Audit", "INIT");
    put(&database, "Audit", "DONE");
    assert_eq!(all(&database), ["Audit DONE 2", "v001_Audit INIT", "v002_Audit DONE"]);
    let key = json!({"pk": {"S": "p"}, "sk": {"S": "Audit"}});
    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key}));
    assert_eq!(all(&database), ["v001_Audit INIT", "v002_Audit DONE"]);
    put(&database, "Audit", "AGAIN");
    assert_eq!(all(&database)[..1], ["Audit AGAIN 3"]);
    assert_eq!(all(&database)[3..], ["v003_Audit AGAIN"]);
    check(&database);
}

/// What was is put back as it was, versions and number, and no version is kept of it.
#[test]
fn a_restore_puts_versions_back() {
    use hashrange_engine::ChangesInput;
    let database = keeping(audits());
    enable(&database, None);
    put(&database, "v0_A", "one");
    put(&database, "v0_A", "two");
    let before = all(&database);
    let from_ms = NOW_MS;
    database.clock.advance_ms(1000);
    put(&database, "v0_A", "three");
    for sk in ["v001_A", "v003_A"] {
        let key = json!({"pk": {"S": "p"}, "sk": {"S": sk}});
        database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key}));
    }
    database.clock.advance_ms(1000);
    let input =
        ChangesInput { table_name: "orders".to_owned(), from_ms, ..ChangesInput::default() };
    block_on(database.engine.restore_items(&input)).unwrap();
    assert_eq!(all(&database), before);
    check(&database);
}

/// A version expires only by its own attribute, and an item that was renewed does not.
#[test]
fn expiry_takes_only_what_is_due() {
    let database = keeping(VersionsRecord::new("v{n:pad:3}_{name}", "{name}"));
    let expiry = json!({"AttributeName": "ttl", "Enabled": true});
    database
        .ok("UpdateTimeToLive", &json!({"TableName": "orders", "TimeToLiveSpecification": expiry}));
    database.run_jobs();
    for sk in ["doc", "session"] {
        let mut item = state(sk, "x");
        item["ttl"] = json!({"N": (NOW_MS / 1000 + 1).to_string()});
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    let mut renewed = state("doc", "y");
    renewed["ttl"] = json!({"N": (NOW_MS / 1000 + 9000).to_string()});
    database.ok("PutItem", &json!({"TableName": "orders", "Item": renewed}));
    database.clock.advance_ms(10_000);
    database.engine.sweep();
    assert_eq!(all(&database), ["doc y 2", "v002_doc y"]);
    check(&database);
}

#[test]
fn what_changes_nothing_keeps_no_version() {
    let database = keeping(audits());
    put(&database, "v0_A", "x");
    put(&database, "v0_A", "x");
    database.ok("UpdateItem", &update("v0_A", "x"));
    assert_eq!(all(&database), ["v001_A x", "v0_A x 1"]);
    // A number that a program brings is not believed.
    let mut item = state("v0_A", "x");
    item["LatestVersion"] = json!({"N": "70"});
    database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    assert_eq!(all(&database), ["v001_A x", "v0_A x 1"]);
    let absent = json!({"TableName": "orders", "Key": {"pk": {"S": "p"}, "sk": {"S": "v0_B"}}});
    database.ok("DeleteItem", &absent);
    let mut removing = absent;
    removing["UpdateExpression"] = json!("REMOVE n");
    database.ok("UpdateItem", &removing);
    check(&database);
}

/// Optimistic locking by the number, in single writes and in transactions.
#[test]
fn a_condition_on_the_number_holds_off_the_second_writer() {
    let database = keeping(audits());
    put(&database, "v0_A", "one");
    let numbered = |value: &str, number: u64| {
        let mut request = update("v0_A", value);
        request["ConditionExpression"] = json!("LatestVersion = :n");
        request["ExpressionAttributeValues"][":n"] = json!({"N": number.to_string()});
        request.as_object_mut().unwrap().remove("ReturnValues");
        request
    };
    database.ok("UpdateItem", &numbered("two", 1));
    let late = database.fails("UpdateItem", &numbered("late", 1));
    assert!(late.contains("conditional request failed"), "{late}");
    let in_transaction = |request: Json, other: &str| {
        json!({"TransactItems": [
            {"Update": request}, {"Put": {"TableName": "orders", "Item": state(other, "x")}}]})
    };
    database.ok("TransactWriteItems", &in_transaction(numbered("three", 2), "other"));
    database.fails("TransactWriteItems", &in_transaction(numbered("late", 2), "late"));
    assert_eq!(
        all(&database),
        ["other x", "v001_A one", "v002_A two", "v003_A three", "v0_A three 3"]
    );
    check(&database);
}

#[test]
fn a_version_is_not_written_in_the_same_request() {
    let database = keeping(audits());
    put(&database, "v0_A", "one");
    let put = |sk: &str| json!({"Put": {"TableName": "orders", "Item": state(sk, "x")}});
    let both = json!({"TransactItems": [put("v0_A"), put("v002_A")]});
    let refused = database.fails("TransactWriteItems", &both);
    assert!(
        refused.contains("ValidationError") || refused.contains("leave v002_A out"),
        "{refused}"
    );
    let batch = json!({"RequestItems": {"orders": [
        {"PutRequest": {"Item": state("v0_B", "x")}}, {"PutRequest": {"Item": state("v0_C", "x")}}]}});
    database.ok("BatchWriteItem", &batch);
    let statement = "INSERT INTO orders VALUE {'pk': 'p', 'sk': 'v0_D', 'state': 'x'}";
    database.ok("ExecuteStatement", &json!({"Statement": statement}));
    let all = all(&database);
    assert_eq!(all[1..4], ["v001_B x", "v001_C x", "v001_D x"], "{all:?}");
    check(&database);
}

#[test]
fn as_many_versions_are_kept_as_asked_for() {
    let database = keeping(audits());
    for nth in 1..=9 {
        put(&database, "v0_A", &nth.to_string());
        put(&database, "v0_B", &nth.to_string());
    }
    set(&database, VersionsRecord { keep: Some(2), ..audits() });
    for nth in 10..=12 {
        put(&database, "v0_A", &nth.to_string());
    }
    let of_a: Vec<_> = all(&database).into_iter().filter(|it| it.contains("_A ")).collect();
    assert_eq!(of_a, ["v011_A 11", "v012_A 12", "v0_A 12 12"]);
    assert_eq!(all(&database).iter().filter(|it| it.contains("_B ")).count(), 10);
    check(&database);
}

#[test]
fn versions_expire_by_the_time_to_live_of_the_table() {
    let database = memory();
    create(&database);
    let days = || VersionsRecord { keep_days: Some(7), ..audits() };
    assert!(refused(&database, days()).contains("not enabled"));
    let expiry = json!({"AttributeName": "ttl", "Enabled": true});
    database
        .ok("UpdateTimeToLive", &json!({"TableName": "orders", "TimeToLiveSpecification": expiry}));
    database.run_jobs();
    set(&database, days());
    put(&database, "v0_A", "x");
    let read = |sk: &str| {
        let key = json!({"pk": {"S": "p"}, "sk": {"S": sk}});
        database.ok("GetItem", &json!({"TableName": "orders", "Key": key}))["Item"].clone()
    };
    let second = NOW_MS / 1000 + 7 * 24 * 60 * 60;
    assert_eq!(read("v001_A")["ttl"], json!({"N": second.to_string()}));
    assert_eq!(read("v0_A")["ttl"], Json::Null);
    check(&database);
}

/// An expiry is never set on a key, whether time to live is on it before the rules or after.
#[test]
fn versions_do_not_expire_by_keys() {
    let days = || VersionsRecord { keep_days: Some(3), ..audits() };
    let expiring = |database: &Database, attribute: &str, enabled: bool| {
        let specification = json!({"AttributeName": attribute, "Enabled": enabled});
        let request = json!({"TableName": "orders", "TimeToLiveSpecification": specification});
        database.ok("UpdateTimeToLive", &request);
        database.run_jobs();
        database.clock.advance_ms(2 * 60 * 60 * 1000);
    };
    for attribute in ["pk", "sk", "by", "local"] {
        let database = memory();
        create(&database);
        expiring(&database, attribute, true);
        let told = refused(&database, days());
        assert!(told.contains("is a key of the table, or no number"), "{attribute}: {told}");
        expiring(&database, attribute, false);
        expiring(&database, "ttl", true);
        set(&database, days());
        expiring(&database, "ttl", false);
        expiring(&database, attribute, true);
        put(&database, "v0_A", "x");
        put(&database, "v0_A", "y");
        assert_eq!(all(&database), ["v001_A x", "v002_A y", "v0_A y 2"], "{attribute}");
        check(&database);
    }
    let database = memory();
    create(&database);
    expiring(&database, "ttl", true);
    let told = refused(&database, VersionsRecord { number: "ttl".to_owned(), ..audits() });
    assert!(told.contains("is the time to live"), "{told}");
}

/// Changes of the table after the rules are refused, or told.
#[test]
fn later_changes_do_not_break_the_rules() {
    let database = memory();
    create(&database);
    let specification = |enabled: bool| {
        let specification = json!({"AttributeName": "ttl", "Enabled": enabled});
        json!({"TableName": "orders", "TimeToLiveSpecification": specification})
    };
    database.ok("UpdateTimeToLive", &specification(true));
    database.run_jobs();
    set(&database, VersionsRecord { keep_days: Some(3), ..audits() });
    let index = |kind: &str| {
        let key = json!([{"AttributeName": "LatestVersion", "KeyType": "HASH"}]);
        json!({
            "TableName": "orders",
            "AttributeDefinitions": [{"AttributeName": "LatestVersion", "AttributeType": kind}],
            "GlobalSecondaryIndexUpdates": [{"Create": {
                "IndexName": "newest", "KeySchema": key, "Projection": {"ProjectionType": "ALL"},
            }}],
        })
    };
    let told = database.fails("UpdateTable", &index("S"));
    assert!(told.contains("LatestVersion is a key of an index that is no number"), "{told}");
    database.ok("UpdateTable", &index("N"));
    database.run_jobs();
    put(&database, "v0_A", "x");
    let warnings = || database.engine.describe_versions("orders").unwrap().warnings.join(";");
    assert!(!warnings().contains("expire"), "{}", warnings());
    database.clock.advance_ms(2 * 60 * 60 * 1000);
    database.ok("UpdateTimeToLive", &specification(false));
    assert!(warnings().contains("versions no longer expire after 3 days"), "{}", warnings());
    check(&database);
}

/// Each item that a write keeps costs what a write of it costs, and a stream has a record of each.
#[test]
fn each_item_is_charged_streamed_and_in_the_history() {
    let database = keeping(audits());
    enable(&database, None);
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    database.ok("UpdateTable", &json!({"TableName": "orders", "StreamSpecification": stream}));
    assert_eq!(put(&database, "plain", "x")["ConsumedCapacity"]["CapacityUnits"], json!(1.0));
    assert_eq!(put(&database, "v0_A", "x")["ConsumedCapacity"]["CapacityUnits"], json!(2.0));
    let counted = database.ok(
        "Query",
        &json!({"TableName": "orders.history", "Select": "COUNT",
        "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}),
    );
    assert_eq!(counted["Count"], json!(3), "three items that are there");
    let arn =
        database.ok("DescribeTable", &json!({"TableName": "orders"}))["Table"]["LatestStreamArn"]
            .clone();
    let shard =
        database.ok("DescribeStream", &json!({"StreamArn": arn}))["StreamDescription"]["Shards"][0]
            ["ShardId"]
            .clone();
    let iterator = database.ok(
        "GetShardIterator",
        &json!({"StreamArn": arn, "ShardId": shard,
        "ShardIteratorType": "TRIM_HORIZON"}),
    )["ShardIterator"]
        .clone();
    let records = database.ok("GetRecords", &json!({"ShardIterator": iterator}));
    assert_eq!(records["Records"].as_array().unwrap().len(), 3);
    check(&database);
}

/// Versions that a program made by hand are numbered on.
#[test]
fn versions_made_by_hand_are_taken_over() {
    let database = memory();
    create(&database);
    for sk in ["v001_A", "v002_A", "v0_A", "v007_B", "v001_C"] {
        put(&database, sk, "hand");
    }
    let mut item = state("v0_C", "hand");
    item["LatestVersion"] = json!({"N": "1"});
    database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    set(&database, audits());
    for sk in ["v0_A", "v0_B", "v0_C"] {
        put(&database, sk, "new");
    }
    let all = all(&database);
    for expected in
        ["v003_A new", "v0_A new 3", "v008_B new", "v0_B new 8", "v002_C new", "v0_C new 2"]
    {
        assert!(all.iter().any(|it| it == expected), "{expected}: {all:?}");
    }
    // A key that a program has taken since is left to it.
    put(&database, "v004_A", "mine");
    put(&database, "v0_A", "newer");
    let all = self::all(&database);
    for expected in ["v004_A mine", "v005_A newer", "v0_A newer 5"] {
        assert!(all.iter().any(|it| it == expected), "{expected}: {all:?}");
    }
    check(&database);
}

#[test]
fn a_number_that_does_not_fit_is_refused() {
    let database = keeping(VersionsRecord::new("v{n:pad:1}_{name}", "new_{name}"));
    for nth in 1..=9 {
        put(&database, "new_A", &nth.to_string());
    }
    let refused =
        database.fails("PutItem", &json!({"TableName": "orders", "Item": state("new_A", "ten")}));
    assert!(refused.contains("number 10 does not fit"), "{refused}");
    // What changes nothing needs no number.
    put(&database, "new_A", "9");
    assert_eq!(all(&database).len(), 10);
    put(&database, "other", "x");
    check(&database);
}

#[test]
fn rules_that_a_table_cannot_have_are_refused() {
    let database = memory();
    create(&database);
    for (versions, why) in [
        (VersionsRecord { number: "pk".to_owned(), ..audits() }, "is a key of the table"),
        (VersionsRecord { number: "by".to_owned(), ..audits() }, "no number"),
        (VersionsRecord { keep: Some(0), ..audits() }, "at least 1 version"),
        (VersionsRecord { number: "hashrange:since".to_owned(), ..audits() }, "hashrange:"),
        (VersionsRecord::new("v_{name}", "v0_{name}"), "has no number"),
    ] {
        let told = refused(&database, versions);
        assert!(told.contains(why), "{told}");
    }
    let unknown = block_on(database.engine.set_versions("absent", Some(audits())));
    assert!(unknown.unwrap_err().to_string().contains("not found"));
}

/// Writers of two servers on one item: each gets a number of its own, and none is left out.
#[test]
fn writers_at_once_get_numbers_of_their_own() {
    const WRITERS: u64 = 8;
    const WRITES: u64 = 15;
    let databases = Database::sharing(2, &EngineOptions::default());
    create(&databases[0]);
    set(&databases[0], VersionsRecord::new("v{n:pad:4}_{name}", "v0_{name}"));
    let write = |writer: u64| {
        let database = &databases[usize::try_from(writer % 2).unwrap()];
        for nth in 0..WRITES {
            let request =
                json!({"TableName": "orders", "Item": state("v0_A", &format!("{writer}.{nth}"))});
            while let Err(error) = database.call("PutItem", &request) {
                assert!(
                    error.to_string().contains("TransactionConflict")
                        || error.to_string().contains("try again"),
                    "{error}"
                );
            }
        }
    };
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || write(writer));
        }
    });
    let all = all(&databases[0]);
    let last = WRITERS * WRITES;
    assert_eq!(all.len() as u64, last + 1);
    let versions: Vec<_> = all.iter().filter(|it| !it.starts_with("v0_")).collect();
    let mut states = std::collections::BTreeSet::new();
    for (nth, version) in (1..).zip(&versions) {
        let (key, state) = version.split_once(' ').unwrap();
        assert_eq!(key, format!("v{nth:04}_A"));
        assert!(states.insert(state), "{state} twice");
    }
    let newest = all.iter().find(|it| it.starts_with("v0_")).unwrap();
    let of_last = versions.last().unwrap().split_once(' ').unwrap().1;
    assert_eq!(*newest, format!("v0_A {of_last} {last}"));
    check(&databases[0]);
}

/// Random writes against a model: what a pointer and its versions hold after each.
#[test]
fn versions_are_those_of_the_model() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let keep = random.chance(50).then_some(3);
        let database = keeping(VersionsRecord { keep, ..audits() });
        if random.chance(50) {
            enable(&database, None);
        }
        let mut model: BTreeMap<String, String> = BTreeMap::new();
        let mut newest: BTreeMap<&str, (String, u64)> = BTreeMap::new();
        for _ in 0..150 {
            let name = *random.pick(&["A", "B", "C"]);
            let (key, value) = (format!("v0_{name}"), random.below(3).to_string());
            match random.below(6) {
                0 => {
                    let key = json!({"pk": {"S": "p"}, "sk": {"S": key}});
                    database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key}));
                    newest.remove(name);
                    continue;
                }
                1 => drop(database.ok("UpdateItem", &update(&key, &value))),
                2 => {
                    let item = json!({"Put": {"TableName": "orders", "Item": state(&key, &value)}});
                    database.ok("TransactWriteItems", &json!({"TransactItems": [item]}));
                }
                _ => drop(put(&database, &key, &value)),
            }
            let known = newest.get(name);
            if known.is_some_and(|(state, _)| *state == value) {
                continue;
            }
            let of_name = |key: &&String| key.ends_with(&format!("_{name}"));
            let greatest = model.keys().rfind(of_name);
            let greatest = greatest.map_or(0, |key| key[1..4].parse::<u64>().unwrap());
            let number = known.map_or(greatest, |(_, number)| *number) + 1;
            newest.insert(name, (value.clone(), number));
            model.insert(format!("v{number:03}_{name}"), value);
            if let Some(keep) = keep {
                model.retain(|key, _| {
                    !key.ends_with(&format!("_{name}"))
                        || key[1..4].parse::<u64>().unwrap() + u64::from(keep) > number
                });
            }
        }
        let mut expected: Vec<String> =
            model.iter().map(|(key, it)| format!("{key} {it}")).collect();
        expected
            .extend(newest.iter().map(|(name, (it, number))| format!("v0_{name} {it} {number}")));
        expected.sort();
        let mut found = all(&database);
        found.sort();
        assert_eq!(found, expected, "seed {seed}");
        check(&database);
    }
}
