//! PostgreSQL for tests: installed programs, a new folder, a free port. Also helpers of other tests
//! that need no engine: copies of folders, an allocator that counts.
//!
//! A test that needs no more than tables of its own takes a schema on [`shared`]: one server for
//! all tests of a run, if the runner of the tests starts one and names it in [`VARIABLE`], else one
//! for this process. A test that stops the server, or changes what all its users share, takes
//! [`server`] or starts its own.
//!
//! A crate of its own, so that the tests of the store need not wait until the engine is compiled.
//!
//! A dev-dependency only; a fault ends in a panic, since only tests call it.
#![deny(unsafe_code)]
#![expect(clippy::panic, reason = "a failing test is a panic")]

pub mod allocated;
mod folder;
mod patroni;
mod programs;
mod replication;
mod server;

pub use folder::copy_folder;
pub use patroni::Patroni;
pub use programs::{fetched, folder_of_programs};
pub use server::{Server, server};

use programs::{command, installed, run};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable with the URL of the database of [`shared`], or [`OFF`].
pub const VARIABLE: &str = "HASHRANGE_TEST_POSTGRES";

/// The value of [`VARIABLE`] that makes tests leave PostgreSQL out.
pub const OFF: &str = "off";

/// A database on a running server.
#[derive(Debug)]
pub struct Database {
    url: String,
}

/// Returns the database that all tests of a run share, or all tests of this process if no variable
/// names one.
pub fn shared() -> &'static Database {
    static SHARED: OnceLock<Database> = OnceLock::new();
    SHARED.get_or_init(|| match variable() {
        Some(url) => Database { url },
        None => Database { url: server().base_url() },
    })
}

/// Returns true if the runner of the tests wants PostgreSQL left out, and prints that.
pub fn is_left_out() -> bool {
    let is_off = variable().is_some_and(|value| value == OFF);
    if is_off {
        say_once();
    }
    is_off
}

#[expect(clippy::print_stderr, reason = "what is left out is said")]
fn say_once() {
    static SAID: OnceLock<()> = OnceLock::new();
    SAID.get_or_init(|| eprintln!("PostgreSQL is left out: {VARIABLE} is {OFF}"));
}

#[expect(clippy::disallowed_methods, reason = "the only setting of tests on PostgreSQL")]
fn variable() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|value| !value.is_empty())
}

/// Returns a text that tells this process from all others that use a server: its number alone does
/// not, because a run of tests has more processes and threads than Linux, by default, has numbers.
#[expect(clippy::disallowed_methods, reason = "a name that no earlier process has")]
fn process() -> &'static str {
    static PROCESS: OnceLock<String> = OnceLock::new();
    PROCESS.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}_{}", std::process::id(), now.as_micros())
    })
}

impl Database {
    /// Returns the URL of a schema that no other test uses.
    pub fn url(&self) -> String {
        static SCHEMAS: AtomicU32 = AtomicU32::new(0);
        let nth = SCHEMAS.fetch_add(1, Ordering::Relaxed);
        format!("{}?schema=test{}_{nth}", self.url, process())
    }

    /// Returns the URL of the database, without parameters.
    pub fn base_url(&self) -> String {
        self.url.clone()
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        let port = self.url.rsplit(':').next().and_then(|rest| rest.split('/').next());
        port.and_then(|port| port.parse().ok()).unwrap_or_else(|| {
            panic!("{VARIABLE} is like postgres://owner@127.0.0.1:5432/postgres")
        })
    }

    /// Runs SQL and returns its output.
    pub fn sql(&self, text: &str) -> String {
        let mut psql = command(&installed().join("psql"));
        psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.url, "-c", text]);
        run(&mut psql).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_a_schema_of_its_own() {
        let database = Database { url: "postgres://owner@127.0.0.1:5433/postgres".to_owned() };
        assert_eq!(database.port(), 5433);
        let (first, second) = (database.url(), database.url());
        assert!(first.starts_with("postgres://owner@127.0.0.1:5433/postgres?schema=test"));
        assert_ne!(first, second);
    }
}
