//! Items divided into kinds: by the attribute that names the kind, else by the skeletons of their keys.

use super::KeyAttribute;
use super::kind_attribute;
use super::skeleton::{Skeleton, skeletons};
use crate::words::is_share;
use hashrange_model::{Item, ValueRef};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: String,
    /// Value of the attribute that names it.
    pub(crate) value: Option<String>,
    /// Its items, as offsets, in their order.
    pub(crate) rows: Vec<usize>,
}

/// Items divided into kinds.
pub(crate) struct Kinds {
    /// Attribute that names the kind.
    pub(crate) told_by: Option<String>,
    /// The kinds, the most frequent first.
    pub(crate) told: Vec<Kind>,
    /// Items of no kind.
    pub(crate) others: Vec<usize>,
}

/// Names of the attributes of items, without those of the table's key.
pub(crate) struct Names<'i> {
    items: &'i [Item],
    keys: BTreeSet<&'i str>,
}

impl<'i> Names<'i> {
    fn of(keys: &'i [KeyAttribute], items: &'i [Item]) -> Self {
        let of_table = keys.iter().filter(|key| key.of_table.is_some());
        Self { items, keys: of_table.map(|key| key.name.as_str()).collect() }
    }

    /// Returns the attributes that at least half of some items have.
    fn usual(&self, rows: &[usize]) -> BTreeSet<&'i str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in rows.iter().filter_map(|row| self.items.get(*row)) {
            for (name, _) in item.iter().filter(|(name, _)| !self.keys.contains(name)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        counts.retain(|_, count| is_share(*count, rows.len(), 50));
        counts.into_keys().collect()
    }

    /// Returns whether all groups of items have mostly the same attributes. Without attributes nobody knows.
    pub(crate) fn are_alike(&self, groups: &[&[usize]]) -> bool {
        let mut groups = groups.iter().map(|rows| self.usual(rows));
        let Some(first) = groups.next().filter(|names| !names.is_empty()) else { return false };
        groups.all(|names| {
            let (both, all) = (names.intersection(&first).count(), names.union(&first).count());
            is_share(both, all, 70)
        })
    }

    /// Returns whether groups of items are known to have different attributes.
    pub(crate) fn differ(&self, groups: &[&[usize]]) -> bool {
        groups.iter().any(|rows| !self.usual(rows).is_empty()) && !self.are_alike(groups)
    }

    /// Returns whether an attribute of each of some items has this text.
    pub(crate) fn holds(&self, rows: &[usize], text: &str) -> bool {
        rows.iter().filter_map(|row| self.items.get(*row)).all(|item| {
            item.iter().any(|(_, value)| matches!(value, ValueRef::S(known) if known == text))
        })
    }
}

/// Divides the items of a table into kinds.
pub(crate) fn divide(table: &str, keys: &[KeyAttribute], items: &[Item]) -> Kinds {
    let names = Names::of(keys, items);
    let groups = by_skeleton(keys, &names);
    let told_by = kind_attribute::find(&names, &groups);
    let (mut kinds, others) = match &told_by {
        Some(attribute) => by_value(attribute, groups, items),
        None => by_keys(table, groups, items.len()),
    };
    kinds.sort_by(|one, other| {
        other.rows.len().cmp(&one.rows.len()).then_with(|| one.name.cmp(&other.name))
    });
    Kinds { told_by, told: kinds, others }
}

/// Skeletons of the attributes of a table's key.
pub(crate) type KeySkeleton = Vec<Skeleton>;

/// Returns the items by the skeletons of the table's key.
fn by_skeleton(keys: &[KeyAttribute], names: &Names<'_>) -> BTreeMap<KeySkeleton, Vec<usize>> {
    let of_table = keys.iter().filter(|key| key.of_table.is_some());
    let columns: Vec<BTreeMap<usize, Skeleton>> = of_table
        .map(|key| {
            let rows = names.items.iter().enumerate();
            let values = rows.filter_map(|(row, item)| match item.get(&key.name)? {
                ValueRef::S(text) => Some((row, text)),
                _ => None,
            });
            skeletons(&values.collect::<Vec<_>>(), names, key.of_table == Some("HASH"))
        })
        .collect();
    let mut groups: BTreeMap<KeySkeleton, Vec<usize>> = BTreeMap::new();
    for row in 0..names.items.len() {
        let of_row = columns.iter().map(|column| column.get(&row).cloned().unwrap_or_default());
        groups.entry(of_row.collect()).or_default().push(row);
    }
    groups
}

/// Returns a kind for each value of an attribute. Items without it are of the kind whose keys look like theirs.
fn by_value(
    attribute: &str,
    groups: BTreeMap<KeySkeleton, Vec<usize>>,
    items: &[Item],
) -> (Vec<Kind>, Vec<usize>) {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut others = Vec::new();
    for rows in groups.into_values() {
        let value = |row: &usize| match items.get(*row)?.get(attribute)? {
            ValueRef::S(text) => Some(text),
            _ => None,
        };
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        rows.iter().filter_map(value).for_each(|it| *counts.entry(it).or_default() += 1);
        let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(it, _)| it);
        for row in rows {
            match value(&row).or(most) {
                Some(kind) => kinds.entry(kind).or_default().push(row),
                None => others.push(row),
            }
        }
    }
    let kinds = kinds.into_iter().map(|(value, mut rows)| {
        rows.sort_unstable();
        Kind { name: value.to_owned(), value: Some(value.to_owned()), rows }
    });
    (kinds.collect(), others)
}

/// Returns a kind for each skeleton of keys.
fn by_keys(
    table: &str,
    groups: BTreeMap<KeySkeleton, Vec<usize>>,
    all: usize,
) -> (Vec<Kind>, Vec<usize>) {
    let (mut kinds, mut others) = (Vec::<Kind>::new(), Vec::new());
    let has_literals = groups.keys().any(|skeleton| !literals(skeleton).is_empty());
    for (skeleton, rows) in groups {
        let literals = literals(&skeleton);
        // Among items whose keys name their kind, a few that do not are of none.
        if literals.is_empty() && has_literals && !is_share(rows.len(), all, 5) {
            others.extend(rows);
            continue;
        }
        let name = if literals.is_empty() { table.to_owned() } else { literals.join(" ") };
        match kinds.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => kind.rows.extend(rows),
            None => kinds.push(Kind { name, value: None, rows }),
        }
    }
    for kind in &mut kinds {
        kind.rows.sort_unstable();
    }
    (kinds, others)
}

/// Returns the literals of a key, each once.
fn literals(skeleton: &KeySkeleton) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for literal in skeleton.iter().flat_map(|one| one.pieces.iter().flatten()) {
        if !found.contains(&literal.as_str()) {
            found.push(literal);
        }
    }
    found
}

impl<'i> Names<'i> {
    /// Returns the values of each text attribute that is not in the table's key, by row.
    pub(crate) fn texts(&self) -> BTreeMap<&'i str, Vec<(usize, &'i str)>> {
        let mut texts: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for (row, item) in self.items.iter().enumerate() {
            for (name, value) in item.iter() {
                if let ValueRef::S(text) = value
                    && !self.keys.contains(name)
                {
                    texts.entry(name).or_default().push((row, text));
                }
            }
        }
        texts
    }

    /// Returns the number of items.
    pub(crate) fn number(&self) -> usize {
        self.items.len()
    }
}
