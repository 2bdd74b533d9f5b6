//! Folders that earlier releases left must open for ever, with everything that is in them.
//!
//! `fixtures/format-1` was written by the first build of format 1: `closed` after a clean stop,
//! `crashed` after a kill, with the last three items only in the log. They are never written anew:
//! another format gets a folder of its own beside them.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

use hashrange::{Clock, Database, Operation, Options, Verified};
use hashrange_scratch::copy_folder;
use std::path::{Path, PathBuf};

/// 2026-11-22 03:30 UTC, when the folders were added here: a day later their stream records are due.
const ADDED_MS: u64 = 1_795_318_200_000;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1").join(name)
}

fn call(database: &Database, operation: Operation, body: &str) -> String {
    let answer = hashrange_storage::block_on(database.call(operation, body.as_bytes()));
    String::from_utf8(answer.unwrap()).unwrap()
}

/// Tables, items, index entries, stream records and problems.
fn counts(folder: &Path) -> [u64; 5] {
    let mut last = None;
    let report =
        Database::check_heard(folder, &Options::default(), &mut |verified| last = Some(verified));
    let report = report.unwrap();
    let total = report.items + report.entries;
    assert_eq!(last, Some(Verified { done: total, total }));
    let problems = report.problems.len() as u64;
    [report.tables, report.items, report.entries, report.changes, problems]
}

#[test]
fn folders_of_format_1_open_with_all_that_is_in_them() {
    for (name, added) in [("closed", 0), ("crashed", 3)] {
        let kept = [2, 23 + added, 19 + added, 15 + added, 0];
        assert_eq!(counts(&fixture(name)), kept, "{name}");
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&fixture(name), folder.path());
        let clock = Some(Clock::stopped_at(ADDED_MS));
        let options = Options { clock, ..Options::default() };
        let database = Database::open(folder.path(), &options).unwrap();
        read(&database, added);
        write(&database);
        drop(database);
        let [tables, items, entries, changes, problems] = kept;
        assert_eq!(counts(folder.path()), [tables, items + 1, entries + 1, changes + 1, problems]);
    }
}

fn read(database: &Database, added: u64) {
    let tables = call(database, Operation::ListTables, "{}");
    assert_eq!(tables, r#"{"TableNames":["Orders","Sessions"]}"#);
    let key = r#"{"customer":{"S":"customer 1"},"number":{"N":"4.5"}}"#;
    let get = format!(r#"{{"TableName":"Orders","Key":{key}}}"#);
    let item = call(database, Operation::GetItem, &get);
    for part in [
        r#""total":{"N":"-12345678901234567890.123456789"}"#,
        r#""photo":{"B":"AAECAwQ="}"#,
        r#"{"L":[{"NULL":true},{"BOOL":false},{"SS":["a","b"]},{"NS":["-20000000000","1"]},{"BS":["AQ==","Ag=="]}]}"#,
    ] {
        assert!(item.contains(part), "{part}: {item}");
    }
    let query = r##"{"TableName":"Orders","IndexName":"by-state","Select":"COUNT",
        "KeyConditionExpression":"#s = :s","ExpressionAttributeNames":{"#s":"state"},
        "ExpressionAttributeValues":{":s":{"S":"open"}}}"##;
    let open = call(database, Operation::Query, query);
    assert!(open.contains(&format!(r#""Count":{}"#, 5 + added)), "{open}");
    let lost = call(database, Operation::Query, &query.replace("\"open\"", "\"lost\""));
    assert!(lost.contains(r#""Count":1"#), "{lost}");
    let lives = r#"{"TableName":"Sessions"}"#;
    let lives = call(database, Operation::DescribeTimeToLive, lives);
    assert!(lives.contains(r#""TimeToLiveStatus":"ENABLED","AttributeName":"ends""#), "{lives}");
    let stream = call(database, Operation::DescribeTable, r#"{"TableName":"Orders"}"#);
    assert!(stream.contains(r#""StreamViewType":"NEW_AND_OLD_IMAGES""#), "{stream}");
}

fn write(database: &Database) {
    let put = r#"{"TableName":"Orders","Item":{"customer":{"S":"new"},"number":{"N":"1"},
        "state":{"S":"open"}}}"#;
    assert_eq!(call(database, Operation::PutItem, put), "{}");
}
