//! The bytes of a source that have been read and not yet taken: a reader can look at them first.
//!
//! Invariant: `line` is the line of the first byte that has not been taken.

use std::fmt;
use std::io::{self, BufRead, Read};

/// Bytes read at once.
const CHUNK_BYTES: usize = 128 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes that a reader can look at before it takes them.
pub struct Window {
    reader: Box<dyn Read>,
    bytes: Vec<u8>,
    /// Bytes before this one are taken.
    start: usize,
    line: u64,
    is_ended: bool,
}

impl fmt::Debug for Window {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Window").field("line", &self.line).finish_non_exhaustive()
    }
}

impl Window {
    /// Begins to read; passes over a byte order mark.
    pub fn new(reader: Box<dyn Read>) -> io::Result<Self> {
        let mut window = Self { reader, bytes: Vec::new(), start: 0, line: 1, is_ended: false };
        while window.bytes.len() < BYTE_ORDER_MARK.len() && window.fill()? {}
        if window.bytes.starts_with(BYTE_ORDER_MARK) {
            window.advance(BYTE_ORDER_MARK.len());
        }
        Ok(window)
    }

    /// Returns the bytes that have been read and not taken.
    pub fn seen(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns the line of the next byte; the first is 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads more bytes after those that are there; returns false at the end of the source.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.is_ended {
            return Ok(false);
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        let before = self.bytes.len();
        self.bytes.resize(before + CHUNK_BYTES, 0);
        let read = loop {
            match self.reader.read(&mut self.bytes[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.bytes.truncate(before + read.as_ref().map_or(0, |count| *count));
        self.is_ended = read? == 0;
        Ok(!self.is_ended)
    }

    /// Takes bytes that have been read.
    pub fn advance(&mut self, count: usize) {
        self.line += newlines(&self.seen()[..count]);
        self.start += count;
    }

    /// Returns the byte so far after the next one; `None` after the end.
    pub fn at(&mut self, offset: usize) -> io::Result<Option<u8>> {
        while self.seen().len() <= offset && self.fill()? {}
        Ok(self.seen().get(offset).copied())
    }

    /// Takes white space; returns the byte after it.
    pub fn skip_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.seen().iter().position(|byte| !is_space(*byte)) {
                Some(offset) => {
                    self.advance(offset);
                    return self.at(0);
                }
                None => self.advance(self.seen().len()),
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

impl Read for Window {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Window {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.seen().is_empty() {
            self.fill()?;
        }
        Ok(self.seen())
    }

    fn consume(&mut self, count: usize) {
        self.advance(count);
    }
}

/// Returns true for white space of JSON.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns how many lines end in these bytes.
pub fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
