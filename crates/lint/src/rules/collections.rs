//! Item collections that come near a limit.

use crate::design::{Collection, Item, SourceKind, Table};
use crate::finding::{Finding, Rule};

/// Limit of an item collection in a table with local indexes, in bytes. Source: developer guide,
/// "Item collections".
const MAX_BYTES: u64 = 10 << 30;
/// Smallest collection that is reported, in bytes.
pub const LARGE_COLLECTION_BYTES: u64 = 8 << 30;

/// Returns the collections that are near the limit.
pub(crate) fn check(table: &Table, items: &[Item], collections: &[Collection]) -> Vec<Finding> {
    let has_local = table.sources.iter().any(|source| source.kind == SourceKind::Local);
    let large = collections
        .iter()
        .filter(|collection| has_local && collection.bytes >= LARGE_COLLECTION_BYTES);
    large
        .map(|collection| {
            let evidence = format!(
                "{} items have {} bytes, and a table with local indexes allows {MAX_BYTES}",
                collection.items, collection.bytes
            );
            let examples = vec![collection.partition.clone()];
            let base = table.sources.first().and_then(|base| base.partition.first());
            let has = |item: &Item| {
                let value = base.and_then(|name| item.get(name));
                value.is_some_and(|value| value.text() == collection.partition)
            };
            let within = items.iter().enumerate().filter(|(_, item)| has(item)).map(|(nth, _)| nth);
            let finding = Finding::new(Rule::LargeCollection, evidence, examples);
            finding.shown_by(within).of_table(&table.name, None)
        })
        .collect()
}
