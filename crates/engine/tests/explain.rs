//! EXPLAIN against what clients are told: over random requests the counts of ANALYZE are the sums of the
//! pages that a client reads, the bounds hold them, and the ranges told hold just the entries that were
//! examined.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]
#![expect(clippy::cast_precision_loss, reason = "units of a test are few")]

use hashrange_engine::{Counted, EngineOptions, Explanation, Mode, ReadStep, Step};
use hashrange_testkit::database::{Database, is_on_postgres};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};

const SEEDS: u64 = 12;
const REQUESTS: usize = 40;
const READ_UNIT_BYTES: usize = 4096;
/// What the keys of items and of index entries begin with.
const ITEMS: &[u8] = &[0x10];

/// What a client is told of all pages.
#[derive(Debug, Default, PartialEq)]
struct Told {
    pages: usize,
    returned: usize,
    /// Statements do not tell.
    examined: Option<usize>,
    units: f64,
    table_units: f64,
}

/// Returns a table without items; jobs run when they are told to.
fn empty() -> Database {
    let database = Database::memory(EngineOptions { jobs_run: false, ..EngineOptions::default() });
    let definition: Json =
        serde_json::from_str(include_str!("scripts/tables/orders.json")).unwrap();
    database.ok("CreateTable", &definition);
    database
}

