//! A SELECT that reads by keys finds what a scan with the same condition finds, page by page, on
//! the table and on its indexes, however AND, OR, NOT and IN join the conditions on its keys.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::EngineOptions;
use hashrange_model::ApiError;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};

/// What is read, with the names of its partition and sort key.
const SOURCES: [(&str, [&str; 2]); 3] = [
    ("\"table\"", ["pk", "sk"]),
    ("\"table\".\"local\"", ["pk", "a"]),
    ("\"table\".\"global\"", ["a", "b"]),
];
const TOO_MANY: &str = "Too many decomposed read operations for a given query.";
/// More pages than any read here has.
const PAGES_MAX: usize = 500;
const OVERLAP: &str = "Overlapping conditions with range keys are not supported in where clause";

/// Returns the sort and partition keys of all that a SELECT finds, in its order.
fn select(
    database: &Database,
    statement: &str,
    limit: Option<usize>,
) -> Result<Vec<String>, ApiError> {
    let mut request = json!({ "Statement": statement });
    if let Some(limit) = limit {
        request["Limit"] = json!(limit);
    }
    let mut found = Vec::new();
    for _ in 0..PAGES_MAX {
        let answer = database.call("ExecuteStatement", &request)?;
        found.extend(answer["Items"].as_array().unwrap().iter().map(Json::to_string));
        match answer.get("NextToken") {
            None => return Ok(found),
            Some(token) => request["NextToken"] = token.clone(),
        }
    }
    panic!("{statement} has no end");
}

/// Returns a table of numbers, keys and all, with a local and a global index that hold it whole.
fn database(random: &mut Random) -> Database {
    let database = Database::memory(EngineOptions::default());
    let attribute = |name: &str| json!({ "AttributeName": name, "AttributeType": "N" });
    let index = |name: &str, [partition, sort]: [&str; 2]| {
        json!({
            "IndexName": name, "Projection": { "ProjectionType": "ALL" },
            "KeySchema": [
                { "AttributeName": partition, "KeyType": "HASH" },
                { "AttributeName": sort, "KeyType": "RANGE" },
            ],
        })
    };
    let definition = json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": (["pk", "sk", "a", "b"].map(attribute)),
        "KeySchema": index("", ["pk", "sk"])["KeySchema"],
        "LocalSecondaryIndexes": [index("local", ["pk", "a"])],
        "GlobalSecondaryIndexes": [index("global", ["a", "b"])],
    });
    database.ok("CreateTable", &definition);
    for _ in 0..30 {
        let mut item = json!({});
        for name in ["pk", "sk", "a", "b"] {
            if name.len() == 2 || random.chance(80) {
                item[name] = json!({ "N": random.below(5).to_string() });
            }
        }
        database.ok("PutItem", &json!({ "TableName": "table", "Item": item }));
    }
    database
}

/// Returns a condition, mostly on the keys.
fn condition(random: &mut Random, keys: [&str; 2], depth: usize) -> String {
    let join = |random: &mut Random, word: &str| {
        let count = 2 + random.below(2);
        let parts: Vec<_> =
            (0..count).map(|_| format!("({})", condition(random, keys, depth - 1))).collect();
        parts.join(word)
    };
    if depth > 0 {
        match random.below(10) {
            0..4 => return join(random, " AND "),
            4..8 => return join(random, " OR "),
            8 => return format!("NOT ({})", condition(random, keys, depth - 1)),
            _ => {}
        }
    }
    let name = *random.pick(&[keys[0], keys[0], keys[0], keys[1], keys[1], "pk", "b"]);
    let (one, two) = (random.below(5), random.below(5));
    match random.below(8) {
        0 => format!("{name} IN [{one}, {two}]"),
        1 => format!("{name} BETWEEN {} AND {}", one.min(two), one.max(two)),
        2 => format!("{name} {} {one}", random.pick(&["<", "<=", ">", ">=", "<>"])),
        _ => format!("{name} = {one}"),
    }
}

fn sorted(mut found: Vec<String>) -> Vec<String> {
    found.sort();
    found
}

#[test]
fn reads_by_keys_find_what_a_scan_finds() {
    let (mut found, mut overlapping, mut too_many) = (0, 0, 0);
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let database = database(random);
        for _ in 0..60 {
            let (source, keys) = *random.pick(&SOURCES);
            let condition = condition(random, keys, 3);
            // The last alternative names no key, so all is read.
            let scan = format!("SELECT * FROM {source} WHERE ({condition}) OR elsewhere = 1");
            let scanned = select(&database, &scan, None).unwrap();
            let descending = if random.chance(30) { keys[1] } else { keys[0] };
            let orders = [String::new(), format!(" ORDER BY {descending} DESC")];
            let keyed = format!("SELECT * FROM {source} WHERE {condition}");
            for order in orders {
                let statement = format!("{keyed}{order}");
                let limit = random.chance(70).then(|| 1 + random.below(4));
                match select(&database, &statement, limit) {
                    Ok(read) => {
                        found += read.len();
                        assert_eq!(sorted(read), sorted(scanned.clone()), "{seed}: {statement}");
                    }
                    Err(error) if error.message().as_deref() == Some(OVERLAP) => overlapping += 1,
                    Err(error) if error.message().as_deref() == Some(TOO_MANY) => too_many += 1,
                    Err(error) => {
                        assert!(!order.is_empty(), "{seed}: {statement}: {error:?}");
                        assert!(
                            error.message().unwrap().contains("ORDER BY"),
                            "{seed}: {statement}"
                        );
                    }
                }
            }
        }
    }
    assert!(found > 5_000, "{found} items were found");
    assert!((10..500).contains(&overlapping), "{overlapping} reads were refused");
    assert!((1..100).contains(&too_many), "{too_many} reads were refused");
}
