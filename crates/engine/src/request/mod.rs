//! Checks that several operations share: combinations of parameters, faults of values, placeholders
//! of expressions, and the compilation of expressions or their legacy forms (`condition.rs`,
//! `legacy.rs`).

pub(crate) mod condition;
pub(crate) mod legacy;

use crate::schema::Table;
use hashrange_expr::{Condition, Placeholders, Projection};
use hashrange_model::error::{ExpressionKind, ValueFault};
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{ApiError, ApiResult, Item, Reason, Value, ValueRef};
use hashrange_wire::{
    DecodedItem, DecodedValue, Map, ReturnValue, ReturnValuesOnConditionCheckFailure,
};

/// A parameter's name and whether the request has it.
pub(crate) type Given = (&'static str, bool);

/// Refuses legacy parameters next to expressions.
pub(crate) fn check_one_style(legacy: &[Given], expressions: &[Given]) -> Result<(), Reason> {
    let (legacy, expression) = (given(legacy), given(expressions));
    if legacy.is_empty() || expression.is_empty() {
        return Ok(());
    }
    Err(Reason::BothStyles { legacy, expression })
}

fn given(parameters: &[Given]) -> Vec<&'static str> {
    parameters.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
}

/// Returns the placeholders of a request. `using_values` are the expressions that may use values.
pub(crate) fn placeholders<'a, N: AsRef<str> + Ord, M: AsRef<str>, K: AsRef<str> + Ord>(
    names: Option<&'a Map<N, M>>,
    values: Option<&'a Map<K, DecodedValue>>,
    expressions: &[Given],
    using_values: &[Given],
) -> Result<Placeholders<'a>, Reason> {
    if names.is_none() && values.is_none() {
        return Ok(Placeholders::none());
    }
    if names.is_some() && given(expressions).is_empty() {
        return Err(Reason::NamesWithoutExpression(Vec::new()));
    }
    if values.is_some() && given(using_values).is_empty() {
        let absent = using_values.iter().map(|(name, _)| *name).collect();
        return Err(Reason::ValuesWithoutExpression(absent));
    }
    let names = names.map(|names| names.iter().map(|(key, name)| (key.as_ref(), name.as_ref())));
    let values =
        values.map(|values| values.iter().map(|(key, value)| (key.as_ref(), &value.value)));
    Placeholders::new(names, values)
}

