//! The data folder: one process at a time, one known format.
//!
//! | name         | content                                                             |
//! |--------------|---------------------------------------------------------------------|
//! | `LOCK`       | empty; locked by the process that has the folder open               |
//! | `FORMAT`     | `hashrange store, format 1`, `id ID CHECK` and `logs noted`, below  |
//! | `LOGS`       | fjall's: the log that must exist, see `fjall/log_note.rs`           |
//! | `fjall/`     | the files of the ordered map                                        |
//! | `FORMAT.new` | only while the folder is created: `FORMAT` before everything exists |
//! | `creating/`  | only while the folder is created: `fjall/` before it is complete    |
//!
//! `ID` is the store's id in 32 hex digits and `CHECK` its xxh3-64 in 16. The third line says that
//! the folder has had `LOGS` since it was created; without that line, `LOGS` may be missing.
//! Folders of format 2 are on `RocksDB` and are refused; no other format gets that number.
//!
//! Invariant: a folder named `fjall` is complete, and this module never removes it.

use super::OpenError;
use crate::{Error, clock};
use bytes::Bytes;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

const FORMAT_PREFIX: &str = "hashrange store, format ";
/// Third line of a folder that must have `LOGS`.
const NOTED: &str = "logs noted";
const FORMAT_VERSION: u32 = 1;
const FORMAT_VERSION_ON_ROCKSDB: u32 = 2;

/// The folder of the ordered map.
pub(super) const MAP_NAME: &str = "fjall";

/// Modes that give rights to the owner alone.
const PRIVATE_FOLDER: u32 = 0o700;
pub(super) const PRIVATE_FILE: u32 = 0o600;

/// Random name of the store, which is to be secret: it tells the store's own log records from
/// values that look like them.
pub(crate) type StoreId = [u8; 16];

/// Returns an id that no other store has.
#[expect(clippy::disallowed_methods, reason = "an id names a folder; nothing in it depends on it")]
pub(super) fn random_id() -> io::Result<StoreId> {
    let mut id = StoreId::default();
    getrandom::fill(&mut id)?;
    Ok(id)
}

/// Returns the key at which the ordered map of a store keeps the number of the last group.
pub(crate) fn marker(id: StoreId) -> Bytes {
    let mut marker = vec![0];
    marker.extend(id);
    Bytes::from(marker)
}

/// Content of a format file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    id: StoreId,
    /// True if the note of the logs was written when the folder was created.
    is_noted: bool,
}

/// An open, locked data folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    format: Format,
    /// Held for its lock, which the system frees with it.
    _lock: File,
}

impl Folder {
    /// Locks the folder at `path`. If it does not exist, creates it with `create_map`, which gets
    /// the folder for the ordered map and the store's id, and must leave the map synced.
    pub(crate) fn open(
        path: &Path,
        create_map: impl FnOnce(&Path, StoreId) -> Result<(), Error>,
    ) -> Result<Self, OpenError> {
        create_folder(path)?;
        let format = Format { id: StoreId::default(), is_noted: true };
        let mut folder = Self { path: path.to_path_buf(), format, _lock: lock(path)? };
        if !folder.file("FORMAT").try_exists().map_err(io_error("open data folder"))? {
            folder.create(create_map)?;
        }
        folder.format = read_format(path, "FORMAT")?;
        let map_path = folder.map_path();
        if !map_path.is_dir() {
            let place = map_path.display().to_string();
            return Err(Error::corrupt("the folder is missing", place).into());
        }
        // The rights of files inside do not matter behind the folder's.
        make_private(&map_path, PRIVATE_FOLDER);
        for name in ["FORMAT", "LOCK"] {
            make_private(&folder.file(name), PRIVATE_FILE);
        }
        Ok(folder)
    }

    /// Returns the store's random name.
    #[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
    pub(crate) fn id(&self) -> StoreId {
        self.format.id
    }

    /// Returns whether the folder must have the note of the logs.
    #[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
    pub(crate) fn is_noted(&self) -> bool {
        self.format.is_noted
    }

    /// Returns the folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of the ordered map.
    pub(crate) fn map_path(&self) -> PathBuf {
        self.file(MAP_NAME)
    }

