//! Attribute values in three forms: [`AttributeValue`], a tree to build and change; [`Value`], one
//! value in the binary form; [`ValueRef`], a view into the binary form that decodes on demand.
//!
//! Binary form of a value (written by [`crate::encode::Encoder`]):
//!
//! | tag | type | after the tag |
//! |---|---|---|
//! | 1 | S | varint length, UTF-8 |
//! | 2 | N | varint length, number bytes (see [`crate::number`]) |
//! | 3 | B | varint length, bytes |
//! | 4, 5 | BOOL true, false | |
//! | 6 | NULL | |
//! | 7, 8, 9 | SS, NS, BS | u32 LE length, members (varint length, bytes) in byte order |
//! | 10 | L | u32 LE length, values |
//! | 11 | M | u32 LE length, entries (varint length, name, value) in byte order of the names |
//!
//! Invariant: the form is canonical (sorted sets and maps, canonical numbers), so two values are
//! equal exactly when their bytes are. The bytes are trusted: stores verify checksums, so a
//! malformed form is a bug and ends in a panic, never in a wrong answer.

use crate::encode::Encoder;
use crate::number::{Number, NumberRef};
use bytes::Bytes;
use std::collections::BTreeMap;

pub(crate) mod tag {
    pub(crate) const STRING: u8 = 1;
    pub(crate) const NUMBER: u8 = 2;
    pub(crate) const BINARY: u8 = 3;
    pub(crate) const TRUE: u8 = 4;
    pub(crate) const FALSE: u8 = 5;
    pub(crate) const NULL: u8 = 6;
    pub(crate) const STRING_SET: u8 = 7;
    pub(crate) const NUMBER_SET: u8 = 8;
    pub(crate) const BINARY_SET: u8 = 9;
    pub(crate) const LIST: u8 = 10;
    pub(crate) const MAP: u8 = 11;
}

/// The ten attribute types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttributeType {
    /// String
    S,
    /// Number
    N,
    /// Binary
    B,
    /// Boolean
    Bool,
    /// Null
    Null,
    /// String set
    Ss,
    /// Number set
    Ns,
    /// Binary set
    Bs,
    /// List
    L,
    /// Map
    M,
}

impl AttributeType {
    /// Every type.
    pub const ALL: [Self; 10] = [
        Self::S,
        Self::N,
        Self::B,
        Self::Bool,
        Self::Null,
        Self::Ss,
        Self::Ns,
        Self::Bs,
        Self::L,
        Self::M,
    ];

    /// Returns the type's name on the wire, e.g. `SS`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::Null => "NULL",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
            Self::L => "L",
            Self::M => "M",
        }
    }

    /// Returns the long name that some messages use, e.g. `STRING`.
    pub fn long_name(self) -> &'static str {
        match self {
            Self::S => "STRING",
            Self::N => "NUMBER",
            Self::B => "BINARY",
            Self::Bool => "BOOLEAN",
            Self::Null => "NULL",
            Self::Ss => "STRING_SET",
            Self::Ns => "NUMBER_SET",
            Self::Bs => "BINARY_SET",
            Self::L => "LIST",
            Self::M => "MAP",
        }
    }

    /// Returns the type named `name` on the wire.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|attribute_type| attribute_type.as_str() == name)
    }

    /// Returns true for S, N and B, the types that keys and range operators take.
    pub fn is_scalar_key(self) -> bool {
        matches!(self, Self::S | Self::N | Self::B)
    }

    /// Returns true for SS, NS and BS.
    pub fn is_set(self) -> bool {
        matches!(self, Self::Ss | Self::Ns | Self::Bs)
    }
}

