//! `hashrange copy`: from a folder to PostgreSQL and back, what is refused, and copies that are killed.

#![cfg(feature = "postgres")]
#![expect(clippy::disallowed_methods, reason = "a process is killed after a while")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use hashrange_scratch::{is_left_out, shared};
use serde_json::{Value, json};
use served::{Server, hashrange};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Returns a server on a folder.
fn on_folder(folder: &Path) -> Server {
    let mut command = hashrange(&["serve", "--port=0", "--log-format=json", "--data-dir"]);
    command.arg(folder);
    Server::start(command)
}

fn api(server: &Server, operation: &str, request: &Value) -> Value {
    serde_json::from_str(&server.ok(&["api", operation, &request.to_string()])).unwrap()
}

/// Returns exit code, standard output and standard error of a copy.
fn copied(from: &str, to: &str, flags: &[&str]) -> (i32, String, String) {
    let mut command = hashrange(&[&["copy"], flags].concat());
    command.env("HASHRANGE_COPY_FROM", from).env("HASHRANGE_COPY_TO", to);
    ended(command)
}

fn ended(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, said) = (text(output.stdout), text(output.stderr));
    assert!(!printed.contains("secret") && !said.contains("secret"), "{printed}{said}");
    (output.status.code().unwrap(), printed, said)
}

/// Copies what can be copied.
fn copy(from: &str, to: &str) {
    let (code, printed, said) = copied(from, to, &[]);
    assert_eq!((code, said.as_str()), (0, ""), "{printed}");
    assert!(
        printed.starts_with("copied and verified: ") && printed.contains(" MiB/s"),
        "{printed}"
    );
}

fn check(folder: &Path) {
    let mut command = hashrange(&["check"]);
    command.arg(folder);
    let (code, printed, said) = ended(command);
    assert!(code == 0 && printed.contains("0 problems"), "{printed}{said}");
}

