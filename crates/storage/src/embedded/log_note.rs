//! A note, outside the logs, of the log that must exist.
//!
//! | field        | meaning                                                            |
//! |--------------|--------------------------------------------------------------------|
//! | state        | `closed` if the store was closed cleanly and the logs hold nothing |
//! | log          | a log of this or a higher number must exist                        |
//! | group        | an acknowledged group                                              |
//!
//! The file has two lines, `hashrange logs, form 1` and `STATE log N group N CHECK`; `STATE` is
//! `open` or `closed`, `CHECK` the xxh3-64, in 16 hex digits, of the store's id and the line before
//! the last space. The ordered map decides when to write it and where it lies.

use super::folder::{StoreId, create_private_file, sync_folder};
use crate::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const FIRST_LINE: &str = "hashrange logs, form 1";

/// Content of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogNote {
    /// True if all logs were emptied after a clean close.
    pub(crate) is_closed: bool,
    /// A log of this or a higher number must exist.
    pub(crate) newest_log: u64,
    /// An acknowledged group.
    pub(crate) group: u64,
}

impl LogNote {
    /// Reads the note at `path`, `None` when there is none.
    pub(crate) fn read(path: &Path, id: StoreId) -> Result<Option<Self>, Error> {
        let content = match fs::read_to_string(path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::from_io("read the note of the logs", error)),
        };
        let note = Self::parse(&content, id);
        let damaged = || Error::corrupt("not a note of the logs", path.display().to_string());
        note.map(Some).ok_or_else(damaged)
    }

    fn parse(content: &str, id: StoreId) -> Option<Self> {
        let line = content.strip_prefix(FIRST_LINE)?.strip_prefix('\n')?;
        let words: Vec<&str> = line.strip_suffix('\n')?.split(' ').collect();
        let [state, "log", newest_log, "group", group, _check] = words[..] else { return None };
        let note = Self {
            is_closed: state == "closed",
            newest_log: newest_log.parse().ok()?,
            group: group.parse().ok()?,
        };
        (note.to_text(id) == content).then_some(note)
    }

    fn to_text(self, id: StoreId) -> String {
        let state = if self.is_closed { "closed" } else { "open" };
        let line = format!("{state} log {} group {}", self.newest_log, self.group);
        let check = xxh3_64(&[&id[..], line.as_bytes()].concat());
        format!("{FIRST_LINE}\n{line} {check:016x}\n")
    }

    /// Writes the note to `path`, in the place of the one before, and makes it durable.
    pub(super) fn write(self, path: &Path, id: StoreId) -> io::Result<()> {
        let new = path.with_extension("new");
        let mut file = create_private_file(&new)?;
        file.write_all(self.to_text(id).as_bytes())?;
        file.sync_all()?;
        fs::rename(new, path)?;
        path.parent().map_or(Ok(()), sync_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: StoreId = [7; 16];

    fn note(is_closed: bool, newest_log: u64) -> LogNote {
        LogNote { is_closed, newest_log, group: 12 }
    }

    #[test]
    fn a_note_is_read_as_it_was_written_and_never_when_damaged() {
        for note in [note(true, 0), note(false, u64::MAX)] {
            let text = note.to_text(ID);
            assert_eq!(LogNote::parse(&text, ID), Some(note));
            assert_eq!(LogNote::parse(&text, [8; 16]), None, "of another store");
            for end in 0..text.len() {
                assert_eq!(LogNote::parse(&text[..end], ID), None, "{end}");
                let mut damaged = text.clone().into_bytes();
                damaged[end] ^= 1;
                let damaged = String::from_utf8(damaged).unwrap();
                assert_eq!(LogNote::parse(&damaged, ID), None, "{damaged}");
            }
        }
    }
}
