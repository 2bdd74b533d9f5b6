//! The quick checks: formatting, lints, documentation, generated code, house rules, crates of others, spelling.

use std::process::Stdio;

use crate::codegen;
use crate::command::{cargo, run, step};
use crate::oldest_rust;
use crate::tidy;
use crate::tools;

/// Runs every quick check; stops at the first that fails.
pub fn check() -> Result<(), String> {
    step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    step("tidy", tidy::tidy)?;
    step("generated code", codegen::check)?;
    step("lock files", lock_files)?;
    step("oldest Rust", oldest_rust::check_crates)?;
    step("crates of others", tools::crates_of_others)?;
    step("spelling", tools::spelling)?;
    step("clippy", || {
        run(&mut cargo(&[
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("documentation", || {
        let mut doc = cargo(&["doc", "--quiet", "--workspace", "--no-deps", "--locked"]);
        run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })
}

/// The fuzz targets and the Rust client's test are workspaces of their own, so that only this notices
/// when their lock files no longer fit the crates.
fn lock_files() -> Result<(), String> {
    for manifest in ["fuzz/Cargo.toml", "tests/e2e/rust/Cargo.toml"] {
        let mut tree = cargo(&["tree", "--locked", "--depth", "0", "--manifest-path", manifest]);
        run(tree.stdout(Stdio::null()))?;
    }
    Ok(())
}
