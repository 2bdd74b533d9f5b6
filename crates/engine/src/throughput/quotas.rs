//! Quotas of the account under the profile `aws`: how many tables there are and change at once, how
//! many units are provisioned, how often they go down.
//!
//! Everything is read from the definitions of the tables and from the changes that look unfinished,
//! so nothing is counted here. Whoever asks holds `definitions`.

use crate::engine::Engine;
use crate::ops::service_limits::{ACCOUNT_UNITS_MAX, TABLE_UNITS_MAX};
use crate::schema::{IndexKind, TableRecord, Throughput};
use crate::throughput::Status;
use hashrange_model::Reason;
use hashrange_model::error::Quota;
use hashrange_storage::Store;

/// Source: developer guide, "Quotas in Amazon DynamoDB": tables per account and region.
const TABLES_MAX: usize = 2500;
/// Source: API reference, LimitExceededException: simultaneous table operations.
const TABLE_CHANGES_MAX: usize = 500;
/// Source: API reference, LimitExceededException: creations of tables with secondary indexes.
const INDEXED_CREATIONS_MAX: usize = 250;
/// Source: developer guide, "Quotas in Amazon DynamoDB": decreases of provisioned throughput.
const FREE_DECREASES: i64 = 4;
const DECREASE_INTERVAL_MS: u64 = 60 * 60 * 1000;

impl<S: Store> Engine<S> {
    /// Refuses a new table that the account has no room for.
    pub(crate) fn check_new_table(&self, record: &TableRecord) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let tables = self.core().catalog.all();
        if tables.len() + self.deleted_table_names().len() >= TABLES_MAX {
            return Err(Reason::Quota(Quota::Tables(TABLES_MAX)));
        }
        self.check_table_changes()?;
        let is_created = |record: &TableRecord| !record.indexes.is_empty();
        let created = tables.iter().filter(|table| self.status(table) == Status::Creating);
        let indexed = created.filter(|table| is_created(&table.record)).count();
        if is_created(record) && indexed >= INDEXED_CREATIONS_MAX {
            return Err(Reason::Quota(Quota::IndexedTableCreations));
        }
        self.check_units(None, record)
    }

    /// Refuses to change one more table while many are.
    pub(crate) fn check_table_changes(&self) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let tables = self.core().catalog.all();
        let changing = tables.iter().filter(|table| self.status(table) != Status::Active).count();
        if changing + self.deleted_table_names().len() >= TABLE_CHANGES_MAX {
            return Err(Reason::Quota(Quota::TableChanges(TABLE_CHANGES_MAX)));
        }
        Ok(())
    }

    /// Refuses a change of provisioned units that the quotas do not allow.
    pub(crate) fn check_new_units(
        &self,
        old: &TableRecord,
        new: &TableRecord,
    ) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let now_ms = (self.environment().now_ms)();
        check_decrease(&old.throughput, &new.throughput, now_ms)?;
        for index in &new.indexes {
            if let Some(known) = old.indexes.iter().find(|known| known.id == index.id) {
                check_decrease(&known.throughput, &index.throughput, now_ms)?;
            }
        }
        self.check_units(Some(old), new)
    }

    fn keeps_quotas(&self) -> bool {
        self.core().governor.as_ref().is_some_and(|governor| !governor.rules.is_hostile)
    }

    /// Refuses more units than a table and the account may have. Fewer are never refused.
    fn check_units(&self, old: Option<&TableRecord>, new: &TableRecord) -> Result<(), Reason> {
        let elsewhere = self.core().catalog.all();
        let elsewhere = elsewhere.iter().filter(|table| table.record.name != new.name);
        let (other_reads, other_writes) = elsewhere
            .map(|table| units(&table.record))
            .fold((0, 0), |sum: (i64, i64), of| (sum.0 + of.0, sum.1 + of.1));
        let (reads, writes) = units(new);
        let known = old.map_or((0, 0), units);
        for (is_write, units, known, others) in
            [(false, reads, known.0, other_reads), (true, writes, known.1, other_writes)]
        {
            let exceeded = |of_account, limit| {
                Err(Reason::Quota(Quota::Units { of_account, is_write, limit }))
            };
            if units > known && units > TABLE_UNITS_MAX {
                return exceeded(false, TABLE_UNITS_MAX);
            }
            if units > known && units.saturating_add(others) > ACCOUNT_UNITS_MAX {
                return exceeded(true, ACCOUNT_UNITS_MAX);
            }
        }
        Ok(())
    }
}

/// Returns the units of a table and its global indexes, for reads and for writes.
/// Source: developer guide, "Quotas in Amazon DynamoDB": a table's include those of its indexes.
fn units(record: &TableRecord) -> (i64, i64) {
    let indexes = record.visible_indexes().filter(|index| index.kind == IndexKind::Global);
    let throughputs = indexes.map(|index| &index.throughput).chain([&record.throughput]);
    throughputs.fold((0, 0), |(read, write): (i64, i64), throughput| {
        (read.saturating_add(throughput.read), write.saturating_add(throughput.write))
    })
}

fn check_decrease(old: &Throughput, new: &Throughput, now_ms: u64) -> Result<(), Reason> {
    let is_lowered =
        (new.read, new.write) != (0, 0) && (new.read < old.read || new.write < old.write);
    let today = old.decreases_on_day_of(now_ms);
    let Some(last_ms) = old.decreased_at_ms.filter(|_| is_lowered && today >= FREE_DECREASES)
    else {
        return Ok(());
    };
    let next_ms = last_ms + DECREASE_INTERVAL_MS;
    if now_ms >= next_ms {
        return Ok(());
    }
    Err(Reason::Quota(Quota::Decreases { today, last_ms, next_ms }))
}
