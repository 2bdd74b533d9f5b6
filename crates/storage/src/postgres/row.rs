//! A row of a page, as it was read.

use bytes::Bytes;

/// A row that was read. Its bytes are a part of those of its page.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) place: i16,
    pub(super) key: Bytes,
    pub(super) prefix_bytes: usize,
    pub(super) tail: Bytes,
    pub(super) value: Bytes,
}

impl Row {
    pub(super) fn prefix(&self) -> &[u8] {
        self.key.get(..self.prefix_bytes).unwrap_or_default()
    }

    pub(super) fn is_in_crowd(&self) -> bool {
        !self.tail.is_empty()
    }
}