/// An attribute value as a tree.
///
/// ```
/// use hashrange_model::AttributeValue;
/// let address = AttributeValue::map([("city", "Omaha".into()), ("zip", 68118.into())]);
/// assert_eq!(address.attribute_type().as_str(), "M");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    /// String
    S(String),
    /// Number
    N(Number),
    /// Binary
    B(Bytes),
    /// Boolean
    Bool(bool),
    /// Null
    Null,
    /// String set. Invariant: sorted, no duplicates, not empty.
    Ss(Vec<String>),
    /// Number set. Invariant: sorted, no duplicates, not empty.
    Ns(Vec<Number>),
    /// Binary set. Invariant: sorted, no duplicates, not empty.
    Bs(Vec<Bytes>),
    /// List
    L(Vec<AttributeValue>),
    /// Map
    M(BTreeMap<String, AttributeValue>),
}

impl AttributeValue {
    /// Returns a map from its entries.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, AttributeValue)>) -> Self {
        Self::M(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// Returns a list from its elements.
    pub fn list(elements: impl IntoIterator<Item = AttributeValue>) -> Self {
        Self::L(elements.into_iter().collect())
    }

    /// Returns a string set; duplicates are dropped.
    pub fn string_set<S: Into<String>>(members: impl IntoIterator<Item = S>) -> Self {
        let mut members: Vec<String> = members.into_iter().map(Into::into).collect();
        members.sort();
        members.dedup();
        Self::Ss(members)
    }

    /// Returns a number set; duplicates are dropped.
    pub fn number_set<N: Into<Number>>(members: impl IntoIterator<Item = N>) -> Self {
        let mut members: Vec<Number> = members.into_iter().map(Into::into).collect();
        members.sort();
        members.dedup();
        Self::Ns(members)
    }

    /// Returns a binary set; duplicates are dropped.
    pub fn binary_set<B: Into<Bytes>>(members: impl IntoIterator<Item = B>) -> Self {
        let mut members: Vec<Bytes> = members.into_iter().map(Into::into).collect();
        members.sort();
        members.dedup();
        Self::Bs(members)
    }

    /// Returns the value's type.
    pub fn attribute_type(&self) -> AttributeType {
        match self {
            Self::S(_) => AttributeType::S,
            Self::N(_) => AttributeType::N,
            Self::B(_) => AttributeType::B,
            Self::Bool(_) => AttributeType::Bool,
            Self::Null => AttributeType::Null,
            Self::Ss(_) => AttributeType::Ss,
            Self::Ns(_) => AttributeType::Ns,
            Self::Bs(_) => AttributeType::Bs,
            Self::L(_) => AttributeType::L,
            Self::M(_) => AttributeType::M,
        }
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::S(string) => Some(string),
            _ => None,
        }
    }

