//! Partitions that have too much of a table or index.

use crate::design::{Item, Scalar, Source, SourceKind, Table};
use crate::finding::{Finding, Rule};
use std::collections::BTreeMap;

/// Fewest entries of an index that has one partition key.
const SINGLE_MIN: usize = 8;
/// Items that have to be in such an index, in a hundred: a sparse one is small on purpose.
const SINGLE_PERCENT: usize = 25;
/// Fewest entries, and fewest partitions, of which one can have most.
const ENTRIES_MIN: usize = 24;
const PARTITIONS_MIN: usize = 4;
/// Entries of the largest one, in a hundred.
const DOMINANT_PERCENT: usize = 60;

/// Returns the sources of which one partition has all entries, or most of them.
pub(crate) fn check(table: &Table, items: &[Item]) -> Vec<Finding> {
    let sources = table.sources.iter().filter(|source| source.kind != SourceKind::Local);
    sources.filter_map(|source| of_source(table, source, items)).collect()
}

type Key<'i> = Vec<&'i Scalar>;

fn of_source(table: &Table, source: &Source, items: &[Item]) -> Option<Finding> {
    let attribute = source.partition.first()?;
    let mut partitions: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (nth, item) in items.iter().enumerate().filter(|(_, item)| source.has(item)) {
        let key = source.partition.iter().filter_map(|name| item.get(name)).collect();
        partitions.entry(key).or_default().push(nth);
    }
    let total: usize = partitions.values().map(Vec::len).sum();
    let (key, rows) = partitions.iter().max_by_key(|(_, rows)| rows.len())?;
    let most = rows.len();
    let key: Vec<&str> = key.iter().map(|value| value.text()).collect();
    let key = key.join(", ");
    let finding = if partitions.len() == 1 {
        is_single(table, source, items, total).then(|| single(key, total))
    } else {
        let is_dominant = most * 100 >= total * DOMINANT_PERCENT;
        let is_shown = total >= ENTRIES_MIN && partitions.len() >= PARTITIONS_MIN;
        (is_dominant && is_shown).then(|| dominant(key, most, total, partitions.len()))
    };
    let finding = finding?.shown_by(rows.iter().copied());
    Some(finding.of(&table.name, source, attribute))
}

/// Returns whether an index with one partition key was not meant to be small, and is no copy of a
/// sample that has one partition only.
fn is_single(table: &Table, source: &Source, items: &[Item], total: usize) -> bool {
    let Some(base) = table.sources.first() else { return false };
    let first = |item: &Item| base.partition.first().and_then(|name| item.get(name).cloned());
    let one = items.first().and_then(first);
    let is_of_one = items.iter().all(|item| first(item) == one);
    source.kind == SourceKind::Global
        && source.partition != base.partition
        && !is_of_one
        && total >= SINGLE_MIN
        && total * 100 >= items.len() * SINGLE_PERCENT
}

fn single(key: String, total: usize) -> Finding {
    let evidence = format!(
        "all {total} entries have the partition key {key}: the index gives 1,000 writes a second at most, \
         and throttles the table beyond"
    );
    Finding::new(Rule::SinglePartitionIndex, evidence, vec![key])
}

fn dominant(key: String, most: usize, total: usize, partitions: usize) -> Finding {
    let evidence = format!(
        "{key} has {most} of {total} entries, {} % of all in one of {partitions} partitions: it reaches the \
         limit of a partition while the others are idle",
        most * 100 / total
    );
    Finding::new(Rule::DominantPartition, evidence, vec![key])
}
