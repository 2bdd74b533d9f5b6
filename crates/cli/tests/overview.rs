//! `hashrange server` and `hashrange sample` against servers, and the own operations behind them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use serde_json::{Value, json};
use served::{Server, hashrange, until};
use std::process::Output;

fn serve(more: &[&str]) -> Server {
    let usual = ["serve", "--memory", "--port=0", "--log-format=json"];
    Server::start(hashrange(&[&usual, more].concat()))
}

/// Returns what a command prints as JSON.
fn printed(server: &Server, arguments: &[&str]) -> Value {
    serde_json::from_str(&server.ok(&[arguments, &["-o", "json"]].concat())).unwrap()
}

/// Runs a command whose requests show an access key.
fn with_key(server: &Server, key: &str, arguments: &[&str]) -> Output {
    let mut command = hashrange(arguments);
    command.env("HASHRANGE_ENDPOINT", &server.endpoint);
    command.env("AWS_ACCESS_KEY_ID", key).env("AWS_SECRET_ACCESS_KEY", "secret");
    command.output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_server_tells_what_it_is() {
    let server = serve(&["--banner", "production", "--region", "eu-west-1"]);
    server.ok(&["create", "things", "pk:S"]);
    let told = printed(&server, &["server"]);
    let this = &told["Server"];
    for (member, expected) in [
        ("Banner", json!("production")),
        ("Region", json!("eu-west-1")),
        ("Store", json!("memory")),
        ("Credentials", json!("any")),
        ("Namespaces", json!(false)),
        ("TakesWrites", json!(true)),
        ("Version", json!(env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(this[member], expected, "{member}");
    }
    for absent in ["Folder", "Profile", "WhyNoWrites"] {
        assert!(this.get(absent).is_none(), "{absent}");
    }
    let port = server.endpoint.rsplit(':').next().unwrap();
    assert!(this["Name"].as_str().unwrap().ends_with(port), "{this}");
    assert!(this["StartedAtMs"].as_u64() <= this["NowMs"].as_u64());
    assert!(told["Now"]["Connections"].as_u64() > Some(0));
    assert_eq!(told["Now"]["Panics"], 0);
    assert!(told["Now"].get("DiskBytes").is_none(), "in memory: {told}");
    assert_eq!((&told["Points"], &told["Jobs"]), (&json!([]), &json!([])));
    let shown = server.ok(&["server"]);
    for expected in ["production\n", ", memory, eu-west-1\n", "takes writes\n", "no jobs\n"] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
}

#[test]
fn a_server_on_a_folder_tells_of_its_disk() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let usual = ["serve", "--port=0", "--log-format=json", "--data-dir", data];
    let server = Server::start(hashrange(&usual));
    let told = printed(&server, &["server"]);
    assert_eq!(
        (&told["Server"]["Store"], &told["Server"]["Folder"]),
        (&json!("embedded"), &json!(data))
    );
    for member in ["DiskBytes", "DiskFreeBytes", "MemoryOfCachesBytes", "CacheReads"] {
        assert!(told["Now"][member].is_u64(), "{member}: {}", told["Now"]);
    }
}

#[test]
fn a_server_that_has_moved_its_data_names_its_old_folder_no_longer() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (old, new) = (path("old"), path("new"));
    let created = hashrange(&["create", "things", "pk:S", "--data-dir", &old]).output().unwrap();
    assert!(created.status.success());
    let usual = ["serve", "--port=0", "--log-format=json", "--data-dir", &old, "--move-to", &new];
    let server = Server::start(hashrange(&usual));
    until("the end of the move", || printed(&server, &["server"])["Jobs"] == json!([]));
    let told = printed(&server, &["server"]);
    assert_eq!(told["Server"]["Store"], "embedded");
    assert!(told["Server"].get("Folder").is_none(), "{told}");
    assert_eq!(server.ok(&["tables"]), "things\n");
}

#[test]
fn a_sample_is_loaded_once_and_never_into_a_table_of_somebody_else() {
    let server = serve(&[]);
    let listed = server.ok(&["sample", "list"]);
    assert!(listed.contains("shop-orders") && listed.contains("20,000"), "{listed}");
    assert_eq!(server.ok(&["sample", "load", "shop"]), "20,000 items in shop-orders\n");
    let counted = server.ok(&["scan", "shop-orders", "--count"]);
    assert!(counted.starts_with("20000 items"), "{counted}");
    assert_eq!(server.metric("hashrange_table_items{table=\"shop-orders\"}"), 20_000);
    server.ok(&["create", "orders", "pk:S"]);
    for (name, expected) in [
        ("shop", "There is a table shop-orders already: delete it"),
        ("orders", "There is a table orders already: delete it"),
        ("none", "There is no sample named none, only world, shop, devices"),
    ] {
        let output = with_key(&server, "key", &["sample", "load", name]);
        assert_eq!(output.status.code(), Some(3), "{name}");
        let complaint = text(output.stderr);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn a_sample_is_loaded_into_the_namespace_of_its_caller() {
    let server = serve(&["--namespaces"]);
    let loaded = with_key(&server, "one", &["sample", "load", "chat"]);
    assert_eq!(text(loaded.stdout), "120 items in chat\n", "{}", text(loaded.stderr));
    assert_eq!(text(with_key(&server, "one", &["tables"]).stdout), "chat\n");
    assert_eq!(text(with_key(&server, "two", &["tables"]).stdout), "");
    let told = with_key(&server, "two", &["server", "-o", "json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["Server"]["Namespaces"], true);
    assert_eq!(told["Jobs"], json!([]));
}

#[test]
fn a_sample_is_loaded_where_tables_are_delayed_and_into_a_folder_without_a_server() {
    let server = serve(&["--profile", "aws", "--table-delay-ms", "300"]);
    assert_eq!(server.ok(&["sample", "load", "chat"]), "120 items in chat\n");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let loaded = hashrange(&["sample", "load", "audits", "--data-dir", data.to_str().unwrap()]);
    let output = { loaded }.output().unwrap();
    assert_eq!(text(output.stdout), "19 items in equipment\n", "{}", text(output.stderr));
}

#[test]
fn a_banner_is_bounded() {
    let long = "x".repeat(201);
    let output = hashrange(&["serve", "--memory", "--port=0", "--banner", &long]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(output.stderr).contains("banner has at most 200 characters"));
}
