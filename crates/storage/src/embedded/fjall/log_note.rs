//! Knows, outside the logs, which log must exist and which group must be found.
//!
//! After a clean close the newest log is an empty file, which some tools leave out of a copy. fjall
//! takes a folder without logs for a new one and shows nothing of what the sorted files hold, and it
//! cannot tell that its newest log is gone. So the file `LOGS` notes the number of the newest log,
//! a group that was acknowledged, and whether the store was closed cleanly. A folder of an earlier
//! release has no such file: then any log will do.
//!
//! | when                                 | what is noted                              |
//! |--------------------------------------|--------------------------------------------|
//! | before the first group after opening | open, the newest log, the last group       |
//! | after the first group in a new log   | open, that log, that group                 |
//! | after a clean close                  | closed, the newest log, the last group     |
//!
//! The file has two lines, `hashrange logs, form 1` and `STATE log N group N CHECK`; `STATE` is
//! `open` or `closed`, `CHECK` the xxh3-64, in 16 hex digits, of the store's id and the line before
//! the last space.

use super::super::OpenError;
use super::super::folder::{self, StoreId, create_private_file, sync_folder};
use super::journal;
use super::remover::Remover;
use crate::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

pub(super) const NAME: &str = "LOGS";
const NEW_NAME: &str = "LOGS.new";
const FIRST_LINE: &str = "hashrange logs, form 1";

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogNote {
    /// Whether all logs were emptied after a clean close.
    pub(crate) is_closed: bool,
    /// A log of this or a higher number must exist.
    pub(crate) newest_log: u64,
    /// A group that was acknowledged.
    pub(crate) group: u64,
}

/// Keeps the file true while the store is open. Belongs to the committer, and after it to the
/// checkpoint.
#[derive(Debug)]
pub(crate) struct LogKeeper {
    folder: PathBuf,
    engine_path: PathBuf,
    id: StoreId,
    noted: Option<LogNote>,
    newest_log: u64,
    next_log: PathBuf,
}

impl LogNote {
    /// Reads the note in `folder`, `None` when there is none.
    pub(crate) fn read(folder: &Path, id: StoreId) -> Result<Option<Self>, Error> {
        let path = folder.join(NAME);
        let content = match fs::read_to_string(&path) {
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

    fn write(self, folder: &Path, id: StoreId) -> io::Result<()> {
        let new = folder.join(NEW_NAME);
        let mut file = create_private_file(&new)?;
        file.write_all(self.to_text(id).as_bytes())?;
        file.sync_all()?;
        fs::rename(new, folder.join(NAME))?;
        sync_folder(folder)
    }
}

/// Takes the rights of others at the file away.
pub(super) fn make_private(folder: &Path) {
    folder::make_private(&folder.join(NAME), folder::PRIVATE_FILE);
}

/// Fails when a log is missing: the noted one, or one between others.
pub(crate) fn check(engine_path: &Path, note: Option<LogNote>) -> Result<(), OpenError> {
    let numbers = journal::numbers(engine_path).map_err(list_error)?;
    let missing = |number| {
        let path = journal::path(engine_path, number);
        Err(OpenError::MissingLog { path, was_closed: note.map(|note| note.is_closed) })
    };
    let noted = note.map_or(0, |note| note.newest_log);
    let Some(&newest) = numbers.last() else { return missing(noted) };
    if newest < noted {
        return missing(newest + 1);
    }
    let gap = numbers
        .windows(2)
        .find(|pair| pair.first().map(|number| number + 1) < pair.last().copied());
    match gap.and_then(<[u64]>::first) {
        Some(before) => missing(before + 1),
        None => Ok(()),
    }
}

impl LogKeeper {
    /// `noted` is what the file says now.
    pub(crate) fn new(
        folder: &Path,
        engine_path: &Path,
        id: StoreId,
        noted: Option<LogNote>,
    ) -> Result<Self, Error> {
        let newest_log = newest_log(engine_path)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            engine_path: engine_path.to_path_buf(),
            id,
            noted,
            newest_log,
            next_log: journal::path(engine_path, newest_log + 1),
        })
    }

