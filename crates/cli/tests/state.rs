//! State for tests, end to end: what a server begins with, saves, the clock, namespaces.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange_testkit::process::bare;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

const TEMPLATE: &str = "
Parameters:
  Stage: {Type: String, Default: dev}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub 'orders-${Stage}'
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      ContributorInsightsSpecification: {Enabled: true, Mode: THROTTLED_KEYS}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
";
const REQUEST: &str = r#"{"TableName":"cities","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"country","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"country","KeyType":"HASH"}]}"#;
const MODEL: &str = r#"{"ModelName":"m","DataModel":[{"TableName":"songs","BillingMode":"PAY_PER_REQUEST",
    "KeyAttributes":{"PartitionKey":{"AttributeName":"artist","AttributeType":"S"}},
    "TableData":[{"artist":{"S":"Nina Simone"},"year":{"N":"1965"}}]}]}"#;

/// Returns the binary with nothing of this environment in its settings.
fn hashrange() -> Command {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server on a free port.
struct Server {
    process: Child,
    log: BufReader<ChildStderr>,
    endpoint: String,
    /// The log up to where it was ready.
    started: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut command = hashrange();
        command.args(["serve", "--port=0", "--log-format=json"]).args(arguments);
        let mut process = command.spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut started = String::new();
        while !started.contains("\"endpoint\"") {
            assert!(log.read_line(&mut started).unwrap() > 0, "the server ended: {started}");
        }
        let (_, rest) = started.split_once("\"endpoint\":\"").unwrap();
        let endpoint = rest.split('"').next().unwrap().to_owned();
        Self { process, log, endpoint, started }
    }

    /// Runs a command as an access key in a region; returns its code and what it printed.
    fn run_as(&self, key: &str, region: &str, arguments: &[&str]) -> (i32, String) {
        let mut command = hashrange();
        command.env("HASHRANGE_ENDPOINT", &self.endpoint).env("AWS_REGION", region);
        command.env("AWS_ACCESS_KEY_ID", key).env("AWS_SECRET_ACCESS_KEY", "x");
        finish(command.args(arguments))
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        self.run_as("local", "us-east-1", arguments)
    }

    /// Runs a command that must succeed.
    fn does(&self, arguments: &[&str]) -> String {
        let (code, printed) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {printed}");
        printed
    }

    /// Returns the plain items of a table, a line each.
    fn items(&self, table: &str) -> Vec<String> {
        let printed = self.does(&["scan", table, "--all", "-o", "json"]);
        let mut items: Vec<_> = printed.lines().map(str::to_owned).collect();
        items.sort();
        items
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends it if a test has not.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Runs a command to its end; returns its code and all that it printed.
fn finish(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout) + &text(output.stderr))
}

