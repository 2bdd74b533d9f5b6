//! Attributes of a table's items: names, types, sizes and numbers of distinct values in a bounded sample. No value is
//! shown.
//!
//! Left to others: the choice of the sample (`looking.rs`).

use super::looking::{self, Budget, Looked};
use crate::engine::Engine;
use crate::index::counts;
use crate::schema::IndexId;
use hashrange_model::{ApiResult, Item, ValueRef};
use hashrange_storage::Store;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Most attributes in the answer: those that most items have.
const TOLD_MAX: usize = 100;
/// Most attributes examined: items may have thousands, each its own.
const LOOKED_AT_MAX: usize = 10_000;

/// The attributes of a sample of items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Number of items sampled.
    pub items: usize,
    /// Bytes of these items.
    pub bytes: usize,
    /// Whether the table has no others.
    pub is_all: bool,
    /// Attributes by name: of more than a hundred those that most items have.
    pub attributes: Vec<Attribute>,
}

/// An attribute in a sample of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The types of its values, such as `S`.
    pub types: Vec<&'static str>,
    /// Number of items that have it.
    pub items: usize,
    /// Bytes of name and value in all of them.
    pub bytes: usize,
    /// Number of distinct values, of scalar types alone.
    pub distinct: usize,
    /// Number of items with the most frequent of these.
    pub most: usize,
}

#[derive(Debug, Default)]
struct AttributeStats {
    types: BTreeSet<&'static str>,
    items: usize,
    bytes: usize,
    /// Number of items by hash of the scalar value.
    values: BTreeMap<u64, usize>,
}

impl<S: Store> Engine<S> {
    /// Returns the attributes of a table's items, by a bounded sample.
    pub async fn sample_attributes(&self, table_name: &str) -> ApiResult<Attributes> {
        let table = self.table(table_name)?;
        let view = self.core().view().await?;
        let held = counts(&view, &table.record, IndexId::BASE).await?;
        let mut stats = Stats::default();
        let look = |_, item: &Item| stats.add(item);
        let looked = looking::at_table(&view, &table, held, Budget::OF_ATTRIBUTES, look).await?;
        Ok(stats.told(looked == Looked::All))
    }
}

/// Statistics of items.
#[derive(Debug, Default)]
struct Stats {
    items: usize,
    bytes: usize,
    attributes: BTreeMap<String, AttributeStats>,
}

impl Stats {
    fn add(&mut self, item: &Item) {
        self.items += 1;
        self.bytes += item.size();
        for (name, value) in item.iter() {
            let is_full = self.attributes.len() >= LOOKED_AT_MAX;
            let of_name = match self.attributes.get_mut(name) {
                Some(known) => known,
                None if is_full => continue,
                None => self.attributes.entry(name.to_owned()).or_default(),
            };
            of_name.types.insert(value.attribute_type().as_str());
            of_name.items += 1;
            of_name.bytes += name.len() + value.size();
            if let Some(hash) = scalar_hash(value) {
                *of_name.values.entry(hash).or_default() += 1;
            }
        }
    }

    fn told(self, is_all: bool) -> Attributes {
        let mut attributes: Vec<Attribute> = self
            .attributes
            .into_iter()
            .map(|(name, stats)| Attribute {
                name,
                types: stats.types.into_iter().collect(),
                items: stats.items,
                bytes: stats.bytes,
                distinct: stats.values.len(),
                most: stats.values.into_values().max().unwrap_or(0),
            })
            .collect();
        attributes
            .sort_by(|one, other| other.items.cmp(&one.items).then(one.name.cmp(&other.name)));
        attributes.truncate(TOLD_MAX);
        attributes.sort_by(|one, other| one.name.cmp(&other.name));
        Attributes { items: self.items, bytes: self.bytes, is_all, attributes }
    }
}

fn scalar_hash(value: ValueRef<'_>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match value {
        ValueRef::S(text) => text.hash(&mut hasher),
        ValueRef::N(number) => number.to_number().to_string().hash(&mut hasher),
        ValueRef::B(bytes) => bytes.hash(&mut hasher),
        _ => return None,
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::{AttributeValue, Item};

    fn attributes(items: &[Item]) -> Attributes {
        let mut stats = Stats::default();
        for item in items {
            stats.add(item);
        }
        stats.told(false)
    }

    fn item(attributes: &[(&str, AttributeValue)]) -> Item {
        Item::from_attributes(attributes.iter().map(|(name, value)| (*name, value.clone())))
    }

    #[test]
    fn names_types_and_sizes_are_told_and_no_values() {
        let items = [
            item(&[("pk", "a".into()), ("state", "OPEN".into()), ("tags", AttributeValue::Null)]),
            item(&[("pk", "b".into()), ("state", "OPEN".into())]),
            item(&[("pk", "c".into()), ("state", 7.into())]),
        ];
        let told = attributes(&items);
        let rows: Vec<_> = told
            .attributes
            .iter()
            .map(|it| (&*it.name, it.types.join(","), it.items, it.distinct, it.most))
            .collect();
        assert_eq!(
            rows,
            [
                ("pk", "S".to_owned(), 3, 3, 1),
                ("state", "N,S".to_owned(), 3, 2, 2),
                ("tags", "NULL".to_owned(), 1, 0, 0),
            ]
        );
        let sum: usize = told.attributes.iter().map(|it| it.bytes).sum();
        assert_eq!((told.items, sum), (3, told.bytes));
    }

    #[test]
    fn of_many_attributes_the_most_frequent_are_told() {
        let mut all: Vec<Item> = (0..TOLD_MAX + 5)
            .map(|nth| item(&[("pk", "a".into()), (&format!("n{nth}"), "x".into())]))
            .collect();
        all.push(item(&[("zz", "a".into())]));
        all.push(item(&[("zz", "b".into())]));
        let told = attributes(&all);
        assert_eq!(told.attributes.len(), TOLD_MAX);
        assert!(["pk", "zz"].iter().all(|name| told.attributes.iter().any(|it| it.name == *name)));
    }
}
