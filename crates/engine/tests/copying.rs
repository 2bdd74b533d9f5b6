//! What belongs to a table beside its items goes with a copy, from a folder to another store and back: its
//! history, key templates, Contributor Insights and time to live, whether they are settled or work on them is
//! under way. Copies of databases that are written to meanwhile: `crates/hashrange/tests/moving.rs`.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, Environment, HistoryState, Served, TemplateMode, copy};
use hashrange_model::moment;
use hashrange_storage::{AnyStore, EmbeddedOptions, EmbeddedStore, block_on};
use hashrange_testkit::database::{Database, embedded, empty_store};
use hashrange_testkit::environment::{VirtualClock, virtual_environment};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::Path;

const HOUR_MS: u64 = 60 * 60 * 1000;
/// So long versions outlive their retention.
const GRACE_MS: u64 = 5 * 60 * 1000;
const BY_STATUS: &str = r#"rank = "{status}#{total:pad:6}" when attribute_exists(total)"#;
const BY_TOTAL: &str = r#"rank = "{total:pad:6}#{status}""#;

/// The time by which a database and its copies go.
type Time = (Environment, VirtualClock);

fn open(store: AnyStore, time: &Time, jobs_run: bool) -> Database {
    Database::open(store, time.clone(), EngineOptions { jobs_run, ..EngineOptions::default() })
}

/// Returns the store of a new folder that may become a copy of a database.
fn folder_for(from: &Database, path: &Path) -> AnyStore {
    let last_stamp = block_on(from.engine.store().inner().last_stamp()).unwrap();
    let options = EmbeddedOptions { stamps_above: last_stamp + 1, ..EmbeddedOptions::default() };
    EmbeddedStore::open(path, &options).unwrap().into()
}

/// Copies a database into an empty store and opens that.
fn copied(from: &Database, to: AnyStore, time: &Time, jobs_run: bool) -> Database {
    let source = from.engine.store().inner();
    let copied = block_on(copy(source, &to, Served::No, 7, false, &mut |_| {})).unwrap();
    assert!(copied.keys > 0);
    let opened = open(to, time, jobs_run);
    opened.assert_sound();
    opened
}

fn create(db: &Database, table: &str) {
    let names = ["id", "rank"];
    let definitions = names.map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let definition = json!({
        "TableName": table, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-rank", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "rank", "KeyType": "HASH"}],
        }],
    });
    db.ok("CreateTable", &definition);
}

fn put(db: &Database, table: &str, id: &str, total: u64, until_s: Option<u64>) {
    let mut item = json!({
        "id": {"S": id}, "status": {"S": "OPEN"}, "total": {"N": total.to_string()},
    });
    if let Some(until_s) = until_s {
        item["until"] = json!({"N": until_s.to_string()});
    }
    db.ok("PutItem", &json!({"TableName": table, "Item": item}));
}

fn set_time_to_live(db: &Database, table: &str) {
    let specification = json!({"Enabled": true, "AttributeName": "until"});
    let request = json!({"TableName": table, "TimeToLiveSpecification": specification});
    db.ok("UpdateTimeToLive", &request);
}

fn declare(db: &Database, table: &str, text: &str) {
    block_on(db.engine.put_key_template(table, text, TemplateMode::Fill)).unwrap();
}

fn watch(db: &Database, table: &str, index: Option<&str>, mode: &str) {
    let mut request = json!({
        "TableName": table, "ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": mode,
    });
    if let Some(index) = index {
        request["IndexName"] = index.into();
    }
    db.ok("UpdateContributorInsights", &request);
}

/// Returns the items of a table or one of its pasts, in the order of their texts; or the error.
fn items(db: &Database, table: &str) -> Json {
    let found = match db.call("Scan", &json!({"TableName": table})) {
        Ok(found) => found,
        Err(error) => return error.to_string().into(),
    };
    let mut items = found["Items"].as_array().unwrap().clone();
    items.sort_by_key(ToString::to_string);
    items.into()
}

