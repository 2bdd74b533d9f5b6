//! Who writes tests: `docs/testing.md`, and `docs/coming-from-dynamodb-local.md`.

use super::answers::SCANNED;
use super::compared::{Compared, fences};
use super::scratch::{Scratch, ended};
use super::server::Server;
use super::tried::{
    self, Case,
    Tried::{Fails, Serves},
};
use std::fmt::Write;

/// What the reader's `template.yaml` may have.
const TEMPLATE: &str = "Resources:
  Sessions:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: sessions
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: id, AttributeType: S }
      KeySchema:
        - { AttributeName: id, KeyType: HASH }
      TimeToLiveSpecification:
        AttributeName: expires
        Enabled: true
";

/// A place with the files that the page speaks of.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("template.yaml", TEMPLATE);
    // It expires before the time to which the page sets the clock, 2030-01-31.
    let first = "{\"id\": \"first\", \"expires\": 1893456000}\n";
    scratch.write("fixtures/sessions.jsonl", first);
    scratch
}

/// Returns the server of the page's first command, which the others talk to.
fn server(scratch: &mut Scratch, page: &str) -> Server {
    let fences = fences(page, "sh", "A server with your tables");
    let server = scratch.serve(fences[0].body);
    scratch.use_server(&server);
    server
}

#[test]
fn states_and_the_clock_in_the_order_of_the_page() {
    let page = Compared::read("docs/testing.md").written;
    let mut scratch = prepared();
    let server = server(&mut scratch, &page);
    assert!(scratch.run("hashrange scan sessions").printed("scan").contains("1 item"));
    for fence in fences(&page, "sh", "Between tests") {
        // One of them is for curl.
        if fence.body.starts_with("curl ") && !scratch.has("curl") {
            continue;
        }
        let here = fence.body.replace(":8000", &format!(":{}", server.port));
        let printed = scratch.sh(&here).printed(&here);
        if fence.body.contains("state list") {
            let expected = "back to the state after the start\nsaved as seeded\nrestored seeded\n\
                            everything is deleted\nseeded\ndeleted seeded\n";
            assert_eq!(printed, expected);
            assert!(!scratch.run("hashrange tables").printed("tables").contains("sessions"));
        }
    }
    // What curl does stands last: the tables of the start are there again.
    scratch.run("hashrange state reset").printed("reset");
    assert!(scratch.run("hashrange scan sessions").printed("scan").contains("1 item"));
    let clock = fences(&page, "sh", "The clock");
    let printed = scratch.sh(clock[0].body).printed(clock[0].body);
    assert_eq!(printed.lines().nth(2), Some("2030-01-31T08:00:00.000Z, stopped"));
    assert_eq!(printed.lines().filter(|line| line.ends_with("stopped")).count(), 1);
}

#[test]
fn the_snippets_for_python_run() {
    let page = Compared::read("docs/testing.md").written;
    let mut scratch = prepared();
    // They are left out where the packages that they import are not installed.
    if !scratch.has("python3") {
        return;
    }
    let server = server(&mut scratch, &page);
    let mut tests = fences(&page, "python", "Between tests")[0].body.to_owned();
    tests.push_str(
        "import boto3\n\n@pytest.fixture\ndef sessions():\n    dynamodb = boto3.resource(\n",
    );
    tests.push_str("        'dynamodb', endpoint_url=ENDPOINT, region_name='us-east-1',\n");
    tests.push_str("        aws_access_key_id='any', aws_secret_access_key='any')\n");
    tests.push_str("    return dynamodb.Table('sessions')\n\n");
    tests.push_str(fences(&page, "python", "The clock")[0].body);
    let parallel = fences(&page, "python", "Parallel tests")[0].body;
    write!(tests, "\ndef test_parallel():\n    client = {}", parallel.trim_end()).unwrap();
    tests.push_str("\n    assert client.list_tables()['TableNames'] == ['sessions']\n");
    scratch.write("test_page.py", &tests);
    let pytest = "python3 -m pytest -q -p no:cacheprovider test_page.py";
    let passed = scratch.sh(pytest).printed(pytest);
    assert!(passed.contains("2 passed"), "{passed}");
    drop(server);
}

