//! Verifies that data kept for a table belong to an existing table that keeps such data: reads one
//! key of each table.

use super::Report;
use crate::schema::TableId;
use hashrange_storage::{Direction, Error, Key, KeyRange, View, Wanted};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Tables to which keys of one kind may belong.
pub(super) struct Owners<'o> {
    /// Tables that keep such data.
    pub(super) known: BTreeSet<TableId>,
    /// Tables whose data are being removed.
    pub(super) purged: &'o BTreeSet<TableId>,
    /// Function that returns the table of a key.
    pub(super) of: fn(&[u8]) -> Option<TableId>,
    /// Fault of a key that names no table.
    pub(super) without_table: &'static str,
    /// Fault of a key that names another table.
    pub(super) of_others: &'static str,
}

impl Owners<'_> {
    /// Verifies the tables that have keys in a range; `after` returns the end of a table's keys.
    pub(super) async fn verify<V: View>(
        &self,
        view: &V,
        mut range: KeyRange,
        after: impl Fn(TableId) -> Option<Key>,
        report: &mut Report,
    ) -> Result<(), Error> {
        loop {
            let mut found = None;
            view.visit(range.clone(), Direction::Forward, Wanted::entries(1), |key, _| {
                found = Some(((self.of)(key), key.to_vec()));
                ControlFlow::Break(())
            })
            .await?;
            let Some((table, key)) = found else { return Ok(()) };
            let Some(table) = table else {
                report.add(None, self.without_table, &key);
                return Ok(());
            };
            if !self.known.contains(&table) && !self.purged.contains(&table) {
                report.add(None, self.of_others, &key);
            }
            let Some(next) = after(table) else { return Ok(()) };
            range.start = next;
        }
    }
}
