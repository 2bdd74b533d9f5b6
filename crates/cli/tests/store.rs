//! `hashrange serve --store`: servers on one PostgreSQL, what does not go with it, and what is said when
//! the database cannot be had. No password is ever printed.

#![cfg(feature = "postgres")]
#![expect(
    clippy::disallowed_methods,
    reason = "variables of whoever runs the tests are kept from the commands"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange_scratch::{is_left_out, server, shared};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

/// Returns the binary with nothing of this environment in its settings.
fn hashrange(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashrange"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("HASHRANGE_") || name.starts_with("AWS_") {
            command.env_remove(&*name);
        }
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A server on a free port.
struct Server {
    process: Child,
    log: BufReader<ChildStderr>,
    ready: String,
    endpoint: String,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let (mut ready, mut before) = (String::new(), String::new());
        while !ready.contains("\"endpoint\"") {
            before.push_str(&ready);
            ready.clear();
            assert!(log.read_line(&mut ready).unwrap() > 0, "the server ended: {before}");
        }
        let (_, rest) = ready.split_once("\"endpoint\":\"").unwrap();
        let endpoint = rest.split('"').next().unwrap().to_owned();
        Self { process, log, ready, endpoint }
    }

    /// Starts a server on the database of a URL, which no other process sees.
    fn on(url: &str) -> Self {
        let mut command = hashrange(&["serve", "--port=0", "--log-format=json"]);
        command.env("HASHRANGE_STORE", url);
        Self::start(command)
    }

    /// Runs a command that succeeds, and returns what it prints.
    fn ok(&self, arguments: &[&str]) -> String {
        let mut command = hashrange(arguments);
        let output = command.env("HASHRANGE_ENDPOINT", &self.endpoint).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(output.stderr));
        text(output.stdout)
    }

    /// Ends the server as a stop of the service does; returns its exit code and the rest of its log.
    fn stop(mut self) -> (Option<i32>, String) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (self.process.wait().unwrap().code(), log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends it if a test has not.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Returns exit code and standard error of a server that does not start.
fn refused(mut command: Command) -> (i32, String) {
    let output = command.output().unwrap();
    assert!(output.stdout.is_empty(), "{command:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("secret"), "{said}");
    assert_eq!(said.lines().count(), 1, "one sentence: {said}");
    (output.status.code().unwrap(), said)
}

#[test]
fn two_servers_share_one_database_and_a_third_finds_it_again() {
    if is_left_out() {
        return;
    }
    let url = shared().url();
    let first = Server::on(&url);
    let second = Server::start(hashrange(&[
        "serve",
        "--port=0",
        "--log-format=json",
        &format!("--store={url}"),
    ]));
    let schema = url.split_once("schema=").unwrap().1;
    let place = format!(
        "\"store\":\"PostgreSQL at 127.0.0.1:{}, database postgres, schema {schema}\"",
        shared().port()
    );
    for server in [&first, &second] {
        assert!(server.ready.contains(&place), "{} has no {place}", server.ready);
    }
    first.ok(&["create", "orders", "pk:S", "sk:N", "--gsi", "by_n=n:N"]);
    second.ok(&[
        "api",
        "PutItem",
        r#"{"TableName":"orders","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"n":{"N":"7"}}}"#,
    ]);
    let item = "{\"n\":7,\"pk\":\"a\",\"sk\":1}\n";
    for server in [&first, &second] {
        assert_eq!(server.ok(&["get", "orders", "a", "1", "--output=json"]), item);
        let by_index = ["query", "orders", "n = 7", "--index=by_n", "--output=json"];
        assert_eq!(server.ok(&by_index), item);
        assert_eq!(server.ok(&["health", "--ready"]), "ready\n");
    }
    second.ok(&["drop", "orders", "--yes"]);
    assert_eq!(first.ok(&["tables", "--output=json"]), "");
    first.ok(&["create", "left", "id:S"]);
    for server in [first, second] {
        let (code, log) = server.stop();
        assert_eq!(code, Some(0), "{log}");
        assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
    }
    assert_eq!(Server::on(&url).ok(&["tables"]), "left\n");
}

#[test]
fn what_a_shared_database_cannot_have_is_refused() {
    const URL: &str = "--store=postgres://u:secret@127.0.0.1:1/x";
    let in_use = "other servers may be serving this one";
    let cases: &[(&[&str], &str)] = &[
        (&["serve", URL, "--memory"], "memory and store exclude each other"),
        (&["serve", URL, "--data-dir=d"], "data-dir and store exclude each other"),
        (&["serve", URL, "--test-api"], "test-api does not go with store: it saves"),
        (&["serve", URL, "--namespaces"], "namespaces does not go with store: it needs memory"),
        (&["serve", URL, "--sample=orders"], in_use),
        (&["serve", URL, "--init=tables.json"], in_use),
        (&["serve", URL, "--load=items"], in_use),
        (
            &["serve", URL, "--cache-size=1MiB"],
            "cache-size does not go with store: it has no effect",
        ),
        (&["serve", "--data-dir=postgres://u:secret@h/x"], "a folder is wanted, not the URL"),
        (&["check", "postgres://u:secret@h/x"], "a folder is wanted, not the URL"),
        (&["tables", "--data-dir=postgres://u:secret@h/x"], "a folder is wanted, not the URL"),
        (&["serve", "--store=mysql://u:secret@h/x"], "it begins with postgres:// or postgresql://"),
        (&["serve", "--store=postgres://u:secret@h:port/x"], "the URL of the database: "),
        (&["serve", "--store=postgres://u:secret@h/x?lanes=0"], "lanes are 1 to 64"),
        (&["serve", "--store="], "the URL of the database: "),
    ];
    for (arguments, expected) in cases {
        let (code, said) = refused(hashrange(arguments));
        assert!(code == 2 && said.contains(expected), "{arguments:?}: {code} {said}");
    }
}

#[test]
fn a_database_that_cannot_be_had_is_one_sentence() {
    if is_left_out() {
        return;
    }
    let server = server();
    let at = format!("127.0.0.1:{}", server.port);
    let rules = server.sql("SHOW hba_file");
    let others = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, format!("host all guarded all scram-sha-256\n{others}")).unwrap();
    server.sql(
        "CREATE ROLE guarded LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE postgres TO guarded",
    );
    server.sql("SELECT pg_reload_conf()");
    let cases = [
        ("postgres://owner:secret@127.0.0.1:1/postgres".to_owned(), "127.0.0.1 cannot be reached"),
        (format!("postgres://owner:secret@{at}/absent"), "Create it with CREATE DATABASE"),
        (format!("postgres://guarded:secret@{at}/postgres"), "Check user and password"),
        (format!("postgres://nobody:secret@{at}/postgres"), "Check user and password"),
    ];
    for (url, expected) in cases {
        let mut command = hashrange(&["serve", "--port=0"]);
        let (code, said) = refused({
            command.env("HASHRANGE_STORE", &url);
            command
        });
        assert!(code == 1 && said.contains(expected), "{url}: {code} {said}");
    }
    let guarded = Server::on(&format!("postgres://guarded:right@{at}/postgres"));
    let (ready, (_, log)) = (guarded.ready.clone(), guarded.stop());
    assert!(!ready.contains("right") && !log.contains("right"), "{ready}{log}");
}
