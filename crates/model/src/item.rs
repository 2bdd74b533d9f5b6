//! An item in its binary form: the form in which it is stored, filtered and answered.
//!
//! | bytes | content |
//! |---|---|
//! | 1 | form version, 1 |
//! | 3 | DynamoDB's item size in bytes, u24 LE; 0xFFFFFF means "at least that" |
//! | n | the attributes as map entries (see [`crate::value`]), in byte order of their names |
//!
//! Invariant: the size in the header is the size of the attributes that follow.

use crate::encode::Encoder;
use crate::value::{AttributeValue, Entries, RawValue, ValueRef, read_short, text};
use bytes::Bytes;
use std::fmt;

const FORM_VERSION: u8 = 1;
pub(crate) const HEADER_BYTES: usize = 4;
const SIZE_MAX: usize = 0xFF_FFFF;

/// Room for one change, in bytes: most are a name and a number or a short text.
const CHANGE_BYTES: usize = 64;

/// Stored bytes that are not an item of a known form version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownForm {
    /// The first byte, if there is one.
    pub version: Option<u8>,
}

/// An item: attribute names with their values. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Item(Bytes);

impl Item {
    /// Wraps bytes that a store returned.
    pub fn from_stored(bytes: Bytes) -> Result<Self, UnknownForm> {
        if bytes.len() < HEADER_BYTES || bytes[0] != FORM_VERSION {
            return Err(UnknownForm { version: bytes.first().copied() });
        }
        Ok(Self(bytes))
    }

    /// Fills the header of a buffer after computing its size.
    pub(crate) fn seal(buffer: Vec<u8>) -> Self {
        let size = attributes_size(&Entries(&buffer[HEADER_BYTES..]));
        Self::seal_with_size(buffer, size)
    }

    /// Fills the header with a known size.
    pub(crate) fn seal_with_size(mut buffer: Vec<u8>, size: usize) -> Self {
        debug_assert_eq!(
            size.min(SIZE_MAX),
            attributes_size(&Entries(&buffer[HEADER_BYTES..])).min(SIZE_MAX),
            "an item's size is that of its attributes"
        );
        let size = size.min(SIZE_MAX).to_le_bytes();
        buffer[0] = FORM_VERSION;
        buffer[1..HEADER_BYTES].copy_from_slice(&size[..3]);
        Self(Bytes::from(buffer))
    }

    /// Returns an item from its attributes.
    pub fn from_attributes<'n>(
        attributes: impl IntoIterator<Item = (&'n str, AttributeValue)>,
    ) -> Self {
        let mut encoder = Encoder::new();
        let mark = encoder.begin_item();
        for (name, value) in attributes {
            encoder.map_entry(name);
            encoder.value(&value);
        }
        encoder.end_item(mark)
    }

    /// Returns an item with no attributes.
    pub fn empty() -> Self {
        Self(Bytes::from_static(&[FORM_VERSION, 0, 0, 0]))
    }

    /// Returns the bytes to store.
    pub fn as_bytes(&self) -> &Bytes {
        &self.0
    }

    /// Returns DynamoDB's item size: names in UTF-8 plus values, in bytes.
    pub fn size(&self) -> usize {
        u32::from_le_bytes([self.0[1], self.0[2], self.0[3], 0]) as usize
    }

    /// Returns whether the stored size is that of the attributes; walks over all of them.
    pub fn has_true_size(&self) -> bool {
        self.size() == attributes_size(&self.attributes()).min(SIZE_MAX)
    }

