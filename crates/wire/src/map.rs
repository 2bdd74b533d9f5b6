//! A small map that keeps the order of the wire.
//!
//! Requests hold few entries per map, so lookups are linear. Building a map from a body is not (see
//! [`Map::from_entries_last_wins`]), because a hostile body may hold a million entries.
//!
//! Invariant: keys are unique.

use std::borrow::Borrow;

/// A map in the order of insertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
}

/// Most entries for which comparing each pair of keys beats sorting.
const FEW: usize = 16;

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Returns an empty map.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Returns the map of these entries; of several with one key, the last counts.
    pub fn from_entries_last_wins(mut entries: Vec<(K, V)>) -> Self {
        let repeated = repeated_offsets(&entries);
        if !repeated.is_empty() {
            let mut repeated = repeated.into_iter().peekable();
            let mut offset = 0;
            entries.retain(|_| {
                let drop = repeated.next_if_eq(&offset).is_some();
                offset += 1;
                !drop
            });
        }
        Self { entries }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.entries.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Returns the value of a key.
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.entries.iter().find(|(known, _)| known.borrow() == key).map(|(_, value)| value)
    }
}

impl<K, V> Map<K, V> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Visits the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Visits the keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// Visits the values in order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }
}

/// Entries of a map while a body is read: a few more than twice as many as the map may have, as
/// long as repeated keys may leave it small enough; no further ones once it is too large.
#[derive(Debug)]
pub(crate) struct BoundedEntries<K, V> {
    entries: Vec<(K, V)>,
    max: usize,
    is_too_large: bool,
}

impl<K: Ord, V> BoundedEntries<K, V> {
    /// Returns an empty collection for a map that may have `max` entries.
    pub(crate) fn new(max: usize) -> Self {
        Self { entries: Vec::new(), max, is_too_large: false }
    }

    /// Returns whether the caller should add the next entry.
    pub(crate) fn take_more(&mut self) -> bool {
        if self.entries.len() > self.max.saturating_mul(2) && !self.is_too_large {
            let map = Map::from_entries_last_wins(std::mem::take(&mut self.entries));
            self.entries = map.entries;
            self.is_too_large = self.entries.len() > self.max;
        }
        !self.is_too_large
    }

    /// Adds an entry, which replaces an earlier one with its key.
    pub(crate) fn push(&mut self, key: K, value: V) {
        self.entries.push((key, value));
    }

    /// Returns the map; if it is too large, it has more entries than allowed, though not all.
    pub(crate) fn finish(self) -> Map<K, V> {
        Map::from_entries_last_wins(self.entries)
    }
}

/// Returns, in ascending order, the offsets of entries whose keys come again later.
fn repeated_offsets<K: Ord, V>(entries: &[(K, V)]) -> Vec<usize> {
    if entries.len() <= FEW {
        let comes_again =
            |&nth: &usize| entries[nth + 1..].iter().any(|(later, _)| *later == entries[nth].0);
        return (0..entries.len()).filter(comes_again).collect();
    }
    let mut by_key: Vec<usize> = (0..entries.len()).collect();
    by_key.sort_by(|&left, &right| entries[left].0.cmp(&entries[right].0));
    let mut repeated: Vec<usize> = by_key
        .windows(2)
        .filter(|pair| entries[pair[0]].0 == entries[pair[1]].0)
        .map(|pair| pair[0])
        .collect();
    repeated.sort_unstable();
    repeated
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self::from_entries_last_wins(entries.into_iter().collect())
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_entries_with_one_key_counts() {
        for length in [3_usize, 3 * FEW] {
            let entries: Vec<(usize, usize)> = (0..length).map(|nth| (nth % 3, nth)).collect();
            let map = Map::from_entries_last_wins(entries);
            let expected: Vec<(usize, usize)> = (length - 3..length).map(|n| (n % 3, n)).collect();
            assert_eq!(map.into_iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_map_that_is_too_large_keeps_few_entries_and_one_that_repeats_its_keys_is_small() {
        const MAX: usize = 3;
        let read = |keys: &mut dyn Iterator<Item = usize>| {
            let mut entries = BoundedEntries::new(MAX);
            for (nth, key) in keys.enumerate() {
                if entries.take_more() {
                    entries.push(key, nth);
                }
                assert!(entries.entries.len() <= 2 * MAX + 1);
            }
            entries.finish()
        };
        let large = read(&mut (0..1000));
        assert!(large.len() > MAX);
        let repeated = read(&mut (0..1000).map(|nth| nth % MAX));
        assert_eq!(repeated.len(), MAX);
        assert_eq!(repeated.get(&0), Some(&999));
    }

    #[test]
    fn insert_replaces() {
        let mut map = Map::new();
        map.insert("a", 1);
        map.insert("b", 2);
        map.insert("a", 3);
        assert_eq!(map.get("a"), Some(&3));
        assert_eq!(map.get("c"), None);
        assert_eq!(map.len(), 2);
    }
}