fn filled(random: &mut Random) -> Database {
    let database = empty();
    for nth in 0..150 {
        let note = "x".repeat(random.below(6_000));
        let mut item = json!({
            "pk": {"S": random.pick(&["A", "B", "C"])},
            "sk": {"S": format!("{}#{:03}", random.pick(&["OPEN", "OPENED", "SENT"]), nth)},
            "note": {"S": note},
        });
        if random.chance(80) {
            item["date"] = json!({"S": format!("2026-11-{:02}", random.below(30))});
        }
        if random.chance(60) {
            item["state"] = json!({"S": random.pick(&["s", "t"])});
        }
        if random.chance(70) {
            item["total"] = json!({"N": random.below(20).to_string()});
        }
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    database
}

/// Returns a condition on a sort key, as an expression with `:a` and `:b`.
fn sort_condition(random: &mut Random, name: &str, is_text: bool) -> String {
    let mut forms = vec!["= :a", "< :a", "<= :a", "> :a", ">= :a", "BETWEEN :a AND :b"];
    if is_text {
        forms.push("begins_with");
    }
    match *random.pick(&forms) {
        "begins_with" => format!("begins_with({name}, :a)"),
        form => format!("{name} {form}"),
    }
}

fn sort_values(random: &mut Random, name: &str) -> (Json, Json) {
    match name {
        "total" => {
            let low = random.below(20);
            (json!({"N": low.to_string()}), json!({"N": (low + random.below(5)).to_string()}))
        }
        "date" => {
            let low = random.below(30);
            (json!({"S": format!("2026-11-{low:02}")}), json!({"S": "2026-11-31"}))
        }
        _ => {
            let low = random.pick(&["OPEN", "OPEN#", "OPEN#07", "OPENED#0", "SENT#1", "X"]);
            (json!({"S": low}), json!({"S": "Z"}))
        }
    }
}

/// Returns a key condition, with its names and values.
fn key_condition(random: &mut Random, partition: &str, sort: &str) -> (String, Json, Json) {
    let mut names = json!({"#p": partition});
    let value = if partition == "pk" { *random.pick(&["A", "B", "none"]) } else { "s" };
    let mut values = json!({":p": {"S": value}});
    let mut condition = "#p = :p".to_owned();
    if random.chance(70) {
        let on_sort = sort_condition(random, "#k", sort != "total");
        let (low, high) = sort_values(random, sort);
        names["#k"] = json!(sort);
        if on_sort.contains(":b") {
            values[":b"] = high;
        }
        values[":a"] = low;
        condition = format!("{condition} AND {on_sort}");
    }
    (condition, names, values)
}

fn query(random: &mut Random) -> Json {
    let (index, partition, sort) = *random.pick(&[
        (None, "pk", "sk"),
        (Some("by-date"), "pk", "date"),
        (Some("by-state"), "state", "total"),
    ]);
    let mut request = json!({"TableName": "orders"});
    let (condition, names, mut values) = key_condition(random, partition, sort);
    request["KeyConditionExpression"] = json!(condition);
    if let Some(index) = index {
        request["IndexName"] = json!(index);
    }
    if random.chance(40) {
        request["ScanIndexForward"] = json!(false);
    }
    let is_local = index == Some("by-date");
    if is_local && random.chance(60) {
        request["Select"] = json!("ALL_ATTRIBUTES");
    } else if random.chance(20) {
        request["Select"] = json!("COUNT");
    }
    if random.chance(40) {
        request["FilterExpression"] = json!("size(note) > :f");
        values[":f"] = json!({"N": random.below(6_000).to_string()});
    }
    if index != Some("by-state") && random.chance(30) {
        request["ConsistentRead"] = json!(true);
    }
    request["ExpressionAttributeNames"] = names;
    request["ExpressionAttributeValues"] = values;
    with_limit(random, request)
}

fn scan(random: &mut Random) -> Json {
    let mut request = json!({"TableName": "orders"});
    if random.chance(50) {
        request["IndexName"] = json!(random.pick(&["by-date", "by-state", "by-total"]));
    }
    if random.chance(40) {
        request["TotalSegments"] = json!(3);
        request["Segment"] = json!(random.below(3));
    }
    if random.chance(50) {
        request["FilterExpression"] = json!("#t >= :t OR attribute_not_exists(#t)");
        request["ExpressionAttributeNames"] = json!({"#t": "total"});
        request["ExpressionAttributeValues"] = json!({":t": {"N": random.below(20).to_string()}});
    }
    with_limit(random, request)
}

fn statement(random: &mut Random) -> Json {
    let text = *random.pick(&[
        "SELECT * FROM orders WHERE pk = 'A' AND sk < 'OPENED#' AND note <> 'x'",
        "SELECT sk FROM orders WHERE pk IN ['A', 'B', 'none'] AND begins_with(sk, 'OPEN#')",
        "SELECT * FROM orders WHERE pk = 'C' AND (sk < 'OPEN#05' OR sk >= 'SENT#')",
        "SELECT * FROM orders WHERE (pk = 'A' OR pk = 'B') AND total > 5",
        "SELECT * FROM orders.\"by-date\" WHERE pk = 'A' AND \"date\" > '2026-11-10' ORDER BY \"date\" DESC",
        "SELECT note FROM orders.\"by-date\" WHERE pk = 'B'",
        "SELECT total FROM orders.\"by-state\" WHERE state = 't' AND total BETWEEN 3 AND 12",
        "SELECT * FROM orders WHERE total > 5",
        "SELECT * FROM orders",
        "SELECT * FROM orders WHERE pk = 'A' AND sk = 'none'",
    ]);
    with_limit(random, json!({"Statement": text}))
}

fn with_limit(random: &mut Random, mut request: Json) -> Json {
    if random.chance(30) {
        request["Limit"] = json!(3 + random.below(20));
    }
    request
}

/// Reads all pages as a client does.
fn told(database: &Database, operation: &str, request: &Json) -> Told {
    let mut request = request.clone();
    request["ReturnConsumedCapacity"] = json!("INDEXES");
    let mut told = Told::default();
    loop {
        let answer = database.ok(operation, &request);
        told.pages += 1;
        let consumed = &answer["ConsumedCapacity"];
        told.units += consumed["CapacityUnits"].as_f64().unwrap();
        told.table_units += consumed["Table"]["CapacityUnits"].as_f64().unwrap();
        let number = |name: &str| answer[name].as_u64().map(|it| usize::try_from(it).unwrap());
        told.returned +=
            number("Count").unwrap_or_else(|| answer["Items"].as_array().unwrap().len());
        if let Some(examined) = number("ScannedCount") {
            told.examined = Some(told.examined.unwrap_or(0) + examined);
        }
        let (from, to) = match operation {
            "ExecuteStatement" => ("NextToken", "NextToken"),
            _ => ("LastEvaluatedKey", "ExclusiveStartKey"),
        };
        match &answer[from] {
            Json::Null => return told,
            next => request[to] = next.clone(),
        }
    }
}

fn read(explanation: &Explanation) -> &ReadStep {
    match &explanation.steps[..] {
        [Step::Read(read)] => read,
        steps => panic!("{steps:?}"),
    }
}

fn of_counts(counted: &Counted, examined: Option<usize>) -> Told {
    let on_table = counted.units.iter().filter(|on| on.index.is_none());
    Told {
        pages: counted.pages,
        returned: counted.returned.items,
        examined: examined.map(|_| counted.examined.items),
        units: counted.total_units(),
        table_units: on_table.map(|on| on.units).sum(),
    }
}

/// Returns how many stored keys lie in the ranges that are told.
fn stored_within(database: &Database, read: &ReadStep) -> usize {
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    let ranges: Vec<_> = read
        .ranges
        .iter()
        .map(|range| (bytes(&range.first_key), range.end_key.as_deref().map(bytes)))
        .collect();
    let lies = |key: &[u8]| {
        ranges
            .iter()
            .any(|(first, end)| key >= &first[..] && end.as_deref().is_none_or(|end| key < end))
    };
    database.stored(&[]).iter().filter(|(key, _)| lies(key)).count()
}

fn check(database: &Database, operation: &str, request: &Json) {
    let body = request.to_string();
    let told = told(database, operation, request);
    let analyzed = database.explain(operation, body.as_bytes(), Mode::Analyze).unwrap();
    let counted = read(&analyzed).counted.as_ref().unwrap();
    assert!(counted.is_all, "{operation} {request}");
    let counts = of_counts(counted, told.examined);
    assert_eq!(counts, told, "{operation} {request}\n{}", analyzed.text());
    assert_eq!(counted.examined.items, counted.returned.items + counted.filtered_out);
    match counted.round_trips {
        Some(round_trips) => {
            // A page without ranges asks nothing.
            let least = if read(&analyzed).ranges.is_empty() { 0 } else { counted.pages as u64 };
            assert!(round_trips >= least, "{operation} {request}: {counted:?}");
        }
        None => assert!(!is_on_postgres(), "{operation} {request}"),
    }
    let planned = database.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
    let planned = read(&planned);
    assert_eq!(planned.ranges, read(&analyzed).ranges);
    let within = stored_within(database, planned);
    assert_eq!(within, counted.examined.items, "{operation} {request}\n{:?}", planned.ranges);
    let estimate = &planned.estimate;
    let holds = |least: f64, value: f64, most: f64| least <= value && value <= most;
    let is_bound = [
        (estimate.items.at_least, counted.examined.items, estimate.items.at_most),
        (estimate.bytes.at_least, counted.examined.bytes, estimate.bytes.at_most),
        (estimate.pages.at_least, counted.pages, estimate.pages.at_most),
    ]
    .into_iter()
    .all(|(least, value, most)| least <= value as u64 && value as u64 <= most.unwrap())
        && holds(estimate.units.at_least, told.units, estimate.units.at_most.unwrap());
    assert!(is_bound, "{operation} {request}\n{estimate:?}\n{counted:?}");
    if planned.sample.is_all {
        assert_eq!(planned.sample.matching, counted.returned.items, "{operation} {request}");
    }
    if counted.pages == 1 && planned.ranges.len() == 1 && counted.fetched.items == 0 {
        let parts = counted.examined.bytes.div_ceil(READ_UNIT_BYTES).max(1);
        let units = if planned.consistent_read { parts as f64 } else { parts as f64 / 2.0 };
        assert!((units - told.units).abs() < f64::EPSILON, "{operation} {request}");
    }
}

#[test]
fn analyze_counts_what_clients_are_told() {
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let database = filled(&mut random);
        for _ in 0..REQUESTS {
            let (operation, request) = match random.below(3) {
                0 => ("Query", query(&mut random)),
                1 => ("Scan", scan(&mut random)),
                _ => ("ExecuteStatement", statement(&mut random)),
            };
            check(&database, operation, &request);
        }
    }
}