    /// Returns the key at which the ordered map keeps the number of the last group.
    #[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
    pub(crate) fn marker(&self) -> Bytes {
        marker(self.format.id)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates the store, or finishes a creation that a crash cut short.
    fn create(
        &self,
        create_map: impl FnOnce(&Path, StoreId) -> Result<(), Error>,
    ) -> Result<(), OpenError> {
        let format_is_new = self.file("FORMAT.new").is_file();
        if format_is_new && self.map_path().exists() {
            read_format(&self.path, "FORMAT.new")?;
        } else {
            self.refuse_foreign_files()?;
            self.create_contents(create_map)?;
        }
        self.rename("FORMAT.new", "FORMAT")?;
        Ok(())
    }

    fn create_contents(
        &self,
        create_map: impl FnOnce(&Path, StoreId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let creating = self.file("creating");
        if creating.exists() {
            fs::remove_dir_all(&creating).map_err(io_error("remove unfinished folder"))?;
        }
        let id = random_id().map_err(io_error("choose an id"))?;
        create_map(&creating, id)?;
        let format = Format { id, ..self.format };
        self.write_new_format(format).map_err(io_error("write format file"))?;
        self.rename("creating", MAP_NAME)
    }

    fn write_new_format(&self, format: Format) -> io::Result<()> {
        let mut file = create_private_file(&self.file("FORMAT.new"))?;
        file.write_all(format.to_text().as_bytes())?;
        file.sync_all()?;
        sync_folder(&self.path)
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        fs::rename(self.file(from), self.file(to))
            .and_then(|()| sync_folder(&self.path))
            .map_err(io_error("create data folder"))
    }

    /// Refuses a folder with other files, so that foreign files never mix with a store.
    fn refuse_foreign_files(&self) -> Result<(), OpenError> {
        for entry in fs::read_dir(&self.path).map_err(io_error("read data folder"))? {
            let name = entry.map_err(io_error("read data folder"))?.file_name();
            let own = ["LOCK", "FORMAT.new", "LOGS", "LOGS.new", "creating", "lost+found"];
            if !own.iter().any(|own| name == *own) {
                return Err(OpenError::Foreign { path: self.path.clone() });
            }
        }
        Ok(())
    }
}

/// Creates a folder, and those above it, that only its owner may read.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_FOLDER);
    builder.create(path)
}

/// Creates a file, or empties it, that only its owner may read.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_FILE);
    options.open(path)
}

/// Removes the rights of others to a file or folder of the store. If the system or the owner does
/// not allow it, they stay.
#[cfg(unix)]
pub(super) fn make_private(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = fs::metadata(path) else { return };
    if metadata.permissions().mode() & !mode & 0o777 != 0 {
        drop(fs::set_permissions(path, fs::Permissions::from_mode(mode)));
    }
}

#[cfg(not(unix))]
pub(super) fn make_private(_: &Path, _: u32) {}

/// Makes new files and folders of this process private to its owner, whatever code creates them.
/// For programs that create no other files; call it before starting threads.
pub fn keep_new_files_private() {
    #[cfg(unix)]
    let _earlier = rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Creates the folder and makes its name durable.
fn create_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    create_private(path).map_err(io_error("create data folder"))?;
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
    hold(file, path)
}

/// Locks the folder at `path` without creating or changing anything; returns `None` if it has no
/// lock file.
pub(crate) fn lock_for_reading(path: &Path) -> Result<Option<File>, OpenError> {
    match File::open(path.join("LOCK")) {
        Ok(file) => hold(file, path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("open lock file")(error).into()),
    }
}

/// Locks the file. A program that this process has just started shares all open files for a moment,
/// and so a lock that was released meanwhile, so this tries for a tenth of a second.
fn hold(file: File, path: &Path) -> Result<File, OpenError> {
    const TRIES: usize = 20;
    const PAUSE: Duration = Duration::from_millis(5);
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => clock::pause(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(io_error("lock data folder")(error).into());
            }
        }
    }
    Err(OpenError::Locked { path: path.to_path_buf() })
}

/// Reads the format file `name` of the data folder at `path`.
fn read_format(path: &Path, name: &str) -> Result<Format, OpenError> {
    let file = path.join(name);
    let content = fs::read(&file).map_err(io_error("read format file"))?;
    let damaged = || Error::corrupt("not a format file", file.display().to_string()).into();
    match parse_format(&content).ok_or_else(damaged)? {
        (FORMAT_VERSION, format) => format.ok_or_else(damaged),
        (FORMAT_VERSION_ON_ROCKSDB, _) => Err(OpenError::OnRocksDb { path: path.to_path_buf() }),
        (found, _) => Err(OpenError::UnknownFormat { found, known: FORMAT_VERSION }),
    }
}

/// Returns the version and, if this program knows it and each line is correct, the content.
fn parse_format(content: &[u8]) -> Option<(u32, Option<Format>)> {
    let text = std::str::from_utf8(content).ok()?;
    let (version, rest) = text.strip_prefix(FORMAT_PREFIX)?.split_once('\n')?;
    if !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let id = rest
        .strip_prefix("id ")
        .and_then(|rest| u128::from_str_radix(rest.get(..32)?, 16).ok())
        .map(u128::to_be_bytes);
    let format = id.and_then(|id| {
        let mut formats = [true, false].into_iter().map(|is_noted| Format { id, is_noted });
        formats.find(|format| format.to_text() == text)
    });
    Some((version.parse().ok()?, format))
}

impl Format {
    fn to_text(self) -> String {
        let id = id_line(self.id);
        let noted = if self.is_noted { format!("{NOTED}\n") } else { String::new() };
        format!("{FORMAT_PREFIX}{FORMAT_VERSION}\n{id}\n{noted}")
    }
}

/// Returns the second line of a format file.
fn id_line(id: StoreId) -> String {
    format!("id {:032x} {:016x}", u128::from_be_bytes(id), xxh3_64(&id))
}

/// Makes the names of everything below `path` durable, which fjall does not do for its folders.
#[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
pub(crate) fn sync_tree(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_tree(&entry.path())?;
        }
    }
    sync_folder(path)
}

/// Makes the names in `path` durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn io_error(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::from_io(action, source)
}
