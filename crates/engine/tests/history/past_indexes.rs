//! Indexes of tables of the past, against the same entries made from a Scan of the table's versions.

use super::{as_of, create, enable, memory, read};
use hashrange_engine::{Mode, PartitionsInput, Step};
use hashrange_model::moment;
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;

fn text<'i>(item: &'i Json, name: &str) -> Option<&'i str> {
    item[name]["S"].as_str()
}

/// Writes items, changes them, moves them in the indexes and out of them, and deletes some.
fn changed() -> Database {
    let database = memory();
    create(&database);
    let mut random = Random::new(7);
    for n in 0..400 {
        if n == 20 {
            enable(&database, None);
        }
        database.clock.advance_ms(u64::from(n % 3 > 0));
        let (pk, sk) = (random.below(3).to_string(), random.below(12).to_string());
        if random.below(8) == 0 {
            let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
            database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key}));
            continue;
        }
        let mut item = json!({"pk": {"S": pk}, "sk": {"S": sk}, "n": {"N": n.to_string()}});
        for (name, values) in [("by", 3), ("local", 5)] {
            if random.below(4) > 0 {
                item[name] = json!({"S": random.below(values).to_string()});
            }
        }
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    database
}

/// Returns versions in the order of an index: key of the index, key of the table, end of the version.
fn order(sort: &'static str) -> impl Fn(&Json, &Json) -> Ordering {
    // Keys of the table are in the order of their hashes; in one entry of an index they are of one partition here.
    let place = move |item: &Json| {
        let until = text(item, "hashrange:until").map_or("9", |it| it).to_owned();
        let order = text(item, "hashrange:order").unwrap_or("1.0-1.0").to_owned();
        let nth = order.split_once('-').unwrap().1.split_once('.').map(|it| it.1.parse::<u32>());
        let name = |name| text(item, name).unwrap().to_owned();
        (name(sort), name("sk"), until, nth.map(Result::unwrap))
    };
    move |one, two| place(one).cmp(&place(two))
}

#[test]
fn versions_are_read_by_every_index() {
    let database = changed();
    let all = read(&database, "Scan", json!({"TableName": "orders.history"}));
    let held = |item: &&Json| item.get("hashrange:deleted").is_none();
    for (index, hash, sort) in [("by-by", "by", "sk"), ("local", "pk", "local")] {
        for value in ["0", "1", "2", "none"] {
            let of_value = all
                .iter()
                .filter(held)
                .filter(|item| text(item, hash) == Some(value) && text(item, sort).is_some());
            let mut expected: Vec<_> = of_value.cloned().collect();
            assert_eq!(expected.is_empty(), value == "none");
            // Within a sort key of the global index the items of several partitions are in the order of their hashes.
            expected.sort_by(order(sort));
            for limit in [1, 7, 50, 1000] {
                for is_forward in [true, false] {
                    let request = json!({
                        "TableName": "orders.history", "IndexName": index, "Limit": limit,
                        "KeyConditionExpression": "#h = :v", "ScanIndexForward": is_forward,
                        "ExpressionAttributeNames": {"#h": hash},
                        "ExpressionAttributeValues": {":v": {"S": value}},
                    });
                    let mut found = read(&database, "Query", request);
                    if !is_forward {
                        found.reverse();
                    }
                    let is_ordered =
                        found.is_sorted_by(|one, two| text(one, sort) <= text(two, sort));
                    assert!(is_ordered, "{index} {value} {limit}");
                    found.sort_by(order(sort));
                    assert_eq!(found.len(), expected.len(), "{index} {value} {limit}");
                    let same = |one: &Json, two: &Json| order(sort)(one, two).is_eq();
                    assert!(found.iter().zip(&expected).all(|(one, two)| same(one, two)));
                }
            }
        }
    }
}

#[test]
fn a_table_as_it_was_is_read_by_its_indexes_as_they_were() {
    let database = changed();
    let end_ms = database.clock.now_ms();
    for at_ms in (NOW_MS + 20..end_ms).step_by(40).chain([end_ms]) {
        let table = as_of(at_ms);
        let all = read(&database, "Scan", json!({"TableName": table}));
        for (index, hash, sort) in [("by-by", "by", "sk"), ("local", "pk", "local")] {
            let mut found = read(
                &database,
                "Scan",
                json!({"TableName": table, "IndexName": index, "Limit": 3}),
            );
            let has_keys = |item: &&Json| text(item, hash).is_some() && text(item, sort).is_some();
            let mut expected: Vec<_> = all.iter().filter(has_keys).cloned().collect();
            let key = |item: &Json| {
                (text(item, "pk").map(str::to_owned), text(item, "sk").map(str::to_owned))
            };
            found.sort_by_key(key);
            expected.sort_by_key(key);
            assert_eq!(found, expected, "{table} {index}");
            let mut segments = Vec::new();
            for segment in 0..3 {
                let request = json!({
                    "TableName": table, "IndexName": index, "Segment": segment, "TotalSegments": 3, "Limit": 2,
                });
                segments.extend(read(&database, "Scan", request));
            }
            segments.sort_by_key(key);
            assert_eq!(segments, expected, "{table} {index}");
        }
    }
}

