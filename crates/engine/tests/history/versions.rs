//! All versions of items, what has changed between two moments, and items that are put back.

use super::{as_of, check, create, delete, describe, enable, get, item, memory, put, read};
use hashrange_engine::{ChangesInput, ChangesOutput, EngineOptions, Explanation, Mode, Step};
use hashrange_model::{AttributeValue, Item, moment};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::environment::NOW_MS;
use serde_json::{Value as Json, json};

fn of_partition(limit: usize, is_forward: bool) -> Json {
    json!({
        "TableName": "orders.history", "KeyConditionExpression": "pk = :p", "Limit": limit,
        "ExpressionAttributeValues": {":p": {"S": "p"}}, "ScanIndexForward": is_forward,
    })
}

#[test]
fn many_versions_of_many_items_come_in_pages() {
    let database = memory();
    create(&database);
    enable(&database, None);
    for n in 0..300 {
        database.clock.advance_ms(1);
        put(&database, "long", n);
        put(&database, &format!("item {n:03}"), n);
    }
    let whole = read(&database, "Query", of_partition(1000, true));
    assert_eq!(whole.len(), 600);
    let ns: Vec<_> = whole.iter().map(|item| item["n"]["N"].as_str().unwrap()).collect();
    let expected: Vec<_> = (0..300).chain(0..300).map(|n| n.to_string()).collect();
    assert_eq!(ns, expected);
    for limit in [1, 63, 64, 65, 128, 129, 299] {
        assert_eq!(read(&database, "Query", of_partition(limit, true)), whole, "{limit}");
        let mut backward = read(&database, "Query", of_partition(limit, false));
        backward.reverse();
        assert_eq!(backward, whole, "{limit}");
        let statement = "SELECT * FROM \"orders.history\" WHERE pk = 'p'";
        assert_eq!(selected(&database, statement, limit).0, whole, "{limit}");
        let (mut backward, _) =
            selected(&database, &format!("{statement} ORDER BY sk DESC"), limit);
        backward.reverse();
        assert_eq!(backward, whole, "{limit}");
    }
    let filtered = json!({
        "TableName": "orders.history", "KeyConditionExpression": "pk = :p AND sk = :s",
        "FilterExpression": "#u > :t", "ProjectionExpression": "n",
        "ExpressionAttributeNames": {"#u": "hashrange:until"},
        "ExpressionAttributeValues": {
            ":p": {"S": "p"}, ":s": {"S": "long"}, ":t": {"S": moment::basic(NOW_MS + 298)}
        },
    });
    let found = read(&database, "Query", filtered);
    assert_eq!(found, [json!({"n": {"N": "297"}}), json!({"n": {"N": "298"}})]);
}

#[test]
fn other_reads_of_versions_are_refused() {
    let database = memory();
    create(&database);
    let scan = json!({"TableName": "orders.history"});
    enable(&database, None);
    put(&database, "a", 1);
    delete(&database, "a");
    let only_queried = "ValidationException: orders.history has the versions of items: they are read by GetItem, Query, Scan and ExecuteStatement";
    let one = "SELECT * FROM \"orders.history\" WHERE pk = 'p' AND sk = 'a'";
    let several = json!({"Statements": [{"Statement": one}]});
    let failed = &database.ok("BatchExecuteStatement", &several)["Responses"][0]["Error"];
    assert_eq!(failed["Code"], json!("ValidationError"));
    assert!(only_queried.ends_with(failed["Message"].as_str().unwrap()), "{failed}");
    let several = json!({"TransactStatements": [{"Statement": one}]});
    assert_eq!(database.fails("ExecuteTransaction", &several), only_queried);
    let several =
        json!({"RequestItems": {"orders.history": {"Keys": [get("orders.history", "a")["Key"]]}}});
    assert_eq!(database.fails("BatchGetItem", &several), only_queried);
    for written in [
        "INSERT INTO \"orders.history\" VALUE {'pk': 'p', 'sk': 'a'}",
        "UPDATE \"orders.history\" SET n = 1 WHERE pk = 'p' AND sk = 'a'",
        "DELETE FROM \"orders.history\" WHERE pk = 'p' AND sk = 'a'",
    ] {
        let failed = database.fails("ExecuteStatement", &json!({"Statement": written}));
        assert!(failed.ends_with("it is read, and never written or changed"), "{failed}");
    }
    let versions = read(&database, "Scan", scan);
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[1]["hashrange:deleted"], json!({"BOOL": true}));
    assert_eq!(versions[0]["hashrange:until"], versions[1]["hashrange:since"]);
    for start in [
        json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "hashrange:since": {"S": "today"}}),
        json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "hashrange:until": {"N": "1"}}),
        json!({"pk": {"S": "q"}, "sk": {"S": "a"}}),
        json!({"pk": {"S": "p"}, "hashrange:until": {"S": "20260101T000000Z"}}),
    ] {
        let mut query = of_partition(1, true);
        query["ExclusiveStartKey"] = start.clone();
        assert!(database.fails("Query", &query).starts_with("ValidationException: "), "{start}");
    }
}

