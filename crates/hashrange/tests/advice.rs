//! What the index advisor says holds: a workload is recorded, its advice taken, the index really built, and the
//! requests that it names are run; they return the same and use what was predicted. And a corpus of workloads
//! for which there is nothing to say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::advisor::{Entries, NewIndex, Report, Spare, advise};
use hashrange::cost::{
    Pattern, PriceList, Recorder, Recording, Row, RowKey, Usage, UseKind, Used, metered,
};
use hashrange::{Database, Operation, block_on};
use serde_json::{Value, json};

const STATES: [&str; 5] = ["OPEN", "PAID", "SENT", "DONE", "LOST"];
const DAY_MS: u64 = 24 * 3600 * 1000;

/// A database whose requests are recorded, for a day.
struct Workload {
    database: Database,
    recorder: Recorder,
}

impl Workload {
    /// Begins with orders of 400 bytes; `table` are members of CreateTable beside the usual.
    fn new(table: &Value) -> Self {
        let database = Database::memory();
        let mut create = json!({
            "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "customer", "AttributeType": "S"},
                {"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [
                {"AttributeName": "customer", "KeyType": "HASH"},
                {"AttributeName": "id", "KeyType": "RANGE"}],
        });
        create.as_object_mut().unwrap().extend(table.as_object().unwrap().clone());
        let new = Self { database, recorder: Recorder::default() };
        new.call(Operation::CreateTable, &create);
        for nth in 0..600 {
            new.call(Operation::PutItem, &json!({"TableName": "orders", "Item": order(nth)}));
        }
        new.recorder.start(0);
        new
    }

    fn call(&self, operation: Operation, request: &Value) -> (Value, Usage) {
        let body = request.to_string();
        let (answer, usage) = block_on(metered(self.database.call(operation, body.as_bytes())));
        let answer = answer.unwrap_or_else(|error| panic!("{operation:?} {error} {request}"));
        (serde_json::from_slice(&answer).unwrap(), usage)
    }

    /// Runs and records a request so many times, and returns its items and units.
    fn ask(&self, operation: Operation, request: &Value, times: u32) -> (Vec<Value>, f64) {
        let (mut items, mut units) = (Vec::new(), 0.0);
        for _ in 0..times {
            let (answer, usage) = self.call(operation, request);
            self.recorder.add(1, operation.name(), "", &usage, false);
            units += usage.units(UseKind::Read) + usage.units(UseKind::Write);
            items = answer["Items"].as_array().cloned().unwrap_or_default();
            assert!(answer["LastEvaluatedKey"].is_null(), "one page is enough");
        }
        items.sort_by_key(Value::to_string);
        (items, units)
    }

    fn recording(&self) -> Recording {
        let mut recording = self.recorder.recording(DAY_MS);
        recording.tables.push(block_on(self.database.facts("orders")).unwrap());
        recording
    }

    fn advice(&self) -> Report {
        let mut recording = self.recording();
        // Enough traffic to tell money of.
        let key = RowKey {
            operation: "GetItem".to_owned(),
            table: "orders".to_owned(),
            index: None,
            pattern: Pattern::default(),
            caller: String::new(),
        };
        let used = Used { requests: 1000, read_units: 500.0, ..Used::default() };
        recording.rows.push(Row { key, used });
        // The stored form is what other programs read.
        let recording = Recording::read(&recording.to_json()).unwrap();
        advise(&recording, &PriceList::of_region("us-east-1").unwrap())
    }

    fn build(&self, index: &NewIndex) {
        self.call(Operation::UpdateTable, &index.update_table);
        loop {
            let (answer, _) = self.call(Operation::DescribeTable, &json!({"TableName": "orders"}));
            let indexes = answer["Table"]["GlobalSecondaryIndexes"].as_array().unwrap();
            if indexes.iter().all(|it| it["IndexStatus"] == "ACTIVE") {
                return;
            }
            std::thread::yield_now();
        }
    }
}

