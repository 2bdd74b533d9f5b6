//! Delimiter in data: an attribute that is a component of a key has it in its value.
//!
//! An attribute is a component if its value, without a delimiter, stands at the same place of the
//! key in most items. A value with a delimiter then shifts all following components by one place.

use crate::DELIMITER;
use crate::design::{Item, Scalar, Table};
use crate::finding::{Finding, Rule};

/// Fewest items that have to show that the attribute is a component.
const SHOWN_MIN: usize = 3;

/// Returns the first such value of each key.
pub(crate) fn check(table: &Table, items: &[Item]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for source in &table.sources {
        for key in source.partition.iter().chain(&source.sort) {
            let names = items.iter().flat_map(|item| item.iter());
            let divided = names.filter(|(name, value)| is_divided(value) && !table.is_key(name));
            let mut names: Vec<&String> = divided.map(|(name, _)| name).collect();
            names.sort();
            names.dedup();
            for name in names {
                let known = |finding: &Finding| finding.attribute.as_ref() == Some(key);
                if !findings.iter().any(known)
                    && let Some(finding) = of_attribute(items, key, name)
                {
                    findings.push(finding.of(&table.name, source, key));
                }
            }
        }
    }
    findings
}

fn is_divided(value: &Scalar) -> bool {
    matches!(value, Scalar::S(text) if text.contains(DELIMITER))
}

fn of_attribute(items: &[Item], key: &str, name: &str) -> Option<Finding> {
    let pairs: Vec<(&str, &str)> = items
        .iter()
        .filter_map(|item| Some((item.get(key)?.text(), item.get(name)?.text())))
        .collect();
    let (divided, plain): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|(_, value)| value.contains(DELIMITER));
    let place = |(key, value): &(&str, &str)| key.split(DELIMITER).position(|part| part == *value);
    let first = plain.first().and_then(place)?;
    if plain.len() < SHOWN_MIN || !plain.iter().all(|pair| place(pair) == Some(first)) {
        return None;
    }
    let (key, value) = divided.iter().find(|(key, value)| {
        let rest = key.splitn(first + 1, DELIMITER).nth(first);
        rest.is_some_and(|rest| {
            rest.strip_prefix(value)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(DELIMITER))
        })
    })?;
    let evidence = format!("{name} is {value:?}, which is more than one component");
    Some(Finding::new(Rule::DelimiterInData, evidence, vec![(*key).to_owned()]))
}
