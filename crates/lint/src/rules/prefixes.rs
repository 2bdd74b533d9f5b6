//! Prefixes of siblings: no prefix reads a key with all that is below it and nothing else.
//!
//! With `OMAHA`, `OMAHA#ZOO` and `OMAHA HEIGHTS` in one collection, a query for the city with its
//! places asks for keys that begin with `OMAHA`, and returns the other city, too. A query for the
//! places alone can end its prefix with the delimiter, so names that are not both a key and the
//! beginning of keys are no finding.

use crate::finding::{Finding, Rule};
use crate::keys::Column;
use crate::siblings::Siblings;
use std::ops::Bound;

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    Siblings::all(column).iter().find_map(of_siblings)
}

fn of_siblings(siblings: &Siblings<'_>) -> Option<Finding> {
    let ends_and_goes_on = siblings.ending.intersection(&siblings.going_on);
    ends_and_goes_on.filter(|name| !name.is_empty()).find_map(|name| {
        // Texts that begin with a text follow it in the order of texts.
        let behind = (Bound::Excluded(*name), Bound::Unbounded);
        let next = siblings.components.range::<&str, _>(behind).next()?;
        next.starts_with(name).then(|| {
            let evidence =
                format!("whoever reads {name} with all that is below it reads {next}, too");
            let examples = vec![siblings.key(name), siblings.key(next)];
            Finding::new(Rule::PrefixOfSibling, evidence, examples)
        })
    })
}