    /// Returns how many levels the value nests; a scalar is one.
    pub fn depth(&self) -> usize {
        let deepest = |children: &mut dyn Iterator<Item = &Self>| children.map(Self::depth).max();
        1 + match self {
            Self::L(elements) => deepest(&mut elements.iter()).unwrap_or(0),
            Self::M(entries) => deepest(&mut entries.values()).unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns the binary form.
    pub fn to_value(&self) -> Value {
        let mut encoder = Encoder::new();
        encoder.value(self);
        encoder.into_value()
    }
}

impl From<&str> for AttributeValue {
    fn from(string: &str) -> Self {
        Self::S(string.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(string: String) -> Self {
        Self::S(string)
    }
}

impl From<bool> for AttributeValue {
    fn from(boolean: bool) -> Self {
        Self::Bool(boolean)
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

impl From<Bytes> for AttributeValue {
    fn from(bytes: Bytes) -> Self {
        Self::B(bytes)
    }
}

macro_rules! attribute_value_from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for AttributeValue {
            fn from(integer: $integer) -> Self { Self::N(Number::from(integer)) }
        }
    )*};
}
attribute_value_from_integer!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// One attribute value in the binary form. Equal exactly when the values are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Value(Bytes);

impl Value {
    pub(crate) fn from_encoded(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// Returns a view of the value.
    pub fn get(&self) -> ValueRef<'_> {
        ValueRef::read(&self.0).0
    }

    /// Returns the binary form.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<AttributeValue> for Value {
    fn from(value: AttributeValue) -> Self {
        value.to_value()
    }
}

/// A view of one value in the binary form, which decodes only the part that is asked for. `T` is
/// the form in which it shows a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueRef<'a, T = &'a str> {
    /// String
    S(T),
    /// Number
    N(NumberRef<'a>),
    /// Binary
    B(&'a [u8]),
    /// Boolean
    Bool(bool),
    /// Null
    Null,
    /// String set; members in byte order
    Ss(Members<'a>),
    /// Number set; members in numeric order
    Ns(Members<'a>),
    /// Binary set; members in byte order
    Bs(Members<'a>),
    /// List
    L(Elements<'a>),
    /// Map; entries in byte order of their names
    M(Entries<'a>),
}

impl<'a> ValueRef<'a> {
    /// Reads one value from the start of `bytes` and returns it with the rest.
    pub(crate) fn read(bytes: &'a [u8]) -> (Self, &'a [u8]) {
        let (value, rest) = RawValue::read_raw(bytes);
        (value.into(), rest)
    }

    /// Returns the value's type and its payload in the binary form. Two values are equal exactly
    /// when both are: the form is canonical.
    #[expect(clippy::match_same_arms, reason = "payloads of several kinds happen to be bytes")]
    pub fn canonical(&self) -> (AttributeType, &'a [u8]) {
        let payload: &'a [u8] = match *self {
            Self::S(string) => string.as_bytes(),
            Self::N(number) => number.as_bytes(),
            Self::B(bytes) => bytes,
            Self::Bool(false) | Self::Null => &[0],
            Self::Bool(true) => &[1],
            Self::Ss(Members(bytes)) | Self::Ns(Members(bytes)) | Self::Bs(Members(bytes)) => bytes,
            Self::L(Elements(bytes)) => bytes,
            Self::M(Entries(bytes)) => bytes,
        };
        (self.attribute_type(), payload)
    }

    /// Returns the value as a tree.
    pub fn to_attribute_value(&self) -> AttributeValue {
        match self {
            Self::S(string) => AttributeValue::S((*string).to_owned()),
            Self::N(number) => AttributeValue::N(number.to_number()),
            Self::B(bytes) => AttributeValue::B(Bytes::copy_from_slice(bytes)),
            Self::Bool(boolean) => AttributeValue::Bool(*boolean),
            Self::Null => AttributeValue::Null,
            Self::Ss(members) => AttributeValue::Ss(members.strings().map(str::to_owned).collect()),
            Self::Ns(members) => {
                AttributeValue::Ns(members.numbers().map(|number| number.to_number()).collect())
            }
            Self::Bs(members) => {
                AttributeValue::Bs(members.iter().map(Bytes::copy_from_slice).collect())
            }
            Self::L(elements) => AttributeValue::L(
                elements.iter().map(|element| element.to_attribute_value()).collect(),
            ),
            Self::M(entries) => AttributeValue::M(
                entries
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value.to_attribute_value()))
                    .collect(),
            ),
        }
    }

    /// Returns the value in the binary form.
    pub fn to_value(&self) -> Value {
        let mut encoder = Encoder::new();
        encoder.value_ref(self);
        encoder.into_value()
    }
}

/// A view of one value with strings as their bytes, to copy it without checking the text again. The
/// encoder stores only strings that are UTF-8.
pub type RawValue<'a> = ValueRef<'a, &'a [u8]>;

impl<'a> RawValue<'a> {
    // Inlined so that its callers look at the tag and the payload in registers: a value returned
    // through memory is written in parts and read as a whole, and the processor waits for that.
    #[expect(clippy::inline_always, reason = "measured: see above")]
    #[inline(always)]
    pub(crate) fn read_raw(bytes: &'a [u8]) -> (Self, &'a [u8]) {
        let (tag, rest) = bytes.split_first().expect("a value has a tag");
        match *tag {
            tag::STRING => {
                let (payload, rest) = read_short(rest);
                (Self::S(payload), rest)
            }
            tag::NUMBER => {
                let (payload, rest) = read_short(rest);
                (Self::N(NumberRef::from_encoded(payload)), rest)
            }
            tag::BINARY => {
                let (payload, rest) = read_short(rest);
                (Self::B(payload), rest)
            }
            tag::TRUE => (Self::Bool(true), rest),
            tag::FALSE => (Self::Bool(false), rest),
            tag::NULL => (Self::Null, rest),
            container => {
                let (payload, rest) = read_long(rest);
                let value = match container {
                    tag::STRING_SET => Self::Ss(Members(payload)),
                    tag::NUMBER_SET => Self::Ns(Members(payload)),
                    tag::BINARY_SET => Self::Bs(Members(payload)),
                    tag::LIST => Self::L(Elements(payload)),
                    tag::MAP => Self::M(Entries(payload)),
                    unknown => panic!("value has unknown tag {unknown}"),
                };
                (value, rest)
            }
        }
    }
}

impl<T: AsRef<[u8]>> ValueRef<'_, T> {
    /// Returns the size in bytes that counts towards the item, without the attribute's name.
    /// Source: data types and item sizes, DynamoDB developer guide; captures of 2026.
    pub fn size(&self) -> usize {
        match self {
            Self::S(string) => string.as_ref().len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::Ss(members) | Self::Bs(members) => members.iter().map(<[u8]>::len).sum(),
            Self::Ns(members) => members.numbers().map(|number| number.size()).sum(),
            Self::L(elements) => {
                3 + elements.raw_values().map(|element| 1 + element.size()).sum::<usize>()
            }
            Self::M(entries) => {
                3 + entries
                    .raw_values()
                    .map(|(name, value)| 1 + name.len() + value.size())
                    .sum::<usize>()
            }
        }
    }
}

impl<'a, T> ValueRef<'a, T> {
    /// Returns the value's type.
    pub fn attribute_type(&self) -> AttributeType {
        match self {
            Self::S(_) => AttributeType::S,
            Self::N(_) => AttributeType::N,
            Self::B(_) => AttributeType::B,
            Self::Bool(_) => AttributeType::Bool,
            Self::Null => AttributeType::Null,
            Self::Ss(_) => AttributeType::Ss,
            Self::Ns(_) => AttributeType::Ns,
            Self::Bs(_) => AttributeType::Bs,
            Self::L(_) => AttributeType::L,
            Self::M(_) => AttributeType::M,
        }
    }

    fn map_text<U>(self, form: impl FnOnce(T) -> U) -> ValueRef<'a, U> {
        match self {
            Self::S(string) => ValueRef::S(form(string)),
            Self::N(number) => ValueRef::N(number),
            Self::B(bytes) => ValueRef::B(bytes),
            Self::Bool(boolean) => ValueRef::Bool(boolean),
            Self::Null => ValueRef::Null,
            Self::Ss(members) => ValueRef::Ss(members),
            Self::Ns(members) => ValueRef::Ns(members),
            Self::Bs(members) => ValueRef::Bs(members),
            Self::L(elements) => ValueRef::L(elements),
            Self::M(entries) => ValueRef::M(entries),
        }
    }
}

impl<'a> From<RawValue<'a>> for ValueRef<'a> {
    fn from(value: RawValue<'a>) -> Self {
        value.map_text(text)
    }
}

impl<'a> From<ValueRef<'a>> for RawValue<'a> {
    fn from(value: ValueRef<'a>) -> Self {
        value.map_text(str::as_bytes)
    }
}

/// The members of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Members<'a>(pub(crate) &'a [u8]);

impl<'a> Members<'a> {
    /// Returns the members' bytes (UTF-8, number form, or raw) in byte order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (member, after) = read_short(rest);
            rest = after;
            Some(member)
        })
    }

    /// Returns the members of a string set.
    pub fn strings(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.iter().map(text)
    }

    /// Returns the members of a number set.
    pub fn numbers(&self) -> impl Iterator<Item = NumberRef<'a>> + use<'a> {
        self.iter().map(NumberRef::from_encoded)
    }
}

