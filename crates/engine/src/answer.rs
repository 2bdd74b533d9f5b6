//! Reports of writes for each table: consumed capacity and the metrics of item collections.

use crate::capacity::{Charge, Units};
use crate::schema::Table;
use crate::transaction::{Completed, Outcome, TransactionAction};
use crate::write::Written;
use hashrange_model::Item;
use hashrange_wire::{ConsumedCapacity, ItemCollectionMetrics, Map, ReturnItemCollectionMetrics};
use std::sync::Arc;

const GIB: i64 = 1 << 30;

/// The reports, by table in request order.
#[derive(Debug, Default)]
pub(crate) struct PerTable {
    units: Vec<(String, Arc<Table>, Units)>,
    metrics: Vec<(String, Vec<ItemCollectionMetrics>)>,
}

impl PerTable {
    /// Adds units of the table that the request calls `name`.
    pub(crate) fn add_units(&mut self, name: &str, table: &Arc<Table>, added: &Units) {
        match self.units.iter_mut().find(|(known, ..)| known == name) {
            Some((_, _, units)) => units.add(added),
            None => self.units.push((name.to_owned(), Arc::clone(table), added.clone())),
        }
    }

    /// Adds the item collection of a write if the request asks for it.
    pub(crate) fn add_metrics(
        &mut self,
        asked: Option<ReturnItemCollectionMetrics>,
        name: &str,
        table: &Table,
        key_attributes: &Item,
        written: &Written,
    ) {
        let Some(metrics) = collection_metrics(asked, table, key_attributes, written) else {
            return;
        };
        match self.metrics.iter_mut().find(|(known, _)| known == name) {
            Some((_, listed)) => {
                // One entry for each collection, with its last size.
                listed.retain(|known| known.item_collection_key != metrics.item_collection_key);
                listed.push(metrics);
            }
            None => self.metrics.push((name.to_owned(), vec![metrics])),
        }
    }

    /// Returns the reports of capacity that `report` makes, unless there are none.
    pub(crate) fn consumed(
        &self,
        report: impl Fn(&Units, &str, &Table) -> Option<ConsumedCapacity>,
    ) -> Option<Vec<ConsumedCapacity>> {
        let consumed: Vec<_> = self
            .units
            .iter()
            .filter_map(|(name, table, units)| report(units, name, table))
            .collect();
        (!consumed.is_empty()).then_some(consumed)
    }

    /// Returns the metrics, unless there are none.
    pub(crate) fn into_metrics(self) -> Option<Map<String, Vec<ItemCollectionMetrics>>> {
        (!self.metrics.is_empty()).then(|| Map::from_entries_last_wins(self.metrics))
    }
}

/// Returns the item collection's metrics if the request asks for them and the table has local
/// indexes. The estimate is a range of whole gigabytes.
pub(crate) fn collection_metrics(
    asked: Option<ReturnItemCollectionMetrics>,
    table: &Table,
    key_attributes: &Item,
    written: &Written,
) -> Option<ItemCollectionMetrics> {
    if asked != Some(ReturnItemCollectionMetrics::Size) {
        return None;
    }
    let lower = gigabytes(written.collection_bytes?);
    let partition = &table.record.key.partition;
    // A put item may lack a key attribute that a key template has filled.
    let key_attributes = written.new.as_ref().unwrap_or(key_attributes);
    Some(ItemCollectionMetrics {
        item_collection_key: Some(
            key_attributes.retain(|name| partition.iter().any(|known| known == name)),
        ),
        size_estimate_range_gb: Some(vec![lower, lower + 1.0]),
    })
}

/// Returns the whole GB of a size.
#[expect(clippy::cast_precision_loss, reason = "2^53 GB are more than counters can hold")]
fn gigabytes(bytes: i64) -> f64 {
    (bytes / GIB) as f64
}

/// Returns a transaction's reports by table, and the kind of charge.
pub(crate) fn charged(
    actions: &[TransactionAction],
    completed: &Completed,
    metrics: Option<ReturnItemCollectionMetrics>,
) -> (PerTable, Charge) {
    let mut reports = PerTable::default();
    let (charge, units) = completed.outcome.units();
    let named = || actions.iter().zip(&completed.tables);
    for ((action, table), units) in named().zip(&units) {
        reports.add_units(&action.table_name, table, units);
    }
    if let Outcome::Written(written) = &completed.outcome {
        for ((action, table), written) in named().zip(written).filter(|((it, _), _)| it.is_write())
        {
            let (name, key) = (&action.table_name, action.key_attributes());
            reports.add_metrics(metrics, name, table, key, written);
        }
    }
    (reports, charge)
}
