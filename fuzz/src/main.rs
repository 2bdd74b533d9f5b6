//! Mutated inputs for everything that parses, on a stable toolchain.
//!
//! `hashrange-fuzz TARGET|all [--seconds N] [--seed N]`. Each case starts from a good input of the
//! target and is damaged at random; the same seed gives the same cases. A panic or a case slower
//! than [`SLOW`] ends the run with the input printed: it then becomes a named test of the crate
//! that it concerns.

mod mutation;
mod streams;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mutation::Mutator;
use targets::{Fuzzed, TARGETS, Target};

/// No input of these sizes may take so long.
const SLOW: Duration = Duration::from_secs(5);

struct Settings {
    target: String,
    seconds: u64,
    seed: u64,
}

fn main() -> ExitCode {
    let outcome = settings(std::env::args().skip(1)).and_then(|settings| run(&settings));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(mut words: impl Iterator<Item = String>) -> Result<Settings, String> {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let usage =
        || format!("usage: TARGET [--seconds N] [--seed N]; targets: all {}", names.join(" "));
    let target = words.next().ok_or_else(usage)?;
    let mut settings = Settings { target, seconds: 30, seed: 1 };
    while let Some(word) = words.next() {
        let value = words.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
        match word.as_str() {
            "--seconds" => settings.seconds = value,
            "--seed" => settings.seed = value,
            _ => return Err(usage()),
        }
    }
    Ok(settings)
}

fn run(settings: &Settings) -> Result<(), String> {
    let is_chosen = |target: &&Target| settings.target == "all" || settings.target == target.name;
    let chosen: Vec<&Target> = TARGETS.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        return Err(format!("unknown target {}", settings.target));
    }
    let share = Duration::from_secs(settings.seconds) / u32::try_from(chosen.len()).unwrap_or(1);
    chosen.iter().try_for_each(|target| fuzz(target, share, settings.seed))
}

fn fuzz(target: &Target, time: Duration, seed: u64) -> Result<(), String> {
    let Fuzzed { inputs, mut check } = (target.start)();
    let mut mutator = Mutator::new(seed, inputs);
    let start = Instant::now();
    let mut cases = 0_u64;
    while start.elapsed() < time {
        let input = mutator.next_input();
        let begin = Instant::now();
        let passed = catch_unwind(AssertUnwindSafe(|| check(&input))).is_ok();
        let slow = begin.elapsed() > SLOW;
        if !passed || slow {
            let fault = if passed { "slow" } else { "panic" };
            let input = input.escape_ascii();
            return Err(format!("{fault}: {} --seed {seed}, case {cases}:\n{input}", target.name));
        }
        cases += 1;
    }
    println!("{}: {cases} cases, seed {seed}: ok", target.name);
    Ok(())
}
