//! Fuzzing: builds the fuzz targets with the instrumentation that guides libFuzzer, and runs them on inputs taken
//! from the golden scripts.
//!
//! Inputs found by a target stay in `target/fuzz/corpus/TARGET`, so that the next run goes on there. The
//! instrumentation is LLVM's and works on the stable compiler.

use crate::command::{cargo, is_present, output, program, run, step};
use crate::terminal::say;
use crate::workspace;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Counters for each branch and the operands of comparisons, as libFuzzer wants them.
const INSTRUMENTATION: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";
const USAGE: &str = "usage: cargo xtask fuzz TARGET|all [--seconds N] [--seed N]";
/// Longest run of an input, seconds.
const TIMEOUT_S: &str = "10";
/// Most memory of the process, in MB.
const MEMORY_MAX_MB: &str = "2048";
/// Lines of a failed run's log that are shown.
const LAST_LINES: usize = 60;

/// Settings of one run.
struct Settings<'a> {
    target: &'a str,
    /// Of each target.
    seconds: &'a str,
    seed: &'a str,
}

/// Fuzzes one target, or each in turn.
pub fn fuzz(arguments: &[&str]) -> Result<(), String> {
    let settings = settings(arguments)?;
    if !is_present("c++", &["--version"]) {
        say("no C++ compiler for libFuzzer (Debian: apt-get install g++): fuzzing is skipped");
        return Ok(());
    }
    let binary = build()?;
    let names = Command::new(&binary).output().map_err(|error| format!("list targets: {error}"))?;
    let names = String::from_utf8_lossy(&names.stdout);
    let is_chosen = |name: &&str| settings.target == "all" || settings.target == *name;
    let chosen: Vec<&str> = names.lines().filter(is_chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = names.lines().collect();
        return Err(format!("{USAGE}; targets: {}", names.join(" ")));
    }
    chosen.iter().try_for_each(|name| step(name, || fuzz_one(&binary, name, &settings)))
}

fn settings<'a>(arguments: &[&'a str]) -> Result<Settings<'a>, String> {
    let [target, options @ ..] = arguments else { return Err(USAGE.to_owned()) };
    let mut settings = Settings { target, seconds: "30", seed: "1" };
    for option in options.chunks(2) {
        match *option {
            ["--seconds", seconds] => settings.seconds = seconds,
            ["--seed", seed] => settings.seed = seed,
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(settings)
}

/// Builds the fuzz targets for this machine by name, so that build scripts are not instrumented; returns the program.
fn build() -> Result<PathBuf, String> {
    let version = output(&mut program("rustc".as_ref(), &["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("rustc -vV names no host")?;
    let target = workspace::target().join("fuzz");
    let manifest = workspace::root().join("fuzz/Cargo.toml");
    let mut build = cargo(&["build", "--release", "--locked", "--quiet", "--target", host]);
    build.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target);
    run(build.env("RUSTFLAGS", INSTRUMENTATION))?;
    Ok(target.join(host).join("release/hashrange-fuzz"))
}

fn fuzz_one(binary: &Path, name: &str, settings: &Settings<'_>) -> Result<(), String> {
    let folder = workspace::target().join("fuzz");
    let (seeds, corpus) = (folder.join("seeds").join(name), folder.join("corpus").join(name));
    for folder in [&seeds, &corpus] {
        std::fs::create_dir_all(folder).map_err(|error| format!("create {name}: {error}"))?;
    }
    let start = || {
        let mut command = Command::new(binary);
        command.env("HASHRANGE_FUZZ_TARGET", name);
        command
    };
    run(start().env("HASHRANGE_FUZZ_SEEDS", &seeds).stderr(Stdio::null()))?;
    let findings = folder.join(format!("{name}-"));
    let dictionary = workspace::root().join("fuzz/dictionary.txt");
    let mut fuzzing = start();
    fuzzing
        .arg(format!("-max_total_time={}", settings.seconds))
        .arg(format!("-seed={}", settings.seed))
        .arg(format!("-timeout={TIMEOUT_S}"))
        .arg(format!("-rss_limit_mb={MEMORY_MAX_MB}"))
        .arg(format!("-dict={}", dictionary.display()))
        .arg(format!("-artifact_prefix={}", findings.display()))
        .arg("-print_final_stats=1")
        .args([corpus, seeds]);
    let log = folder.join(format!("{name}.log"));
    let (output, again) = File::create(&log)
        .and_then(|file| Ok((file.try_clone()?, file)))
        .map_err(|error| format!("write {}: {error}", log.display()))?;
    let ended = run(fuzzing.stdout(output).stderr(again));
    let written = std::fs::read(&log).map_err(|error| format!("read the log: {error}"))?;
    let written = String::from_utf8_lossy(&written);
    if ended.is_err() {
        let lines: Vec<&str> = written.lines().collect();
        say(&lines[lines.len().saturating_sub(LAST_LINES)..].join("\n"));
        return ended.map_err(|error| format!("{error}; all of it: {}", log.display()));
    }
    let cases =
        written.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    say(&format!("{name}: {} cases", cases.map_or("?", str::trim)));
    Ok(())
}
