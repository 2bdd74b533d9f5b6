//! `RocksDB`'s failures in our words, and its panics.
//!
//! An error of `RocksDB` is a line of text with its kind in front; the system's own kind of failure
//! and the file it is about are only in that text.

use super::super::panics;
use crate::{Error, Key};
use rocksdb::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Words of the system's failures, as the C library has them.
const NO_SPACE: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
const NO_FILE: &str = "No such file or directory";

/// What the name of a damaged file begins with, as a place.
const FILE: &str = "file '";

/// What the sorted files' names end with.
const SORTED: &str = ".sst";

/// Runs a call into `RocksDB` and translates its failures.
pub(super) fn guarded<T>(
    action: &'static str,
    call: impl FnOnce() -> Result<T, rocksdb::Error>,
) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| translate(action, &error)),
        Err(panic) => Err(Error::failed(action, &panics::message(&*panic))),
    }
}

/// Adds to an error the key at which it came.
pub(super) fn near(error: Error, key: &[u8]) -> Error {
    let Error::Corrupt { what, place, near: None } = error else { return error };
    Error::Corrupt { what, place, near: Some(Box::new(Key::from(key))) }
}

/// Names in an error that names no file the folder that was opened.
pub(super) fn in_folder(error: Error, path: &Path) -> Error {
    let Error::Corrupt { what, place, near } = error else { return error };
    let place = if place.starts_with(FILE) { place } else { path.display().to_string() };
    Error::Corrupt { what, place, near }
}

fn translate(action: &'static str, error: &rocksdb::Error) -> Error {
    let text = error.as_ref();
    match error.kind() {
        ErrorKind::IOError if NO_SPACE.iter().any(|words| text.contains(words)) => Error::Full,
        ErrorKind::IOError if !text.contains(NO_FILE) => Error::failed(action, text),
        // Every file that it looks for was there once.
        ErrorKind::IOError
        | ErrorKind::Corruption
        | ErrorKind::NotFound
        | ErrorKind::InvalidArgument
        | ErrorKind::NotSupported => Error::corrupt(text, file_in(text).unwrap_or(action.into())),
        ErrorKind::ShutdownInProgress => Error::Closed,
        ErrorKind::MergeInProgress
        | ErrorKind::Incomplete
        | ErrorKind::TimedOut
        | ErrorKind::Aborted
        | ErrorKind::Busy
        | ErrorKind::Expired
        | ErrorKind::TryAgain
        | ErrorKind::CompactionTooLarge
        | ErrorKind::ColumnFamilyDropped
        | ErrorKind::Unknown => Error::failed(action, text),
    }
}

/// Returns the sorted file that is named in a message.
fn file_in(text: &str) -> Option<String> {
    let end = text.find(SORTED)? + SORTED.len();
    let before = text.get(..end)?;
    // A path may hold spaces, so it begins at the first " /" behind which there is no other message.
    let start = before.rfind(": /").map(|at| at + 2).or_else(|| before.find(" /").map(|at| at + 1));
    Some(format!("{FILE}{}'", before.get(start?..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_damaged_file_is_named() {
        let file = |text| file_in(text);
        let named = Some("file '/a b/rocksdb/000011.sst'".to_owned());
        let mismatch = "Corruption: block checksum mismatch: stored = 1, computed = 2, type = 4  in \
                        /a b/rocksdb/000011.sst offset 0 size 70";
        assert_eq!(file(mismatch), named);
        assert_eq!(
            file("IO error: No such file: While open: /a b/rocksdb/000011.sst: gone"),
            named
        );
        assert_eq!(file("Corruption: something else"), None);
    }

    #[test]
    fn a_panic_is_a_failure() {
        let failed = guarded::<()>("read key", || panic!("why"));
        assert!(failed.unwrap_err().to_string().contains("why"));
    }
}