/// A version is read by the item's key, which means the newest, or by the moment since when it was so.
#[test]
fn a_version_is_read_by_its_key() {
    let database = versioned();
    let all = read(&database, "Query", of_partition(1000, true));
    let mut newest: std::collections::BTreeMap<String, Json> = std::collections::BTreeMap::new();
    for version in &all {
        newest.insert(version["sk"]["S"].to_string(), version.clone());
        let mut key = json!({"pk": version["pk"], "sk": version["sk"]});
        for name in ["hashrange:since", "hashrange:until", "hashrange:order"] {
            if let Some(value) = version.get(name) {
                key[name] = value.clone();
            }
        }
        let found = database.ok("GetItem", &json!({"TableName": "orders.history", "Key": key}));
        assert_eq!(found["Item"], *version, "{key}");
    }
    for version in newest.values() {
        let key = json!({"pk": version["pk"], "sk": version["sk"]});
        let request =
            json!({"TableName": "orders.history", "Key": key, "ReturnConsumedCapacity": "TOTAL"});
        let found = database.ok("GetItem", &request);
        assert_eq!(found["Item"], *version, "{key}");
        assert_eq!(found["ConsumedCapacity"]["CapacityUnits"], json!(0.5));
        let explained = database.explain("GetItem", request.to_string().as_bytes(), Mode::Analyze);
        let explained = explained.unwrap();
        let [Step::Read(step)] = &explained.steps[..] else { panic!("{explained:?}") };
        assert_eq!(step.counted.as_ref().unwrap().examined.items, 1, "{key}");
    }
    let other =
        json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "hashrange:since": {"S": "20010101T000000Z"}});
    let found = database.ok("GetItem", &json!({"TableName": "orders.history", "Key": other}));
    assert_eq!(found.get("Item"), None);
    let absent = json!({"pk": {"S": "p"}, "sk": {"S": "never"}});
    let found = database.ok("GetItem", &json!({"TableName": "orders.history", "Key": absent}));
    assert_eq!(found.get("Item"), None);
    for key in [
        json!({"pk": {"S": "p"}}),
        json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "hashrange:since": {"S": "today"}}),
    ] {
        let refused =
            database.fails("GetItem", &json!({"TableName": "orders.history", "Key": key}));
        assert!(refused.starts_with("ValidationException: "), "{refused}");
    }
}