/// The elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements<'a>(pub(crate) &'a [u8]);

impl<'a> Elements<'a> {
    /// Returns the elements in order.
    pub fn iter(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        self.raw_values().map(ValueRef::from)
    }

    /// Returns the elements in order, strings as bytes.
    pub fn raw_values(&self) -> impl Iterator<Item = RawValue<'a>> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (element, after) = RawValue::read_raw(rest);
            rest = after;
            Some(element)
        })
    }

    /// Returns the element at `offset`; skips the others without looking at their text.
    pub fn get(&self, offset: usize) -> Option<ValueRef<'a>> {
        self.raw_values().nth(offset).map(ValueRef::from)
    }

    /// Returns the elements in their binary form.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// The entries of a map, or the attributes of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entries<'a>(pub(crate) &'a [u8]);

impl<'a> Entries<'a> {
    /// Returns name and value of each entry, in byte order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, ValueRef<'a>)> + use<'a> {
        self.raw_values().map(|(name, value)| (text(name), value.into()))
    }

    /// Returns name and value of each entry, text as bytes.
    pub fn raw_values(&self) -> impl Iterator<Item = (&'a [u8], RawValue<'a>)> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (name, after) = read_short(rest);
            let (value, after) = RawValue::read_raw(after);
            rest = after;
            Some((name, value))
        })
    }

    /// Returns the bytes of each whole entry with those of its name, for copying without decoding.
    pub(crate) fn raw(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let start = rest;
            let (name, after) = read_short(rest);
            rest = skip(after);
            Some((name, &start[..start.len() - rest.len()]))
        })
    }

    /// Returns the entries in their binary form.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the value named `name`; skips the others without decoding them.
    pub fn get(&self, name: &str) -> Option<ValueRef<'a>> {
        self.get_raw(name).map(ValueRef::from)
    }

    /// Returns the value named `name`, a string as its bytes.
    pub fn get_raw(&self, name: &str) -> Option<RawValue<'a>> {
        let name = name.as_bytes();
        let mut rest = self.0;
        while !rest.is_empty() {
            let (entry, after) = read_short(rest);
            // The first bytes mostly decide the order, without a call.
            match entry.first().cmp(&name.first()).then_with(|| entry.cmp(name)) {
                std::cmp::Ordering::Less => rest = skip(after),
                std::cmp::Ordering::Equal => return Some(RawValue::read_raw(after).0),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }
}

