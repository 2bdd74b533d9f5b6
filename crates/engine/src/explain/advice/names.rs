//! `country = "US"` compares two attributes: double quotes are for names in PartiQL. The advice is given if no
//! sampled item has an attribute of the name.

use crate::explain::explanation::{Advice, AdviceKind};
use crate::explain::plan::{ReadPlan, Sampled};
use crate::explain::text::plural;
use hashrange_model::bounds::{TOLD_ADVICE_MAX, TOLD_VALUE_MAX_BYTES, beginning};

/// Returns advice for each compared name that no item has.
pub(super) fn two_attributes(read: &ReadPlan<'_>, sampled: &Sampled) -> Vec<Advice> {
    let condition = read.statement.as_ref().and_then(|statement| statement.condition.as_ref());
    if sampled.items.is_empty() {
        return Vec::new();
    }
    let table = read.page.table;
    let is_known = |name: &str| {
        table.key.contains(name)
            || table.indexes.iter().any(|index| index.key.contains(name))
            || sampled.items.iter().any(|item| item.get(name).is_some())
    };
    let pairs = condition.map_or(Vec::new(), |condition| condition.compared_attributes());
    let mut found: Vec<Advice> = Vec::new();
    for (left, right) in pairs {
        let missing = [right, left].into_iter().find(|name| !is_known(name));
        let advice = missing.map(|name| advice(left, right, name, sampled.told.items));
        found.extend(advice.filter(|advice| !found.contains(advice)));
        if found.len() == TOLD_ADVICE_MAX {
            break;
        }
    }
    found
}

fn advice(left: &str, right: &str, missing: &str, looked_at: usize) -> Advice {
    let told = |name| beginning(name, TOLD_VALUE_MAX_BYTES);
    let (left, right, missing) = (told(left), told(right), told(missing));
    Advice {
        kind: AdviceKind::TwoAttributes,
        finding: format!("{left} is compared with the attribute {right}, not with text"),
        evidence: format!(
            "none of {} looked at has an attribute {missing}; double quotes are for names in PartiQL",
            plural(looked_at, "item")
        ),
        remedy: format!("write text in single quotes: '{}'", missing.replace('\'', "''")),
    }
}
