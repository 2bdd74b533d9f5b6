//! The legacy parameters as the wire has them, handed to their compiler.
//!
//! Their values must have been checked for faults.

use hashrange_expr::legacy::{
    self, AttributeAction, AttributeCondition, AttributeUpdate, ComparisonOperator, Expected,
};
use hashrange_expr::{Condition, KeyConditions, Projection, Update};
use hashrange_model::bounds::LEGACY_CONDITIONS_MAX;
use hashrange_model::error::ValueFault;
use hashrange_model::{Reason, Value};
use hashrange_wire::{self as wire, ConditionalOperator, DecodedValue, Map};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Returns the condition of Expected.
pub(crate) fn expected(
    given: Option<&Map<Cow<'_, str>, wire::ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    let lists = given.into_iter().flat_map(Map::iter);
    check_number(lists.map(|(_, expected)| expected.attribute_value_list.as_deref()))?;
    let expected = given
        .into_iter()
        .flat_map(Map::iter)
        .map(|(attribute, expected)| Expected {
            attribute,
            value: expected.value.as_ref().map(|value| value.value.clone()),
            exists: expected.exists,
            operator: expected.comparison_operator.map(comparison),
            arguments: expected.attribute_value_list.as_deref().map(values),
        })
        .collect();
    legacy::expected(expected, operator.map(joining))
}

/// Returns the condition of `QueryFilter` or `ScanFilter`.
pub(crate) fn filter(
    given: Option<&Map<Cow<'_, str>, wire::Condition>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    let lists = given.into_iter().flat_map(Map::iter);
    check_number(lists.map(|(_, given)| given.attribute_value_list.as_deref()))?;
    let given = given.into_iter().flat_map(Map::iter);
    let conditions = given.filter_map(|(attribute, given)| condition(attribute, given)).collect();
    legacy::filter(conditions, operator.map(joining))
}

/// Refuses more conditions and values than are held for one request. Source: none, the service's bound is not known.
fn check_number<'v>(lists: impl Iterator<Item = Option<&'v [DecodedValue]>>) -> Result<(), Reason> {
    let number = lists.map(|list| 1 + list.map_or(0, <[_]>::len)).sum::<usize>();
    if number > LEGACY_CONDITIONS_MAX {
        return Err(Reason::TooManyLegacyConditions(LEGACY_CONDITIONS_MAX));
    }
    Ok(())
}

/// Returns the key conditions of `KeyConditions`.
pub(crate) fn key_conditions(
    given: &Map<Cow<'_, str>, wire::Condition>,
) -> Result<KeyConditions, Reason> {
    let conditions =
        given.iter().filter_map(|(attribute, given)| condition(attribute, given)).collect();
    legacy::key_conditions(conditions)
}

/// Returns the projection of `AttributesToGet`.
pub(crate) fn attributes_to_get<S: AsRef<str>>(
    given: Option<&[S]>,
) -> Result<Option<Projection>, Reason> {
    let Some(given) = given else { return Ok(None) };
    let names: Vec<&str> = given.iter().map(AsRef::as_ref).collect();
    if names.contains(&"") {
        return Err(Reason::Value(ValueFault::EmptyAttributeName));
    }
    let mut known = BTreeSet::new();
    match names.iter().find(|name| !known.insert(**name)) {
        Some(name) => Err(Reason::DuplicateAttributeName((*name).to_owned())),
        None => Ok(Some(Projection::from_attribute_names(names))),
    }
}

/// Returns the update of `AttributeUpdates`; without any it changes nothing.
pub(crate) fn attribute_updates(
    given: Option<&Map<Cow<'_, str>, wire::AttributeValueUpdate>>,
) -> Result<Update, Reason> {
    let updates = given
        .into_iter()
        .flat_map(Map::iter)
        .map(|(attribute, update)| AttributeUpdate {
            attribute,
            action: update.action.map(|action| match action {
                wire::AttributeAction::Add => AttributeAction::Add,
                wire::AttributeAction::Put => AttributeAction::Put,
                wire::AttributeAction::Delete => AttributeAction::Delete,
            }),
            value: update.value.as_ref().map(|value| value.value.clone()),
        })
        .collect();
    legacy::attribute_updates(updates)
}

/// The operator is required by the model's constraints, so it is only absent in process.
fn condition<'a>(attribute: &'a str, given: &wire::Condition) -> Option<AttributeCondition<'a>> {
    Some(AttributeCondition {
        attribute,
        operator: comparison(given.comparison_operator?),
        arguments: values(given.attribute_value_list.as_deref().unwrap_or_default()),
    })
}

fn values(given: &[DecodedValue]) -> Vec<Value> {
    given.iter().map(|value| value.value.clone()).collect()
}

fn joining(operator: ConditionalOperator) -> legacy::ConditionalOperator {
    match operator {
        ConditionalOperator::And => legacy::ConditionalOperator::And,
        ConditionalOperator::Or => legacy::ConditionalOperator::Or,
    }
}

fn comparison(operator: wire::ComparisonOperator) -> ComparisonOperator {
    match operator {
        wire::ComparisonOperator::Eq => ComparisonOperator::Eq,
        wire::ComparisonOperator::Ne => ComparisonOperator::Ne,
        wire::ComparisonOperator::In => ComparisonOperator::In,
        wire::ComparisonOperator::Le => ComparisonOperator::Le,
        wire::ComparisonOperator::Lt => ComparisonOperator::Lt,
        wire::ComparisonOperator::Ge => ComparisonOperator::Ge,
        wire::ComparisonOperator::Gt => ComparisonOperator::Gt,
        wire::ComparisonOperator::Between => ComparisonOperator::Between,
        wire::ComparisonOperator::NotNull => ComparisonOperator::NotNull,
        wire::ComparisonOperator::Null => ComparisonOperator::Null,
        wire::ComparisonOperator::Contains => ComparisonOperator::Contains,
        wire::ComparisonOperator::NotContains => ComparisonOperator::NotContains,
        wire::ComparisonOperator::BeginsWith => ComparisonOperator::BeginsWith,
    }
}

/// Refuses faulty values in `KeyConditions` or a legacy filter.
pub(crate) fn check_values<K: Ord>(
    conditions: Option<&Map<K, wire::Condition>>,
) -> Result<(), Reason> {
    let conditions = conditions.into_iter().flat_map(Map::values);
    super::check_values(
        conditions.flat_map(|condition| condition.attribute_value_list.iter().flatten()),
    )
}
