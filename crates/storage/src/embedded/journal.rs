//! Checks fjall's logs before fjall replays them.
//!
//! fjall cuts a log off at the first byte it cannot read, as one must after a crash in the middle
//! of a write. Damage in the middle of a log looks the same to it and would silently take all
//! later, acknowledged writes along. The difference can be told because the committer has one
//! group in flight: after a torn group nothing complete can follow. So: groups are numbered, the
//! numbers in the logs must have no gap, whatever does not parse must not be followed by a
//! complete group, and only the newest log may have a torn end. A torn group and a damaged last
//! group cannot be told apart; the last group is then lost like after a crash.
//!
//! The number of a group is the value (u64, little-endian) of the marker key, the first item of
//! each group: a zero byte and the store's id. The id is random and secret, so that no stored
//! value can pass for a group.
//!
//! The bytes of a log (fjall 3, little-endian), a sequence of batches:
//!
//! | entry | bytes                                                                           |
//! |-------|---------------------------------------------------------------------------------|
//! | start | 1, number of items u32, sequence number u64                                     |
//! | item  | 2, type u8, compression u8, keyspace u64, key length u16, value length u32,     |
//! |       | stored length u32, key, stored value                                            |
//! | end   | 3, xxh3-64 of all items u64, `FJL` 3                                            |
//! | clear | 4, keyspace u64 (never written by us)                                           |
//!
//! A new log is 64 MiB of zeros; a log is cut at its end when it is opened again.

use crate::Error;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const TRAILER: &[u8] = b"FJL\x03";
const START_BYTES: usize = 13;
const END_BYTES: usize = 13;
const ITEM_HEAD_BYTES: usize = 21;

/// Returns the logs in `engine_path`, oldest first.
pub(crate) fn files(engine_path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(engine_path)? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl"));
        if let Some(number) = number.and_then(|digits| digits.parse::<u64>().ok()) {
            logs.push((number, path));
        }
    }
    logs.sort_unstable();
    Ok(logs.into_iter().map(|(_, path)| path).collect())
}

/// What the logs hold.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The number of the last complete group; `None` when there is none.
    pub(crate) last_group: Option<u64>,
    /// The bytes cut off at the end of the newest log.
    pub(crate) torn_bytes: u64,
}

/// Fails when a log is damaged in a way that a crash cannot explain, and cuts off a torn group at
/// the end: fjall refuses to open one of which only the middle is missing.
pub(crate) fn check(engine_path: &Path, marker: &[u8]) -> Result<Checked, Error> {
    let logs = files(engine_path).map_err(|error| Error::from_io("list logs", error))?;
    let newest = logs.len().saturating_sub(1);
    let mut checker = Checker { marker, last: None };
    let mut torn_bytes = 0;
    for (nth, path) in logs.iter().enumerate() {
        let log = read_data(path).map_err(|error| Error::from_io("read log", error))?;
        let end = checker
            .check_log(&log, nth == newest)
            .map_err(|what| Error::corrupt(what, path.display().to_string()))?;
        if end < log.len() {
            cut(path, end as u64).map_err(|error| Error::from_io("cut log", error))?;
            torn_bytes = (log.len() - end) as u64;
        }
    }
    Ok(Checked { last_group: checker.last.map(|group| group.number), torn_bytes })
}

fn cut(path: &Path, end: u64) -> io::Result<()> {
    let log = File::options().write(true).open(path)?;
    log.set_len(end)?;
    log.sync_all()
}

/// Empties all logs; see `checkpoint.rs` for when this is right.
pub(crate) fn truncate_all(engine_path: &Path) -> io::Result<()> {
    for path in files(engine_path)? {
        File::options().write(true).open(path)?.set_len(0)?;
    }
    Ok(())
}

/// Returns the bytes of a log without the zeros at its end that were never written.
fn read_data(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let end = data_end(&file)?;
    let mut data = Vec::with_capacity(usize::try_from(end).unwrap_or(0));
    (&file).seek(SeekFrom::Start(0))?;
    file.take(end).read_to_end(&mut data)?;
    Ok(data)
}

/// Returns the offset after which the file is one hole to its end.
#[cfg(target_os = "linux")]
fn data_end(file: &File) -> io::Result<u64> {
    use rustix::fs::{SeekFrom, seek};
    let mut end = 0;
    loop {
        match seek(file, SeekFrom::Data(end)) {
            Ok(start) => end = seek(file, SeekFrom::Hole(start))?,
            Err(rustix::io::Errno::NXIO) => return Ok(end),
            Err(_) => return Ok(file.metadata()?.len()),
        }
    }
}