/// Asserts that ANALYZE counts what a client is told, and returns the explanation.
fn analyzed(database: &Database, operation: &str, request: &Json) -> Explanation {
    let body = request.to_string();
    let explained = database.explain(operation, body.as_bytes(), Mode::Analyze).unwrap();
    let [Step::Read(read)] = &explained.steps[..] else { panic!("{explained:?}") };
    let counted = read.counted.as_ref().unwrap();
    assert!(counted.is_all, "{request}");
    let mut told = request.clone();
    told["ReturnConsumedCapacity"] = json!("TOTAL");
    let (mut pages, mut returned, mut examined, mut units) = (0, 0, 0, 0.0);
    loop {
        let answer = database.ok(operation, &told);
        pages += 1;
        returned += answer["Items"].as_array().map_or(0, Vec::len);
        examined += usize::try_from(answer["ScannedCount"].as_u64().unwrap_or(0)).unwrap();
        units += answer["ConsumedCapacity"]["CapacityUnits"].as_f64().unwrap();
        let next = [("LastEvaluatedKey", "ExclusiveStartKey"), ("NextToken", "NextToken")];
        let next = next.iter().find(|(from, _)| {
            answer.get(*from).is_some()
                && (operation == "ExecuteStatement") == (*from == "NextToken")
        });
        match next {
            Some((from, to)) => told[*to] = answer[*from].clone(),
            None => break,
        }
    }
    assert_eq!((counted.pages, counted.returned.items), (pages, returned), "{request}");
    if operation != "ExecuteStatement" {
        assert_eq!(counted.examined.items, examined, "{request}");
    }
    assert!((counted.total_units() - units).abs() < 1e-9, "{request}");
    let planned = database.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
    let [Step::Read(planned)] = &planned.steps[..] else { panic!("{planned:?}") };
    let items = planned.estimate.items;
    assert!(items.at_least <= counted.examined.items as u64, "{request}");
    assert!(items.at_most.is_none_or(|most| counted.examined.items as u64 <= most), "{request}");
    explained
}

#[test]
fn reads_of_versions_are_explained_and_counted_as_clients_are_told() {
    let database = versioned();
    let query = |condition: &str, values: Json, limit: usize, is_forward: bool| {
        json!({
            "TableName": "orders.history", "KeyConditionExpression": condition, "Limit": limit,
            "ExpressionAttributeValues": values, "ScanIndexForward": is_forward,
            "FilterExpression": "n <> :n",
        })
    };
    for limit in [1, 2, 5, 100] {
        for is_forward in [true, false] {
            let values = json!({":p": {"S": "p"}, ":n": {"N": "3"}});
            analyzed(&database, "Query", &query("pk = :p", values, limit, is_forward));
            let values = json!({":p": {"S": "p"}, ":s": {"S": "a"}, ":n": {"N": "3"}});
            let one = query("pk = :p AND sk = :s", values.clone(), limit, is_forward);
            analyzed(&database, "Query", &one);
            let some = query("pk = :p AND sk > :s", values, limit, is_forward);
            analyzed(&database, "Query", &some);
        }
        analyzed(&database, "Scan", &json!({"TableName": "orders.history", "Limit": limit}));
        for statement in [
            "SELECT * FROM \"orders.history\"",
            "SELECT n FROM \"orders.history\" WHERE pk = 'p' AND sk = 'a'",
            "SELECT n FROM \"orders.history\" WHERE pk = 'p' AND sk IN ['a', 'c'] AND n > 4",
            "SELECT * FROM \"orders.history\" WHERE pk = 'p' AND sk > 'a' ORDER BY sk DESC",
        ] {
            let request = json!({"Statement": statement, "Limit": limit});
            analyzed(&database, "ExecuteStatement", &request);
        }
    }
}

