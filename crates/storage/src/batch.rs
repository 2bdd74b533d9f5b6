//! Writes of one commit: puts, deletes and counter additions, in order; and appends.
//!
//! Leaves locking, sequencing and durability to the engines.

use crate::{Error, Key, KeyRange};
use bytes::Bytes;

/// The longest key in bytes.
pub(crate) const MAX_KEY_BYTES: usize = u16::MAX as usize;

/// A value shorter than this, like a size or a mark, takes negligible space.
const SMALL_VALUE_BYTES: usize = 64;

/// Bytes of a commit stamp, at the end of a key that was appended.
pub const STAMP_BYTES: usize = 8;

/// Writes of one commit; of several writes to one key the last counts.
#[derive(Debug, Default)]
pub struct Batch {
    operations: Vec<Operation>,
    appends: Vec<Append>,
    size_bytes: usize,
    /// A range that is garbage throughout; see [`Store::reclaim`](crate::Store::reclaim).
    garbage: Option<KeyRange>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) key: Bytes,
    pub(crate) change: Change,
    /// True for the deletion of a counter, which may lie in several rows.
    pub(crate) of_counter: bool,
}

/// Value for a key that ends with the commit stamp.
#[derive(Debug, Clone)]
pub(crate) struct Append {
    pub(crate) prefix: Bytes,
    pub(crate) value: Bytes,
}

/// Effect of a write on its key.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Put(Bytes),
    Delete,
    Add(i64),
}

impl Append {
    /// Returns the key with its stamp.
    pub(crate) fn key(&self, stamp: u64) -> Bytes {
        Bytes::from([&self.prefix[..], &stamp.to_be_bytes()].concat())
    }
}

impl Batch {
    /// Returns an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `key` to `value`. The batch keeps the value without a copy, so it should not be a small
    /// part of a large buffer.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes, or the value is 4 GiB or longer.
    pub fn put(&mut self, key: Key, value: Bytes) {
        assert!(u32::try_from(value.len()).is_ok(), "a value is shorter than 4 GiB");
        self.size_bytes += value.len();
        self.push(key, Change::Put(value));
    }

    /// Removes `key`; has no effect if it is absent.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes.
    pub fn delete(&mut self, key: Key) {
        self.push(key, Change::Delete);
    }

    /// Adds `delta` to the counter at `key`, which is 0 while absent. Wraps around at the ends of
    /// `i64`. Views read a counter as a sum ([`View::sums`](crate::View::sums)).
    ///
    /// Many commits may add to one counter at a time, of several processes too, and none waits for
    /// another. Only [`Batch::remove_counter`], and the deletion of all entries that a visit shows
    /// of it, must be guarded like any undeclared key.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes.
    pub fn add(&mut self, counter_key: Key, delta: i64) {
        self.push(counter_key, Change::Add(delta));
    }

    /// Makes a counter absent, so that it is 0.
    ///
    /// # Panics
    /// When the key is empty or longer than 65,535 bytes.
    pub fn remove_counter(&mut self, counter_key: Key) {
        self.push(counter_key, Change::Delete);
        if let Some(operation) = self.operations.last_mut() {
            operation.of_counter = true;
        }
    }

    /// Puts `value` at `prefix` followed by the commit stamp, [`STAMP_BYTES`] bytes big-endian: a
    /// number that grows with every append to this prefix in the order of publication, over the
    /// whole life of the store. So a reader that has seen a stamp of a prefix never meets a smaller
    /// one that is new. Stamps of different prefixes are unrelated.
    ///
    /// A stamped key is new, so putting it needs no guard; deleting it does, like any undeclared
    /// key. Nothing else may be put at a prefix that is appended to.
    ///
    /// # Panics
    /// When the key with its stamp is longer than 65,535 bytes, or the value is 4 GiB or longer.
    pub fn append(&mut self, prefix: Key, value: Bytes) {
        assert!(u32::try_from(value.len()).is_ok(), "a value is shorter than 4 GiB");
        let key_bytes = prefix.len() + STAMP_BYTES;
        assert!(key_bytes <= MAX_KEY_BYTES, "a key has 1 to 65,535 bytes");
        self.size_bytes += key_bytes + value.len();
        self.appends.push(Append { prefix: Bytes::from(prefix), value });
    }