fn item(random: &mut Random, nth: usize) -> Json {
    let mut item = json!({
        "pk": {"S": random.pick(&["A", "B"])},
        "sk": {"S": format!("{}#{nth:03}", random.pick(&["OPEN", "SENT"]))},
        "note": {"S": "x".repeat(random.below(3_000))},
    });
    if random.chance(60) {
        item["total"] = json!({"N": random.below(20).to_string()});
    }
    item
}

fn key(item: &Json) -> Json {
    json!({"pk": item["pk"], "sk": item["sk"]})
}

fn action(random: &mut Random, nth: usize) -> Json {
    let item = item(random, nth);
    match random.below(4) {
        0 => json!({"Put": {"TableName": "orders", "Item": item}}),
        1 => json!({"Delete": {"TableName": "orders", "Key": key(&item)}}),
        2 => json!({"ConditionCheck": {"TableName": "orders", "Key": key(&item),
            "ConditionExpression": "attribute_not_exists(pk) OR size(note) < :n",
            "ExpressionAttributeValues": {":n": {"N": "2000"}}}}),
        _ => json!({"Update": {"TableName": "orders", "Key": key(&item),
            "UpdateExpression": "SET #t = :t", "ExpressionAttributeNames": {"#t": "total"},
            "ExpressionAttributeValues": {":t": {"N": random.below(20).to_string()}}}}),
    }
}