#[test]
fn statements_read_the_past_of_indexes() {
    let database = changed();
    let query = json!({
        "TableName": "orders.history", "IndexName": "by-by", "KeyConditionExpression": "#h = :v AND sk > :s",
        "ExpressionAttributeNames": {"#h": "by"},
        "ExpressionAttributeValues": {":v": {"S": "1"}, ":s": {"S": "2"}},
    });
    let expected = read(&database, "Query", query);
    let statement = "SELECT * FROM \"orders.history\".\"by-by\" WHERE \"by\" = '1' AND sk > '2'";
    let mut found = Vec::new();
    let mut request = json!({"Statement": statement, "Limit": 5});
    loop {
        let answer = database.ok("ExecuteStatement", &request);
        found.extend(answer["Items"].as_array().unwrap().iter().cloned());
        match answer.get("NextToken") {
            Some(token) => request["NextToken"] = token.clone(),
            None => break,
        }
    }
    assert!(expected.len() > 20);
    assert_eq!(found, expected);
    let both = "SELECT * FROM \"orders.history\".\"by-by\" WHERE \"by\" IN ['0', '1'] AND sk = '3'";
    let found = database.ok("ExecuteStatement", &json!({"Statement": both}));
    let values: Vec<_> =
        found["Items"].as_array().unwrap().iter().map(|item| text(item, "by").unwrap()).collect();
    assert!(values.contains(&"0") && values.contains(&"1") && values.is_sorted(), "{values:?}");
}

/// A page is charged by the versions it examines, whole whatever the index projects.
#[test]
fn versions_of_an_index_are_whole() {
    let database = memory();
    let element = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let index = json!({
        "IndexName": "keys", "KeySchema": [element("by", "HASH")],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    });
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [attribute("pk"), attribute("sk"), attribute("by")],
            "KeySchema": [element("pk", "HASH"), element("sk", "RANGE")],
            "GlobalSecondaryIndexes": [index],
        }),
    );
    enable(&database, None);
    for n in 0..3 {
        database.clock.advance_ms(1);
        let long = "x".repeat(4000);
        let item = json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "by": {"S": "b"}, "n": {"N": n.to_string()}, "t": {"S": long}});
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    let query = json!({
        "TableName": "orders.history", "IndexName": "keys", "KeyConditionExpression": "#h = :v",
        "ProjectionExpression": "n, #u", "ReturnConsumedCapacity": "INDEXES",
        "ExpressionAttributeNames": {"#h": "by", "#u": "hashrange:until"},
        "ExpressionAttributeValues": {":v": {"S": "b"}},
    });
    let answer = database.ok("Query", &query);
    let until = |n: u64| moment::basic(NOW_MS + n);
    assert_eq!(
        answer["Items"],
        json!([
            {"n": {"N": "0"}, "hashrange:until": {"S": until(2)}},
            {"n": {"N": "1"}, "hashrange:until": {"S": until(3)}},
            {"n": {"N": "2"}},
        ])
    );
    let of_index = &answer["ConsumedCapacity"]["GlobalSecondaryIndexes"]["keys"]["CapacityUnits"];
    assert_eq!(of_index, &json!(1.5));
}

#[test]
fn other_reads_of_an_index_of_the_past_are_refused() {
    let database = changed();
    for table in ["orders.history", &as_of(NOW_MS + 30)] {
        let table_name = table.to_owned();
        let index_name = Some("by-by".to_owned());
        let input = PartitionsInput { table_name, index_name, ..PartitionsInput::default() };
        let refused = block_on(database.engine.partitions(input)).unwrap_err();
        let told = refused.message().unwrap_or_default();
        assert!(told.contains("is read by Query, Scan and ExecuteStatement"), "{told}");
    }
}

#[test]
fn an_index_of_the_past_is_explained() {
    let database = changed();
    let query = json!({
        "TableName": "orders.history", "IndexName": "by-by", "KeyConditionExpression": "#h = :v",
        "ExpressionAttributeNames": {"#h": "by"}, "ExpressionAttributeValues": {":v": {"S": "1"}},
    });
    let examined = read(&database, "Query", query.clone()).len();
    let body = query.to_string();
    let explained = database.explain("Query", body.as_bytes(), Mode::Analyze).unwrap();
    let Step::Read(step) = &explained.steps[0] else { panic!("a read") };
    assert_eq!(step.counted.as_ref().unwrap().examined.items, examined);
    assert_eq!(step.collection, None);
    let advice: Vec<_> = explained.advice.iter().map(|it| it.finding.as_str()).collect();
    assert_eq!(advice, ["an index keeps no past"]);
}
