//! Siblings: components of sort keys after the same beginning, in one item collection. A Query
//! returns them in their order.

use crate::DELIMITER;
use crate::design::{Item, Scalar, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Components after one beginning.
#[derive(Debug, Clone, Default)]
pub(crate) struct Siblings {
    /// Attribute that they are components of.
    pub(crate) attribute: String,
    /// Beginning of the key before them, its last delimiter included.
    pub(crate) before: String,
    /// The components, none twice.
    pub(crate) components: BTreeSet<String>,
    /// Components that end a key.
    pub(crate) ending: BTreeSet<String>,
    /// Components that others follow.
    pub(crate) going_on: BTreeSet<String>,
    /// True if the attribute is a number, which has one component.
    pub(crate) is_number: bool,
}

/// A collection, the attribute, true for a number, and the beginning.
type SiblingsKey = (Vec<String>, String, bool, String);

impl Siblings {
    /// Returns all siblings in the sort keys of a table or index.
    pub(crate) fn all(source: &Source, items: &[Item]) -> Vec<Self> {
        let mut found: BTreeMap<SiblingsKey, Self> = BTreeMap::new();
        for item in items {
            add(source, item, &mut found);
        }
        found.into_values().collect()
    }

    /// Returns the beginning of a key up to and with a component.
    pub(crate) fn key(&self, component: &str) -> String {
        format!("{}{component}", self.before)
    }
}

fn add(source: &Source, item: &Item, found: &mut BTreeMap<SiblingsKey, Siblings>) {
    let keys: Option<Vec<&Scalar>> =
        source.partition.iter().chain(&source.sort).map(|name| item.get(name)).collect();
    // An item without all keys is not in the index.
    let Some(keys) = keys else { return };
    let (partition, sort) = keys.split_at(source.partition.len());
    let mut collection: Vec<String> = partition.iter().map(|key| key.text().to_owned()).collect();
    for (name, value) in source.sort.iter().zip(sort) {
        let is_number = matches!(value, Scalar::N(_));
        let mut before = String::new();
        let mut components = components(value).into_iter().peekable();
        while let Some(component) = components.next() {
            let place = (collection.clone(), name.clone(), is_number, before.clone());
            let siblings = found.entry(place).or_insert_with(|| Siblings {
                attribute: name.clone(),
                before: before.clone(),
                is_number,
                ..Siblings::default()
            });
            siblings.components.insert(component.to_owned());
            let is_last = components.peek().is_none();
            let place = if is_last { &mut siblings.ending } else { &mut siblings.going_on };
            place.insert(component.to_owned());
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
