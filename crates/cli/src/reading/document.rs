//! JSON that is no list of lines, cut into items as it is read: lists of items, items side by side,
//! answers of Scan and Query, requests of BatchWriteItem, each over as many lines as it likes.
//!
//! The reader has to see an object of unknown kind whole, or up to the length of the longest
//! record: one that is longer is no item.
//!
//! Left to others: whether the text of an item is one. The reader looks at every byte between
//! items.

use super::encoding;
use super::kind::{self, Kind};
use super::nesting::{Extent, Mismatch, Nesting};
use super::records::{Content, Record, too_long};
use super::window::{Window, newlines};
use std::io;

/// Cuts a document into items.
#[derive(Debug)]
pub struct Document {
    window: Window,
    partition_key: String,
    record_max: usize,
    /// Open brackets, the innermost last.
    frames: Vec<Frame>,
    /// The table that the requests so far put items into.
    table: Option<String>,
    /// The line of the last record, and how many began in it.
    last: (u64, u32),
    /// True if the last answer so far names a next page.
    has_next_page: bool,
    is_broken: bool,
}

#[derive(Debug)]
struct Frame {
    holds: Holds,
    /// Line at which it begins.
    line: u64,
    has_begun: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// A list of items, answers and requests.
    Mixed,
    /// A list of items.
    Items,
    /// A list of requests.
    Requests,
    /// The members of an answer.
    Answer,
    /// The members of an object that has lists of requests.
    Tables,
}

impl Holds {
    fn close(self) -> u8 {
        match self {
            Self::Mixed | Self::Items | Self::Requests => b']',
            Self::Answer | Self::Tables => b'}',
        }
    }
}

/// Length of a value, as far as the reader looked.
#[derive(Debug)]
enum Measure {
    Whole(usize),
    /// The value is longer than a record.
    Long,
    /// The source ends inside the value.
    Unclosed,
    Broken(usize, Mismatch),
}

