//! The whole engine under simulated clients, clock and disk, for some seeds; and proof that a
//! simulation finds what it is for, and that a seed replays it.
//!
//! `cargo xtask simulate` runs it for as long as one likes.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]

use hashrange_testkit::simulation::{Flaw, Simulation};
use std::env;

/// Seeds of the ordinary test.
const SEEDS: u64 = 30;

fn simulation(seed: u64) -> Simulation {
    Simulation { seed, rounds: 2, flaw: None }
}

#[test]
fn nothing_is_lost_made_or_left_over() {
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
    println!("the server was started {restarts} times");
}

#[test]
fn a_seed_is_a_trace() {
    let [one, same, other] = [3, 3, 4].map(|seed| simulation(seed).run().unwrap());
    assert_eq!(one, same);
    assert_ne!(one.trace, other.trace);
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
    ] {
        let runs = (0..200).map(|seed| Simulation { flaw: Some(flaw), ..simulation(seed) });
        let mut failures = runs.filter_map(|run| run.run().err());
        let failure = failures.find(|failure| failure.message.contains(words));
        let failure = failure.unwrap_or_else(|| panic!("{flaw:?} is not found by {words:?}"));
        assert_eq!(failure.simulation.run().unwrap_err(), failure);
        let seed = failure.simulation.seed;
        assert!(failure.to_string().contains(&format!("cargo xtask simulate --seed {seed}")));
    }
}
