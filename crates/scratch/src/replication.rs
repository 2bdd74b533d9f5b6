//! Standbys: a server that follows another one, one that takes over, and one that follows again.
//!
//! Left to `server.rs`: the end of servers, and their data.

use crate::Server;
use crate::programs::{as_user, run, tried};
use std::fs;

/// Settings that servers which follow each other need besides. A commit is answered once the first
/// standby has it on disk, and a server's writes that others do not have can be found again.
const SETTINGS: &str = " -c wal_receiver_timeout=3s \
                        -c wal_sender_timeout=3s -c wal_retrieve_retry_interval=100ms";

impl Server {
    /// Starts a server that others may follow.
    ///
    /// # Panics
    /// As [`Server::start`].
    pub fn start_primary() -> Self {
        let server = Self::prepare(SETTINGS);
        // Without checksums, or hints in the log by its configuration file, a server cannot go
        // back.
        server.create_data(&["--data-checksums"]);
        server.restart();
        // In the file: a server that goes back first recovers without the settings of the command
        // line.
        server.sql("ALTER SYSTEM SET wal_keep_size = '1GB'");
        server.sql("SELECT pg_reload_conf()");
        server
    }

    /// Makes commits wait until any one of the standbys has them on disk. On a standby the setting
    /// takes effect at its promotion.
    pub fn wait_for_standbys(&self) {
        self.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'");
        self.sql("SELECT pg_reload_conf()");
    }

    /// Starts a standby of this server.
    ///
    /// # Panics
    /// As [`Server::start`].
    #[must_use]
    pub fn start_standby(&self) -> Self {
        let standby = Self::prepare(SETTINGS);
        standby.copy(self);
        standby.restart();
        standby
    }

    /// Returns the end of the log that this standby has received, in bytes.
    pub fn received(&self) -> u64 {
        let text = "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'";
        self.sql(text).parse().unwrap_or_else(|_| panic!("a place in the log"))
    }

    /// Makes this standby a primary; returns when it takes writes. The old primary has to be
    /// stopped.
    pub fn promote(&self) {
        let mut promote = as_user(&self.programs().join("pg_ctl"));
        run(promote.args(["promote", "-w", "-t", "60", "-D"]).arg(self.data()));
        // A server that follows this one again finds the new history in the control file.
        self.sql("CHECKPOINT");
    }

    /// Makes this running standby follow another server.
    pub fn follow(&self, primary: &Self) {
        let port = primary.port;
        self.sql(&format!(
            "ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port={port} user=owner'"
        ));
        self.sql("SELECT pg_reload_conf()");
    }

    /// Starts this stopped server as a standby of `primary`: by a rewind to where both were the
    /// same, or if that fails, or is not wanted, by a new copy. Returns true if the rewind
    /// succeeded.
    pub fn come_back(&self, primary: &Self, by_rewind: bool) -> bool {
        let mut rewind = as_user(&self.programs().join("pg_rewind"));
        rewind.args(["--no-sync", "-R", "--source-server"]).arg(source(primary));
        rewind.arg("--target-pgdata").arg(self.data());
        let is_back = by_rewind && tried(&mut rewind);
        if !is_back {
            fs::remove_dir_all(self.data()).unwrap_or_else(|error| panic!("old data: {error}"));
            self.copy(primary);
        }
        self.restart();
        is_back
    }

    fn copy(&self, primary: &Self) {
        let mut backup = as_user(&self.programs().join("pg_basebackup"));
        backup.args(["--no-sync", "-R", "-X", "stream", "-c", "fast", "-d"]).arg(source(primary));
        run(backup.arg("-D").arg(self.data()));
    }
}

fn source(primary: &Server) -> String {
    format!("host=127.0.0.1 port={} user=owner dbname=postgres", primary.port)
}
