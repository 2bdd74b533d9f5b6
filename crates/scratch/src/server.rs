//! A server that ends with the process that started it, also when that is killed: a small shell
//! waits for the end of a pipe that only the process holds, then stops the server and removes its
//! folder.

use crate::Database;
use crate::programs::{as_user, hand_over, installed, run, tried};
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
    /// The port it listens on, of this machine alone.
    pub port: u16,
    settings: String,
    database: Database,
    /// A pipe whose end is that of the server.
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
    /// Without working programs of PostgreSQL.
    pub fn start() -> Self {
        let server = Self::prepare("");
        server.create_data(&[]);
        server.restart();
        server
    }

    /// Returns a server that has no data yet and does not run, with settings besides the usual ones.
    pub(crate) fn prepare(more: &str) -> Self {
        let programs = installed();
        let folder = new_folder().unwrap_or_else(|error| panic!("a folder for a server: {error}"));
        hand_over(&folder);
        let port = free_port().unwrap_or_else(|error| panic!("a free port: {error}"));
        let settings = format!(
            "-p {port} -k {} -c listen_addresses=127.0.0.1 -c max_connections=300 \
             -c autovacuum_naptime=5s -c deadlock_timeout=200ms{more}",
            folder.display()
        );
        let life = watch(&programs, &folder);
        let database = Database { url: format!("postgres://owner@127.0.0.1:{port}/postgres") };
        Self { programs, folder, port, settings, database, _life: life }
    }

    /// Creates an empty database, with arguments besides the usual ones.
    pub(crate) fn create_data(&self, more: &[&str]) {
        let mut initdb = as_user(&self.programs.join("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--username=owner", "--no-locale"]);
        run(initdb.args(["--encoding=UTF8"]).args(more).arg("-D").arg(self.data()));
    }

    pub(crate) fn programs(&self) -> &Path {
        &self.programs
    }

    /// Returns the folder of the data.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Stops all processes of the server until [`Server::thaw`], or its end.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets the server go on.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Sends a signal to all processes of the server.
    fn signal(&self, name: &str) {
        let text = std::fs::read_to_string(self.data().join("postmaster.pid"));
        let text = text.unwrap_or_else(|error| panic!("the number of the server: {error}"));
        let main = text.lines().next().unwrap_or_default();
        signal(main, name);
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
        self.database.url()
    }

    /// Returns the URL of the database, without parameters.
    pub fn base_url(&self) -> String {
        self.database.base_url()
    }

    /// Runs SQL and returns its output.
    pub fn sql(&self, text: &str) -> String {
        self.database.sql(text)
    }
}

/// Sends a signal to the main process of a server and to all others.
pub(crate) fn signal(main: &str, name: &str) {
    // Some may have ended meanwhile, as after the end of the main one.
    let mut others = Command::new("pkill");
    others.arg(format!("-{name}")).arg("-P").arg(main);
    let mut first = Command::new("kill");
    first.arg(format!("-{name}")).arg(main);
    // The main process first: it would end those that it sees stopped. But with KILL last: a
    // process that dies leaves its children to others.
    let commands = if name == "KILL" { [others, first] } else { [first, others] };
    for mut command in commands {
        tried(&mut command);
    }
}

pub(crate) fn new_folder() -> std::io::Result<PathBuf> {
    Ok(tempfile::Builder::new().prefix("hashrange-pg-").tempdir()?.keep())
}

/// Returns a port that is free and that Linux, by default, gives to no connection, so that it stays
/// free while the server is down. Processes begin at different ones.
pub(crate) fn free_port() -> std::io::Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 12_000;
    const COUNT: u32 = 20_000;
    let begin = std::process::id().wrapping_mul(37);
    for _ in 0..COUNT {
        let nth = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let port = u16::try_from(FIRST + nth).unwrap_or(u16::MAX);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(std::io::ErrorKind::AddrInUse.into())
}

/// Starts the shell that stops the server when this process has ended.
fn watch(programs: &Path, folder: &Path) -> ChildStdin {
    const SCRIPT: &str = "trap '' INT TERM HUP; cat > /dev/null; \
        \"$1/pg_ctl\" stop -m immediate -D \"$2/data\"; \
        for try in 1 2 3 4 5; do rm -rf \"$2\" && break; sleep 1; done";
    let mut shell = as_user(Path::new("/bin/sh"));
    shell.args(["-c", SCRIPT, "watch"]).arg(programs).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // The shell outlives this process, so the process does not wait for it.
    let spawned = shell.spawn().map(|shell| shell.stdin);
    match spawned {
        Ok(Some(life)) => life,
        other => panic!("the shell that ends a server: {other:?}"),
    }
}