fn batch(random: &mut Random) -> (&'static str, Json) {
    let size = 1 + random.below(12);
    let of_actions = |random: &mut Random| -> Vec<Json> {
        (0..size).map(|nth| action(random, nth * 10)).collect()
    };
    match random.below(4) {
        0 => ("TransactWriteItems", json!({"TransactItems": of_actions(random)})),
        1 => {
            let gets = (0..size).map(
                |nth| json!({"Get": {"TableName": "orders", "Key": key(&item(random, nth * 10))}}),
            );
            ("TransactGetItems", json!({"TransactItems": gets.collect::<Vec<_>>()}))
        }
        2 => {
            let keys: Vec<_> = (0..size).map(|nth| key(&item(random, nth * 10))).collect();
            let consistent = random.chance(50);
            let part = json!({"Keys": keys, "ConsistentRead": consistent});
            ("BatchGetItem", json!({"RequestItems": {"orders": part}}))
        }
        _ => {
            let members = (0..size).map(|nth| {
                let item = item(random, nth * 10);
                match nth % 2 {
                    0 => json!({"PutRequest": {"Item": item}}),
                    _ => json!({"DeleteRequest": {"Key": key(&item)}}),
                }
            });
            let members = members.collect::<Vec<_>>();
            ("BatchWriteItem", json!({"RequestItems": {"orders": members}}))
        }
    }
}

/// Returns units by index as a client is told them, that of the table first.
fn told_units(answer: &Json) -> Vec<(Option<String>, f64)> {
    let consumed = &answer["ConsumedCapacity"][0];
    let mut units = vec![(None, consumed["Table"]["CapacityUnits"].as_f64().unwrap())];
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        for (name, on) in consumed[kind].as_object().into_iter().flatten() {
            units.push((Some(name.clone()), on["CapacityUnits"].as_f64().unwrap()));
        }
    }
    units.sort_by(|one, other| one.0.cmp(&other.0));
    units
}

fn units_together(explanation: &Explanation) -> Vec<(Option<String>, f64)> {
    let together = explanation.together.as_ref().unwrap();
    let mut units: Vec<_> =
        together.units.iter().map(|units| (units.on.index.clone(), units.on.units)).collect();
    units.sort_by(|one, other| one.0.cmp(&other.0));
    units
}

/// What is told of a batch or transaction beforehand, and with ANALYZE, is what a client is told of it.
#[test]
fn the_units_of_batches_and_transactions_are_those_that_clients_are_told() {
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let (explained, told) = (filled(&mut Random::new(seed)), filled(&mut Random::new(seed)));
        let mut refused = 0;
        for _ in 0..REQUESTS {
            let (operation, mut request) = batch(&mut random);
            let body = request.to_string();
            let before = explained.stored(&[]);
            let planned = explained.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
            assert_eq!(explained.stored(&[]), before, "{operation} {request}");
            let analyzed = explained.explain(operation, body.as_bytes(), Mode::Analyze);
            request["ReturnConsumedCapacity"] = json!("INDEXES");
            match told.call(operation, &request) {
                Ok(answer) => {
                    let units = told_units(&answer);
                    assert_eq!(units_together(&planned), units, "{operation} {request}");
                    let analyzed = analyzed.unwrap();
                    assert_eq!(units_together(&analyzed), units, "{operation} {request}");
                    let round_trips = analyzed.together.unwrap().round_trips;
                    // Where all is known one is enough.
                    let least = (is_on_postgres() && operation.contains("Write")).then_some(1);
                    assert_eq!(round_trips.map(|taken| taken.min(1)), least, "{operation}");
                }
                Err(error) => {
                    refused += 1;
                    let why = planned.together.unwrap().refused;
                    assert_eq!(why, Some(error.to_string()), "{operation} {request}");
                    assert_eq!(analyzed.unwrap_err().to_string(), error.to_string());
                }
            }
        }
        assert!(refused < REQUESTS / 2, "most are done");
        // Items and entries: counters are kept in as many pieces as a store likes.
        assert_eq!(explained.stored(ITEMS), told.stored(ITEMS));
    }
}

#[test]
fn a_write_that_runs_tells_how_often_its_commit_went_to_the_database() {
    let database = empty();
    let item = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let put = json!({"TableName": "orders", "Item": item}).to_string();
    let statement = json!({"Statement": "DELETE FROM orders WHERE pk = 'a' AND sk = 'b'"});
    let statement = statement.to_string();
    for (operation, body) in [("PutItem", put), ("ExecuteStatement", statement)] {
        for (mode, runs) in [(Mode::Plan, false), (Mode::Analyze, true)] {
            let explained = database.explain(operation, body.as_bytes(), mode).unwrap();
            let [Step::Write(write)] = &explained.steps[..] else { panic!("{explained:?}") };
            let is_told = runs && is_on_postgres();
            assert_eq!(write.round_trips.is_some(), is_told, "{operation}");
            // Tests have commits decided again, in two round trips more.
            let taken = write.round_trips.unwrap_or(2);
            assert!(taken >= 2 && taken % 2 == 0, "{operation} {taken}");
            let line = format!("\n  took       {taken} round trips to the database\n");
            assert_eq!(explained.text().contains(&line), is_told, "{operation}");
            assert_eq!(explained.to_json()["Steps"][0]["Write"]["RoundTrips"].is_u64(), is_told);
        }
    }
}

