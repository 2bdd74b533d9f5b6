//! Runs other programs and says which one failed. Output goes straight to the terminal.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::terminal::say;
use crate::workspace;

/// Returns `cargo` of the running toolchain, in the root of the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    program(cargo.as_os_str().as_ref(), arguments)
}

/// Returns a program to be run in the root of the repository, without the variables that Cargo sets for this one: if
/// it calls Cargo, they would make some crates compile anew, and all above them.
pub fn program(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace::root());
    for (name, _) in std::env::vars_os() {
        let is_of_this_package = |start: &str| name.to_string_lossy().starts_with(start);
        if is_of_this_package("CARGO_PKG_") || is_of_this_package("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command to its end; a status other than success is an error.
pub fn run(command: &mut Command) -> Result<(), String> {
    let name = describe(command);
    let status = command.status().map_err(|error| format!("cannot start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

/// Returns the output of a command; errors go to the terminal.
pub fn output(command: &mut Command) -> Result<String, String> {
    let name = describe(command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start {name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name}: output is not text"))
}

/// Whether a program can be started at all.
pub fn is_present(name: &str, arguments: &[&str]) -> bool {
    let mut command = program(name.as_ref(), arguments);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Whether a command succeeds within so many seconds; it is killed after that. Its output is dropped.
pub fn ends_well_within(seconds: u64, command: &mut Command) -> bool {
    let Ok(mut child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        return false;
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Err(_) => break,
        }
    }
    // A child that cannot be ended has ended by itself.
    drop(child.kill());
    drop(child.wait());
    false
}

/// Runs one step of a task under a heading and prints its duration.
pub fn step(name: &str, step: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    say(&format!("==> {name}"));
    let start = Instant::now();
    let result = step();
    let verdict = if result.is_ok() { "ok" } else { "FAILED" };
    say(&format!("<== {name}: {verdict} in {:.1} s", start.elapsed().as_secs_f64()));
    result.map_err(|error| format!("{name}: {error}"))
}

fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}
