//! Attributes that identify a version of an item. They are added to the item's own attributes, and
//! a page continues from them.
//!
//! [`SINCE`] and [`UNTIL`] are moments. They do not distinguish versions that follow each other
//! within a millisecond, or on a clock that was set back: these also have [`ORDER`], the era and
//! the number of the changes before and after them, such as `1.0-1.1`, where a missing change is
//! left out.

use crate::layout::Stamp;
use hashrange_model::{Item, ValueRef, moment};

/// Moment at which the version began; missing if the history begins with it, or if the version
/// before is no longer kept.
pub(crate) const SINCE: &str = "hashrange:since";
/// Moment at which the version ended; missing if it is the present state.
pub(crate) const UNTIL: &str = "hashrange:until";
/// Positions of the changes before and after the version among those of their moments.
pub(crate) const ORDER: &str = "hashrange:order";

/// Returns whether an attribute is one of those that identify a version.
pub(crate) fn names_a_version(name: &str) -> bool {
    [SINCE, UNTIL, ORDER].contains(&name)
}

/// Returns the identifying attributes of a version between two changes.
pub(super) fn attributes(
    since: Option<Stamp>,
    until: Option<Stamp>,
) -> [(&'static str, Option<String>); 3] {
    let moment = |stamp: Option<Stamp>| stamp.map(|stamp| moment::basic(stamp.at_ms));
    let order = |stamp: Option<Stamp>| {
        stamp.map_or_else(String::new, |Stamp { era, nth, .. }| format!("{era}.{nth}"))
    };
    let is_plain = |stamp: Stamp| (stamp.era, stamp.nth) == PLAIN;
    let needs_order = ![since, until].into_iter().flatten().all(is_plain);
    let order = needs_order.then(|| format!("{}-{}", order(since), order(until)));
    [(SINCE, moment(since)), (UNTIL, moment(until)), (ORDER, order)]
}

/// Era and number of a change that needs no [`ORDER`].
const PLAIN: (u32, u32) = (1, 0);

/// Returns the changes before and after a version, from its attributes; `None` if these are
/// malformed.
pub(crate) fn changes(version: &Item) -> Option<(Option<Stamp>, Option<Stamp>)> {
    let text = |name: &str| match version.get(name) {
        None => Some(None),
        Some(ValueRef::S(text)) => Some(Some(text)),
        Some(_) => None,
    };
    let orders = match text(ORDER)? {
        Some(orders) => Some(orders.split_once('-')?),
        None => None,
    };
    let stamp = |name: &str, order: Option<&str>| {
        let Some(text) = text(name)? else { return Some(None) };
        let (era, nth) = match order {
            Some(order) => {
                let (era, nth) = order.split_once('.')?;
                (era.parse().ok()?, nth.parse().ok()?)
            }
            None => PLAIN,
        };
        Some(Some(Stamp { era, at_ms: moment::parse(text)?, nth }))
    };
    Some((stamp(SINCE, orders.map(|it| it.0))?, stamp(UNTIL, orders.map(|it| it.1))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_name_a_version_exactly() {
        let stamp = |era, nth| Some(Stamp { era, at_ms: 1_795_255_200_000, nth });
        for (since, until, order) in [
            (None, None, None),
            (stamp(1, 0), None, None),
            (stamp(1, 0), stamp(1, 0), None),
            (stamp(1, 0), stamp(1, 1), Some("1.0-1.1")),
            (None, stamp(2, 0), Some("-2.0")),
            (stamp(0, 0), None, Some("0.0-")),
        ] {
            let attributes = attributes(since, until);
            assert_eq!(attributes[2].1.as_deref(), order);
            let some = attributes.iter().filter_map(|(name, text)| {
                Some((*name, hashrange_model::AttributeValue::S(text.clone()?)))
            });
            assert_eq!(changes(&Item::from_attributes(some)), Some((since, until)));
        }
    }

    #[test]
    fn other_attributes_name_none() {
        for (name, text) in [
            (SINCE, "today"),
            (ORDER, "1.0"),
            (ORDER, "1-2"),
            (ORDER, "a.0-1.0"),
            (ORDER, "1.0-1.4294967296"),
        ] {
            let moment = "20261121T100000Z";
            let all = [(SINCE, moment), (UNTIL, moment), (name, text)];
            let given: std::collections::BTreeMap<_, _> = all.into_iter().collect();
            let text = |text: &str| hashrange_model::AttributeValue::S(text.to_owned());
            let item = Item::from_attributes(given.iter().map(|(name, it)| (*name, text(it))));
            assert_eq!(changes(&item), None, "{name} {item:?}");
        }
    }
}
