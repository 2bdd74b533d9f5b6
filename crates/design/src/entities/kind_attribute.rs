//! The attribute that names the kind of an item: one with a name that tools give it, or any whose few values agree
//! with the skeletons of the keys.

use super::kinds::{KeySkeleton, Names};
use crate::words::is_share;
use std::collections::{BTreeMap, BTreeSet};

/// Names that mean nothing else, in lower case. Source: `ElectroDB` writes `__edb_e__`, DynamoDB Toolbox `_et` and
/// `entity`, Amplify `__typename`, Spring `_class`.
const CERTAIN: [&str; 11] = [
    "__edb_e__",
    "_et",
    "__typename",
    "entity",
    "_entity",
    "entitytype",
    "entity_type",
    "_type",
    "__type",
    "_class",
    "itemtype",
];
/// Names that mean it if the values agree with the keys or with the attributes of the items.
const LIKELY: [&str; 5] = ["type", "kind", "object", "model", "record"];
/// Most kinds that an attribute names.
const VALUES_MAX: usize = 64;

/// Returns whether a name alone says that an attribute may name kinds.
pub(crate) fn is_known_name(name: &str) -> bool {
    CERTAIN.iter().chain(&LIKELY).any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns the attribute that names the kind of an item.
pub(crate) fn find(
    names: &Names<'_>,
    groups: &BTreeMap<KeySkeleton, Vec<usize>>,
) -> Option<String> {
    let texts = names.texts();
    let group_of: BTreeMap<usize, usize> = groups
        .values()
        .enumerate()
        .flat_map(|(group, rows)| rows.iter().map(move |row| (*row, group)))
        .collect();
    let candidates: Vec<Candidate<'_>> =
        texts.iter().filter_map(|(name, values)| Candidate::of(name, values, &group_of)).collect();
    let of_names = |known: &[&str]| {
        let mut named = candidates.iter();
        named.find(|it| {
            known.contains(&it.name.to_ascii_lowercase().as_str())
                && is_share(it.number, names.number(), 50)
        })
    };
    let certain = of_names(&CERTAIN);
    let likely = of_names(&LIKELY).filter(|it| it.agrees(groups, names));
    let other = || {
        let mut others = candidates.iter();
        others.find(|it| it.number == names.number() && it.equals_groups(groups))
    };
    certain.or(likely).or_else(other).map(|it| it.name.to_owned())
}

/// An attribute that may name kinds.
struct Candidate<'n> {
    name: &'n str,
    /// Number of items that have it.
    number: usize,
    /// Items by value.
    values: BTreeMap<&'n str, Vec<usize>>,
    /// Number of items of each value and group of keys.
    met: BTreeMap<(&'n str, usize), usize>,
}

impl<'n> Candidate<'n> {
    fn of(
        name: &'n str,
        texts: &[(usize, &'n str)],
        group_of: &BTreeMap<usize, usize>,
    ) -> Option<Self> {
        let mut values: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, text) in texts {
            values.entry(text).or_default().push(*row);
            if values.len() > VALUES_MAX {
                return None;
            }
        }
        let mut met = BTreeMap::new();
        for (row, text) in texts {
            if let Some(group) = group_of.get(row) {
                *met.entry((*text, *group)).or_default() += 1;
            }
        }
        Some(Self { name, number: texts.len(), values, met })
    }

    /// Returns whether nearly all items of a value have keys of one skeleton, and there are several of these; if all
    /// items of the table have one skeleton, whether the values part items with different attributes.
    fn agrees(&self, groups: &BTreeMap<KeySkeleton, Vec<usize>>, names: &Names<'_>) -> bool {
        if groups.len() == 1 {
            let rows: Vec<&[usize]> = self.values.values().map(Vec::as_slice).collect();
            return self.values.len() > 1 && !names.are_alike(&rows);
        }
        let mut skeletons = BTreeSet::new();
        let is_of_one = self.values.iter().all(|(value, rows)| {
            let of_value = self.met.iter().filter(|((known, _), _)| known == value);
            let most = of_value.max_by_key(|(_, count)| **count);
            skeletons.extend(most.map(|((_, group), _)| *group));
            is_share(most.map_or(0, |(_, count)| *count), rows.len(), 90)
        });
        // Values of one skeleton are an attribute of its items.
        is_of_one && skeletons.len() > 1
    }

    /// Returns whether each value has one skeleton and each skeleton one value.
    fn equals_groups(&self, groups: &BTreeMap<KeySkeleton, Vec<usize>>) -> bool {
        let met: BTreeSet<usize> = self.met.keys().map(|(_, group)| *group).collect();
        groups.len() > 1
            && self.values.len() == groups.len()
            && self.met.len() == groups.len()
            && met.len() == groups.len()
    }
}
