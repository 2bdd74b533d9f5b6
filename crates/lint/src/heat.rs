//! Findings in the heat of keys: a partition key that the service would throttle.
//!
//! Left to others: the threshold of a hot key (the crate `heat`).

use crate::finding::{Finding, Rule};
use hashrange_heat::{PlaceHeat, advice};

/// Returns the keys of a table or index that take more than a partition of the service gives,
/// hottest first.
pub fn lint_heat(place: &PlaceHeat) -> Vec<Finding> {
    let finding = |advice: hashrange_heat::Advice| Finding {
        table: place.table.clone(),
        index: place.index.clone(),
        fix: advice.remedy().into(),
        ..Finding::new(Rule::HotKey, advice.evidence(), Vec::new())
    };
    advice(place).into_iter().map(finding).collect()
}
