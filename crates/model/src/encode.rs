//! Writes the binary form of values and items (described in [`crate::value`] and [`crate::item`]).
//!
//! A parser calls the encoder as it meets the parts: it opens, fills and closes containers. When a
//! map or item closes, the encoder brings its entries into name order and keeps the last of several
//! with one name. Callers bound the nesting.

use crate::item::Item;
use crate::number::{ENCODED_MAX, Number};
use crate::value::{AttributeValue, Value, ValueRef, tag};
use bytes::Bytes;

/// Entries of an item for which there is room at first.
const ENTRIES: usize = 16;

/// Bytes before those of a string: its tag and its length.
const STRING_HEAD_BYTES: usize = 6;

/// An open list. Close it with [`Encoder::end_list`].
#[derive(Debug)]
#[must_use]
pub struct ListMark {
    start: usize,
}

/// An open map or item. Close it with [`Encoder::end_map`] or [`Encoder::end_item`].
#[derive(Debug)]
#[must_use]
pub struct MapMark {
    /// Start of the entries in the buffer.
    start: usize,
    /// Position of this map's first entry among the open entries.
    first_entry: usize,
}

/// Appends values to one buffer.
#[derive(Debug, Default)]
pub struct Encoder {
    buffer: Vec<u8>,
    /// Start of every entry of the open maps, innermost last.
    entries: Vec<usize>,
    /// Item size so far. Every value counts one byte too many: entries of a list or map do cost it,
    /// attributes take it back.
    size: usize,
    /// True if `size` is not the item's: entries were copied whole, or dropped for a later one.
    is_size_unknown: bool,
}

