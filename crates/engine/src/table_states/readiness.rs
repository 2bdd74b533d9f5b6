//! States of tables for the operations on tags, time to live, backups and policies: of tables that
//! are being created or deleted, and of tags that have just been changed.
//!
//! Source: measured on the service in 2026-10; where the measurements gave a range, a time within
//! it.

use crate::engine::Engine;
use crate::schema::{Table, TableId, Tags};
use crate::throughput::{Deletion, Readiness, TagChange, are_among};
use hashrange_model::Reason;
use hashrange_model::error::Quota;
use hashrange_storage::Store;

/// Times after a deletion, milliseconds, during which the table still has its tags, refuses to
/// change them, accepts to set tags that it has, and has backups.
const DELETED_TAGS_MS: u64 = 1200;
const DELETED_TAG_CHANGES_MS: u64 = 1600;
const DELETED_REPLAYS_MS: u64 = 1000;
const DELETED_BACKUPS_MS: u64 = 1000;

impl<S: Store> Engine<S> {
    /// Returns the readiness of a table.
    pub(crate) fn readiness(&self, table: &Table) -> Readiness {
        match self.changes() {
            None => Readiness::InUse,
            Some((changes, now_ms)) => changes.readiness(table, now_ms),
        }
    }

    /// Returns whether a change of Contributor Insights looks unfinished.
    pub(crate) fn is_insights_change_under_way(&self, changed_at_ms: u64) -> bool {
        self.changes().is_some_and(|(changes, now_ms)| {
            now_ms < changed_at_ms.saturating_add(changes.insights_ms())
        })
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

    /// Refuses to change the tags of a table that is being deleted, as long as it is found; accepts
    /// to set tags that it has.
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

    /// Refuses to change tags while another change of them is under way.
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

    /// Refuses to delete a table while a change of its tags is under way.
    pub(crate) fn check_deletable_tags(&self, table: &Table) -> Result<(), Reason> {
        match self.check_tags_unlocked(table, None) {
            Ok(()) => Ok(()),
            Err(_) => Err(Reason::TableTagsBeingUpdated(table.record.name.clone())),
        }
    }

    /// Returns the tags of a table or stream that lists still show after a change; `None` for the
    /// present ones.
    pub(crate) fn listed_tags(&self, table: &Table, stream: Option<&str>) -> Option<Tags> {
        let (changes, now_ms) = self.changes()?;
        changes.listed_tags(table.id(), stream, now_ms)
    }

    /// Records a change of tags.
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
