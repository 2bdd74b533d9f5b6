//! Reasons why a data folder could not be opened.

use crate::Error;
use crate::error::NearKey;
use std::fmt;
use std::path::PathBuf;

/// Reason why a data folder could not be opened. Nothing was changed in it.
#[derive(Debug)]
pub enum OpenError {
    /// Another process, or another store of this one, has the folder open.
    Locked {
        /// The data folder.
        path: PathBuf,
    },
    /// The folder was written by a version of the program that this program does not know.
    UnknownFormat {
        /// The format version of the folder.
        found: u32,
        /// The newest format version this program can open.
        known: u32,
    },
    /// The folder holds files that are not a store's.
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is on `RocksDB`, format 2.
    OnRocksDb {
        /// The data folder.
        path: PathBuf,
    },
    /// A log is missing that must exist.
    MissingLog {
        /// The log.
        path: PathBuf,
        /// True if the store was closed cleanly before; `None` if the folder does not tell.
        was_closed: Option<bool>,
    },
    /// The system failed or the data is damaged.
    Store(Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { path } => {
                write!(formatter, "data folder '{}' is in use by another process", path.display())
            }
            Self::UnknownFormat { found, known } => write!(
                formatter,
                "data folder has format {found}, but this program knows formats up to {known}: \
                 open it with a newer version"
            ),
            Self::Foreign { path } => write!(
                formatter,
                "folder '{}' is not empty and is not a data folder",
                path.display()
            ),
            Self::OnRocksDb { path } => write!(
                formatter,
                "data folder '{}' is on RocksDB, which this program no longer has: commit 4edb78f of its \
                 source, built with the feature rocksdb, is the last that reads it. With that one, \
                 `copy --engine fjall` makes a folder that this one opens, and `export` files for \
                 `hashrange import`",
                path.display()
            ),
            Self::MissingLog { path, was_closed } => {
                write!(
                    formatter,
                    "the log '{}' is missing. {}",
                    path.display(),
                    advice(*was_closed)
                )
            }
            Self::Store(Error::Corrupt { what, place, near }) => write!(
                formatter,
                "open data folder: corrupt data in {place}: {what}{}. Put the file back or restore the \
                 folder from a copy",
                NearKey(near.as_deref())
            ),
            Self::Store(error) => write!(formatter, "open data folder: {error}"),
        }
    }
}

/// Returns advice on a missing log.
fn advice(was_closed: Option<bool>) -> &'static str {
    match was_closed {
        Some(true) => {
            "The store was closed cleanly, so the log was an empty file, which some tools leave out \
             of a copy: create it again as an empty file, and nothing is lost"
        }
        Some(false) => {
            "The store was not closed cleanly, so the log holds the newest writes, which are in no \
             other file: put it back, or restore the folder from a copy that has all files"
        }
        None => {
            "After a clean stop it is an empty file, which some tools leave out of a copy: if the \
             store was stopped cleanly, create it again as an empty file. Otherwise it holds the \
             newest writes: put it back, or restore the folder from a copy that has all files"
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Locked { .. }
            | Self::UnknownFormat { .. }
            | Self::Foreign { .. }
            | Self::OnRocksDb { .. }
            | Self::MissingLog { .. } => None,
        }
    }
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}
