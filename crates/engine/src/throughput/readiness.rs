//! States of tables for the operations on tags, time to live, backups and policies: of tables that
//! are being created or deleted, and of tags that have just been changed.
//!
//! The service answers these operations from other parts than DescribeTable, each with a delay of
//! its own. Source: measured on the service in 2026-10; where the measurements gave a range, a time
//! within it.

use super::lifecycle::{BACKUPS_DELAY_MS, Deletion, TableChanges};
use super::tag_change::{TAG_LAG_MS, TAG_LOCK_MS};
use crate::schema::{Table, TableId, Tags};

/// State of a table for the operations beside those that define it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// The table is being created, and these operations do not find it.
    Unseen,
    /// The table is being created, and these operations find it.
    Creating,
    /// The table is in use, but has no continuous backups yet.
    WithoutBackups,
    InUse,
}

impl TableChanges {
    pub(crate) fn readiness(&self, table: &Table, now_ms: u64) -> Readiness {
        let Some(until_ms) = self.lock().creations.get(&table.id()).copied() else {
            return Readiness::InUse;
        };
        let began_ms = until_ms.saturating_sub(self.pace.creation_ms(&table.record));
        if now_ms < began_ms.saturating_add(self.pace.unseen_ms()) {
            Readiness::Unseen
        } else if now_ms < until_ms {
            Readiness::Creating
        } else if now_ms < until_ms.saturating_add(self.pace.at_most(BACKUPS_DELAY_MS)) {
            Readiness::WithoutBackups
        } else {
            Readiness::InUse
        }
    }

    /// Returns a property that a table which is being deleted keeps for `for_ms` after the request;
    /// `None` later.
    pub(crate) fn of_deleted<T>(
        &self,
        name: &str,
        now_ms: u64,
        for_ms: u64,
        of: impl FnOnce(&Deletion) -> T,
    ) -> Option<T> {
        let pending = self.lock();
        let deletion = pending.deletions.get(name)?;
        let until_ms = deletion.at_ms.saturating_add(self.pace.at_most(for_ms));
        (now_ms < until_ms.min(deletion.until_ms)).then(|| of(deletion))
    }

    /// Returns whether an earlier change of tags locks out this one.
    pub(crate) fn are_tags_locked(&self, table: TableId, set: Option<&Tags>, now_ms: u64) -> bool {
        let pending = self.lock();
        let Some(last) = pending.tags.get(&table).and_then(|changes| changes.last()) else {
            return false;
        };
        if now_ms >= last.at_ms.saturating_add(self.pace.at_most(TAG_LOCK_MS)) {
            return false;
        }
        let is_repeated = match (&last.set, set) {
            (Some(last), Some(set)) => are_among(last, set),
            _ => false,
        };
        !is_repeated
    }

    /// Returns the former tags while lists still show them instead of the newer ones.
    pub(crate) fn listed_tags(
        &self,
        table: TableId,
        stream: Option<&str>,
        now_ms: u64,
    ) -> Option<Tags> {
        let lag_ms = self.pace.at_most(TAG_LAG_MS);
        let pending = self.lock();
        let mut changes = pending.tags.get(&table)?.iter();
        let lagging = changes.find(|change| {
            change.stream.as_deref() == stream && now_ms < change.at_ms.saturating_add(lag_ms)
        });
        lagging.map(|change| change.before.clone())
    }
}

/// Returns whether all of some tags are among others.
pub(crate) fn are_among(some: &Tags, others: &Tags) -> bool {
    some.iter().all(|(key, value)| others.get(key) == Some(value))
}
