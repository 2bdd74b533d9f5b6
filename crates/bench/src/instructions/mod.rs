//! Instruction counts of the hot paths under callgrind, compared with committed figures.
//!
//! Wall-clock time differs from run to run; these counts hardly do. A path runs twice, with few and
//! with many repetitions; the difference is free of the work that is done once. More instructions
//! than the tolerance allows are a failure; fewer are shown.
//!
//! The file has one `path = instructions per operation` a line, as TOML has it.

mod hot_paths;
mod http_path;

use crate::bench::workspace;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Excess over the committed figure that is accepted, as a part of it.
const TOLERANCE: f64 = 0.05;
const FEW: u64 = 200;
const MANY: u64 = 1200;
const HEAD: &str = "\
# Instructions per operation on the hot paths, as callgrind counts them in a build with profile dist.
# Compared by `cargo xtask bench instructions`, rewritten with `--bless`.
";

/// Runs a path some times, under callgrind.
pub fn run_path(name: &str, times: u64) -> Result<(), String> {
    hot_paths::run(name, times)
}

/// Compares all paths with the committed figures.
pub fn check() -> Result<(), String> {
    if !has_valgrind() {
        println!("skipped: valgrind is not installed, so no instruction is counted");
        return Ok(());
    }
    let text = std::fs::read_to_string(file()).unwrap_or_default();
    let committed = parse(&text)?;
    let mut failed = Vec::new();
    for name in hot_paths::NAMES {
        let counted = count(name)?;
        let finding = Finding::new(counted, committed.get(name).copied());
        println!("{name:24} {counted:>9} instructions, {finding}");
        if finding.is_failure() {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} not as committed in {}; look why, or accept with --bless",
        failed.join(", "),
        file().display()
    ))
}

/// Counts all paths and writes the figures to commit.
pub fn bless() -> Result<(), String> {
    let mut text = HEAD.to_owned();
    for name in hot_paths::NAMES {
        let counted = count(name)?;
        println!("{name:24} {counted:>9} instructions");
        text.extend([name, " = ", &counted.to_string(), "\n"]);
    }
    std::fs::write(file(), text).map_err(|error| error.to_string())
}

fn file() -> PathBuf {
    workspace().join("crates/bench/instructions.toml")
}

fn has_valgrind() -> bool {
    let mut command = Command::new("valgrind");
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the instructions of one operation of a path.
fn count(name: &str) -> Result<u64, String> {
    let (few, many) = (count_run(name, FEW)?, count_run(name, MANY)?);
    Ok(many.saturating_sub(few) / (MANY - FEW))
}

fn count_run(name: &str, times: u64) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(own).args(["hot-path", name, &times.to_string()]);
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{command:?} failed: {log}"));
    }
    collected(&log).ok_or_else(|| format!("{command:?} told no count: {log}"))
}

/// Returns the count in callgrind's closing lines.
fn collected(log: &str) -> Option<u64> {
    let line = log.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.trim().parse().ok()
}

/// Comparison of a count with the committed one.
#[derive(Debug, PartialEq)]
enum Finding {
    New,
    Same(f64),
    Fewer(f64),
    More(f64),
}

impl Finding {
    fn new(counted: u64, committed: Option<u64>) -> Self {
        let Some(committed) = committed else { return Self::New };
        let (counted, committed) = (counted as f64, committed as f64);
        let growth = counted / committed - 1.0;
        match counted {
            counted if counted > committed * (1.0 + TOLERANCE) => Self::More(growth),
            counted if counted < committed * (1.0 - TOLERANCE) => Self::Fewer(growth),
            _ => Self::Same(growth),
        }
    }

    fn is_failure(&self) -> bool {
        matches!(self, Self::New | Self::More(_))
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::New => formatter.write_str("no committed figure"),
            Self::Same(growth) => write!(formatter, "{:+.1} %", growth * 100.0),
            Self::Fewer(growth) => write!(formatter, "{:+.1} %: better", growth * 100.0),
            Self::More(growth) => write!(formatter, "{:+.1} %: worse", growth * 100.0),
        }
    }
}

/// Returns the committed figures.
fn parse(text: &str) -> Result<BTreeMap<&str, u64>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, number) = line.split_once(" = ")?;
            Some((name, number.parse().ok()?))
        })
        .collect::<Option<_>>()
        .ok_or_else(|| format!("{} has a line that is not 'path = number'", file().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_tolerance_fails() {
        let cases = [(1051, true), (1050, false), (900, false)];
        for (counted, is_failure) in cases {
            assert_eq!(Finding::new(counted, Some(1000)).is_failure(), is_failure, "{counted}");
        }
        assert!(Finding::new(1, None).is_failure());
        assert_eq!(Finding::new(900, Some(1000)).to_string(), "-10.0 %: better");
    }

    #[test]
    fn figures_and_counts_are_read() {
        assert_eq!(parse("# x\nget-item = 12\n").unwrap(), BTreeMap::from([("get-item", 12)]));
        assert!(parse("get-item: 12").is_err());
        let log = "==1== Events    : Ir\n==1== Collected : 123456\n==1== I refs: 123,456\n";
        assert_eq!(collected(log), Some(123_456));
        assert_eq!(collected("killed"), None);
    }

    #[test]
    fn every_path_runs() {
        for name in hot_paths::NAMES {
            run_path(name, 2).unwrap();
        }
        assert!(run_path("unknown", 1).is_err());
    }

    #[test]
    fn every_path_has_a_committed_figure() {
        let text = std::fs::read_to_string(file()).unwrap();
        let committed = parse(&text).unwrap();
        assert!(hot_paths::NAMES.iter().all(|name| committed.contains_key(name)));
    }
}