#[test]
fn a_query_of_versions_is_explained_in_words() {
    let database = versioned();
    let query = json!({
        "TableName": "orders.history", "KeyConditionExpression": "pk = :p AND sk < :s",
        "FilterExpression": "#by = :p", "ExpressionAttributeNames": {"#by": "by"},
        "ExpressionAttributeValues": {":p": {"S": "p"}, ":s": {"S": "c"}},
    });
    let explained = analyzed(&database, "Query", &query);
    let text = explained.text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("  bytes")).collect();
    let expected = "\
Query of orders.history
  access     a range of sort keys in one partition
  partition  pk = 'p'
  range      sk < 'c'
  filter     by = 'p'
  returns    all attributes
  reads      eventually consistent, forward
  collection
    +---
    | 'a'
    | ...
    | 'b'
    +---
      'c'
  examines   11 items, 813 bytes
  pages      1 page
  costs      0.5 read units
  keeps      0 of 11 items
  counted in 1 page
  examined   11 items, 813 bytes
  returned   0 items, 0 bytes
  filtered   11 items thrown away
  cost       0.5 read units on the table
  time       0 ms planning, 0 ms running";
    assert_eq!(lines.join("\n"), expected);
    // Nothing is advised that the past has not: indexes.
    assert!(explained.advice.is_empty(), "{:?}", explained.advice);
    let [Step::Read(read)] = &explained.steps[..] else { panic!("{explained:?}") };
    assert_eq!((&*read.table, read.past.as_deref()), ("orders", Some("history")));
    let stored = |hex: &str| hex.starts_with("22");
    assert!(
        stored(&read.ranges[0].first_key) && read.ranges[0].end_key.as_deref().is_some_and(stored)
    );
}

#[test]
fn how_many_versions_there_are_is_not_bounded_where_it_is_not_seen() {
    let database = memory();
    create(&database);
    enable(&database, None);
    for n in 0..1100 {
        database.clock.advance_ms(1);
        put(&database, "a", n);
    }
    let scan = json!({"TableName": "orders.history"}).to_string();
    let explained = database.explain("Scan", scan.as_bytes(), Mode::Plan).unwrap();
    let [Step::Read(read)] = &explained.steps[..] else { panic!("{explained:?}") };
    assert_eq!((read.estimate.items.at_least, read.estimate.items.at_most), (1000, None));
    let text = explained.text();
    assert!(text.starts_with("Scan of orders.history\n"), "{text}");
    assert!(text.contains("  examines   1000 items or more, "), "{text}");
    assert!(text.contains("  pages      1 page or more\n"), "{text}");
}

/// Returns all items of a SELECT, and how many pages they came in.
fn selected(database: &Database, statement: &str, limit: usize) -> (Vec<Json>, usize) {
    let mut request = json!({"Statement": statement, "Limit": limit});
    let (mut items, mut pages) = (Vec::new(), 0);
    loop {
        let answer = database.ok("ExecuteStatement", &request);
        items.extend(answer["Items"].as_array().unwrap().iter().cloned());
        pages += 1;
        match answer.get("NextToken") {
            Some(token) => request["NextToken"] = token.clone(),
            None => return (items, pages),
        }
    }
}

/// Returns a database with 9 versions of the item `a`, 2 of `b`, which is deleted, and 1 of `c`.
fn versioned() -> Database {
    let database = memory();
    create(&database);
    enable(&database, None);
    for n in 0..9 {
        database.clock.advance_ms(1000);
        put(&database, "a", n);
    }
    put(&database, "b", 20);
    database.clock.advance_ms(1000);
    delete(&database, "b");
    put(&database, "c", 30);
    database
}