fn order(nth: usize) -> Value {
    let mut order = json!({
        "customer": {"S": format!("c{:03}", nth % 150)}, "id": {"S": format!("o{nth:05}")},
        "status": {"S": STATES[nth % STATES.len()]},
        "city": {"S": format!("city{:02}", nth % 40)}, "price": {"N": (nth % 97).to_string()},
        "day": {"S": format!("2026-{:02}-{:02}", 1 + nth % 12, 1 + nth % 28)},
        "note": {"S": "x".repeat(300)}, "tags": {"SS": ["a", "b"]},
    });
    if nth.is_multiple_of(30) {
        order["flagged"] = json!({"S": format!("2026-{nth:05}")});
    }
    order
}

fn values(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), json!({"S": value}))).collect()
}

fn scan(filter: &str, pairs: &[(&str, &str)]) -> Value {
    json!({"TableName": "orders", "FilterExpression": filter,
        "ExpressionAttributeValues": values(pairs)})
}

/// A request with its names that are reserved words as `#name`.
fn named(mut request: Value, names: &[&str]) -> Value {
    let names: serde_json::Map<String, Value> =
        names.iter().map(|name| (format!("#{name}"), json!(name))).collect();
    request["ExpressionAttributeNames"] = Value::Object(names);
    request
}

/// Takes the one piece of advice, runs the request that it names, and holds it to what was said.
fn taken(workload: &Workload, before: &[Value], rewritten: &Value, times: u32) -> NewIndex {
    let report = workload.advice();
    let [index] = &report.add[..] else { panic!("{report:#?}") };
    let [answered] = &index.answers[..] else { panic!("{index:#?}") };
    workload.build(index);
    let mut rewritten = rewritten.clone();
    let operation =
        if answered.instead.operation == "Scan" { Operation::Scan } else { Operation::Query };
    rewritten["IndexName"] = json!(index.index);
    let probe = Recorder::default();
    probe.start(0);
    let (_, usage) = workload.call(operation, &rewritten);
    probe.add(1, operation.name(), "", &usage, false);
    let asked = &probe.recording(2).rows[0].key;
    assert_eq!(asked.pattern, answered.instead.pattern);
    let (after, units) = workload.ask(operation, &rewritten, times);
    assert_eq!(after, before, "{}", answered.instead);
    let allowed = 0.5 * f64::from(times);
    assert!(
        (units - answered.read_units_then).abs() <= allowed,
        "{units} used, {} predicted: {index:#?}",
        answered.read_units_then
    );
    assert!(units < answered.read_units, "{index:#?}");
    index.clone()
}

#[test]
fn a_scan_for_two_attributes_gets_an_index_that_keeps_its_promise() {
    let workload = Workload::new(&json!({}));
    let filter = "city = :c AND begins_with(#day, :d)";
    let pairs = [(":c", "city07"), (":d", "2026-04")];
    let request = named(scan(filter, &pairs), &["day"]);
    let (before, _) = workload.ask(Operation::Scan, &request, 20);
    assert!(!before.is_empty());
    let rewritten = named(
        json!({"TableName": "orders", "KeyConditionExpression": filter,
            "ExpressionAttributeValues": values(&pairs)}),
        &["day"],
    );
    let index = taken(&workload, &before, &rewritten, 20);
    assert_eq!(index.definition, "by-city-day=city:S,day:S");
    let money = index.money.unwrap();
    assert!(money.net > 0.0 && money.writes.abs() < f64::EPSILON, "{index:#?}");
}

#[test]
fn updates_that_change_nothing_of_an_index_cost_it_nothing() {
    let workload = Workload::new(&json!({}));
    let request = json!({"TableName": "orders", "FilterExpression": "price = :p",
        "ProjectionExpression": "customer", "ExpressionAttributeValues": {":p": {"N": "7"}}});
    let (before, _) = workload.ask(Operation::Scan, &request, 20);
    let update = |name: &str| {
        json!({"TableName": "orders",
            "Key": {"customer": {"S": "c001"}, "id": {"S": "o00001"}},
            "UpdateExpression": "SET #n = :v", "ExpressionAttributeNames": {"#n": name},
            "ExpressionAttributeValues": {":v": {"S": "new"}}})
    };
    workload.ask(Operation::UpdateItem, &update("note"), 500);
    workload.ask(Operation::UpdateItem, &update("city"), 500);
    let rewritten = json!({"TableName": "orders", "KeyConditionExpression": "price = :p",
        "ProjectionExpression": "customer", "ExpressionAttributeValues": {":p": {"N": "7"}}});
    let index = taken(&workload, &before, &rewritten, 20);
    assert_eq!(index.definition, "by-price=price:N/keys-only");
    assert!(index.write_units.abs() < f64::EPSILON, "{index:#?}");
    // The entry that is written when the price changes is paid for twice, as predicted.
    let mut dearer = update("price");
    dearer["ExpressionAttributeValues"][":v"] = json!({"N": "8"});
    let (_, used) = workload.ask(Operation::UpdateItem, &dearer, 1);
    assert!((used - 3.0).abs() < f64::EPSILON, "{used}");
}