/// An index that is not there, with its partition and sort key attributes.
fn supposed(random: &mut Random) -> (Json, &'static str, &'static str) {
    let (partition, sort) = *random.pick(&[("state", "date"), ("pk", "total"), ("pk", "date")]);
    let projection = match random.below(3) {
        0 => json!({"ProjectionType": "ALL"}),
        1 => json!({"ProjectionType": "KEYS_ONLY"}),
        _ => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]}),
    };
    let index = json!({"IndexName": "new", "Projection": projection, "KeySchema": [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"}]});
    (index, partition, sort)
}

fn of_supposed(random: &mut Random, partition: &str, sort: &str) -> (&'static str, Json) {
    if random.chance(20) {
        let request = json!({"TableName": "orders", "IndexName": "new"});
        return ("Scan", with_limit(random, request));
    }
    let mut request = json!({"TableName": "orders", "IndexName": "new"});
    let (condition, names, values) = key_condition(random, partition, sort);
    request["KeyConditionExpression"] = json!(condition);
    if random.chance(40) {
        request["ScanIndexForward"] = json!(false);
    }
    request["ExpressionAttributeNames"] = names;
    request["ExpressionAttributeValues"] = values;
    ("Query", with_limit(random, request))
}

fn create(database: &Database, index: &Json) {
    let types = [("pk", "S"), ("state", "S"), ("date", "S"), ("total", "N")];
    let definitions = types.map(|(name, it)| json!({"AttributeName": name, "AttributeType": it}));
    let update = json!({"TableName": "orders", "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{"Create": index}]});
    database.ok("UpdateTable", &update);
    let is_active = || {
        let described = database.ok("DescribeTable", &json!({"TableName": "orders"}));
        let indexes = described["Table"]["GlobalSecondaryIndexes"].as_array().unwrap();
        indexes.iter().all(|index| index["IndexStatus"] == "ACTIVE")
    };
    database.run_jobs();
    assert!(is_active(), "the index is filled");
}

/// What is told of an index that is not there is what is told, and counted, once it is.
#[test]
fn an_index_that_is_not_there_reads_as_it_does_once_it_is() {
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let database = filled(&mut random);
        let (index, partition, sort) = supposed(&mut random);
        let requests: Vec<_> =
            (0..REQUESTS).map(|_| of_supposed(&mut random, partition, sort)).collect();
        let explain = |(operation, request): &(&str, Json)| {
            let body = request.to_string();
            database.explain_what_if(operation, body.as_bytes(), &index).unwrap()
        };
        let before = database.stored(&[]);
        let told: Vec<_> = requests.iter().map(explain).collect();
        assert_eq!(database.stored(&[]), before, "nothing is written");
        create(&database, &index);
        for ((operation, request), mut told) in requests.iter().zip(told) {
            let body = request.to_string();
            let place = format!("seed {seed} {operation} {request}");
            let [Step::Read(step)] = &mut told.steps[..] else { panic!("{place}") };
            let supposed = step.what_if.take().unwrap();
            let planned = database.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
            if !read(&planned).sample.is_all {
                // What is not there was looked at as a whole, and is told exactly.
                let [Step::Read(step)] = &mut told.steps[..] else { panic!("{place}") };
                step.estimate = read(&planned).estimate;
            }
            assert_eq!(told, planned, "{place}");
            let analyzed = database.explain(operation, body.as_bytes(), Mode::Analyze).unwrap();
            let counted = read(&analyzed).counted.as_ref().unwrap();
            assert_eq!(supposed.examined, counted.examined, "{place}");
            if counted.pages == 1 {
                assert!((supposed.units - counted.total_units()).abs() < f64::EPSILON, "{place}");
            }
            let described = database.ok("DescribeTable", &json!({"TableName": "orders"}));
            let indexes = described["Table"]["GlobalSecondaryIndexes"].as_array().unwrap();
            let created = indexes.iter().find(|it| it["IndexName"] == "new").unwrap();
            assert_eq!(created["ItemCount"], supposed.entries.items, "{place}");
            assert_eq!(created["IndexSizeBytes"], supposed.entries.bytes, "{place}");
        }
    }
}

/// Returns a table with two local indexes and no global one; a third local one if it is given.
fn with_local(index: Option<&Json>) -> Database {
    let database = Database::memory(EngineOptions::default());
    let mut definition: Json =
        serde_json::from_str(include_str!("scripts/tables/orders.json")).unwrap();
    let members = definition.as_object_mut().unwrap();
    members.remove("GlobalSecondaryIndexes");
    let types = members["AttributeDefinitions"].as_array_mut().unwrap();
    let is_key =
        |it: &Json| ["pk", "sk", "date", "state"].contains(&it["AttributeName"].as_str().unwrap());
    types.retain(|it| is_key(it) || index.is_some() && it["AttributeName"] == "total");
    let local = members["LocalSecondaryIndexes"].as_array_mut().unwrap();
    let mut by_state = local[0].clone();
    by_state["IndexName"] = json!("by-state");
    by_state["KeySchema"][1]["AttributeName"] = json!("state");
    local.push(by_state);
    local.extend(index.cloned());
    database.ok("CreateTable", &definition);
    database
}

fn fill_with_local(databases: &[&Database], random: &mut Random) {
    for nth in 0..150 {
        let mut item = json!({
            "pk": {"S": random.pick(&["A", "B", "C"])}, "sk": {"S": format!("{nth:03}")},
            "note": {"S": "x".repeat(random.below(9_000))},
        });
        if random.chance(70) {
            item["total"] = json!({"N": random.below(20).to_string()});
        }
        for database in databases {
            database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
        }
    }
}

/// A local index is told as it is in a table that was created with it, and so is what is fetched for it.
#[test]
fn a_local_index_that_is_not_there_reads_as_in_a_table_that_has_it() {
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let mut index = supposed(&mut random).0;
        index["KeySchema"] = json!([
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}
        ]);
        let (without, with) = (with_local(None), with_local(Some(&index)));
        fill_with_local(&[&without, &with], &mut random);
        let mut what_if = index;
        what_if["Local"] = json!(true);
        what_if["AttributeDefinitions"] = json!([{"AttributeName": "total", "AttributeType": "N"}]);
        if random.chance(50) {
            what_if["KeySchema"].as_array_mut().unwrap().remove(0);
        }
        for _ in 0..REQUESTS {
            let (operation, mut request) = of_supposed(&mut random, "pk", "total");
            if random.chance(50) {
                request["Select"] = json!("ALL_ATTRIBUTES");
            }
            if random.chance(50) {
                request["ConsistentRead"] = json!(true);
            }
            let body = request.to_string();
            let place = format!("seed {seed} {operation} {request}");
            let mut told = without.explain_what_if(operation, body.as_bytes(), &what_if).unwrap();
            let [Step::Read(step)] = &mut told.steps[..] else { panic!("{place}") };
            let supposed = step.what_if.take().unwrap();
            assert!(supposed.is_local && supposed.is_all, "{place}");
            assert_eq!(
                told,
                with.explain(operation, body.as_bytes(), Mode::Plan).unwrap(),
                "{place}"
            );
            let analyzed = with.explain(operation, body.as_bytes(), Mode::Analyze).unwrap();
            let counted = read(&analyzed).counted.as_ref().unwrap();
            assert_eq!(supposed.examined, counted.examined, "{place}");
            if counted.pages == 1 {
                assert!((supposed.units - counted.total_units()).abs() < 1e-9, "{place}");
            }
        }
    }
}

const OPEN_OF_NEW: &str = r##"{"TableName": "orders", "IndexName": "new",
    "KeyConditionExpression": "#s = :s", "ExpressionAttributeNames": {"#s": "state"},
    "ExpressionAttributeValues": {":s": {"S": "OPEN"}}}"##;

