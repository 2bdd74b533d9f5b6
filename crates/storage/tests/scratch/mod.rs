//! A PostgreSQL server for one run of tests: Debian's programs, a new folder, a free port.
//!
//! The server is stopped when the run ends, also when it is killed: a small shell waits for the end of a
//! pipe that only this process holds, then stops the server and removes the folder. It runs as another
//! user when the tests run as root, as the server refuses that.

#![allow(dead_code, clippy::allow_attributes, reason = "each test program uses a part of it")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A running server.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: PathBuf,
    pub port: u16,
    settings: String,
    /// Its end is that of the server.
    _life: ChildStdin,
}

/// Returns the server of this process, started at the first call.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::start)
}

impl Server {
    /// Starts a server.
    ///
    /// # Panics
    /// When PostgreSQL's programs are not there, or do not work.
    pub fn start() -> Self {
        let programs = programs();
        let folder = tempfile::Builder::new().prefix("hashrange-pg-").tempdir().unwrap().keep();
        hand_over(&folder);
        let data = folder.join("data");
        let mut initdb = as_user(&programs.join("initdb"));
        initdb.args([
            "--no-sync",
            "--auth=trust",
            "--username=owner",
            "--no-locale",
            "--encoding=UTF8",
            "-D",
        ]);
        run(initdb.arg(&data));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = format!(
            "-p {port} -k {} -c listen_addresses=127.0.0.1 -c max_connections=300 \
             -c autovacuum_naptime=5s -c deadlock_timeout=200ms",
            folder.display()
        );
        let life = watch(&programs, &folder);
        let server = Self { programs, folder, port, settings, _life: life };
        server.restart();
        server
    }

    /// Starts the server again after [`Server::stop`].
    pub fn restart(&self) {
        let mut start = as_user(&self.programs.join("pg_ctl"));
        start.args(["start", "-w", "-t", "60", "-o", &self.settings, "-D"]);
        start.arg(self.folder.join("data")).arg("-l");
        run(start.arg(self.folder.join("log")));
    }

    /// Stops the server as a crash would.
    pub fn stop(&self) {
        let mut stop = as_user(&self.programs.join("pg_ctl"));
        run(stop.args(["stop", "-w", "-m", "immediate", "-D"]).arg(self.folder.join("data")));
    }

    /// Returns the URL of a schema that no other test uses.
    pub fn url(&self) -> String {
        static SCHEMAS: AtomicU32 = AtomicU32::new(0);
        let nth = SCHEMAS.fetch_add(1, Ordering::Relaxed);
        format!("{}?schema=test{nth}", self.base_url())
    }

    /// Returns the URL of the database, without parameters.
    pub fn base_url(&self) -> String {
        format!("postgres://owner@127.0.0.1:{}/postgres", self.port)
    }

    /// Runs SQL and returns what it prints.
    pub fn sql(&self, text: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args([
            "-X",
            "-A",
            "-t",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            &self.base_url(),
            "-c",
            text,
        ]);
        run(&mut psql).trim().to_owned()
    }
}

/// Returns the folder of the newest installed server's programs.
fn programs() -> PathBuf {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/e2e/postgresql");
    for root in [Path::new("/usr/lib/postgresql"), &fetched.join("usr/lib/postgresql")] {
        let versions = fs::read_dir(root).into_iter().flatten().flatten();
        let mut found: Vec<_> = versions
            .map(|version| version.path().join("bin"))
            .filter(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file())
            .collect();
        found.sort();
        if let Some(newest) = found.pop() {
            return newest;
        }
    }
    panic!(
        "PostgreSQL is not installed: these tests start a server of their own. `cargo xtask test` installs \
         it; by hand: apt-get install postgresql"
    );
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Gives the folder to the user that the server runs as.
fn hand_over(folder: &Path) {
    if is_root() {
        run(Command::new("chown").arg("nobody").arg(folder));
    }
}

/// Returns a command that is not run by root.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]).arg(program);
    command.current_dir("/").env("LC_ALL", "C");
    command
}

/// Starts the shell that stops the server when this process has ended.
fn watch(programs: &Path, folder: &Path) -> ChildStdin {
    let mut shell = as_user(Path::new("/bin/sh"));
    let script = "trap '' INT TERM HUP; cat > /dev/null; \"$1/pg_ctl\" stop -m immediate -D \"$2/data\"; for try in 1 2 3 4 5; do rm -rf \"$2\" && break; sleep 1; done";
    shell.args(["-c", script, "watch"]).arg(programs).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // It outlives this process, so nobody waits for it.
    shell.spawn().unwrap().stdin.take().unwrap()
}

/// Runs a command to its end and returns what it prints.
fn run(command: &mut Command) -> String {
    // A server that keeps our pipes would keep us waiting.
    let printed = tempfile::tempfile().unwrap();
    let mut reader = printed.try_clone().unwrap();
    command.stdin(Stdio::null()).stdout(printed.try_clone().unwrap()).stderr(printed);
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut text = String::new();
    std::io::Seek::rewind(&mut reader).unwrap();
    std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
    assert!(status.success(), "{command:?}: {text}");
    text
}
