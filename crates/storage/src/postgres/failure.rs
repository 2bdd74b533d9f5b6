//! What an error of the database means for what was being done.
//!
//! Leaves it to lanes and readers to act on it. Messages have what the database said, which never
//! includes the password.

use super::open_error::OpenError;
use super::traffic::Cause;
use crate::Error;
use std::error::Error as _;
use std::fmt;
use tokio_postgres::error::SqlState;

/// An error, by what can be done about it.
#[derive(Debug)]
pub(super) enum Failure {
    /// The transaction was rolled back and may be tried again; the error is for whoever has tried often
    /// enough.
    Retry(Cause, Error),
    /// The connection is gone, or will not be used any more.
    Lost(String),
    /// The connection is to a database that takes no writes: a new one may find the one that does.
    Standby(String),
    /// Nothing was written, and trying again does not help.
    Refused(Error),
    /// The transaction may have been committed, and nobody can tell.
    Unknown(String),
}

/// Returns which conflict a state is: of a transaction that another one was faster than. With it the
/// transaction is rolled back, also if it answers its commit.
fn conflict(state: &SqlState) -> Option<Cause> {
    if *state == SqlState::T_R_SERIALIZATION_FAILURE {
        return Some(Cause::Serialization);
    }
    if *state == SqlState::T_R_DEADLOCK_DETECTED {
        return Some(Cause::Deadlock);
    }
    // A key that is there, and a lane's row that is not the same (`steps.rs`).
    let is_other = [SqlState::UNIQUE_VIOLATION, SqlState::DIVISION_BY_ZERO].contains(state);
    is_other.then_some(Cause::Conflict)
}

impl Failure {
    /// Returns what an error means.
    pub(super) fn of(error: &tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else { return Self::Lost(words(error)) };
        if let Some(cause) = conflict(state) {
            return Self::Retry(cause, Error::Conflict);
        }
        let what = words(error);
        if *state == SqlState::LOCK_NOT_AVAILABLE {
            let what = format!("other transactions kept their locks: {what}");
            return Self::Retry(Cause::Lock, Error::Unavailable { what });
        }
        // So Citus answers when one of its shards has gone away.
        if *state == SqlState::INTERNAL_ERROR {
            let what = format!("the database failed: {what}");
            return Self::Retry(Cause::Internal, Error::Unavailable { what });
        }
        if *state == SqlState::READ_ONLY_SQL_TRANSACTION {
            let what = format!("the database takes no writes now: it is a standby: {what}");
            return Self::Standby(what);
        }
        if is_end_of_connection(state) {
            return Self::Lost(what);
        }
        Self::Refused(refusal(state, what))
    }

    /// Returns whether the same may succeed when it is done again.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Retry(..) | Self::Lost(_) | Self::Standby(_))
    }

    /// Returns whether the connection is not to be used any more.
    pub(super) fn ends_connection(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Standby(_))
    }

    /// Returns the cause for which a transaction that failed so is begun again.
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Retry(cause, _) => *cause,
            Self::Lost(_) => Cause::Connection,
            Self::Standby(_) => Cause::ReadOnly,
            // Each commit of a group that was refused is tried for itself.
            Self::Refused(_) | Self::Unknown(_) => Cause::Internal,
        }
    }

    /// Returns the error for whoever is not to try again.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Lost(what) | Self::Standby(what) | Self::Unknown(what) => {
                Error::Unavailable { what }
            }
            Self::Retry(_, error) | Self::Refused(error) => error,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(what)
            | Self::Standby(what)
            | Self::Unknown(what)
            | Self::Retry(_, Error::Unavailable { what })
            | Self::Refused(Error::Unavailable { what }) => formatter.write_str(what),
            Self::Retry(_, error) | Self::Refused(error) => error.fmt(formatter),
        }
    }
}

/// Returns whether a transaction may have been committed whose `COMMIT`, or only statement, was answered with this error. Only
/// conflicts are known to be found before.
pub(super) fn leaves_commit_open(error: &tokio_postgres::Error) -> bool {
    error.code().is_none_or(|state| conflict(state).is_none())
}

/// Returns whether the server ends the connection with this state.
fn is_end_of_connection(state: &SqlState) -> bool {
    let class = state.code().get(..2);
    matches!(class, Some("08"))
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            // Prepared statements are gone, or fit the tables no more: a new connection prepares anew.
            SqlState::INVALID_SQL_STATEMENT_NAME,
        ]
        .contains(state)
}

fn refusal(state: &SqlState, why: String) -> Error {
    if *state == SqlState::DISK_FULL {
        return Error::Full;
    }
    if *state == SqlState::DATA_CORRUPTED || *state == SqlState::INDEX_CORRUPTED {
        return Error::corrupt(why, "the database");
    }
    let what = if *state == SqlState::QUERY_CANCELED {
        format!("the database did not answer in time: {why}")
    } else {
        format!("the database refused: {why}")
    };
    Error::Unavailable { what }
}

/// Returns what is wrong, from the outer error to its cause.
pub(super) fn words(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("{} ({})", error.message(), error.code().code());
    }
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_words = cause.to_string();
        if !words.contains(&cause_words) {
            words = format!("{words}: {cause_words}");
        }
        source = cause.source();
    }
    words
}

/// Returns why a connection could not be made, or be prepared for use.
pub(super) fn open_error(
    error: &tokio_postgres::Error,
    host: &str,
    schema: &str,
    action: &'static str,
) -> OpenError {
    let (host, why) = (host.to_owned(), words(error));
    let Some(state) = error.code() else {
        if why.contains("certificate") || why.contains("TLS") {
            return OpenError::Tls { host, why };
        }
        if why.starts_with("invalid configuration") {
            return OpenError::Url { what: why };
        }
        return OpenError::Unreachable { host, why };
    };
    match state {
        state if state.code().starts_with("28") => OpenError::Refused { why },
        state if *state == SqlState::INVALID_CATALOG_NAME => OpenError::NoDatabase { why },
        state if *state == SqlState::INSUFFICIENT_PRIVILEGE => {
            OpenError::Rights { schema: schema.to_owned(), why }
        }
        state if *state == SqlState::READ_ONLY_SQL_TRANSACTION => OpenError::ReadOnly { host },
        state if *state == SqlState::TOO_MANY_CONNECTIONS => OpenError::TooManyConnections { why },
        state if *state == SqlState::CANNOT_CONNECT_NOW => OpenError::Unreachable { host, why },
        _ => OpenError::Failed { action, why },
    }
}
