//! The keys that a commit declares.

use crate::Key;

/// Keys that a commit decides on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Keys that the commit may write: no other commit that declares one of them decides meanwhile.
    pub write: Vec<Key>,
    /// Keys that the commit only reads: commits that only read them decide side by side, and none
    /// that may write one of them decides meanwhile. No key is in both.
    pub read: Vec<Key>,
}

impl Keys {
    /// Returns all keys in the order in which `decide` gets their values.
    pub fn all(&self) -> impl Iterator<Item = &Key> {
        self.write.iter().chain(&self.read)
    }
}

impl From<Vec<Key>> for Keys {
    /// Keys that may be written.
    fn from(write: Vec<Key>) -> Self {
        Self { write, read: Vec::new() }
    }
}
