//! Content of a store at one moment, as a value: batches are applied to it, and its clones share
//! every unchanged part.
//!
//! The memory engine publishes images and can begin with one, so that saving and restoring a state
//! costs nothing.

use crate::batch::{Change, Operation, decode_counter, encode_counter};
use crate::{Batch, Error, MemoryView};
use bytes::Bytes;
use imbl::OrdMap;
use std::sync::Arc;

pub(crate) type Map = OrdMap<Bytes, Bytes>;

/// An ordered map from byte keys to byte values, and the last commit stamp. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Image {
    map: Map,
    last_stamp: u64,
}

impl Image {
    /// Returns an empty image.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of `key`, `None` when it is absent.
    pub fn get(&self, key: &[u8]) -> Option<Bytes> {
        self.map.get(key).cloned()
    }

    /// Returns the image with a last commit stamp that is at least `other`'s: for a store that goes
    /// back from `other` to this one, whose readers may not miss anything after a stamp they have
    /// seen.
    #[must_use]
    pub fn succeeding(&self, other: &Self) -> Self {
        let last_stamp = self.last_stamp.max(other.last_stamp);
        Self { map: self.map.clone(), last_stamp }
    }

    /// Returns the last commit stamp that was given out.
    pub(crate) fn last_stamp(&self) -> u64 {
        self.last_stamp
    }

    /// Makes the next commit stamps greater than `stamp`.
    pub(crate) fn raise_stamps(&mut self, stamp: u64) {
        self.last_stamp = self.last_stamp.max(stamp);
    }

    /// Returns all entries in order.
    pub fn entries(&self) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.map.iter()
    }

    /// Returns a view of the image, which later batches do not change.
    pub fn view(&self) -> MemoryView {
        MemoryView(Arc::new(self.map.clone()))
    }

    /// Applies all writes of a batch, or none if one of them fails.
    pub fn apply(&mut self, batch: Batch) -> Result<(), Error> {
        let mut next = self.clone();
        let (operations, appends) = batch.into_parts();
        for operation in operations {
            apply_operation(&mut next.map, operation)?;
        }
        for append in appends {
            next.last_stamp += 1;
            next.map.insert(append.key(next.last_stamp), append.value);
        }
        *self = next;
        Ok(())
    }
}

fn apply_operation(map: &mut Map, operation: Operation) -> Result<(), Error> {
    let Operation { key, change, .. } = operation;
    match change {
        Change::Put(value) => {
            map.insert(key, value);
        }
        Change::Delete => {
            map.remove(&key);
        }
        Change::Add(delta) => {
            let counter = decode_counter(map.get(&key).map(|value| &value[..]), &key)?;
            map.insert(key, encode_counter(counter.wrapping_add(delta)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(image: &mut Image) {
        let mut batch = Batch::new();
        batch.append(b"log/".to_vec(), Bytes::from_static(b"x"));
        image.apply(batch).unwrap();
    }

    #[test]
    fn a_successor_holds_what_it_held_and_gives_out_no_stamp_again() {
        let mut early = Image::new();
        appended(&mut early);
        let mut late = early.clone();
        appended(&mut late);
        appended(&mut late);
        let mut again = early.succeeding(&late);
        assert!(again.entries().eq(early.entries()));
        appended(&mut again);
        let stamps: Vec<_> = again.entries().map(|(key, _)| key[11]).collect();
        assert_eq!(stamps, [1, 4]);
    }
}
