//! Changes of tags that are still visible: they lock out other changes, and lists show them late.

use crate::schema::Tags;

/// Times, milliseconds, for which a change of tags locks out others, and for which lists show the
/// old tags.
pub(super) const TAG_LOCK_MS: u64 = 1650;
pub(super) const TAG_LAG_MS: u64 = 1900;

/// A change of tags.
#[derive(Debug)]
pub(crate) struct TagChange {
    pub(crate) at_ms: u64,
    /// Label of the stream; `None` for the table itself.
    pub(crate) stream: Option<String>,
    /// Tags that TagResource set; `None` for UntagResource.
    pub(crate) set: Option<Tags>,
    /// Tags before the change.
    pub(crate) before: Tags,
}

impl TagChange {
    /// Returns whether the change is still visible in any operation.
    pub(crate) fn is_recent(&self, now_ms: u64) -> bool {
        now_ms < self.at_ms.saturating_add(TAG_LOCK_MS.max(TAG_LAG_MS))
    }
}
