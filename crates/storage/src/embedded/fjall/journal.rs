//! Checks fjall's logs before fjall replays them.
//!
//! fjall cuts a log off at the first byte it cannot read, as one must after a crash in the middle
//! of a write. Damage in the middle of a log looks the same to fjall, which would silently drop all
//! later, acknowledged writes, too. This module can tell the two apart because the committer has
//! only one group in flight: after a torn group nothing complete can follow. So groups are
//! numbered, the numbers in the logs must have no gap, and no complete group may follow unreadable
//! bytes, there or in a later log. A torn group and a damaged last group cannot be told apart; the
//! last group is then lost as after a crash.
//!
//! The first item of each group has the marker key, a zero byte and the store's id. Its value is
//! the group's number and fjall's sequence number just before, which fjall's checksum does not
//! cover. The id is random and secret, so that no stored value can pass for a group.
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

use super::super::log_check::{GroupOrder, cut};
use super::super::ordered_map::MapChange;
use crate::Error;
use bytes::Bytes;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
/// Most steps between the sequence numbers of groups: fjall's workers take one now and then.
const MAX_SEQUENCE_STEP: u64 = 1 << 16;
const TRAILER: &[u8] = b"FJL\x03";
const START_BYTES: usize = 13;
const END_BYTES: usize = 13;
const ITEM_HEAD_BYTES: usize = 21;
/// The marker's key, which is a zero and the store's id, and its value.
const MARKER_BYTES: usize = 17 + 16;

/// Returns the path of a log.
pub(crate) fn path(engine_path: &Path, number: u64) -> PathBuf {
    engine_path.join(format!("{number}.jnl"))
}

