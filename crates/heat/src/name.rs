//! Keys as bytes, of a bounded length: a longer one is cut, and told from others by a hash of the whole.

use xxhash_rust::xxh3::xxh3_64;

/// Most bytes of a key that are kept.
pub const KEY_MAX_BYTES: usize = 160;

/// A key, or the beginning of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutKey<'k> {
    /// Its first bytes.
    pub bytes: &'k [u8],
    /// The hash of the whole, if there are more of them.
    pub hash_if_cut: Option<u64>,
}

/// A key that is kept.
#[derive(Debug, Default)]
pub(crate) struct Name {
    bytes: Vec<u8>,
    /// The hash of the whole key: keys are equal if it is.
    pub(crate) id: u64,
    is_cut: bool,
}

impl Name {
    /// Takes another key, in the memory of the one before.
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

    /// Returns the bytes of memory behind it.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Returns what tells a key from others.
pub(crate) fn id_of(key: &[u8]) -> u64 {
    xxh3_64(key)
}
