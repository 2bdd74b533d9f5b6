//! Temporary.
use hashrange_expr::{Condition, KeyConditions, Projection, Update};
use hashrange_model::Reason;
use hashrange_wire::{self as wire, ConditionalOperator, Map};
use std::borrow::Cow;
const R: Reason = Reason::ParameterNotYetAvailable { parameter: "legacy" };
pub(super) fn expected(
    e: Option<&Map<Cow<'_, str>, wire::ExpectedAttributeValue>>,
    _o: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    if e.is_some() { Err(R) } else { Ok(None) }
}
pub(super) fn filter(
    e: Option<&Map<Cow<'_, str>, wire::Condition>>,
    _o: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Reason> {
    if e.is_some() { Err(R) } else { Ok(None) }
}
pub(super) fn key_conditions(
    _e: &Map<Cow<'_, str>, wire::Condition>,
) -> Result<KeyConditions, Reason> {
    Err(R)
}
pub(super) fn attributes_to_get<S: AsRef<str>>(
    e: Option<&[S]>,
) -> Result<Option<Projection>, Reason> {
    Ok(e.map(|e| Projection::from_attribute_names(e.iter().map(AsRef::as_ref))))
}
pub(super) fn attribute_updates(
    _e: Option<&Map<Cow<'_, str>, wire::AttributeValueUpdate>>,
) -> Result<Update, Reason> {
    Err(R)
}
