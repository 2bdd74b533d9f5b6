//! What a table's record says of its history, and what writes and reads follow of it.
//!
//! Left to others: how history lies in the store (`layout/history.rs`), what is written and read of it
//! (`history/`).

use super::TableRecord;
use serde::{Deserialize, Serialize};

/// The longest retention, hours: a hundred years.
pub const RETENTION_HOURS_MAX: u32 = 876_000;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// Where a history stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryState {
    /// Writes keep it; some that began before may still not. Nobody reads it.
    Beginning,
    /// It is complete since it began.
    Kept,
    /// No write keeps it and nobody reads it; what there is of it is being removed.
    Ending,
}

/// The stored form of a table's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// Where it stands.
    pub state: HistoryState,
    /// The first moment that it tells of, epoch milliseconds; 0 until it is complete.
    pub since_ms: u64,
    /// For how many hours an old version is kept; for ever if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_hours: Option<u32>,
}

impl HistoryRecord {
    /// Returns whether writes keep it.
    pub(super) fn is_written(&self) -> bool {
        self.state != HistoryState::Ending
    }

    /// Returns the first moment that it tells of at a time of the clock.
    pub(crate) fn reaches_back_to_ms(&self, now_ms: u64) -> u64 {
        self.since_ms.max(self.expired_ms(now_ms).unwrap_or(0))
    }

    /// Returns the moment up to which versions have expired; none if none ever does.
    pub(crate) fn expired_ms(&self, now_ms: u64) -> Option<u64> {
        self.retention_hours.map(|hours| now_ms.saturating_sub(u64::from(hours) * HOUR_MS))
    }
}

impl TableRecord {
    /// Returns whether its version lets releases write it that know only the first form of histories.
    pub(crate) fn has_older_history(&self) -> bool {
        self.history.is_some() && self.version < Self::VERSION_WITH_HISTORY
    }

    /// Sets the history, and the version that releases without any refuse.
    pub(crate) fn set_history(&mut self, history: Option<HistoryRecord>) {
        if history.is_some() {
            self.version = self.version.max(Self::VERSION_WITH_HISTORY);
        }
        self.history = history;
    }
}
