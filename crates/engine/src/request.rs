//! Checks that several operations share: which parameters may stand together, the faults of
//! values, the placeholders of expressions, and what is compiled of an expression or its legacy
//! form.

use hashrange_expr::{Condition, Placeholders, Projection};
use hashrange_model::error::{ExpressionKind, ValueFault};
use hashrange_model::{Item, Reason};
use hashrange_wire::{DecodedItem, DecodedValue, Map};

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

/// Returns the projection of a ProjectionExpression, or else the legacy one.
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

/// Returns the filter of a FilterExpression, or else the legacy one.
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

/// Refuses the first fault among ExpressionAttributeValues.
pub(crate) fn check_expression_values<K: AsRef<str> + Ord>(
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
pub(crate) fn sound(decoded: DecodedItem) -> Result<Item, Reason> {
    decoded.into_result().map_err(|fault| Reason::Value(*fault))
}

/// Refuses a fault in a value of a legacy parameter.
pub(crate) fn check_values<'v>(
    values: impl IntoIterator<Item = &'v DecodedValue>,
) -> Result<(), Reason> {
    match values.into_iter().find_map(|value| value.fault.as_deref()) {
        Some(fault) => Err(Reason::Value(fault.clone())),
        None => Ok(()),
    }
}
