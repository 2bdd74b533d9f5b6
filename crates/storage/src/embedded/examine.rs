//! Looks at a data folder without changing it.
//!
//! Opening a store replays its logs, cuts off a torn group and removes files that nothing names any
//! more: all of that changes the folder. So [`Examined`] locks the folder through a handle that
//! cannot write, and opens a shadow of it instead: a folder with links to the sorted files, which
//! are never changed once written, and copies of files that are small or written to. The shadow
//! lies in the system's folder for temporary files and is removed in the end.
//!
//! A folder without its lock file, which some tools leave out of a copy because it is empty, is
//! read without a lock: an open store keeps that file.

use super::folder;
use super::map::Map;
use super::ordered_map::OrderedMap;
use super::shadow::copy_if_there;
use super::{EmbeddedOptions, EmbeddedStore, EmbeddedView, OpenError};
use crate::{Error, Store};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Content of a data folder, without the right to change it.
///
/// The folder stays locked until this is dropped, and its views are of no use after that.
#[derive(Debug)]
pub struct Examined {
    // Dropped first: it uses the shadow.
    store: EmbeddedStore,
    _shadow: Shadow,
    _lock: Option<File>,
}

impl Examined {
    /// Opens the data folder at `path` for reading. Nothing in it is created, changed or removed.
    pub fn open(path: impl AsRef<Path>, options: &EmbeddedOptions) -> Result<Self, OpenError> {
        let path = path.as_ref();
        if !path.join("FORMAT").is_file() {
            return Err(OpenError::Foreign { path: path.to_path_buf() });
        }
        let lock = folder::lock_for_reading(path)?;
        let shadow = Shadow::create(path)?;
        let store = EmbeddedStore::open(&shadow.path, options)
            .map_err(|error| shadow.name_original(error, path))?;
        Ok(Self { store, _shadow: shadow, _lock: lock })
    }

    /// Returns a view of everything in the folder.
    pub fn view(&self) -> EmbeddedView {
        self.store.newest()
    }

    /// Returns the bytes of an unfinished group at the end of the logs, which the views do not
    /// show. More than zero after a crash in the middle of a write.
    pub fn torn_bytes(&self) -> u64 {
        self.store.stats().torn_bytes
    }
}

/// A folder that shadows another one, removed when it is dropped.
#[derive(Debug)]
struct Shadow {
    path: PathBuf,
}

impl Shadow {
    fn create(original: &Path) -> Result<Self, Error> {
        let create = || {
            let id = u128::from_be_bytes(folder::random_id()?);
            let name = format!("hashrange-check-{id:032x}");
            let shadow = Self { path: std::env::temp_dir().join(name) };
            folder::create_private(&shadow.path)?;
            shadow.fill(&fs::canonicalize(original)?)?;
            Ok(shadow)
        };
        create().map_err(|error| Error::from_io("make a copy to look at", error))
    }

    fn fill(&self, original: &Path) -> io::Result<()> {
        copy_if_there(&original.join("FORMAT"), &self.path.join("FORMAT"))?;
        Map::shadow(original, &self.path)
    }

    /// Replaces the shadow's name in an error by the original folder's.
    fn name_original(&self, error: OpenError, original: &Path) -> OpenError {
        let (shadow, name) = (self.path.display().to_string(), original.display().to_string());
        match error {
            OpenError::Store(Error::Corrupt { what, place, near }) => {
                OpenError::Store(Error::Corrupt {
                    what: what.replace(&shadow, &name),
                    place: place.replace(&shadow, &name),
                    near,
                })
            }
            OpenError::MissingLog { path, was_closed } => {
                let path =
                    path.strip_prefix(&self.path).map_or(path.clone(), |rest| original.join(rest));
                OpenError::MissingLog { path, was_closed }
            }
            OpenError::Locked { .. } => OpenError::Locked { path: original.to_path_buf() },
            OpenError::Foreign { .. } => OpenError::Foreign { path: original.to_path_buf() },
            OpenError::OnRocksDb { .. } => OpenError::OnRocksDb { path: original.to_path_buf() },
            OpenError::UnknownFormat { .. } | OpenError::Store(_) => error,
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // If removing fails, the rest is useless and private to its owner.
        drop(fs::remove_dir_all(&self.path));
    }
}