#[test]
fn a_select_of_versions_is_the_query_or_scan() {
    let database = versioned();
    let query = |condition: &str, values: Json, is_forward: bool| {
        let query = json!({
            "TableName": "orders.history", "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values, "ScanIndexForward": is_forward,
        });
        read(&database, "Query", query)
    };
    let (p, a) = (json!({"S": "p"}), json!({"S": "a"}));
    let of_a = query("pk = :p AND sk = :a", json!({":p": p, ":a": a}), true);
    assert_eq!(of_a.len(), 9);
    let all = query("pk = :p", json!({":p": p}), true);
    assert_eq!(all.len(), 12);
    let scanned = read(&database, "Scan", json!({"TableName": "orders.history"}));
    for (clause, expected) in [
        ("", scanned),
        ("WHERE pk = 'p' AND sk = 'a'", of_a.clone()),
        ("WHERE pk = 'p'", all.clone()),
        (
            "WHERE pk = 'p' AND sk > 'a'",
            query("pk = :p AND sk > :a", json!({":p": p, ":a": a}), true),
        ),
        ("WHERE pk = 'p' ORDER BY sk DESC", query("pk = :p", json!({":p": p}), false)),
        ("WHERE pk = 'p' AND sk IN ['b', 'a']", all[..11].to_vec()),
        ("WHERE pk = 'p' AND (sk = 'a' OR sk = 'c') ORDER BY sk DESC", {
            let mut versions = [&of_a[..], &all[11..]].concat();
            versions.reverse();
            versions
        }),
        ("WHERE pk = 'none'", Vec::new()),
    ] {
        let statement = format!("SELECT * FROM \"orders.history\" {clause}");
        for limit in [1, 2, 3, 9, 100] {
            let (items, pages) = selected(&database, &statement, limit);
            assert_eq!(items, expected, "{clause} {limit}");
            assert_eq!(pages, expected.len() / limit + 1, "{clause} {limit}");
        }
    }
}

#[test]
fn a_select_filters_versions_by_their_moments_and_projects_them() {
    let database = versioned();
    let at = |seconds: u64| moment::basic(NOW_MS + seconds * 1000);
    let of_a = "FROM \"orders.history\" WHERE pk = 'p' AND sk = 'a'";
    let numbers = |numbers: &[u32]| -> Vec<Json> {
        numbers.iter().map(|n| json!({"n": {"N": n.to_string()}})).collect()
    };
    for (condition, expected) in [
        (format!("\"hashrange:since\" >= '{}'", at(8)), numbers(&[7, 8])),
        (format!("\"hashrange:until\" <= '{}'", at(3)), numbers(&[0, 1])),
        ("\"hashrange:until\" IS MISSING".to_owned(), numbers(&[8])),
        ("n IN [4, 6]".to_owned(), numbers(&[4, 6])),
        (format!("\"hashrange:since\" = '{}' OR n = 1", at(4)), numbers(&[1, 3])),
    ] {
        let statement = format!("SELECT n {of_a} AND ({condition})");
        for limit in [1, 4, 100] {
            let (items, pages) = selected(&database, &statement, limit);
            assert_eq!(items, expected, "{condition} {limit}");
            // A limit is of versions that are looked at.
            assert_eq!(pages, 9 / limit + 1, "{condition} {limit}");
        }
    }
    let (gone, _) = selected(
        &database,
        "SELECT sk, \"hashrange:since\" FROM \"orders.history\" WHERE \"hashrange:deleted\" = true",
        100,
    );
    assert_eq!(gone, [json!({"sk": {"S": "b"}, "hashrange:since": {"S": at(10)}})]);
}

#[test]
fn what_a_select_of_a_table_refuses_it_refuses_of_versions() {
    let database = versioned();
    let of_a = "SELECT * FROM \"orders.history\" WHERE pk = 'p' AND sk = 'a'";
    let first = database.ok("ExecuteStatement", &json!({"Statement": of_a, "Limit": 1}));
    let token = &first["NextToken"];
    for (request, why) in [
        (
            json!({"Statement": of_a.replace("'a'", "'b'"), "NextToken": token}),
            "NextToken does not match request",
        ),
        (json!({"Statement": of_a, "NextToken": "abc"}), "Invalid NextToken"),
        (json!({"Statement": format!("{of_a} ORDER BY \"hashrange:since\"")}), "ORDER BY"),
    ] {
        let failed = database.fails("ExecuteStatement", &request);
        assert!(failed.starts_with("ValidationException: ") && failed.contains(why), "{failed}");
    }
}

