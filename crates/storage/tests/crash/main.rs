//! Crash tests of the embedded store: kill -9, power loss, damaged files, a full disk.
//!
//! `cargo test -p hashrange-storage --test crash [NAME]`; every run prints its seed.
//!
//! | variable          | meaning                                                              |
//! |-------------------|----------------------------------------------------------------------|
//! | `CRASH_SEED`      | runs the same choices again                                          |
//! | `CRASH_FACTOR`    | so many times more rounds, stop points and flips (default 1)         |
//! | `CRASH_ALL`       | power loss at every single recorded call instead of a sample         |
//!
//! The program starts itself again as the process that is killed, so it brings its own `main`.

#![expect(
    clippy::disallowed_methods,
    reason = "a program with a main of its own: the process that is killed gets its work in the environment"
)]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test: failures panic")]

mod child;
mod damage;
mod disk;
#[path = "../files/mod.rs"]
mod files;
mod full_disk;
mod kill9;
mod power_loss;
mod trace;
mod workload;

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

type Test = fn(&mut Random);

const TESTS: [(&str, Test); 5] = [
    ("kill9", kill9::run),
    ("power_loss", power_loss::run),
    ("power_loss_with_log_rotation", power_loss::run_with_log_rotation),
    ("damage", damage::run),
    ("full_disk", full_disk::run),
];

fn main() -> ExitCode {
    if child::is_child() {
        workload::run_child();
        return ExitCode::SUCCESS;
    }
    let filters: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if std::env::args().any(|argument| argument == "--list") {
        // Asked for the ignored tests as well; there are none.
        if std::env::args().any(|argument| argument == "--ignored") {
            return ExitCode::SUCCESS;
        }
        for (name, _) in TESTS {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let seed = setting("CRASH_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        u64::from(now.subsec_micros())
    });
    let mut failed = false;
    for (name, test) in TESTS {
        if filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
            println!("test {name}: CRASH_SEED={seed}");
            let passed = catch_unwind(|| test(&mut Random::new(seed))).is_ok();
            println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
            failed |= !passed;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Returns `count`, multiplied for long runs.
fn scaled(count: u64) -> u64 {
    count * setting("CRASH_FACTOR").unwrap_or(1)
}

/// A small seeded generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns an offset below a length.
    fn offset(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn is_one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}
