//! The tests: one command for everything, as the README has it, and CI as its superset.

use crate::check;
use crate::command::{cargo, is_present, run, step};
use crate::conformance;
use crate::console;
use crate::fuzzing;
use crate::long_runs;
use crate::packages;
use crate::postgres::{self, Postgres};
use crate::prerequisites;

/// Runs every test of the workspace, with real clients and the packages at the end; `filter` narrows it to
/// workspace tests whose name contains it.
pub fn test(filter: Option<&str>) -> Result<(), String> {
    if filter.is_none() {
        prerequisites::check_all()?;
    }
    let postgres = Postgres::start()?;
    step("workspace tests", || workspace_tests(filter, &postgres))?;
    if filter.is_some() {
        return Ok(());
    }
    step("documentation tests", || {
        run(&mut cargo(&["test", "--workspace", "--locked", "--doc", "--quiet"]))
    })?;
    step("schedules, briefly", || long_runs::shuttle("1000"))?;
    step("fuzzing, briefly", || fuzzing::fuzz(&["all", "--seconds", "3"]))?;
    conformance::all()?;
    console::test()?;
    postgres::test(&postgres)?;
    step("pages with real clients", pages_with_clients)?;
    packages::test()
}

/// Does exactly what CI does, in its order; stops at the first red step.
pub fn ci() -> Result<(), String> {
    check::check()?;
    test(None)
}

/// Rewrites the golden files; `git diff` shows the changes.
pub fn bless() -> Result<(), String> {
    let mut tests = cargo(&["test", "--workspace", "--locked", "--quiet", "--tests"]);
    run(tests.env("HASHRANGE_BLESS", "1"))
}

/// Runs the pages again, with the clients that they name.
fn pages_with_clients() -> Result<(), String> {
    // Of the whole workspace: of one crate, others of its dependencies' features would be compiled.
    let mut tests = cargo(&["test", "--workspace", "--locked", "--quiet", "--test", "pages"]);
    run(tests.env("HASHRANGE_PAGES", "whole"))
}

fn workspace_tests(filter: Option<&str>, postgres: &Postgres) -> Result<(), String> {
    let nextest = is_present("cargo", &["nextest", "--version"]);
    let runner: &[&str] = if nextest { &["nextest", "run"] } else { &["test", "--tests"] };
    let mut command = cargo(runner);
    command.args(["--workspace", "--locked"]);
    if nextest {
        command.args([
            "--no-tests",
            "pass",
            "--status-level",
            "fail",
            "--final-status-level",
            "slow",
        ]);
    }
    postgres.tell(&mut command);
    if !postgres.is_there() && nextest {
        command.args(["-E", &postgres::all_others()]);
    }
    run(command.args(filter))
}