/// Writes files and returns their paths.
fn files<const N: usize>(folder: &Path, files: [(&str, &str); N]) -> [String; N] {
    files.map(|(name, text)| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn a_server_begins_with_the_tables_and_items_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let [template, request, model] = files(
        folder.path(),
        [("app.yaml", TEMPLATE), ("cities.json", REQUEST), ("model.json", MODEL)],
    );
    let data = tempfile::tempdir().unwrap();
    files(
        data.path(),
        [
            ("cities.csv", "country,capital,population:N\nNL,Amsterdam,933680\nBE,Brussels,\n"),
            ("orders-dev.jsonl", "{\"pk\":\"a\",\"n\":1}\n{\"pk\":{\"S\":\"b\"}}\n"),
        ],
    );
    let load = data.path().to_str().unwrap();
    let store = tempfile::tempdir().unwrap();
    let on_disk = format!("--data-dir={}", store.path().join("d").display());
    let init = [&template, &request, &model].map(|path| format!("--init={path}"));
    for place in ["--memory", &on_disk] {
        let [one, two, three] = init.each_ref().map(String::as_str);
        let server = Server::start(&[place, one, two, three, "--load", load]);
        let not_taken = "not taken from ";
        assert!(server.started.contains(not_taken), "{}", server.started);
        assert!(server.started.contains("PointInTimeRecoverySpecification"), "{}", server.started);
        assert_eq!(server.does(&["tables"]), "cities\norders-dev\nsongs\n");
        assert_eq!(
            server.items("cities"),
            [
                r#"{"capital":"Amsterdam","country":"NL","population":933680}"#,
                r#"{"capital":"Brussels","country":"BE"}"#
            ]
        );
        assert_eq!(server.items("orders-dev"), [r#"{"n":1,"pk":"a"}"#, r#"{"pk":"b"}"#]);
        assert_eq!(server.items("songs"), [r#"{"artist":"Nina Simone","year":1965}"#]);
        let ttl = server.does(&["api", "DescribeTimeToLive", r#"{"TableName":"orders-dev"}"#]);
        assert!(ttl.contains("\"ENABLED\""), "{ttl}");
        let insights = ["api", "DescribeContributorInsights", r#"{"TableName":"orders-dev"}"#];
        let insights = server.does(&insights);
        assert!(
            insights.contains("\"ENABLED\"") && insights.contains("\"THROTTLED_KEYS\""),
            "{insights}"
        );
        server.does(&["delete", "cities", "BE"]);
    }
    let prod = Server::start(&["--memory", init[0].as_str(), "--parameter", "Stage=prod"]);
    assert_eq!(prod.does(&["tables"]), "orders-prod\n");
    // Tables that are there are left as they are, and so are their items.
    let [one, two, _] = init.each_ref().map(String::as_str);
    let server = Server::start(&[&on_disk, one, two, "--load", load]);
    assert_eq!(server.items("cities").len(), 1);
    drop(server);
    let other = REQUEST
        .replace("\"country\",\"AttributeType\":\"S\"", "\"country\",\"AttributeType\":\"N\"");
    let [changed] = files(folder.path(), [("changed.json", &other)]);
    let (code, printed) =
        finish(hashrange().args(["serve", "--port=0", &on_disk, "--init", &changed]));
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("the table cities: it is there already"), "{printed}");
    assert!(printed.contains("AttributeDefinitions is"), "{printed}");
}

#[test]
fn a_file_that_cannot_be_used_ends_the_start_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let items = folder.path().join("items");
    fs::create_dir(&items).unwrap();
    files(&items, [("cities.jsonl", "{\"country\":\"NL\"}\n{\"x\":1}\n")]);
    let items = items.to_str().unwrap();
    let no_default = TEMPLATE.replace(", Default: dev", "");
    let [request, none, broken, template] = files(
        folder.path(),
        [
            ("cities.json", REQUEST),
            ("none.json", "{}"),
            ("broken.yaml", "a: ["),
            ("app.yaml", &no_default),
        ],
    );
    for (arguments, expected) in [
        (vec!["--init", "/nowhere.json"], "/nowhere.json: "),
        (vec!["--init", &none], "none.json: neither a request of CreateTable"),
        (vec!["--init", &broken], "broken.yaml: "),
        (vec!["--init", &request, "--init", &request], "the table cities is also in "),
        (vec!["--load", items], "there is no table cities: --init creates tables"),
        (vec!["--load", "/nowhere"], "/nowhere: "),
        (
            vec!["--init", &template],
            "app.yaml: the resource Orders: Fn::Sub: the parameter Stage has no default: --parameter Stage=VALUE",
        ),
        (
            vec!["--init", &template, "--parameter=Stgae=dev"],
            "has such a parameter; there is Stage",
        ),
        (
            vec!["--init", &template, "--parameter=Stage={{resolve:ssm:/stage}}"],
            "TableName: `orders-{{resolve:ssm:/stage}}` is looked up when a stack is deployed",
        ),
        (
            vec!["--init", &request, "--load", items],
            "cities.jsonl: nothing is loaded: line 2: ValidationException: One or more parameter values \
             were invalid: Missing the key country in the item",
        ),
    ] {
        let (code, printed) =
            finish(hashrange().args(["serve", "--port=0", "--memory"]).args(&arguments));
        assert_eq!(code, 1, "{arguments:?}: {printed}");
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
    }
}

#[test]
fn a_load_that_fails_leaves_the_table_empty_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let items = folder.path().join("items");
    fs::create_dir(&items).unwrap();
    let lines: Vec<_> = (0..60).map(|nth| format!("{{\"country\":\"c{nth}\"}}")).collect();
    let [request] = files(folder.path(), [("cities.json", REQUEST)]);
    let place = format!("--data-dir={}", folder.path().join("d").display());
    let arguments = [&place, "--init", &request, "--load", items.to_str().unwrap()];
    // A key that only the engine refuses, behind two whole batches.
    files(&items, [("cities.jsonl", &format!("{}\n{{\"country\":\"\"}}", lines.join("\n")))]);
    let (code, printed) = finish(hashrange().args(["serve", "--port=0"]).args(arguments));
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("nothing is loaded: line 61: ValidationException"), "{printed}");
    files(&items, [("cities.jsonl", &lines.join("\n"))]);
    let server = Server::start(&arguments);
    assert_eq!(server.items("cities").len(), 60);
}

#[test]
fn tables_of_the_start_are_in_use_at_once_under_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let [request, cities] =
        files(folder.path(), [("table.json", REQUEST), ("cities.jsonl", "{\"country\":\"NL\"}")]);
    let on_disk = format!("--data-dir={}", folder.path().join("d").display());
    for place in ["--memory", &on_disk] {
        let beginning = ["--init", &request, "--load", &cities];
        let server = Server::start(
            &[&[place, "--test-api", "--profile=aws", "--sample=audits"], &beginning[..]].concat(),
        );
        assert_eq!(server.items("cities").len(), 1);
        assert_eq!(server.items("equipment").len(), 19);
        let created = server.does(&["api", "CreateTable", &REQUEST.replace("cities", "later")]);
        assert!(created.contains("\"CREATING\""), "{created}");
        server.does(&["clock", "--advance", "10m"]);
        let described = server.does(&["api", "DescribeTable", r#"{"TableName":"later"}"#]);
        assert!(described.contains("\"ACTIVE\""), "{described}");
    }
}

#[test]
fn a_state_is_saved_restored_and_reset() {
    let folder = tempfile::tempdir().unwrap();
    let [request] = files(folder.path(), [("cities.json", REQUEST)]);
    let server = Server::start(&["--memory", "--init", &request]);
    server.does(&["put", "cities", r#"{"country":"NL"}"#]);
    assert_eq!(server.does(&["state", "save", "one"]), "saved as one\n");
    server.does(&["put", "cities", r#"{"country":"BE"}"#]);
    assert_eq!(server.does(&["state", "restore", "one"]), "restored one\n");
    assert_eq!(server.items("cities"), [r#"{"country":"NL"}"#]);
    assert_eq!(server.does(&["state", "reset"]), "back to the state after the start\n");
    assert!(server.items("cities").is_empty());
    assert_eq!(server.does(&["state", "reset", "--empty"]), "everything is deleted\n");
    assert_eq!(server.does(&["tables"]), "");
    assert_eq!(server.does(&["state", "list"]), "one\n");
    assert_eq!(server.does(&["state", "delete", "one"]), "deleted one\n");
    let (code, printed) = server.run(&["state", "restore", "one"]);
    assert_eq!(code, 3);
    assert!(printed.contains("There is no save named one: nothing has been saved"), "{printed}");
    for (arguments, expected) in [
        (&["state", "delete"][..], "delete needs the name of a save"),
        (&["state", "list", "x"], "list takes no name"),
        (&["state", "save", "--empty"], "--empty goes with reset only"),
        (&["state", "reset", "x"], "restore NAME"),
    ] {
        let (code, printed) = server.run(arguments);
        assert!(code == 2 && printed.contains(expected), "{code} {printed}");
    }
}

#[test]
fn what_has_expired_by_the_clock_is_gone_when_it_has_been_moved() {
    let folder = tempfile::tempdir().unwrap();
    let [template] = files(folder.path(), [("app.yaml", TEMPLATE)]);
    // The timer alone would not come in time.
    let server = Server::start(&["--memory", "--init", &template, "--sweep-interval=24h"]);
    let set = server.does(&["clock", "--set", "2030-01-01T00:00:00Z", "--stop"]);
    assert_eq!(set, "2030-01-01T00:00:00.000Z, stopped\n");
    server.does(&["put", "orders-dev", r#"{"pk":"a","expires":1893456060}"#]);
    server.does(&["put", "orders-dev", r#"{"pk":"b","expires":1893459600}"#]);
    assert_eq!(server.does(&["clock", "--advance", "59s"]), "2030-01-01T00:00:59.000Z, stopped\n");
    assert_eq!(server.items("orders-dev").len(), 2);
    server.does(&["clock", "--advance", "2s"]);
    assert_eq!(server.items("orders-dev"), [r#"{"expires":1893459600,"pk":"b"}"#]);
    server.does(&["clock", "--advance", "1h"]);
    assert!(server.items("orders-dev").is_empty());
    let (code, printed) = server.run(&["clock", "--set", "1969"]);
    assert_eq!(code, 0, "seconds: {printed}");
    let (code, printed) = server.run(&["clock", "--set", "yesterday"]);
    assert!(code == 3 && printed.contains("The clock is set to seconds since 1970"), "{printed}");
    assert!(server.does(&["clock", "--set", "system", "--go-on"]).ends_with("Z\n"));
}

#[test]
fn a_folder_has_no_saves_and_no_server_has_them_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("--data-dir={}", folder.path().join("d").display());
    let server = Server::start(&[&place]);
    let (code, printed) = server.run(&["state", "reset"]);
    assert!(code == 3 && printed.contains("was started without --test-api"), "{code} {printed}");
    drop(server);
    let server = Server::start(&[&place, "--test-api"]);
    let (code, printed) = server.run(&["state", "reset"]);
    assert!(code == 3 && printed.contains("Reset needs a database in memory"), "{code} {printed}");
    server.does(&["clock", "--advance", "1h"]);
    drop(server);
    let server = Server::start(&["--memory", "--test-api=false"]);
    assert_eq!(server.run(&["clock"]).0, 3);
}

#[test]
fn each_access_key_and_region_has_its_own_tables() {
    let folder = tempfile::tempdir().unwrap();
    let [request] = files(folder.path(), [("cities.json", REQUEST)]);
    let on_disk = format!("--data-dir={}", folder.path().join("d").display());
    for place in ["--memory", &on_disk] {
        let mut server = Server::start(&[place, "--namespaces", "--init", &request]);
        let put = ["put", "cities", r#"{"country":"NL"}"#];
        let put = server.run_as("one", "eu-west-1", &put);
        assert_eq!(put, (0, "1 item into cities, 1 write unit\n".to_owned()));
        let count = ["scan", "cities", "--count"];
        for (key, region, expected) in
            [("one", "eu-west-1", "1"), ("one", "eu-west-2", "0"), ("two", "eu-west-1", "0")]
        {
            let (code, printed) = server.run_as(key, region, &count);
            assert!(code == 0 && printed.starts_with(expected), "{key} {region}: {printed}");
        }
        if place == "--memory" {
            assert_eq!(server.run_as("one", "eu-west-1", &["state", "reset"]).0, 0);
            assert!(server.run_as("one", "eu-west-1", &count).1.starts_with('0'));
        }
        let (code, printed) = server.run_as("a.b", "eu-west-1", &count);
        assert!(code == 3 && printed.contains("letters, digits and _ -"), "{printed}");
        #[cfg(unix)]
        {
            let pid = server.process.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
            assert_eq!(server.process.wait().unwrap().code(), Some(0));
            let mut log = String::new();
            server.log.read_to_string(&mut log).unwrap();
            assert!(log.contains("stopped"), "{log}");
        }
    }
    let server = Server::start(&[&on_disk, "--namespaces"]);
    let (_, printed) = server.run_as("one", "eu-west-1", &["scan", "cities", "--count"]);
    assert!(printed.starts_with('1'), "{printed}");
}
