//! The bytes of a log of `RocksDB` (version 11), and of the group that a record of it holds.
//!
//! A log is a sequence of blocks of 32 KiB. A record lies in one block or, cut into parts, in several;
//! a part never crosses the end of a block, whose last bytes are zeros when no part's head fits.
//! Little-endian:
//!
//! | what   | bytes                                                                           |
//! |--------|---------------------------------------------------------------------------------|
//! | part   | masked crc-32c of kind and content u32, length u16, kind u8, content            |
//! | kind   | 1 the whole record, 2 its first part, 3 one between, 4 its last part            |
//! | record | sequence number u64, number of changes u32, changes                             |
//! | change | 1 = put: key length, key, value length, value; 0 = delete; lengths are varints  |
//!
//! The first change of each group puts the marker, a zero byte and the store's id, to the group's number.
//! The id is random and secret, so that no stored value can pass for a group.

const BLOCK_BYTES: usize = 32 * 1024;
const HEAD_BYTES: usize = 7;

const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const BETWEEN: u8 = 3;
const LAST: u8 = 4;

/// The sequence number and the number of changes.
const RECORD_HEAD_BYTES: usize = 12;
const PUT: u8 = 1;
const MARKER_VALUE_BYTES: usize = 8;

/// Returns the value of the marker key.
pub(super) fn encode_marker(group: u64) -> [u8; MARKER_VALUE_BYTES] {
    group.to_le_bytes()
}

/// Returns the group's number.
pub(super) fn decode_marker(value: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(value.try_into().ok()?))
}

/// A complete group with valid checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) number: u64,
    pub(super) sequence: u64,
    /// Where it ends in the log.
    pub(super) end: usize,
}

impl Group {
    /// Reads the group whose first part begins at `offset` of a log, or behind the zeros there that end
    /// a block.
    pub(super) fn read(log: &[u8], offset: usize, marker: &[u8]) -> Option<Self> {
        let mut part = Part::read(log, offset)?;
        // Cheap, for those who look for a group at every offset.
        if !matches!(part.kind, WHOLE | FIRST) || !begins_group(part.content, marker) {
            return None;
        }
        if !part.is_valid() {
            return None;
        }
        let mut record = part.content.to_vec();
        while part.kind != LAST && part.kind != WHOLE {
            part = Part::read(log, part.end)?;
            if !matches!(part.kind, BETWEEN | LAST) || !part.is_valid() {
                return None;
            }
            record.extend_from_slice(part.content);
        }
        let sequence = u64::from_le_bytes(*record.first_chunk()?);
        let number = marker_value(record.get(RECORD_HEAD_BYTES..)?, marker)?;
        Some(Self { number, sequence, end: part.end })
    }
}

/// A part of a record.
struct Part<'a> {
    checksum: u32,
    kind: u8,
    /// The kind and the content, of which the checksum is.
    checked: &'a [u8],
    content: &'a [u8],
    end: usize,
}

impl<'a> Part<'a> {
    fn read(log: &'a [u8], offset: usize) -> Option<Self> {
        let left = BLOCK_BYTES - offset % BLOCK_BYTES;
        let start = if left < HEAD_BYTES { offset + left } else { offset };
        let block_end = start - start % BLOCK_BYTES + BLOCK_BYTES;
        let head: &[u8; HEAD_BYTES] = log.get(start..)?.first_chunk()?;
        let [c0, c1, c2, c3, l0, l1, kind] = *head;
        let end = start + HEAD_BYTES + usize::from(u16::from_le_bytes([l0, l1]));
        if end > block_end {
            return None;
        }
        Some(Self {
            checksum: u32::from_le_bytes([c0, c1, c2, c3]),
            kind,
            checked: log.get(start + HEAD_BYTES - 1..end)?,
            content: log.get(start + HEAD_BYTES..end)?,
            end,
        })
    }

    fn is_valid(&self) -> bool {
        masked(crc32c(self.checked)) == self.checksum
    }
}

