//! Where items come from: files or standard input, compressed or not, cut into records.
//!
//! Bounded: a record has [`RECORD_MAX_BYTES`] at most; what is longer is skipped unread.

use crate::format::csv::records::Position;
use anyhow::Context;
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest record: an item has 400 KB, and no form of it that a program writes needs 20 times
/// that.
pub const RECORD_MAX_BYTES: usize = 8 << 20;
/// What is read at once.
const BUFFER_BYTES: usize = 128 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A place that items come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// Returns the file's name, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::File(path) => Some(path),
        }
    }

    /// Returns how many bytes there are to read, if that is known.
    pub fn size(&self) -> Option<u64> {
        let found = std::fs::metadata(self.path()?).ok()?;
        found.is_file().then_some(found.len())
    }

    fn open(&self) -> anyhow::Result<Box<dyn Read>> {
        match self {
            Self::Standard => Ok(Box::new(io::stdin())),
            Self::File(path) => {
                let opened = File::open(path).and_then(|file| {
                    let is_folder = file.metadata()?.is_dir();
                    if is_folder { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
                });
                Ok(Box::new(opened.with_context(|| format!("read {}", path.display()))?))
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => formatter.write_str("standard input"),
            Self::File(path) => path.display().fmt(formatter),
        }
    }
}

/// Reads and counts.
struct Counted {
    inner: Box<dyn Read>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A record, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// The record without the end of its line; it is not blank.
    Text(String),
    /// What is wrong with it.
    Bad(String),
}

/// A record with the line at which it begins.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    /// The first line is 1.
    pub line: u64,
    /// What it is.
    pub content: Content,
}

/// Cuts a source into records: lines, or records of CSV.
pub struct Records {
    reader: Box<dyn BufRead>,
    is_csv: bool,
    next_line: u64,
    record_max: usize,
}

impl fmt::Debug for Records {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Records")
            .field("next_line", &self.next_line)
            .finish_non_exhaustive()
    }
}

impl Records {
    /// Opens a source; adds to `count` what is read of it.
    pub fn open(source: &Source, is_csv: bool, count: Arc<AtomicU64>) -> anyhow::Result<Self> {
        let counted = Counted { inner: source.open()?, count };
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, counted);
        let start = reader.fill_buf().with_context(|| format!("read {source}"))?;
        let reader: Box<dyn BufRead> = if start.starts_with(&GZIP_MAGIC) {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(reader)))
        } else {
            Box::new(reader)
        };
        Ok(Self::of(reader, is_csv, RECORD_MAX_BYTES))
    }

    fn of(reader: Box<dyn BufRead>, is_csv: bool, record_max: usize) -> Self {
        Self { reader, is_csv, next_line: 1, record_max }
    }

    /// Returns the line at which the next record begins.
    pub fn next_line(&self) -> u64 {
        self.next_line
    }

    /// Returns the next record that is not blank.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        loop {
            let line = self.next_line;
            let mut bytes = Vec::new();
            let Some(is_whole) = self.read_record(&mut bytes)? else { return Ok(None) };
            if line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
            let content = if is_whole {
                match String::from_utf8(bytes) {
                    Ok(text) if text.trim().is_empty() => continue,
                    Ok(text) => Content::Text(text),
                    Err(_) => Content::Bad("not in UTF-8".to_owned()),
                }
            } else {
                let mib = self.record_max >> 20;
                Content::Bad(format!("longer than {mib} MiB, which no item is"))
            };
            return Ok(Some(Record { line, content }));
        }
    }

    /// Reads up to the end of a record and says whether it was short enough; `None` at the end.
    fn read_record(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<bool>> {
        let mut position = Position::default();
        loop {
            let before = bytes.len();
            let limit = (self.record_max + 1).saturating_sub(before) as u64;
            let count = self.reader.by_ref().take(limit).read_until(b'\n', bytes)?;
            if count == 0 && limit > 0 {
                // The end; a record may have been left open.
                return Ok((before > 0).then_some(true));
            }
            let is_ended = bytes.last() == Some(&b'\n');
            let end = bytes.len();
            position = if self.is_csv { position.after(&bytes[before..end]) } else { position };
            let goes_on = is_ended && position == Position::Quoted;
            self.next_line += 1;
            if end > self.record_max && (goes_on || !is_ended) {
                if !is_ended {
                    self.reader.skip_until(b'\n')?;
                }
                bytes.clear();
                return Ok(Some(false));
            }
            if goes_on {
                continue;
            }
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            return Ok(Some(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(text: &[u8], is_csv: bool) -> Vec<(u64, Result<String, String>)> {
        let mut records = Records::of(Box::new(io::Cursor::new(text.to_vec())), is_csv, 1 << 20);
        let mut found = Vec::new();
        while let Some(record) = records.next().unwrap() {
            found.push(match record.content {
                Content::Text(text) => (record.line, Ok(text)),
                Content::Bad(reason) => (record.line, Err(reason)),
            });
        }
        found
    }

    #[test]
    fn records_know_their_line() {
        let text = |line, text: &str| (line, Ok(text.to_owned()));
        assert_eq!(read(b"\xef\xbb\xbfa\r\n\n \t\nb", false), [text(1, "a"), text(4, "b")]);
        let csv = b"a,b\n\"1\n\n2\",x\r\n3,\"\"\n";
        let expected = [text(1, "a,b"), text(2, "\"1\n\n2\",x"), text(5, "3,\"\"")];
        assert_eq!(read(csv, true), expected);
        assert_eq!(read(b"a,\"b\nc\n", true), [text(1, "a,\"b\nc\n")]);
        let bad = (1, Err("not in UTF-8".to_owned()));
        assert_eq!(read(b"\xff\nb", false), [bad, text(2, "b")]);
        assert_eq!(read(b"", false), []);
    }

    #[test]
    fn a_record_that_is_too_long_is_skipped() {
        for is_csv in [false, true] {
            let mut text = vec![b'x'; 5 << 20];
            text.extend(b"\nb");
            let long = (1, Err("longer than 1 MiB, which no item is".to_owned()));
            assert_eq!(read(&text, is_csv), [long, (2, Ok("b".to_owned()))]);
        }
        let lines = "\"\n".to_owned() + &"x\n".repeat(1 << 20);
        assert!(matches!(&read(lines.as_bytes(), true)[0], (1, Err(_))));
    }

    #[test]
    fn compressed_files_are_read_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"a\nb\n").unwrap();
        std::fs::write(&path, encoder.finish().unwrap()).unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let mut records = Records::open(&Source::File(path), false, Arc::clone(&count)).unwrap();
        assert_eq!(records.next().unwrap().unwrap().content, Content::Text("a".to_owned()));
        assert_eq!(records.next().unwrap().unwrap().line, 2);
        assert_eq!(records.next().unwrap(), None);
        assert!(count.load(Ordering::Relaxed) > 0);
    }
}
