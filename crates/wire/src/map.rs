//! A small map that keeps the order of the wire.
//!
//! Requests hold few entries per map, so lookups are linear; building a map from a body is not
//! (see [`Map::from_entries_last_wins`]), because a hostile body may hold a million entries.
//!
//! Invariant: keys are unique.

use std::borrow::Borrow;

/// A map in the order of insertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
}

/// Up to this many entries, comparing each pair of keys beats sorting.
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

/// Returns, in ascending order, the offsets of entries whose key comes again later.
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
