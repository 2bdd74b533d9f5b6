//! What is kept for tables is of tables that there are and that keep such: one key of each table is looked at.

use super::Report;
use crate::schema::TableId;
use hashrange_storage::{Direction, Error, Key, KeyRange, View, Wanted};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Which tables may have what is looked at.
pub(super) struct Owners<'o> {
    /// Those that keep it.
    pub(super) known: BTreeSet<TableId>,
    /// Those of which everything is being removed.
    pub(super) purged: &'o BTreeSet<TableId>,
    /// Returns the table of a key.
    pub(super) of: fn(&[u8]) -> Option<TableId>,
    /// What is wrong with a key of no table.
    pub(super) without_table: &'static str,
    /// What is wrong with a key of another table.
    pub(super) of_others: &'static str,
}

impl Owners<'_> {
    /// Looks at the tables that have keys in a range; `after` returns what follows those of one.
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
