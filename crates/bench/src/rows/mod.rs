//! The rows of the report, by the servers and data that they need.

pub mod beside;
pub mod build;
pub mod busy;
pub mod http;
pub mod postgres;
pub mod process;
pub mod scale;
pub mod soak;
pub mod start;
pub mod transactions;

use crate::bench::Bench;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::Rounds;

/// Measures everything the settings ask for.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if let Some(duration) = bench.settings.soak {
        return soak::run(bench, duration);
    }
    http::run(bench)?;
    busy::run(bench)?;
    beside::run(bench)?;
    process::run(bench)?;
    transactions::run(bench)?;
    scale::run(bench)?;
    postgres::run(bench)?;
    start::run(bench)?;
    build::run(bench)
}

/// Returns a row of two rates: ours as a share of the other.
fn share_row(name: &str, beside: &str, rounds: &Rounds, least: Option<f64>) -> Row {
    let (value, spread) = rounds.ratio();
    let target = least.map_or(Target::None, Target::AtLeast);
    Row {
        name: name.to_owned(),
        ours: rate_text(rounds.ours()),
        beside: format!("{beside} {}", rate_text(rounds.beside())),
        figure: Figure { value, spread, target, unit: Unit::Percent },
        notes: Vec::new(),
    }
}

/// Returns a row of two times per operation: ours as a multiple of the other.
fn multiple_row(name: &str, beside: &str, rounds: &Rounds, most: Option<f64>) -> Row {
    let (value, spread) = rounds.ratio();
    let target = most.map_or(Target::None, Target::AtMost);
    Row {
        name: name.to_owned(),
        ours: format!("{:.2} us", rounds.ours() * 1e6),
        beside: format!("{beside} {:.2} us", rounds.beside() * 1e6),
        figure: Figure { value, spread, target, unit: Unit::Times },
        notes: Vec::new(),
    }
}
