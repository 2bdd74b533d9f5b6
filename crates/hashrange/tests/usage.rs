//! What requests use, as it is metered, is what their answers report; what fails is charged by the item met.

use hashrange::cost::{Usage, UseKind, metered};
use hashrange::explain::Mode;
use hashrange::{Database, Operation, block_on};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const READ: UseKind = UseKind::Read;
const WRITE: UseKind = UseKind::Write;

fn database() -> Database {
    let database = Database::memory();
    let table = json!({
        "TableName": "cities", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "country", "AttributeType": "S"},
            {"AttributeName": "place", "AttributeType": "S"},
            {"AttributeName": "people", "AttributeType": "N"},
            {"AttributeName": "name", "AttributeType": "S"}],
        "KeySchema": [
            {"AttributeName": "country", "KeyType": "HASH"},
            {"AttributeName": "place", "KeyType": "RANGE"}],
        "LocalSecondaryIndexes": [{
            "IndexName": "by-people", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [
                {"AttributeName": "country", "KeyType": "HASH"},
                {"AttributeName": "people", "KeyType": "RANGE"}]}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-name", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}]}],
    });
    run(&database, Operation::CreateTable, &table).0.expect("a table");
    for nth in 0..20 {
        let item = json!({
            "country": {"S": "NL"}, "place": {"S": format!("P#{nth:02}")}, "people": {"N": nth.to_string()},
            "name": {"S": format!("n{}", nth % 3)}, "text": {"S": "x".repeat(1500)},
        });
        let put = json!({"TableName": "cities", "Item": item});
        run(&database, Operation::PutItem, &put).0.expect("a put");
    }
    database
}

fn run(
    database: &Database,
    operation: Operation,
    request: &Value,
) -> (Result<Value, String>, Usage) {
    let body = request.to_string();
    let (answer, usage) = block_on(metered(database.call(operation, body.as_bytes())));
    let answer = answer.map(|body| serde_json::from_slice(&body).expect("an answer is JSON"));
    (answer.map_err(|error| error.to_string()), usage)
}

fn key(place: &str) -> Value {
    json!({"country": {"S": "NL"}, "place": {"S": place}})
}

/// Returns units by place, as an answer reports them.
fn reported(answer: &Value) -> BTreeMap<String, f64> {
    let consumed = match &answer["ConsumedCapacity"] {
        Value::Array(reports) => reports.clone(),
        report => vec![report.clone()],
    };
    let mut places = BTreeMap::new();
    let mut add = |place: String, units: &Value| {
        let units = units["CapacityUnits"].as_f64().expect("units");
        if units > 0.0 {
            *places.entry(place).or_default() += units;
        }
    };
    for report in &consumed {
        let table = report["TableName"].as_str().expect("a name");
        add(table.to_owned(), &report["Table"]);
        for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
            for (name, units) in report[kind].as_object().into_iter().flatten() {
                add(format!("{table}/{name}"), units);
            }
        }
    }
    places
}

