//! Times of changes of those settings of tables whose rate of change is limited.

use crate::schema::TableId;
use std::collections::HashMap;

/// Setting with a limited rate of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Setting {
    Protection,
    Class,
    Encryption,
    TimeToLive,
}

/// Times of changes of settings, epoch milliseconds. A restart forgets them.
#[derive(Debug, Default)]
pub(crate) struct History {
    times: HashMap<(TableId, Setting), Vec<u64>>,
}

impl History {
    /// Returns the times of a setting, oldest first.
    pub(crate) fn of(&self, table: TableId, setting: Setting) -> &[u64] {
        self.times.get(&(table, setting)).map_or(&[], Vec::as_slice)
    }

    /// Adds the time of a change.
    pub(crate) fn add(&mut self, table: TableId, setting: Setting, now_ms: u64) {
        self.times.entry((table, setting)).or_default().push(now_ms);
    }

    /// Replaces the times by that of a change.
    pub(crate) fn set(&mut self, table: TableId, setting: Setting, now_ms: u64) {
        self.times.insert((table, setting), vec![now_ms]);
    }

    /// Forgets a table.
    pub(crate) fn forget_table(&mut self, table: TableId) {
        self.times.retain(|(known, _), _| *known != table);
    }
}
