//! Notes, outside the logs, which log must exist and which group must be in it.
//!
//! After a clean close the newest log is an empty file, which some tools leave out of a copy. fjall
//! takes a folder without logs for a new one and shows nothing of the sorted files, and it cannot
//! tell that its newest log is missing. So the file `LOGS` notes the number of the newest log, an
//! acknowledged group, and whether the store was closed cleanly. `FORMAT` says whether the folder
//! has this file; a folder of an earlier release has not, and then any log will do.
//!
//! | when                                        | what is noted                          |
//! |---------------------------------------------|----------------------------------------|
//! | when the folder is created                  | closed, the log, the last group        |
//! | before the first group after opening        | open, the newest log, the last group   |
//! | after that group                            | open, the newest log, that group       |
//! | after the first group in a new memtable     | open, the newest log, that group       |
//! | after the first group in a new log          | open, that log, that group             |
//! | after so many groups that were not noted    | open, the newest log, the last of them |
//! | after a clean close                         | closed, the newest log, the last group |
//!
//! The noted group is therefore in no sorted file while any later one is only in the logs, so the
//! check notices a log that was emptied, or cut before that group. A log that ends exactly behind a
//! noted or later group lacks fewer than `GROUPS_BETWEEN_NOTES` groups; that cannot be told from a
//! log that was never longer.
//!
//! `embedded/log_note.rs` describes the content of the file.

use super::super::OpenError;
use super::super::folder::{StoreId, sync_folder};
use super::super::log_note::LogNote;
use super::journal;
use super::remover::Remover;
use crate::Error;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "LOGS";

/// Groups between two notes. A note takes as long as three or four groups.
const GROUPS_BETWEEN_NOTES: u64 = 256;