/// Reads a varint length and that many bytes.
pub(crate) fn read_short(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = read_varint(bytes);
    rest.split_at(length)
}

fn read_long(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = bytes.split_first_chunk::<4>().expect("a container has its length");
    rest.split_at(u32::from_le_bytes(*length) as usize)
}

fn read_varint(bytes: &[u8]) -> (usize, &[u8]) {
    match bytes {
        [low @ 0..=0x7F, rest @ ..] => (usize::from(*low), rest),
        [low, high @ 0..=0x7F, rest @ ..] => {
            (usize::from(low & 0x7F) | usize::from(*high) << 7, rest)
        }
        _ => read_long_varint(bytes),
    }
}

#[cold]
fn read_long_varint(bytes: &[u8]) -> (usize, &[u8]) {
    let mut length = 0;
    for (offset, byte) in bytes.iter().enumerate().take(5) {
        length |= usize::from(byte & 0x7F) << (7 * offset);
        if byte & 0x80 == 0 {
            return (length, &bytes[offset + 1..]);
        }
    }
    panic!("a length is cut short");
}

/// Returns the bytes after the value at the start of `bytes`.
fn skip(bytes: &[u8]) -> &[u8] {
    match bytes[0] {
        tag::STRING | tag::NUMBER | tag::BINARY => read_short(&bytes[1..]).1,
        tag::TRUE | tag::FALSE | tag::NULL => &bytes[1..],
        _ => read_long(&bytes[1..]).1,
    }
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("strings are stored as UTF-8")
}
