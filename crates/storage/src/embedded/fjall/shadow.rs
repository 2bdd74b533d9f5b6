//! Copies a folder for reading: links to the sorted files, which are never changed once written,
//! and copies of files that are small or written to: the logs, without the part that was never
//! written, and the lists of sorted files.

use super::super::folder::{MAP_NAME, create_private};
use super::super::shadow::{copy_if_there, link};
use super::{journal, log_note};
use std::fs;
use std::io;
use std::path::Path;

/// Fills `shadow` with fjall's part of the data folder `original`.
pub(super) fn fill(original: &Path, shadow: &Path) -> io::Result<()> {
    copy_if_there(&original.join(log_note::NAME), &shadow.join(log_note::NAME))?;
    shadow_folder(&original.join(MAP_NAME), &shadow.join(MAP_NAME))
}

/// Makes a folder below fjall's: links to sorted files, copies of everything else.
fn shadow_folder(original: &Path, shadow: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(original) {
        Ok(entries) => entries,
        // Opening the shadow will find the folder missing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    create_private(shadow)?;
    let are_sorted = original.file_name().is_some_and(|name| name == "tables");
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), shadow.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            shadow_folder(&from, &to)?;
        } else if are_sorted {
            link(&from, &to)?;
        } else if from.extension().is_some_and(|kind| kind == "jnl") {
            fs::write(&to, journal::read_data(&from)?)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
