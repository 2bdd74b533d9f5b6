//! Errors of every engine, by the reaction that they ask for.
//!
//! They have no wording of the API: the engine above turns them into answers.

use crate::Key;
use std::fmt;
use std::io;
use std::sync::Arc;

/// Reason why a store could not do its work.
///
/// After `Io` or `Full` from a failed write or sync the store is poisoned: every later commit gets
/// the same error until the store is opened again, while views go on answering from the last
/// published state.
#[derive(Debug, Clone)]
pub enum Error {
    /// The operating system failed; `action` says during which step.
    Io {
        /// The step, in the present tense ("commit group").
        action: &'static str,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// The stored bytes are not those that were written. The data folder needs repair or a restore.
    Corrupt {
        /// Description of the damage.
        what: String,
        /// The file or the part of the store that has it.
        place: String,
        /// The key that was looked for, or the last one that could be read before it.
        near: Option<Box<Key>>,
    },
    /// Another writer was faster; the commit may be tried again.
    Conflict,
    /// The store cannot be reached, or did not answer in time. A commit may have been written.
    Unavailable {
        /// The step and its obstacle.
        what: String,
    },
    /// No space is left for writing. Nothing of this commit was acknowledged.
    Full,
    /// The store was closed.
    Closed,
}

impl Error {
    /// Returns an [`Error::Io`], or [`Error::Full`] if the system reports a full disk.
    pub(crate) fn from_io(action: &'static str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Io { action, source: Arc::new(source) },
        }
    }

    /// Returns an [`Error::Io`] with a message of our own.
    pub(crate) fn failed(action: &'static str, message: &str) -> Self {
        Self::Io { action, source: Arc::new(io::Error::other(message)) }
    }

    /// Returns an [`Error::Corrupt`] without a key.
    pub fn corrupt(what: impl Into<String>, place: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), place: place.into(), near: None }
    }
}

/// A key in a message, if one is known.
pub(crate) struct NearKey<'k>(pub(crate) Option<&'k Key>);

impl fmt::Display for NearKey<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |key| write!(formatter, " (near key {})", key.escape_ascii()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, source } => write!(formatter, "{action}: {source}"),
            Self::Corrupt { what, place, near } => write!(
                formatter,
                "corrupt data in {place}: {what}{}. Stop the server, copy the folder, run \
                 `hashrange check` on it, and restore what it names from a copy",
                NearKey(near.as_deref())
            ),
            Self::Conflict => write!(formatter, "another writer was faster"),
            Self::Unavailable { what } => write!(formatter, "the store is unavailable: {what}"),
            Self::Full => write!(formatter, "no space is left for the store's data"),
            Self::Closed => write!(formatter, "the store is closed"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Corrupt { .. }
            | Self::Conflict
            | Self::Unavailable { .. }
            | Self::Full
            | Self::Closed => None,
        }
    }
}
