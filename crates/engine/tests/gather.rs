//! Gather: all write shards of a partition key in the order of the sort key, page by page, as one partition would be.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::EngineOptions;
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};

fn create(database: &Database) {
    let names = ["pk", "sk", "day", "local"];
    let definitions = names.map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let key = |hash: &str, range: &str| {
        json!([
            {"AttributeName": hash, "KeyType": "HASH"},
            {"AttributeName": range, "KeyType": "RANGE"},
        ])
    };
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "visits", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": definitions, "KeySchema": key("pk", "sk"),
            "LocalSecondaryIndexes": [{"IndexName": "by-local", "KeySchema": key("pk", "local"),
                "Projection": {"ProjectionType": "KEYS_ONLY"}}],
            "GlobalSecondaryIndexes": [{"IndexName": "by-day", "KeySchema": key("day", "local"),
                "Projection": {"ProjectionType": "ALL"}}],
        }),
    );
}

/// Items `number, sort key, local` over shards `p#0` to `p#6`, in tables with and without shards.
fn filled(random: &mut Random) -> [Database; 2] {
    let databases = [(); 2].map(|()| Database::memory(EngineOptions::default()));
    databases.iter().for_each(create);
    for nth in 0..random.below(300) {
        let shard = random.below(7);
        let item = |pk: String| {
            json!({"TableName": "visits", "Item": {
                "pk": {"S": pk}, "sk": {"S": format!("{:03}", nth / 3)}, "day": {"S": format!("d#{shard}")},
                "local": {"S": random_local(nth)}, "nth": {"N": nth.to_string()},
                "note": {"S": "x".repeat((nth % 7) * 400)}}})
        };
        databases[0].ok("PutItem", &item(format!("p#{shard}")));
        // In one partition a sort key is there once: the shard is a part of it.
        let mut one = item("p".to_owned());
        one["Item"]["sk"] = json!({"S": format!("{:03}#{shard}", nth / 3)});
        databases[1].ok("PutItem", &one);
    }
    databases
}

fn random_local(nth: usize) -> String {
    format!("{:02}", nth * 37 % 23)
}

fn gather(database: &Database, request: &Json) -> Result<Json, String> {
    let answer = block_on(database.engine.gather_json(request.to_string().as_bytes()));
    Ok(serde_json::from_slice(&answer.map_err(|error| error.to_string())?).unwrap())
}

fn request(partition: &str, value: &str) -> Json {
    json!({"TableName": "visits", "KeyConditionExpression": format!("{partition} = :p"),
        "ExpressionAttributeValues": {":p": {"S": value}}})
}

fn with_sort(mut request: Json, condition: &str, values: &[(&str, &str)]) -> Json {
    let text = format!("{} AND {condition}", request["KeyConditionExpression"].as_str().unwrap());
    request["KeyConditionExpression"] = json!(text);
    for (name, value) in values {
        request["ExpressionAttributeValues"][name] = json!({"S": value});
    }
    request
}

/// Returns the numbers of all items, page by page, and the sum of examined items.
fn numbers(
    mut ask: impl FnMut(&Json) -> Json,
    mut request: Json,
    limit: usize,
) -> (Vec<String>, u64) {
    let (mut found, mut examined) = (Vec::new(), 0);
    request["Limit"] = json!(limit);
    loop {
        let page = ask(&request);
        let items = page["Items"].as_array().unwrap();
        assert!(page["ScannedCount"].as_u64().unwrap() <= limit as u64);
        examined += page["ScannedCount"].as_u64().unwrap();
        found.extend(items.iter().map(|item| item["nth"]["N"].as_str().unwrap().to_owned()));
        match page.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return (found, examined),
        }
    }
}

/// What shards hold, merged, is what one partition would hold.
#[test]
fn shards_read_as_one_partition_would() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let [sharded, whole] = filled(&mut random);
        let low = format!("{:03}", random.below(60));
        let high = format!("{:03}~", 60 + random.below(40));
        let plain = |pk: &str| request("pk", pk);
        let between = |pk: &str| {
            with_sort(request("pk", pk), "sk BETWEEN :a AND :b", &[(":a", &low), (":b", &high)])
        };
        let filtered = |pk: &str| {
            let mut request = plain(pk);
            request["FilterExpression"] = json!("nth < :n");
            request["ExpressionAttributeValues"][":n"] = json!({"N": "120"});
            request
        };
        for forward in [true, false] {
            for of in [&plain as &dyn Fn(&str) -> Json, &between, &filtered] {
                let turned = |mut request: Json| {
                    request["ScanIndexForward"] = json!(forward);
                    request
                };
                let ask = |request: &Json| whole.ok("Query", request);
                let (expected, examined) = numbers(ask, turned(of("p")), 1_000);
                for limit in [1, 2, 7, 50, 1_000] {
                    let ask = |request: &Json| gather(&sharded, request).unwrap();
                    let found = numbers(ask, turned(of("p#{shard:7}")), limit);
                    assert_eq!(
                        found,
                        (expected.clone(), examined),
                        "seed {seed} {limit} {forward}"
                    );
                }
            }
        }
    }
}

