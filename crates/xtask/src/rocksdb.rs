//! The store's, the engine's and the library's tests with new folders on `RocksDB`.
//!
//! Its C++ takes ten minutes to build and more, so this is not in CI, and has a folder of its own in
//! `target/`: what else is built stays as it is.

use crate::command::{cargo, is_present, run, step};
use crate::terminal::say;

/// The packages with tests of stores in folders.
const PACKAGES: [&str; 3] = ["hashrange-storage", "hashrange-engine", "hashrange"];
const FEATURE: &str = "hashrange-storage/rocksdb-by-default";
const TARGET: &str = "target/rocksdb";

/// Runs the tests; a filter picks some by name.
pub fn test(filter: Option<&str>) -> Result<(), String> {
    check_compilers()?;
    say("The first run compiles RocksDB, which takes ten minutes and more.");
    let nextest = is_present("cargo", &["nextest", "--version"]);
    let runner: &[&str] = if nextest { &["nextest", "run"] } else { &["test", "--tests"] };
    let mut tests = cargo(runner);
    tests.args(["--locked", "--features", FEATURE, "--target-dir", TARGET]);
    for package in PACKAGES {
        tests.args(["-p", package]);
    }
    if nextest {
        tests.args(["--no-fail-fast", "--status-level", "fail", "--final-status-level", "slow"]);
    }
    tests.args(filter);
    step("the tests of folders on RocksDB", || run(&mut tests))
}

/// Builds the program with both engines, as releases are built, and tells where it is.
pub fn build() -> Result<(), String> {
    check_compilers()?;
    let mut build = cargo(&["build", "--profile", "dist", "--locked", "-p", "hashrange-cli"]);
    build.args(["--features", "rocksdb", "--target-dir", TARGET]);
    run(&mut build)?;
    say(&format!("built {TARGET}/dist/hashrange"));
    Ok(())
}

/// Looks for what `RocksDB` is compiled with; its headers are read by `libclang`.
fn check_compilers() -> Result<(), String> {
    if is_present("c++", &["--version"]) && is_present("clang", &["--version"]) {
        return Ok(());
    }
    Err("RocksDB needs a C++ compiler and libclang (Debian: apt install g++ clang libclang-dev)"
        .into())
}
