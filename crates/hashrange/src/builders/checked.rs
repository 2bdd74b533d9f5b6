//! Items and values for requests, with the faults that a decoder of requests would find in them.
//!
//! Invariant: the recursion ends at the deepest level that a value may have.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hashrange_model::error::ValueFault;
use hashrange_model::limits::NESTING_DEPTH_MAX;
use hashrange_model::value::Members;
use hashrange_model::{AttributeType, AttributeValue, Item, ValueRef};
use hashrange_wire::{DecodedItem, DecodedValue};

/// Returns an item as a request has it.
pub(crate) fn item(item: Item) -> DecodedItem {
    let fault = item.iter().find_map(|(name, value)| nameless(name).or_else(|| fault(&value, 1)));
    match fault {
        Some(fault) => DecodedItem { item: Item::empty(), fault: Some(Box::new(fault)) },
        None => item.into(),
    }
}

/// Returns a value as a request has it.
pub(crate) fn value(value: &AttributeValue) -> DecodedValue {
    let value = value.to_value();
    match fault(&value.get(), 1) {
        Some(fault) => {
            DecodedValue { value: AttributeValue::Null.to_value(), fault: Some(Box::new(fault)) }
        }
        None => value.into(),
    }
}

fn nameless(name: &str) -> Option<ValueFault> {
    name.is_empty().then_some(ValueFault::EmptyAttributeName)
}

fn fault(value: &ValueRef<'_>, level: usize) -> Option<ValueFault> {
    if level > NESTING_DEPTH_MAX {
        return Some(ValueFault::NestingTooDeep);
    }
    match value {
        ValueRef::L(elements) => elements.iter().find_map(|element| fault(&element, level + 1)),
        ValueRef::M(entries) => entries
            .iter()
            .find_map(|(name, value)| nameless(name).or_else(|| fault(&value, level + 1))),
        ValueRef::Ss(members) => set_fault(*members, AttributeType::Ss),
        ValueRef::Ns(members) => set_fault(*members, AttributeType::Ns),
        ValueRef::Bs(members) => set_fault(*members, AttributeType::Bs),
        ValueRef::S(_) | ValueRef::N(_) | ValueRef::B(_) | ValueRef::Bool(_) | ValueRef::Null => {
            None
        }
    }
}

/// The members are sorted, so equal ones stand side by side.
fn set_fault(members: Members<'_>, set: AttributeType) -> Option<ValueFault> {
    if members.iter().next().is_none() {
        return Some(ValueFault::EmptySet(set));
    }
    if !members.iter().zip(members.iter().skip(1)).any(|(left, right)| left == right) {
        return None;
    }
    let members = match set {
        AttributeType::Ns => members.numbers().map(|number| format!("{number:?}")).collect(),
        AttributeType::Bs => members.iter().map(|member| STANDARD.encode(member)).collect(),
        _ => members.strings().map(str::to_owned).collect(),
    };
    Some(ValueFault::DuplicateMembers { set, members })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item as new_item;

    #[test]
    fn what_requests_may_not_hold_is_found() {
        let deep = |levels: usize| {
            (1..levels).fold(AttributeValue::from(1), |inner, _| AttributeValue::list([inner]))
        };
        let twice = AttributeValue::Ss(vec!["a".into(), "a".into()]);
        let members = vec!["a".to_owned(), "a".to_owned()];
        let cases = [
            (new_item! { "a": [1, { "b": "x" }] }, None),
            (new_item! { "a": (deep(32)) }, None),
            (new_item! { "a": (deep(33)) }, Some(ValueFault::NestingTooDeep)),
            (new_item! { "": 1 }, Some(ValueFault::EmptyAttributeName)),
            (new_item! { "a": { "": 1 } }, Some(ValueFault::EmptyAttributeName)),
            (
                new_item! { "a": [(AttributeValue::Ns(vec![]))] },
                Some(ValueFault::EmptySet(AttributeType::Ns)),
            ),
            (
                new_item! { "a": twice },
                Some(ValueFault::DuplicateMembers { set: AttributeType::Ss, members }),
            ),
        ];
        for (given, expected) in cases {
            let checked = item(given.clone());
            assert_eq!(checked.fault.map(|fault| *fault), expected, "{given:?}");
        }
    }
}