    /// Returns whether the batch has no writes.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.appends.is_empty()
    }

    /// Returns the keys of puts and deletes, repeated as they occur; without counters and appended
    /// keys.
    pub fn plain_keys(&self) -> impl Iterator<Item = &[u8]> {
        let plain = self.operations.iter().filter(|operation| {
            !operation.of_counter && !matches!(operation.change, Change::Add(_))
        });
        plain.map(|operation| &operation.key[..])
    }

    /// Returns the number of writes.
    pub fn len(&self) -> usize {
        self.operations.len() + self.appends.len()
    }

    /// Returns the bytes of all keys and values.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Adds the writes of another batch after these.
    pub fn extend(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.appends.extend(other.appends);
        self.size_bytes += other.size_bytes;
    }

    /// Removes all writes, for a `decide` that changes its mind.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.appends.clear();
        self.size_bytes = 0;
    }

    /// Returns whether the batch frees more space than it takes: it removes entries, at least as
    /// many as it appends, and puts only small values.
    pub(crate) fn frees_space(&self) -> bool {
        let mut deletes = 0;
        for operation in &self.operations {
            match &operation.change {
                Change::Delete => deletes += 1,
                Change::Put(value) if value.len() >= SMALL_VALUE_BYTES => return false,
                Change::Put(_) | Change::Add(_) => {}
            }
        }
        deletes > 0 && deletes >= self.appends.len()
    }

    /// Returns a batch that writes nothing and reports that `range` is garbage throughout.
    pub(crate) fn of_garbage(range: KeyRange) -> Self {
        Self { garbage: Some(range), ..Self::default() }
    }

    /// Takes the range that is garbage throughout.
    pub(crate) fn take_garbage(&mut self) -> Option<KeyRange> {
        self.garbage.take()
    }

    /// Returns the writes without the appends, in order.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns the writes in order and the appends in order.
    pub(crate) fn into_parts(self) -> (Vec<Operation>, Vec<Append>) {
        (self.operations, self.appends)
    }

    fn push(&mut self, key: Key, change: Change) {
        assert!(!key.is_empty() && key.len() <= MAX_KEY_BYTES, "a key has 1 to 65,535 bytes");
        self.size_bytes += key.len();
        self.operations.push(Operation { key: Bytes::from(key), change, of_counter: false });
    }
}

/// Returns the value of a counter from its stored bytes.
pub(crate) fn decode_counter(stored: Option<&[u8]>, key: &[u8]) -> Result<i64, Error> {
    let Some(stored) = stored else { return Ok(0) };
    let bytes = stored.try_into().map_err(|_| {
        Error::corrupt(
            format!("a counter of {} bytes", stored.len()),
            key.escape_ascii().to_string(),
        )
    })?;
    Ok(i64::from_le_bytes(bytes))
}

/// Returns the stored bytes of a counter.
pub(crate) fn encode_counter(value: i64) -> Bytes {
    Bytes::copy_from_slice(&value.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(fill: impl FnOnce(&mut Batch)) -> Batch {
        let mut batch = Batch::new();
        fill(&mut batch);
        batch
    }

    #[test]
    fn a_batch_that_removes_frees_space_and_one_that_writes_does_not() {
        let large = || Bytes::from(vec![0; SMALL_VALUE_BYTES]);
        let removal = batch(|batch| {
            batch.delete(b"item".to_vec());
            batch.add(b"counter".to_vec(), -1);
            batch.put(b"size".to_vec(), Bytes::from_static(b"12345678"));
            batch.append(b"log/".to_vec(), large());
        });
        assert!(removal.frees_space());
        let overwriting = batch(|batch| {
            batch.delete(b"old entry".to_vec());
            batch.put(b"item".to_vec(), large());
        });
        assert!(!overwriting.frees_space());
        let logged = batch(|batch| {
            batch.delete(b"item".to_vec());
            batch.append(b"log/".to_vec(), large());
            batch.append(b"log/".to_vec(), large());
        });
        assert!(!logged.frees_space());
        assert!(!batch(|batch| batch.add(b"counter".to_vec(), 1)).frees_space());
    }
}
