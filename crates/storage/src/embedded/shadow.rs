//! Links and copies of files, for folders that shadow another one.

use std::fs;
use std::io;
use std::path::Path;

/// Copies a file, if there is one.
pub(super) fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    if from.exists() {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Makes a link to a file that is never changed.
#[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
#[cfg(unix)]
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

/// Copies the file: on other systems links need rights that few users have.
#[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only a map in files asks"))]
#[cfg(not(unix))]
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}
