//! The expiry index in a table's definition; a table has one while time to live is enabled.
//!
//! Left to others: the entries of the index (`crate::expiry`).

use super::{TimeToLive, TimeToLiveState};
use crate::swept::Swept;
use std::sync::Arc;

/// Expiry index that writes keep up to date.
#[derive(Debug)]
pub struct Expiry {
    /// Attribute with the epoch second at which an item expires.
    pub(crate) attribute: String,
    /// Progress of the sweep of expired items, in epoch seconds. Shared by the versions of a table.
    pub(crate) swept: Arc<Swept>,
}

impl Expiry {
    /// Returns the index for a table's record; `None` if no write maintains one.
    pub(crate) fn of(record: Option<&TimeToLive>) -> Option<Self> {
        let record = record.filter(|record| record.state != TimeToLiveState::Disabling)?;
        Some(Self { attribute: record.attribute.clone(), swept: Arc::default() })
    }

    /// Takes over the progress of the earlier version of the table, if the index is the same.
    pub(crate) fn succeed(&mut self, old: &Self) {
        if self.attribute == old.attribute {
            self.swept = Arc::clone(&old.swept);
        }
    }
}