#[test]
fn a_table_without_a_sort_key_has_versions() {
    let database = memory();
    let create = json!({
        "TableName": "plain", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
    });
    database.ok("CreateTable", &create);
    database.ok("PutItem", &json!({"TableName": "plain", "Item": {"name": {"S": "a"}}}));
    block_on(database.engine.enable_history("plain", None)).unwrap();
    let item = |n: i64| json!({"name": {"S": "a"}, "n": {"N": n.to_string()}});
    for n in 0..3 {
        database.clock.advance_ms(1);
        database.ok("PutItem", &json!({"TableName": "plain", "Item": item(n)}));
    }
    let versions = read(&database, "Scan", json!({"TableName": "plain.history", "Limit": 1}));
    assert_eq!(versions.len(), 4);
    for clause in ["", " WHERE name = 'a'", " WHERE name IN ['b', 'a', 'c']"] {
        let statement = format!("SELECT * FROM \"plain.history\"{clause}");
        for limit in [1, 3, 100] {
            assert_eq!(selected(&database, &statement, limit).0, versions, "{clause} {limit}");
        }
    }
    assert_eq!(versions[0].get("n"), None);
    assert_eq!(versions[3]["n"], json!({"N": "2"}));
}

#[test]
fn without_a_history_there_are_no_such_tables() {
    let database = memory();
    create(&database);
    for name in ["orders.history".to_owned(), as_of(NOW_MS), "orders.asof.then".to_owned()] {
        let key = json!({"pk": {"S": "p"}, "sk": {"S": "a"}});
        for (operation, request) in [
            ("GetItem", json!({"TableName": name, "Key": key})),
            ("PutItem", json!({"TableName": name, "Item": key})),
            ("Scan", json!({"TableName": name})),
            ("DescribeTable", json!({"TableName": name})),
            ("DeleteTable", json!({"TableName": name})),
        ] {
            let failed = database.fails(operation, &request);
            assert!(failed.starts_with("ResourceNotFoundException: "), "{operation} {failed}");
        }
    }
}

#[test]
fn a_table_as_it_was_is_described() {
    let database = memory();
    create(&database);
    let names = ["orders.history".to_owned(), as_of(NOW_MS)];
    enable(&database, None);
    for name in names {
        let described = &database.ok("DescribeTable", &json!({"TableName": name}))["Table"];
        assert_eq!(described["TableName"], json!(name));
        assert_eq!(described["AttributeDefinitions"].as_array().unwrap().len(), 2);
        assert_eq!(described.get("GlobalSecondaryIndexes"), None);
    }
    let missing = database.fails("DescribeTable", &json!({"TableName": "others.history"}));
    assert!(missing.starts_with("ResourceNotFoundException"), "{missing}");
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::from(text)
}

fn input(from_ms: u64) -> ChangesInput {
    let table_name = "orders".to_owned();
    ChangesInput { table_name, from_ms, ..ChangesInput::default() }
}

fn changes(database: &Database, input: &ChangesInput) -> ChangesOutput {
    block_on(database.engine.history_changes(input)).unwrap()
}

/// Returns all changes, each as its sort key with the numbers before and after.
fn told(database: &Database, mut input: ChangesInput) -> Vec<String> {
    let n = |item: &Option<Item>| {
        item.as_ref().map_or("-".to_owned(), |item| item.get_as::<i64>("n").unwrap().to_string())
    };
    let mut told = Vec::new();
    loop {
        let page = changes(database, &input);
        assert!(page.changes.len() <= input.limit.unwrap_or(100));
        told.extend(page.changes.iter().map(|change| {
            let sk: String = change.key.get_as("sk").unwrap();
            format!("{sk}: {} to {}", n(&change.before), n(&change.after))
        }));
        if page.next.is_none() {
            return told;
        }
        input.start = page.next;
    }
}

/// Returns a database with the items `a` to `d`, of which at intervals of a second `a` is changed twice, `b`
/// is deleted, `c` is deleted and comes back as it was, and `e` is added.
fn changed() -> Database {
    let database = memory();
    create(&database);
    for (n, sk) in ["a", "b", "c", "d"].iter().enumerate() {
        put(&database, sk, i64::try_from(n).unwrap());
    }
    enable(&database, None);
    let then = |act: &dyn Fn(&Database)| {
        database.clock.advance_ms(1000);
        act(&database);
    };
    then(&|database| put(database, "a", 10));
    then(&|database| delete(database, "b"));
    then(&|database| delete(database, "c"));
    then(&|database| put(database, "c", 2));
    then(&|database| put(database, "a", 11));
    then(&|database| put(database, "e", 5));
    database
}

