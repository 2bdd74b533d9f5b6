//! Where a data folder keeps what tests look for and damage.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the ordered map.
pub const MAP: &str = "fjall";

/// What the logs' names end with.
pub const LOG_KIND: &str = "jnl";

/// The ordered map's own lock, an empty file.
pub const LOCK: &str = "fjall/lock";

/// The file that names the list of sorted files.
pub const CURRENT: &str = "fjall/keyspaces/1/current";

/// The note of the log that must exist.
pub const NOTE: &str = "LOGS";

/// Returns the sorted files of a data folder.
pub fn tables(folder: &Path) -> Vec<PathBuf> {
    let tables = fs::read_dir(folder.join("fjall/keyspaces/1/tables")).unwrap();
    tables.map(|entry| entry.unwrap().path()).collect()
}

/// Returns the newest log of a data folder.
pub fn newest_log(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder.join(MAP)).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|ending| ending == LOG_KIND));
    let number =
        |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap();
    logs.max_by_key(number).unwrap()
}