    /// Returns the attributes.
    pub fn attributes(&self) -> Entries<'_> {
        Entries(&self.0[HEADER_BYTES..])
    }

    /// Returns the value of the attribute `name`.
    pub fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        self.attributes().get(name)
    }

    /// Returns name and value of each attribute, in byte order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ValueRef<'_>)> {
        self.attributes().iter()
    }

    /// Returns true if the item has no attributes.
    pub fn is_empty(&self) -> bool {
        self.0.len() == HEADER_BYTES
    }

    /// Returns the item reduced to the top-level attributes that `keep` names.
    #[must_use]
    pub fn retain(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        let mut encoder = Encoder::with_capacity(self.0.len());
        let mark = encoder.begin_item();
        self.attributes()
            .raw()
            .filter(|(name, _)| keep(text(name)))
            .for_each(|(_, entry)| encoder.raw_entry(entry));
        encoder.end_item(mark)
    }

    /// Returns the item with some attributes replaced, added (`Some`) or removed (`None`); of
    /// several changes of one attribute the last counts.
    #[must_use]
    pub fn with_changes<'n>(
        &self,
        changes: impl IntoIterator<Item = (&'n str, Option<ValueRef<'n>>)>,
    ) -> Self {
        let mut changes: Vec<_> = changes.into_iter().collect();
        changes.sort_by_key(|(name, _)| *name);
        let written = written(&changes);
        let is_changed =
            |name| changes.binary_search_by_key(&name, |(changed, _)| changed.as_bytes()).is_ok();
        let mut buffer = Vec::with_capacity(self.0.len() + written.0.len());
        buffer.extend_from_slice(&self.0[..HEADER_BYTES]);
        let mut pending = written.attributes().raw().peekable();
        let mut dropped_size = 0;
        for (name, entry) in self.attributes().raw() {
            while let Some((_, new)) = pending.next_if(|(new, _)| *new <= name) {
                buffer.extend_from_slice(new);
            }
            if is_changed(name) {
                dropped_size += entry_size(entry);
            } else {
                buffer.extend_from_slice(entry);
            }
        }
        pending.for_each(|(_, new)| buffer.extend_from_slice(new));
        if self.size() == SIZE_MAX || written.size() == SIZE_MAX {
            return Self::seal(buffer);
        }
        Self::seal_with_size(buffer, self.size() - dropped_size + written.size())
    }
}

/// Returns the attributes that the changes set as an item: the last change of each name, unless it
/// removes.
fn written(changes: &[(&str, Option<ValueRef<'_>>)]) -> Item {
    let mut encoder = Encoder::with_capacity(CHANGE_BYTES * changes.len());
    let mark = encoder.begin_item();
    for (nth, (name, value)) in changes.iter().enumerate() {
        let is_last = changes.get(nth + 1).is_none_or(|(next, _)| next != name);
        if let Some(value) = value
            && is_last
        {
            encoder.map_entry(name);
            encoder.value_ref(value);
        }
    }
    encoder.end_item(mark)
}

fn entry_size(entry: &[u8]) -> usize {
    let (name, value) = read_short(entry);
    name.len() + RawValue::read_raw(value).0.size()
}

fn attributes_size(attributes: &Entries<'_>) -> usize {
    attributes.raw_values().map(|(name, value)| name.len() + value.size()).sum()
}

impl fmt::Debug for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attributes = self.iter().map(|(name, value)| (name, value.to_attribute_value()));
        formatter.debug_map().entries(attributes).finish()
    }
}

impl Default for Item {
    fn default() -> Self {
        Self::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Number;

    fn sample() -> Item {
        Item::from_attributes([
            ("pk", "USER#1".into()),
            ("age", 42.into()),
            ("tags", AttributeValue::string_set(["b", "a"])),
            ("home", AttributeValue::map([("zip", 68118.into()), ("city", "Omaha".into())])),
            ("list", AttributeValue::list([1.into(), AttributeValue::Null, true.into()])),
        ])
    }

    #[test]
    fn attributes_are_found_and_sorted() {
        let item = sample();
        let names: Vec<_> = item.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["age", "home", "list", "pk", "tags"]);
        assert_eq!(item.get("pk"), Some(ValueRef::S("USER#1")));
        assert_eq!(item.get("zz"), None);
        let ValueRef::M(home) = item.get("home").unwrap() else { panic!("home is a map") };
        assert_eq!(home.get("city"), Some(ValueRef::S("Omaha")));
    }