#[test]
fn the_snippet_for_javascript_runs() {
    let page = Compared::read("docs/testing.md").written;
    let mut scratch = prepared();
    // It is left out where no Node.js is installed.
    if !scratch.has("node") {
        return;
    }
    let _server = server(&mut scratch, &page);
    scratch.run("hashrange delete sessions first").printed("delete");
    let mut tests = "import { beforeEach, test } from 'node:test'\n".to_owned();
    tests.push_str(fences(&page, "js", "Between tests")[0].body);
    tests.push_str("test('the clock answers', () => hashrange('DescribeClock'))\n");
    scratch.write("page.test.mjs", &tests);
    let node = "node --test page.test.mjs";
    scratch.sh(node).printed(node);
    let there = scratch.run("hashrange scan sessions").printed("scan");
    assert!(there.contains("1 item,"), "the snippet resets: {there}");
    // Where each key has tables of its own, those of requests without a signature stay as they are.
    let server = scratch.serve(fences(&page, "sh", "Parallel tests")[0].body);
    scratch.use_server(&server);
    scratch.run("hashrange put sessions '{id: \"mine\"}'").printed("put");
    scratch.sh(node).printed(node);
    assert!(scratch.run("hashrange scan sessions").printed("scan").contains("1 item,"));
}

#[test]
fn each_access_key_has_tables_of_its_own() {
    let page = Compared::read("docs/testing.md").written;
    let mut scratch = prepared();
    let server = scratch.serve(fences(&page, "sh", "Parallel tests")[0].body);
    scratch.use_server(&server);
    let run_as = |key: &str, line: &str| {
        let mut command = scratch.hashrange(line);
        command.env("AWS_ACCESS_KEY_ID", key).env("AWS_SECRET_ACCESS_KEY", "any");
        ended(command, "").printed(line)
    };
    run_as("gw0", "hashrange put sessions '{id: \"mine\"}'");
    assert!(run_as("gw0", "hashrange scan sessions").contains("1 item,"));
    assert!(run_as("gw1", "hashrange scan sessions").contains("0 items,"));
    run_as("gw0", "hashrange state reset");
    assert!(run_as("gw0", "hashrange scan sessions").contains("0 items,"));
}

#[test]
fn the_operations_for_tests_are_refused_where_they_are_off() {
    for off in ["hashrange serve --memory --test-api=false", "hashrange serve --data-dir data"] {
        let mut scratch = Scratch::new();
        let server = scratch.serve(off);
        scratch.use_server(&server);
        let refused = scratch.run("hashrange state reset");
        assert_eq!(refused.code, 3, "{}", refused.stderr);
        assert!(refused.stderr.contains("started without --test-api"), "{}", refused.stderr);
    }
}

const LOCAL: &[Case] = &[
    ("hashrange serve --memory", Serves("hashrange serve --memory")),
    ("hashrange serve --data-dir DIR", Serves("hashrange serve --data-dir shop")),
    ("--port N", Fails("hashrange serve --memory --port eight", 2, "eight")),
    ("hashrange serve --namespaces", Serves("hashrange serve --memory --namespaces")),
    (
        "--allow-origin ORIGIN",
        Serves("hashrange serve --memory --allow-origin https://app.example"),
    ),
    ("--profile aws", Serves("hashrange serve --memory --profile aws")),
    ("--table-delay-ms", Serves("hashrange serve --memory --profile aws --table-delay-ms 10")),
    ("--host 0.0.0.0 --insecure", Serves("hashrange serve --memory --host 0.0.0.0 --insecure")),
    (
        "hashrange serve --init orders.json --load items",
        Serves("hashrange serve --memory --init orders.json --load items"),
    ),
    ("--profile hostile", Serves("hashrange serve --memory --profile hostile")),
    ("--credentials", Serves("hashrange serve --memory --credentials keys")),
    ("--stream-shards 1", Serves("hashrange serve --memory --stream-shards 1")),
];

#[test]
fn every_flag_that_replaces_one_of_dynamodb_local_works() {
    let page = Compared::read("docs/coming-from-dynamodb-local.md").written;
    let mut scratch = Scratch::new();
    scratch.write("keys", "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = secret\n");
    scratch.write("items/orders.json", SCANNED);
    let server = scratch.serve("hashrange serve --memory");
    scratch.use_server(&server);
    let prepare = "hashrange create orders pk:S
        hashrange api DescribeTable '{\"TableName\": \"orders\"}' > orders.json";
    scratch.sh(prepare).printed(prepare);
    tried::all(&scratch, &page, LOCAL);
}
