//! Records that end with a line, or, in CSV, with the line behind which no quote is open.

use super::encoding;
use super::records::{Content, Record, too_long};
use super::window::Window;
use crate::format::csv::Delimiter;
use crate::format::csv::records::Position;
use std::io::{self, BufRead, Read};

/// Cuts a source into lines, or into records of CSV.
#[derive(Debug)]
pub struct Lines {
    window: Window,
    /// Delimiter of the cells, if it is CSV.
    csv: Option<Delimiter>,
    next_line: u64,
    record_max: usize,
}

impl Lines {
    /// Begins with the first line.
    pub fn new(window: Window, csv: Option<Delimiter>, record_max: usize) -> Self {
        Self { window, csv, next_line: 1, record_max }
    }

    /// Returns the line at which the next record begins.
    pub fn next_line(&self) -> u64 {
        self.next_line
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.window.capacity()
    }

    /// Returns the next record that is not blank.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        loop {
            let line = self.next_line;
            let mut bytes = Vec::new();
            let Some(is_whole) = self.read_record(&mut bytes)? else { return Ok(None) };
            let content = if is_whole {
                match String::from_utf8(bytes) {
                    Ok(text) if text.trim().is_empty() => continue,
                    Ok(text) => match encoding::zero_fault(&text).filter(|_| line == 1) {
                        Some(fault) => Content::Bad(fault),
                        None => Content::Text(text),
                    },
                    Err(error) => Content::Bad(encoding::fault(error.as_bytes(), line == 1)),
                }
            } else {
                Content::Bad(too_long(self.record_max))
            };
            return Ok(Some(Record { line, nth: 1, content }));
        }
    }

    /// Reads up to the end of a record and says whether it was short enough; `None` at the end.
    fn read_record(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<bool>> {
        let mut position = Position::default();
        loop {
            let before = bytes.len();
            let limit = (self.record_max + 1).saturating_sub(before) as u64;
            let count = self.window.by_ref().take(limit).read_until(b'\n', bytes)?;
            if count == 0 && limit > 0 {
                // The end; a record may have been left open.
                return Ok((before > 0).then_some(true));
            }
            let is_ended = bytes.last() == Some(&b'\n');
            let end = bytes.len();
            if let Some(delimiter) = self.csv {
                position = position.after(delimiter, &bytes[before..end]);
            }
            let goes_on = is_ended && position == Position::Quoted;
            self.next_line += 1;
            if end > self.record_max && (goes_on || !is_ended) {
                if !is_ended {
                    self.window.skip_until(b'\n')?;
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