/// Returns whether a record, of which the first bytes are known, may be a group's.
fn begins_group(first: &[u8], marker: &[u8]) -> bool {
    let Some(change) = first.get(RECORD_HEAD_BYTES..) else { return true };
    let begin =
        || [PUT].into_iter().chain(u8::try_from(marker.len())).chain(marker.iter().copied());
    change.iter().zip(begin()).all(|(byte, expected)| *byte == expected)
}

/// Returns the number in the marker's change, if `changes` begin with it.
fn marker_value(changes: &[u8], marker: &[u8]) -> Option<u64> {
    let (key_length, rest) = changes.strip_prefix(&[PUT])?.split_first()?;
    let (value_length, rest) = rest.strip_prefix(marker)?.split_first()?;
    let lengths_match = usize::from(*key_length) == marker.len()
        && usize::from(*value_length) == MARKER_VALUE_BYTES;
    if lengths_match { decode_marker(rest.get(..MARKER_VALUE_BYTES)?) } else { None }
}

/// `RocksDB` stores checksums so that one of bytes that hold checksums is no problem.
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The checksums of the 256 bytes, by the polynomial of Castagnoli.
const CHECKSUMS: [u32; 256] = checksums();

#[expect(clippy::indexing_slicing, reason = "it runs when the program is compiled")]
const fn checksums() -> [u32; 256] {
    let mut table = [0; 256];
    let mut next = 0;
    while next < 256 {
        let (mut value, mut bit) = (next, 0);
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0x82f6_3b78 } else { value >> 1 };
            bit += 1;
        }
        table[next as usize] = value;
        next += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "there is a checksum for each byte")]
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |checksum: u32, byte| {
        let [low, ..] = checksum.to_le_bytes();
        CHECKSUMS[usize::from(low ^ byte)] ^ (checksum >> 8)
    })
}

/// Returns a log with a record in as many parts as it takes, for tests.
#[cfg(test)]
pub(super) fn append_group(log: &mut Vec<u8>, marker: &[u8], number: u64, bytes: usize) {
    let mut record = number.to_le_bytes().to_vec();
    record.extend(1u32.to_le_bytes());
    record.extend([PUT, u8::try_from(marker.len()).unwrap()]);
    record.extend(marker);
    record.push(8);
    record.extend(encode_marker(number));
    record.resize(record.len() + bytes, b'x');
    let mut rest = &record[..];
    let mut is_first = true;
    while is_first || !rest.is_empty() {
        let left = BLOCK_BYTES - log.len() % BLOCK_BYTES;
        if left < HEAD_BYTES {
            log.resize(log.len() + left, 0);
            continue;
        }
        let (content, later) = rest.split_at(rest.len().min(left - HEAD_BYTES));
        let kind = match (is_first, later.is_empty()) {
            (true, true) => WHOLE,
            (true, false) => FIRST,
            (false, false) => BETWEEN,
            (false, true) => LAST,
        };
        let checked = [&[kind], content].concat();
        log.extend(masked(crc32c(&checked)).to_le_bytes());
        log.extend(u16::try_from(content.len()).unwrap().to_le_bytes());
        log.extend(checked);
        (rest, is_first) = (later, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked(0), 0xa282_ead8);
    }

    #[test]
    fn a_group_is_read_whatever_parts_it_is_in() {
        for bytes in [0, 100, 32_000, 32_730, 40_000, 200_000] {
            let mut log = Vec::new();
            append_group(&mut log, b"\0marker", 7, bytes);
            let first = Group::read(&log, 0, b"\0marker").unwrap();
            assert_eq!((first.number, first.sequence, first.end), (7, 7, log.len()));
            append_group(&mut log, b"\0marker", 8, 10);
            assert_eq!(Group::read(&log, first.end, b"\0marker").unwrap().number, 8, "{bytes}");
            assert_eq!(Group::read(&log, 0, b"\0marked"), None);
            assert_eq!(Group::read(&log[..first.end - 1], 0, b"\0marker"), None);
        }
    }
}
