//! The data folder: one process at a time, one known format.
//!
//! | name         | what it is                                                          |
//! |--------------|---------------------------------------------------------------------|
//! | `LOCK`       | empty; locked by the process that has the folder open               |
//! | `FORMAT`     | `hashrange store, format 1` and a newline                           |
//! | `fjall/`     | the files of the ordered map                                        |
//! | `FORMAT.new` | only while the folder is created: `FORMAT` before everything exists |
//! | `creating/`  | only while the folder is created: `fjall/` before it is complete    |
//!
//! Invariant: a folder named `fjall` is complete and is never removed here.

use super::OpenError;
use crate::Error;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FORMAT_PREFIX: &str = "hashrange store, format ";
const FORMAT_VERSION: u32 = 1;

/// An open, locked data folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Held for its lock, which the system frees with it.
    _lock: File,
}

impl Folder {
    /// Locks the folder at `path`, creating it with `create_engine` (which gets the folder for
    /// the ordered map and must leave it synced) when it does not exist yet.
    pub(crate) fn open(
        path: &Path,
        create_engine: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<Self, OpenError> {
        create_folder(path)?;
        let folder = Self { path: path.to_path_buf(), _lock: lock(path)? };
        if folder.file("FORMAT").try_exists().map_err(io_error("open data folder"))? {
            folder.check_existing()?;
        } else {
            folder.create(create_engine)?;
        }
        Ok(folder)
    }

    /// Returns the folder of the ordered map.
    pub(crate) fn engine_path(&self) -> PathBuf {
        self.file("fjall")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn check_existing(&self) -> Result<(), OpenError> {
        check_format(&self.file("FORMAT"))?;
        if self.engine_path().is_dir() {
            return Ok(());
        }
        let place = self.engine_path().display().to_string();
        Err(Error::corrupt("the folder is missing", place).into())
    }

    /// Creates the store, or finishes a creation that a crash cut short.
    fn create(
        &self,
        create_engine: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<(), OpenError> {
        let format_is_new = self.file("FORMAT.new").is_file();
        if self.engine_path().exists() && format_is_new {
            check_format(&self.file("FORMAT.new"))?;
        } else {
            self.refuse_foreign_files()?;
            self.create_contents(create_engine)?;
        }
        self.rename("FORMAT.new", "FORMAT")?;
        Ok(())
    }

    fn create_contents(
        &self,
        create_engine: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let creating = self.file("creating");
        if creating.exists() {
            fs::remove_dir_all(&creating).map_err(io_error("remove unfinished folder"))?;
        }
        create_engine(&creating)?;
        self.write_new_format().map_err(io_error("write format file"))?;
        self.rename("creating", "fjall")
    }

    fn write_new_format(&self) -> io::Result<()> {
        let mut file = File::create(self.file("FORMAT.new"))?;
        writeln!(file, "{FORMAT_PREFIX}{FORMAT_VERSION}")?;
        file.sync_all()?;
        sync_folder(&self.path)
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        fs::rename(self.file(from), self.file(to))
            .and_then(|()| sync_folder(&self.path))
            .map_err(io_error("create data folder"))
    }

    /// Nothing of others is ever mixed with a store.
    fn refuse_foreign_files(&self) -> Result<(), OpenError> {
        for entry in fs::read_dir(&self.path).map_err(io_error("read data folder"))? {
            let name = entry.map_err(io_error("read data folder"))?.file_name();
            if !["LOCK", "FORMAT.new", "creating", "lost+found"].iter().any(|own| name == *own) {
                return Err(OpenError::Foreign { path: self.path.clone() });
            }
        }
        Ok(())
    }
}

/// Creates the folder and makes its name durable.
fn create_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(io_error("create data folder"))?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            sync_folder(parent).map_err(io_error("create data folder"))
        }
        _ => Ok(()),
    }
}

fn lock(path: &Path) -> Result<File, OpenError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.join("LOCK"))
        .map_err(io_error("open lock file"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked { path: path.to_path_buf() }),
        Err(TryLockError::Error(error)) => Err(io_error("lock data folder")(error).into()),
    }
}

fn check_format(path: &Path) -> Result<(), OpenError> {
    let content = fs::read(path).map_err(io_error("read format file"))?;
    let version = std::str::from_utf8(&content)
        .ok()
        .and_then(|text| text.strip_prefix(FORMAT_PREFIX)?.strip_suffix('\n'))
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok());
    match version {
        Some(FORMAT_VERSION) => Ok(()),
        Some(found) => Err(OpenError::UnknownFormat { found, known: FORMAT_VERSION }),
        None => Err(Error::corrupt("not a format file", path.display().to_string()).into()),
    }
}

/// Makes the names of everything below `path` durable; fjall does not do so for its folders.
pub(crate) fn sync_tree(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_tree(&entry.path())?;
        }
    }
    sync_folder(path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn io_error(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::from_io(action, source)
}
