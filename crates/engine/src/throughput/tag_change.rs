//! Changes of tags that are still to be seen: they keep out others, and show late.

use crate::schema::Tags;

/// How long a change of tags keeps out others, and for how long the old tags are listed.
pub(super) const TAG_LOCK_MS: u64 = 1650;
pub(super) const TAG_LAG_MS: u64 = 1900;

/// A change of tags.
#[derive(Debug)]
pub(crate) struct TagChange {
    pub(crate) at_ms: u64,
    /// The label, of a stream.
    pub(crate) stream: Option<String>,
    /// What TagResource set; nothing of UntagResource.
    pub(crate) set: Option<Tags>,
    /// The tags before.
    pub(crate) before: Tags,
}

impl TagChange {
    /// Returns whether the change is still to be seen in anything.
    pub(crate) fn is_recent(&self, now_ms: u64) -> bool {
        now_ms < self.at_ms.saturating_add(TAG_LOCK_MS.max(TAG_LAG_MS))
    }
}
