//! `serve --move-to` and `copy --while-serving`: clients write on while a database moves, and what they were told is
//! written is in the new place; the old one is refused from then on.

#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use hashrange_scratch::{is_left_out, shared};
use served::{Server, hashrange};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const ITEMS: usize = 5_000;
const WRITERS: usize = 6;

/// Returns a server on a folder that moves it to another place.
fn moving(folder: &Path, target: &str) -> Server {
    let mut command = hashrange(&["serve", "--port=0", "--log-format=json", "--data-dir"]);
    command.arg(folder).env("HASHRANGE_MOVE_TO", target);
    Server::start(command)
}

fn on_folder(folder: &Path) -> Server {
    let mut command = hashrange(&["serve", "--port=0", "--log-format=json", "--data-dir"]);
    command.arg(folder);
    Server::start(command)
}

/// Runs a command to its end and returns its exit code and what it says on standard error.
fn ended(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = hashrange(arguments);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Fills a folder and leaves it without a server.
fn filled(folder: &Path) {
    let server = on_folder(folder);
    server.ok(&["create", "things", "id:S"]);
    server.ok(&["create", "written", "id:S"]);
    let lines =
        (0..ITEMS).map(|nth| format!("{{\"id\":\"{nth}\",\"text\":\"{}\"}}\n", "x".repeat(900)));
    let file = folder.with_extension("jsonl");
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    server.ok(&["import", "things", file.to_str().unwrap()]);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
}

/// Calls an operation without the help of a client, which would try again.
fn call(endpoint: &str, operation: &str, body: &str) -> (u16, String) {
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut socket = BufReader::new(TcpStream::connect(address).unwrap());
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    socket.get_mut().write_all((head + body).as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

/// Writes until told to stop or refused; returns how many writes were acknowledged, and what refused the next one.
fn write(endpoint: &str, writer: usize, is_over: &AtomicBool) -> (usize, Option<String>) {
    for nth in 0.. {
        if is_over.load(Ordering::Acquire) {
            return (nth, None);
        }
        let key = format!("{{\"id\":{{\"S\":\"{writer}-{nth}\"}}}}");
        let (status, answer) = match nth % 2 {
            0 => {
                call(endpoint, "PutItem", &format!("{{\"TableName\":\"written\",\"Item\":{key}}}"))
            }
            _ => call(
                endpoint,
                "UpdateItem",
                &format!("{{\"TableName\":\"written\",\"Key\":{key}}}"),
            ),
        };
        if status != 200 {
            return (nth, Some(answer));
        }
    }
    unreachable!("told to stop before")
}

/// Lets writers write while something happens; returns how many writes of each were acknowledged and the refusals.
fn while_written(endpoint: &str, action: impl FnOnce()) -> (Vec<usize>, Vec<String>) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = &is_over;
        let begin = |writer| scope.spawn(move || write(endpoint, writer, is_over));
        let writers: Vec<_> = (0..WRITERS).map(begin).collect();
        action();
        is_over.store(true, Ordering::Release);
        let ended = writers.into_iter().map(|writer| writer.join().unwrap());
        let (written, refusals): (Vec<_>, Vec<_>) = ended.unzip();
        (written, refusals.into_iter().flatten().collect())
    })
}

/// Asserts that a server has all that was acknowledged.
fn assert_whole(server: &Server, written: &[usize]) {
    let scanned =
        |table| server.ok(&["scan", table, "--all", "--select", "id", "--output", "json"]);
    assert_eq!(scanned("things").lines().count(), ITEMS);
    let all = scanned("written");
    let all: BTreeSet<&str> = all.split('"').collect();
    for (writer, count) in written.iter().enumerate() {
        assert!(*count > 0, "writer {writer} wrote nothing");
        for nth in 0..*count {
            let id = format!("{writer}-{nth}");
            assert!(all.contains(id.as_str()), "{id} of {count} is missing");
        }
    }
}

/// Reads the log until something is said.
fn hear(server: &mut Server, said: &str) {
    let mut line = String::new();
    while !line.contains(said) {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "the server ended without: {said}");
    }
}

fn folder_in(parent: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let folder = parent.path().join(name);
    let text = folder.to_str().unwrap().to_owned();
    (folder, text)
}

