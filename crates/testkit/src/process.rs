//! Programs that see no settings of the user who runs the tests.

#![expect(
    clippy::disallowed_methods,
    reason = "variables of whoever runs the tests are kept from programs"
)]

use std::ffi::OsStr;
use std::process::Command;

/// Beginnings of the names of variables that our programs and those of AWS read.
const READ: [&str; 2] = ["HASHRANGE_", "AWS_"];

/// Returns a program that sees none of the variables of this process that it would read.
pub fn bare(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if READ.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(&name);
        }
    }
    // A folder without any configuration.
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    command
}
