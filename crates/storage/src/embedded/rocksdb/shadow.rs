//! A copy of a folder to look at: links to the sorted files, which are never changed once they are
//! written, and copies of everything else: the logs, the list of sorted files and what is small.

use super::super::folder::create_private;
use super::super::options::EmbeddedEngine;
use super::super::shadow::link;
use std::fs;
use std::io;
use std::path::Path;

/// Puts what `RocksDB`'s part of the data folder `original` holds into `shadow`.
pub(super) fn fill(original: &Path, shadow: &Path) -> io::Result<()> {
    let name = EmbeddedEngine::RocksDb.folder_name();
    let (original, shadow) = (original.join(name), shadow.join(name));
    let entries = match fs::read_dir(&original) {
        Ok(entries) => entries,
        // To be found missing by those who open the shadow.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    create_private(&shadow)?;
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), shadow.join(entry.file_name()));
        if from.extension().is_some_and(|kind| kind == "sst") {
            link(&from, &to)?;
        } else if entry.file_type()?.is_file() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