    /// To be called before a group is written; `last_group` is the one before it.
    pub(crate) fn before_group(&mut self, last_group: u64) -> Result<(), Error> {
        let is_noted =
            self.noted.is_some_and(|noted| !noted.is_closed && noted.newest_log == self.newest_log);
        if is_noted { Ok(()) } else { self.note_open(last_group) }
    }

    /// To be called when `group` is durable and before it is acknowledged. Logs that are full are given
    /// to the remover: they go when what is in them is sorted.
    pub(crate) fn after_group(&mut self, group: u64, remover: &Remover) -> Result<(), Error> {
        if !self.next_log.exists() {
            return Ok(());
        }
        while self.next_log.exists() {
            remover.hold_file(&journal::path(&self.engine_path, self.newest_log));
            self.newest_log += 1;
            self.next_log = journal::path(&self.engine_path, self.newest_log + 1);
        }
        // A log that the note names must not vanish with its name.
        sync_folder(&self.engine_path)
            .map_err(|error| Error::from_io("sync the folder of the logs", error))?;
        self.note_open(group)
    }

    /// To be called when the logs are empty and nothing will be written any more.
    pub(crate) fn close(&mut self, last_group: u64) -> Result<(), Error> {
        let newest_log = newest_log(&self.engine_path)?;
        self.note(LogNote { is_closed: true, newest_log, group: last_group })
    }

    fn note_open(&mut self, group: u64) -> Result<(), Error> {
        self.note(LogNote { is_closed: false, newest_log: self.newest_log, group })
    }

    fn note(&mut self, note: LogNote) -> Result<(), Error> {
        if self.noted != Some(note) {
            note.write(&self.folder, self.id)
                .map_err(|error| Error::from_io("write the note of the logs", error))?;
            self.noted = Some(note);
        }
        Ok(())
    }
}

fn newest_log(engine_path: &Path) -> Result<u64, Error> {
    let numbers = journal::numbers(engine_path).map_err(list_error)?;
    Ok(numbers.last().copied().unwrap_or(0))
}

fn list_error(error: io::Error) -> Error {
    Error::from_io("list logs", error)
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

    #[test]
    fn each_log_that_must_exist_is_missed() {
        let missing = |logs: &[u64], note: Option<LogNote>| {
            let folder = tempfile::tempdir().unwrap();
            for number in logs {
                fs::write(journal::path(folder.path(), *number), "").unwrap();
            }
            match check(folder.path(), note) {
                Ok(()) => None,
                Err(OpenError::MissingLog { path, .. }) => {
                    Some(path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap())
                }
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(missing(&[], None), Some(0));
        assert_eq!(missing(&[], Some(note(true, 7))), Some(7));
        assert_eq!(missing(&[3], None), None);
        assert_eq!(missing(&[6], Some(note(false, 7))), Some(7));
        assert_eq!(missing(&[7], Some(note(false, 7))), None);
        // A newer one was begun, and what was in the noted one is in sorted files.
        assert_eq!(missing(&[8, 9], Some(note(false, 7))), None);
        assert_eq!(missing(&[7, 9], Some(note(false, 7))), Some(8));
    }

    #[test]
    fn a_new_log_is_noted_with_the_group_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let read = || LogNote::read(folder.path(), ID).unwrap();
        fs::write(journal::path(folder.path(), 4), "").unwrap();
        let mut keeper = LogKeeper::new(folder.path(), folder.path(), ID, None).unwrap();
        let remover = Remover::default();
        assert_eq!(read(), None, "opening writes nothing");
        keeper.before_group(20).unwrap();
        let noted = LogNote { is_closed: false, newest_log: 4, group: 20 };
        assert_eq!(read(), Some(noted));
        keeper.after_group(21, &remover).unwrap();
        assert_eq!(read(), Some(noted));
        fs::write(journal::path(folder.path(), 5), "").unwrap();
        keeper.after_group(22, &remover).unwrap();
        assert_eq!(read(), Some(LogNote { newest_log: 5, group: 22, ..noted }));
        keeper.close(30).unwrap();
        let closed = LogNote { is_closed: true, newest_log: 5, group: 30 };
        assert_eq!(read(), Some(closed));
        let mut keeper = LogKeeper::new(folder.path(), folder.path(), ID, Some(closed)).unwrap();
        keeper.before_group(30).unwrap();
        assert_eq!(read(), Some(LogNote { is_closed: false, ..closed }));
    }
}
