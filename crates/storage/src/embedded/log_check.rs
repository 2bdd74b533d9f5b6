//! Common part of checking a map's logs: the order of groups, and the cut where a torn one begins.
//!
//! Numbers have no gap, and no complete group follows unreadable bytes. Leaves the bytes of the
//! logs to the map.

use std::fs::File;
use std::io;
use std::path::Path;

/// State of the check after a part of the logs.
#[derive(Debug, Default)]
pub(super) struct GroupOrder {
    /// The number of the last complete group and its sequence number.
    last: Option<(u64, u64)>,
    is_torn: bool,
}

impl GroupOrder {
    /// Takes the next complete group. Fails if it cannot be the next one.
    pub(super) fn follow(&mut self, number: u64, sequence: u64) -> Result<(), String> {
        if self.is_torn {
            return Err(format!("group {number} after unreadable bytes in the log before"));
        }
        if let Some((last, last_sequence)) = self.last
            && (number != last + 1 || sequence <= last_sequence)
        {
            return Err(format!("group {number} after group {last}"));
        }
        self.last = Some((number, sequence));
        Ok(())
    }

    /// Notes that unreadable bytes at the offset `at` end a log. Refuses them if a complete group
    /// was found after them, at `found`.
    pub(super) fn tear(&mut self, at: usize, found: Option<usize>) -> Result<(), String> {
        self.is_torn = true;
        match found {
            Some(found) => {
                Err(format!("unreadable bytes at offset {at} before a complete group at {found}"))
            }
            None => Ok(()),
        }
    }

    /// Returns the number of the last complete group, `None` when there is none.
    pub(super) fn last_group(&self) -> Option<u64> {
        self.last.map(|(number, _)| number)
    }
}

/// Cuts a log off where a torn group begins.
pub(super) fn cut(path: &Path, end: u64) -> io::Result<()> {
    let log = File::options().write(true).open(path)?;
    log.set_len(end)?;
    log.sync_all()
}
