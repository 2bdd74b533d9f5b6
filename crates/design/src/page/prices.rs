//! What a table costs: storage for a month, a read of all of it, and a million reads and writes of each entity.

use crate::entities::{Entities, Entity};
use hashrange_cost::{PriceList, Recording, TableFacts, bill};
use serde::Serialize;

const READ_UNIT_BYTES: f64 = 4096.0;
const WRITE_UNIT_BYTES: f64 = 1024.0;
const MILLION: f64 = 1e6;

/// Prices of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TablePrices {
    /// Region of the price list.
    pub region: String,
    /// The currency.
    pub currency: String,
    /// Storage of items and index entries for a month.
    pub storage_month: f64,
    /// A read of all items, eventually consistent.
    pub scan: f64,
    /// Prices by entity, in their order.
    pub entities: Vec<EntityPrice>,
}

/// Prices of a million requests of items of one entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct EntityPrice {
    /// The entity.
    pub entity: String,
    /// Mean bytes of an item.
    pub item_bytes: f64,
    /// Mean number of indexes that an item is in.
    pub indexes: f64,
    /// A million reads of one item, eventually consistent.
    pub million_reads: f64,
    /// A million writes of a new item, with an entry of the same size in each of its indexes.
    pub million_writes: f64,
}

/// Returns the prices of a table on demand.
pub fn prices(facts: &TableFacts, entities: &Entities, list: &PriceList) -> TablePrices {
    let stored = Recording { tables: vec![facts.clone()], ..Recording::new(0, 0) };
    let of_class = list.of_class(facts.is_infrequent_access);
    let definition = facts.definition.clone().unwrap_or_default();
    let scan_units = exact(definition.table_size_bytes) / READ_UNIT_BYTES / 2.0;
    let of_entity = |entity: &Entity| {
        let item_bytes = exact(entity.bytes) / exact(entity.items.max(1));
        let local = definition.local_secondary_indexes.iter();
        let indexes = local.chain(&definition.global_secondary_indexes).map(|index| {
            let shares = index.key_schema.iter().map(|key| share_with(entity, &key.attribute_name));
            shares.fold(1.0, f64::min)
        });
        let indexes = indexes.fold(0.0, |sum, share| sum + share);
        let reads = (item_bytes / READ_UNIT_BYTES).ceil().max(1.0) / 2.0;
        let writes = (item_bytes / WRITE_UNIT_BYTES).ceil().max(1.0) * (1.0 + indexes);
        EntityPrice {
            entity: entity.name.clone(),
            item_bytes,
            indexes,
            million_reads: of_class.of_requests(reads * MILLION, 0.0),
            million_writes: of_class.of_requests(0.0, writes * MILLION),
        }
    };
    TablePrices {
        region: list.region.clone(),
        currency: list.currency.clone(),
        storage_month: bill(&stored, list).storage_month,
        scan: of_class.of_requests(scan_units, 0.0),
        entities: entities.entities.iter().map(of_entity).collect(),
    }
}

/// Returns the part of an entity's items that have a key attribute.
fn share_with(entity: &Entity, name: &str) -> f64 {
    let key = entity.keys.iter().find(|key| key.attribute == name);
    key.map_or(0.0, |key| exact(key.items) / exact(entity.items.max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "2^53 bytes are more than are stored")]
fn exact(number: u64) -> f64 {
    number as f64
}
