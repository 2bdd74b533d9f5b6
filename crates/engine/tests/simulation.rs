//! The whole engine under simulated clients, clock and disk, for some seeds; and proof that a
//! simulation finds what it is for, and that a seed replays it.
//!
//! `cargo xtask simulate` runs it for as long as one likes.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: failures panic, and it says what it found"
)]

use hashrange_testkit::simulation::{Flaw, Simulation, THING_WRITERS};
use std::env;

/// Seeds of the ordinary test.
const SEEDS: u64 = 30;

fn simulation(seed: u64) -> Simulation {
    Simulation { seed, rounds: 2, servers: 1, flaw: None }
}

fn of_three_servers(seed: u64) -> Simulation {
    Simulation { servers: 3, ..simulation(seed) }
}

/// Runs a simulation for some seeds.
fn run_all(simulation: fn(u64) -> Simulation) {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let seeds = match (number("HASHRANGE_SIMULATION_SEED"), number("HASHRANGE_SIMULATION_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, seeds) => 0..seeds.unwrap_or(SEEDS),
    };
    let mut restarts = 0;
    for seed in seeds {
        match simulation(seed).run() {
            Ok(summary) => restarts += summary.restarts,
            Err(failure) => panic!("{failure}"),
        }
    }
    println!("the servers were started {restarts} times");
}

#[test]
fn nothing_is_lost_made_or_left_over() {
    run_all(simulation);
}

#[test]
fn nothing_is_lost_made_or_left_over_by_three_servers() {
    run_all(of_three_servers);
}

#[test]
fn a_seed_is_a_trace() {
    for simulation in [simulation, of_three_servers] {
        let [one, same, other] = [3, 3, 4].map(|seed| simulation(seed).run().unwrap());
        assert_eq!(one, same);
        assert_ne!(one.trace, other.trace);
    }
}

/// A planted fault is found soon, by what is there to find it, and found again in the same way by
/// its seed.
#[test]
fn planted_faults_are_found_and_replayed() {
    for (flaw, words) in [
        (Flaw::Amnesia, ""),
        (Flaw::TornCommit, "after a restart"),
        (Flaw::StaleDecision, ""),
        (Flaw::BlindRead, " is None, not one of"),
        (Flaw::ShortWalk, "by-version and the table"),
        (Flaw::TornView, "sum by Scan"),
        (Flaw::TornView, "sum by Query"),
        (Flaw::TornView, "sum by QueryOfIndex"),
        (Flaw::TornView, "sum by BatchGetItem"),
        (Flaw::TornView, "moved by BatchGetItem"),
        (Flaw::TornView, "moved by TransactGetItems"),
        (Flaw::TornView, "part of a batch"),
        (Flaw::LeftBehind, "data of unknown table"),
        (Flaw::HastyClock, " is too early"),
        (Flaw::LostVersion, "changes of accounts by their versions"),
        (Flaw::LostVersion, "and its changes"),
        (Flaw::WrongMoment, "sum of all versions"),
        (Flaw::WrongMoment, " became "),
        (Flaw::GreedySweep, " was something else before "),
        (Flaw::SkippedItem, " by label = "),
    ] {
        assert_found(flaw, words, simulation);
    }
}

/// The same, whichever operation alone does not follow key templates.
#[test]
fn keys_that_are_not_derived_are_found_and_replayed() {
    for operation in THING_WRITERS {
        assert_found(Flaw::KeptKey(operation), "the rank of", simulation);
        assert_found(Flaw::LeftKey(operation), "the rank of", simulation);
    }
}

#[test]
fn planted_faults_of_several_servers_are_found_and_replayed() {
    for (flaw, words) in [
        (Flaw::StaleCatalogue, ""),
        (Flaw::LateStamp, ""),
        (Flaw::UndyingHeart, "the clients come to no end"),
    ] {
        assert_found(flaw, words, of_three_servers);
    }
}

fn assert_found(flaw: Flaw, words: &str, simulation: fn(u64) -> Simulation) {
    let runs = (0..200).map(|seed| Simulation { flaw: Some(flaw), ..simulation(seed) });
    let mut failures = runs.filter_map(|run| run.run().err());
    let failure = failures.find(|failure| failure.message.contains(words));
    let failure = failure.unwrap_or_else(|| panic!("{flaw:?} is not found by {words:?}"));
    assert_eq!(failure.simulation.run().unwrap_err(), failure);
    let seed = failure.simulation.seed;
    assert!(failure.to_string().contains(&format!("cargo xtask simulate --seed {seed}")));
    println!("{flaw:?}, seed {seed}: {}", failure.message);
}
