//! Keys of global indexes that are concatenated from other attributes of the same items.

use crate::DELIMITER;
use crate::design::{Item, Source, SourceKind, Table};
use crate::finding::{Finding, Rule};

/// Fewest items that have to show it.
const SHOWN_MIN: usize = 5;

/// Returns the sort keys of global indexes whose every component is another attribute, in all
/// items.
pub(crate) fn check(table: &Table, items: &[Item]) -> Vec<Finding> {
    let global = table.sources.iter().filter(|source| source.kind == SourceKind::Global);
    global.filter_map(|source| of_index(table, source, items)).collect()
}

fn of_index(table: &Table, source: &Source, items: &[Item]) -> Option<Finding> {
    let [key] = &source.sort[..] else { return None };
    let within: Vec<&Item> = items
        .iter()
        .filter(|item| {
            source.partition.iter().chain(&source.sort).all(|name| item.contains_key(name))
        })
        .collect();
    if within.len() < SHOWN_MIN {
        return None;
    }
    let parts: Vec<&str> = within.first()?.get(key)?.text().split(DELIMITER).collect();
    if parts.len() < 2 {
        return None;
    }
    let attributes: Option<Vec<&String>> =
        (0..parts.len()).map(|nth| component(&within, source, key, nth, parts.len())).collect();
    let attributes = attributes?;
    let names: Vec<&str> = attributes.iter().map(|name| name.as_str()).collect();
    let evidence = format!("{key} is {} in all {} items looked at", names.join("#"), within.len());
    let examples = vec![within.first()?.get(key)?.text().to_owned()];
    Some(Finding::new(Rule::ConcatenatedKey, evidence, examples).of(&table.name, source, key))
}

/// Returns the attribute that equals the n-th component of a key in all items.
fn component<'i>(
    items: &[&'i Item],
    source: &Source,
    key: &str,
    nth: usize,
    count: usize,
) -> Option<&'i String> {
    let is_it = |item: &Item, name: &String| {
        let parts: Option<Vec<&str>> =
            item.get(key).map(|key| key.text().split(DELIMITER).collect());
        parts.is_some_and(|parts| {
            parts.len() == count
                && item.get(name).is_some_and(|value| parts.get(nth) == Some(&value.text()))
        })
    };
    let mut names = items.first()?.keys().filter(|name| !source.holds(name));
    names.find(|name| items.iter().all(|item| is_it(item, name)))
}
