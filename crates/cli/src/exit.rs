//! Exit codes of the process, and the errors that lead to them.

use crate::client::Refused;
use crate::config::SettingsError;
use crate::output;
use std::fmt;
use std::process::ExitCode;

/// Each code and its meaning, as the manual pages print it.
pub const MEANINGS: &[(i32, &str)] = &[
    (0, "done"),
    (1, "failed: cannot listen, open, read, connect"),
    (2, "wrong arguments, configuration file or environment"),
    (3, "the database refused the request"),
    (4, "there is no such item"),
    (5, "lint has found warnings, or contract requests that are not allowed"),
    (6, "the recorded requests cost more than the budget"),
    (7, "lint has found errors"),
    (130, "interrupted: work given up by Ctrl-C, or a second signal while shutting down"),
];

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const REFUSED: u8 = 3;
const NOT_FOUND: u8 = 4;
const FOUND: u8 = 5;
const OVER_BUDGET: u8 = 6;
const FOUND_ERRORS: u8 = 7;
/// Exit code that shells report for a process that was interrupted.
pub const INTERRUPTED: i32 = 130;
const INTERRUPTED_CODE: u8 = 130;

/// There is no such item; holds the message that names it.
#[derive(Debug)]
pub struct NotFound(pub String);

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NotFound {}

/// The arguments ask for something impossible; holds the message.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A check has findings; holds the message with their number.
#[derive(Debug)]
pub struct CheckFailed {
    text: String,
    has_errors: bool,
}

impl CheckFailed {
    /// Returns the failure of a check without errors of the gravest kind.
    pub fn new(text: String) -> Self {
        Self { text, has_errors: false }
    }

    /// Returns the failure of a linter that has found errors.
    pub fn with_errors(text: String) -> Self {
        Self { text, has_errors: true }
    }
}

impl fmt::Display for CheckFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for CheckFailed {}

/// The recorded requests cost more than the budget; holds the message with the amount.
#[derive(Debug)]
pub struct OverBudget(pub String);

impl fmt::Display for OverBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for OverBudget {}

/// A command gave up its work before the end.
#[derive(Debug)]
pub struct Unfinished {
    text: String,
    code: u8,
}

impl Unfinished {
    /// Returns the error of work that a fault ended; `report` is its progress.
    pub fn after(fault: &anyhow::Error, report: &str) -> Self {
        Self { text: format!("{fault:#}\n{report}"), code: code(fault) }
    }

    /// Returns the error of work that Ctrl-C ended; `report` is its progress.
    pub fn interrupted(report: &str) -> Self {
        Self { text: format!("interrupted\n{report}"), code: INTERRUPTED_CODE }
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Unfinished {}

/// Prints the fault of wrong arguments, or the help that the user asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    // Nothing is left to do if not even this can be printed.
    drop(error.print());
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

/// Prints why a command failed.
pub fn failure(error: &anyhow::Error) -> ExitCode {
    if output::is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    output::complain(format_args!("hashrange: {error:#}"));
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    if let Some(unfinished) = error.downcast_ref::<Unfinished>() {
        unfinished.code
    } else if error.is::<Refused>() {
        REFUSED
    } else if error.is::<NotFound>() {
        NOT_FOUND
    } else if let Some(failed) = error.downcast_ref::<CheckFailed>() {
        if failed.has_errors { FOUND_ERRORS } else { FOUND }
    } else if error.is::<OverBudget>() {
        OVER_BUDGET
    } else if error.is::<SettingsError>() || error.is::<Usage>() {
        USAGE
    } else {
        FAILED
    }
}