/// Creates tables with everything that they can have and fills them.
fn fill(server: &Server) {
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let whole = json!({"ProjectionType": "ALL"});
    api(
        server,
        "CreateTable",
        &json!({
            "TableName": "orders",
            "AttributeDefinitions": [attribute("pk", "S"), attribute("sk", "S"), attribute("n", "N"),
                attribute("long", "S")],
            "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
            "LocalSecondaryIndexes": [{"IndexName": "by_n", "Projection": whole,
                "KeySchema": [key("pk", "HASH"), key("n", "RANGE")]}],
            "GlobalSecondaryIndexes": [{"IndexName": "by_long", "Projection": whole,
                "KeySchema": [key("sk", "HASH"), key("long", "RANGE")]}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Tags": [{"Key": "team", "Value": "a"}],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    let ttl = json!({"Enabled": true, "AttributeName": "ends"});
    let ttl = json!({"TableName": "orders", "TimeToLiveSpecification": ttl});
    api(server, "UpdateTimeToLive", &ttl);
    for nth in 0..20 {
        // Zero bytes double in the keys of indexes.
        let long = "\0".repeat(if nth == 7 { 1_000 } else { 1 });
        let pk = format!("{nth}{}", "k".repeat(if nth == 7 { 2_000 } else { 1 }));
        let sk = format!("{}s", "\0".repeat(if nth == 7 { 1_000 } else { 0 }));
        let body = "x".repeat(if nth == 8 { 390_000 } else { 10 });
        let item = json!({"pk": {"S": pk}, "sk": {"S": sk}, "n": {"N": nth.to_string()},
            "long": {"S": long}, "ends": {"N": "4102444800"}, "body": {"S": body}});
        // The large one is more than an argument may be.
        if nth == 8 {
            let items =
                format!("{{\"pk\":\"{pk}\",\"sk\":\"{sk}\",\"n\":8,\"body\":\"{body}\"}}\n");
            put(server, "orders", &items);
        } else {
            api(server, "PutItem", &json!({"TableName": "orders", "Item": item}));
        }
    }
    server.ok(&["create", "other", "id:N"]);
    put(server, "other", "{\"id\":1}\n{\"id\":-1.5e100}\n");
    server.ok(&["create", "gone", "id:N"]);
    server.ok(&["drop", "gone", "--yes"]);
}

/// Puts items, one in each line.
fn put(server: &Server, table: &str, items: &str) {
    let mut command = hashrange(&["put", table]);
    command.env("HASHRANGE_ENDPOINT", &server.endpoint).stdin(Stdio::piped());
    let mut process = command.stdout(Stdio::null()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(items.as_bytes()).unwrap();
    assert!(process.wait().unwrap().success());
}

fn token_request() -> Value {
    json!({"ClientRequestToken": "once", "TransactItems": [{"Put": {"TableName": "other",
        "Item": {"id": {"N": "2"}}, "ConditionExpression": "attribute_not_exists(id)"}}]})
}

/// Returns what a server answers to questions about all that `fill` has made.
fn answers(server: &Server) -> Vec<Value> {
    let orders = json!({"TableName": "orders"});
    let described = api(server, "DescribeTable", &orders);
    let of_item = |extra: Value| {
        let mut request = orders.clone();
        request.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        request
    };
    let arn = described["Table"]["TableArn"].clone();
    let stream = described["Table"]["LatestStreamArn"].clone();
    let query =
        of_item(json!({"IndexName": "by_n", "KeyConditionExpression": "pk = :p and n > :n",
        "ExpressionAttributeValues": {":p": {"S": "3k"}, ":n": {"N": "1"}}}));
    vec![
        described.clone(),
        api(server, "ListTables", &json!({})),
        api(server, "DescribeTable", &json!({"TableName": "other"})),
        api(server, "Scan", &orders),
        api(server, "Scan", &json!({"TableName": "other"})),
        api(server, "Scan", &of_item(json!({"IndexName": "by_long"}))),
        api(server, "Query", &query),
        api(server, "ListTagsOfResource", &json!({"ResourceArn": arn})),
        api(server, "DescribeTimeToLive", &orders),
        api(server, "DescribeStream", &json!({"StreamArn": stream})),
    ]
}

/// Returns the sequence numbers of the records of each shard after one of its records.
fn records(server: &Server, after: &[(String, String)]) -> Vec<(String, Vec<String>)> {
    let described = api(server, "DescribeTable", &json!({"TableName": "orders"}));
    let stream = &described["Table"]["LatestStreamArn"];
    let described = api(server, "DescribeStream", &json!({"StreamArn": stream}));
    let shards = described["StreamDescription"]["Shards"].as_array().unwrap().clone();
    let of_shard = |shard: &Value| {
        let id = shard["ShardId"].as_str().unwrap().to_owned();
        let mut request =
            json!({"StreamArn": stream, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"});
        if let Some((_, number)) = after.iter().find(|(shard, _)| *shard == id) {
            request["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
            request["SequenceNumber"] = json!(number);
        }
        let iterator = api(server, "GetShardIterator", &request)["ShardIterator"].clone();
        let answer = api(server, "GetRecords", &json!({"ShardIterator": iterator}));
        let records = answer["Records"].as_array().unwrap().iter();
        let number =
            |record: &Value| record["dynamodb"]["SequenceNumber"].as_str().unwrap().to_owned();
        (id, records.map(number).collect())
    };
    shards.iter().map(of_shard).collect()
}

/// Writes to every shard, and asserts that each record follows those that were read before; returns where to
/// read on.
fn write_on(server: &Server, seen: &[(String, String)], round: u32) -> Vec<(String, String)> {
    for nth in 0..40 {
        let item = json!({"pk": {"S": format!("new {round} {nth}")}, "sk": {"S": "s"}});
        api(server, "PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    let after = records(server, seen);
    for (shard, numbers) in &after {
        let (_, last) = seen.iter().find(|(id, _)| id == shard).unwrap();
        assert!(!numbers.is_empty() && numbers.is_sorted(), "{shard}: {numbers:?}");
        assert!(numbers[0] > *last, "{shard}: {numbers:?} after {last}");
    }
    assert_eq!(after.iter().map(|(_, numbers)| numbers.len()).sum::<usize>(), 40);
    after.into_iter().map(|(shard, numbers)| (shard, numbers.last().unwrap().clone())).collect()
}

#[test]
fn a_database_goes_to_postgres_and_back_and_clients_see_no_difference() {
    if is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [first, back, again] = ["first", "back", "again"].map(|name| folder.path().join(name));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let server = on_folder(&first);
    fill(&server);
    let answered = api(&server, "TransactWriteItems", &token_request());
    let all = records(&server, &[]);
    // Half of each shard was read before.
    let half: Vec<_> = all
        .iter()
        .filter(|(_, numbers)| numbers.len() > 1)
        .map(|(shard, numbers)| (shard.clone(), numbers[numbers.len() / 2 - 1].clone()))
        .collect();
    assert!(!half.is_empty());
    let (unread, before) = (records(&server, &half), answers(&server));
    assert_eq!(server.stop().0, Some(0));

    let url = shared().url();
    copy(&text(&first), &url);
    let server = Server::on(&url);
    assert_eq!(answers(&server), before);
    assert_eq!(records(&server, &half), unread);
    assert_eq!(
        api(&server, "TransactWriteItems", &token_request()),
        answered,
        "it was done before"
    );
    let last = |(shard, numbers): (String, Vec<String>)| (shard, numbers.last().unwrap().clone());
    let seen: Vec<_> = all.into_iter().map(last).collect();
    let seen = write_on(&server, &seen, 1);
    let (before, all) = (answers(&server), records(&server, &[]));
    assert_eq!(server.stop().0, Some(0));

    copy(&url, &text(&back));
    check(&back);
    let server = on_folder(&back);
    assert_eq!((answers(&server), records(&server, &[])), (before, all));
    assert_eq!(
        api(&server, "TransactWriteItems", &token_request()),
        answered,
        "it was done before"
    );
    let seen = write_on(&server, &seen, 2);
    let before = answers(&server);
    assert_eq!(server.stop().0, Some(0));

    copy(&text(&back), &text(&again));
    check(&again);
    let server = on_folder(&again);
    assert_eq!(answers(&server), before);
    write_on(&server, &seen, 3);
}

#[test]
fn what_cannot_be_copied_is_refused_in_a_sentence() {
    if is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (used, left) =
        (on_folder(&folder.path().join("used")), on_folder(&folder.path().join("left")));
    left.ok(&["create", "things", "id:S"]);
    drop(left);
    std::fs::create_dir(folder.path().join("foreign")).unwrap();
    std::fs::write(folder.path().join("foreign/file"), "").unwrap();
    let (url, empty) = (shared().url(), shared().url());
    let server = Server::on(&url);
    server.ok(&["create", "things", "id:S"]);
    let (left, fresh) = (path("left"), path("fresh"));
    let absent = "postgres://owner:secret@127.0.0.1:1/postgres";
    let cases: &[(&str, &str, i32, &str)] = &[
        ("", &fresh, 2, "copy needs --from or HASHRANGE_COPY_FROM"),
        (&left, "", 2, "copy needs --to or HASHRANGE_COPY_TO"),
        ("mysql://u:secret@h/x", &fresh, 2, "from: the URL of a database begins with postgres://"),
        (&left, "postgres://u:secret@h/x?lanes=0", 2, "lanes are 1 to 64"),
        (&path("absent"), &fresh, 1, "there is no database in "),
        (&path("foreign"), &fresh, 1, "there is no database in "),
        (absent, &fresh, 1, "127.0.0.1 cannot be reached"),
        (&empty, &fresh, 1, "there is no database of hashrange in schema "),
        (&left, absent, 1, "127.0.0.1 cannot be reached"),
        (&path("used"), &fresh, 1, "in use by another process"),
        (&left, &path("used"), 1, "in use by another process"),
        (&left, &left, 1, "in use by another process"),
        (&left, &path("foreign"), 1, "foreign"),
        (&url, &fresh, 1, "a server is at work on the source"),
        (&left, &url, 1, "a server is at work on the target"),
    ];
    for (from, to, expected_code, expected) in cases {
        let (code, printed, said) = copied(from, to, &[]);
        assert!(code == *expected_code && said.contains(expected), "{from} to {to}: {code} {said}");
        assert!(printed.is_empty() && said.lines().count() == 1, "{from} to {to}: {said}");
    }
    assert!(!folder.path().join("fresh").exists());
    drop(used);
    // Killed, so its row is still there: nobody changes it for ten seconds.
    drop(server);
    let (code, _, said) = copied(&left, &url, &[]);
    assert!(code == 1 && said.contains("the target holds a database already"), "{said}");
    let (code, _, said) = copied(&left, &path("used"), &["--restart"]);
    assert!(code == 1 && said.contains("begin again"), "of older stamps: {said}");
    copy(&left, &empty);
    let (code, _, said) = copied(&left, &empty, &["--restart"]);
    assert!(code == 1 && said.contains("the target holds a database already"), "{said}");
    copy(&url, &fresh);
    check(&folder.path().join("fresh"));
}

/// How a target is left by a copy that was killed.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    Unfinished,
    Finished,
}

/// Begins a copy and kills it after a time, if it has not ended.
fn killed(from: &str, to: &str, after: Duration) -> bool {
    let mut command = hashrange(&["copy", "--from", from, "--to", to]);
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(after);
    process.kill().unwrap();
    !process.wait().unwrap().success()
}

/// Returns what a copy has left, by what a copy of it says.
fn left_at(place: &str, items: usize) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let (code, _, said) = copied(place, copy.to_str().unwrap(), &[]);
    if said.contains("there is no database ") {
        return Left::Nothing;
    }
    if code != 0 {
        assert!(said.contains("the source is itself a copy that was not finished"), "{said}");
        return Left::Unfinished;
    }
    let server = on_folder(&copy);
    if server.ok(&["tables", "--output=json"]).is_empty() {
        return Left::Nothing;
    }
    let counted = server.ok(&["scan", "things", "--all", "--count"]);
    assert!(counted.contains(&items.to_string()), "{counted}");
    Left::Finished
}

#[test]
fn a_copy_that_is_killed_leaves_what_everybody_refuses_until_it_is_begun_again() {
    const ITEMS: usize = 6_000;
    if is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let source = path("source");
    let server = on_folder(Path::new(&source));
    server.ok(&["create", "things", "id:N", "--gsi", "by_b=b:S"]);
    let body = "x".repeat(900);
    let line =
        |nth: usize| format!("{{\"id\":{nth},\"b\":\"{}\",\"body\":\"{body}\"}}\n", nth % 100);
    put(&server, "things", &(0..ITEMS).map(line).collect::<String>());
    assert_eq!(server.stop().0, Some(0));
    for is_folder in [true, false] {
        let (mut seen, mut after) = (Vec::new(), Duration::from_millis(60));
        // After the one there was nothing yet, after the other the copy had ended.
        let (mut too_soon, mut too_late) = (Duration::ZERO, None);
        for round in 0.. {
            assert!(round < 40, "none is killed on its way, or ends: {seen:?}");
            let target = if is_folder { path(&format!("target {round}")) } else { shared().url() };
            let was_killed = killed(&source, &target, after);
            let left = left_at(&target, ITEMS);
            if left == Left::Unfinished {
                refused(&target, is_folder);
                let (code, _, said) = copied(&source, &target, &[]);
                assert!(code == 1 && said.contains("--restart empties it"), "{said}");
                if !seen.contains(&Left::Unfinished) {
                    let (code, printed, said) = copied(&source, &target, &["--restart"]);
                    assert!(
                        code == 0 && printed.starts_with("copied and verified"),
                        "{printed}{said}"
                    );
                    assert_eq!(left_at(&target, ITEMS), Left::Finished);
                }
            }
            assert!(was_killed || left == Left::Finished);
            match left {
                Left::Nothing => too_soon = after,
                Left::Unfinished => {}
                Left::Finished => too_late = Some(after),
            }
            seen.push(left);
            if !was_killed && seen.contains(&Left::Unfinished) {
                break;
            }
            after = match too_late {
                Some(too_late) if !seen.contains(&Left::Unfinished) => (too_soon + too_late) / 2,
                _ => after * 8 / 5,
            };
        }
    }
}

/// Asserts that nobody opens an unfinished copy.
fn refused(target: &str, is_folder: bool) {
    let mut serve = hashrange(&["serve", "--port=0"]);
    serve.env(if is_folder { "HASHRANGE_DATA_DIR" } else { "HASHRANGE_STORE" }, target);
    let mut commands = vec![serve];
    if is_folder {
        commands.push(hashrange(&["check", target]));
        commands.push(hashrange(&["tables", "--data-dir", target]));
    }
    for command in commands {
        let (code, printed, said) = ended(command);
        let expected =
            "it is a copy that was not finished: run `hashrange copy` again with --restart";
        assert!(code == 1 && said.contains(expected), "{printed}{said}");
    }
}
