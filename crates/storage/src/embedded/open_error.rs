//! Why a data folder could not be opened.

use crate::Error;
use std::fmt;
use std::path::PathBuf;

/// Why a data folder could not be opened. Nothing was changed in it.
#[derive(Debug)]
pub enum OpenError {
    /// Another process, or another store of this one, has the folder open.
    Locked {
        /// The data folder.
        path: PathBuf,
    },
    /// The folder was written by a version of the program that this one does not know.
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
            Self::Store(error) => write!(formatter, "open data folder: {error}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Locked { .. } | Self::UnknownFormat { .. } | Self::Foreign { .. } => None,
        }
    }
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}