/// Returns the offset after which the file is one hole to its end, as far as is known.
#[cfg(not(target_os = "linux"))]
fn data_end(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.len())
}

/// What is known after a part of the logs.
struct Checker<'a> {
    marker: &'a [u8],
    last: Option<Group>,
}

impl Checker<'_> {
    /// Returns the offset at which a torn group begins, or the end of the log.
    fn check_log(&mut self, log: &[u8], is_newest: bool) -> Result<usize, String> {
        let mut rest = log;
        while let Some(group) = Group::parse(rest, self.marker) {
            self.check_order(&group)?;
            rest = rest.get(group.size_bytes..).unwrap_or_default();
            self.last = Some(group);
        }
        let offset = log.len() - rest.len();
        if rest.iter().all(|&byte| byte == 0) {
            return Ok(log.len());
        }
        if !is_newest {
            return Err(format!("unreadable bytes at offset {offset} of a finished log"));
        }
        match self.find_group(rest) {
            Some(distance) => Err(format!(
                "unreadable bytes at offset {offset} before a complete group at {}",
                offset + distance
            )),
            None => Ok(offset),
        }
    }

    fn check_order(&self, group: &Group) -> Result<(), String> {
        let Some(last) = &self.last else { return Ok(()) };
        if group.number != last.number + 1 || group.sequence <= last.sequence {
            return Err(format!("group {} after group {}", group.number, last.number));
        }
        Ok(())
    }

    /// Returns the offset of a complete group after the first byte of `bytes`.
    fn find_group(&self, bytes: &[u8]) -> Option<usize> {
        let mut markers = bytes.windows(self.marker.len()).enumerate();
        markers.find_map(|(offset, window)| {
            let start = offset.checked_sub(START_BYTES + ITEM_HEAD_BYTES)?;
            let is_group = start > 0
                && window == self.marker
                && Group::parse(bytes.get(start..)?, self.marker).is_some();
            is_group.then_some(start)
        })
    }
}

/// A complete group with a valid checksum.
struct Group {
    number: u64,
    sequence: u64,
    size_bytes: usize,
}

impl Group {
    /// Parses the group at the start of `bytes`.
    fn parse(bytes: &[u8], marker: &[u8]) -> Option<Self> {
        let head = bytes.get(..START_BYTES)?;
        if head.first() != Some(&START) {
            return None;
        }
        let items = u32::from_le_bytes(field(head, 1)?);
        let sequence = u64::from_le_bytes(field(head, 5)?);
        let number = marker_value(bytes.get(START_BYTES..)?, marker)?;
        let mut size_bytes = START_BYTES;
        for _ in 0..items {
            size_bytes += item_size(bytes.get(size_bytes..)?)?;
        }
        let checksum = xxh3_64(bytes.get(START_BYTES..size_bytes)?);
        let end = bytes.get(size_bytes..)?;
        let is_valid = end.first() == Some(&END)
            && u64::from_le_bytes(field(end, 1)?) == checksum
            && field::<4>(end, 9)? == TRAILER;
        is_valid.then_some(Self { number, sequence, size_bytes: size_bytes + END_BYTES })
    }
}

/// Returns the value of the item at the start of `bytes` if it is the marker's.
fn marker_value(bytes: &[u8], marker: &[u8]) -> Option<u64> {
    let item = bytes.get(..item_size(bytes)?)?;
    let value = item.get(ITEM_HEAD_BYTES..)?.strip_prefix(marker)?;
    Some(u64::from_le_bytes(value.try_into().ok()?))
}

/// Returns the bytes of the item at the start of `bytes`.
fn item_size(bytes: &[u8]) -> Option<usize> {
    if bytes.first() != Some(&ITEM) {
        return None;
    }
    let key_bytes = u16::from_le_bytes(field(bytes, 11)?);
    let stored_bytes = u32::from_le_bytes(field(bytes, 17)?);
    let size = ITEM_HEAD_BYTES + usize::from(key_bytes) + usize::try_from(stored_bytes).ok()?;
    (size <= bytes.len()).then_some(size)
}

fn field<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..offset + N)?.try_into().ok()
}