/// Returns units by place, as they were metered.
fn used(usage: &Usage) -> BTreeMap<String, f64> {
    let mut places: BTreeMap<String, f64> = BTreeMap::new();
    for one in usage.uses() {
        if one.units > 0.0 {
            *places.entry(one.table.to_string()).or_default() += one.units;
        }
        for (index, units) in &one.index_units {
            *places.entry(format!("{}/{index}", one.table)).or_default() += units;
        }
    }
    places
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn what_is_metered_is_what_answers_report() {
    let database = database();
    let query = json!({"TableName": "cities", "KeyConditionExpression": "country = :c",
        "ExpressionAttributeValues": {":c": {"S": "NL"}}});
    let with = |request: &Value, more: Value| {
        let mut all = request.as_object().unwrap().clone();
        all.extend(more.as_object().unwrap().clone());
        Value::Object(all)
    };
    let item = json!({"country": {"S": "NL"}, "place": {"S": "P#50"}, "people": {"N": "7"},
        "name": {"S": "n1"}});
    let cases = [
        (Operation::GetItem, READ, json!({"TableName": "cities", "Key": key("P#01")}), ""),
        (Operation::GetItem, READ, json!({"TableName": "cities", "Key": key("none")}), ""),
        (
            Operation::GetItem,
            READ,
            json!({"TableName": "cities", "Key": key("P#01"), "ProjectionExpression": "place, people"}),
            "RETURNS people, place",
        ),
        (Operation::Query, READ, query.clone(), "country = ?"),
        (
            Operation::Query,
            READ,
            with(&query, json!({"IndexName": "by-people", "Select": "ALL_ATTRIBUTES"})),
            "country = ?",
        ),
        (
            Operation::Query,
            READ,
            with(
                &query,
                json!({"ProjectionExpression": "place, #n, people", "IndexName": "by-people",
                "ExpressionAttributeNames": {"#n": "name"}}),
            ),
            "country = ? RETURNS name, people, place",
        ),
        (
            Operation::Query,
            READ,
            with(&query, json!({"Select": "COUNT"})),
            "country = ? RETURNS COUNT",
        ),
        (
            Operation::Scan,
            READ,
            json!({"TableName": "cities", "IndexName": "by-name", "FilterExpression": "people IN (:a, :b)",
                "ExpressionAttributeValues": {":a": {"N": "1"}, ":b": {"N": "2"}}}),
            "FILTER people IN (?)",
        ),
        (
            Operation::BatchGetItem,
            READ,
            json!({"RequestItems": {"cities": {"Keys": [key("P#01"), key("P#02"), key("none")]}}}),
            "Get cities",
        ),
        (
            Operation::BatchGetItem,
            READ,
            json!({"RequestItems": {"cities": {"Keys": [key("P#01")], "ProjectionExpression": "people"}}}),
            "Get cities RETURNS people",
        ),
        (
            Operation::TransactGetItems,
            READ,
            json!({"TransactItems": [{"Get": {"TableName": "cities", "Key": key("P#01")}},
                {"Get": {"TableName": "cities", "Key": key("none")}},
                {"Get": {"TableName": "cities", "Key": key("P#02"), "ProjectionExpression": "place"}}]}),
            "Get cities; Get cities RETURNS place",
        ),
        (
            Operation::ExecuteStatement,
            READ,
            json!({"Statement": "SELECT place FROM cities WHERE country = 'NL' AND people > 3"}),
            "WHERE country = ? AND people > ? RETURNS place",
        ),
        (
            Operation::ExecuteStatement,
            READ,
            json!({"Statement": "SELECT * FROM cities WHERE country = 'NL' AND place = 'P#01'"}),
            "WHERE country = ? AND place = ?",
        ),
        (
            Operation::PutItem,
            WRITE,
            json!({"TableName": "cities", "Item": item, "ConditionExpression": "attribute_not_exists(place)"}),
            "IF attribute_not_exists(place)",
        ),
        (
            Operation::UpdateItem,
            WRITE,
            json!({"TableName": "cities", "Key": key("P#03"), "UpdateExpression": "SET people = :p",
                "ExpressionAttributeValues": {":p": {"N": "99"}}}),
            "UPDATES people",
        ),
        (Operation::DeleteItem, WRITE, json!({"TableName": "cities", "Key": key("P#04")}), ""),
        (
            Operation::BatchWriteItem,
            WRITE,
            json!({"RequestItems": {"cities": [{"DeleteRequest": {"Key": key("P#05")}},
                {"PutRequest": {"Item": item}}]}}),
            "Delete cities; Put cities",
        ),
        (
            Operation::TransactWriteItems,
            WRITE,
            json!({"TransactItems": [{"Delete": {"TableName": "cities", "Key": key("P#06")}},
                {"Put": {"TableName": "cities", "Item": item}}]}),
            "Delete cities; Put cities",
        ),
        (
            Operation::TransactWriteItems,
            WRITE,
            json!({"TransactItems": [
                {"ConditionCheck": {"TableName": "cities", "Key": key("P#10"),
                    "ConditionExpression": "attribute_exists(place)"}},
                {"Update": {"TableName": "cities", "Key": key("P#11"),
                    "UpdateExpression": "SET people = :n, mayor = :n",
                    "ConditionExpression": "people < :m",
                    "ExpressionAttributeValues": {":n": {"N": "1"}, ":m": {"N": "99"}}}}]}),
            "ConditionCheck cities IF attribute_exists(place); Update cities UPDATES mayor, people IF people < ?",
        ),
        (
            Operation::ExecuteStatement,
            WRITE,
            json!({"Statement": "INSERT INTO cities VALUE {'country': 'NL', 'place': 'P#60'}"}),
            "INSERT",
        ),
        (
            Operation::ExecuteStatement,
            WRITE,
            json!({"Statement": "UPDATE cities SET people = 1 WHERE country = 'NL' AND place = 'P#12' AND people > 0"}),
            "UPDATE UPDATES people WHERE country = ? AND place = ? AND people > ?",
        ),
        (
            Operation::ExecuteStatement,
            WRITE,
            json!({"Statement": "DELETE FROM cities WHERE country = 'NL' AND place = 'P#07'"}),
            "DELETE WHERE country = ? AND place = ?",
        ),
        (
            Operation::BatchExecuteStatement,
            WRITE,
            json!({"Statements": [
                {"Statement": "DELETE FROM cities WHERE country = 'NL' AND place = 'P#08'"}]}),
            "DELETE cities WHERE country = ? AND place = ?",
        ),
        (
            Operation::BatchExecuteStatement,
            READ,
            json!({"Statements": [
                {"Statement": "SELECT name FROM cities WHERE country = 'NL' AND place = 'P#10'"},
                {"Statement": "SELECT name FROM cities WHERE country = 'NL' AND place = 'P#11'"}]}),
            "SELECT cities WHERE country = ? AND place = ? RETURNS name",
        ),
        (
            Operation::ExecuteTransaction,
            READ,
            json!({"TransactStatements": [
                {"Statement": "SELECT name FROM cities WHERE country = 'NL' AND place = 'P#10'"}]}),
            "SELECT cities WHERE country = ? AND place = ? RETURNS name",
        ),
        (
            Operation::ExecuteTransaction,
            WRITE,
            json!({"TransactStatements": [
                {"Statement": "EXISTS(SELECT * FROM cities WHERE country = 'NL' AND place = 'P#13' AND people = 13)"},
                {"Statement": "INSERT INTO cities VALUE {'country': 'NL', 'place': 'P#61'}"}]}),
            "EXISTS cities WHERE country = ? AND people = ? AND place = ?; INSERT cities",
        ),
        (
            Operation::ExecuteTransaction,
            WRITE,
            json!({"TransactStatements": [
                {"Statement": "DELETE FROM cities WHERE country = 'NL' AND place = 'P#09'"}]}),
            "DELETE cities WHERE country = ? AND place = ?",
        ),
    ];
    for (operation, kind, request, shape) in cases {
        let body = request.to_string();
        let explained = block_on(database.explain(operation, body.as_bytes(), Mode::Plan)).unwrap();
        assert_eq!(explained.pattern.to_string(), shape, "{operation:?}");
        let request = with(&request, json!({"ReturnConsumedCapacity": "INDEXES"}));
        let (answer, usage) = run(&database, operation, &request);
        let answer = answer.unwrap_or_else(|error| panic!("{operation:?} {error}"));
        assert_eq!(used(&usage), reported(&answer), "{operation:?} {request}");
        assert!(usage.uses().iter().all(|used| used.kind == kind), "{operation:?} {usage:?}");
        assert_eq!(usage.pattern.to_string(), shape, "{operation:?}");
        if let (Some(count), Some(scanned)) =
            (answer["Count"].as_u64(), answer["ScannedCount"].as_u64())
        {
            let [read] = usage.uses() else { panic!("{usage:?}") };
            assert_eq!((read.returned, read.examined), (count, scanned), "{operation:?}");
        }
    }
}

#[test]
fn a_condition_that_does_not_hold_is_charged_by_the_item_it_met() {
    let database = database();
    let put = |place: &str| {
        let mut item = key(place);
        item["text"] = json!({"S": "short"});
        json!({"TableName": "cities", "Item": item, "ConditionExpression": "attribute_exists(nothing)"})
    };
    for (place, units) in [("P#01", 2.0), ("none", 1.0)] {
        let (answer, usage) = run(&database, Operation::PutItem, &put(place));
        assert!(answer.unwrap_err().starts_with("ConditionalCheckFailed"));
        assert_eq!(used(&usage), BTreeMap::from([("cities".to_owned(), units)]));
    }
    let insert =
        json!({"Statement": "INSERT INTO cities VALUE {'country': 'NL', 'place': 'P#01'}"});
    let (answer, usage) = run(&database, Operation::ExecuteStatement, &insert);
    assert!(answer.unwrap_err().starts_with("DuplicateItem"));
    assert_eq!(used(&usage), BTreeMap::from([("cities".to_owned(), 2.0)]));
}

#[test]
fn what_is_refused_before_it_reads_uses_nothing() {
    let database = database();
    for request in [
        json!({"TableName": "none", "Key": key("P#01")}),
        json!({"TableName": "cities", "Key": {"country": {"S": "NL"}}}),
        json!({}),
    ] {
        let (answer, usage) = run(&database, Operation::GetItem, &request);
        assert!(answer.is_err());
        assert_eq!(usage, Usage::default());
    }
}

#[test]
fn a_transaction_that_is_explained_while_it_runs_is_metered() {
    let database = database();
    let delete = "DELETE FROM cities WHERE country = 'NL' AND place = 'P#01'";
    let statement = format!("EXPLAIN ANALYZE {delete}");
    let request = json!({"TransactStatements": [{"Statement": statement}]});
    let (answer, usage) = run(&database, Operation::ExecuteTransaction, &request);
    answer.unwrap();
    let [write] = usage.uses() else { panic!("{usage:?}") };
    assert_eq!((write.kind, write.units), (WRITE, 4.0));
    assert_eq!(usage.pattern.to_string(), "DELETE cities WHERE country = ? AND place = ?");
}
