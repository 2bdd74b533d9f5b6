//! The records of a source: lines, records of CSV, or the items of a JSON document. The beginning
//! of a source tells which.
//!
//! Bounded: a record has [`RECORD_MAX_BYTES`] at most; a longer one is skipped unread.

use super::document::Document;
use super::kind::Kind;
use super::lines::Lines;
use super::nesting::{Extent, Nesting};
use super::source::Source;
use super::window::{Window, is_space};
use crate::format::csv::Delimiter;
use anyhow::Context;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The longest record: an item has 400 KB, and no form of it that a program writes needs 20 times
/// that.
pub const RECORD_MAX_BYTES: usize = 8 << 20;

/// A record, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// The record without the end of its line; it is not blank.
    Text(String),
    /// The fault of a record; more records may follow.
    Bad(String),
    /// The fault of the document here: nothing after it can be read.
    Broken(String),
}

/// A record with the line at which it begins.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    /// The first line is 1.
    pub line: u64,
    /// Number of the record among those that begin in the line; the first is 1.
    pub nth: u32,
    /// Text, or the reason why there is none.
    pub content: Content,
}

/// Facts about a source that are known before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Delimiter of its cells, if it is CSV.
    pub csv: Option<Delimiter>,
    /// The table's partition key.
    pub partition_key: &'a str,
}

/// Cuts a source into records.
#[derive(Debug)]
pub enum Records {
    /// Lines, or records of CSV.
    Lines(Lines),
    /// The items of a JSON document.
    Document(Box<Document>),
}

impl Records {
    /// Opens a source; adds the bytes that it reads to `count`.
    pub fn open(
        source: &Source,
        expected: Expected<'_>,
        count: Arc<AtomicU64>,
    ) -> anyhow::Result<Self> {
        let is_lines = expected.csv.is_some() || source.path().is_some_and(is_lines_by_name);
        let reader = source.open(count)?;
        let records = Self::of(reader, is_lines, expected, RECORD_MAX_BYTES);
        records.with_context(|| format!("read {source}"))
    }

    /// Begins to read.
    pub fn of(
        reader: Box<dyn Read>,
        is_lines: bool,
        expected: Expected<'_>,
        record_max: usize,
    ) -> io::Result<Self> {
        let mut window = Window::new(reader)?;
        let key = expected.partition_key;
        if is_lines || !is_document(&mut window, key, record_max)? {
            return Ok(Self::Lines(Lines::new(window, expected.csv, record_max)));
        }
        Ok(Self::Document(Box::new(Document::new(window, key, record_max))))
    }

    /// Returns the line at which the next record begins, or one before it.
    pub fn next_line(&self) -> u64 {
        match self {
            Self::Lines(lines) => lines.next_line(),
            Self::Document(document) => document.line(),
        }
    }

    /// Returns true if the last of the answers that were read is not the last one there is.
    pub fn has_next_page(&self) -> bool {
        match self {
            Self::Lines(_) => false,
            Self::Document(document) => document.has_next_page(),
        }
    }

    /// Returns the next record.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        match self {
            Self::Lines(lines) => lines.next(),
            Self::Document(document) => document.next(),
        }
    }
}

/// Returns the message about a record that is too long.
pub fn too_long(record_max: usize) -> String {
    format!("longer than {} MiB, which no item is", record_max >> 20)
}

/// Returns whether a file's name says that each line is an item; `.gz` at its end is left out.
fn is_lines_by_name(path: &Path) -> bool {
    let path = super::source::unpacked_name(path);
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("jsonl") || extension.eq_ignore_ascii_case("ndjson")
}

/// Returns true if a source is no list of lines: it begins with a list, with an object that goes on
/// in the next line, with one that has items inside, or with several in a line. Takes nothing.
fn is_document(window: &mut Window, key: &str, record_max: usize) -> io::Result<bool> {
    let start = match next_word(window, 0, record_max, is_space)? {
        Some((_, b'[')) => return Ok(true),
        Some((start, b'{')) => start,
        _ => return Ok(false),
    };
    let has_items = |window: &Window| Kind::of(&window.seen()[start..], key) != Kind::Item;
    let mut nesting = Nesting::default();
    let mut offset = start;
    loop {
        let seen = &window.seen()[offset..];
        let line_end = seen.iter().position(|byte| *byte == b'\n');
        match nesting.scan(&seen[..line_end.unwrap_or(seen.len())]) {
            Extent::Ended(end) => {
                let end = offset + end;
                let kind = Kind::of(&window.seen()[start..end], key);
                let in_line = |byte| is_space(byte) && byte != b'\n';
                let next = next_word(window, end, end + record_max, in_line)?;
                return Ok(kind != Kind::Item || matches!(next, Some((_, b'{' | b'['))));
            }
            Extent::Broken(..) => return Ok(has_items(window)),
            Extent::More => {}
        }
        if let Some(line_end) = line_end {
            return goes_on(window, offset + line_end, &nesting, record_max);
        }
        offset = window.seen().len();
        if offset > record_max || !window.fill()? {
            return Ok(has_items(window));
        }
    }
}

/// Returns whether the object that is open at the end of a line goes on in the next one; otherwise
/// the line is a broken one among lines with an item each.
fn goes_on(
    window: &mut Window,
    line_end: usize,
    nesting: &Nesting,
    record_max: usize,
) -> io::Result<bool> {
    let before = &window.seen()[..line_end];
    let last = before.iter().rev().copied().find(|byte| !is_space(*byte));
    let wants_more = matches!(last, Some(b'{' | b'[' | b',' | b':'));
    Ok(match next_word(window, line_end, line_end + record_max, is_space)? {
        // No text goes on in the next line.
        _ if nesting.is_quoted() => false,
        None => false,
        Some((_, next)) => next != b'{' || wants_more,
    })
}

/// Returns where the first byte that is no space is, and the byte.
fn next_word(
    window: &mut Window,
    from: usize,
    until: usize,
    is_space: impl Fn(u8) -> bool,
) -> io::Result<Option<(usize, u8)>> {
    for offset in from..until {
        match window.at(offset)? {
            Some(byte) if is_space(byte) => {}
            found => return Ok(found.map(|byte| (offset, byte))),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
