//! The AWS SDK for Java 2.x, of the version in `tests/e2e/java/pom.xml`, by Maven. A machine without Maven or Java 17,
//! or where Maven's registry does not answer, leaves the client out.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::clients::{fetched, sources};
use crate::command::{ends_well_within, is_present, program, run};
use crate::fetched::{empty_folder, is_fetched, once};

fn lists() -> [PathBuf; 1] {
    [sources("java").join("pom.xml")]
}

/// Returns why the client is missing here, if so.
pub fn missing() -> Option<&'static str> {
    if !is_present("mvn", &["--version"]) || !is_present("javac", &["--release", "17", "--version"])
    {
        return Some("no mvn, or no javac that knows Java 17 (Debian: apt install maven)");
    }
    let is_had = is_fetched(&fetched("java"), &lists()) || answers();
    (!is_had).then_some("Maven's registry does not answer")
}

/// Whether Maven can read the project: it fetches the SDK's list of versions for that. A folder of its own keeps
/// cached files from answering.
fn answers() -> bool {
    let folder = fetched("java/probe");
    let mut smallest = maven(&["--quiet", "validate"], &folder);
    empty_folder(&folder).is_ok() && ends_well_within(30, &mut smallest)
}

/// Fetches the SDK, and compiles the tests.
pub fn prepare() -> Result<(), String> {
    once(&fetched("java"), &lists(), || {
        run(&mut maven(&["--quiet", "test-compile"], &repository()))
    })
}

/// Returns the run of the tests. Maven fetches its test runner only when there are tests to start, so the first run
/// asks the registry once more.
pub fn test() -> Command {
    maven(&["--no-transfer-progress", "test"], &repository())
}

fn repository() -> PathBuf {
    fetched("java/m2")
}

fn maven(arguments: &[&str], repository: &Path) -> Command {
    let mut command = program("mvn".as_ref(), &["--batch-mode"]);
    command
        .args(arguments)
        .arg("--file")
        .arg(sources("java").join("pom.xml"))
        .arg(format!("-Dmaven.repo.local={}", repository.display()))
        .arg(format!("-Dbuild.folder={}", fetched("java/build").display()));
    command
}