fn by_state(look_at: u64) -> Json {
    json!({"IndexName": "new", "Projection": {"ProjectionType": "KEYS_ONLY"}, "LookAt": look_at,
        "KeySchema": [
            {"AttributeName": "state", "KeyType": "HASH"}, {"AttributeName": "date", "KeyType": "RANGE"}]})
}

/// Returns a table of 4,000 items, so many in each partition, of which a quarter is open.
fn of_four_thousand(in_partition: usize, is_open: impl Fn(usize) -> bool) -> Database {
    let database = empty();
    for first in (0..4_000).step_by(25) {
        let puts: Vec<_> = (first..first + 25)
            .map(|nth| {
                json!({"PutRequest": {"Item": {
                    "pk": {"S": format!("{}", nth / in_partition)}, "sk": {"S": format!("{nth:05}")},
                    "state": {"S": if is_open(nth) { "OPEN" } else { "SENT" }},
                    "date": {"S": format!("2026-11-{:02}", nth % 28)}}}})
            })
            .collect();
        database.ok("BatchWriteItem", &json!({"RequestItems": {"orders": puts}}));
    }
    database
}

/// A table within the budget is looked at as a whole, wherever in it the entries are: what is told is what is counted
/// once the index is there.
#[test]
fn a_large_table_is_looked_at_as_a_whole() {
    for is_open in [|nth: usize| nth.is_multiple_of(4), |nth: usize| nth >= 3_000] {
        let database = of_four_thousand(4_000, is_open);
        let told =
            database.explain_what_if("Query", OPEN_OF_NEW.as_bytes(), &by_state(5_000)).unwrap();
        let told = read(&told);
        let supposed = told.what_if.as_ref().unwrap();
        assert!(supposed.is_all && supposed.examined_between.is_none(), "{supposed:?}");
        let mut created = by_state(0);
        created.as_object_mut().unwrap().remove("LookAt");
        create(&database, &created);
        let analyzed = database.explain("Query", OPEN_OF_NEW.as_bytes(), Mode::Analyze).unwrap();
        let counted = read(&analyzed).counted.as_ref().unwrap();
        assert_eq!((supposed.entries.items, supposed.examined), (4_000, counted.examined));
        assert_eq!(told.estimate.items.at_most, Some(1_000));
        assert!((supposed.units - counted.total_units()).abs() < f64::EPSILON, "{supposed:?}");
        assert!((supposed.write_units - 1.0).abs() < f64::EPSILON, "{supposed:?}");
    }
}

