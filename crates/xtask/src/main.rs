//! Project tasks, run as `cargo xtask <task>`.
//!
//! This file only picks the task; each task is a module of its own. Prints what went wrong
//! to standard error and ends with status 1 when a task fails.

#![expect(
    clippy::disallowed_methods,
    reason = "tasks wait for the programs they start, and Cargo tells them its path in the environment"
)]

use std::io::Write;
use std::process::ExitCode;

mod check;
mod codegen;
mod command;
mod conformance;
mod console;
mod debian;
mod dist;
mod fetched;
mod fuzzing;
mod long_runs;
mod oldest_rust;
mod packages;
mod postgres;
mod prerequisites;
mod server;
mod suite;
mod terminal;
mod tidy;
mod tools;
mod workspace;

const USAGE: &str = "\
usage: cargo xtask <task>

tasks:
  check                  format, house rules, generated code, crates of others, spelling, clippy, documentation
  tidy [--verbose]       the house rules alone; --verbose: with every circle of files
  test [FILTER]          every test, real clients and packages included; FILTER: workspace tests by name
  conformance [--client python|cli|js|rust|go|java]... [--target URL]
                         real clients against the release binary, or against a running server
  postgres               the suites on PostgreSQL: the store's, the engine's, real clients
  failover [--seconds N] a primary and two standbys that die and take over under clients (600)
  failover --patroni [--seconds N]   the same on a cluster that Patroni keeps
  console                the web console: types, built files, unit tests, every screen in a browser
  console build          build console/built from its sources
  pictures               the pictures of README and docs, from the running product
  packages               the wheel and the npm package, built from this tree, installed and tested
  dist                   what a release consists of, into target/dist
  ci                     exactly what CI does: check, then test
  bless                  rewrite the golden files
  serve [ARGUMENT...]    build and start the server
  crash [FACTOR]         crash tests of the store, FACTOR times as long (10)
  model [STEPS]          random operations against the models (100000)
  history [ROUNDS]       concurrent clients, their histories checked (100)
  simulate [SEEDS]       the whole engine on a virtual clock and a failing disk (1000)
  simulate --seed N      one such run again, exactly
  shuttle [SCHEDULES]    the store's threads under a scheduler, so many schedules of each kind (20000)
  fuzz TARGET [--seconds N] [--seed N]
                         inputs that reach new code, for one target or for each
  bench [ARGUMENT...]    the benchmark
  oldest-rust            compile the workspace with the oldest Rust that it is for
  codegen [--check]      write (or compare) the generated part of crates/wire
  facts SERVICE_JSON...  reduce service models to crates/wire/model/facts.json
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing can be done when standard error is closed.
            drop(writeln!(std::io::stderr(), "{message}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["check"] => check::check(),
        ["tidy"] => tidy::tidy(),
        ["tidy", "--verbose"] => tidy::tidy_verbose(),
        ["test"] => suite::test(None),
        ["test", filter] => suite::test(Some(filter)),
        ["conformance", rest @ ..] => conformance::with_arguments(rest),
        ["postgres"] => postgres::alone(),
        ["failover"] => postgres::failover("campaign_of_failovers", "600"),
        ["failover", "--seconds", seconds] => postgres::failover("campaign_of_failovers", seconds),
        ["failover", "--patroni"] => postgres::failover("campaign_of_patroni", "600"),
        ["failover", "--patroni", "--seconds", seconds] => {
            postgres::failover("campaign_of_patroni", seconds)
        }
        ["console"] => console::test(),
        ["console", "build"] => console::build(),
        ["pictures"] => console::pictures(),
        ["packages"] => packages::test(),
        ["dist"] => dist::dist(),
        ["ci"] => suite::ci(),
        ["bless"] => suite::bless(),
        ["serve", rest @ ..] => long_runs::serve(rest),
        ["crash"] => long_runs::crash("10"),
        ["crash", factor] => long_runs::crash(factor),
        ["model"] => long_runs::model("100000"),
        ["model", steps] => long_runs::model(steps),
        ["history"] => long_runs::history("100"),
        ["history", rounds] => long_runs::history(rounds),
        ["simulate"] => long_runs::simulate("1000"),
        ["simulate", "--seed", seed] => long_runs::simulate_again(seed),
        ["simulate", seeds] => long_runs::simulate(seeds),
        ["shuttle"] => long_runs::shuttle("20000"),
        ["shuttle", schedules] => long_runs::shuttle(schedules),
        ["fuzz", rest @ ..] if !rest.is_empty() => fuzzing::fuzz(rest),
        ["bench", rest @ ..] => long_runs::bench(rest),
        ["oldest-rust"] => oldest_rust::build(),
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["facts", paths @ ..] if !paths.is_empty() => codegen::write_facts(paths),
        _ => Err(USAGE.to_owned()),
    }
}
