//! Time of a release build from a clean clone. Crates come from the local registry cache;
//! downloading is not measured.

use crate::bench::{Bench, workspace};
use crate::report::{Figure, Row, Target, Unit};
use std::process::Command;
use std::time::Instant;

const NAME: &str = "build/clean-clone";
const MOST_S: f64 = 180.0;

/// Measures the row, if the long measurements are asked for.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if bench.settings.large_items.is_none() || !bench.settings.wants(NAME) {
        return Ok(());
    }
    let clone = bench.path("clone");
    let mut command = Command::new("git");
    command.args(["clone", "--quiet"]).arg(workspace()).arg(&clone);
    finish(&mut command)?;
    let start = Instant::now();
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--release", "--package", "hashrange-cli"]);
    finish(command.env_remove("CARGO_TARGET_DIR").current_dir(&clone))?;
    let seconds = start.elapsed().as_secs_f64();
    bench.add(Row {
        name: NAME.to_owned(),
        ours: "cargo build --release".to_owned(),
        beside: "without downloads".to_owned(),
        figure: Figure {
            value: seconds,
            spread: (seconds, seconds),
            target: Target::AtMost(MOST_S),
            unit: Unit::Seconds,
        },
        notes: Vec::new(),
    });
    Ok(())
}

fn finish(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    status.success().then_some(()).ok_or_else(|| format!("{command:?} failed: {status}"))
}
