//! What the answer to several writes reports for each table: consumed capacity and the metrics of
//! item collections.

use super::condition::collection_metrics;
use crate::capacity::Units;
use crate::schema::Table;
use crate::write::Written;
use hashrange_model::Item;
use hashrange_wire::{ConsumedCapacity, ItemCollectionMetrics, Map, ReturnItemCollectionMetrics};
use std::sync::Arc;

/// The reports, by table in request order.
#[derive(Debug, Default)]
pub(super) struct PerTable {
    units: Vec<(String, Arc<Table>, Units)>,
    metrics: Vec<(String, Vec<ItemCollectionMetrics>)>,
}

impl PerTable {
    /// Adds units of the table that the request calls `name`.
    pub(super) fn add_units(&mut self, name: &str, table: &Arc<Table>, added: &Units) {
        match self.units.iter_mut().find(|(known, ..)| known == name) {
            Some((_, _, units)) => units.add(added),
            None => self.units.push((name.to_owned(), Arc::clone(table), added.clone())),
        }
    }

    /// Adds the item collection of a write if the request asks for it.
    pub(super) fn add_metrics(
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
    pub(super) fn consumed(
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
    pub(super) fn into_metrics(self) -> Option<Map<String, Vec<ItemCollectionMetrics>>> {
        (!self.metrics.is_empty()).then(|| Map::from_entries_last_wins(self.metrics))
    }
}
