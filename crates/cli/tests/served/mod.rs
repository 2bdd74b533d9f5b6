//! A server started by the binary, and commands against it. No test of its own.

#![expect(clippy::disallowed_methods, reason = "what a server does is waited for, up to an end")]
#![allow(dead_code, clippy::allow_attributes, reason = "each test program uses a part of it")]

use hashrange_testkit::process::bare;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Returns the binary with nothing of this environment in its settings.
pub fn hashrange(arguments: &[&str]) -> Command {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A server on a free port.
pub struct Server {
    pub process: Child,
    pub log: BufReader<ChildStderr>,
    pub ready: String,
    pub endpoint: String,
}

impl Server {
    pub fn start(mut command: Command) -> Self {
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
    pub fn on(url: &str) -> Self {
        let mut command = hashrange(&["serve", "--port=0", "--log-format=json"]);
        command.env("HASHRANGE_STORE", url);
        Self::start(command)
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let mut command = hashrange(arguments);
        let output = command.env("HASHRANGE_ENDPOINT", &self.endpoint).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(output.stderr));
        text(output.stdout)
    }

    /// Returns status and body of a GET.
    pub fn get(&self, path: &str) -> (u16, String) {
        let address = self.endpoint.strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        socket.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Returns the names of all metrics.
    pub fn metric_names(&self) -> BTreeSet<String> {
        let (_, text) = self.get("/metrics");
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        names.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    }

    /// Returns the value of a metric, named with its labels; of seconds the whole ones.
    pub fn metric(&self, name: &str) -> u64 {
        let (_, text) = self.get("/metrics");
        let value = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        let value = value.unwrap_or_else(|| panic!("no {name} in {text}"));
        value.split('.').next().unwrap().parse().unwrap()
    }

    /// Ends the server as a stop of the service does; returns its exit code and the rest of its log.
    pub fn stop(mut self) -> (Option<i32>, String) {
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

/// Waits until something is so, for a bounded time.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what} never comes");
        thread::sleep(Duration::from_millis(20));
    }
}
