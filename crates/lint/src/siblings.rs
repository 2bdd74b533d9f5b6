//! Components of sort keys that stand beside each other: what follows the same beginning, in one item
//! collection. Their order is what a Query shows.

use crate::DELIMITER;
use crate::design::{Item, Scalar, Source};
use std::collections::{BTreeMap, BTreeSet};

/// What follows one beginning.
#[derive(Debug, Clone)]
pub(crate) struct Siblings {
    /// The attribute that they are components of.
    pub(crate) attribute: String,
    /// What stands before them, its last delimiter included.
    pub(crate) before: String,
    /// The components, none twice.
    pub(crate) components: BTreeSet<String>,
    /// Whether the attribute is a number, which has one component.
    pub(crate) is_number: bool,
}

/// A collection, the attribute, whether it is a number, and what stands before.
type Place = (Vec<String>, String, bool, String);

impl Siblings {
    /// Returns all siblings in the sort keys of a table or index.
    pub(crate) fn all(source: &Source, items: &[Item]) -> Vec<Self> {
        let mut found: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
        for item in items {
            add(source, item, &mut found);
        }
        found
            .into_iter()
            .map(|((_, attribute, is_number, before), components)| Self {
                attribute,
                before,
                components,
                is_number,
            })
            .collect()
    }

    /// Returns a component with what stands before it, as it begins a key.
    pub(crate) fn key(&self, component: &str) -> String {
        format!("{}{component}", self.before)
    }
}

fn add(source: &Source, item: &Item, found: &mut BTreeMap<Place, BTreeSet<String>>) {
    let keys: Option<Vec<&Scalar>> =
        source.partition.iter().chain(&source.sort).map(|name| item.get(name)).collect();
    // An item without all keys is not in the index.
    let Some(keys) = keys else { return };
    let (partition, sort) = keys.split_at(source.partition.len());
    let mut collection: Vec<String> = partition.iter().map(|key| key.text().to_owned()).collect();
    for (name, value) in source.sort.iter().zip(sort) {
        let is_number = matches!(value, Scalar::N(_));
        let mut before = String::new();
        for component in components(value) {
            let place = (collection.clone(), name.clone(), is_number, before.clone());
            found.entry(place).or_default().insert(component.to_owned());
            before.push_str(component);
            before.push(DELIMITER);
        }
        collection.push(value.text().to_owned());
    }
}

fn components(value: &Scalar) -> Vec<&str> {
    match value {
        Scalar::S(text) => text.split(DELIMITER).collect(),
        Scalar::N(text) => vec![text],
    }
}
