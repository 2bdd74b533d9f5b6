//! Counts items that have the key of an item before them, which they replace: of so many lines are fewer items.
//!
//! Bounded: keeps the hash of a key, 8 bytes, for [`KEYS_MAX`] keys at most; with more the count is
//! unknown.

use crate::reading::key::Key;
use crate::reading::reader::RecordPlace;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Keys that are compared: some 30 MB. Two keys of so many have one hash once in ten million imports.
pub const KEYS_MAX: usize = 2_000_000;

/// The keys that are in.
#[derive(Debug)]
pub struct Repeats {
    seen: BTreeSet<u64>,
    keys_max: usize,
    is_known: bool,
    count: u64,
    first: Option<RecordPlace>,
}

impl Repeats {
    /// Begins with none.
    pub fn new(keys_max: usize) -> Self {
        Self { seen: BTreeSet::new(), keys_max, is_known: true, count: 0, first: None }
    }

    /// Notes an item that is in.
    pub fn note(&mut self, place: RecordPlace, key: &Key) {
        if !self.is_known {
            return;
        }
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            self.count += 1;
            self.first = Some(self.first.map_or(place, |first| first.min(place)));
        } else if self.seen.len() > self.keys_max {
            self.seen.clear();
            self.is_known = false;
        }
    }

    /// Returns how many items replaced one that was written before, and the first of them; none if
    /// there were too many keys to count.
    pub fn counted(&self) -> Option<(u64, Option<RecordPlace>)> {
        self.is_known.then_some((self.count, self.first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::key;
    use serde_json::json;

    fn noted(keys: &[&str]) -> Option<(u64, Option<u64>)> {
        let mut repeats = Repeats::new(3);
        for (line, key) in (1..).zip(keys) {
            let item = json!({"pk": {"S": key}});
            let key = key::of(item.as_object().unwrap(), &["pk".to_owned()]).unwrap();
            repeats.note(RecordPlace { source: 0, line, nth: 1 }, &key);
        }
        repeats.counted().map(|(count, first)| (count, first.map(|place| place.line)))
    }

    #[test]
    fn a_key_that_comes_again_is_counted_while_all_fit() {
        assert_eq!(noted(&["a", "b"]), Some((0, None)));
        assert_eq!(noted(&["a", "b", "a", "c", "a"]), Some((2, Some(3))));
        assert_eq!(noted(&["a", "a", "b", "c", "d"]), None);
    }
}
