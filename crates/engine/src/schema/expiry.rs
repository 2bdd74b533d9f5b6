//! What a table knows of its expiry index, which is there while time to live is enabled.
//!
//! Left to others: the entries of the index (`expiry.rs`, one room up).

use super::{TimeToLive, TimeToLiveState};
use crate::swept::Swept;
use std::sync::Arc;

/// The expiry index that writes keep up to date.
#[derive(Debug)]
pub struct Expiry {
    /// The attribute with the epoch second at which an item expires.
    pub(crate) attribute: String,
    /// How far the sweep of expired items has come, by seconds. Shared by the versions of a table.
    pub(crate) swept: Arc<Swept>,
}

impl Expiry {
    /// Returns the index that a table's record asks for.
    pub(crate) fn of(record: Option<&TimeToLive>) -> Option<Self> {
        let record = record.filter(|record| record.state != TimeToLiveState::Disabling)?;
        Some(Self { attribute: record.attribute.clone(), swept: Arc::default() })
    }

    /// Keeps what is known of the same index in the table's version before.
    pub(crate) fn succeed(&mut self, old: &Self) {
        if self.attribute == old.attribute {
            self.swept = Arc::clone(&old.swept);
        }
    }
}
