//! Attributes of a kind: types, share of the items, examples.

use crate::words::{count, short};
use hashrange_expr::Literal;
use hashrange_model::Item;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most attributes of a kind that are told.
const ATTRIBUTES_MAX: usize = 100;
/// Most different names that are counted.
const NAMES_MAX: usize = 2000;
/// Most bytes of a value that are written.
const EXAMPLE_BYTES: usize = 200;

/// An attribute of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeSeen {
    /// Its name.
    pub name: String,
    /// Types of its values.
    pub types: Vec<&'static str>,
    /// Part of the kind's items that have it, from 0 to 1.
    pub share: f64,
    /// A value: that of the example item, or else of the first that has it.
    pub example: String,
}

struct Counted<'i> {
    types: BTreeSet<&'static str>,
    items: usize,
    first: &'i Item,
}

/// Returns the attributes of items, the number of those left out, and the item that is the example: the one with the
/// most attributes.
pub(crate) fn of<'i>(rows: &[&'i Item]) -> (Vec<AttributeSeen>, u64, Option<&'i Item>) {
    let mut counted: BTreeMap<&str, Counted<'_>> = BTreeMap::new();
    let mut left_out = BTreeSet::new();
    let mut example: Option<(usize, &Item)> = None;
    for item in rows {
        let mut attributes = 0;
        for (name, value) in item.iter() {
            attributes += 1;
            if counted.len() >= NAMES_MAX && !counted.contains_key(name) {
                if left_out.len() < NAMES_MAX {
                    left_out.insert(name);
                }
                continue;
            }
            let new = || Counted { types: BTreeSet::new(), items: 0, first: item };
            let it = counted.entry(name).or_insert_with(new);
            it.types.insert(value.attribute_type().as_str());
            it.items += 1;
        }
        if example.is_none_or(|(most, _)| attributes > most) {
            example = Some((attributes, item));
        }
    }
    let example = example.map(|(_, item)| item);
    let mut seen: Vec<(&str, Counted<'_>)> = counted.into_iter().collect();
    seen.sort_by(|(one, a), (other, b)| b.items.cmp(&a.items).then_with(|| one.cmp(other)));
    let more = seen.len().saturating_sub(ATTRIBUTES_MAX) + left_out.len();
    let told = seen.into_iter().take(ATTRIBUTES_MAX).map(|(name, it)| {
        let value = example.and_then(|item| item.get(name)).or_else(|| it.first.get(name));
        let text = value.map(|value| format!("{:.EXAMPLE_BYTES$}", Literal(value)));
        AttributeSeen {
            name: name.to_owned(),
            types: it.types.into_iter().collect(),
            share: super::share(it.items, rows.len()),
            example: short(&text.unwrap_or_default()),
        }
    });
    (told.collect(), count(more), example)
}
