//! Checks the logs before `RocksDB` replays them.
//!
//! After a crash in the middle of a write the end of the newest log cannot be read. Damage in the middle
//! of a log looks the same to `RocksDB`: it can be told to refuse both or to take both. The difference
//! can be told because the committer has one group in flight: after a torn group nothing complete can
//! follow. So: groups are numbered, the numbers in the logs must have no gap, and whatever does not parse
//! must not be followed by a complete group, there or in a later log. What is torn is cut off here, and
//! `RocksDB` is told to refuse the rest. A torn group and a damaged last group cannot be told apart; the
//! last group is then lost like after a crash.

use super::super::OpenError;
use super::super::log_check::{GroupOrder, cut};
use super::super::log_note::LogNote;
use super::log_record::Group;
use crate::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the logs hold.
#[derive(Debug)]
pub(super) struct Checked {
    /// The number of the last complete group; `None` when there is none.
    pub(super) last_group: Option<u64>,
    /// The bytes cut off at the end of the logs.
    pub(super) torn_bytes: u64,
}

/// Returns the path of a log.
pub(super) fn path(map_path: &Path, number: u64) -> PathBuf {
    map_path.join(format!("{number:06}.log"))
}

/// Returns the number of the newest log in `map_path`, 0 when there is none.
pub(super) fn newest(map_path: &Path) -> Result<u64, Error> {
    let numbers = numbers(map_path).map_err(|error| Error::from_io("list logs", error))?;
    Ok(numbers.last().copied().unwrap_or(0))
}

/// Returns the numbers of the logs, oldest first.
fn numbers(map_path: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(map_path)? {
        let name = entry?.file_name();
        let digits = name.to_str().and_then(|name| name.strip_suffix(".log"));
        numbers.extend(digits.and_then(|digits| digits.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the bytes of all files of the map.
pub(super) fn folder_bytes(map_path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(map_path) else { return 0 };
    // A file may have been removed meanwhile.
    let files = entries.flatten().filter_map(|entry| entry.metadata().ok());
    files.map(|file| file.len()).sum()
}

/// Fails when the newest log is missing. `RocksDB` misses the others itself.
pub(super) fn check_newest(map_path: &Path, note: LogNote) -> Result<(), OpenError> {
    if newest(map_path)? >= note.newest_log {
        return Ok(());
    }
    let path = path(map_path, note.newest_log);
    Err(OpenError::MissingLog { path, was_closed: Some(note.is_closed) })
}

/// Fails when a log is damaged in a way that a crash cannot explain, and cuts off a torn group at the
/// end.
pub(super) fn check(map_path: &Path, marker: &[u8]) -> Result<Checked, Error> {
    let numbers = numbers(map_path).map_err(|error| Error::from_io("list logs", error))?;
    let mut order = GroupOrder::default();
    let (mut torn, mut torn_bytes) = (Vec::new(), 0);
    for number in numbers {
        let path = path(map_path, number);
        let log = fs::read(&path).map_err(|error| Error::from_io("read log", error))?;
        let end = check_log(&log, marker, &mut order)
            .map_err(|what| Error::corrupt(what, path.display().to_string()))?;
        let rest = log.get(end..).unwrap_or_default();
        if !rest.is_empty() {
            let is_unwritten = rest.iter().all(|byte| *byte == 0);
            torn_bytes += if is_unwritten { 0 } else { rest.len() as u64 };
            torn.push((path, end as u64));
        }
    }
    for (path, end) in torn {
        cut(&path, end).map_err(|error| Error::from_io("cut log", error))?;
    }
    Ok(Checked { last_group: order.last_group(), torn_bytes })
}

/// Returns the offset at which the complete groups of a log end.
fn check_log(log: &[u8], marker: &[u8], order: &mut GroupOrder) -> Result<usize, String> {
    let mut end = 0;
    while let Some(group) = Group::read(log, end, marker) {
        order.follow(group.number, group.sequence)?;
        end = group.end;
    }
    if log.get(end..).unwrap_or_default().iter().any(|byte| *byte != 0) {
        let mut later = end + 1..log.len();
        order.tear(end, later.find(|offset| Group::read(log, *offset, marker).is_some()))?;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::super::log_record::append_group;
    use super::*;

    const MARKER: &[u8] = b"\0sixteen byte id.";

    /// Returns a log of groups and where each ends.
    fn log(groups: std::ops::Range<u64>, bytes: usize) -> (Vec<u8>, Vec<usize>) {
        let mut log = Vec::new();
        let mut append = |number| {
            append_group(&mut log, MARKER, number, bytes);
            log.len()
        };
        let ends = groups.map(&mut append).collect();
        (log, ends)
    }

    fn check_logs(logs: &[&[u8]]) -> Result<(Checked, Vec<u64>), Error> {
        let folder = tempfile::tempdir().unwrap();
        for (number, log) in (3..).zip(logs) {
            fs::write(path(folder.path(), number), log).unwrap();
        }
        let checked = check(folder.path(), MARKER)?;
        let sizes = (3..).zip(logs);
        let sizes = sizes.map(|(number, _)| path(folder.path(), number).metadata().unwrap().len());
        Ok((checked, sizes.collect()))
    }

    #[test]
    fn a_torn_end_is_cut_off() {
        for bytes in [50, 20_000] {
            let (log, ends) = log(1..6, bytes);
            for end in [ends[3] + 1, ends[3] + 30, log.len() - 1] {
                let (checked, sizes) = check_logs(&[&log[..end]]).unwrap();
                assert_eq!(checked.last_group, Some(4));
                assert_eq!(checked.torn_bytes, (end - ends[3]) as u64);
                assert_eq!(sizes, [ends[3] as u64]);
            }
            let unwritten = [&log[..], &[0; 10_000]].concat();
            let (checked, sizes) = check_logs(&[&unwritten, &[]]).unwrap();
            assert_eq!((checked.last_group, checked.torn_bytes), (Some(5), 0));
            assert_eq!(sizes, [log.len() as u64, 0]);
        }
    }

    #[test]
    fn damage_before_a_complete_group_is_refused() {
        for bytes in [50, 20_000] {
            let (log, ends) = log(1..6, bytes);
            let (later, _) = self::log(6..8, bytes);
            for offset in (0..ends[3]).step_by(7) {
                let mut damaged = log.clone();
                damaged[offset] ^= 1;
                assert!(check_logs(&[&damaged]).is_err(), "{offset} of {bytes}");
            }
            let mut damaged = log.clone();
            damaged[ends[3] + 9] ^= 1;
            assert_eq!(check_logs(&[&damaged]).unwrap().0.last_group, Some(4), "like a torn one");
            assert!(check_logs(&[&damaged, &later]).is_err());
            assert!(check_logs(&[&log, &later]).is_ok());
            assert!(check_logs(&[&later, &log]).is_err(), "in order");
        }
    }

    #[test]
    fn a_log_that_must_exist_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(path(folder.path(), 7), "").unwrap();
        let note = |newest_log| LogNote { is_closed: false, newest_log, group: 0 };
        assert!(check_newest(folder.path(), note(7)).is_ok());
        assert!(check_newest(folder.path(), note(6)).is_ok(), "a newer one was begun");
        let error = check_newest(folder.path(), note(8)).unwrap_err();
        assert!(error.to_string().contains("000008.log"));
    }
}
