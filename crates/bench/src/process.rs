//! Servers as processes of their own: started on a free port, asked until they answer, stopped
//! when dropped.

use crate::processor_time;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time until a server's first answer.
const START_MAX: Duration = Duration::from_secs(60);
/// Pause between attempts to reach a server that starts.
const RETRY_PAUSE: Duration = Duration::from_micros(200);
/// Longest time that a server may take to stop by itself.
const STOP_MAX: Duration = Duration::from_secs(60);

/// The access key that signing clients use.
pub const ACCESS_KEY_ID: &str = "AKIAIOSFODNN7EXAMPLE";
/// Its secret, the one of AWS's documentation.
pub const SECRET_ACCESS_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    started: Instant,
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Resident now.
    pub resident: u64,
    /// The most that was resident at a time.
    pub peak: u64,
}

impl Server {
    /// Starts the product on a data folder. Without `cache_bytes` it takes its default for the
    /// machine; with `credentials` it verifies signatures.
    pub fn product(
        program: &Path,
        folder: &Path,
        cache_bytes: Option<u64>,
        credentials: Option<&Path>,
    ) -> Result<Self, String> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.arg("serve").arg("--data-dir").arg(folder).args(["--port", &port.to_string()]);
        command.args(["--log-level", "warn"]);
        if let Some(cache_bytes) = cache_bytes {
            command.args(["--cache-size", &cache_bytes.to_string()]);
        }
        if let Some(credentials) = credentials {
            command.arg("--credentials").arg(credentials);
        }
        Self::start(command, port)
    }

    /// Starts the product on a database on PostgreSQL.
    pub fn on_store(program: &Path, url: &str) -> Result<Self, String> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["serve", "--store", url, "--port", &port.to_string()]);
        command.args(["--log-level", "warn"]);
        Self::start(command, port)
    }

    /// Starts the bare server, which answers everything with the bytes of a file.
    pub fn bare(answer: &Path) -> Result<Self, String> {
        let port = free_port()?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        command.args(["bare-server", &port.to_string()]).arg(answer);
        Self::start(command, port)
    }

    fn start(mut command: Command, port: u16) -> Result<Self, String> {
        let started = Instant::now();
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn().map_err(|error| format!("cannot run {command:?}: {error}"))?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut server = Self { child, address, started };
        server.wait_until_reachable(&command)?;
        Ok(server)
    }

    fn wait_until_reachable(&mut self, command: &Command) -> Result<(), String> {
        while TcpStream::connect(self.address).is_err() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("{command:?} ended: {status}"));
            }
            if self.started.elapsed() > START_MAX {
                return Err(format!("{command:?} does not listen"));
            }
            std::thread::sleep(RETRY_PAUSE);
        }
        Ok(())
    }

    /// Returns where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the time since the process was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the time that the process has spent on processors.
    pub fn processor_time(&self) -> Result<Duration, String> {
        processor_time::of(Some(self.child.id()))
    }

    /// Returns the process's memory.
    pub fn memory(&self) -> Result<Memory, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
        };
        let resident = field("VmRSS:").ok_or("no memory in the process's status")?;
        let peak = field("VmHWM:").ok_or("no memory in the process's status")?;
        Ok(Memory { resident, peak })
    }

    /// Calls an operation once and returns the body of the answer.
    pub fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, String> {
        let head = format!(
            "POST / HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-amz-target: \
             DynamoDB_20120810.{operation}\r\ncontent-type: application/x-amz-json-1.0\r\n\
             content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.exchange(&[head.as_bytes(), body].concat())
    }

    /// Returns the value of a counter among the server's metrics, if it has it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let request =
            format!("GET /metrics HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address);
        let text = String::from_utf8(self.exchange(request.as_bytes()).ok()?).ok()?;
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines.find_map(|rest| rest.strip_prefix(' ')?.parse().ok())
    }

    fn exchange(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let mut answer = Vec::new();
        let mut exchange = || -> std::io::Result<()> {
            let mut stream = TcpStream::connect(self.address)?;
            stream.write_all(request)?;
            stream.read_to_end(&mut answer).map(drop)
        };
        exchange().map_err(|error| format!("cannot call {}: {error}", self.address))?;
        let head = memchr::memmem::find(&answer, b"\r\n\r\n").ok_or("an answer without head")?;
        if !answer.starts_with(b"HTTP/1.1 200 ") {
            return Err(format!("refused: {}", String::from_utf8_lossy(&answer)));
        }
        Ok(answer.split_off(head + 4))
    }

    /// Asks the process to end and waits for it.
    pub fn stop(mut self) -> Result<(), String> {
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        asked.map_err(|error| format!("cannot stop a server: {error}"))?;
        let since = Instant::now();
        while since.elapsed() < STOP_MAX {
            if let Ok(Some(_)) = self.child.try_wait() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("a server does not stop".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

/// Returns the text of a credentials file with the key of the signing clients.
pub fn credentials_file() -> String {
    format!(
        "[bench]\naws_access_key_id = {ACCESS_KEY_ID}\naws_secret_access_key = \
         {SECRET_ACCESS_KEY}\n"
    )
}
