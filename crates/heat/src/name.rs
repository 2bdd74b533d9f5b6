//! Keys as bytes, of a bounded length: a longer key is cut, and a hash of the whole tells it from
//! others.

use xxhash_rust::xxh3::xxh3_64;

/// Most bytes of a key that are kept.
pub const KEY_MAX_BYTES: usize = 160;

/// A key, or the beginning of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutKey<'k> {
    /// Its first bytes.
    pub bytes: &'k [u8],
    /// Hash of the whole key, if it was cut.
    pub hash_if_cut: Option<u64>,
}

/// A key that is kept.
#[derive(Debug, Default)]
pub(crate) struct Name {
    bytes: Vec<u8>,
    /// Hash of the whole key: keys with equal hashes are taken for equal.
    pub(crate) id: u64,
    is_cut: bool,
}

impl Name {
    /// Stores another key in the memory of the one before.
    pub(crate) fn set(&mut self, id: u64, key: &[u8]) {
        let kept = &key[..key.len().min(KEY_MAX_BYTES)];
        self.bytes.clear();
        self.bytes.reserve_exact(kept.len());
        self.bytes.extend_from_slice(kept);
        self.is_cut = kept.len() < key.len();
        self.id = id;
    }

    pub(crate) fn get(&self) -> CutKey<'_> {
        CutKey { bytes: &self.bytes, hash_if_cut: self.is_cut.then_some(self.id) }
    }

    /// Returns its memory on the heap, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Returns the hash that identifies a key.
pub(crate) fn id_of(key: &[u8]) -> u64 {
    xxh3_64(key)
}