#[test]
fn what_has_changed_is_told_once() {
    let database = changed();
    let by_last_change = ["b: 1 to -", "a: 0 to 11", "e: - to 5"];
    let by_key = ["a: 0 to 11", "b: 1 to -", "e: - to 5"];
    for limit in [1, 2, 3, 100] {
        let input = ChangesInput { limit: Some(limit), ..input(NOW_MS) };
        assert_eq!(told(&database, input.clone()), by_last_change, "{limit}");
        let key = Item::from_attributes([("pk", text("p"))]);
        assert_eq!(told(&database, ChangesInput { key, ..input }), by_key, "{limit}");
    }
    let between = |from: u64, to: u64| {
        let to_ms = Some(NOW_MS + to * 1000);
        let input = ChangesInput { to_ms, ..input(NOW_MS + from * 1000) };
        let key = Item::from_attributes([("pk", text("p"))]);
        let by_items = told(&database, ChangesInput { key, ..input.clone() });
        let mut by_moments = told(&database, input);
        by_moments.sort();
        assert_eq!(by_moments, by_items);
        by_items.join(", ")
    };
    assert_eq!(between(0, 1), "a: 0 to 10");
    assert_eq!(between(1, 3), "b: 1 to -, c: 2 to -");
    assert_eq!(between(3, 4), "c: - to 2");
    assert_eq!(between(4, 4), "");
    let prefixed = |prefix: &str| ChangesInput {
        key: Item::from_attributes([("pk", text("p"))]),
        sort_key_prefix: Some(prefix.to_owned()),
        ..input(NOW_MS)
    };
    assert_eq!(told(&database, prefixed("b")), ["b: 1 to -"]);
    assert_eq!(told(&database, prefixed("d")), [""; 0]);
    let whole = Item::from_attributes([("pk", text("p")), ("sk", text("e"))]);
    assert_eq!(told(&database, ChangesInput { key: whole, ..input(NOW_MS) }), ["e: - to 5"]);
}