    #[test]
    fn size_counts_names_and_values() {
        // pk 2+6, age 3+2, tags 4+2, home 4+3+(1+3+4)+(1+4+5), list 4+3+(1+2)+(1+1)+(1+1)
        assert_eq!(sample().size(), 8 + 5 + 6 + 25 + 14);
        assert_eq!(Item::empty().size(), 0);
    }

    #[test]
    fn the_size_in_the_header_is_the_size_of_the_attributes() {
        let nested = AttributeValue::list([
            AttributeValue::map([("x", AttributeValue::list([1.into(), "é".into()]))]),
            AttributeValue::number_set([1, 20, 300]),
            AttributeValue::binary_set([&b"a"[..], b"bc"]),
            false.into(),
        ]);
        let items = [
            sample(),
            Item::from_attributes([("n", nested.clone()), ("n", AttributeValue::Null)]),
            Item::from_attributes([
                ("n", nested.clone()),
                ("b", Bytes::from_static(b"xyz").into()),
            ]),
            sample().with_changes([("n", Some(nested.to_value().get()))]),
            sample().retain(|name| name != "home"),
        ];
        for item in items {
            assert_eq!(item.size(), attributes_size(&item.attributes()), "{item:?}");
        }
    }

    #[test]
    fn equal_items_have_equal_bytes_whatever_the_order() {
        let left = Item::from_attributes([("a", 1.into()), ("b", "x".into()), ("a", 2.into())]);
        let right = Item::from_attributes([
            ("b", "x".into()),
            ("a", AttributeValue::N(Number::parse("2.0").unwrap())),
        ]);
        assert_eq!(left, right);
    }

    #[test]
    fn changes_replace_add_and_remove() {
        let changed = sample().with_changes([
            ("age", None),
            ("pk", Some(ValueRef::S("USER#2"))),
            ("zz", Some(ValueRef::Bool(true))),
        ]);
        let kept = changed.retain(|name| name == "pk" || name == "zz" || name == "age");
        let expected = Item::from_attributes([("pk", "USER#2".into()), ("zz", true.into())]);
        assert_eq!(kept, expected);
        assert_eq!(kept.size(), expected.size());
    }

    #[test]
    fn the_last_change_of_an_attribute_counts() {
        let item = Item::from_attributes([("b", 1.into()), ("d", 2.into())]);
        let one = Some(ValueRef::Bool(true));
        let changed = item.with_changes([
            ("e", one),
            ("d", one),
            ("d", None),
            ("a", None),
            ("a", one),
            ("c", one),
            ("c", Some(ValueRef::Null)),
        ]);
        let expected = Item::from_attributes([
            ("a", true.into()),
            ("b", 1.into()),
            ("c", AttributeValue::Null),
            ("e", true.into()),
        ]);
        assert_eq!(changed, expected);
    }

    #[test]
    fn changes_keep_the_size_of_items_beyond_the_header() {
        let large = "x".repeat(SIZE_MAX);
        let item = Item::from_attributes([("a", large.as_str().into()), ("b", 1.into())]);
        assert_eq!(item.size(), SIZE_MAX);
        let small = item.with_changes([("a", Some(ValueRef::Null))]);
        assert_eq!(small, Item::from_attributes([("a", AttributeValue::Null), ("b", 1.into())]));
        let again = small.with_changes([("a", Some(ValueRef::S(large.as_str())))]);
        assert_eq!(again, item);
    }

    #[test]
    fn trees_round_trip() {
        for (name, value) in sample().iter() {
            let tree = value.to_attribute_value();
            assert_eq!(tree.to_value(), value.to_value(), "{name}");
            assert_eq!(tree.to_value().get(), value);
        }
    }

    #[test]
    fn foreign_bytes_are_refused() {
        for bytes in [&b""[..], b"\x02\0\0\0", b"\x01\0"] {
            assert!(Item::from_stored(Bytes::copy_from_slice(bytes)).is_err());
        }
    }
}
