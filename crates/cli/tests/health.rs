//! `hashrange health`, `completions` and `man`, as scripts and packages use them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange_testkit::process::bare;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// Returns the binary with nothing of this environment in its settings.
fn hashrange(arguments: &[&str]) -> Command {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Returns exit code, standard output and standard error.
fn run(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A server on a free port; ends with the value.
struct Server(Child, String);

impl Server {
    fn start() -> Self {
        let mut command = hashrange(&["serve", "--memory", "--port=0", "--log-format=json"]);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = log.find_map(|line| line.ok().filter(|line| line.contains("\"endpoint\"")));
        let line = line.expect("the server says where it listens");
        let (_, rest) = line.split_once("\"endpoint\":\"").unwrap();
        Self(process, rest.split('"').next().unwrap().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_server_that_serves_is_healthy_and_one_that_is_gone_is_not() {
    let server = Server::start();
    let endpoint = server.1.clone();
    let (code, said, _) = run(hashrange(&["health", "--endpoint", &endpoint]));
    assert_eq!((code, said.as_str()), (0, "healthy: dynamodb.us-east-1.amazonaws.com\n"));
    let mut of_environment = hashrange(&["health", "--ready"]);
    of_environment.env("HASHRANGE_PORT", endpoint.rsplit(':').next().unwrap());
    assert_eq!(run(of_environment), (0, "ready\n".to_owned(), String::new()));
    drop(server);
    let (code, _, complaint) = run(hashrange(&["health", "--endpoint", &endpoint]));
    assert_eq!(code, 1);
    assert!(complaint.contains("connect to 127.0.0.1"), "{complaint}");
}

/// Answers one request with these bytes and returns what `health` makes of it.
fn answered(answer: &'static [u8]) -> (i32, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(&stream).lines();
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        // Whoever has read enough may be gone.
        drop((&stream).write_all(answer));
    });
    let (code, _, complaint) = run(hashrange(&["health", "--endpoint", &endpoint]));
    serving.join().unwrap();
    (code, complaint)
}

#[test]
fn other_answers_are_told_in_a_sentence() {
    let full = b"HTTP/1.1 503 Service Unavailable\r\n\r\nwrites are refused: the disk is full\n";
    let (code, complaint) = answered(full);
    assert_eq!(code, 1);
    assert!(
        complaint.contains("answered 503: writes are refused: the disk is full"),
        "{complaint}"
    );
    for strange in [b"".as_slice(), b"\0\xff\xfe", b"SSH-2.0-x\r\n", b"\r\n\r\n"] {
        let (code, complaint) = answered(strange);
        assert_eq!((code, complaint.as_str()), (1, "hashrange: the answer is not HTTP\n"));
    }
    for endpoint in ["nothing", "localhost:8000", "ftp://127.0.0.1", "http://"] {
        let (code, _, complaint) = run(hashrange(&["health", "--endpoint", endpoint]));
        assert_eq!(code, 2, "{complaint}");
        assert!(complaint.starts_with("hashrange: endpoint "), "{complaint}");
    }
}

#[test]
fn pages_and_completions_are_printed_and_what_is_unknown_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    let (code, ..) = run(hashrange(&["man", "--dir", pages.to_str().unwrap()]));
    assert_eq!(code, 0);
    let page = std::fs::read_to_string(pages.join("hashrange-query.1")).unwrap();
    assert_eq!(run(hashrange(&["man", "query"])), (0, page, String::new()));
    assert!(run(hashrange(&["completions", "bash"])).1.contains("_hashrange()"));
    let (code, _, complaint) = run(hashrange(&["man", "nothing"]));
    assert_eq!(code, 2);
    assert!(complaint.contains("there is no command \"nothing\""), "{complaint}");
    assert_eq!(run(hashrange(&["completions", "tcsh"])).0, 2);
}
