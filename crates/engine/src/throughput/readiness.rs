//! What the operations on tags, time to live, backups and policies see of a table that is being
//! created or deleted, and of tags that have just been changed.
//!
//! The service answers these from other parts than DescribeTable, each with a delay of its own.
//! Source: measured on the service in 2026-10; where a span was seen, a time within it.

use super::lifecycle::{Deletion, TableChanges};
use crate::engine::Engine;
use crate::schema::{Table, TableId, Tags};
use hashrange_model::Reason;
use hashrange_model::error::Quota;
use hashrange_storage::Store;

/// How long a change of tags keeps out others, and for how long the old tags are listed.
const TAG_LOCK_MS: u64 = 1650;
const TAG_LAG_MS: u64 = 1900;
/// For how long a table that is being deleted still has its tags, refuses others, and has backups.
const DELETED_TAGS_MS: u64 = 1200;
const DELETED_TAG_CHANGES_MS: u64 = 1600;
const DELETED_REPLAYS_MS: u64 = 1000;
const DELETED_BACKUPS_MS: u64 = 1000;
/// How long after its creation a table has no continuous backups yet.
pub(super) const BACKUPS_DELAY_MS: u64 = 3000;

/// How far a table is for the operations beside those that define it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// It is being created, and they do not find it.
    Unseen,
    /// It is being created, and they find it.
    Creating,
    /// It is in use, but has no continuous backups yet.
    WithoutBackups,
    InUse,
}

/// A change of tags.
#[derive(Debug)]
pub(super) struct TagChange {
    at_ms: u64,
    /// The label, of a stream.
    stream: Option<String>,
    /// What TagResource set; nothing of UntagResource.
    set: Option<Tags>,
    /// The tags before.
    before: Tags,
}

impl TagChange {
    /// Returns whether the change is still to be seen in anything.
    pub(super) fn is_recent(&self, now_ms: u64) -> bool {
        now_ms < self.at_ms.saturating_add(TAG_LOCK_MS.max(TAG_LAG_MS))
    }
}

impl TableChanges {
    fn readiness(&self, table: &Table, now_ms: u64) -> Readiness {
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

    /// Returns what a table that is being deleted still has so long after the request.
    fn of_deleted<T>(
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

    /// Returns whether a change of tags keeps out this one.
    fn are_tags_locked(&self, table: TableId, set: Option<&Tags>, now_ms: u64) -> bool {
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

    /// Returns the tags that are listed instead of newer ones.
    fn listed_tags(&self, table: TableId, stream: Option<&str>, now_ms: u64) -> Option<Tags> {
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
fn are_among(some: &Tags, others: &Tags) -> bool {
    some.iter().all(|(key, value)| others.get(key) == Some(value))
}

impl<S: Store> Engine<S> {
    /// Returns how far a table is.
    pub(crate) fn readiness(&self, table: &Table) -> Readiness {
        match self.changes() {
            None => Readiness::InUse,
            Some((changes, now_ms)) => changes.readiness(table, now_ms),
        }
    }

    /// Returns whether a table of this name is being deleted and still has backups.
    pub(crate) fn is_deleted_with_backups(&self, name: &str) -> bool {
        self.changes().is_some_and(|(changes, now_ms)| {
            changes.of_deleted(name, now_ms, DELETED_BACKUPS_MS, |_| ()).is_some()
        })
    }

    /// Returns the tags that a table which is being deleted still has.
    pub(crate) fn deleted_tags(&self, name: &str) -> Option<Tags> {
        let (changes, now_ms) = self.changes()?;
        changes.of_deleted(name, now_ms, DELETED_TAGS_MS, |deletion| deletion.tags.clone())
    }

    /// Refuses to change the tags of a table that is being deleted, as long as it is found; to set
    /// what it has is no change.
    pub(crate) fn check_tags_not_deleted(
        &self,
        name: &str,
        set: Option<&Tags>,
    ) -> Option<Result<(), Reason>> {
        let (changes, now_ms) = self.changes()?;
        let is_replay = |deletion: &Deletion| set.is_some_and(|set| are_among(set, &deletion.tags));
        if changes.of_deleted(name, now_ms, DELETED_REPLAYS_MS, is_replay) == Some(true) {
            return Some(Ok(()));
        }
        let refused = || Err(Reason::TableBeingDeleted(name.to_owned()));
        changes.of_deleted(name, now_ms, DELETED_TAG_CHANGES_MS, |_| refused())
    }

    /// Refuses to change tags that are just being changed.
    pub(crate) fn check_tags_unlocked(
        &self,
        table: &Table,
        set: Option<&Tags>,
    ) -> Result<(), Reason> {
        match self.changes() {
            Some((changes, now_ms)) if changes.are_tags_locked(table.id(), set, now_ms) => {
                Err(Reason::Quota(Quota::TagChanges { table: table.record.name.clone() }))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses to delete a table whose tags are just being changed.
    pub(crate) fn check_deletable_tags(&self, table: &Table) -> Result<(), Reason> {
        match self.check_tags_unlocked(table, None) {
            Ok(()) => Ok(()),
            Err(_) => Err(Reason::TableTagsBeingUpdated(table.record.name.clone())),
        }
    }

    /// Returns the tags of a table or stream as they are listed.
    pub(crate) fn listed_tags(&self, table: &Table, stream: Option<&str>) -> Option<Tags> {
        let (changes, now_ms) = self.changes()?;
        changes.listed_tags(table.id(), stream, now_ms)
    }

    /// Remembers that tags have been changed.
    pub(crate) fn remember_tags(
        &self,
        table: TableId,
        stream: Option<&str>,
        set: Option<Tags>,
        before: Tags,
    ) {
        if let Some((changes, now_ms)) = self.changes() {
            let change =
                TagChange { at_ms: now_ms, stream: stream.map(str::to_owned), set, before };
            let mut pending = changes.lock();
            let known = pending.tags.entry(table).or_default();
            known.retain(|change| change.is_recent(now_ms));
            known.push(change);
        }
    }
}