#[test]
fn a_sparse_index_is_scanned() {
    let workload = Workload::new(&json!({}));
    let request = json!({"TableName": "orders", "FilterExpression": "attribute_exists(flagged)",
        "ProjectionExpression": "id, flagged"});
    let (before, _) = workload.ask(Operation::Scan, &request, 20);
    assert_eq!(before.len(), 20);
    let rewritten = json!({"TableName": "orders", "ProjectionExpression": "id, flagged"});
    let index = taken(&workload, &before, &rewritten, 20);
    assert_eq!(index.definition, "by-flagged=flagged:S/keys-only");
    // One item of thirty is in it.
    assert!((index.build_units - 20.0).abs() < f64::EPSILON, "{index:#?}");
}

#[test]
fn a_filter_that_is_left_reads_what_the_sample_says() {
    let workload = Workload::new(&json!({}));
    let filter = "city = :c AND contains(tags, :t)";
    let pairs = [(":c", "city07"), (":t", "a")];
    let (before, _) = workload.ask(Operation::Scan, &scan(filter, &pairs), 20);
    let rewritten = json!({"TableName": "orders", "KeyConditionExpression": "city = :c",
        "FilterExpression": "contains(tags, :t)", "ExpressionAttributeValues": values(&pairs)});
    let index = taken(&workload, &before, &rewritten, 20);
    assert_eq!(index.definition, "by-city=city:S");
    assert!(index.assumptions.iter().any(|it| it.contains("more frequent")), "{index:#?}");
}

#[test]
fn one_index_serves_several_patterns() {
    let workload = Workload::new(&json!({}));
    let city = scan("city = :c", &[(":c", "city07")]);
    workload.ask(Operation::Scan, &city, 20);
    let mut both = scan("city = :c AND price = :p", &[(":c", "city07")]);
    both["ExpressionAttributeValues"][":p"] = json!({"N": "7"});
    workload.ask(Operation::Scan, &both, 20);
    let report = workload.advice();
    let [index] = &report.add[..] else { panic!("{report:#?}") };
    assert_eq!(
        (index.definition.as_str(), index.answers.len()),
        ("by-city-price=city:S,price:N", 2)
    );
    assert_eq!(index.assumptions, ["every item has price, as all 600 that were looked at"]);
}

#[test]
fn an_index_that_lacks_items_does_not_serve_who_wants_them() {
    let workload = Workload::new(&json!({}));
    let both = [(":c", "city00"), (":s", "2026-00000")];
    workload.ask(Operation::Scan, &scan("city = :c", &both[..1]), 20);
    workload.ask(Operation::Scan, &scan("city = :c AND flagged = :s", &both), 20);
    let report = workload.advice();
    // Items that are not flagged are wanted, too; so the index by city alone answers both.
    let [index] = &report.add[..] else { panic!("{report:#?}") };
    assert_eq!(index.definition, "by-city=city:S", "{report:#?}");
    assert_eq!(index.answers.len(), 2);
}

fn index(name: &str, keys: &[&str], projection: &Value) -> Value {
    let kinds = ["HASH", "RANGE", "RANGE"];
    let schema: Vec<Value> = keys
        .iter()
        .zip(kinds)
        .map(|(name, kind)| json!({"AttributeName": name, "KeyType": kind}))
        .collect();
    json!({"IndexName": name, "KeySchema": schema, "Projection": projection})
}

