//! The history in a table's record, and the rules that writes and reads derive from it.
//!
//! Left to others: the keys of the history (`layout/history.rs`), its reads and writes
//! (`history/`).

use super::{TableRecord, VersionsRecord};
use serde::{Deserialize, Serialize};

/// The longest retention, hours: a hundred years.
pub const RETENTION_HOURS_MAX: u32 = 876_000;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// State of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryState {
    /// Writes keep the history; some that began before may still not. It cannot be read.
    Beginning,
    /// The history is complete since it began.
    Kept,
    /// No write keeps the history and it cannot be read; a job removes it.
    Ending,
}

/// The stored form of a table's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// State of the history.
    pub state: HistoryState,
    /// First moment that can be read, epoch milliseconds; 0 until the history is complete.
    pub since_ms: u64,
    /// Hours for which an old version is kept; for ever if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_hours: Option<u32>,
}

impl HistoryRecord {
    /// Returns whether writes keep the history.
    pub(super) fn is_written(&self) -> bool {
        self.state != HistoryState::Ending
    }

    /// Returns the first moment that can be read at a time of the clock, both epoch milliseconds.
    pub(crate) fn reaches_back_to_ms(&self, now_ms: u64) -> u64 {
        self.since_ms.max(self.expired_ms(now_ms).unwrap_or(0))
    }

    /// Returns the moment up to which versions have expired; `None` if they are kept for ever.
    pub(crate) fn expired_ms(&self, now_ms: u64) -> Option<u64> {
        self.retention_hours.map(|hours| now_ms.saturating_sub(u64::from(hours) * HOUR_MS))
    }
}

impl TableRecord {
    /// Returns whether the record's version still permits writes by releases that know only the
    /// first form of histories.
    pub(crate) fn has_older_history(&self) -> bool {
        self.history.is_some() && self.version < Self::VERSION_WITH_HISTORY
    }

    /// Sets the history, and raises the version so that releases without histories refuse the
    /// record.
    pub(crate) fn set_history(&mut self, history: Option<HistoryRecord>) {
        if history.is_some() {
            self.version = self.version.max(Self::VERSION_WITH_HISTORY);
        }
        self.history = history;
    }

    /// Sets the versions kept as items, and raises the version so that releases without them refuse the record.
    pub(crate) fn set_versions(&mut self, versions: Option<VersionsRecord>) {
        if versions.is_some() {
            self.version = self.version.max(Self::VERSION_WITH_VERSIONS);
        }
        self.versions = versions;
    }
}