#[test]
fn a_folder_moves_to_postgres_and_no_request_fails() {
    if is_left_out() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let (folder, text) = folder_in(&parent, "data");
    filled(&folder);
    let url = shared().url();
    let mut server = moving(&folder, &url);
    let endpoint = server.endpoint.clone();
    let (written, refusals) =
        while_written(&endpoint, || hear(&mut server, "served from its new place"));
    assert!(refusals.is_empty(), "{refusals:?}");
    assert_whole(&server, &written);
    // The same process goes on in the new place.
    server.ok(&["put", "things", "{\"id\":\"after\"}"]);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    let (code, said) = ended(&["serve", "--port=0", "--data-dir", &text], &[]);
    assert!(code == 1 && said.contains("it was moved to another store by a copy"), "{code} {said}");
    // Whoever starts the service with the same settings serves what is in the new place.
    let again = moving(&folder, &url);
    assert!(again.ok(&["get", "things", "after"]).contains("after"));
    again.ok(&["delete", "things", "after"]);
    assert_whole(&again, &written);
    let (code, _) = again.stop();
    assert_eq!(code, Some(0));
}

#[test]
fn servers_on_postgres_serve_until_the_copy_has_all_and_refuse_from_then_on() {
    if is_left_out() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let (folder, text) = folder_in(&parent, "data");
    filled(&folder);
    let url = shared().url();
    let (code, said) = ended(&["copy", "--from", &text], &[("HASHRANGE_COPY_TO", &url)]);
    assert_eq!(code, 0, "{said}");
    let servers = [Server::on(&url), Server::on(&url)];
    let (back, back_text) = folder_in(&parent, "back");
    let copy = ["copy", "--while-serving", "--to", &back_text];
    let from = [("HASHRANGE_COPY_FROM", url.as_str())];
    let (written, refusals) = while_written(&servers[0].endpoint, || {
        let (code, said) = ended(&copy, &from);
        assert_eq!(code, 0, "{said}");
        let key = r#"{"TableName":"things","Key":{"id":{"S":"1"}}}"#;
        for (server, operation) in servers.iter().zip(["UpdateItem", "GetItem"]) {
            let (status, answer) = call(&server.endpoint, operation, key);
            assert!(status == 500 && answer.contains("InternalServerError"), "{status} {answer}");
        }
    });
    assert_eq!(refusals.len(), WRITERS, "each is refused in the end");
    drop(servers);
    let (code, said) = ended(&["serve", "--port=0"], &[("HASHRANGE_STORE", &url)]);
    assert!(code == 1 && said.contains("it was moved to another store by a copy"), "{code} {said}");
    let server = on_folder(&back);
    assert_whole(&server, &written);
    let (code, _) = server.stop();
    assert_eq!(code, Some(0));
    // Once more is nothing, and the old place can be had back.
    let (code, said) = ended(&copy, &from);
    assert_eq!(code, 0, "{said}");
    let (code, said) = ended(&["copy", "--reopen"], &from);
    assert_eq!(code, 0, "{said}");
    let old = Server::on(&url);
    old.ok(&["put", "things", "{\"id\":\"reopened\"}"]);
}

#[test]
fn what_cannot_move_is_refused_in_a_sentence() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, text) = folder_in(&parent, "data");
    drop(on_folder(&folder));
    let (_, absent) = folder_in(&parent, "absent");
    let (_, target) = folder_in(&parent, "target");
    let to = ["--move-to", target.as_str()];
    let on_data = ["--data-dir", text.as_str()];
    let store = ["--store", "postgres://owner@127.0.0.1:1/postgres"];
    let cases: &[(Vec<&str>, i32, &str)] = &[
        ([&to[..], &["--data-dir", &absent]].concat(), 2, "there is no database to move in "),
        ([&to[..], &["--memory"]].concat(), 2, "a crash would lose the data in memory"),
        ([&to[..], &store].concat(), 2, "hashrange copy --while-serving moves it"),
        ([&to[..], &on_data, &["--test-api"]].concat(), 2, "test-api puts back earlier states"),
        ([&to[..], &on_data, &["--namespaces"]].concat(), 2, "namespaces are folders of their own"),
        (
            [&on_data[..], &["--move-to", "mysql://h/x"]].concat(),
            2,
            "move-to: the URL of a database",
        ),
    ];
    for (flags, expected_code, expected) in cases {
        let (code, said) = ended(&[&["serve", "--port=0"], &flags[..]].concat(), &[]);
        assert!(code == *expected_code && said.contains(expected), "{flags:?}: {code} {said}");
    }
    let (code, said) = ended(&["copy", "--while-serving", "--from", &text, "--to", &target], &[]);
    assert!(code == 2 && said.contains("with hashrange serve --move-to"), "{code} {said}");
    assert!(!Path::new(&target).exists());
}
