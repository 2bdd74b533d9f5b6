//! Prefixes of siblings: no prefix reads a key with all that is below it and nothing else.
//!
//! With `OMAHA`, `OMAHA#ZOO` and `OMAHA HEIGHTS` in one collection, whoever wants the city with its places
//! asks for what begins with `OMAHA`, and gets the other city. Where only what is below is asked for, the
//! closing delimiter helps: names of which none is a key and a beginning of keys are left alone.

use crate::finding::{Finding, Rule};
use crate::siblings::Siblings;
use std::ops::Bound;

pub(super) fn check(siblings: &Siblings) -> Option<Finding> {
    let ends_and_goes_on = siblings.ending.intersection(&siblings.going_on);
    ends_and_goes_on.filter(|name| !name.is_empty()).find_map(|name| {
        // What begins with a text follows it in the order of texts.
        let behind = (Bound::Excluded(name), Bound::Unbounded);
        let next = siblings.components.range::<String, _>(behind).next()?;
        next.starts_with(name.as_str()).then(|| {
            let evidence =
                format!("whoever reads {name} with all that is below it reads {next}, too");
            Finding::new(
                Rule::PrefixOfSibling,
                evidence,
                vec![siblings.key(name), siblings.key(next)],
            )
        })
    })
}
