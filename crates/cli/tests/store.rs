//! `hashrange serve --store`: servers on one PostgreSQL, what does not go with it, and what is said when
//! the database cannot be had. No password is ever printed.

#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use hashrange_scratch::{is_left_out, server, shared};
use served::{Server, hashrange, until};
use std::collections::BTreeSet;
use std::process::Command;

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

#[test]
fn metrics_tell_what_the_page_lists() {
    if is_left_out() {
        return;
    }
    let url = shared().url();
    let (first, second) = (Server::on(&url), Server::on(&url));
    for nth in 0..4 {
        first.ok(&["create", &format!("table{nth}"), "pk:S"]);
        second.ok(&["put", &format!("table{nth}"), "{\"pk\":\"a\"}"]);
        first.ok(&["get", &format!("table{nth}"), "a"]);
    }
    let own = |server: &Server| server.metric("hashrange_tables_owned");
    until("the division of the tables", || {
        first.metric("hashrange_servers_alive") == 2
            && second.metric("hashrange_tables") == 4
            && own(&first) + own(&second) == 4
    });
    assert_eq!(first.metric("hashrange_servers_clock_trusted"), 1);
    assert!(first.metric("hashrange_servers_clock_difference_seconds") < 10);
    until("all connections", || {
        ["lanes", "readers"].iter().all(|kind| {
            let connected =
                first.metric(&format!("hashrange_store_connections{{kind=\"{kind}\"}}"));
            let wanted = format!("hashrange_store_connections_wanted{{kind=\"{kind}\"}}");
            connected == first.metric(&wanted)
        })
    });
    for name in ["commits_total", "groups_total", "round_trips_total{kind=\"reads\"}"] {
        assert!(first.metric(&format!("hashrange_store_{name}")) > 0, "{name}");
    }
    let embedded =
        Server::start(hashrange(&["serve", "--port=0", "--memory", "--log-format=json"]));
    let page = include_str!("../../../docs/distributed.md");
    let listed = page.split('`').filter(|span| span.starts_with("hashrange_"));
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    let everywhere = embedded.metric_names();
    let here = first.metric_names().difference(&everywhere).cloned().collect::<BTreeSet<_>>();
    assert_eq!(listed.difference(&everywhere).cloned().collect::<BTreeSet<_>>(), here);
}

#[test]
fn a_server_whose_database_goes_away_is_alive_and_not_ready() {
    if is_left_out() {
        return;
    }
    let database = hashrange_scratch::Server::start();
    let server = Server::on(&database.url());
    assert_eq!(server.get("/ready"), (200, "ready\n".to_owned()));
    database.stop();
    until("the end of the connections", || server.get("/ready").0 == 503);
    let (_, said) = server.get("/ready");
    assert!(
        said.starts_with("writes are refused: the store ") && said.lines().count() == 1,
        "{said}"
    );
    assert_eq!(server.get("/health").0, 200);
    let lanes = "hashrange_store_connections{kind=\"lanes\"}";
    until("metrics without the database", || server.metric(lanes) == 0);
    assert_eq!(server.metric("hashrange_store_writable"), 0);
    database.restart();
    until("the database", || server.get("/ready").0 == 200);
    database.sql("ALTER SYSTEM SET default_transaction_read_only = on");
    database.sql("SELECT pg_reload_conf()");
    until("the setting", || server.get("/ready").0 == 503);
    let (_, said) = server.get("/ready");
    assert!(said.contains("takes no writes now: it is a standby"), "{said}");
}

#[test]
fn a_server_that_may_not_create_serves_what_was_created_for_it() {
    if is_left_out() {
        return;
    }
    let database = server();
    let init = |arguments: &[&str]| {
        let output = hashrange(&[&["store", "init"], arguments].concat()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    database.sql("CREATE ROLE plain LOGIN");
    let arguments = ["--schema", "prepared", "--places", "16", "--role", "plain"];
    let (code, statements, said) = init(&arguments);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    database.sql(&statements);
    let at = format!("postgres://plain@127.0.0.1:{}/postgres?schema=", database.port);
    let (code, said) = refused(hashrange(&["serve", "--port=0", &format!("--store={at}absent")]));
    assert!(code == 1 && said.contains("lacks rights"), "{code} {said}");
    let served = Server::on(&format!("{at}prepared"));
    served.ok(&["create", "orders", "pk:S", "--gsi", "by_n=n:N", "--stream", "new-and-old"]);
    served.ok(&["put", "orders", "{\"pk\":\"a\",\"n\":7}"]);
    served.ok(&["delete", "orders", "a"]);
    served.ok(&["put", "orders", "{\"pk\":\"b\",\"n\":7}"]);
    let found = served.ok(&["query", "orders", "n = 7", "--index=by_n", "--output=json"]);
    assert_eq!(found, "{\"n\":7,\"pk\":\"b\"}\n");
    served.ok(&["drop", "orders", "--yes"]);
    assert_eq!(served.get("/ready").0, 200);
    assert_eq!(database.sql("SELECT value FROM prepared.meta WHERE name = 'places'"), "16");
    let (code, log) = served.stop();
    assert!(code == Some(0) && !log.contains("permission denied"), "{code:?} {log}");
    for (arguments, expected) in [
        (&["--schema", "a b"][..], "schema has"),
        (&["--role", "a\"b"][..], "name of a role"),
        (&["--places", "0"][..], "places are"),
        (&["--sharded", "other"][..], "citus"),
    ] {
        let (code, printed, said) = init(arguments);
        assert!(code == Some(2) && printed.is_empty() && said.contains(expected), "{said}");
    }
    let (_, statements, _) = init(&["--sharded", "citus"]);
    assert!(statements.contains("create_distributed_table('hashrange.entries', 'place'"));
}
