//! What the process ends with.

use crate::client::Refused;
use crate::config::SettingsError;
use crate::output;
use std::fmt;
use std::process::ExitCode;

/// Each code and what it means, as the manual pages say it.
pub const MEANINGS: &[(i32, &str)] = &[
    (0, "done"),
    (1, "failed: cannot listen, open, read, connect"),
    (2, "wrong arguments, configuration file or environment"),
    (3, "the database refused the request"),
    (4, "there is no such item"),
    (130, "ended by a second signal while shutting down"),
];

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const REFUSED: u8 = 3;
const NOT_FOUND: u8 = 4;
/// What shells report for a process that was interrupted.
pub const INTERRUPTED: i32 = 130;

/// There is no such item.
#[derive(Debug)]
pub struct NotFound;

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("no such item")
    }
}

impl std::error::Error for NotFound {}

/// The arguments say something that cannot be done; holds what.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Reports wrong arguments, or prints the help that was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    // Nothing is left to do if not even this can be printed.
    drop(error.print());
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

/// Reports why a command failed.
pub fn failure(error: &anyhow::Error) -> ExitCode {
    if output::is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    output::complain(format_args!("hashrange: {error:#}"));
    if error.is::<Refused>() {
        ExitCode::from(REFUSED)
    } else if error.is::<NotFound>() {
        ExitCode::from(NOT_FOUND)
    } else if error.is::<SettingsError>() || error.is::<Usage>() {
        ExitCode::from(USAGE)
    } else {
        ExitCode::from(FAILED)
    }
}