/// Returns all that a database tells of a table and of what it was at some moments.
fn told(db: &Database, table: &str, moments: &[u64]) -> Json {
    let of_table = json!({"TableName": table});
    let of_index = json!({"TableName": table, "IndexName": "by-rank"});
    let history = block_on(db.engine.describe_history(table)).unwrap();
    let templates = block_on(db.engine.describe_key_templates(table)).unwrap();
    let past = |at_ms: &u64| items(db, &format!("{table}.asof.{}", moment::basic(*at_ms)));
    json!({
        "table": db.ok("DescribeTable", &of_table),
        "time to live": db.ok("DescribeTimeToLive", &of_table),
        "insights": db.ok("DescribeContributorInsights", &of_table),
        "insights of the index": db.ok("DescribeContributorInsights", &of_index),
        "all insights": db.ok("ListContributorInsights", &of_table),
        "history": format!("{history:?}"),
        "templates": format!("{templates:?}"),
        "items": items(db, table),
        "ranked": db.ok("Scan", &of_index)["Count"],
        "versions": items(db, &format!("{table}.history")),
        "past": moments.iter().map(past).collect::<Vec<_>>(),
    })
}

/// Fills a database: `orders` has all that a table may have and a history of ever, `visits` one of an hour, the
/// beginning of which has expired. Returns moments that lie before, between and after the changes.
fn fill(db: &Database, time: &Time) -> Vec<u64> {
    let (_, clock) = time;
    let mut moments = Vec::new();
    for table in ["orders", "visits"] {
        create(db, table);
        put(db, table, "before", 1, None);
    }
    declare(db, "orders", BY_STATUS);
    set_time_to_live(db, "orders");
    watch(db, "orders", None, "THROTTLED_KEYS");
    watch(db, "orders", Some("by-rank"), "ACCESSED_AND_THROTTLED_KEYS");
    block_on(db.engine.enable_history("orders", None)).unwrap();
    block_on(db.engine.enable_history("visits", Some(1))).unwrap();
    for round in 0..6_u64 {
        clock.advance_ms(HOUR_MS / 2);
        moments.push(clock.now_ms());
        clock.advance_ms(7);
        let (now_s, id) = (clock.now_ms() / 1000, format!("order {}", round % 4));
        for table in ["orders", "visits"] {
            // The last ones are due after the copy.
            put(db, table, &id, round, (round > 3).then_some(now_s + 3600));
            put(db, table, &format!("passing {round}"), round, Some(now_s + 60));
        }
        let key = json!({"id": {"S": "before"}});
        let update = json!({
            "TableName": "orders", "Key": key, "UpdateExpression": "SET #t = :t",
            "ExpressionAttributeNames": {"#t": "total"},
            "ExpressionAttributeValues": {":t": {"N": (round * 10).to_string()}},
        });
        db.ok("UpdateItem", &update);
        if round == 4 {
            db.ok("DeleteItem", &json!({"TableName": "visits", "Key": key}));
        }
        db.engine.sweep();
    }
    clock.advance_ms(7);
    moments.push(clock.now_ms() - 1);
    moments
}