/// Returns the numbers of the logs in `engine_path`, oldest first.
pub(crate) fn numbers(engine_path: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(engine_path)? {
        let name = entry?.file_name();
        let digits = name.to_str().and_then(|name| name.strip_suffix(".jnl"));
        numbers.extend(digits.and_then(|digits| digits.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the bytes of disk that the logs in `engine_path` take; 0 if the system does not tell.
pub(crate) fn allocated_bytes(engine_path: &Path) -> u64 {
    // Logs may be removed meanwhile.
    let logs = files(engine_path).unwrap_or_default().into_iter();
    logs.filter_map(|log| fs::metadata(log).ok()).map(|log| allocated(&log)).sum()
}

/// Returns the bytes of disk that a log takes: fjall creates it as one hole.
#[cfg(unix)]
fn allocated(log: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    log.blocks().saturating_mul(512).min(log.len())
}

#[cfg(not(unix))]
fn allocated(_: &fs::Metadata) -> u64 {
    0
}

/// Returns the logs in `engine_path`, oldest first.
pub(crate) fn files(engine_path: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(numbers(engine_path)?.into_iter().map(|number| path(engine_path, number)).collect())
}

/// Returns an upper bound of the bytes that a group takes in a log: fjall compresses long values
/// there.
pub(crate) fn group_bytes(changes: &[MapChange]) -> u64 {
    let marker = ITEM_HEAD_BYTES + MARKER_BYTES;
    let bytes = changes.iter().fold(START_BYTES + marker + END_BYTES, |sum, (key, value)| {
        sum + ITEM_HEAD_BYTES + key.len() + value.as_ref().map_or(0, Bytes::len)
    });
    bytes as u64
}

/// Content of the logs.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The number and the sequence number of the first group; `None` when there is none.
    pub(crate) first: Option<(u64, u64)>,
    /// The number of the last complete group; `None` when there is none.
    pub(crate) last_group: Option<u64>,
    /// The bytes cut off at the end of the logs.
    pub(crate) torn_bytes: u64,
}

/// Fails if a log is damaged in a way that a crash cannot explain, and cuts off a torn group at the
/// end: fjall refuses to open a log of which only the middle is missing.
pub(crate) fn check(engine_path: &Path, marker: &[u8]) -> Result<Checked, Error> {
    let logs = files(engine_path).map_err(|error| Error::from_io("list logs", error))?;
    let mut checker = Checker { marker, first: None, order: GroupOrder::default() };
    let mut torn = Vec::new();
    for path in logs {
        let log = read_data(&path).map_err(|error| Error::from_io("read log", error))?;
        let end = checker
            .check_log(&log)
            .map_err(|what| Error::corrupt(what, path.display().to_string()))?;
        if end < log.len() {
            torn.push((path, end as u64, log.len() as u64));
        }
    }
    let mut torn_bytes = 0;
    for (path, end, length) in torn {
        cut(&path, end).map_err(|error| Error::from_io("cut log", error))?;
        torn_bytes += length - end;
    }
    let Checker { first, order, .. } = checker;
    Ok(Checked { first, last_group: order.last_group(), torn_bytes })
}

/// Empties all logs; `checkpoint.rs` says when that is allowed.
pub(crate) fn truncate_all(engine_path: &Path) -> io::Result<()> {
    for path in files(engine_path)? {
        File::options().write(true).open(path)?.set_len(0)?;
    }
    Ok(())
}

/// Returns the bytes of a log without the zeros at its end that were never written.
pub(crate) fn read_data(path: &Path) -> io::Result<Vec<u8>> {
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

/// Returns the offset after which the file is one hole to its end, as far as the system tells.
#[cfg(not(target_os = "linux"))]
fn data_end(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.len())
}

/// State of the check after a part of the logs.
struct Checker<'a> {
    marker: &'a [u8],
    first: Option<(u64, u64)>,
    order: GroupOrder,
}

impl Checker<'_> {
    /// Returns the offset at which a torn group begins, or the end of the log.
    fn check_log(&mut self, log: &[u8]) -> Result<usize, String> {
        let mut rest = log;
        while let Some(group) = Group::parse(rest, self.marker) {
            self.order.follow(group.number, group.sequence)?;
            self.first.get_or_insert((group.number, group.sequence));
            rest = rest.get(group.size_bytes..).unwrap_or_default();
        }
        let offset = log.len() - rest.len();
        if rest.iter().all(|&byte| byte == 0) {
            return Ok(log.len());
        }
        self.order.tear(offset, self.find_group(rest).map(|distance| offset + distance))?;
        Ok(offset)
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
        let (number, sequence_before) = parse_marker(bytes.get(START_BYTES..)?, marker)?;
        if sequence.checked_sub(sequence_before)? > MAX_SEQUENCE_STEP {
            return None;
        }
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

/// Returns the value of the marker key.
pub(crate) fn encode_marker(group: u64, sequence_before: u64) -> [u8; 16] {
    let mut value = [0; 16];
    let (first, second) = value.split_at_mut(8);
    first.copy_from_slice(&group.to_le_bytes());
    second.copy_from_slice(&sequence_before.to_le_bytes());
    value
}

/// Returns the group's number and the sequence number before it.
pub(crate) fn decode_marker(value: &[u8]) -> Option<(u64, u64)> {
    let (number, sequence_before) = value.split_first_chunk()?;
    let sequence_before = sequence_before.try_into().ok()?;
    Some((u64::from_le_bytes(*number), u64::from_le_bytes(sequence_before)))
}

/// Decodes the item at the start of `bytes` if it is the marker.
fn parse_marker(bytes: &[u8], marker: &[u8]) -> Option<(u64, u64)> {
    let item = bytes.get(..item_size(bytes)?)?;
    decode_marker(item.get(ITEM_HEAD_BYTES..)?.strip_prefix(marker)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    const MARKER: &[u8] = b"\0sixteen byte id.";

    fn item(key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut bytes = vec![ITEM, 0, 0];
        bytes.extend(1u64.to_le_bytes());
        bytes.extend(u16::try_from(key.len()).unwrap().to_le_bytes());
        bytes.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
        bytes.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
        [bytes.as_slice(), key, value].concat()
    }

    /// Returns a group whose only item beside the marker has `value`.
    fn group(marker: &[u8], number: u64, value: &[u8]) -> Vec<u8> {
        let sequence = number * 10;
        let items = [item(marker, &encode_marker(number, sequence)), item(b"key", value)].concat();
        let mut bytes = vec![START];
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(&items);
        bytes.push(END);
        bytes.extend(xxh3_64(&items).to_le_bytes());
        bytes.extend(TRAILER);
        bytes
    }

    fn check(logs: &[Vec<u8>]) -> Result<(u64, usize), String> {
        let mut checker = Checker { marker: MARKER, first: None, order: GroupOrder::default() };
        let mut end = 0;
        for log in logs {
            end = checker.check_log(log)?;
        }
        Ok((checker.order.last_group().unwrap_or(0), end))
    }

    #[test]
    fn whole_groups_are_accepted_and_zeros_after_them() {
        let log = [group(MARKER, 7, b"a"), group(MARKER, 8, b"b"), vec![0; 100]].concat();
        let length = log.len();
        assert_eq!(check(&[log, group(MARKER, 9, b"c")]), Ok((9, length / 2 - 50)));
        assert_eq!(check(&[Vec::new()]), Ok((0, 0)));
    }

    #[test]
    fn any_damage_is_torn_in_the_last_group_and_an_error_before_it() {
        let (first, last) = (group(MARKER, 1, b"some value"), group(MARKER, 2, b"other"));
        let log = [first.as_slice(), &last].concat();
        for offset in 0..log.len() {
            let mut damaged = log.clone();
            damaged[offset] ^= 0x10;
            // The lowest bits of the sequence number may differ, because only the order counts.
            let is_harmless = [5, 6, first.len() + 5, first.len() + 6].contains(&offset);
            let result = check(&[damaged]);
            match offset < first.len() {
                _ if is_harmless => {}
                true => assert!(result.is_err(), "{offset}: {result:?}"),
                false => assert_eq!(result, Ok((1, first.len())), "{offset}"),
            }
        }
    }

    #[test]
    fn any_torn_end_is_cut_off() {
        let (first, last) = (group(MARKER, 1, b"some value"), group(MARKER, 2, b"other"));
        for kept in 1..last.len() {
            let log = [first.as_slice(), &last[..kept]].concat();
            assert_eq!(check(std::slice::from_ref(&log)), Ok((1, first.len())), "{kept}");
            // A failed write may be followed by the begin of a new log, never by a group.
            assert_eq!(check(&[log, vec![0; 9]]), Ok((1, 9)), "{kept}");
        }
    }

    #[test]
    fn stored_value_cannot_pass_for_a_group() {
        let forged = group(b"\0another store id", 3, b"forged");
        let outer = group(MARKER, 2, &forged);
        let whole = group(MARKER, 1, b"a");
        let torn = [whole.as_slice(), &outer[..outer.len() - 1]].concat();
        assert_eq!(check(&[torn]), Ok((1, whole.len())));
    }

    #[test]
    fn missing_groups_and_groups_after_a_torn_log_are_errors() {
        let groups: Vec<_> = (1..5).map(|number| group(MARKER, number, b"x")).collect();
        let cases = [
            vec![groups[0].clone(), groups[2].clone()],
            vec![groups[1].clone(), groups[0].clone()],
            vec![groups[0].clone(), groups[0].clone()],
            vec![[groups[0].as_slice(), &groups[1][..20]].concat(), groups[1].clone()],
        ];
        for logs in cases {
            assert!(check(&logs).is_err(), "{logs:?}");
        }
    }
}
