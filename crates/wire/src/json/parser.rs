//! A strict pull parser over the bytes of a request.
//!
//! The caller asks for the value that it expects and gets it, or an error if something else stands
//! there; no tree is built. Strings without escapes are borrowed from the body, numbers stay text.
//!
//! Strict means: RFC 8259, valid UTF-8, no unpaired surrogate escapes, at most [`DEPTH_MAX`] open
//! arrays and objects, nothing but white space after the value.
//!
//! Invariants: `position` is at most the length of the text and stands on a character boundary;
//! every method either moves it forward or fails, so parsing ends.

use std::borrow::Cow;

use super::decode::Fault;
use super::scan::special_byte;

/// Most arrays and objects that may be open at once.
pub const DEPTH_MAX: usize = 256;

/// Memory that any body may take, in bytes: far more than a request within the service's limits
/// needs.
const MEMORY_FREE: usize = 16 * 1024 * 1024;
/// Memory that a body may take for each of its bytes.
const MEMORY_PER_BYTE: usize = 8;

/// Kind of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`
    Null,
}

/// Position of a caller in an object or array: obtained at its start, passed to each step.
#[derive(Debug)]
pub struct Cursor {
    first: bool,
}

/// The parser. It also records whether the part read so far may violate a constraint.
#[derive(Debug, Clone)]
pub struct Parser<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    suspect: bool,
    /// Memory that the values read so far take, in bytes.
    charged: usize,
    /// Most elements of the next list or map, then of the lists or maps in it; see
    /// [`Self::bounded_member`].
    bounds: &'static [usize],
}

/// Checks that a body is one well-formed JSON value.
pub fn syntax_check(body: &[u8]) -> Result<(), Fault> {
    let mut parser = Parser::new(body)?;
    parser.skip_value()?;
    parser.finish()
}

impl<'a> Parser<'a> {
    /// Returns a parser at the beginning of a body. Fails if the body is not UTF-8.
    pub fn new(body: &'a [u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(body).map_err(|_| Fault::Syntax)?;
        Ok(Self { text, position: 0, depth: 0, suspect: false, charged: 0, bounds: &[] })
    }

