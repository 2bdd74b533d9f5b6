//! Knows, outside the logs, which log must exist and which group must be found.
//!
//! `RocksDB` notes in its list of files which logs it has ended, and misses them, but of the newest log
//! it takes what is there. So our own note names that one too.
//!
//! | when                                 | what is noted                              |
//! |--------------------------------------|--------------------------------------------|
//! | when the folder is created           | closed, the newest log, the last group     |
//! | before the first group after opening | open, the newest log, the last group       |
//! | after the first group in a new log   | open, that log, that group                 |
//! | after a clean close                  | closed, the newest log, the last group     |
//!
//! What is in the file, which lies among `RocksDB`'s: `embedded/log_note.rs`. `RocksDB` leaves files
//! alone whose names it does not know; `LOGS` it would take for one of its own.

use super::super::folder::{StoreId, sync_folder};
use super::super::log_note::LogNote;
use super::log;
use crate::Error;
use std::path::{Path, PathBuf};

const NAME: &str = "HASHRANGE-LOGS";

/// Returns the path of the note in the map's folder.
pub(super) fn note_path(path: &Path) -> PathBuf {
    path.join(NAME)
}

/// Keeps the note true while the store is open.
#[derive(Debug)]
pub(super) struct LogKeeper {
    path: PathBuf,
    id: StoreId,
    noted: LogNote,
    newest_log: u64,
    /// The engine's version when it was looked for a new log last: it begins one with each memtable.
    version: u64,
}

impl LogKeeper {
    /// `noted` is what the note says now.
    pub(super) fn new(
        path: &Path,
        id: StoreId,
        noted: LogNote,
        version: u64,
    ) -> Result<Self, Error> {
        let newest_log = log::newest(path)?;
        Ok(Self { path: path.to_path_buf(), id, noted, newest_log, version })
    }

    /// To be called before a group is written; `last_group` is the one before it.
    pub(super) fn before_group(&mut self, last_group: u64) -> Result<(), Error> {
        if !self.noted.is_closed && self.noted.newest_log == self.newest_log {
            return Ok(());
        }
        self.note(false, last_group)
    }

    /// To be called when `group` is durable and before it is acknowledged.
    pub(super) fn after_group(&mut self, group: u64, version: u64) -> Result<(), Error> {
        if version == self.version {
            return Ok(());
        }
        self.version = version;
        let newest_log = log::newest(&self.path)?;
        if newest_log == self.newest_log {
            return Ok(());
        }
        self.newest_log = newest_log;
        self.note(false, group)
    }

    /// To be called when everything is in sorted files and nothing will be written any more.
    pub(super) fn close(&mut self, last_group: u64) -> Result<(), Error> {
        self.newest_log = log::newest(&self.path)?;
        self.note(true, last_group)
    }

    fn note(&mut self, is_closed: bool, group: u64) -> Result<(), Error> {
        let note = LogNote { is_closed, newest_log: self.newest_log, group };
        if self.noted == note {
            return Ok(());
        }
        // A log that the note names must not vanish with its name.
        sync_folder(&self.path)
            .and_then(|()| note.write(&note_path(&self.path), self.id))
            .map_err(|error| Error::from_io("write the note of the logs", error))?;
        self.noted = note;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ID: StoreId = [7; 16];

    #[test]
    fn a_new_log_is_noted_with_the_group_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |number: u64| fs::write(log::path(folder.path(), number), "").unwrap();
        let read = || LogNote::read(&note_path(folder.path()), ID).unwrap();
        begin(4);
        let closed = LogNote { is_closed: true, newest_log: 4, group: 20 };
        let mut keeper = LogKeeper::new(folder.path(), ID, closed, 1).unwrap();
        assert_eq!(read(), None, "opening writes nothing");
        keeper.before_group(20).unwrap();
        let open = LogNote { is_closed: false, ..closed };
        assert_eq!(read(), Some(open));
        begin(9);
        keeper.after_group(21, 1).unwrap();
        assert_eq!(read(), Some(open), "the engine has begun nothing new");
        keeper.after_group(22, 2).unwrap();
        assert_eq!(read(), Some(LogNote { newest_log: 9, group: 22, ..open }));
        keeper.close(30).unwrap();
        assert_eq!(read(), Some(LogNote { newest_log: 9, group: 30, ..closed }));
    }
}
