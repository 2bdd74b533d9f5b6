//! Consumed capacity: units of reads and writes, and the shapes in which answers report them.
//!
//! Source: DynamoDB developer guide, "DynamoDB read and write operations"; those of indexes as
//! captured in 2026.

use crate::schema::{IndexKind, Table};
use hashrange_model::limits::{READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use hashrange_wire::{Capacity, ConsumedCapacity, Map, ReturnConsumedCapacity};

/// Default quotas. Source: developer guide, "Quotas in Amazon DynamoDB".
pub(crate) const ACCOUNT_UNITS_MAX: i64 = 80_000;
pub(crate) const TABLE_UNITS_MAX: i64 = 40_000;

/// Returns the units of reading `bytes` at once: half a unit for each 4 KB, twice that if
/// consistent; reading nothing costs as much as reading one byte.
pub(crate) fn read_units(bytes: usize, consistent: bool) -> f64 {
    let units = whole(bytes.div_ceil(READ_UNIT_BYTES).max(1));
    if consistent { units } else { units / 2.0 }
}

/// Returns the units of writing an image of `bytes`.
pub(crate) fn write_units(bytes: usize) -> f64 {
    whole(bytes.div_ceil(WRITE_UNIT_BYTES).max(1))
}

#[expect(clippy::cast_precision_loss, reason = "no request uses 2^53 units")]
fn whole(units: usize) -> f64 {
    units as f64
}

/// Kind of charged units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Charge {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Charge {
    /// Returns the units per second that one partition serves.
    /// Source: DynamoDB developer guide, "Partitions".
    pub(crate) fn partition_rate(self) -> u32 {
        match self {
            Self::Read => 3000,
            Self::Write => 1000,
        }
    }
}

/// Units used by one request on one table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Units {
    /// On the table itself.
    pub(crate) table: f64,
    /// On each index touched: its offset among the table's indexes, and units.
    pub(crate) indexes: Vec<(usize, f64)>,
}

impl Units {
    /// Returns units on the table alone.
    pub(crate) fn of_table(table: f64) -> Self {
        Self { table, indexes: Vec::new() }
    }

    /// Returns the units for the book of hot keys.
    pub(crate) fn as_heat(&self) -> (f64, &[(usize, f64)]) {
        (self.table, &self.indexes)
    }

    /// Adds units of an index.
    pub(crate) fn add_index(&mut self, nth: usize, units: f64) {
        match self.indexes.iter_mut().find(|(known, _)| *known == nth) {
            Some((_, sum)) => *sum += units,
            None => self.indexes.push((nth, units)),
        }
    }

    /// Raises the units of the read table or index to at least `least`.
    pub(crate) fn raise(&mut self, least: f64) {
        match &mut self.indexes[..] {
            [] => self.table = self.table.max(least),
            [(_, units), ..] => *units = units.max(least),
        }
    }

    /// Adds the units of another request on the same table.
    pub(crate) fn add(&mut self, other: &Self) {
        self.table += other.table;
        for (nth, units) in &other.indexes {
            self.add_index(*nth, *units);
        }
    }

    /// Returns the report that `mode` asks for; `table_name` as the request named the table.
    pub(crate) fn report(
        &self,
        mode: Option<ReturnConsumedCapacity>,
        table_name: &str,
        table: &Table,
    ) -> Option<ConsumedCapacity> {
        let with_indexes = match mode? {
            ReturnConsumedCapacity::None => return None,
            ReturnConsumedCapacity::Total => false,
            ReturnConsumedCapacity::Indexes => true,
        };
        let total = self.table + self.indexes.iter().map(|(_, units)| units).sum::<f64>();
        let mut consumed = ConsumedCapacity {
            table_name: Some(table_name.to_owned()),
            capacity_units: Some(total),
            ..ConsumedCapacity::default()
        };
        if with_indexes {
            consumed.table = Some(capacity(self.table));
            consumed.local_secondary_indexes = self.of_indexes(table, IndexKind::Local);
            consumed.global_secondary_indexes = self.of_indexes(table, IndexKind::Global);
        }
        Some(consumed)
    }

    /// Returns the report of a transaction, which also says whether it is of reads or of writes.
    pub(crate) fn report_of_transaction(
        &self,
        mode: Option<ReturnConsumedCapacity>,
        table_name: &str,
        table: &Table,
        charge: Charge,
    ) -> Option<ConsumedCapacity> {
        let mut consumed = self.report(mode, table_name, table)?;
        match charge {
            Charge::Read => consumed.read_capacity_units = consumed.capacity_units,
            Charge::Write => consumed.write_capacity_units = consumed.capacity_units,
        }
        if let Some(of_table) = &mut consumed.table {
            match charge {
                Charge::Read => of_table.read_capacity_units = of_table.capacity_units,
                Charge::Write => of_table.write_capacity_units = of_table.capacity_units,
            }
        }
        Some(consumed)
    }

    fn of_indexes(&self, table: &Table, kind: IndexKind) -> Option<Map<String, Capacity>> {
        let capacities: Map<String, Capacity> = self
            .indexes
            .iter()
            .filter_map(|(nth, units)| Some((table.indexes.get(*nth)?, *units)))
            .filter(|(index, _)| index.kind == kind)
            .map(|(index, units)| (index.name.clone(), capacity(units)))
            .collect();
        (!capacities.is_empty()).then_some(capacities)
    }
}

fn capacity(units: f64) -> Capacity {
    Capacity { capacity_units: Some(units), ..Capacity::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_round_up() {
        for (bytes, consistent, units) in [
            (0, false, 0.5),
            (0, true, 1.0),
            (4096, true, 1.0),
            (4097, true, 2.0),
            (4097, false, 1.0),
            (8193, false, 1.5),
        ] {
            assert!((read_units(bytes, consistent) - units).abs() < f64::EPSILON);
        }
        for (bytes, units) in [(0, 1.0), (1024, 1.0), (1025, 2.0), (409_600, 400.0)] {
            assert!((write_units(bytes) - units).abs() < f64::EPSILON);
        }
    }
}
