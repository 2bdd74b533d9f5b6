//! One server process: a free port, a folder, a log that must stay quiet.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::fetched::empty_folder;
use crate::workspace;

const READY_TIMEOUT: Duration = Duration::from_secs(30);
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const TROUBLE: [&str; 3] = ["ERROR", "WARN", "panicked at"];

/// Store of a server's data.
#[derive(Clone, PartialEq, Eq)]
pub enum Store {
    /// In memory.
    Memory,
    /// In a fresh folder.
    Embedded,
    /// On PostgreSQL, at this URL.
    Postgres(String),
}

impl Store {
    /// Returns the name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Embedded => "embedded",
            Self::Postgres(_) => "PostgreSQL",
        }
    }
}

/// A running server; ends with the value.
pub struct Server {
    process: Child,
    endpoint: String,
    log: PathBuf,
}

impl Server {
    /// Starts the binary on a fresh folder and waits until it is healthy.
    pub fn start(binary: &Path, store: &Store) -> Result<Self, String> {
        let folder = workspace::target().join("e2e/server");
        empty_folder(&folder)?;
        let mut command = Command::new(binary);
        // Pages may call, as with the service; our own choice has tests of its own.
        command.args(["serve", "--allow-origin=*"]);
        match store {
            Store::Memory => command.arg("--memory"),
            Store::Embedded => command.arg("--data-dir").arg(folder.join("data")),
            Store::Postgres(url) => command.arg("--store").arg(url),
        };
        Self::run(command, folder.join("log"))
    }

    /// Runs a command that serves, with the port and the log chosen here, and waits until it is healthy.
    pub fn run(mut command: Command, log: PathBuf) -> Result<Self, String> {
        let output =
            File::create(&log).map_err(|error| format!("create {}: {error}", log.display()))?;
        let errors =
            output.try_clone().map_err(|error| format!("open {}: {error}", log.display()))?;
        let port = free_port()?;
        command.args(["--port", &port.to_string()]);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let process = command
            .spawn()
            .map_err(|error| format!("start {}: {error}", command.get_program().display()))?;
        let mut server = Self { process, endpoint: format!("http://127.0.0.1:{port}"), log };
        server.wait_until_healthy(port)?;
        Ok(server)
    }

    /// Returns the URL to send requests to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Stops the server; a bad exit or a log with trouble in it is an error.
    pub fn stop(mut self) -> Result<(), String> {
        let process = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &process]).status();
        asked.map_err(|error| format!("stop the server: {error}"))?;
        let deadline = Instant::now() + STOP_TIMEOUT;
        while self.is_running() {
            if Instant::now() > deadline {
                return Err(format!("the server does not stop:\n{}", self.log_text()));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        let status = self.process.wait().map_err(|error| format!("stop the server: {error}"))?;
        let text = self.log_text();
        if !status.success() {
            return Err(format!("the server ended with {status}:\n{text}"));
        }
        let is_trouble = |line: &&str| TROUBLE.iter().any(|word| line.contains(word));
        let trouble: Vec<&str> = text.lines().filter(is_trouble).collect();
        if trouble.is_empty() {
            Ok(())
        } else {
            Err(format!("the server log has trouble in it:\n{}", trouble.join("\n")))
        }
    }

    fn wait_until_healthy(&mut self, port: u16) -> Result<(), String> {
        let deadline = Instant::now() + READY_TIMEOUT;
        while !is_healthy(port) {
            if !self.is_running() {
                return Err(format!("the server ended at once:\n{}", self.log_text()));
            }
            if Instant::now() > deadline {
                return Err(format!("the server does not become healthy:\n{}", self.log_text()));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone after a clean stop.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("find a free port: {error}"))
}

fn is_healthy(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut answer = String::new();
    let exchanged = stream
        .set_read_timeout(Some(READY_TIMEOUT))
        .and_then(|()| stream.write_all(request))
        .and_then(|()| stream.read_to_string(&mut answer));
    exchanged.is_ok() && answer.starts_with("HTTP/1.1 200")
}
