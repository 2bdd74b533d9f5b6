//! The server, which can be killed and comes back on the same folder, at another address.

use hashrange_testkit::process::bare;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::{Condvar, Mutex};
use std::thread::{self, JoinHandle};

/// The server of a folder.
pub struct Server {
    folder: PathBuf,
    running: Mutex<Running>,
    restarted: Condvar,
}

/// From a start of the server to its end.
#[derive(Debug, Clone)]
pub struct Life {
    pub number: u64,
    pub address: String,
}

struct Running {
    life: Life,
    process: Child,
    /// Read the logs of this life and all before.
    logs: Vec<JoinHandle<Vec<String>>>,
}

impl Server {
    pub fn start(folder: &Path) -> Self {
        let (process, log, address) = start(folder);
        let running =
            Running { life: Life { number: 1, address }, process, logs: vec![read_on(log)] };
        Self { folder: folder.to_owned(), running: Mutex::new(running), restarted: Condvar::new() }
    }

    /// Returns the present life; waits if the server is being restarted.
    pub fn life(&self) -> Life {
        self.running.lock().unwrap().life.clone()
    }

    /// Waits for a life after another.
    pub fn life_after(&self, number: u64) -> Life {
        let running = self.running.lock().unwrap();
        let is_over = |running: &mut Running| running.life.number <= number;
        self.restarted.wait_while(running, is_over).unwrap().life.clone()
    }

    pub fn kill_and_restart(&self) {
        let mut running = self.running.lock().unwrap();
        running.kill();
        let (process, log, address) = start(&self.folder);
        running.process = process;
        running.logs.push(read_on(log));
        running.life = Life { number: running.life.number + 1, address };
        self.restarted.notify_all();
    }

    /// Kills the server for good and returns what it has logged in all its lives.
    pub fn end(&self) -> Vec<String> {
        let mut running = self.running.lock().unwrap();
        running.kill();
        std::mem::take(&mut running.logs).into_iter().flat_map(|log| log.join().unwrap()).collect()
    }
}

impl Running {
    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ends it if a failure has kept the test from that.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Returns a server that listens, its log from there on, and its address.
fn start(folder: &Path) -> (Child, BufReader<ChildStderr>, String) {
    let mut command = bare(env!("CARGO_BIN_EXE_hashrange"));
    let mut process = command
        .args(["serve", "--port=0", "--log-format=json", "--data-dir"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap());
    let address = address(&mut log);
    (process, log, address)
}

/// Reads the log up to where the server says at which address it listens.
fn address(log: &mut BufReader<ChildStderr>) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server cannot be started");
        if let Some((_, rest)) = line.split_once("\"endpoint\":\"http://") {
            return rest.split('"').next().unwrap().to_owned();
        }
    }
}

fn read_on(log: BufReader<ChildStderr>) -> JoinHandle<Vec<String>> {
    thread::spawn(move || log.lines().map_while(Result::ok).collect())
}
