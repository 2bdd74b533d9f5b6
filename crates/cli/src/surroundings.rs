//! Access to the surroundings of the process: variables of the environment, the date, and random
//! numbers.
//!
//! No other file has it, so that tests can give everything else other values.

use hashrange_auth::Timestamp;
use std::ffi::OsString;
use std::time::{Instant, SystemTime};

/// Returns a variable of the environment.
#[expect(clippy::disallowed_methods, reason = "all commands read variables here")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Returns the names of all variables of the environment.
#[expect(clippy::disallowed_methods, reason = "all commands read variables here")]
pub fn variable_names() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name)
}

/// Returns the time since some moment, with which statements are timed.
#[expect(clippy::disallowed_methods, reason = "the client's only stopwatch")]
pub fn stopwatch() -> Instant {
    Instant::now()
}

/// Returns a variable of the environment that holds text and is not empty.
pub fn text_variable(name: &str) -> Option<String> {
    variable(name)?.into_string().ok().filter(|text| !text.is_empty())
}

/// Returns the date and time now, with which requests are signed.
#[expect(clippy::disallowed_methods, reason = "the client's only clock")]
pub fn now() -> Timestamp {
    SystemTime::now().into()
}

/// Returns the time now in milliseconds since 1970, with which the server records requests.
#[expect(clippy::disallowed_methods, reason = "the server's clock for what it records")]
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a random number, so that clients that wait for the same do not all come back at once.
#[expect(clippy::disallowed_methods, reason = "the client's only chance")]
pub fn random() -> u64 {
    // Without randomness they come back at once, which costs time only.
    getrandom::u64().unwrap_or(u64::MAX / 2)
}

/// Waits; the only wait of a command that asks again.
#[expect(clippy::disallowed_methods, reason = "a command has no runtime to wait on")]
pub fn pause(time: std::time::Duration) {
    std::thread::sleep(time);
}
