//! Names that differ in capitals only, which are probably meant to be one.

use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;
use std::collections::BTreeMap;

pub(super) fn check(siblings: &Siblings) -> Option<Finding> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for component in siblings.components.iter().filter(|component| is_name(component)) {
        if let Some(first) = known.insert(component.to_lowercase(), component) {
            let evidence = format!("{first} and {component} are two places");
            let examples = vec![siblings.key(first), siblings.key(component)];
            return Some(Finding::new(Rule::MixedCase, evidence, examples));
        }
    }
    None
}

/// Returns whether a component consists of words: identifiers with digits may differ in capitals on
/// purpose.
fn is_name(component: &str) -> bool {
    component.chars().filter(|character| character.is_alphabetic()).count() >= 2
        && component
            .chars()
            .all(|character| character.is_alphabetic() || " -_'.".contains(character))
}