#[test]
fn items_are_put_back_and_that_can_be_put_back() {
    let database = changed();
    let before_ms = database.clock.now_ms();
    database.clock.advance_ms(1000);
    let state = |table: &str| database.ok("Scan", &json!({"TableName": table}))["Items"].clone();
    let (first, last) = (state(&as_of(NOW_MS)), state("orders"));
    let restore = |input: &ChangesInput| block_on(database.engine.restore_items(input)).unwrap();
    let key = Item::from_attributes([("pk", text("p")), ("sk", text("b"))]);
    let one = restore(&ChangesInput { key, ..input(NOW_MS) });
    assert_eq!((one.put, one.deleted, one.next), (1, 0, None));
    assert_eq!(database.ok("GetItem", &get("orders", "b"))["Item"], item("b", 1));
    let mut paged = ChangesInput { limit: Some(1), ..input(NOW_MS) };
    let (mut put, mut deleted) = (0, 0);
    loop {
        let page = restore(&paged);
        (put, deleted) = (put + page.put, deleted + page.deleted);
        paged.start = page.next;
        if paged.start.is_none() {
            break;
        }
    }
    assert_eq!((put, deleted), (1, 1));
    assert_eq!(state("orders"), first);
    assert_eq!(told(&database, input(NOW_MS)), [""; 0]);
    let query = json!({
        "TableName": "orders", "IndexName": "local", "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    });
    assert_eq!(database.ok("Query", &query)["Count"], 0);
    check(&database);
    restore(&input(before_ms));
    assert_eq!(state("orders"), last);
    check(&database);
}

#[test]
fn wrong_requests_for_changes_are_refused() {
    let database = changed();
    let refused = |input: ChangesInput| {
        block_on(database.engine.history_changes(&input)).unwrap_err().to_string()
    };
    let since_ms = describe(&database).reaches_back_to_ms.unwrap();
    let partition = || Item::from_attributes([("pk", text("p"))]);
    for (input, why) in [
        (input(since_ms - 1), "reaches back to"),
        (input(NOW_MS * 2), "in the future"),
        (ChangesInput { to_ms: Some(NOW_MS), ..input(NOW_MS + 1) }, "To is before From"),
        (ChangesInput { limit: Some(0), ..input(NOW_MS) }, "Limit has to be from 1 to 1000"),
        (ChangesInput { limit: Some(1001), ..input(NOW_MS) }, "Limit has to be from 1 to 1000"),
        (ChangesInput { start: Some(vec![0x10]), ..input(NOW_MS) }, "ExclusiveStart is none"),
        (
            ChangesInput { sort_key_prefix: Some("a".to_owned()), ..input(NOW_MS) },
            "Key has to be the partition key",
        ),
        (
            ChangesInput { key: Item::from_attributes([("x", text("p"))]), ..input(NOW_MS) },
            "Key has to be the partition key",
        ),
        (ChangesInput { table_name: as_of(NOW_MS), ..input(NOW_MS) }, "never written or changed"),
        (ChangesInput { table_name: "none".to_owned(), ..input(NOW_MS) }, "not found"),
    ] {
        let said = refused(input);
        assert!(said.contains(why), "{said} but for {why}");
    }
    let both = ChangesInput { to_ms: Some(NOW_MS + 1), key: partition(), ..input(NOW_MS) };
    let said = block_on(database.engine.restore_items(&both)).unwrap_err().to_string();
    assert!(said.contains("To is not allowed"), "{said}");
    let other = Database::memory(EngineOptions::default());
    create(&other);
    let said = block_on(other.engine.history_changes(&input(NOW_MS))).unwrap_err().to_string();
    assert!(said.contains("keeps no history"), "{said}");
}

/// The tree of a history has the items that are and those that were, each once.
#[test]
fn the_tree_of_a_history_has_what_was() {
    use hashrange_engine::TreeInput;
    let database = memory();
    create(&database);
    put(&database, "a#1", 0);
    enable(&database, None);
    for n in 0..20 {
        database.clock.advance_ms(1);
        put(&database, "a#2", n);
        put(&database, "b#1", n);
        put(&database, "c#1", n);
        if n % 2 == 0 {
            delete(&database, "c#1");
        }
    }
    delete(&database, "b#1");
    let tree = |table: &str, backward: bool, limit: usize| {
        let partition_key = Item::from_attributes([("pk", AttributeValue::from("p"))]);
        let mut found = Vec::new();
        let mut input = TreeInput {
            table_name: table.to_owned(),
            partition_key,
            counts: true,
            backward,
            limit: Some(limit),
            ..TreeInput::default()
        };
        loop {
            let page = block_on(database.engine.tree(input.clone())).unwrap();
            let counted =
                page.nodes.iter().map(|node| (node.name.clone(), node.counts.map(|it| it.items)));
            found.extend(counted);
            match page.next {
                Some(next) => input.start = Some(next),
                None => return found,
            }
        }
    };
    let folders = |all: &[(&str, u64)]| -> Vec<_> {
        all.iter().map(|(name, items)| ((*name).to_owned(), Some(*items))).collect()
    };
    assert_eq!(tree("orders", false, 1000), folders(&[("a#", 2), ("c#", 1)]));
    let ever = [("a#", 2), ("b#", 1), ("c#", 1)];
    for limit in [1, 2, 1000] {
        assert_eq!(tree("orders.history", false, limit), folders(&ever));
        let mut backward = tree("orders.history", true, limit);
        backward.reverse();
        assert_eq!(backward, folders(&ever));
    }
}
