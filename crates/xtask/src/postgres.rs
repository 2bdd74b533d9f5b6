//! PostgreSQL for the tests: Debian's packages where the system has none, one server for a run, and the suites that
//! run on it. Without it they are left out, with a message.

use std::process::Command;

use hashrange_scratch::{OFF, Server, VARIABLE, fetched, folder_of_programs};

use crate::command::{cargo, is_present, run, step};
use crate::conformance;
use crate::debian::Packages;
use crate::terminal::say;
use crate::workspace;

/// The variable by which tests that do not depend on a store choose one (`testkit::database`).
const STORE_VARIABLE: &str = "HASHRANGE_TEST_STORE";

/// The engine's suite for nextest, without the simulation, which has its own stores.
const ENGINE: &str = "package(hashrange-engine) & kind(test) & not binary(simulation)";

/// The store's own tests for nextest.
const STORE: &str = "package(hashrange-storage) & (binary(/^postgres/) | test(/^postgres/))";

/// The PostgreSQL server of a run, if any; ends with the value.
pub struct Postgres(Option<Server>);

impl Postgres {
    /// Fetches PostgreSQL if the system has none, and starts a server. Prints a message if there is none: then tests
    /// leave it out.
    pub fn start() -> Result<Self, String> {
        if folder_of_programs(&fetched()).is_none() && !fetch()? {
            return Ok(Self(None));
        }
        Ok(Self(Some(Server::start())))
    }

    /// Passes the server's URL to the tests of a command, or that there is none.
    pub fn tell(&self, tests: &mut Command) {
        tests.env(VARIABLE, self.0.as_ref().map_or_else(|| OFF.to_owned(), Server::base_url));
    }

    /// Returns whether there is a server.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the URL of a fresh schema.
    pub fn url(&self) -> Option<String> {
        self.0.as_ref().map(Server::url)
    }
}

/// Returns the filter of all tests but the store's own on PostgreSQL, for nextest.
pub fn all_others() -> String {
    format!("not ({STORE})")
}

/// Runs the suites that the workspace's tests do not run on PostgreSQL: the engine's, and real clients.
pub fn test(postgres: &Postgres) -> Result<(), String> {
    if !postgres.is_there() {
        say("=== the engine's suite and real clients on PostgreSQL are left out");
        return Ok(());
    }
    step("the engine's suite on PostgreSQL", || {
        run(tests(postgres, ENGINE, &["hashrange-engine"]).env(STORE_VARIABLE, "postgres"))
    })?;
    conformance::on_postgres(postgres)
}

/// Runs all tests on PostgreSQL, by themselves.
pub fn alone() -> Result<(), String> {
    let postgres = Postgres::start()?;
    step("the store's tests on PostgreSQL", || {
        run(&mut tests(&postgres, STORE, &["hashrange-storage", "--features", "postgres"]))
    })?;
    test(&postgres)
}

/// Kills primaries and lets standbys take over under clients, by one of the campaigns, for so many seconds. Each run
/// has servers of its own.
pub fn failover(campaign: &str, seconds: &str) -> Result<(), String> {
    if folder_of_programs(&fetched()).is_none() && !fetch()? {
        return Err("failovers need PostgreSQL".to_owned());
    }
    let mut tests =
        cargo(&["test", "--locked", "-p", "hashrange-storage", "--features", "postgres"]);
    tests.args(["--test", "postgres_failover", "--", campaign, "--ignored", "--nocapture"]);
    run(tests.env("HASHRANGE_FAILOVER_SECONDS", seconds))
}

/// Returns the run of these tests of the workspace: without nextest, of all tests of their package.
fn tests(postgres: &Postgres, which: &str, package: &[&str]) -> Command {
    let mut tests = if is_present("cargo", &["nextest", "--version"]) {
        // Of the whole workspace: of one crate, others of its dependencies' features would be compiled.
        let mut tests = cargo(&["nextest", "run", "--workspace", "--locked", "-E", which]);
        tests.args(["--status-level", "fail", "--final-status-level", "slow"]);
        tests
    } else {
        let mut tests = cargo(&["test", "--locked", "--quiet", "--tests", "-p"]);
        tests.args(package);
        tests
    };
    postgres.tell(&mut tests);
    tests
}

/// Fetches PostgreSQL and returns whether there is one; if not, prints why.
fn fetch() -> Result<bool, String> {
    let packages = Packages::of(workspace::root().join("tests/e2e/postgresql/packages.txt"))?;
    if let Some(why) = packages.missing() {
        say(&format!("=== PostgreSQL is left out: it is not installed, and there is {why}"));
        return Ok(false);
    }
    let root = fetched();
    let folder = root.parent().ok_or("a folder for packages")?;
    step("fetch PostgreSQL", || packages.unpack(folder))?;
    Ok(true)
}
