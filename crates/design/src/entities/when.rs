//! Conditions of templates: on the items that have an index key, and on the items of one kind.

use hashrange_expr::KeyTemplate;
use hashrange_model::{Item, ValueRef};
use std::collections::{BTreeMap, BTreeSet};

/// Most values of an attribute in a condition.
const VALUES_MAX: usize = 8;
/// Most attributes of an item that may be in a condition.
const NAMES_MAX: usize = 50;
/// Fewest items that show a condition.
const ITEMS_MIN: usize = 4;

/// Returns a name as templates write it: as it is, or in double quotes.
pub(crate) fn name(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    let is_taken = is_plain && KeyTemplate::parse(&format!("x = \"y\" when {name} = 'z'")).is_ok();
    if is_taken && name != "owns" {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a text as conditions write it.
pub(crate) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns the condition that just those items meet which have an attribute: another is there, or has some of its
/// few values.
pub(crate) fn presence(rows: &[&Item], attribute: &str) -> Option<String> {
    if rows.len() < ITEMS_MIN {
        return None;
    }
    let (having, lacking): (Vec<&Item>, Vec<&Item>) =
        rows.iter().partition(|item| item.get(attribute).is_some());
    let first = having.first()?;
    let names = first.iter().map(|(name, _)| name).filter(|name| *name != attribute);
    let mut names = names.take(NAMES_MAX);
    let by_value = names.find_map(|name| by_value(name, &having, &lacking));
    by_value.or_else(|| marker(&having, &lacking, &BTreeSet::from([attribute])))
}

/// Returns the condition that an attribute is there, if all of some items and none of the others have it.
pub(crate) fn marker(
    having: &[&Item],
    lacking: &[&Item],
    excluded: &BTreeSet<&str>,
) -> Option<String> {
    let first = having.first()?;
    let names = first.iter().map(|(name, _)| name).filter(|name| !excluded.contains(name));
    let mut names = names.take(NAMES_MAX);
    let found = names.find(|name| {
        having.iter().all(|item| item.get(name).is_some())
            && lacking.iter().all(|item| item.get(name).is_none())
    })?;
    Some(format!("{} IS NOT MISSING", name(found)))
}

/// Returns the condition that an attribute has one of a few values, if its values tell the items apart.
fn by_value(attribute: &str, having: &[&Item], lacking: &[&Item]) -> Option<String> {
    let values = |items: &[&Item]| -> Option<BTreeMap<String, usize>> {
        let mut values = BTreeMap::new();
        for item in items {
            let ValueRef::S(text) = item.get(attribute)? else { return None };
            *values.entry(text.to_owned()).or_default() += 1;
            if values.len() > VALUES_MAX {
                return None;
            }
        }
        Some(values)
    };
    let (these, others) = (values(having)?, values(lacking)?);
    // Values that occur once show nothing.
    let recurs = these.values().sum::<usize>() > these.len()
        || others.values().sum::<usize>() > others.len();
    if !recurs || these.keys().any(|value| others.contains_key(value)) {
        return None;
    }
    let these: Vec<String> = these.keys().map(|value| text(value)).collect();
    Some(format!("{} in [{}]", name(attribute), these.join(", ")))
}
