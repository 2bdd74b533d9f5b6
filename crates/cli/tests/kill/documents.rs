//! Documents whose versions the server keeps as items: each write that was told has a version of its own, the numbers
//! have no gap, and the newest state is the last version, whenever the server died.

use super::Run;
use super::client::{Answer, Client};
use hashrange::{Database, Options, VersionsRecord};
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::Path;

const TABLE: &str = "documents";
const NAMES: [&str; 3] = ["A", "B", "C"];

/// Creates the table, before the server begins.
pub fn create(folder: &Path) {
    let database = Database::open(folder, &Options::default()).unwrap().blocking();
    database.create(TABLE, "pk:S sk:S").run().unwrap();
    let versions = VersionsRecord::new("v{n:pad:6}_{name}", "v0_{name}");
    database.set_versions(TABLE, Some(versions)).unwrap();
    database.close().unwrap();
}

/// Writes a document; returns what was written, if it was told.
pub fn write_once(run: &Run, client: &mut Client<'_>, random: &mut Random) -> Vec<u64> {
    let id = run.id();
    let item = json!({"pk": {"S": "p"}, "sk": {"S": format!("v0_{}", random.pick(&NAMES))},
        "id": {"N": id.to_string()}});
    let put = json!({"TableName": TABLE, "Item": item});
    let answer = if random.chance(30) {
        client.call("TransactWriteItems", &json!({"TransactItems": [{"Put": put}]}))
    } else {
        client.call("PutItem", &put)
    };
    match answer {
        Answer::Done(_) => vec![id],
        Answer::Refused(_) | Answer::Unknown => Vec::new(),
    }
}

/// Checks what is stored against what was told.
pub fn check(client: &mut Client<'_>, told: &[u64]) {
    let mut kept = BTreeSet::new();
    for name in NAMES {
        let versions = read(client, name);
        let Some((newest, versions)) = versions.split_last() else { continue };
        let number =
            |item: &Json, member: &str| item[member]["N"].as_str().unwrap().parse::<u64>().unwrap();
        for (nth, version) in (1..).zip(versions) {
            assert_eq!(version["sk"]["S"], format!("v{nth:06}_{name}"));
            assert!(kept.insert(number(version, "id")), "{version} is there twice");
        }
        assert_eq!(newest["sk"]["S"], format!("v0_{name}"));
        assert_eq!(number(newest, "LatestVersion"), versions.len() as u64, "{name}");
        assert_eq!(newest["id"], versions.last().unwrap()["id"], "{name}");
    }
    let lost: Vec<_> = told.iter().filter(|id| !kept.contains(id)).collect();
    assert!(lost.is_empty() && !told.is_empty(), "{lost:?}");
}

/// Returns the versions of a document in their order, and the newest state behind them.
fn read(client: &mut Client<'_>, name: &str) -> Vec<Json> {
    let mut request = json!({"TableName": TABLE, "KeyConditionExpression": "pk = :p", "ConsistentRead": true,
        "ExpressionAttributeValues": {":p": {"S": "p"}}});
    let mut found = Vec::new();
    loop {
        let page = client.done("Query", &request);
        let items = page["Items"].as_array().unwrap().iter();
        let end = format!("_{name}");
        found.extend(
            items.filter(|item| item["sk"]["S"].as_str().unwrap().ends_with(&end)).cloned(),
        );
        match page.get("LastEvaluatedKey") {
            Some(last) => request["ExclusiveStartKey"] = last.clone(),
            None => return found,
        }
    }
}
