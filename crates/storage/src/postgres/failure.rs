//! Meaning of an error of the database for the work that it ended.
//!
//! Leaves the reaction to lanes and readers. Messages have the database's own words, which never
//! include the password.

use super::cause::Cause;
use super::open_error::OpenError;
use crate::Error;
use std::error::Error as _;
use std::fmt;
use tokio_postgres::error::SqlState;

/// An error, by the possible reaction.
#[derive(Debug)]
pub(super) enum Failure {
    /// The transaction was rolled back and may be tried again; the error is for a caller that has
    /// tried often enough.
    Retry(Cause, Error),
    /// The connection is gone, or must not be used any more.
    Lost(String),
    /// The connection is to a database that takes no writes: a new connection may find the one that
    /// does.
    Standby(String),
    /// Nothing was written, and another try would not help.
    Refused(Error),
    /// The transaction may have been committed, and there is no way to tell.
    Unknown(String),
}

/// Returns the conflict in a state: another transaction was faster. The transaction is then rolled
/// back, even if the state answers its commit.
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
    /// Returns the meaning of an error.
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
        // Citus answers this when one of its shards has gone away.
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

    /// Returns whether another try may succeed.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Retry(..) | Self::Lost(_) | Self::Standby(_))
    }

    /// Returns whether the connection must not be used any more.
    pub(super) fn ends_connection(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Standby(_))
    }

    /// Returns the cause for which a transaction with this failure is begun again.
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Retry(cause, _) => *cause,
            Self::Lost(_) => Cause::Connection,
            Self::Standby(_) => Cause::ReadOnly,
            // Each commit of a refused group is tried by itself.
            Self::Refused(_) | Self::Unknown(_) => Cause::Internal,
        }
    }

    /// Returns the error for a caller that does not try again.
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

/// Returns whether the transaction may have been committed although its `COMMIT`, or only
/// statement, was answered with this error. Only conflicts are known to be found before the commit.
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
            // Prepared statements are gone, or no longer fit the tables: a new connection prepares
            // them anew.
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

/// Returns the texts of an error, from the outer one to its cause.
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

/// Returns the error of a connection that could not be made, or not be prepared for use.
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