/// Keeps the file true while the store is open. Belongs to the committer, and after it to the
/// checkpoint.
#[derive(Debug)]
pub(crate) struct LogKeeper {
    folder: PathBuf,
    engine_path: PathBuf,
    id: StoreId,
    noted: Option<LogNote>,
    /// The memtable of which a group is noted, if the newest log has that group, too.
    noted_memtable: Option<u64>,
    newest_log: u64,
    next_log: PathBuf,
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
    /// `noted` is the present content of the file.
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
            noted_memtable: None,
            newest_log,
            next_log: journal::path(engine_path, newest_log + 1),
        })
    }

    /// Call it before a group is written; `last_group` is the one before it.
    pub(crate) fn before_group(&mut self, last_group: u64) -> Result<(), Error> {
        let is_noted =
            self.noted.is_some_and(|noted| !noted.is_closed && noted.newest_log == self.newest_log);
        if is_noted { Ok(()) } else { self.note_open(last_group) }
    }

    /// Call it when `group` is durable and before it is acknowledged, with the memtable that holds
    /// it; `None` if that is unknown. Gives full logs to the remover, which removes them once their
    /// groups are sorted. Returns the newest log if this group began it.
    pub(crate) fn after_group(
        &mut self,
        group: u64,
        memtable: Option<u64>,
        remover: &Remover,
    ) -> Result<Option<PathBuf>, Error> {
        if !self.next_log.exists() {
            if !self.is_within_reach_of_note(group, memtable) {
                self.note_open(group)?;
                self.noted_memtable = memtable;
            }
            return Ok(None);
        }
        while self.next_log.exists() {
            remover.hold_file(&journal::path(&self.engine_path, self.newest_log));
            self.newest_log += 1;
            self.next_log = journal::path(&self.engine_path, self.newest_log + 1);
        }
        // A crash must not undo the name of a log that the note has.
        sync_folder(&self.engine_path)
            .map_err(|error| Error::from_io("sync the folder of the logs", error))?;
        self.note_open(group)?;
        // The log may begin behind this group, so the next one is noted, too.
        self.noted_memtable = None;
        Ok(Some(journal::path(&self.engine_path, self.newest_log)))
    }

    fn is_within_reach_of_note(&self, group: u64, memtable: Option<u64>) -> bool {
        let noted = self.noted.map_or(0, |noted| noted.group);
        memtable.is_some()
            && memtable == self.noted_memtable
            && group < noted.saturating_add(GROUPS_BETWEEN_NOTES)
    }

    /// Call it when the logs are empty and nothing more will be written.
    pub(crate) fn close(&mut self, last_group: u64) -> Result<(), Error> {
        let newest_log = newest_log(&self.engine_path)?;
        self.note(LogNote { is_closed: true, newest_log, group: last_group })
    }

    fn note_open(&mut self, group: u64) -> Result<(), Error> {
        self.note(LogNote { is_closed: false, newest_log: self.newest_log, group })
    }

    fn note(&mut self, note: LogNote) -> Result<(), Error> {
        if self.noted != Some(note) {
            note.write(&self.folder.join(NAME), self.id)
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
    use std::fs;

    const ID: StoreId = [7; 16];

    fn note(is_closed: bool, newest_log: u64) -> LogNote {
        LogNote { is_closed, newest_log, group: 12 }
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
        // A newer log was begun, and the groups of the noted one are in sorted files.
        assert_eq!(missing(&[8, 9], Some(note(false, 7))), None);
        assert_eq!(missing(&[7, 9], Some(note(false, 7))), Some(8));
    }

    /// Returns a folder with the log 4, and the keeper of its note.
    fn kept_folder() -> (tempfile::TempDir, LogKeeper) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(journal::path(folder.path(), 4), "").unwrap();
        let keeper = LogKeeper::new(folder.path(), folder.path(), ID, None).unwrap();
        (folder, keeper)
    }

    #[test]
    fn a_new_log_is_noted_with_the_groups_that_may_be_its_first() {
        let (folder, mut keeper) = kept_folder();
        let read = || LogNote::read(&folder.path().join(NAME), ID).unwrap();
        let remover = Remover::without_thread();
        assert_eq!(read(), None, "opening writes nothing");
        keeper.before_group(20).unwrap();
        let noted = LogNote { is_closed: false, newest_log: 4, group: 20 };
        assert_eq!(read(), Some(noted));
        for group in [21, 22] {
            keeper.after_group(group, Some(1), &remover).unwrap();
            assert_eq!(read(), Some(LogNote { group: 21, ..noted }), "the first group in the log");
        }
        fs::write(journal::path(folder.path(), 5), "").unwrap();
        // The log before may have it as its last group.
        keeper.after_group(23, Some(1), &remover).unwrap();
        assert_eq!(read(), Some(LogNote { newest_log: 5, group: 23, ..noted }));
        for group in [24, 25] {
            keeper.after_group(group, Some(1), &remover).unwrap();
            assert_eq!(read(), Some(LogNote { newest_log: 5, group: 24, ..noted }));
        }
        keeper.close(30).unwrap();
        let closed = LogNote { is_closed: true, newest_log: 5, group: 30 };
        assert_eq!(read(), Some(closed));
        let mut keeper = LogKeeper::new(folder.path(), folder.path(), ID, Some(closed)).unwrap();
        keeper.before_group(30).unwrap();
        assert_eq!(read(), Some(LogNote { is_closed: false, ..closed }));
    }

    #[test]
    fn a_group_of_each_memtable_is_noted_and_one_of_so_many_in_it() {
        let (folder, mut keeper) = kept_folder();
        let remover = Remover::without_thread();
        let mut noted_after = |group, memtable| {
            keeper.after_group(group, memtable, &remover).unwrap();
            LogNote::read(&folder.path().join(NAME), ID).unwrap().unwrap().group
        };
        assert_eq!([noted_after(1, Some(7)), noted_after(2, Some(7))], [1, 1]);
        assert_eq!([noted_after(3, Some(8)), noted_after(4, Some(8))], [3, 3]);
        // The group 5 may be the last of one memtable or the first of the next.
        assert_eq!([5, 6].map(|group| noted_after(group, (group > 5).then_some(9))), [5, 6]);
        let last = 6 + GROUPS_BETWEEN_NOTES;
        assert_eq!((7..last).map(|group| noted_after(group, Some(9))).max(), Some(6));
        assert_eq!([noted_after(last, Some(9)), noted_after(last + 1, Some(9))], [last, last]);
    }
}
