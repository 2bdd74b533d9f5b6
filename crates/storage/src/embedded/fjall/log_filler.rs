//! Allocates disk space for a log before groups are written to it.
//!
//! fjall makes a log as one hole of 64 MiB. A sync of a group that was written into a hole writes to
//! disk three times: the group, which blocks of the disk it has taken, and the order to keep both. So
//! the committer fills the hole with zeros, a piece ahead of what it writes, while nobody waits for it,
//! and a sync writes twice. A sync of 28 KB took 311 us in a hole and 180 us in what was filled (ext4
//! without a journal, Intel Xeon).
//!
//! Nothing depends on it: a log reads the same, filled or not, and a failure here fails nothing.
//! The filler writes zeros only into holes of the file, on the thread that writes the log, so that
//! the readable content never changes and the file never grows. A log that existed when the store
//! was opened has no hole and is left alone.

use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes filled at a time; between one and two times as many are ahead of the writes.
const PIECE_BYTES: u64 = PIECE.len() as u64;
static PIECE: [u8; 256 << 10] = [0; 256 << 10];

/// Fills the newest log. Belongs to the committer.
#[derive(Debug, Default)]
pub(crate) struct LogFiller(Option<Filling>);

#[derive(Debug)]
struct Filling {
    log: File,
    /// End of the written groups, or beyond it: groups count with their size before compression.
    written: u64,
    /// Offset before which nothing is left to fill.
    filled: u64,
}

impl LogFiller {
    /// Switches to a new log.
    pub(crate) fn follow(&mut self, path: &Path) {
        // If that fails, syncs take longer.
        let log = File::options().write(true).open(path).ok().filter(is_written_in_place);
        self.0 = log.map(|log| Filling { log, written: 0, filled: 0 });
    }

    /// Notes that so many bytes were written to the log, or to the one before.
    pub(crate) fn note_written(&mut self, bytes: u64) {
        if let Some(filling) = &mut self.0 {
            filling.written = filling.written.saturating_add(bytes);
        }
    }

    /// Returns whether there is a piece to fill.
    pub(crate) fn is_due(&self) -> bool {
        self.0.as_ref().is_some_and(|filling| filling.filled < filling.written + PIECE_BYTES)
    }

    /// Fills a piece. Nothing may write to the log meanwhile.
    pub(crate) fn fill(&mut self) {
        if let Some(filling) = &mut self.0
            && !matches!(filling.fill(), Ok(true))
        {
            self.0 = None;
        }
    }
}

impl Filling {
    /// Fills a piece; returns whether there may be more to fill.
    fn fill(&mut self) -> io::Result<bool> {
        let Some((start, end)) = hole(&self.log, self.filled)? else { return Ok(false) };
        let end = end.min(start + PIECE_BYTES);
        let bytes = usize::try_from(end - start).unwrap_or(0);
        rustix::io::pwrite(&self.log, PIECE.get(..bytes).unwrap_or(&PIECE), start).map(drop)?;
        begin_to_write(&self.log, start, end - start);
        self.filled = end;
        Ok(true)
    }
}

/// Returns whether a file system overwrites data in place: where it does not, filling gains
/// nothing.
#[cfg(target_os = "linux")]
fn is_written_in_place(file: &File) -> bool {
    /// Magic numbers of bcachefs, Btrfs and ZFS. Source: statfs(2) and their own headers.
    const COPYING: [i128; 3] = [0xCA45_1A4E, 0x9123_683E, 0x2FC1_2FC1];
    rustix::fs::fstatfs(file).is_ok_and(|system| !COPYING.contains(&i128::from(system.f_type)))
}

#[cfg(not(target_os = "linux"))]
fn is_written_in_place(_file: &File) -> bool {
    true
}