/// Of a table beyond the budget a sample of partitions is looked at: intervals hold what is so.
#[test]
fn a_table_beyond_the_budget_is_estimated_from_a_sample() {
    let database = of_four_thousand(4, |nth| nth % 4 == 0);
    let body = OPEN_OF_NEW.as_bytes();
    let told = database.explain_what_if("Query", body, &by_state(3_000)).unwrap();
    let supposed = read(&told).what_if.as_ref().unwrap();
    assert!(!supposed.is_all && !supposed.cannot_tell, "{supposed:?}");
    assert!(supposed.looked_at.items <= 3_000, "{supposed:?}");
    let between = supposed.examined_between.as_ref().unwrap();
    assert!(between.at_least <= 1_000 && 1_000 <= between.at_most.unwrap(), "{between:?}");
    assert!(between.at_most.unwrap() - between.at_least < 400, "{between:?}");
    let entries = supposed.entries_between.as_ref().unwrap();
    assert!(entries.at_least <= 4_000 && entries.at_most == Some(4_000), "{entries:?}");
    let units = supposed.units_between.as_ref().unwrap();
    assert!(units.at_least <= 4.5 && units.at_most.unwrap() >= 4.5, "{units:?}");
}

/// A sample that misses what the table holds says so, and tells bounds that are sure.
#[test]
fn a_sample_that_cannot_tell_says_so() {
    let database = of_four_thousand(2_000, |nth| nth >= 3_000);
    let body = OPEN_OF_NEW.as_bytes();
    let told = database.explain_what_if("Query", body, &by_state(1_000)).unwrap();
    let supposed = read(&told).what_if.as_ref().unwrap();
    assert!(supposed.cannot_tell, "{supposed:?}");
    let between = supposed.examined_between.as_ref().unwrap();
    assert!(between.at_least <= 1_000 && between.at_most.unwrap() >= 1_000, "{between:?}");
    let text = told.text();
    assert!(text.contains("cannot tell"), "{text}");
}

