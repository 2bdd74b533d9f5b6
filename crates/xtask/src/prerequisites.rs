//! Programs that the tests need beside Rust, checked before compiling, and downloads to come.

use crate::command::is_present;
use crate::terminal::say;

/// Downloads and duration of `cargo xtask test`.
const OUTLOOK: &str = "\
The first run takes 45 to 50 minutes on two cores, most of it compiling; each step says its name before
it begins and its time at its end. What is not there yet is fetched on the way, 175 MB in all: crates
(32 MB, from crates.io, into Cargo's cache), packages of Python (50 MB, from PyPI), of Node.js (30 MB, from
npm), of Go (4 MB) and of Java (29 MB, from Maven's registry) where these two are installed, and PostgreSQL
(29 MB, unless it is installed) where apt-get has Debian 12's, these into target/. Packages of the web console
(67 MB unpacked, from npm) go beside its sources, and Chromium (81 MB and what it depends on, unless it is
installed) is installed where this runs as root and apt-get has it. All of target/ takes about 8.5 GB.";

/// Checks every prerequisite of the tests and lists all missing ones, or else prints the outlook.
pub fn check_all() -> Result<(), String> {
    let missing: Vec<String> = [check_python(), check_node(), check_compiler(), check_make()]
        .into_iter()
        .filter_map(Result::err)
        .collect();
    if missing.is_empty() {
        say(OUTLOOK);
        return Ok(());
    }
    Err(format!(
        "{}\n\nThe workspace's own tests need none of this but make: cargo test --workspace",
        missing.join("\n")
    ))
}

/// Looks for Python.
pub fn check_python() -> Result<(), String> {
    if !is_present("python3", &["-c", "import sys; assert sys.version_info >= (3, 10)"]) {
        return Err(
            "the tests need python3, 3.10 or later (Debian: apt install python3-venv)".into()
        );
    }
    if !is_present("python3", &["-c", "import venv, ensurepip"]) {
        return Err("the tests need Python's venv module (Debian: apt install python3-venv)".into());
    }
    Ok(())
}

/// Looks for Node.js and npm.
pub fn check_node() -> Result<(), String> {
    let version = "process.exit(Number(process.versions.node.split('.')[0]) >= 20 ? 0 : 1)";
    if is_present("node", &["-e", version]) && is_present("npm", &["--version"]) {
        return Ok(());
    }
    Err("the tests need node, 20 or later, and npm (https://nodejs.org)".into())
}

/// Looks for the compiler of the fuzzer's own code.
fn check_compiler() -> Result<(), String> {
    if is_present("c++", &["--version"]) {
        return Ok(());
    }
    Err("the tests need a C++ compiler named c++ (Debian: apt install g++)".into())
}

/// Looks for `make`, for jemalloc.
fn check_make() -> Result<(), String> {
    if is_present("make", &["--version"]) {
        return Ok(());
    }
    Err("the program needs make to be built (Debian: apt install make)".into())
}