/// Checks that a copy goes on where the original was: keys are derived, changes leave versions, what expires is
/// removed, and nothing of that changes the past.
fn goes_on(db: &Database, time: &Time, moments: &[u64]) {
    let (_, clock) = time;
    let before = told(db, "orders", moments);
    let versions = before["versions"].as_array().unwrap().len();
    clock.advance_ms(2 * HOUR_MS + GRACE_MS);
    put(db, "orders", "before", 77, None);
    put(db, "orders", "after", 78, None);
    db.engine.sweep();
    let after = told(db, "orders", moments);
    assert_eq!(after["past"], before["past"]);
    let ids = |told: &Json| -> Vec<String> {
        let items = told["items"].as_array().unwrap().iter();
        items.map(|item| item["id"]["S"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&before), ["before", "order 0", "order 1", "order 2", "order 3", "passing 5"]);
    assert_eq!(ids(&after), ["after", "before", "order 2", "order 3"]);
    // Two were put and three expired; each left what it was before, and what it is.
    assert_eq!(after["versions"].as_array().unwrap().len(), versions + 5);
    let ranked = json!({
        "TableName": "orders", "IndexName": "by-rank", "KeyConditionExpression": "#r = :r",
        "ExpressionAttributeNames": {"#r": "rank"},
        "ExpressionAttributeValues": {":r": {"S": "OPEN#000077"}},
    });
    assert_eq!(db.ok("Query", &ranked)["Count"], 1);
    // All that `visits` was more than an hour ago is gone.
    assert_eq!(db.stored(&[0x22, 0, 0, 0, 2]), []);
    db.assert_sound();
}

#[test]
fn all_that_a_table_has_beside_its_items_goes_with_a_copy_and_back() {
    let (folder, back) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let time = virtual_environment();
    let first = open(embedded(folder.path()), &time, true);
    let moments = fill(&first, &time);
    let second = copied(&first, empty_store(), &time, true);
    let third = copied(&second, folder_for(&second, back.path()), &time, true);
    for table in ["orders", "visits"] {
        let expected = told(&first, table, &moments);
        for copy in [&second, &third] {
            assert_eq!(told(copy, table, &moments), expected);
        }
        // Each of the moments tells something else; what `visits` was first is not told of any more.
        let past = expected["past"].as_array().unwrap();
        let distinct = past.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(distinct.len(), past.len());
        let refused = past.iter().filter(|past| past.is_string()).count();
        assert_eq!(refused, if table == "orders" { 0 } else { 4 }, "{table}");
    }
    goes_on(&third, &time, &moments);
    time.1.set_back_ms(2 * HOUR_MS + GRACE_MS);
    goes_on(&second, &time, &moments);
}

/// Work that is under way in the original, or has not begun, is done in the copy.
#[test]
fn what_is_under_way_goes_on_in_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let time = virtual_environment();
    let first = open(embedded(folder.path()), &time, false);
    let until_s = time.1.now_ms() / 1000 + 60;
    for table in ["orders", "visits"] {
        create(&first, table);
        first.run_jobs();
        (0..5).for_each(|nth| put(&first, table, &format!("item {nth}"), nth, Some(until_s)));
    }
    block_on(first.engine.enable_history("visits", None)).unwrap();
    first.run_jobs();
    put(&first, "visits", "item 0", 9, None);
    // From here on nothing is done.
    declare(&first, "orders", BY_TOTAL);
    set_time_to_live(&first, "orders");
    block_on(first.engine.enable_history("orders", Some(3))).unwrap();
    block_on(first.engine.disable_history("visits")).unwrap();

    let second = copied(&first, empty_store(), &time, false);
    let state = |table: &str| block_on(second.engine.describe_history(table)).unwrap();
    assert_eq!(state("orders").state, Some(HistoryState::Beginning));
    assert_eq!(state("visits").state, Some(HistoryState::Ending));
    let templates = || block_on(second.engine.describe_key_templates("orders")).unwrap();
    assert!(templates()[0].rewriting.is_some());
    second.run_jobs();
    assert_eq!(state("orders").state, Some(HistoryState::Kept));
    assert_eq!(state("orders").retention_hours, Some(3));
    assert_eq!(state("visits").state, None);
    assert_eq!(second.stored(&[0x22, 0, 0, 0, 2]), []);
    assert_eq!(templates()[0].rewritten.as_ref().unwrap().changed, 5);
    let described = second.ok("DescribeTimeToLive", &json!({"TableName": "orders"}));
    assert_eq!(described["TimeToLiveDescription"]["TimeToLiveStatus"], "ENABLED");
    let ranked = json!({"TableName": "orders", "IndexName": "by-rank"});
    assert_eq!(second.ok("Scan", &ranked)["Count"], 5);
    second.assert_sound();
    time.1.advance_ms(61_000);
    second.engine.sweep();
    assert_eq!(items(&second, "orders"), json!([]));
    second.assert_sound();
}
