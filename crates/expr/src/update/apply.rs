//! Applies actions to an item: evaluates every right-hand side on the old image, then rewrites the
//! attributes that are touched and copies the others as they are.

use super::document::Document;
use super::{Action, Effect, Operand, Term};
use crate::evaluated::Evaluated;
use hashrange_model::encode::Encoder;
use hashrange_model::error::{Reason, ValueFault};
use hashrange_model::limits::NESTING_DEPTH_MAX;
use hashrange_model::{AttributeValue, Item, Number, Value, ValueRef};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Returns `old` with the actions applied.
pub(super) fn apply(actions: &[Action], old: &Item) -> Result<Item, Reason> {
    let results = actions
        .iter()
        .map(|action| evaluate(action, old))
        .collect::<Result<Vec<Option<Evaluated<'_>>>, Reason>>()?;
    let mut nested: BTreeMap<&str, Document<'_>> = BTreeMap::new();
    for (action, result) in actions.iter().zip(&results).filter(|(it, _)| it.path.is_nested()) {
        let document = match nested.entry(&action.path.attribute) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let stored = old.get(&action.path.attribute).ok_or(Reason::InvalidDocumentPath)?;
                entry.insert(Document::new(stored))
            }
        };
        document.change(&action.path.steps, result.as_ref().map(Evaluated::get));
    }
    let nested = nested
        .into_iter()
        .map(|(name, document)| Ok((name, within_depth(document.finish()?)?)))
        .collect::<Result<Vec<(&str, Value)>, Reason>>()?;
    let whole = actions
        .iter()
        .zip(&results)
        .filter(|(action, _)| !action.path.is_nested())
        .map(|(action, result)| (&*action.path.attribute, result.as_ref().map(Evaluated::get)));
    let parts = nested.iter().map(|(name, value)| (*name, Some(value.get())));
    Ok(old.with_changes(whole.chain(parts)))
}

fn within_depth(value: AttributeValue) -> Result<Value, Reason> {
    if value.depth() > NESTING_DEPTH_MAX {
        return Err(Reason::UpdateResult(ValueFault::NestingTooDeep));
    }
    Ok(value.to_value())
}

/// Returns the value to set at the action's path, or `None` to remove it.
fn evaluate<'v>(action: &'v Action, old: &'v Item) -> Result<Option<Evaluated<'v>>, Reason> {
    let stored = || action.path.find(old);
    match &action.effect {
        Effect::Set(operand) => operand.evaluate(old).map(Some),
        Effect::Remove => Ok(None),
        Effect::Add(value) => add(stored(), value).ok_or(Reason::UpdateOperandType)?.map(Some),
        Effect::AddLegacy(value) => match (stored(), value.get()) {
            (Some(ValueRef::L(_)), ValueRef::L(_)) => {
                let stored = stored().map(Evaluated::Stored).ok_or(Reason::Internal)?;
                list_append(&stored, &Evaluated::Stored(value.get())).map(Some)
            }
            (stored, _) => add(stored, value).ok_or(Reason::LegacyUpdateTypeMismatch)?.map(Some),
        },
        Effect::Delete(value) => delete(stored(), value).ok_or(Reason::UpdateOperandType),
        Effect::DeleteLegacy(value) => {
            delete(stored(), value).ok_or(Reason::LegacyUpdateTypeMismatch)
        }
    }
}

impl Operand {
    fn evaluate<'v>(&'v self, old: &'v Item) -> Result<Evaluated<'v>, Reason> {
        match self {
            Self::Value(value) => Ok(Evaluated::Stored(value.get())),
            Self::Path(path) => {
                path.find(old).map(Evaluated::Stored).ok_or(Reason::UpdateMissingAttribute)
            }
            Self::IfNotExists(path, otherwise) => match path.find(old) {
                Some(value) => Ok(Evaluated::Stored(value)),
                None => otherwise.evaluate(old),
            },
            Self::ListAppend(lists) => {
                list_append(&lists.0.evaluate(old)?, &lists.1.evaluate(old)?)
            }
            Self::Sum(terms) => sum(terms, old),
        }
    }
}

