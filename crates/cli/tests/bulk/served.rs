//! A server on a free port, and commands against it.

use hashrange_testkit::process::bare;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Returns the binary with nothing of this environment in its settings.
pub fn hashrange() -> Command {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a command ended with.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Returns what was printed by a command that succeeded.
    pub fn printed(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

/// Runs a command with this on its standard input.
pub fn run(mut command: Command, input: &[u8]) -> Ended {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let input = input.to_vec();
    // A command may end before it has read all.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let Output { status, stdout, stderr } = process.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}

/// A server on a free port.
pub struct Server {
    process: Child,
    _log: std::thread::JoinHandle<()>,
    address: String,
}

impl Server {
    /// Starts a server in memory.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = hashrange();
        command.args(["serve", "--memory", "--port=0", "--log-format=json"]).args(arguments);
        let mut process = command.spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("\"endpoint\"") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "the server ended");
        }
        let (_, rest) = line.split_once("\"endpoint\":\"http://").unwrap();
        let address = rest.split('"').next().unwrap().to_owned();
        // What nobody reads would stop the server.
        let log = std::thread::spawn(move || {
            let mut rest = Vec::new();
            drop(log.read_to_end(&mut rest));
        });
        Self { process, _log: log, address }
    }

    /// Returns a command that talks to the server.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = hashrange();
        command.env("HASHRANGE_ENDPOINT", format!("http://{}", self.address)).args(arguments);
        command
    }

    /// Runs a command against the server.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> Ended {
        run(self.command(arguments), input)
    }

    /// Creates a table with the key `pk`, text.
    pub fn create(&self, table: &str) {
        let created = self.run(&["create", table, "pk:S"], b"").printed();
        assert_eq!(created, format!("created {table}\n"));
    }

    /// Returns the items of a table as lines of DynamoDB's JSON, sorted.
    pub fn items(&self, table: &str) -> Vec<String> {
        let lines = self.run(&["export", table, "--format=ddb", "--consistent"], b"").printed();
        let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Returns a path as text.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