/// Makes the system begin to write a part of a file to disk, without waiting for the end.
#[cfg(target_os = "linux")]
fn begin_to_write(file: &File, start: u64, bytes: u64) {
    use rustix::fs::{Advice, fadvise};
    // If that fails, the next sync writes it.
    let _begun = fadvise(file, start, std::num::NonZeroU64::new(bytes), Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
fn begin_to_write(_file: &File, _start: u64, _bytes: u64) {}

/// Returns the first hole of a file at or after `from`; `None` if there is none up to its end.
#[cfg(target_os = "linux")]
fn hole(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    let length = file.metadata()?.len();
    let start = match seek(file, SeekFrom::Hole(from)) {
        Ok(start) if start < length => start,
        Ok(_) | Err(Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match seek(file, SeekFrom::Data(start)) {
        Ok(end) => Ok(Some((start, end))),
        Err(Errno::NXIO) => Ok(Some((start, length))),
        Err(error) => Err(error.into()),
    }
}

/// Returns `None`: other systems have no common way to tell.
#[cfg(not(target_os = "linux"))]
fn hole(_file: &File, _from: u64) -> io::Result<Option<(u64, u64)>> {
    Ok(None)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    const LENGTH: u64 = 8 * PIECE_BYTES;

    /// Returns a log that is one hole, and its filler; `None` on a file system without holes or
    /// with copies.
    fn log() -> Option<(tempfile::NamedTempFile, LogFiller)> {
        let log = tempfile::NamedTempFile::new().unwrap();
        log.as_file().set_len(LENGTH).unwrap();
        let mut filler = LogFiller::default();
        filler.follow(log.path());
        let is_hole = hole(log.as_file(), 0).unwrap() == Some((0, LENGTH));
        (is_hole && filler.0.is_some()).then_some((log, filler))
    }

    fn fill_all(filler: &mut LogFiller) -> usize {
        let mut pieces = 0;
        while filler.is_due() {
            filler.fill();
            pieces += 1;
        }
        pieces
    }

    #[test]
    fn a_piece_or_two_are_ahead_and_the_log_reads_the_same() {
        let Some((log, mut filler)) = log() else { return };
        let group = vec![7; 100_000];
        let mut end = 0;
        for _ in 0..20 {
            log.as_file().write_all_at(&group, end).unwrap();
            end += group.len() as u64;
            filler.note_written(group.len() as u64);
            fill_all(&mut filler);
            let (filled, _) = hole(log.as_file(), 0).unwrap().unwrap_or((LENGTH, LENGTH));
            let most = end + 2 * PIECE_BYTES + 4096;
            assert!(
                (end + PIECE_BYTES).min(LENGTH) <= filled && filled <= most,
                "{filled} at {end}"
            );
        }
        let bytes = fs::read(log.path()).unwrap();
        assert_eq!(bytes.len() as u64, LENGTH);
        let (written, rest) = bytes.split_at(usize::try_from(end).unwrap());
        assert!(written.iter().all(|byte| *byte == 7) && rest.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_was_written_stays_however_little_is_told_of_it() {
        let Some((log, mut filler)) = log() else { return };
        let data = [1, 3 * PIECE_BYTES - 5, 5 * PIECE_BYTES, LENGTH - 1];
        for offset in data {
            log.as_file().write_all_at(&[7], offset).unwrap();
        }
        filler.note_written(LENGTH);
        assert!(fill_all(&mut filler) >= 6);
        assert_eq!(hole(log.as_file(), 0).unwrap(), None);
        let bytes = fs::read(log.path()).unwrap();
        let found = (0..).zip(&bytes).filter(|(_, byte)| **byte != 0).map(|(offset, _)| offset);
        assert_eq!(found.collect::<Vec<u64>>(), data);
        assert_eq!(bytes.len() as u64, LENGTH);
    }

    #[test]
    fn a_log_that_grows_as_it_is_written_has_nothing_to_fill() {
        let mut log = tempfile::NamedTempFile::new().unwrap();
        let mut filler = LogFiller::default();
        filler.follow(log.path());
        log.write_all(b"group").unwrap();
        filler.note_written(5);
        assert_eq!(fill_all(&mut filler), 1);
        assert_eq!(fs::read(log.path()).unwrap(), b"group");
    }
}