#[test]
fn what_cannot_be_supposed_is_told() {
    let database = filled(&mut Random::new(1));
    let index = |name: &str, key: &str| json!({"IndexName": name, "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}]});
    let local = |name: &str, key: &str| {
        let schema = json!([{"AttributeName": key, "KeyType": "RANGE"}]);
        json!({"IndexName": name, "KeySchema": schema, "Local": true})
    };
    let mut wrong_partition = local("new", "total");
    wrong_partition["KeySchema"] = json!([
        {"AttributeName": "state", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}
    ]);
    let scan = json!({"TableName": "orders", "IndexName": "new"});
    let get = json!({"TableName": "orders", "Key": {"pk": {"S": "A"}, "sk": {"S": "B"}}});
    let insert = json!({"Statement": "INSERT INTO orders VALUE {'pk': 'A', 'sk': 'B'}"});
    let cases = [
        (
            "Scan",
            &scan,
            index("by-date", "date"),
            "Attempting to create an index which already exists",
        ),
        ("Scan", &scan, index("new", "unknown"), "Some index key attributes are not defined"),
        ("Scan", &scan, index("other", "date"), "does not have the specified index: new"),
        ("Scan", &json!({"TableName": "orders"}), index("new", "date"), "does not read the index"),
        ("GetItem", &get, index("new", "date"), "GetItem reads no index"),
        ("ExecuteStatement", &insert, index("new", "date"), "INSERT reads no index"),
        ("Scan", &scan, local("new", "unknown"), "Some index key attributes are not defined"),
        (
            "Scan",
            &scan,
            local("by-date", "date"),
            "Attempting to create an index which already exists",
        ),
        ("Scan", &scan, local("other", "total"), "does not have the specified index: new"),
        ("Scan", &scan, wrong_partition, "does not have the same leading hash key"),
        ("Scan", &scan, json!({"IndexName": 1, "KeySchema": []}), "Exception"),
        (
            "Scan",
            &scan,
            json!({"IndexName": "new", "KeySchema": [], "Size": 1}),
            "unknown field `Size`",
        ),
    ];
    for (operation, request, what_if, expected) in cases {
        let body = request.to_string();
        let told = database.explain_what_if(operation, body.as_bytes(), &what_if).unwrap_err();
        assert!(told.to_string().contains(expected), "{operation} {request}: {told}");
    }
}

#[test]
fn a_select_reads_the_index_that_it_supposes() {
    let database = filled(&mut Random::new(1));
    let global = json!({
        "IndexName": "new", "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}]
    });
    let local = json!({
        "IndexName": "new", "KeySchema": [{"AttributeName": "total", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"}, "Local": true
    });
    let mut of_table = global.clone();
    of_table["TableName"] = json!("orders");
    for (statement, index) in [
        ("SELECT * FROM orders.\"new\" WHERE state = 's'", &global),
        ("SELECT * FROM orders WHERE state = 's'", &global),
        ("SELECT * FROM orders.\"new\" WHERE state = 's'", &of_table),
        ("SELECT total FROM orders WHERE pk = 'A' AND total > 3", &local),
        ("SELECT * FROM orders.\"new\" WHERE pk = 'A' AND total > 3 ORDER BY total DESC", &local),
    ] {
        let body = json!({"Statement": statement}).to_string();
        let told = database.explain_what_if("ExecuteStatement", body.as_bytes(), index).unwrap();
        let step = read(&told);
        assert_eq!(step.index.as_deref(), Some("new"), "{statement}");
        let supposed = step.what_if.as_ref().unwrap();
        assert!(supposed.examined.items > 0 && supposed.is_all, "{statement}");
        assert_eq!(supposed.is_local, index == &local, "{statement}");
    }
    let other = json!({"Statement": "SELECT * FROM orders.\"by-date\" WHERE pk = 'A'"}).to_string();
    let told = database.explain_what_if("ExecuteStatement", other.as_bytes(), &global).unwrap_err();
    assert!(told.to_string().contains("does not read the index"), "{told}");
}

/// Explaining changes nothing in the store, whatever it is of.
#[test]
fn without_analyze_nothing_is_written() {
    let mut random = Random::new(99);
    let database = filled(&mut random);
    let (key, stored) = (
        json!({"pk": {"S": "A"}, "sk": {"S": "new"}}),
        json!({"pk": {"S": "A"}, "sk": {"S": "old"}}),
    );
    database.ok("PutItem", &json!({"TableName": "orders", "Item": stored}));
    let before = database.stored(&[]);
    let requests = [
        ("PutItem", json!({"TableName": "orders", "Item": key})),
        ("DeleteItem", json!({"TableName": "orders", "Key": stored})),
        (
            "UpdateItem",
            json!({"TableName": "orders", "Key": key, "UpdateExpression": "SET a = :a",
                "ExpressionAttributeValues": {":a": {"N": "1"}}}),
        ),
        (
            "ExecuteStatement",
            json!({"Statement": "INSERT INTO orders VALUE {'pk': 'A', 'sk': 'new'}"}),
        ),
        ("Scan", json!({"TableName": "orders"})),
    ];
    for (operation, request) in requests {
        let body = request.to_string();
        database.explain(operation, body.as_bytes(), Mode::Plan).unwrap();
        assert_eq!(database.stored(&[]), before, "{operation}");
    }
    let statement = json!({"Statement": "EXPLAIN INSERT INTO orders VALUE {'pk': 'A', 'sk': 'n'}"});
    database.ok("ExecuteStatement", &statement);
    assert_eq!(database.stored(&[]), before);
}