/// Indexes have equal sort keys, in one shard and in several: each entry comes once, in the order of the sort key.
#[test]
fn equal_sort_keys_of_indexes_come_once() {
    for seed in 10..15 {
        let mut random = Random::new(seed);
        let [sharded, _] = filled(&mut random);
        for (partition, value, index) in
            [("#d", "d#{shard:0..6}", "by-day"), ("pk", "p#{shard:7}", "by-local")]
        {
            for forward in [true, false] {
                let mut asked = request(partition, value);
                asked["IndexName"] = json!(index);
                asked["ScanIndexForward"] = json!(forward);
                asked["Select"] = json!("ALL_ATTRIBUTES");
                if partition == "#d" {
                    asked["ExpressionAttributeNames"] = json!({"#d": "day"});
                }
                let ask = |request: &Json| gather(&sharded, request).unwrap();
                let (all, _) = numbers(ask, asked.clone(), 1_000);
                for limit in [1, 3, 40] {
                    let ask = |request: &Json| gather(&sharded, request).unwrap();
                    assert_eq!(numbers(ask, asked.clone(), limit).0, all, "{seed} {index} {limit}");
                }
                let locals: Vec<String> =
                    all.iter().map(|nth| random_local(nth.parse().unwrap())).collect();
                let mut sorted = locals.clone();
                sorted.sort();
                if !forward {
                    sorted.reverse();
                }
                assert_eq!(locals, sorted, "{seed} {index}");
                let count = sharded.ok("Scan", &json!({"TableName": "visits", "Select": "COUNT"}));
                assert_eq!(all.len() as u64, count["Count"].as_u64().unwrap());
            }
        }
    }
}

/// Each shard costs what a Query of it costs.
#[test]
fn each_shard_is_charged_as_its_query() {
    let database = Database::memory(EngineOptions::default());
    create(&database);
    for (pk, bytes) in [("p#0", 5_000), ("p#1", 100)] {
        let item = json!({"pk": {"S": pk}, "sk": {"S": "1"}, "note": {"S": "x".repeat(bytes)}});
        database.ok("PutItem", &json!({"TableName": "visits", "Item": item}));
    }
    let mut asked = request("pk", "p#{shard:3}");
    asked["ReturnConsumedCapacity"] = json!("TOTAL");
    let answer = gather(&database, &asked).unwrap();
    assert_eq!(answer["ConsumedCapacity"]["CapacityUnits"], json!(1.0 + 0.5 + 0.5));
    asked["ConsistentRead"] = json!(true);
    let answer = gather(&database, &asked).unwrap();
    assert_eq!(answer["ConsumedCapacity"]["CapacityUnits"], json!(2.0 + 1.0 + 1.0));
    asked["Select"] = json!("COUNT");
    let answer = gather(&database, &asked).unwrap();
    assert_eq!((answer.get("Items"), &answer["Count"]), (None, &json!(2)));
}

/// The template of the partition key says how many shards there are.
#[test]
fn a_template_says_the_number_of_shards() {
    let database = Database::memory(EngineOptions::default());
    create(&database);
    let text = "day = \"{date}#{shard:hash(pk):12}\"";
    block_on(database.engine.put_key_template(
        "visits",
        text,
        hashrange_engine::TemplateMode::Fill,
    ))
    .unwrap();
    for nth in 0..60 {
        let item = json!({"pk": {"S": format!("p{nth}")}, "sk": {"S": "1"}, "date": {"S": "1"},
            "local": {"S": format!("{nth:02}")}, "nth": {"N": nth.to_string()}});
        database.ok("PutItem", &json!({"TableName": "visits", "Item": item}));
    }
    let mut asked = request("#d", "1#{shard}");
    asked["IndexName"] = json!("by-day");
    asked["ExpressionAttributeNames"] = json!({"#d": "day"});
    let ask = |request: &Json| gather(&database, request).unwrap();
    let expected: Vec<_> = (0..60).map(|nth| nth.to_string()).collect();
    assert_eq!(numbers(ask, asked, 7).0, expected);
}

#[test]
fn requests_that_name_no_shards_are_refused() {
    let database = Database::memory(EngineOptions::default());
    create(&database);
    let sorted = |pk: &str, sk: &str| with_sort(request("pk", pk), "sk = :s", &[(":s", sk)]);
    for (asked, why) in [
        (request("pk", "p"), "{shard} or {shard:8}"),
        (request("pk", "p#{shard}"), "no key template says one number"),
        (request("pk", "p#{shard:0}"), "of 1 to 256 shards"),
        (request("pk", "p#{shard:8}#{shard:8}"), "in one value, once"),
        (sorted("p#{shard:8}", "{shard:8}"), "in one value, once"),
        (sorted("p", "s#{shard:8}"), "in the partition key"),
        (
            json!({"TableName": "absent", "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "{shard:2}"}}}),
            "not found",
        ),
    ] {
        let refused = gather(&database, &asked).unwrap_err();
        assert!(refused.contains(why), "{asked}: {refused}");
    }
    let mut outside = request("pk", "p#{shard:3}");
    outside["ExclusiveStartKey"] = json!({"pk": {"S": "q#1"}, "sk": {"S": "1"}});
    let refused = gather(&database, &outside).unwrap_err();
    assert!(refused.contains("outside"), "{refused}");
}
