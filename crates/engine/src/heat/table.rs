//! The table `sys.heat`, whose items are made from the book at every read. A stored table of this
//! name takes precedence; while no table is watched `sys.heat` does not exist.
//!
//! Left to others: its items (`rows.rs`), and its readers (`engine/`).

use crate::schema::{Billing, KeyNames, KeyType, Table, TableId, TableRecord, Tags, Throughput};
use std::sync::Arc;

/// Name of the table.
pub(crate) const NAME: &str = "sys.heat";
/// Partition key: a table, or `TABLE/INDEX`.
pub(super) const PLACE: &str = "table";
/// Sort key.
pub(super) const SORT: &str = "heat";

/// Number of the table, which no other table has: those count upwards.
const ID: TableId = TableId(u32::MAX);

/// Returns the table.
pub(super) fn table() -> Arc<Table> {
    Arc::new(Table::new(TableRecord {
        version: TableRecord::VERSION,
        id: ID,
        name: NAME.to_owned(),
        uuid: "00000000-0000-0000-0000-000000000000".to_owned(),
        created_at_ms: 0,
        definitions: vec![(PLACE.to_owned(), KeyType::S), (SORT.to_owned(), KeyType::S)],
        key: KeyNames { partition: vec![PLACE.to_owned()], sort: vec![SORT.to_owned()] },
        indexes: Vec::new(),
        next_index_id: 1,
        billing: Billing::PayPerRequest,
        on_demand_since_ms: None,
        throughput: Throughput::default(),
        on_demand: None,
        warm: None,
        protected: true,
        class: None,
        encryption: None,
        tags: Tags::new(),
        stream: None,
        time_to_live: None,
        key_templates: Vec::new(),
        undoing: Vec::new(),
        history: None,
        versions: None,
        insights: Vec::new(),
        replicates_settings: None,
    }))
}

/// Returns whether a table is `sys.heat`.
pub(crate) fn is_heat(table: &Table) -> bool {
    table.id() == ID
}
