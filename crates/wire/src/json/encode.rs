//! Encoding of types as JSON: appended to a buffer, with absent members left out.

use std::borrow::Cow;
use std::io::Write as _;

use hashrange_model::{Item, Value};

use super::attribute_value::{write_item, write_value};
use super::writer::write_string;
use crate::Map;

/// Type that can be written as JSON.
pub trait Encode {
    /// Appends the value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Returns the approximate length of the value in bytes, if it is known without a look through
    /// it.
    fn size_hint(&self) -> usize {
        0
    }
}

/// JSON object in work.
#[derive(Debug)]
pub struct Object<'o> {
    out: &'o mut Vec<u8>,
    separator: u8,
}

impl<'o> Object<'o> {
    /// Opens an object. The caller must close it with [`end`](Self::end).
    pub fn begin(out: &'o mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    /// Opens the body of an error response.
    pub fn begin_exception(out: &'o mut Vec<u8>, name: &str) -> Self {
        out.extend_from_slice(b"{\"__type\":\"com.amazonaws.dynamodb.v20120810#");
        out.extend_from_slice(name.as_bytes());
        out.push(b'"');
        Self { out, separator: b',' }
    }

    /// Writes a member if it is present. `key` is the name in quotes with the colon.
    pub fn member<T: Encode + ?Sized>(&mut self, key: &'static str, value: Option<&T>) {
        if let Some(value) = value {
            self.out.push(self.separator);
            self.separator = b',';
            self.out.extend_from_slice(key.as_bytes());
            value.encode(self.out);
        }
    }

    /// Closes the object.
    pub fn end(self) {
        if self.separator == b'{' {
            self.out.push(b'{');
        }
        self.out.push(b'}');
    }
}

impl Encode for str {
    fn encode(&self, out: &mut Vec<u8>) {
        write_string(out, self);
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Vec<u8>) {
        write_string(out, self);
    }
}

impl Encode for Cow<'_, str> {
    fn encode(&self, out: &mut Vec<u8>) {
        write_string(out, self);
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Encode for i32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl Encode for i64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

/// Writes capacity units and timestamps always with a fraction, as in `1.0`.
impl Encode for f64 {
    fn encode(&self, out: &mut Vec<u8>) {
        if self.is_finite() {
            write!(out, "{self:?}").expect("a Vec takes any bytes");
        } else {
            out.extend_from_slice(b"null");
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(2 + self.iter().map(Encode::size_hint).sum::<usize>());
        out.push(b'[');
        for (nth, element) in self.iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            element.encode(out);
        }
        out.push(b']');
    }
}

impl<K: AsRef<str>, V: Encode> Encode for Map<K, V> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (nth, (key, value)) in self.iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            write_string(out, key.as_ref());
            out.push(b':');
            value.encode(out);
        }
        out.push(b'}');
    }
}

impl Encode for Item {
    fn encode(&self, out: &mut Vec<u8>) {
        write_item(out, self);
    }

    fn size_hint(&self) -> usize {
        // JSON adds a few characters around each name and value.
        self.as_bytes().len() * 9 / 8 + 64
    }
}

impl Encode for Value {
    fn encode(&self, out: &mut Vec<u8>) {
        write_value(out, &self.get());
    }
}