fn sum<'v>(terms: &'v [Term], old: &'v Item) -> Result<Evaluated<'v>, Reason> {
    let mut total = Number::ZERO;
    for term in terms {
        let value = term.operand.evaluate(old)?;
        let ValueRef::N(number) = value.get() else {
            return Err(Reason::UpdateOperandType);
        };
        let number = number.to_number();
        let next =
            if term.negative { total.checked_sub(&number) } else { total.checked_add(&number) };
        total = next.map_err(|fault| Reason::UpdateResult(fault.into()))?;
    }
    Ok(computed_number(total))
}

fn computed_number<'v>(number: Number) -> Evaluated<'v> {
    Evaluated::Computed(AttributeValue::N(number).to_value())
}

fn list_append<'v>(first: &Evaluated<'_>, second: &Evaluated<'_>) -> Result<Evaluated<'v>, Reason> {
    let (ValueRef::L(first), ValueRef::L(second)) = (first.get(), second.get()) else {
        return Err(Reason::UpdateOperandType);
    };
    let mut encoder = Encoder::new();
    let mark = encoder.begin_list();
    first.iter().chain(second.iter()).for_each(|element| encoder.value_ref(&element));
    encoder.end_list(mark);
    Ok(Evaluated::Computed(encoder.into_value()))
}

/// Returns the sum or union, or `None` if the stored value is of another type.
fn add<'v>(
    stored: Option<ValueRef<'_>>,
    value: &'v Value,
) -> Option<Result<Evaluated<'v>, Reason>> {
    let Some(stored) = stored else { return Some(Ok(Evaluated::Stored(value.get()))) };
    Some(Ok(match (stored, value.get()) {
        (ValueRef::N(stored), ValueRef::N(number)) => {
            let sum = stored.to_number().checked_add(&number.to_number());
            return Some(
                sum.map(computed_number).map_err(|fault| Reason::UpdateResult(fault.into())),
            );
        }
        (ValueRef::Ss(stored), ValueRef::Ss(added)) => {
            let members = stored.strings().chain(added.strings());
            Evaluated::Computed(AttributeValue::string_set(members).to_value())
        }
        (ValueRef::Ns(stored), ValueRef::Ns(added)) => {
            let members = stored.numbers().chain(added.numbers());
            let members = members.map(|number| number.to_number());
            Evaluated::Computed(AttributeValue::number_set(members).to_value())
        }
        (ValueRef::Bs(stored), ValueRef::Bs(added)) => {
            let members = stored.iter().chain(added.iter()).map(<[u8]>::to_vec);
            Evaluated::Computed(AttributeValue::binary_set(members).to_value())
        }
        _ => return None,
    }))
}

/// Returns the set without the members of `value` (`None` inside when nothing is left), or `None`
/// if the stored value is of another type.
fn delete<'v>(stored: Option<ValueRef<'_>>, value: &Value) -> Option<Option<Evaluated<'v>>> {
    let Some(stored) = stored else { return Some(None) };
    let (members, removed) = match (stored, value.get()) {
        (ValueRef::Ss(members), ValueRef::Ss(removed))
        | (ValueRef::Ns(members), ValueRef::Ns(removed))
        | (ValueRef::Bs(members), ValueRef::Bs(removed)) => (members, removed),
        _ => return None,
    };
    let removed: BTreeSet<&[u8]> = removed.iter().collect();
    if members.iter().all(|member| removed.contains(member)) {
        return Some(None);
    }
    let is_kept = |member: &[u8]| !removed.contains(member);
    let left = match stored {
        ValueRef::Ss(_) => AttributeValue::string_set(
            members.strings().filter(|member| is_kept(member.as_bytes())),
        ),
        ValueRef::Ns(_) => AttributeValue::number_set(
            members
                .numbers()
                .filter(|member| is_kept(member.as_bytes()))
                .map(|member| member.to_number()),
        ),
        _ => AttributeValue::binary_set(
            members.iter().filter(|member| is_kept(member)).map(<[u8]>::to_vec),
        ),
    };
    Some(Some(Evaluated::Computed(left.to_value())))
}