/// Returns the projection of a `ProjectionExpression`, or else the legacy one.
pub(crate) fn projection(
    expression: Option<&str>,
    legacy: Option<Projection>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Option<Projection>, Reason> {
    match expression {
        Some(text) => hashrange_expr::projection(text, placeholders).map(Some),
        None => Ok(legacy),
    }
}

/// Returns the filter of a `FilterExpression`, or else the legacy one.
pub(crate) fn filter(
    expression: Option<&str>,
    legacy: Option<Condition>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Option<Condition>, Reason> {
    match expression {
        Some(text) => {
            hashrange_expr::condition(ExpressionKind::Filter, text, placeholders).map(Some)
        }
        None => Ok(legacy),
    }
}

/// Refuses the first fault among `ExpressionAttributeValues`, then a value that no item can have.
pub(crate) fn check_expression_values<K: AsRef<str> + Ord>(
    values: Option<&Map<K, DecodedValue>>,
) -> Result<(), Reason> {
    check_expression_faults(values)?;
    let mut values = values.into_iter().flat_map(Map::values);
    if values.any(|value| exceeds_item(&value.value)) { Err(Reason::ItemTooLarge) } else { Ok(()) }
}

/// Returns whether a value alone is larger than an item may be.
pub(crate) fn exceeds_item(value: &Value) -> bool {
    // The binary form is at least half as long as the value's size says.
    value.as_bytes().len() > ITEM_SIZE_MAX_BYTES / 2 && value.get().size() > ITEM_SIZE_MAX_BYTES
}

/// Returns the fault of an update that has a value larger than an item, where it is one of a write.
pub(crate) fn as_update(reason: Reason) -> Reason {
    match reason {
        Reason::ItemTooLarge => Reason::UpdatedItemTooLarge,
        other => other,
    }
}

fn check_expression_faults<K: AsRef<str> + Ord>(
    values: Option<&Map<K, DecodedValue>>,
) -> Result<(), Reason> {
    let faulty = values.into_iter().flat_map(Map::iter).find(|(_, value)| value.fault.is_some());
    match faulty {
        Some((placeholder, DecodedValue { fault: Some(fault), .. })) => {
            let placeholder = placeholder.as_ref().to_owned();
            Err(Reason::ExpressionValue { fault: ValueFault::clone(fault), placeholder })
        }
        _ => Ok(()),
    }
}

/// Returns an item or key of the request, or the first fault in it.
pub(crate) fn validated(decoded: DecodedItem) -> Result<Item, Reason> {
    decoded.into_result().map_err(|fault| Reason::Value(*fault))
}

/// Refuses a fault in a value of a legacy parameter, or a value that no item can have.
pub(crate) fn check_values<'v>(
    values: impl IntoIterator<Item = &'v DecodedValue>,
) -> Result<(), Reason> {
    let mut is_too_large = false;
    for value in values {
        if let Some(fault) = value.fault.as_deref() {
            return Err(Reason::Value(fault.clone()));
        }
        is_too_large = is_too_large || exceeds_item(&value.value);
    }
    if is_too_large { Err(Reason::ItemTooLarge) } else { Ok(()) }
}

/// Refuses paths that lead into key attributes, which are scalars: of the table, then of an index.
/// Source: captured before 2020.
pub(crate) fn check_scalar_keys<'n>(
    table: &Table,
    names_looked_into: impl IntoIterator<Item = &'n str>,
) -> Result<(), Reason> {
    for name in names_looked_into {
        let attribute = || name.to_owned();
        if table.key.contains(name) {
            return Err(Reason::KeyNotScalar { attribute: attribute() });
        }
        if table.indexes.iter().any(|index| index.key.contains(name)) {
            return Err(Reason::IndexKeyNotScalar { attribute: attribute() });
        }
    }
    Ok(())
}

/// Refuses return values other than NONE and `ALL_OLD`.
pub(crate) fn check_return_values(asked: Option<ReturnValue>) -> Result<(), Reason> {
    match asked {
        None | Some(ReturnValue::None | ReturnValue::AllOld) => Ok(()),
        Some(ReturnValue::AllNew | ReturnValue::UpdatedOld | ReturnValue::UpdatedNew) => {
            Err(Reason::ReturnValuesPutDelete)
        }
    }
}

/// Returns whether a failed condition is to return the item.
pub(crate) fn returns_item(asked: Option<ReturnValuesOnConditionCheckFailure>) -> bool {
    asked == Some(ReturnValuesOnConditionCheckFailure::AllOld)
}

/// Refuses empty values of a key, whatever the table. Source: captures of 2026-05: it is found
/// before the table is looked up.
pub(crate) fn check_key_values(key: &Item) -> Result<(), Reason> {
    let is_empty =
        |value: &ValueRef<'_>| value.attribute_type().is_scalar_key() && value.size() == 0;
    match key.iter().find(|(_, value)| is_empty(value)) {
        None => Ok(()),
        Some((attribute, value)) => Err(Reason::EmptyKeyValue {
            attribute: attribute.to_owned(),
            attribute_type: value.attribute_type(),
        }),
    }
}

/// Returns the error of a member that must be given; for callers in process, whose requests no
/// parser has checked.
pub(crate) fn required<T>(member: Option<T>, path: &str) -> ApiResult<T> {
    member.ok_or_else(|| {
        ApiError::new(Reason::Constraints(format!(
            "{}Value null at '{path}' failed to satisfy constraint: Member must not be null",
            hashrange_model::error::wording::ENVELOPE
        )))
    })
}
