//! Checks fjall's logs before fjall replays them.
//!
//! fjall cuts a log off at the first byte it cannot read, as one must after a crash in the middle
//! of a write. Damage in the middle of a log looks the same to it and would silently take all
//! later, acknowledged writes along. The difference can be told because the committer has one
//! batch in flight: after a torn batch nothing complete can follow. So: whatever does not parse
//! must not be followed by a complete batch with a valid checksum, and only the newest log may
//! have a torn end. A torn batch and a damaged last batch cannot be told apart; the last group is
//! then lost like after a crash.
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
use xxhash_rust::xxh3::Xxh3;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const TRAILER: &[u8] = b"FJL\x03";
const START_BYTES: usize = 13;
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

/// Fails when a log is damaged in a way that a crash cannot explain.
pub(crate) fn check(engine_path: &Path) -> Result<(), Error> {
    let logs = files(engine_path).map_err(|error| Error::from_io("list logs", error))?;
    let newest = logs.len().saturating_sub(1);
    let mut last_sequence = None;
    for (nth, path) in logs.iter().enumerate() {
        let log = read_data(path).map_err(|error| Error::from_io("read log", error))?;
        let checked = check_log(&log, &mut last_sequence, nth == newest);
        checked.map_err(|what| Error::corrupt(what, path.display().to_string()))?;
    }
    Ok(())
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

/// Checks one log; `last_sequence` is the sequence number of the batch before it.
fn check_log(log: &[u8], last_sequence: &mut Option<u64>, is_newest: bool) -> Result<(), String> {
    let mut rest = log;
    while let Some(batch) = Batch::parse(rest) {
        if last_sequence.is_some_and(|last| batch.sequence <= last) {
            return Err(format!("sequence number {} out of order", batch.sequence));
        }
        *last_sequence = Some(batch.sequence);
        rest = rest.get(batch.size_bytes..).unwrap_or_default();
    }
    let offset = log.len() - rest.len();
    if rest.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    if !is_newest {
        return Err(format!("unreadable bytes at offset {offset} of a finished log"));
    }
    match find_batch(rest) {
        Some(distance) => Err(format!(
            "unreadable bytes at offset {offset} before a complete batch at {}",
            offset + distance
        )),
        None => Ok(()),
    }
}

/// Returns the offset of the first complete batch after the first byte of `bytes`.
fn find_batch(bytes: &[u8]) -> Option<usize> {
    // Only a start that is followed by an item is worth parsing; in random data that is rare, and
    // a hostile log can cost no more than its length times the longest item run it contains.
    (1..bytes.len()).find(|&offset| {
        let tail = bytes.get(offset..).unwrap_or_default();
        tail.first() == Some(&START)
            && tail.get(START_BYTES) == Some(&ITEM)
            && Batch::parse(tail).is_some()
    })
}

/// A complete batch with a valid checksum.
struct Batch {
    sequence: u64,
    size_bytes: usize,
}

impl Batch {
    /// Parses the batch at the start of `bytes`.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..START_BYTES)?;
        if head.first() != Some(&START) {
            return None;
        }
        let items = u32::from_le_bytes(field(head, 1)?);
        let sequence = u64::from_le_bytes(field(head, 5)?);
        let mut size_bytes = START_BYTES;
        for _ in 0..items {
            size_bytes += item_size(bytes.get(size_bytes..)?)?;
        }
        let mut checksum = Xxh3::new();
        checksum.update(bytes.get(START_BYTES..size_bytes)?);
        let end = bytes.get(size_bytes..)?;
        let is_valid = end.first() == Some(&END)
            && u64::from_le_bytes(field(end, 1)?) == checksum.digest()
            && field::<4>(end, 9)? == TRAILER;
        is_valid.then_some(Self { sequence, size_bytes: size_bytes + 13 })
    }
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