    /// Checks that only white space is left.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.skip_white_space();
        if self.position == self.text.len() { Ok(()) } else { Err(Fault::Syntax) }
    }

    /// Returns the number of bytes left.
    pub fn remaining(&self) -> usize {
        self.text.len() - self.position
    }

    /// Marks the request as suspect if the condition holds.
    pub fn suspect_if(&mut self, condition: bool) {
        self.suspect |= condition;
    }

    /// Counts memory that a value takes besides its text. Fails if a body needs memory out of
    /// proportion to its length, as one of a million empty structures does.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        self.charged += bytes;
        if self.charged <= MEMORY_FREE + MEMORY_PER_BYTE * self.position {
            return Ok(());
        }
        Err(Fault::Type("Too many elements in payload".to_owned()))
    }

    /// Sets the most elements of the next list or map, and of those in it.
    pub(crate) fn set_bounds(&mut self, bounds: &'static [usize]) {
        self.bounds = bounds;
    }

    /// Returns the most elements of the next list or map, and the bounds of those in it.
    pub(crate) fn take_bounds(&mut self) -> (usize, &'static [usize]) {
        match std::mem::take(&mut self.bounds) {
            [] => (usize::MAX, &[]),
            [max, inner @ ..] => (*max, inner),
        }
    }

    /// Returns whether the part read so far may violate a constraint of the model.
    pub fn is_suspect(&self) -> bool {
        self.suspect
    }

    /// Returns a second parser at this position, to read a value twice.
    pub(crate) fn fork(&self) -> Self {
        self.clone()
    }

    /// Returns the kind of the next value, which stays unread.
    pub fn peek(&mut self) -> Result<Kind, Fault> {
        self.skip_white_space();
        match self.byte() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't' | b'f') => Ok(Kind::Boolean),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(Fault::Syntax),
        }
    }

    /// Reads `{`.
    pub fn begin_object(&mut self) -> Result<Cursor, Fault> {
        self.open(b'{')
    }

    /// Reads the next member's name and the colon; at the `}` it reads that and returns `None`.
    pub fn next_member(&mut self, cursor: &mut Cursor) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.next(cursor, b'}')? {
            return Ok(None);
        }
        let name = self.string()?;
        self.expect(b':')?;
        Ok(Some(name))
    }

    /// Reads `[`.
    pub fn begin_array(&mut self) -> Result<Cursor, Fault> {
        self.open(b'[')
    }

    /// Moves to the next element and returns true, or reads the `]` and returns false.
    pub fn next_element(&mut self, cursor: &mut Cursor) -> Result<bool, Fault> {
        self.next(cursor, b']')
    }

    /// Reads a string.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.expect(b'"')?;
        let start = self.position;
        let end = special_byte(self.text.as_bytes(), start);
        match self.text.as_bytes().get(end) {
            Some(b'"') => {
                self.position = end + 1;
                Ok(Cow::Borrowed(&self.text[start..end]))
            }
            Some(b'\\') => self.escaped_string(start).map(Cow::Owned),
            _ => Err(Fault::Syntax),
        }
    }

    /// Reads a number and returns its text.
    pub fn number(&mut self) -> Result<&'a str, Fault> {
        self.skip_white_space();
        let start = self.position;
        self.skip_if(b'-');
        // A leading zero stands alone.
        if !self.skip_if(b'0') {
            self.digits()?;
        }
        if self.skip_if(b'.') {
            self.digits()?;
        }
        if self.skip_if(b'e') || self.skip_if(b'E') {
            let _signed = self.skip_if(b'+') || self.skip_if(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.position])
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool, Fault> {
        self.skip_white_space();
        if self.skip_text("true") {
            Ok(true)
        } else if self.skip_text("false") {
            Ok(false)
        } else {
            Err(Fault::Syntax)
        }
    }

    /// Reads `null` if it comes next, and returns whether it did.
    pub fn null(&mut self) -> Result<bool, Fault> {
        self.skip_white_space();
        if self.byte() != Some(b'n') {
            return Ok(false);
        }
        if self.skip_text("null") { Ok(true) } else { Err(Fault::Syntax) }
    }

    /// Reads an object of exactly one member, whose name is one of the letters and whose value is a
    /// string without escapes; returns `None` and stays in place if something else comes next.
    /// Accepts one space after the colon and none elsewhere, as programs write it.
    pub(crate) fn single_string_member(&mut self, names: &[u8]) -> Option<(u8, &'a str)> {
        let bytes = self.text.as_bytes();
        let (name, opening) = match &bytes[self.position..] {
            [b'{', b'"', name, b'"', b':', b'"', ..] => (*name, 6),
            [b'{', b'"', name, b'"', b':', b' ', b'"', ..] => (*name, 7),
            _ => return None,
        };
        let start = self.position + opening;
        let end = special_byte(bytes, start);
        let is_all = names.contains(&name) && bytes[end..].starts_with(b"\"}");
        if !is_all || self.depth == DEPTH_MAX {
            return None;
        }
        self.position = end + 2;
        Some((name, &self.text[start..end]))
    }

    /// Reads any value and returns its text.
    pub(crate) fn raw_value(&mut self) -> Result<&'a str, Fault> {
        self.skip_white_space();
        let start = self.position;
        self.skip_value()?;
        Ok(&self.text[start..self.position])
    }

    /// Reads any value and drops it. Does not recurse.
    pub fn skip_value(&mut self) -> Result<(), Fault> {
        let floor = self.depth;
        // One bit for each open level above `floor`: 1 for an object.
        let mut objects = [0_u64; DEPTH_MAX.div_ceil(64) + 1];
        loop {
            let mut cursor = Cursor { first: true };
            match self.peek()? {
                Kind::Object => self.skip_open(b'{', &mut objects)?,
                Kind::Array => self.skip_open(b'[', &mut objects)?,
                scalar => {
                    self.skip_scalar(scalar)?;
                    cursor.first = false;
                }
            }
            // Close every level that ends here, then go to the next value of the open one.
            loop {
                if self.depth == floor {
                    return Ok(());
                }
                if self.skip_to_next(&mut cursor, &objects)? {
                    break;
                }
                cursor.first = false;
            }
        }
    }

    fn skip_open(&mut self, bracket: u8, objects: &mut [u64]) -> Result<(), Fault> {
        self.open(bracket)?;
        let (word, bit) = (self.depth / 64, 1_u64 << (self.depth % 64));
        if bracket == b'{' {
            objects[word] |= bit;
        } else {
            objects[word] &= !bit;
        }
        Ok(())
    }

    fn skip_scalar(&mut self, kind: Kind) -> Result<(), Fault> {
        match kind {
            Kind::String => self.skip_string(),
            Kind::Number => self.number().map(drop),
            Kind::Boolean => self.boolean().map(drop),
            Kind::Null | Kind::Object | Kind::Array => self.null().map(drop),
        }
    }

    /// Moves to the next value of the innermost open level; returns false if that level was closed.
    fn skip_to_next(&mut self, cursor: &mut Cursor, objects: &[u64]) -> Result<bool, Fault> {
        let is_object = objects[self.depth / 64] & (1_u64 << (self.depth % 64)) != 0;
        if !is_object {
            return self.next(cursor, b']');
        }
        if !self.next(cursor, b'}')? {
            return Ok(false);
        }
        self.skip_string()?;
        self.expect(b':')?;
        Ok(true)
    }

    /// Reads a string and drops it, but checks its escapes.
    fn skip_string(&mut self) -> Result<(), Fault> {
        self.string().map(drop)
    }

    fn open(&mut self, bracket: u8) -> Result<Cursor, Fault> {
        self.expect(bracket)?;
        if self.depth == DEPTH_MAX {
            return Err(Fault::Syntax);
        }
        self.depth += 1;
        Ok(Cursor { first: true })
    }

    fn next(&mut self, cursor: &mut Cursor, closing: u8) -> Result<bool, Fault> {
        self.skip_white_space();
        if self.skip_if(closing) {
            self.depth -= 1;
            return Ok(false);
        }
        if !cursor.first {
            self.expect(b',')?;
        }
        cursor.first = false;
        Ok(true)
    }

    /// Reads a string that has an escape, from the first byte after the opening quote.
    fn escaped_string(&mut self, start: usize) -> Result<String, Fault> {
        let bytes = self.text.as_bytes();
        let mut value = String::new();
        let mut plain_from = start;
        loop {
            let end = special_byte(bytes, plain_from);
            value.push_str(&self.text[plain_from..end]);
            match bytes.get(end) {
                Some(b'"') => {
                    self.position = end + 1;
                    return Ok(value);
                }
                Some(b'\\') => {
                    self.position = end + 1;
                    value.push(self.escape()?);
                    plain_from = self.position;
                }
                _ => return Err(Fault::Syntax),
            }
        }
    }

    /// Reads the rest of an escape after the backslash.
    fn escape(&mut self) -> Result<char, Fault> {
        let byte = self.byte().ok_or(Fault::Syntax)?;
        let value = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.position += 1;
                return self.unicode_escape();
            }
            _ => return Err(Fault::Syntax),
        };
        self.position += 1;
        Ok(value)
    }

    /// Reads the rest of an escape after `\u`, including the second half of a surrogate pair.
    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let unit = self.four_hex_digits()?;
        if let Some(value) = char::from_u32(unit) {
            return Ok(value);
        }
        if !self.skip_text("\\u") {
            return Err(Fault::Syntax);
        }
        let low = self.four_hex_digits()?;
        if unit >= 0xDC00 || !(0xDC00..0xE000).contains(&low) {
            return Err(Fault::Syntax);
        }
        char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)).ok_or(Fault::Syntax)
    }

    fn four_hex_digits(&mut self) -> Result<u32, Fault> {
        let digits = self.text.as_bytes().get(self.position..self.position + 4);
        let mut value = 0;
        for &digit in digits.ok_or(Fault::Syntax)? {
            value = value * 16 + char::from(digit).to_digit(16).ok_or(Fault::Syntax)?;
        }
        self.position += 4;
        Ok(value)
    }

    /// Reads one or more digits.
    fn digits(&mut self) -> Result<(), Fault> {
        let rest = &self.text.as_bytes()[self.position..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.position += count;
        if count == 0 { Err(Fault::Syntax) } else { Ok(()) }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.position += 1;
        }
    }

    fn skip_if(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn skip_text(&mut self, text: &str) -> bool {
        let found = self.text.as_bytes()[self.position..].starts_with(text.as_bytes());
        if found {
            self.position += text.len();
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.byte() != Some(byte) {
            self.skip_white_space();
            if self.byte() != Some(byte) {
                return Err(Fault::Syntax);
            }
        }
        self.position += 1;
        Ok(())
    }
}
