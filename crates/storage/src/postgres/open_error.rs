//! Reasons why a PostgreSQL store could not be opened: a sentence for each, with advice.
//!
//! Invariant: no message holds a password, nor the URL that it is in.

use std::fmt;

/// Reason why a PostgreSQL store could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// The URL or an option is wrong.
    Url {
        /// Fault of the URL or option.
        what: String,
    },
    /// No host answers, or the connection broke.
    Unreachable {
        /// The hosts of the URL.
        host: String,
        /// Words of the system or the database.
        why: String,
    },
    /// The database's certificate was not accepted, or TLS failed otherwise.
    Tls {
        /// The hosts of the URL.
        host: String,
        /// Cause.
        why: String,
    },
    /// The user or the password is wrong.
    Refused {
        /// Words of the database.
        why: String,
    },
    /// The database does not exist.
    NoDatabase {
        /// Words of the database.
        why: String,
    },
    /// The user lacks a right that is needed.
    Rights {
        /// The schema of our tables.
        schema: String,
        /// Words of the database.
        why: String,
    },
    /// The database takes no writes: a standby.
    ReadOnly {
        /// The hosts of the URL.
        host: String,
    },
    /// The tables are of a version that this program does not know.
    UnknownVersion {
        /// The schema of our tables.
        schema: String,
        /// The version of the tables.
        found: i64,
        /// The version this program knows.
        known: i64,
    },
    /// There are no tables of a store, and none may be created.
    NoStore {
        /// The schema in which they were looked for.
        schema: String,
    },
    /// The database has no connection left.
    TooManyConnections {
        /// Words of the database.
        why: String,
    },
    /// Something else failed.
    Failed {
        /// The failed step.
        action: &'static str,
        /// Words of the system or the database.
        why: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { what } => write!(formatter, "the URL of the database: {what}"),
            Self::Unreachable { host, why } => {
                write!(formatter, "the database at {host} cannot be reached: {why}")
            }
            Self::Tls { host, why } => write!(
                formatter,
                "no trusted connection to the database at {host}: {why}. Name the certificate that \
                 signed the server's with sslrootcert=FILE, and the server as its certificate does"
            ),
            Self::Refused { why } => write!(
                formatter,
                "the database refuses the user of the URL: {why}. Check user and password"
            ),
            Self::NoDatabase { why } => {
                write!(formatter, "{why}. Create it with CREATE DATABASE, or name another one")
            }
            Self::Rights { schema, why } => write!(
                formatter,
                "the user of the URL lacks rights: {why}. It must own schema '{schema}', or be allowed \
                 to create it; or somebody who may runs what `hashrange store init` prints"
            ),
            Self::ReadOnly { host } => write!(
                formatter,
                "the database at {host} takes no writes: it is a standby. Name the primary, or all \
                 hosts with target_session_attrs=read-write"
            ),
            Self::UnknownVersion { schema, found, known } if found > known => write!(
                formatter,
                "the tables in schema '{schema}' have version {found}, but this program knows \
                 version {known}: open them with a newer program"
            ),
            Self::UnknownVersion { schema, found, known } => write!(
                formatter,
                "the tables in schema '{schema}' have version {found}, which is older than version \
                 {known} and cannot be opened any more"
            ),
            Self::NoStore { schema } => {
                write!(formatter, "there is no database of hashrange in schema '{schema}'")
            }
            Self::TooManyConnections { why } => write!(
                formatter,
                "the database has no connection left: {why}. Raise max_connections, or lower lanes \
                 and readers in the URL"
            ),
            Self::Failed { action, why } => write!(formatter, "{action}: {why}"),
        }
    }
}

impl std::error::Error for OpenError {}