/// Reasons to end the reading.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    /// Something unexpected is in this line, or in the item that begins there; with the message.
    Broken(u64, String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Outcome of one step.
#[derive(Debug)]
enum ParseStep {
    Further,
    Found(Record),
    End,
}

impl Document {
    /// Begins with the first value.
    pub fn new(window: Window, partition_key: &str, record_max: usize) -> Self {
        Self {
            window,
            partition_key: partition_key.to_owned(),
            record_max,
            frames: Vec::new(),
            table: None,
            last: (0, 0),
            has_next_page: false,
            is_broken: false,
        }
    }

    /// Returns the line up to which the document has been read.
    pub fn line(&self) -> u64 {
        self.window.line()
    }

    /// Returns true if the last answer that was read is not the last one there is.
    pub fn has_next_page(&self) -> bool {
        self.has_next_page
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.window.capacity()
    }

    /// Returns the next item. Nothing comes after a record that is broken.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        if self.is_broken {
            return Ok(None);
        }
        loop {
            match self.step() {
                Ok(ParseStep::Further) => {}
                Ok(ParseStep::Found(record)) => return Ok(Some(record)),
                Ok(ParseStep::End) => return Ok(None),
                Err(Fault::Io(error)) => return Err(error),
                Err(Fault::Broken(line, reason)) => {
                    self.is_broken = true;
                    return Ok(Some(self.record(line, Content::Broken(reason))));
                }
            }
        }
    }

    fn step(&mut self) -> Result<ParseStep, Fault> {
        let next = self.window.skip_space()?;
        match (self.frames.last().map(|frame| (frame.holds, frame.line)), next) {
            (None, None) => Ok(ParseStep::End),
            (None, Some(b'{')) => self.object(),
            (None, Some(b'[')) => Ok(self.open(Holds::Mixed)),
            (None, Some(_)) => Err(self.expected("an item or a list of items")?),
            (Some((_, line)), None) => {
                let end = self.window.line();
                Err(Fault::Broken(
                    end,
                    format!("the file ends inside the value that begins in line {line}"),
                ))
            }
            (Some((Holds::Answer | Holds::Tables, _)), Some(_)) => self.member(),
            (Some((holds, _)), Some(_)) => self.element(holds),
        }
    }

    /// Takes the bracket that opens a frame.
    fn open(&mut self, holds: Holds) -> ParseStep {
        let line = self.window.line();
        self.window.advance(1);
        self.frames.push(Frame { holds, line, has_begun: false });
        ParseStep::Further
    }

    /// Takes the comma before the next element or member of the innermost frame, or its end; returns
    /// whether there is another.
    fn another(&mut self) -> Result<bool, Fault> {
        let Some(frame) = self.frames.last_mut() else { return Ok(false) };
        let close = frame.holds.close();
        let had_some = std::mem::replace(&mut frame.has_begun, true);
        let next = self.window.at(0)?;
        if next == Some(close) {
            self.window.advance(1);
            self.frames.pop();
            return Ok(false);
        }
        if had_some {
            if next != Some(b',') {
                return Err(self.expected(&format!("`,` or `{}`", char::from(close)))?);
            }
            self.window.advance(1);
            self.window.skip_space()?;
        }
        Ok(true)
    }

    fn element(&mut self, holds: Holds) -> Result<ParseStep, Fault> {
        if !self.another()? {
            return Ok(ParseStep::Further);
        }
        if holds == Holds::Mixed && self.window.at(0)? == Some(b'{') {
            return self.object();
        }
        let measure = self.measure()?;
        self.take(&measure, holds)
    }

    /// Reads an object that may be an item, or may have items in it.
    fn object(&mut self) -> Result<ParseStep, Fault> {
        let measure = self.measure()?;
        let text = match measure {
            Measure::Whole(count) => &self.window.seen()[..count],
            Measure::Long | Measure::Unclosed | Measure::Broken(..) => self.window.seen(),
        };
        match Kind::of(text, &self.partition_key) {
            Kind::Item => self.take(&measure, Holds::Items),
            Kind::Answer => {
                self.has_next_page = false;
                Ok(self.open(Holds::Answer))
            }
            Kind::Requests => {
                if let [one, other, ..] = kind::tables(text).as_slice() {
                    return Err(Fault::Broken(self.window.line(), several_tables(one, other)));
                }
                Ok(self.open(Holds::Tables))
            }
        }
    }

    /// Takes an element: an item, or a request that puts one.
    fn take(&mut self, measure: &Measure, holds: Holds) -> Result<ParseStep, Fault> {
        let line = self.window.line();
        let content = match measure {
            Measure::Whole(0) => return Err(self.expected("an item")?),
            Measure::Whole(count) => {
                let text = String::from_utf8(self.window.seen()[..*count].to_vec());
                self.window.advance(*count);
                let text = text.map_err(|error| encoding::fault(error.as_bytes(), false));
                let item = match holds {
                    Holds::Requests => text.and_then(|request| kind::put_item(&request)),
                    Holds::Mixed | Holds::Items | Holds::Answer | Holds::Tables => text,
                };
                item.map_or_else(Content::Bad, Content::Text)
            }
            Measure::Long => {
                self.skip(line)?;
                Content::Bad(too_long(self.record_max))
            }
            Measure::Unclosed => {
                let end = line + newlines(self.window.seen());
                return Err(Fault::Broken(line, unclosed(end)));
            }
            Measure::Broken(offset, mismatch) => {
                let at = line + newlines(&self.window.seen()[..*offset]);
                return Err(Fault::Broken(line, in_line(*mismatch, at, line)));
            }
        };
        Ok(ParseStep::Found(self.record(line, content)))
    }

    /// Reads a member of an object that has items in it.
    fn member(&mut self) -> Result<ParseStep, Fault> {
        if !self.another()? {
            return Ok(ParseStep::Further);
        }
        let name = match self.measure()? {
            Measure::Whole(count) => {
                let name = kind::name(&self.window.seen()[..count]);
                self.window.advance(if name.is_some() { count } else { 0 });
                name
            }
            Measure::Long | Measure::Unclosed | Measure::Broken(..) => None,
        };
        let Some(name) = name else { return Err(self.expected("a name")?) };
        if self.window.skip_space()? != Some(b':') {
            return Err(self.expected("`:`")?);
        }
        self.window.advance(1);
        let next = self.window.skip_space()?;
        let holds = self.frames.last().map(|frame| frame.holds);
        match (holds, next) {
            (Some(Holds::Answer), Some(b'[')) if name == "Items" => Ok(self.open(Holds::Items)),
            (Some(Holds::Tables), Some(b'{')) if name == kind::REQUEST_ITEMS => {
                Ok(self.open(Holds::Tables))
            }
            (Some(Holds::Tables), Some(b'[')) => {
                let table = self.table.get_or_insert_with(|| name.clone());
                if *table != name {
                    let reason = several_tables(table, &name);
                    return Err(Fault::Broken(self.window.line(), reason));
                }
                Ok(self.open(Holds::Requests))
            }
            (_, None | Some(b',' | b':' | b']' | b'}')) => Err(self.expected("a value")?),
            (_, Some(first)) => {
                let is_null = first == b'n';
                self.has_next_page |= !is_null && kind::NEXT_PAGE.contains(&name.as_str());
                self.skip(self.window.line())?;
                Ok(ParseStep::Further)
            }
        }
    }

    /// Measures the value that begins here; takes nothing.
    fn measure(&mut self) -> io::Result<Measure> {
        let mut nesting = Nesting::default();
        let mut offset = 0;
        loop {
            match nesting.scan(&self.window.seen()[offset..]) {
                Extent::Ended(end) if offset + end <= self.record_max => {
                    return Ok(Measure::Whole(offset + end));
                }
                Extent::Ended(_) => return Ok(Measure::Long),
                Extent::Broken(at, mismatch) => return Ok(Measure::Broken(offset + at, mismatch)),
                Extent::More => {}
            }
            offset = self.window.seen().len();
            if offset > self.record_max {
                return Ok(Measure::Long);
            }
            if !self.window.fill()? {
                let is_whole = nesting.is_closed();
                return Ok(if is_whole { Measure::Whole(offset) } else { Measure::Unclosed });
            }
        }
    }

    /// Takes a value of any length without keeping it.
    fn skip(&mut self, line: u64) -> Result<(), Fault> {
        let mut nesting = Nesting::default();
        loop {
            match nesting.scan(self.window.seen()) {
                Extent::Ended(end) => {
                    self.window.advance(end);
                    return Ok(());
                }
                Extent::Broken(offset, mismatch) => {
                    self.window.advance(offset);
                    let at = self.window.line();
                    return Err(Fault::Broken(line, in_line(mismatch, at, line)));
                }
                Extent::More => self.window.advance(self.window.seen().len()),
            }
            if !self.window.fill()? {
                let end = self.window.line();
                return if nesting.is_closed() {
                    Ok(())
                } else {
                    Err(Fault::Broken(line, unclosed(end)))
                };
            }
        }
    }

    fn record(&mut self, line: u64, content: Content) -> Record {
        let nth = if self.last.0 == line { self.last.1.saturating_add(1) } else { 1 };
        self.last = (line, nth);
        Record { line, nth, content }
    }

    /// Returns the fault that something else stands here.
    fn expected(&mut self, what: &str) -> io::Result<Fault> {
        // The longest character has four bytes.
        self.window.at(3)?;
        let bytes = self.window.seen();
        let found = match bytes.utf8_chunks().next() {
            None => "the end of the file".to_owned(),
            Some(chunk) => match (chunk.valid().chars().next(), bytes[0]) {
                (Some(character), _) => format!("{character:?}"),
                (None, byte) => format!("the byte {byte:#04x}"),
            },
        };
        Ok(Fault::Broken(self.window.line(), format!("expected {what}, not {found}")))
    }
}

fn unclosed(line: u64) -> String {
    format!("the value that begins here is not closed: the file ends in line {line}")
}

fn in_line(mismatch: Mismatch, at: u64, line: u64) -> String {
    if at == line { mismatch.to_string() } else { format!("{mismatch} in line {at}") }
}

fn several_tables(one: &str, other: &str) -> String {
    format!("it has items of the tables {one} and {other}: a file has those of one table")
}