/// A table that has these indexes.
fn indexed(indexes: &[Value]) -> Value {
    let mut names = vec!["customer", "id"];
    for element in indexes.iter().flat_map(|it| it["KeySchema"].as_array().unwrap()) {
        let name = element["AttributeName"].as_str().unwrap();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let kind = |name: &str| if name == "price" { "N" } else { "S" };
    let definitions: Vec<Value> = names
        .iter()
        .map(|name| json!({"AttributeName": name, "AttributeType": kind(name)}))
        .collect();
    json!({"AttributeDefinitions": definitions, "GlobalSecondaryIndexes": indexes})
}

fn all() -> Value {
    json!({"ProjectionType": "ALL"})
}

#[test]
fn keys_that_are_there_are_named_before_new_ones() {
    let mut table = indexed(&[index("by-city", &["city", "day"], &all())]);
    // It could answer, too, and would take for granted that all orders have a price.
    let mut by_price = index("by-price", &["customer", "price"], &all());
    table["LocalSecondaryIndexes"] = json!([by_price.take()]);
    let definitions = table["AttributeDefinitions"].as_array_mut().unwrap();
    definitions.push(json!({"AttributeName": "price", "AttributeType": "N"}));
    let workload = Workload::new(&table);
    workload.ask(
        Operation::Query,
        &json!({"TableName": "orders", "IndexName": "by-price",
        "KeyConditionExpression": "customer = :c",
        "ExpressionAttributeValues": {":c": {"S": "c007"}}}),
        1,
    );
    workload.ask(Operation::Scan, &scan("customer = :c", &[(":c", "c007")]), 5);
    let request = scan("city = :c AND #day > :d", &[(":c", "city07"), (":d", "2026-06")]);
    workload.ask(Operation::Scan, &named(request, &["day"]), 5);
    let report = workload.advice();
    assert!(report.add.is_empty() && report.spare.is_empty(), "{report:#?}");
    let instead: Vec<String> =
        report.unused_keys.iter().map(|it| it.answered.instead.to_string()).collect();
    assert_eq!(instead, ["Query orders/by-city city = ? AND day > ?", "Query orders customer = ?"]);
    // Who takes the advice reads what it says.
    let rewritten = json!({"TableName": "orders", "KeyConditionExpression": "customer = :c",
        "ExpressionAttributeValues": {":c": {"S": "c007"}}});
    let (_, units) = workload.ask(Operation::Query, &rewritten, 5);
    assert!((units - report.unused_keys[1].answered.read_units_then).abs() < f64::EPSILON);
}

#[test]
fn indexes_that_are_spare_are_told_with_what_they_cost() {
    let keys_only = json!({"ProjectionType": "KEYS_ONLY"});
    let workload = Workload::new(&indexed(&[
        index("unread", &["status"], &keys_only),
        index("short", &["city"], &all()),
        index("long", &["city", "day"], &all()),
        index("large", &["price"], &all()),
    ]));
    let query = |index: &str, condition: &str, value: Value| {
        json!({"TableName": "orders", "IndexName": index, "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {":v": value}})
    };
    workload.ask(Operation::Query, &query("short", "city = :v", json!({"S": "city07"})), 3);
    workload.ask(Operation::Query, &query("long", "city = :v", json!({"S": "city07"})), 3);
    let mut few = query("large", "price = :v", json!({"N": "7"}));
    few["ProjectionExpression"] = json!("customer, city");
    workload.ask(Operation::Query, &few, 3);
    workload.ask(Operation::PutItem, &json!({"TableName": "orders", "Item": order(601)}), 1);
    let report = workload.advice();
    let told: Vec<_> = report.spare.iter().map(|it| (it.index.as_str(), it.why.clone())).collect();
    assert_eq!(
        told,
        [
            ("unread", Spare::Unread),
            ("short", Spare::ContainedIn("long".to_owned())),
            ("large", Spare::HoldsTooMuch(Entries::Include(vec!["city".to_owned()]))),
        ]
    );
    for spare in &report.spare {
        assert!((spare.write_units - 1.0).abs() < f64::EPSILON, "{spare:#?}");
        assert!(spare.net > 0.0 && spare.storage_saved > 0.0, "{spare:#?}");
    }
    assert!(report.add.is_empty() && report.unused_keys.is_empty(), "{report:#?}");
}

/// Workloads that are as they should be, or that no index makes cheaper.
#[test]
fn of_good_workloads_nothing_is_said() {
    type Ask = fn(&Workload);
    let pairs: &[(&str, &str)] = &[(":a", "city07"), (":b", "SENT")];
    let filters = [
        "city = :a OR #status = :b",
        "NOT city = :a AND #status <> :b",
        "contains(city, :a) AND #status <> :b",
        "attribute_not_exists(flagged) AND #status <> :b AND city <> :a",
        "#status IN (:a, :b)",
        "city > :a AND city < :b AND #status <> :b",
        "city = :a AND size(city) > :b AND #status <> :b",
    ];
    for filter in filters {
        let workload = Workload::new(&json!({}));
        workload.ask(Operation::Scan, &named(scan(filter, pairs), &["status"]), 5);
        assert!(workload.advice().is_empty(), "{filter}: {:#?}", workload.advice());
    }
    let good: [(&str, Ask); 5] = [
        ("a query by key", |it| {
            let query = json!({"TableName": "orders", "KeyConditionExpression": "customer = :c",
                "ExpressionAttributeValues": {":c": {"S": "c007"}}});
            it.ask(Operation::Query, &query, 20);
        }),
        ("a scan of all", |it| {
            it.ask(Operation::Scan, &json!({"TableName": "orders"}), 20);
        }),
        ("a filter that throws nothing away", |it| {
            it.ask(Operation::Scan, &scan("tags <> :t", &[(":t", "z")]), 20);
        }),
        ("a filter within one item collection", |it| {
            let query = json!({"TableName": "orders", "KeyConditionExpression": "customer = :c",
                "FilterExpression": "city = :v",
                "ExpressionAttributeValues": {":c": {"S": "c007"}, ":v": {"S": "city07"}}});
            it.ask(Operation::Query, &query, 20);
        }),
        ("one scan among many writes", |it| {
            it.ask(Operation::Scan, &scan("city = :c", &[(":c", "city07")]), 1);
            for nth in 0..60 {
                let put = json!({"TableName": "orders", "Item": order(nth)});
                it.ask(Operation::PutItem, &put, 10);
            }
        }),
    ];
    for (name, ask) in good {
        let workload = Workload::new(&json!({}));
        ask(&workload);
        assert!(workload.advice().is_empty(), "{name}: {:#?}", workload.advice());
    }
}

/// Of an hour, or of a thousand requests of a table, nothing is told that a month would have to confirm.
#[test]
fn little_traffic_tells_no_money_and_no_spare_index() {
    let workload = Workload::new(&indexed(&[index("unread", &["status"], &all())]));
    let request = scan("city = :c", &[(":c", "city07")]);
    workload.ask(Operation::Scan, &request, 20);
    let prices = PriceList::of_region("us-east-1").unwrap();
    let mut recording = workload.recording();
    for (requests, ms, is_told) in
        [(999, DAY_MS, false), (1000, 3_599_999, false), (1000, 3_600_000, true)]
    {
        (recording.began_ms, recording.until_ms) = (0, ms);
        let scans = recording.rows.iter_mut().find(|row| row.key.operation == "Scan").unwrap();
        scans.used.requests = requests;
        let report = advise(&recording, &prices);
        assert_eq!(report.add[0].money.is_some(), is_told, "{requests} {ms}");
        assert_eq!(report.spare.len(), usize::from(is_told), "{requests} {ms}");
        assert_eq!(report.too_little_text().is_none(), is_told);
        assert_eq!(report.add[0].balance().is_some(), is_told);
    }
}

/// A key without the partition key that a query names would have it read all partitions.
#[test]
fn no_advice_drops_the_partition_key_of_a_query() {
    let workload = Workload::new(&json!({}));
    let query = json!({"TableName": "orders", "KeyConditionExpression": "customer = :c",
        "FilterExpression": "#status = :s", "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":c": {"S": "c007"}, ":s": {"S": "PAID"}}});
    workload.ask(Operation::Query, &query, 200);
    for index in workload.advice().add {
        assert!(
            index.partition.iter().chain(&index.sort).any(|it| it.name == "customer"),
            "{index:#?}"
        );
    }
}
