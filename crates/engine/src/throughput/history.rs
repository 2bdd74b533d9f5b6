//! When settings of tables were changed that may not be changed often.

use crate::schema::TableId;
use std::collections::HashMap;

/// A setting that may not be changed often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Setting {
    Protection,
    Class,
    Encryption,
    TimeToLive,
}

/// When settings of tables were changed, epoch milliseconds. A restart forgets it.
#[derive(Debug, Default)]
pub(crate) struct History {
    times: HashMap<(TableId, Setting), Vec<u64>>,
}

impl History {
    /// Returns the times of a setting, oldest first.
    pub(crate) fn of(&self, table: TableId, setting: Setting) -> &[u64] {
        self.times.get(&(table, setting)).map_or(&[], Vec::as_slice)
    }

    /// Keeps the time of a change.
    pub(crate) fn add(&mut self, table: TableId, setting: Setting, now_ms: u64) {
        self.times.entry((table, setting)).or_default().push(now_ms);
    }

    /// Keeps the time of a change, and of none before.
    pub(crate) fn set(&mut self, table: TableId, setting: Setting, now_ms: u64) {
        self.times.insert((table, setting), vec![now_ms]);
    }

    /// Forgets a table.
    pub(crate) fn forget_table(&mut self, table: TableId) {
        self.times.retain(|(known, _), _| *known != table);
    }
}
