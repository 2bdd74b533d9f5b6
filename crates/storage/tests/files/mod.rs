//! Where the engine of new folders keeps what tests look for and damage.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Whether new folders are on `RocksDB`: `cargo xtask rocksdb`.
pub const IS_ROCKSDB: bool = cfg!(feature = "rocksdb-by-default");

/// The folder of the ordered map.
pub const MAP: &str = if IS_ROCKSDB { "rocksdb" } else { "fjall" };

/// What the logs' names end with.
pub const LOG_KIND: &str = if IS_ROCKSDB { "log" } else { "jnl" };

/// The engine's own lock, an empty file.
pub const LOCK: &str = if IS_ROCKSDB { "rocksdb/LOCK" } else { "fjall/lock" };

/// The file that names the list of sorted files.
pub const CURRENT: &str = if IS_ROCKSDB { "rocksdb/CURRENT" } else { "fjall/keyspaces/1/current" };

/// The note of the log that must exist.
pub const NOTE: &str = if IS_ROCKSDB { "rocksdb/HASHRANGE-LOGS" } else { "LOGS" };

/// Returns the sorted files of a data folder.
pub fn tables(folder: &Path) -> Vec<PathBuf> {
    if IS_ROCKSDB {
        of_kind(&folder.join(MAP), "sst")
    } else {
        let tables = fs::read_dir(folder.join("fjall/keyspaces/1/tables")).unwrap();
        tables.map(|entry| entry.unwrap().path()).collect()
    }
}

/// Returns the newest log of a data folder.
pub fn newest_log(folder: &Path) -> PathBuf {
    let logs = of_kind(&folder.join(MAP), LOG_KIND);
    let number =
        |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap();
    logs.into_iter().max_by_key(number).unwrap()
}

fn of_kind(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == kind)).collect()
}
