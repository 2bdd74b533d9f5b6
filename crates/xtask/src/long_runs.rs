//! Tests that can go on for as long as one likes: crashes, random models, histories,
//! simulations, schedules of threads, benchmarks.

use crate::command::{cargo, program, run};
use crate::workspace;
use std::process::Command;

/// Runs the crash tests of the store, `factor` times as long as in the ordinary tests.
pub fn crash(factor: &str) -> Result<(), String> {
    let mut tests =
        cargo(&["test", "--release", "--locked", "-p", "hashrange-storage", "--test", "crash"]);
    run(tests.env("CRASH_FACTOR", factor).env("CRASH_ALL", "1"))
}

/// Runs random operations against the models, `steps` of them per engine.
pub fn model(steps: &str) -> Result<(), String> {
    let mut tests = cargo(&["test", "--release", "--locked", "--workspace", "--test", "model"]);
    run(tests.env("HASHRANGE_MODEL_STEPS", steps).env("HASHRANGE_MODEL_OPS", steps))
}

/// Runs concurrent clients whose histories are checked, in process and of a server that is killed,
/// `rounds` times.
pub fn history(rounds: &str) -> Result<(), String> {
    for (package, test) in [("hashrange", "history"), ("hashrange-cli", "kill")] {
        let mut tests = cargo(&["test", "--release", "--locked", "-p", package, "--test", test]);
        run(tests.env("HASHRANGE_HISTORY_ROUNDS", rounds))?;
    }
    Ok(())
}

/// Simulates the whole engine, once for each of so many seeds.
pub fn simulate(seeds: &str) -> Result<(), String> {
    run(simulation().env("HASHRANGE_SIMULATION_SEEDS", seeds))
}

/// Simulates the whole engine for one seed, as it was done before.
pub fn simulate_again(seed: &str) -> Result<(), String> {
    run(simulation().env("HASHRANGE_SIMULATION_SEED", seed))
}

fn simulation() -> Command {
    let mut tests = cargo(&["test", "--release", "--locked", "-p", "hashrange-engine"]);
    tests.args(["--test", "simulation", "--", "nothing_is_lost_made_or_left_over"]);
    tests
}

/// Runs the store's writers, readers and committer under a scheduler, so many schedules of each kind
/// for each test. Its locks are others, so the store alone is built once more.
pub fn shuttle(schedules: &str) -> Result<(), String> {
    let mut tests = cargo(&["test", "--locked", "--quiet", "-p", "hashrange-storage"]);
    tests.args(["--features", "shuttle", "--lib", "schedules"]);
    run(tests.env("HASHRANGE_SHUTTLE_ITERATIONS", schedules))
}

/// Runs the benchmark package with the given arguments, on the build of releases.
pub fn bench(arguments: &[&str]) -> Result<(), String> {
    if !workspace::root().join("crates/bench/Cargo.toml").exists() {
        return Err("there is no benchmark package (crates/bench) yet".to_owned());
    }
    let mut command =
        cargo(&["run", "--profile", "dist", "--locked", "-p", "hashrange-bench", "--"]);
    run(command.args(arguments))
}

/// Starts the server from the current sources.
pub fn serve(arguments: &[&str]) -> Result<(), String> {
    let binary = crate::conformance::build()?;
    run(program(&binary, &["serve"]).args(arguments))
}
