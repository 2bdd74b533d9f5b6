//! Contributor Insights in a table's record, and the tables and indexes that are watched because of
//! it.
//!
//! A release that does not know Contributor Insights reads such a record and drops the setting with
//! the next change of the table, so it needs no version of its own. Left to others: recording
//! (`heat/`), the operations.

use super::{IndexId, IndexState, TableRecord};
use serde::{Deserialize, Serialize};

/// Selection of the requests that Contributor Insights sums by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum InsightsMode {
    /// Requests that were done, and those that were throttled.
    AccessedAndThrottled,
    /// Requests that were throttled.
    Throttled,
}

/// Stored form of Contributor Insights of a table or index that was ever enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightsRecord {
    /// Id of the index; [`IndexId::BASE`] for the table itself.
    pub index: IndexId,
    /// Selection of requests, kept while it is disabled.
    pub mode: InsightsMode,
    /// True if it is enabled.
    pub is_enabled: bool,
    /// Time at which it was last enabled or disabled, epoch milliseconds.
    pub updated_at_ms: u64,
}

impl TableRecord {
    /// Returns Contributor Insights of the table itself or of an index, if it was ever enabled.
    pub(crate) fn insights_of(&self, index: IndexId) -> Option<&InsightsRecord> {
        self.insights.iter().find(|insights| insights.index == index)
    }

    /// Sets Contributor Insights of the table itself or of an index.
    pub(crate) fn set_insights(&mut self, new: InsightsRecord) {
        match self.insights.iter_mut().find(|known| known.index == new.index) {
            Some(known) => *known = new,
            None => self.insights.push(new),
        }
    }

    /// Drops Contributor Insights of an index that is deleted.
    pub(crate) fn forget_insights(&mut self, index: IndexId) {
        self.insights.retain(|known| known.index != index);
    }

    /// Returns the table and indexes that are watched, with their modes.
    pub(super) fn watched(&self) -> Vec<(IndexId, InsightsMode)> {
        let is_there = |id: IndexId| {
            let mut indexes = self.indexes.iter();
            id == IndexId::BASE
                || indexes.any(|index| index.id == id && index.state != IndexState::Deleting)
        };
        let watched = self.insights.iter().filter(|it| it.is_enabled && is_there(it.index));
        watched.map(|it| (it.index, it.mode)).collect()
    }
}
