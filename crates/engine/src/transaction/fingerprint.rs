//! The fingerprint of a request: a hash of its decoded members, so that white space and the order
//! of members do not matter.
//!
//! Every part is hashed with its length, so that different requests have different parts.

use hashrange_wire::{DecodedItem, DecodedValue, Map};
use xxhash_rust::xxh3::Xxh3;

/// A 128-bit hash of the parts that are added.
pub(crate) struct Fingerprint(Xxh3);

impl Fingerprint {
    /// Returns the fingerprint without any part.
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    /// Adds a count, or the number of the form that follows.
    pub(crate) fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }

    /// Adds bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    /// Adds a text that may be absent.
    pub(crate) fn text(&mut self, text: Option<&str>) {
        self.number(usize::from(text.is_some()));
        self.bytes(text.unwrap_or_default().as_bytes());
    }

    /// Adds an item, whose form is canonical.
    pub(crate) fn item(&mut self, item: Option<&DecodedItem>) {
        self.number(usize::from(item.is_some()));
        self.bytes(item.map_or(&[], |item| item.item.as_bytes()));
    }

    /// Adds the names of an expression, sorted.
    pub(crate) fn names<K: AsRef<str>, V: AsRef<str>>(&mut self, names: Option<&Map<K, V>>) {
        self.sorted(names, |value| value.as_ref().as_bytes());
    }

    /// Adds the values of an expression, sorted by their names.
    pub(crate) fn values<K: AsRef<str>>(&mut self, values: Option<&Map<K, DecodedValue>>) {
        self.sorted(values, |value| value.value.as_bytes());
    }

    fn sorted<K: AsRef<str>, V>(
        &mut self,
        map: Option<&Map<K, V>>,
        bytes: impl for<'v> Fn(&'v V) -> &'v [u8],
    ) {
        let mut entries: Vec<_> = map.into_iter().flat_map(Map::iter).collect();
        entries.sort_by(|(one, _), (other, _)| one.as_ref().cmp(other.as_ref()));
        self.number(usize::from(map.is_some()));
        self.number(entries.len());
        for (key, value) in entries {
            self.bytes(key.as_ref().as_bytes());
            self.bytes(bytes(value));
        }
    }

    /// Returns the hash.
    pub(crate) fn finish(&self) -> u128 {
        self.0.digest128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &[(&str, &str)]) -> u128 {
        let entries =
            entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let mut fingerprint = Fingerprint::new();
        fingerprint.names(Some(&Map::from_entries_last_wins(entries)));
        fingerprint.finish()
    }

    #[test]
    fn order_does_not_count_and_boundaries_do() {
        assert_eq!(names(&[("a", "b"), ("c", "d")]), names(&[("c", "d"), ("a", "b")]));
        assert_ne!(names(&[("a", "bc")]), names(&[("ab", "c")]));
        assert_ne!(names(&[("a", "b"), ("c", "d")]), names(&[("a", "d"), ("c", "b")]));
    }
}