impl Encoder {
    /// Returns an empty encoder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty encoder with room for `bytes`.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { buffer: Vec::with_capacity(bytes), ..Self::default() }
    }

    /// Returns the one value that was written.
    pub fn into_value(self) -> Value {
        debug_assert!(!self.buffer.is_empty(), "one value was written");
        Value::from_encoded(Bytes::from(self.buffer))
    }

    /// Appends a string.
    pub fn string(&mut self, string: &str) {
        self.size += 1 + string.len();
        self.buffer.reserve(STRING_HEAD_BYTES + string.len());
        self.buffer.push(tag::STRING);
        self.short(string.as_bytes());
    }

    /// Appends a number.
    pub fn number(&mut self, number: &Number) {
        self.size += 1 + number.size();
        self.buffer.reserve(2 + ENCODED_MAX);
        self.buffer.push(tag::NUMBER);
        self.number_member(number);
    }

    fn number_member(&mut self, number: &Number) {
        let length_at = self.buffer.len();
        self.buffer.push(0);
        number.encode(&mut self.buffer);
        let length = self.buffer.len() - length_at - 1;
        debug_assert!(length <= ENCODED_MAX);
        self.buffer[length_at] = low_byte(length);
    }

    /// Appends binary data.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.size += 1 + bytes.len();
        self.buffer.reserve(STRING_HEAD_BYTES + bytes.len());
        self.buffer.push(tag::BINARY);
        self.short(bytes);
    }

    /// Appends a boolean.
    pub fn boolean(&mut self, boolean: bool) {
        self.size += 2;
        self.buffer.push(if boolean { tag::TRUE } else { tag::FALSE });
    }

    /// Appends a null.
    pub fn null(&mut self) {
        self.size += 2;
        self.buffer.push(tag::NULL);
    }

    /// Appends a string set. The members need not be sorted.
    pub fn string_set<S: AsRef<str>>(&mut self, members: &mut [S]) {
        members.sort_unstable_by(|left, right| left.as_ref().cmp(right.as_ref()));
        self.set(tag::STRING_SET, members.iter().map(|member| member.as_ref().as_bytes()));
    }

    /// Appends a number set. The members need not be sorted.
    pub fn number_set(&mut self, members: &mut [Number]) {
        members.sort_unstable();
        self.size += 1;
        self.buffer.push(tag::NUMBER_SET);
        let start = self.open();
        for member in members.iter() {
            self.size += member.size();
            self.number_member(member);
        }
        self.close(start);
    }

    /// Appends a binary set. The members need not be sorted.
    pub fn binary_set<B: AsRef<[u8]>>(&mut self, members: &mut [B]) {
        members.sort_unstable_by(|left, right| left.as_ref().cmp(right.as_ref()));
        self.set(tag::BINARY_SET, members.iter().map(AsRef::as_ref));
    }

    fn set<'m>(&mut self, tag: u8, members: impl Iterator<Item = &'m [u8]>) {
        self.size += 1;
        self.buffer.push(tag);
        let start = self.open();
        for member in members {
            self.size += member.len();
            self.short(member);
        }
        self.close(start);
    }

    /// Opens a list.
    pub fn begin_list(&mut self) -> ListMark {
        self.begin_container(tag::LIST);
        ListMark { start: self.open() }
    }

    /// Closes a list.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a mark is used up, so nothing is closed twice"
    )]
    pub fn end_list(&mut self, mark: ListMark) {
        self.close(mark.start);
    }

    /// Opens a map.
    pub fn begin_map(&mut self) -> MapMark {
        self.begin_container(tag::MAP);
        MapMark { start: self.open(), first_entry: self.entries.len() }
    }

    fn begin_container(&mut self, tag: u8) {
        self.size += 1 + 3;
        self.buffer.push(tag);
    }

    /// Begins an entry of the innermost open map or item; its value must follow.
    pub fn map_entry(&mut self, name: &str) {
        self.size += name.len();
        self.entries.push(self.buffer.len());
        self.short(name.as_bytes());
    }

    /// Closes a map.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a mark is used up, so nothing is closed twice"
    )]
    pub fn end_map(&mut self, mark: MapMark) {
        self.sort_entries(&mark);
        self.close(mark.start);
    }

    /// Opens an item, the outermost map.
    pub fn begin_item(&mut self) -> MapMark {
        debug_assert!(self.buffer.is_empty(), "an item is written to a fresh encoder");
        self.buffer.extend_from_slice(&[0; crate::item::HEADER_BYTES]);
        self.entries.reserve(ENTRIES);
        MapMark { start: self.buffer.len(), first_entry: self.entries.len() }
    }

    /// Closes an item and returns it; the encoder is empty again.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a mark is used up, so nothing is closed twice"
    )]
    pub fn end_item(&mut self, mark: MapMark) -> Item {
        let attributes = self.entries.len() - mark.first_entry;
        self.sort_entries(&mark);
        let size = std::mem::take(&mut self.size).saturating_sub(attributes);
        let buffer = std::mem::take(&mut self.buffer);
        if std::mem::take(&mut self.is_size_unknown) {
            return Item::seal(buffer);
        }
        Item::seal_with_size(buffer, size)
    }

    /// Appends a value given as a tree.
    pub fn value(&mut self, value: &AttributeValue) {
        match value {
            AttributeValue::S(string) => self.string(string),
            AttributeValue::N(number) => self.number(number),
            AttributeValue::B(bytes) => self.binary(bytes),
            AttributeValue::Bool(boolean) => self.boolean(*boolean),
            AttributeValue::Null => self.null(),
            AttributeValue::Ss(members) => {
                self.string_set(&mut members.iter().collect::<Vec<_>>());
            }
            AttributeValue::Ns(members) => self.number_set(&mut members.clone()),
            AttributeValue::Bs(members) => {
                self.binary_set(&mut members.iter().collect::<Vec<_>>());
            }
            AttributeValue::L(elements) => {
                let mark = self.begin_list();
                for element in elements {
                    self.value(element);
                }
                self.end_list(mark);
            }
            AttributeValue::M(entries) => {
                let mark = self.begin_map();
                for (name, value) in entries {
                    self.map_entry(name);
                    self.value(value);
                }
                self.end_map(mark);
            }
        }
    }

    /// Appends a value copied from its binary form.
    pub fn value_ref(&mut self, value: &ValueRef<'_>) {
        let size = self.size + 1 + value.size();
        self.copy(value);
        self.size = size;
    }

    fn copy(&mut self, value: &ValueRef<'_>) {
        match value {
            ValueRef::S(string) => self.string(string),
            ValueRef::N(number) => {
                self.buffer.push(tag::NUMBER);
                self.short(number.as_bytes());
            }
            ValueRef::B(bytes) => self.binary(bytes),
            ValueRef::Bool(boolean) => self.boolean(*boolean),
            ValueRef::Null => self.null(),
            ValueRef::Ss(members) => self.container(tag::STRING_SET, members.0),
            ValueRef::Ns(members) => self.container(tag::NUMBER_SET, members.0),
            ValueRef::Bs(members) => self.container(tag::BINARY_SET, members.0),
            ValueRef::L(elements) => self.container(tag::LIST, elements.0),
            ValueRef::M(entries) => self.container(tag::MAP, entries.0),
        }
    }

    /// Appends a whole entry (name and value) of another map or item.
    pub(crate) fn raw_entry(&mut self, entry: &[u8]) {
        self.is_size_unknown = true;
        self.entries.push(self.buffer.len());
        self.buffer.extend_from_slice(entry);
    }

    fn container(&mut self, tag: u8, payload: &[u8]) {
        self.buffer.push(tag);
        let start = self.open();
        self.buffer.extend_from_slice(payload);
        self.close(start);
    }

    fn short(&mut self, bytes: &[u8]) {
        let mut length = bytes.len();
        while length >= 0x80 {
            self.buffer.push(low_byte(length) | 0x80);
            length >>= 7;
        }
        self.buffer.push(low_byte(length));
        self.buffer.extend_from_slice(bytes);
    }

    fn open(&mut self) -> usize {
        self.buffer.extend_from_slice(&[0; 4]);
        self.buffer.len()
    }

    fn close(&mut self, start: usize) {
        let length = u32::try_from(self.buffer.len() - start).expect("a request is below 4 GiB");
        self.buffer[start - 4..start].copy_from_slice(&length.to_le_bytes());
    }

    /// Brings the entries of a map into name order, keeping the last of equal names.
    fn sort_entries(&mut self, mark: &MapMark) {
        let starts = &self.entries[mark.first_entry..];
        let name = |start: usize| crate::value::read_short(&self.buffer[start..]).0;
        if !starts.is_sorted_by(|left, right| name(*left) < name(*right)) {
            let end_of = |nth: usize| starts.get(nth + 1).copied().unwrap_or(self.buffer.len());
            let mut order: Vec<(u64, usize)> = starts
                .iter()
                .enumerate()
                .map(|(nth, start)| (first_word(name(*start)), nth))
                .collect();
            order.sort_unstable_by(|(word, nth), (other_word, other)| {
                let by_word = word.cmp(other_word);
                by_word.then_with(|| (name(starts[*nth]), nth).cmp(&(name(starts[*other]), other)))
            });
            let mut sorted = Vec::with_capacity(self.buffer.len());
            // In an item the entries are the whole buffer; before a map there may be many bytes,
            // which are not copied again.
            let is_item = mark.start == crate::item::HEADER_BYTES;
            if is_item {
                sorted.extend_from_slice(&self.buffer[..mark.start]);
            }
            for (position, (_, nth)) in order.iter().enumerate() {
                let is_last_of_name = order
                    .get(position + 1)
                    .is_none_or(|(_, next)| name(starts[*next]) != name(starts[*nth]));
                if is_last_of_name {
                    sorted.extend_from_slice(&self.buffer[starts[*nth]..end_of(*nth)]);
                } else {
                    self.is_size_unknown = true;
                }
            }
            if is_item {
                self.buffer = sorted;
            } else {
                self.buffer.truncate(mark.start);
                self.buffer.extend_from_slice(&sorted);
            }
        }
        self.entries.truncate(mark.first_entry);
    }
}

/// Returns the first eight bytes of a name as a number with the same order; zeros stand for missing
/// bytes.
fn first_word(name: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = name.len().min(word.len());
    word[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(word)
}

/// Returns the lowest eight bits of a length.
fn low_byte(length: usize) -> u8 {
    length.to_le_bytes()[0]
}
